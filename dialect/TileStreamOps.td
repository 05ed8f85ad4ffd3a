// Loops whose slots are filled by the machine's copy engine and multiplied where they lie. What `schedule` makes.
#ifndef TILEC_TILE_STREAM_OPS
#define TILEC_TILE_STREAM_OPS

include "dialect/TileRingOps.td"

def Tile_MappedOp : Tile_Op<"mapped", [Pure]> {
  let summary = "whether the copy engine can read all matrices that a kernel has it copy from";
  let description = [{
    The launcher finds out, from where the matrices lie and how far apart their rows are: the same in all threads of a launch. A `tile.stream`
    of such copies has steps only where it holds; otherwise the loop beside it takes them all.

        %mapped = tile.mapped
  }];
  let results = (outs I1:$result);
  let assemblyFormat = "attr-dict";
}

def Tile_FullOp : Tile_Op<"full", [MemoryEffects<[MemAlloc]>]> {
  let summary = "words in LDS that say which slots are full";
  let description = [{
    One for each slot; `allocate` gives them their `offset`. They keep their state from task to task.

        %full = tile.full slots 4
  }];
  let arguments = (ins I64Attr:$slots, OptionalAttr<I64Attr>:$offset);
  let results = (outs Tile_Full:$result);
  let assemblyFormat = "`slots` $slots (`offset` $offset^)? attr-dict";
  let hasVerifier = 1;
}

def Tile_EmptyOp : Tile_Op<"empty", [MemoryEffects<[MemAlloc]>]> {
  let summary = "words in LDS that say which slots have been released";
  let description = [{
    One for each slot, as those of a `tile.full`. A slot is empty when all waves of the kernel but the producer's have released it, and
    before it was ever filled.

        %empty = tile.empty slots 4
  }];
  let arguments = (ins I64Attr:$slots, OptionalAttr<I64Attr>:$offset);
  let results = (outs Tile_Empty:$result);
  let assemblyFormat = "`slots` $slots (`offset` $offset^)? attr-dict";
  let hasVerifier = 1;
}

def Tile_ReleaseOp : Tile_Op<"release", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "each wave says that it reads no more of what the slot of a step holds";
  let description = "Its reads have returned, and its products have been awaited. There is no step before 0.";
  let arguments = (ins Tile_Empty:$empty, Index:$step);
  let assemblyFormat = "$empty `step` $step attr-dict";
}

def Tile_StreamOp : Tile_Op<"stream", [SingleBlock, RecursiveMemoryEffects, AttrSizedOperandSegments, AllTypesMatch<["inits", "results"]>]> {
  let summary = "loop over steps whose slots are filled some steps ahead";
  let description = [{
    Steps 0 to `count` - 1; the slot of a step is its number modulo `slots`. `fills` fills the slot of a step: for the first
    `ahead` steps before the loop, then, behind `uses` of step k, for step k + `ahead`, as long as there is such a step. `uses` has the step,
    its slot and the tiles that the step before handed on. `ahead` is less than `slots`.

    What is carried may begin as `ub.poison`: registers that a step writes before any step reads them. Nothing else has such a value.

    `in_turn`: one text serves all slots, whose numbers are values then. Steps of few rows, and much to do in each, take longer to be brought from memory
    than to be done. What needs to know the slot when compiling, such as a `tile.part`, does not stand there.

    With words that say which slots are empty the fills are the producer's of the kernel: it fills a slot as soon as all waves have released
    it, also for later tasks, and `ahead` is `slots`. Then each use releases the slot of its step, or of the step before, and what
    is left is released behind the loop.

        %sum = tile.stream %count slots 4 ahead 3 carries(%zero : tensor<128x256xf32, #sums>) fills {
        ^bb0(%k: index, %slot: index):
          tile.copy_async %a[%m, %k], %a_ring[%slot] full %full : ...
          tile.next
        } uses {
        ^bb0(%k: index, %slot: index, %acc: tensor<128x256xf32, #sums>):
          tile.await_full %full[%slot]
          %next = tile.dot_async %a_ring[%slot], transpose %b_ring[%slot], %acc {instruction = "Wgmma64x256x16"} : ...
          %sums = tile.await_products %next left 1 : tensor<128x256xf32, #sums>
          tile.meet
          tile.next %sums : tensor<128x256xf32, #sums>
        }
  }];
  let arguments = (ins Index:$count, I64Attr:$slots, I64Attr:$ahead, Optional<Tile_Empty>:$empty, Variadic<AnyTile>:$inits, UnitAttr:$in_turn);
  let results = (outs Variadic<AnyTile>:$results);
  let regions = (region SizedRegion<1>:$fills, SizedRegion<1>:$uses);
  let assemblyFormat = [{
    $count `slots` $slots `ahead` $ahead (`empty` $empty^)? (`in_turn` $in_turn^)? (`carries` `(` $inits^ `:` type($inits) `)`)? attr-dict-with-keyword
    `fills` $fills `uses` $uses
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block::BlockArgListType getCarried() { return getUses().getArguments().drop_front(2); }
  }];
}

def Tile_AwaitFullOp : Tile_Op<"await_full", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until the copies that fill a slot have landed";
  let description = "All waves wait, each time the slot was filled once. What has landed is visible to them.";
  let arguments = (ins Tile_Full:$full, Index:$slot);
  let assemblyFormat = "$full `[` $slot `]` attr-dict";
}

def Tile_PartOp : Tile_Op<"part", [Pure]> {
  let summary = "registers of a tile that follow each other, as a tile";
  let description = [{
    Of `parts` equal ones that of number `number` modulo `parts`, the same in all threads. Costs nothing where the number is that of a slot, which is known
    where a step is compiled.

        %half = tile.part %sums[%slot] of 2 : tensor<128x256xf32, #sums> -> tensor<128x128xf32, #half>
  }];
  let arguments = (ins AnyTile:$whole, Index:$number, I64Attr:$parts);
  let results = (outs AnyTile:$result);
  let assemblyFormat = "$whole `[` $number `]` `of` $parts attr-dict `:` type($whole) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_WithPartOp : Tile_Op<"with_part", [Pure, AllTypesMatch<["whole", "result"]>]> {
  let summary = "a tile with other registers in the place of a part of its own";
  let description = [{
        %next = tile.with_part %sums[%slot] of 2 = %half : tensor<128x256xf32, #sums>, tensor<128x128xf32, #half>
  }];
  let arguments = (ins AnyTile:$whole, Index:$number, I64Attr:$parts, AnyTile:$part);
  let results = (outs AnyTile:$result);
  let assemblyFormat = "$whole `[` $number `]` `of` $parts `=` $part attr-dict `:` type($whole) `,` type($part)";
  let hasVerifier = 1;
}

def Tile_MovesInBulkOp : Tile_Op<"moves_in_bulk", [Pure]> {
  let summary = "whether the copy engine can move what one view holds to the same places of another";
  let description = [{
    They have the same extents; elements of a row lie side by side, and rows begin at multiples of 16 bytes and are as long.

        %bulk = tile.moves_in_bulk %a, %inbox : memref<?x?xbf16>, memref<?x?xbf16, strided<[?, 1], offset: ?>>
  }];
  let arguments = (ins AnyBuffer:$from, AnyBuffer:$into);
  let results = (outs I1:$result);
  let assemblyFormat = "$from `,` $into attr-dict `:` type($from) `,` type($into)";
  let hasVerifier = 1;
}

def Tile_ByProducerOp : Tile_Op<"by_producer", [NoTerminator, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "what one wave of a kernel's producer does of a task, where a condition holds";
  let description = [{
    The other waves pass it by, and go on with the task. Waits and signals in it are those of the wave.

        tile.by_producer when %bulk {
          %moved = tile.relay ...
          tile.signal system %arrived[%rank] to %peer publishes %moved : <1>
        }
  }];
  let arguments = (ins I1:$when);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`when` $when attr-dict-with-keyword $body";
}

def Tile_TellOp : Tile_Op<"tell", [NoTerminator, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "what a second wave of a kernel's producer tells others of a task, while those who did it go on";
  let description = [{
    The wave begins when all waves but the producer's have come to the operation in the text, with what they stored by then; they do not wait
    for it. What it tells of two tasks it tells in their order. Stands among the operations that a task always does.

        tile.store %sums, %partials[%m, %n] to %owner : ...
        tile.tell {
          tile.signal system by wave %arrived[%m, %n] to %owner publishes %stored : <2>
        }

    A `tile.relay` in it sends on what they have stored.
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Tile_HasNextOp : Tile_Op<"has_next", [Pure, ParentOneOf<["ForallOp"]>]> {
  let summary = "whether the workgroup may come to another task of the loop behind this one";
  let description = [{
    It knows where tasks are dealt out by number; where they are drawn it takes it that it may.

        %has_next = tile.has_next
  }];
  let results = (outs I1:$result);
  let assemblyFormat = "attr-dict";
}

def Tile_RelayOp : Tile_Op<"relay", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "moves tiles that lie side by side from one view to the same places of another, by the copy engine";
  let description = [{
    Of `parts` tiles the first is at the indices, in tiles; the others follow it in the last dimension. What lies outside of the views
    is left out. They pass through LDS, in pieces of as many bytes as a slot of `buffer` has; `full` has a word for each slot. A piece that
    has come goes to each of the ranks behind `to`, or stays on this one where there are none. Behind it everything has been read and is
    stored, so that the wave may publish it.

        %moved = tile.relay %a -> %inbox[%i, %j] tile [64, 128] parts %parts to %peer through %buffer full %full : memref<?x?xbf16>, ...
  }];
  let arguments = (ins AnyBuffer:$from, AnyBuffer:$into, Variadic<Index>:$indices, DenseI64ArrayAttr:$tile, Index:$parts,
                       Variadic<Index>:$to, Variadic<Tile_Token>:$after, AnyBuffer:$buffer, Tile_Full:$full);
  let results = (outs Tile_Token:$token);
  let assemblyFormat = [{
    $from `->` $into `[` $indices `]` `tile` $tile `parts` $parts (`to` $to^)? (`after` $after^)? `through` $buffer `full` $full
    attr-dict `:` type($from) `,` type($into) `,` type($buffer)
  }];
  let hasVerifier = 1;
}

def Tile_TakeCountedOp : Tile_Op<"take_counted", [MemoryEffects<[MemRead, MemWrite]>, Tile_Synchronizes]> {
  let summary = "the device's copy engine waits until `of` signals of this rank have counted in a word of a `counted` grid, and leaves 0 there";
  let description = [{
    In a task of a role of the engine, once for each word. What follows in the task comes behind everything that these signals publish.

        %came = tile.take_counted %parts[%peer, %i] of %tasks : !tile.signals<2>
  }];
  let arguments = (ins Tile_Signals:$signals, Variadic<Index>:$indices, Index:$count);
  let results = (outs Tile_Token:$token);
  let assemblyFormat = "$signals `[` $indices `]` `of` $count attr-dict `:` type($signals)";
  let hasVerifier = 1;
}

def Tile_MoveOp : Tile_Op<"move", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "what the device's copy engine moves in a task of its role: tiles that lie side by side, from one view to the same places of another";
  let description = [{
    As `tile.relay`, by another machine: of `parts` tiles the first is at the indices, and what lies outside of the views is left out. No thread and no LDS takes part.
    Views have up to three dimensions.

        %moved = tile.move %a -> %inbox[%i, %zero] tile [2048, 128] parts %parts to %peer : memref<?x?xbf16>, memref<?x?xbf16, #tile.symmetric>
  }];
  let arguments = (ins AnyBuffer:$from, AnyBuffer:$into, Variadic<Index>:$indices, DenseI64ArrayAttr:$tile, Index:$parts,
                       Index:$to, Variadic<Tile_Token>:$after);
  let results = (outs Tile_Token:$token);
  let assemblyFormat = [{
    $from `->` $into `[` $indices `]` `tile` $tile `parts` $parts `to` $to (`after` $after^)? attr-dict `:` type($from) `,` type($into)
  }];
  let hasVerifier = 1;
}

def Tile_FenceAsyncOp : Tile_Op<"fence_async", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "what a thread has written to LDS comes before what copy engines and asynchronous products do there";
  let description = "Of those that are issued when the threads have met behind it.";
  let assemblyFormat = "attr-dict";
}

def Tile_DotAsyncOp : Tile_Op<"dot_async", [MemoryEffects<[MemRead]>, AllTypesMatch<["acc", "result"]>]> {
  let summary = "issues acc + lhs * rhs, of tiles that lie in slots; lhs may be in registers";
  let description = [{
    As `tile.dot`, with operands in LDS; a left operand in registers has the rows of the sums where the sums have them. The slots are read, and the sums written, at any time until a `tile.await_products` that leaves less
    than the products issued since. Until then the sums are only the accumulator of further products.

    With `promoted` the matrix units, which keep fewer bits of their sums than f32 has, add up the depth of the slots alone; threads add that to
    the sums. So it is complete when it is over, and holds sums a second time for as many columns as the instruction has.

        %sums = tile.dot_async %weights, %v_ring[%slot], %shrunk {instruction = "Wgmma64x128x16"} : tensor<128x128xbf16, #sums>, ...
  }];
  let arguments = (ins AnyTypeOf<[AnyBuffer, AnyTile]>:$lhs, AnyBuffer:$rhs, Index:$rhsSlot, AnyTile:$acc, Optional<Index>:$lhsSlot,
                       UnitAttr:$transpose, StrAttr:$instruction, UnitAttr:$promoted, UnitAttr:$replaces, UnitAttr:$lhs_transposed);
  let results = (outs AnyTile:$result);
  let assemblyFormat = [{
    (`transpose` $lhs_transposed^)? $lhs (`[` $lhsSlot^ `]`)? `,` (`transpose` $transpose^)? $rhs `[` $rhsSlot `]` `,` (`replaces` $replaces^)? $acc (`promoted` $promoted^)? attr-dict
    `:` type($lhs) `,` type($rhs) `,` type($acc)
  }];
  let hasVerifier = 1;
}

def Tile_AwaitProductsOp : Tile_Op<"await_products", [MemoryEffects<[MemRead, MemWrite]>, AllTypesMatch<["sums", "result"]>]> {
  let summary = "waits until at most `left` of the products that the waves have issued are not complete";
  let arguments = (ins AnyTile:$sums, I64Attr:$left);
  let results = (outs AnyTile:$result);
  let assemblyFormat = "$sums `left` $left attr-dict `:` type($sums)";
  let hasVerifier = 1;
}

#endif
