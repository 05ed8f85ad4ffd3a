// Loads, stores and atomics of one tile. Not collectives, not synchronisation.
#ifndef TILEC_TILE_MEMORY_OPS
#define TILEC_TILE_MEMORY_OPS

include "dialect/TileAttrs.td"
include "dialect/TileInterfaces.td"
include "dialect/TileTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Tile_AccessOp<string mnemonic, list<Trait> traits, list<string> methods = []>
    : Tile_Op<mnemonic, !listconcat(traits, [AttrSizedOperandSegments,
                                             DeclareOpInterfaceMethods<Tile_AccessOpInterface, methods>])> {
  let hasVerifier = 1;
}

def Tile_LoadOp : Tile_AccessOp<"load", [MemoryEffects<[MemRead]>, Tile_ShapedOpInterface]> {
  let summary = "tile of a buffer";
  let description = [{
    Complete when the tile's elements are in registers. The index is in tile coordinates of the view (index times tile
    shape); `at (..)` gives element offsets instead, which may be negative. Outside the view the element is zero, or
    `else`. `from %r` addresses rank r's copy. The tile may have a lower rank than the buffer: leading dimensions are then
    indexed by element. The load sees every store published before the waits named by `after`.

        %t = tile.load %a[%m, %k] tile [128, 64] from %r : memref<?x8192xbf16, #tile.symmetric> -> tensor<128x64xbf16>
  }];
  let arguments = (ins AnyBuffer:$buffer, Variadic<Index>:$indices, Optional<Index>:$from,
                       Optional<AnyElement>:$otherwise, Variadic<Tile_Token>:$after,
                       Tile_TileShape:$tile, UnitAttr:$at);
  let results = (outs AnyTile:$result);
  let assemblyFormat = [{
    $buffer custom<Coordinates>($indices, $at) `tile` custom<TileShape>($tile) (`from` $from^)?
    (`else` $otherwise^ `:` type($otherwise))? (`after` $after^)? attr-dict `:` type($buffer) `->` type($result)
  }];
}

def Tile_StoreOp : Tile_AccessOp<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "writes a tile into a buffer";
  let description = [{
    Not complete until a signal that names its token has published it, or the statement has ended. Elements outside the
    view are dropped. `to %r` addresses rank r's copy.

        tile.store %t, %c[%m, %n] to %r : tensor<128x64xbf16>, memref<?x4096xbf16, #tile.symmetric>
  }];
  let arguments = (ins AnyTile:$value, AnyBuffer:$buffer, Variadic<Index>:$indices, Optional<Index>:$to,
                       Variadic<Tile_Token>:$after, UnitAttr:$at);
  let results = (outs Optional<Tile_Token>:$token);
  let assemblyFormat = [{
    $value `,` $buffer custom<Coordinates>($indices, $at) (`to` $to^)? (`after` $after^)? attr-dict
    `:` type($value) `,` type($buffer) (`->` type($token)^)?
  }];
}

def Tile_AtomicOp : Tile_AccessOp<"atomic", [MemoryEffects<[MemRead, MemWrite]>], ["getCommutation"]> {
  let summary = "combines a tile into a buffer, element by element";
  let description = [{
    Relaxed; elements outside the view are dropped. `on %r` addresses rank r's copy. Elements are f32, bf16, f16, i32 or i64; the kind is
    `add`, `maximum` or `minimum`. Float `add` is `unordered`: the sum's rounding depends on the order of arrival. Each sum of bf16 or f16 is rounded as it is
    stored: memory adds bf16 by itself on sm_90a, else threads swap words. The other half of a word keeps its bits.

        tile.atomic add %t, %c[%m, %n] on %r : tensor<64x64xf32>, memref<?x4096xf32, #tile.symmetric>
  }];
  let arguments = (ins Tile_Reduction:$kind, AnyTile:$value, AnyBuffer:$buffer, Variadic<Index>:$indices,
                       Optional<Index>:$on, Variadic<Tile_Token>:$after, UnitAttr:$at);
  let results = (outs Optional<Tile_Token>:$token);
  let assemblyFormat = [{
    $kind $value `,` $buffer custom<Coordinates>($indices, $at) (`on` $on^)? (`after` $after^)? attr-dict
    `:` type($value) `,` type($buffer) (`->` type($token)^)?
  }];
}

#endif
