// Tiles whose words are their own arrival flags: a store without a signal, a load without a wait.
#ifndef TILEC_TILE_POST_OPS
#define TILEC_TILE_POST_OPS

include "dialect/TileMemoryOps.td"

def Tile_PostOp : Tile_AccessOp<"post", [MemoryEffects<[MemRead, MemWrite]>, Tile_Synchronizes, Tile_CarriesFlags]> {
  let summary = "stores a tile on a rank, in words that are their own arrival flags";
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

class Tile_ReceiveBase<string mnemonic> : Tile_AccessOp<mnemonic, [MemoryEffects<[MemRead, MemWrite]>, Tile_Synchronizes, Tile_CarriesFlags]> {
  let extraClassDeclaration = [{
    /// Of all tiles it gives.
    ::mlir::RankedTensorType getTileType() { return ::llvm::cast<::mlir::RankedTensorType>(getOperation()->getResult(0).getType()); }
  }];
}

def Tile_ReceiveOp : Tile_ReceiveBase<"receive"> {
  let summary = "waits for a tile that a rank posts to this one, and takes it";
  let description = [{
    The first index of the buffer, and of the signal, is the rank that posts. Each thread loads its words until none is 0, and leaves 0 in their place. Nothing
    that others stored beside the tile is visible for it. In a launch each tile is posted once and received once, by a layout in which each element has one
    thread.

        %t = tile.receive %slots[%source, %m, %n, %zero] as %arrived[%m, %n] : memref<4x1x32x1024xbf16, #tile.symmetric>, !tile.signals<3> -> tensor<1024xbf16>
  }];
  let arguments = (ins AnyBuffer:$buffer, Variadic<Index>:$indices, Tile_Signals:$signals, Variadic<Index>:$signal);
  let results = (outs AnyTile:$result);
  let assemblyFormat = [{
    $buffer `[` $indices `]` `as` $signals `[` $signal `]` attr-dict `:` type($buffer) `,` type($signals) `->` type($result)
  }];
}

def Tile_ReceiveAllOp : Tile_ReceiveBase<"receive_all"> {
  let summary = "takes the tiles that all other ranks post to this one";
  let description = [{
    As `tile.receive` of each of them, but all are asked for together. It gives those of the other ranks, from the next one on. With `beside`, a tile of this
    rank's own, it gives those of all ranks by their numbers. The first index of the buffer is 0.

        %t:3 = tile.receive_all %slots[%zero, %m, %n, %zero] as %arrived[%m, %n] : memref<4x1x32x1024xbf16, #tile.symmetric>, !tile.signals<3> -> tensor<1024xbf16>, tensor<1024xbf16>, tensor<1024xbf16>
  }];
  let arguments = (ins AnyBuffer:$buffer, Variadic<Index>:$indices, Optional<AnyTile>:$own, Tile_Signals:$signals,
                       Variadic<Index>:$signal);
  let results = (outs Variadic<AnyTile>:$tiles);
  let assemblyFormat = [{
    $buffer `[` $indices `]` (`beside` $own^ `:` type($own))? `as` $signals `[` $signal `]` attr-dict `:` type($buffer) `,` type($signals)
    `->` type($tiles)
  }];
}

#endif
