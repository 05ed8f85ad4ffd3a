// Accesses whose place is data, and numbers that are: gather, scatter, read, clamp. Not plain accesses, not collectives.
#ifndef TILEC_TILE_IRREGULAR_OPS
#define TILEC_TILE_IRREGULAR_OPS

include "dialect/TileAttrs.td"
include "dialect/TileInterfaces.td"
include "dialect/TileTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Tile_IrregularOp<string mnemonic, list<Trait> traits>
    : Tile_Op<mnemonic, !listconcat(traits, [AttrSizedOperandSegments,
                                             DeclareOpInterfaceMethods<Tile_AccessOpInterface, ["getEachDim"]>])> {
  let hasVerifier = 1;
}

// What stands between the brackets: an index for each dimension, one of them a tile.
def Tile_EachIndex : AnyTypeOf<[Index, AnyTile], "index or tile of indices">;

def Tile_GatherOp : Tile_IrregularOp<"gather", [MemoryEffects<[MemRead]>, Tile_ShapedOpInterface]> {
  let summary = "tile of a buffer whose elements along one dimension are named by a tile of indices";
  let description = [{
    The indices are those of a `tile.load`, but for one: `each` stands before a tile of i32 with one dimension, in the place of the
    dimension whose elements it names. Element i of the result along that dimension is element `ids[i]` of the view; one index names elements,
    not tiles. An index that is negative or too large reads zero, or `else`, and touches no memory. All other indices count tiles, or elements
    with `at (..)`.

    Which elements are read is data. Waits and the proof of them therefore take the whole dimension of the view; what writes the buffer
    in the same kernel is awaited before the first gather. `tile-waits` says so in a remark.

        %rows = tile.gather %table[each %ids, %n] tile [64, 128] : memref<?x?xbf16>, tensor<64xi32> -> tensor<64x128xbf16>
  }];
  let arguments = (ins AnyBuffer:$buffer, Variadic<Tile_EachIndex>:$indices, Optional<Index>:$from,
                       Optional<AnyElement>:$otherwise, Variadic<Tile_Token>:$after,
                       Tile_TileShape:$tile, I64Attr:$each, UnitAttr:$at);
  let results = (outs AnyTile:$result);
  let assemblyFormat = [{
    $buffer custom<EachCoordinates>($indices, $each, $at) `tile` custom<TileShape>($tile) (`from` $from^)?
    (`else` $otherwise^ `:` type($otherwise))? (`after` $after^)? attr-dict
    `:` type($buffer) `,` custom<EachTypes>(ref($indices), ref($each), type($indices)) `->` type($result)
  }];
}

def Tile_ScatterOp : Tile_IrregularOp<"scatter", [MemoryEffects<[MemWrite]>]> {
  let summary = "writes a tile into a buffer, along one dimension where a tile of indices says";
  let description = [{
    The counterpart of `tile.gather`: row i of the tile goes to row `slots[i]` of the view, on rank r with `to %r`. An index that is negative
    or too large writes nothing. Complete and visible as a `tile.store` is.

    No element may be written twice by the tasks of a statement, of all ranks together. Whether the indices keep that is data: `verify` assumes
    it and says so, the oracle of `tilec run` refuses indices that break it, and the race check of the emulator finds two writes of one element.

        tile.scatter %rows, %sorted[each %slots, %n] : tensor<64x128xbf16>, memref<?x?xbf16>, tensor<64xi32>
        tile.scatter %rows, %theirs[each %places, %n] to %r : tensor<64x128xbf16>, memref<?x?xbf16, #tile.symmetric>, tensor<64xi32>
  }];
  let arguments = (ins AnyTile:$value, AnyBuffer:$buffer, Variadic<Tile_EachIndex>:$indices, Optional<Index>:$to,
                       Variadic<Tile_Token>:$after, I64Attr:$each, UnitAttr:$at);
  let results = (outs Optional<Tile_Token>:$token);
  let assemblyFormat = [{
    $value `,` $buffer custom<EachCoordinates>($indices, $each, $at) (`to` $to^)? (`after` $after^)? attr-dict
    `:` type($value) `,` type($buffer) `,` custom<EachTypes>(ref($indices), ref($each), type($indices)) (`->` type($token)^)?
  }];
}

def Tile_ReadOp : Tile_Op<"read", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>,
                                   DeclareOpInterfaceMethods<Tile_AccessOpInterface>]> {
  let summary = "one integer of a buffer: a bound, an index or a condition that is data";
  let description = [{
    The element at these element offsets, 0 where it is negative or lies outside of the view, `upto` where it is greater. The same in all
    threads. `verify` takes it to be any number from 0 to `upto`.

        %length = tile.read %lengths[%sequence] upto %T : memref<?xi32>
        %acc = scf.for %n = %c0 to %length step %c1 iter_args(%sum = %zero) -> tensor<64xf32> { ... }
  }];
  let arguments = (ins AnyBuffer:$buffer, Variadic<Index>:$indices, Index:$upto, Variadic<Tile_Token>:$after);
  let results = (outs Index:$result);
  let assemblyFormat = [{
    $buffer `[` $indices `]` `upto` $upto (`after` $after^)? attr-dict `:` type($buffer)
  }];
  let hasVerifier = 1;
}

def Tile_ClampOp : Tile_Op<"clamp", [Pure]> {
  let summary = "a number that a launch gives, as a bound, an index or part of a condition";
  let description = [{
    0 where the number is negative, `upto` where it is greater. `verify` takes it to be any number from 0 to `upto`, another one on each rank.

        tile.program @prefix<%T>(%length: i32, %x: memref<?xf32>) extents [%x: %T] {
          %n = tile.clamp %length upto %T : i32
          ...
        }
  }];
  let arguments = (ins AnyTypeOf<[I32, I64], "i32 or i64">:$number, Index:$upto);
  let results = (outs Index:$result);
  let assemblyFormat = "$number `upto` $upto attr-dict `:` type($number)";
}

#endif
