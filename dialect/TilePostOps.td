// Tiles whose words tell of themselves that they have come: a store without a signal, a load without a wait.
#ifndef TILEC_TILE_POST_OPS
#define TILEC_TILE_POST_OPS

include "dialect/TileMemoryOps.td"

def Tile_PostOp : Tile_AccessOp<"post", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "stores a tile on a rank, in words that tell of themselves";
  let description = [{
    The buffer is persistent scratch, and 0 wherever no tile has been posted that is not received yet. No word is stored as 0: one whose elements are all
    +0.0 begins with -0.0. So a word that is not 0 has come. It publishes nothing but itself. The signal is a name: nobody raises it; it says which
    `tile.receive` the tile is for, and failures name it.

        tile.post %t, %slots[%m, %n, %zero] to %r as %arrived[%rank, %m, %n] : tensor<1024xbf16>, memref<1x32x1024xbf16, #tile.symmetric>, !tile.signals<3>
  }];
  let arguments = (ins AnyTile:$value, AnyBuffer:$buffer, Variadic<Index>:$indices, Index:$to, Tile_Signals:$signals,
                       Variadic<Index>:$signal);
  let assemblyFormat = [{
    $value `,` $buffer `[` $indices `]` `to` $to `as` $signals `[` $signal `]` attr-dict
    `:` type($value) `,` type($buffer) `,` type($signals)
  }];
}

def Tile_ReceiveOp : Tile_AccessOp<"receive", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits for a tile that is posted to this rank, and takes it";
  let description = [{
    Each thread loads its words again until none is 0, and leaves 0 in their place. Nothing that others stored beside the tile is visible for it. In a launch
    each tile is posted once and received once, by a layout in which each element has one thread.

        %t = tile.receive %slots[%m, %n, %zero] as %arrived[%source, %m, %n] : memref<1x32x1024xbf16, #tile.symmetric>, !tile.signals<3> -> tensor<1024xbf16>
  }];
  let arguments = (ins AnyBuffer:$buffer, Variadic<Index>:$indices, Tile_Signals:$signals, Variadic<Index>:$signal);
  let results = (outs AnyTile:$result);
  let assemblyFormat = [{
    $buffer `[` $indices `]` `as` $signals `[` $signal `]` attr-dict `:` type($buffer) `,` type($signals) `->` type($result)
  }];
}

#endif
