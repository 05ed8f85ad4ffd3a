// Computation on tiles that `arith` and `math` lack. One meaning per dtype, said here.
#ifndef TILEC_TILE_COMPUTE_OPS
#define TILEC_TILE_COMPUTE_OPS

include "dialect/TileAttrs.td"
include "dialect/TileInterfaces.td"
include "dialect/TileTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_SplatOp : Tile_Op<"splat", [Pure, Tile_ShapedOpInterface]> {
  let summary = "tile of one value";
  let description = [{
    Syntax:

        operation ::= `tile.splat` (value-name | integer | float) `[` (tile-size (`,` tile-size)*)? `]` attribute-dict?
                      `:` tensor-type
        tile-size ::= integer | symbol-name

    The value has the element type of the result. A literal may be negative; tiles of integers take an integer that fits.

        %zero = tile.splat 0.0 [@BM, @BN] : tensor<?x?xf32>
        %x = tile.splat %scale [64, 64] : tensor<64x64xf32>
  }];
  let arguments = (ins Optional<AnyElement>:$operand,
                       OptionalAttr<TypedAttrInterface>:$literal, Tile_TileShape:$tile);
  let results = (outs AnyTile:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_IotaOp : Tile_Op<"iota", [Pure, Tile_ShapedOpInterface]> {
  let summary = "tile whose elements are their coordinate in one dimension";
  let description = [{
    Elements are i32.

        %cols = tile.iota dim 1 tile [64, 64] : tensor<64x64xi32>
  }];
  let arguments = (ins I64Attr:$dim, Tile_TileShape:$tile);
  let results = (outs AnyTile:$result);
  let assemblyFormat = "`dim` $dim `tile` custom<TileShape>($tile) attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_DotOp : Tile_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc + lhs * rhs";
  let description = [{
    `lhs` is M x K, or K x M where the word `transpose` stands before it; `rhs` is K x N, or N x K where it does; `acc` is M x N. Floating-point products are exact and
    accumulate in f32 (f64 for f64 operands) in an order the target chooses; i8 and i32 accumulate in i32, i64 in i64, wrapping.
    Dots of eight-bit floats say how much of their sums a matrix instruction of the target must keep, where it can keep fewer bits than f32
    has (sm_90a: 14). `accumulate exact`: all, as of other types. `accumulate promoted`, the default: sums of at most 128 products may
    keep fewer, and are added up in f32. `accumulate fast`: any sum may keep fewer. docs/oracle.md has the bound of each.
    `instruction` names the target's matrix instruction; `layout` sets it. A dot of types or shapes for which the target
    has none is left without, and runs on the vector units.

        %next = tile.dot %ta, transpose %tb, %sum : tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x128xf32>
  }];
  let arguments = (ins AnyTile:$lhs, AnyTile:$rhs, AnyTile:$acc, UnitAttr:$transpose,
                       OptionalAttr<Tile_Accumulation>:$accumulate, OptionalAttr<StrAttr>:$instruction, UnitAttr:$lhs_transposed);
  let results = (outs AnyTile:$result);
  let assemblyFormat = [{
    (`transpose` $lhs_transposed^)? $lhs `,` (`transpose` $transpose^)? $rhs `,` $acc (`accumulate` $accumulate^)? attr-dict `:` type($lhs) `,` type($rhs) `,` type($acc)
  }];
  let extraClassDeclaration = [{
    /// What `accumulate` says, or goes without saying.
    ::tilec::tile::Accumulation accumulation();
    /// Of the left operand's dimensions that of the depth, and that of the rows.
    unsigned depthDim() { return getLhsTransposed() ? 0 : 1; }
    unsigned rowDim() { return 1 - depthDim(); }
    /// Elements that one sum has products of.
    int64_t depth() { return getLhs().getType().getDimSize(depthDim()); }
  }];
  let hasVerifier = 1;
}

def Tile_ReduceOp : Tile_Op<"reduce", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "combines a tile along one dimension, which disappears";
  let description = [{
    | kind | elements |
    |---|---|
    | `add`, `product` | floats, in an order the target chooses and in f32 at least; integers wrap |
    | `maximum`, `minimum` | floats, where a NaN wins; signed integers |
    | `and`, `or`, `xor` | integers, bit by bit; i1 among them: `and` says whether all are true, `or` whether any is |

        %row_max = tile.reduce maximum %x dim 1 : tensor<64x128xf32> -> tensor<64xf32>

    `stage` gives a reduction over several waves a `scratch` in LDS: one partial result for each wave along the dimension,
    then the shape of the result. The op writes its partial results there, has a barrier of its own and reads them; a
    barrier must stand between it and earlier accesses to the same bytes.
  }];
  let arguments = (ins Tile_Reduction:$kind, AnyTile:$operand, I64Attr:$dim, Optional<AnyBuffer>:$scratch);
  let results = (outs AnyTile:$result);
  let assemblyFormat = [{
    $kind $operand `dim` $dim (`scratch` $scratch^ `in` type($scratch))? attr-dict `:` type($operand) `->` type($result)
  }];
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::tilec::tile::Reduction":$kind, "::mlir::Value":$operand,
                                 "int64_t":$dim), [{
    build($_builder, $_state, result, kind, operand, static_cast<uint64_t>(dim), /*scratch=*/::mlir::Value());
  }]>];
}

def Tile_ArgReduceOp : Tile_Op<"arg_reduce", [Pure]> {
  let summary = "the greatest or least element along one dimension, and where it is";
  let description = [{
    The first result is that of `tile.reduce` of the same kind, `maximum` or `minimum`. The second has the place of that element along
    the dimension, as i32: the lowest of several that are equal, and that of the first NaN where there is one. `expand` makes
    reductions of it.

        %best, %place = tile.arg_reduce maximum %x dim 1 : tensor<64x128xf32> -> tensor<64xf32>, tensor<64xi32>
  }];
  let arguments = (ins Tile_Reduction:$kind, AnyTile:$operand, I64Attr:$dim);
  let results = (outs AnyTile:$value, AnyTile:$place);
  let assemblyFormat = "$kind $operand `dim` $dim attr-dict `:` type($operand) `->` type($value) `,` type($place)";
  let hasVerifier = 1;
}

def Tile_ScanOp : Tile_Op<"scan", [AllTypesMatch<["operand", "result"]>, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "combines each element with those before it along one dimension";
  let description = [{
    Element i of the result combines elements 0 to i, or with `exclusive` those before i; the first element is then what changes nothing: 0
    of `add`, `or` and `xor`, 1 of `product`, -1 of `and`, and of `maximum` and `minimum` the least and the greatest value of the type,
    infinities of floats. Kinds and their elements are those of `tile.reduce`, but for i1 and eight-bit floats.

        %sums = tile.scan add %x dim 1 : tensor<64x128xf32>
        %places = tile.scan add %counts dim 0 exclusive : tensor<256xi32>

    `stage` gives a scan over several waves a `scratch` in LDS: one total for each wave along the dimension, then the shape of a line
    across it. It has barriers of its own, as that of `tile.reduce`.
  }];
  let arguments = (ins Tile_Reduction:$kind, AnyTile:$operand, I64Attr:$dim, UnitAttr:$exclusive, Optional<AnyBuffer>:$scratch);
  let results = (outs AnyTile:$result);
  let assemblyFormat = [{
    $kind $operand `dim` $dim (`exclusive` $exclusive^)? (`scratch` $scratch^ `in` type($scratch))? attr-dict `:` type($operand)
  }];
  let hasVerifier = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure, Tile_ShapedOpInterface]> {
  let summary = "repeats a tile along new dimensions";
  let description = [{
    `dims` says which dimension of the result each dimension of the operand becomes.

        %b = tile.broadcast %bias dims [1] tile [64, 128] : tensor<128xf32> -> tensor<64x128xf32>
  }];
  let arguments = (ins AnyTile:$operand, DenseI64ArrayAttr:$dims, Tile_TileShape:$tile);
  let results = (outs AnyTile:$result);
  let assemblyFormat = [{
    $operand `dims` $dims `tile` custom<TileShape>($tile) attr-dict `:` type($operand) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_TransposeOp : Tile_Op<"transpose", [Pure]> {
  let summary = "permutes the dimensions of a tile";
  let description = [{
    Dimension i of the result is dimension `permutation[i]` of the operand.

        %t = tile.transpose %x [1, 0] : tensor<64x128xf32> -> tensor<128x64xf32>
  }];
  let arguments = (ins AnyTile:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs AnyTile:$result);
  let assemblyFormat = "$operand $permutation attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ReshapeOp : Tile_Op<"reshape", [Pure, Tile_ShapedOpInterface]> {
  let summary = "same elements in row-major order under another shape";
  let description = [{
    Both shapes have the same number of elements.

        %t = tile.reshape %x tile [32, 2, 64] : tensor<64x64xf32> -> tensor<32x2x64xf32>
  }];
  let arguments = (ins AnyTile:$operand, Tile_TileShape:$tile);
  let results = (outs AnyTile:$result);
  let assemblyFormat = "$operand `tile` custom<TileShape>($tile) attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}

#endif
