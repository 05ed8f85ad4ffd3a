// The kernel form: kernels, roles, signals and waits; and the forms a tile takes inside a kernel (layouts, LDS).
#ifndef TILEC_TILE_KERNEL_OPS
#define TILEC_TILE_KERNEL_OPS

include "dialect/TileAttrs.td"
include "dialect/TileInterfaces.td"
include "dialect/TileTypes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_KernelOp : Tile_Op<"kernel", [Symbol, HasParent<"ProgramOp">, NoTerminator, SingleBlock]> {
  let summary = "one launch on every rank";
  let description = [{
    A list of roles. Roles with `on N workgroups` have N workgroups of their own; the others share the rest. Workgroups join
    in order of arrival: those of the first role that has its own, then the next, in the order of the text. A workgroup
    of the pool takes tasks of the pool's roles in the order of the text, by ticket, so that nobody waits for a later ticket.
    Launches of one rank follow each other; nothing orders launches of different ranks but signals.

        tile.kernel @gather_then_multiply {
          tile.role @send on 8 workgroups { ... }
          tile.role @multiply { ... }
        }

    `dealing = #tile<dealing strided>` deals tasks out by the number of the workgroup instead of by ticket: for a kernel with one
    group of workgroups and one tile loop, none of whose tasks waits for another.

    `verify` sets `progress`: `any` when the kernel ends with any number of resident workgroups, `resident` when it takes
    `resident` of them, `all` when every workgroup of the launch must be resident, at least `resident` of them.

    `schedule` gives a kernel a `producer`: waves behind its `waves` that fill the slots of its streams.

    `engine`: roles of the copy engine, which `partition` takes out of the kernel that follows; they run beside that one.

    `apart`: roles with workgroups of their own become a kernel of their own (`partition`). `beside`: that kernel, which runs beside the one behind it: the two
    are one launch, whose first workgroups are those of the kernel beside. Words of signals, tickets and turns are those of the launch.

    `most_workgroups`: no more are launched, though more were resident.

    `pairs`: workgroups 2 n and 2 n + 1 are resident together. Their tasks, by number, are in pairs too, in which a `halved` copy is of the same
    tile: each workgroup brings half of it to both, and both release the slots of both. There is an even number of tasks, and of workgroups.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<I64Attr>:$waves, OptionalAttr<I64Attr>:$shared_bytes,
                       DefaultValuedAttr<Tile_Dealing, "::tilec::tile::Dealing::Ticketed">:$dealing,
                       OptionalAttr<Tile_Progress>:$progress, OptionalAttr<I64Attr>:$resident,
                       OptionalAttr<Tile_Producer>:$producer, UnitAttr:$engine, OptionalAttr<I64Attr>:$most_workgroups, UnitAttr:$pairs, UnitAttr:$apart,
                       UnitAttr:$beside);
  let regions = (region SizedRegion<1>:$body);
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name)>];
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tile_RoleOp : Tile_Op<"role", [HasParent<"KernelOp">, NoTerminator, SingleBlock, Tile_ScheduledOpInterface]> {
  let summary = "what some workgroups of a kernel do";
  let description = [{
    Syntax:

        operation ::= `tile.role` symbol-name (`first` | `last` | `on` integer `workgroups`)?
                      (`attributes` attribute-dict)? region

    Operations outside a `tile.forall` run once on every workgroup of the role, before its tasks (a wait here protects all
    tasks of the role). `first` roles run once per launch, on the workgroup that arrives first, before its other work;
    `last` roles once, on the workgroup that leaves last, after everything else on this rank.

    `beside`: the second wave of the producer of every workgroup does the role, while the other waves do those behind it. It draws the tasks by
    itself, and moves tiles, waits and signals alone.

        tile.role @enter first { ... }
        tile.role @send on 8 workgroups {
          tile.forall (%r, %m) in [W, %M ceildiv 64] { ... }
        }
        tile.role @send attributes {beside} {
          tile.forall (%r, %m) in [W, %M ceildiv 64] { ... tile.relay ... }
        }

    `engine`: the one workgroup of the role is the device's copy engine. It does the tasks in their order from where the kernel begins, copies from
    this rank's memory and signals, and waits for nothing: what it would have to wait for, a kernel before waits for. The next kernel comes behind all that
    it does; the `last` role of this one does not.

        tile.role @send on 1 workgroups attributes {engine} {
          tile.forall (%r, %m) in [W, %M ceildiv 2048] { ... }
        }

    `schedule`: how its products run, as `choose` has written it of the statement that the role was.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, DefaultValuedAttr<Tile_Turn, "::tilec::tile::Turn::Each">:$turn,
                       OptionalAttr<I64Attr>:$workgroups, UnitAttr:$beside, UnitAttr:$engine,
                       OptionalAttr<Tile_Schedule>:$schedule);
  let regions = (region SizedRegion<1>:$body);
  let builders = [OpBuilder<(ins "::mlir::StringAttr":$name, "TurnAttr":$turn, "::mlir::IntegerAttr":$workgroups), [{
    build($_builder, $_state, name, turn, workgroups, /*beside=*/::mlir::UnitAttr(), /*engine=*/::mlir::UnitAttr(),
          /*schedule=*/ScheduleAttr());
  }]>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_SignalsOp : Tile_Op<"signals", [HasParent<"ProgramOp">, MemoryEffects<[MemAlloc]>]> {
  let summary = "declares a grid of signals, one grid on every rank";
  let description = [{
    Sizes are expressions as in the header of a `tile.program`, one for each index. `handshake` says of the signals that `waits`
    makes for the edges of a launch what a rank tells its peers with them: that it has `entered`, that it is `done` with their
    arguments, that it has `consumed` a copy of a scratch buffer. `counted`: signals of this rank's own tasks count in a word, and the copy engine of
    the rank takes what they have counted (`tile.take_counted`). `by_chiplet`: each word is raised by one task of this rank, and every wait is for all
    of them; so tasks need not release one by one. They count on their chiplet, and the last one of those that have begun there releases for all of them.

        %sent = tile.signals [W, %M ceildiv 64] : !tile.signals<2>
        %done = tile.signals [W] handshake done : !tile.signals<1>
        %parts = tile.signals [W, 4] counted : !tile.signals<2>
        %tiles = tile.signals [%M ceildiv 64, 4] by_chiplet : !tile.signals<2>
  }];
  let arguments = (ins Variadic<Index>:$extents, AffineMapAttr:$sizes, Tile_Params:$params,
                       OptionalAttr<Tile_Handshake>:$handshake, UnitAttr:$counted, UnitAttr:$by_chiplet);
  let results = (outs Tile_Signals:$result);
  let assemblyFormat = [{
    custom<Extents>($extents, $sizes, $params) (`handshake` $handshake^)? (`counted` $counted^)? (`by_chiplet` $by_chiplet^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_SignalOp : Tile_Op<"signal", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>, Tile_Synchronizes]> {
  let summary = "raises one signal on a rank to this launch's epoch";
  let description = [{
    Executed by the whole workgroup. When the signal is raised, the stores named by `publishes`, by all threads of the
    workgroup, are visible to whoever waits for it, at the scope; every access of the task that precedes it has been done.
    `by wave`: a wave raises it as soon as its own stores are done, without a barrier with other waves. It publishes that
    wave's stores alone, so the kernel has `waves = 1`.
    Of a `counted` grid it adds one to a word of this rank.

        tile.signal system %sent[%rank, %m] to %r publishes %stored : !tile.signals<2>
        tile.signal system by wave %sent[%rank, %m] to %r publishes %stored : !tile.signals<2>
  }];
  let arguments = (ins Tile_Scope:$scope, Tile_Signals:$signals, Variadic<Index>:$indices, Index:$to,
                       Variadic<Tile_Token>:$publishes,
                       DefaultValuedAttr<Tile_Participants, "::tilec::tile::Participants::Workgroup">:$participants);
  let assemblyFormat = [{
    $scope (`by` $participants^)? $signals `[` $indices `]` `to` $to (`publishes` $publishes^)? attr-dict
    `:` type($signals)
  }];
  let hasVerifier = 1;
}

def Tile_WaitOp : Tile_Op<"wait", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>, Tile_Synchronizes]> {
  let summary = "waits until every signal of a box of this rank's grid has been raised in this launch";
  let description = [{
    Executed by the whole workgroup. The box starts at the index and extends by `count` (1 in every dimension without it).
    `lag` L waits for the epoch L launches earlier. The result orders the accesses that name it after everything that the
    awaited signals publish, at the scope.
    `by wave`: each wave of the workgroup waits for itself, without a barrier with other waves. Its token orders, in each
    wave, that wave's part of the accesses that name it; other waves may still be waiting.

        %t = tile.wait system %sent[%zero, %m] count [%w, %one] : !tile.signals<2>
        %u = tile.wait system by wave %sent[%zero, %m] lag 2 : !tile.signals<2>
  }];
  let arguments = (ins Tile_Scope:$scope, Tile_Signals:$signals, Variadic<Index>:$indices, Variadic<Index>:$counts,
                       DefaultValuedAttr<I64Attr, "0">:$lag,
                       DefaultValuedAttr<Tile_Participants, "::tilec::tile::Participants::Workgroup">:$participants);
  let results = (outs Tile_Token:$token);
  let assemblyFormat = [{
    $scope (`by` $participants^)? $signals `[` $indices `]` (`count` `[` $counts^ `]`)? (`lag` $lag^)? attr-dict
    `:` type($signals)
  }];
  let hasVerifier = 1;
}

def Tile_ArriveOp : Tile_Op<"arrive", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "counts a task of this rank; true of the one that comes last, which sees what they stored";
  let description = [{
    Executed by the whole workgroup, in a task. `of` tasks of a launch arrive at each word of the grid; which of them comes last is not known
    before. Their stores that `publishes` names are visible, in that task, to accesses that name the token. The word is ready for the next launch
    then, and no signal or wait uses its grid.

    One `scf.if` asks who is last, at the end of the task. What it does is the same whichever task does it: it uses numbers that all who arrive at the
    word have alike, and no tile of its task.

        %last, %parts = tile.arrive %done[%m, %n] of %four publishes %stored : !tile.signals<2>
        scf.if %last {
          %t = tile.load %sums[%zero, %m, %n] tile [64, 64] after %parts : memref<4x?x?xf32> -> tensor<64x64xf32>
          ...
        }
  }];
  let arguments = (ins Tile_Signals:$signals, Variadic<Index>:$indices, Index:$count, Variadic<Tile_Token>:$publishes,
                       DefaultValuedAttr<Tile_Participants, "::tilec::tile::Participants::Workgroup">:$participants);
  let results = (outs I1:$last, Tile_Token:$token);
  let assemblyFormat = [{
    (`by` $participants^)? $signals `[` $indices `]` `of` $count (`publishes` $publishes^)? attr-dict `:` type($signals)
  }];
  let hasVerifier = 1;
}

def Tile_JoinOp : Tile_Op<"join", [Pure]> {
  let summary = "combines tokens; without operands, a token that orders nothing";
  let description = [{
    What is ordered after the result is ordered after everything that any of the operands orders.

        %both = tile.join(%first, %second)
  }];
  let arguments = (ins Variadic<Tile_Token>:$tokens);
  let results = (outs Tile_Token:$result);
  let assemblyFormat = "`(` $tokens `)` attr-dict";
}

def Tile_ConvertOp : Tile_Op<"convert", [Pure]> {
  let summary = "same tile in another layout";
  let description = [{
    Inserted by `layout`. `stage` sends it through LDS, unless every element stays in its thread, and all threads have it in the
    same registers: then it remains, a renaming of registers.
  }];
  let arguments = (ins AnyTile:$operand);
  let results = (outs AnyTile:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_RelabelOp : Tile_Op<"relabel", [Pure]> {
  let summary = "what each thread holds, as elements of a tile of another shape";
  let description = [{
    Inserted by `pack`. Register r of each thread stays register r: it is the element that the result's layout names there. So the elements of
    a tile come to lie behind each other in the order in which threads hold them. Costs nothing.

        %run = tile.relabel %sums : tensor<128x256xbf16, #sums> -> tensor<32768xbf16, #packed>
  }];
  let arguments = (ins AnyTile:$operand);
  let results = (outs AnyTile:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_SharedBufferOp : Tile_Op<"shared_buffer", [MemoryEffects<[MemAlloc]>]> {
  let summary = "buffer in LDS, of one workgroup";
  let description = [{
    The leading dimension, where there is one more than the tile has, counts the copies of a multi-buffered tile. `offset`
    is in bytes from the start of dynamic LDS; `allocate` sets it. The bytes of one that is `kept` are nobody else's, from the start of
    the kernel to its end. One that lies `over` another, which is kept, has the bytes of that one, slot by slot: the same waits and releases keep
    the accesses to both apart.

        %parts = tile.shared_buffer over %b_ring : memref<4x256x64xbf16, #ring> : memref<4x16384xbf16, #tile.shared<1, 1, 1>>
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset, UnitAttr:$kept, Optional<AnyBuffer>:$over);
  let results = (outs AnyBuffer:$result);
  let assemblyFormat = "(`at` $offset^)? (`kept` $kept^)? (`over` $over^ `:` type($over))? attr-dict `:` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Type":$type, "::mlir::IntegerAttr":$offset, "bool":$kept),
                            [{ build($_builder, $_state, type, offset, kept, ::mlir::Value()); }]>];
  let hasVerifier = 1;
}

def Tile_SharedStoreOp : Tile_Op<"shared_store", [MemoryEffects<[MemWrite]>]> {
  let summary = "registers to LDS; visible to the workgroup after the next `tile.barrier`";
  let description = "`transposed`: element (i, j) of the tile is element (j, i) of the buffer.";
  let arguments = (ins AnyTile:$value, AnyBuffer:$buffer, Optional<Index>:$copy, UnitAttr:$transposed);
  let assemblyFormat = [{
    $value `,` (`transposed` $transposed^)? $buffer (`[` $copy^ `]`)? attr-dict `:` type($value) `,` type($buffer)
  }];
  let hasVerifier = 1;
}

def Tile_SharedLoadOp : Tile_Op<"shared_load", [MemoryEffects<[MemRead]>]> {
  let summary = "LDS to registers, in the layout of the result";
  let description = "`transposed`: element (i, j) of the tile is element (j, i) of the buffer.";
  let arguments = (ins AnyBuffer:$buffer, Optional<Index>:$copy, UnitAttr:$transposed);
  let results = (outs AnyTile:$result);
  let assemblyFormat = [{
    (`transposed` $transposed^)? $buffer (`[` $copy^ `]`)? attr-dict `:` type($buffer) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_RearrangeOp : Tile_Op<"rearrange", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "same tile in another layout, in which each wave holds what it held";
  let description = [{
    By way of LDS: `scratch` has room for a part of the tile, some columns of all rows or some rows of all columns, and parts follow
    each other through it. Waves do not meet. No other operation uses these bytes, but for others of this kind whose tiles have the same waves.

        %wide = tile.rearrange %out, %scratch : tensor<128x256xbf16, #sums>, memref<128x64xbf16, #lds> -> tensor<128x256xbf16, #rows>
  }];
  let arguments = (ins AnyTile:$operand, AnyBuffer:$scratch);
  let results = (outs AnyTile:$result);
  let assemblyFormat = "$operand `,` $scratch attr-dict `:` type($operand) `,` type($scratch) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_BarrierOp : Tile_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "barrier of all threads of the workgroup, which orders their LDS and memory accesses";
  let assemblyFormat = "attr-dict";
}

#endif
