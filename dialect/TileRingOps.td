// The asynchronous form of a loop over K: operands are fetched ahead of their products. What `schedule` makes.
#ifndef TILEC_TILE_RING_OPS
#define TILEC_TILE_RING_OPS

include "dialect/TileAttrs.td"
include "dialect/TileInterfaces.td"
include "dialect/TileTypes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_RegularOp : Tile_Op<"regular", [Pure, AttrSizedOperandSegments]> {
  let summary = "whether tiles of a buffer can be fetched";
  let description = [{
    True when the rows of the tiles begin at multiples of `vector` elements, elements of a row lie side by side, and the rows
    of one tile (`by_rows`: all rows of the buffer) span less than 2 GiB. The same in all threads of a workgroup. The indices are tile coordinates, as those of a `tile.fetch`.
    `across`: for tiles of which each fetch takes other rows, so that all rows of the buffer span less, and columns are a multiple of `vector`.

        %regular = tile.regular %a[%m, %k] tile [128, 32] vector 8 from %r : memref<?x8192xbf16, #tile.symmetric>
  }];
  let arguments = (ins AnyBuffer:$buffer, Variadic<Index>:$indices, Optional<Index>:$from, DenseI64ArrayAttr:$tile,
                       I64Attr:$vector, UnitAttr:$across, UnitAttr:$by_rows);
  let results = (outs I1:$result);
  let assemblyFormat = [{
    $buffer `[` $indices `]` `tile` $tile `vector` $vector (`across` $across^)? (`by_rows` $by_rows^)? (`from` $from^)? attr-dict
    `:` type($buffer)
  }];
  let hasVerifier = 1;
}

def Tile_FetchOp : Tile_Op<"fetch", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>,
                                     DeclareOpInterfaceMethods<Tile_AccessOpInterface>]> {
  let summary = "tile of a loop over the columns of a buffer, or over its rows";
  let description = [{
    A `tile.load` of a matrix where `tile.regular` holds and whose columns all lie in the view; rows outside of the view are
    zero. What the fetches of one loop have in common (addresses, the end of the view) is computed before the loop. With `by_rows` the
    loop is over the rows, all of which lie in the view; there columns outside of it are zero, and need not all lie in it.

        %t = tile.fetch %a[%m, %k] from %r after %arrived : memref<?x8192xbf16, #tile.symmetric> -> tensor<128x32xbf16, #rows>

    `across`: the transpose of the tile at these indices, for an operand that lies K x M or K x N in memory. Its rows all lie in the view, and columns outside of the
    view are zero.

        %t = tile.fetch %b[%k, %n] across : memref<8192x?xbf16> -> tensor<128x32xbf16, #columns>
  }];
  let arguments = (ins AnyBuffer:$buffer, Variadic<Index>:$indices, Optional<Index>:$from, Variadic<Tile_Token>:$after,
                       UnitAttr:$across, UnitAttr:$by_rows);
  let results = (outs AnyTile:$result);
  let assemblyFormat = [{
    $buffer `[` $indices `]` (`across` $across^)? (`by_rows` $by_rows^)? (`from` $from^)? (`after` $after^)? attr-dict
    `:` type($buffer) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_CopyAsyncOp : Tile_Op<"copy_async", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>,
                                              DeclareOpInterfaceMethods<Tile_AccessOpInterface>]> {
  let summary = "fills a slot of a ring from a buffer, past the registers";
  let description = [{
    The tile at the indices, as `tile.fetch` takes it, lands in the slot at any time until a `tile.await` of the threads that issued the
    copy; other threads see it after they have met behind that.

        tile.copy_async %a[%m, %k] -> %ring[%slot] after %arrived : memref<?x8192xbf16>, memref<4x256x32xbf16, #tile.shared<8, 2, 4>>

    A copy that says so to `full` is made by the machine's copy engine for the whole workgroup: columns outside of the view are
    zero too, and who awaits the slot by `tile.await_full` sees it, without a meeting. The buffer of such a copy may have a dimension more, whose
    index comes first. With `by_rows` a loop goes down the rows.

        tile.copy_async %k[%head, %n, %zero] by_rows -> %ring[%slot] full %full : memref<?x?x128xbf16>, memref<3x128x128xbf16, #tile.shared<8, 1, 8 panel 64>>

    Slots of several panels have whole ones: of a tile that has fewer columns, `columns` says how many, and the rest of the last panel is filled with what lies behind them.

        tile.copy_async %b[%k, %n] columns 224 by_rows -> %ring[%slot] full %full : memref<?x?xbf16>, memref<4x64x256xbf16, #tile.shared<8, 1, 8 panel 64>>

    `read_once` is a hint to the caches: nobody else reads what such a copy brings, and what others read should stay before it.

        tile.copy_async %b[%n, %k] read_once -> %ring[%slot] full %full : memref<?x?xbf16>, memref<8x64x64xbf16, #tile.shared<8, 1, 8>>

    `halved`: in a kernel of pairs of workgroups each brings half of the rows, to the slots of both.

        tile.copy_async %b[%n, %k] halved -> %ring[%slot] full %full : memref<?x?xbf16>, memref<4x256x64xbf16, #tile.shared<8, 1, 8>>

    A slot of one dimension takes a run of elements that lie side by side, a part of the last dimension of a buffer.

        tile.copy_async %slots[%m, %n, %part] -> %parts[%slot] full %full : memref<16x32x32768xbf16>, memref<4x16384xbf16, #tile.shared<1, 1, 1>>
  }];
  let arguments = (ins AnyBuffer:$buffer, Variadic<Index>:$indices, Optional<Index>:$from, Variadic<Tile_Token>:$after,
                       AnyBuffer:$ring, Index:$slot, Optional<Tile_Full>:$full, UnitAttr:$by_rows, UnitAttr:$read_once, UnitAttr:$halved,
                       OptionalAttr<I64Attr>:$columns);
  let extraClassDeclaration = [{
    /// Whether slots take runs of elements, and no boxes of a matrix.
    bool copiesRuns() { return ::llvm::cast<::mlir::MemRefType>(getRing().getType()).getRank() == 2; }
    /// Rows and columns of the tile, of which the last dimension of the slot has whole panels.
    ::llvm::SmallVector<int64_t> getTileShape();
  }];
  let assemblyFormat = [{
    $buffer `[` $indices `]` (`columns` $columns^)? (`by_rows` $by_rows^)? (`read_once` $read_once^)? (`halved` $halved^)? (`from` $from^)? `->` $ring `[` $slot `]` (`after` $after^)? (`full` $full^)? attr-dict
    `:` type($buffer) `,` type($ring)
  }];
  let hasVerifier = 1;
}

def Tile_AwaitOp : Tile_Op<"await", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until at most `left` of the memory accesses that a wave has issued are not complete";
  let description = [{
    They complete in the order in which they were issued, but what a copy brings may land in any order. Reads of LDS are all complete behind it.
    A copy counts as many accesses as each wave issues for it. Without `left`: until all has landed that is read from slots behind it, up to the next
    `tile.await`; `count` says how many accesses that leaves.

        tile.await left 8
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$left);
  let assemblyFormat = "(`left` $left^)? attr-dict";
  let hasVerifier = 1;
}

def Tile_MeetOp : Tile_Op<"meet", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the waves of the workgroup meet; what is in flight stays so";
  let assemblyFormat = "attr-dict";
}

def Tile_PriorityOp : Tile_Op<"priority", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "which waves of a SIMD issue first, where several could: those of the highest of 4 levels";
  let description = "Level 0 is what a wave begins with. It changes no result.";
  let arguments = (ins I64Attr:$level);
  let assemblyFormat = "$level attr-dict";
  let hasVerifier = 1;
}

def Tile_PlacesOp : Tile_Op<"places", [SingleBlock, RecursiveMemoryEffects]> {
  let summary = "matrix instructions, and accesses at even distances among them";
  let description = [{
    The products (`tile.dot`) of the region are issued in their order, its accesses (`tile.shared_load`, `tile.shared_store`,
    `tile.fetch`, `tile.copy_async`) in theirs, each behind its share of the matrix instructions. No product uses what an access of the same region
    yields: that is for the next step. An access may overwrite the registers that an earlier access of the region has
    stored to LDS.

        %next, %a1 = tile.places -> tensor<128x128xf32, #sums>, tensor<128x32xbf16, #lhs> {
          %sum = tile.dot %a0, transpose %b0, %acc {instruction = "Mfma16x16x16"} : ...
          %read = tile.shared_load %a_ring[%following] : ...
          tile.placed %sum, %read : ...
        }
  }];
  let results = (outs Variadic<AnyTile>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "(`->` type($results)^)? attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Tile_PlacedOp : Tile_Op<"placed", [Pure, Terminator, HasParent<"PlacesOp">]> {
  let summary = "ends the region of a `tile.places` with its results";
  let arguments = (ins Variadic<AnyTile>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Tile_StepsOp : Tile_Op<"steps", [SingleBlock, RecursiveMemoryEffects, AttrSizedOperandSegments,
                                     AllTypesMatch<["inits", "results"]>]> {
  let summary = "loop over the steps of a product whose operands lie in the slots of rings";
  let description = [{
    The region has the number of the step, `from` (0 without) to `count` - 1, the slot of that step, its number modulo `slots`, and the tiles
    that the step before left in registers; `tile.next` hands tiles on. The slot is a constant of the text: the loop is unrolled by it.
    `from` is a multiple of `slots`: where the steps of another `tile.steps` ended, which the rings then have not noticed.

    Where the steps are `alternating`, the second half of the waves is one `tile.meet` (or `tile.barrier`) behind the first in all of them: it
    meets once more before them, and the first half once more behind them. What a wave has done is then settled for the others behind the second
    meeting that follows.

        %sum, %a, %b = tile.steps %count slots 2 carries(%zero, %a0, %b0 : ...) {
        ^bb0(%k: index, %slot: index, %acc: ..., %lhs: ..., %rhs: ...):
          tile.barrier
          ...
          tile.next %next, %lhs1, %rhs1 : ...
        }
  }];
  let arguments = (ins Optional<Index>:$from, Index:$count, I64Attr:$slots, UnitAttr:$alternating,
                       Variadic<AnyTile>:$inits);
  let results = (outs Variadic<AnyTile>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`from` $from^ `to`)? $count `slots` $slots (`alternating` $alternating^)? (`carries` `(` $inits^ `:` type($inits) `)`)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::BlockArgument getStep() { return getBody().getArgument(0); }
    ::mlir::BlockArgument getSlot() { return getBody().getArgument(1); }
    ::mlir::Block::BlockArgListType getCarried() { return getBody().getArguments().drop_front(2); }
  }];
}

def Tile_NextOp : Tile_Op<"next", [Pure, Terminator, ParentOneOf<["StepsOp", "StreamOp"]>]> {
  let summary = "ends a step of a `tile.steps` or `tile.stream` with what the next one gets";
  let arguments = (ins Variadic<AnyTile>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif
