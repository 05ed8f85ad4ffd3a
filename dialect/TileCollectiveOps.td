// Statements over whole buffers: sugar that `expand` turns into tile loops.
#ifndef TILEC_TILE_COLLECTIVE_OPS
#define TILEC_TILE_COLLECTIVE_OPS

include "dialect/TileAttrs.td"
include "dialect/TileInterfaces.td"
include "dialect/TileTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Tile_BufferStatementOp<string mnemonic, list<Trait> traits = []>
    : Tile_Op<mnemonic, !listconcat(traits, [HasParent<"ProgramOp">, MemoryEffects<[MemRead, MemWrite]>])>;

/// What a collective does with its ends, as its interface says it.
class Tile_Exchange<bit partsInSource, bit partsInDestination, bit reduces, bit worksInPlace> {
  string answers = "bool hasPartsInSource() { return " # !if(partsInSource, "true", "false") # "; }\n"
                   # "bool hasPartsInDestination() { return " # !if(partsInDestination, "true", "false") # "; }\n"
                   # "bool reduces() { return " # !if(reduces, "true", "false") # "; }\n"
                   # "bool worksInPlace() { return " # !if(worksInPlace, "true", "false") # "; }\n";
}

/// How a collective combines what the ranks give.
class Tile_Combining<string kind = "::tilec::tile::Reduction"> {
  string answer = "/// How elements are combined: by `add` where nothing is said.\n"
                  # kind # " combination() { return getKind().value_or(" # kind # "::Add); }\n";
}

class Tile_WholeCollectiveOp<string mnemonic, Tile_Exchange exchange>
    : Tile_BufferStatementOp<mnemonic, [Tile_CollectiveOpInterface]> {
  let extraClassDeclaration = exchange.answers # "::std::optional<uint64_t> getPartsDim() { return ::std::nullopt; }\n";
}

class Tile_DimCollectiveOp<string mnemonic, Tile_Exchange exchange>
    : Tile_BufferStatementOp<mnemonic, [Tile_CollectiveOpInterface]> {
  let extraClassDeclaration = exchange.answers # "::std::optional<uint64_t> getPartsDim() { return getDim(); }\n";
  let arguments = (ins AnyBuffer:$source, AnyBuffer:$destination, I64Attr:$dim, OptionalAttr<Tile_TileShape>:$tiles,
                       UnitAttr:$unordered);
  let assemblyFormat = [{
    $source `into` $destination `dim` $dim (`tiles` custom<OptionalTileShape>($tiles)^)? (`unordered` $unordered^)? attr-dict
    `:` type($source) `,` type($destination)
  }];
}

def Tile_AllGatherOp : Tile_DimCollectiveOp<"all_gather", Tile_Exchange<0, 1, 0, 1>> {
  let summary = "every rank's source, side by side along one dimension, on every rank";
  let description = [{
    Block r of `destination` along `dim` is rank r's `source`. In place, the source is this rank's block of the
    destination: a `memref.subview` of it at `rank * size` along `dim`, with all of the other dimensions.

        tile.all_gather %a into %full dim 0 : memref<?x8192xbf16>, memref<?x8192xbf16, #tile.symmetric>
  }];
}

def Tile_ReduceScatterOp : Tile_DimCollectiveOp<"reduce_scatter", Tile_Exchange<1, 0, 1, 1>> {
  let summary = "sum, maximum or minimum over all ranks of the source; this rank keeps its block along one dimension";
  let description = [{
    Sums in f32, in rank order 0..W-1, unless `unordered`. `maximum` or `minimum` before the source: the greatest or least element instead of
    the sum. In place, the destination is this rank's block of the source. Its other blocks keep what they hold.

        tile.reduce_scatter %part into %c dim 0 : memref<?x4096xf32, #tile.symmetric>, memref<?x4096xbf16>
        tile.reduce_scatter maximum %part into %c dim 0 : memref<?x4096xf32, #tile.symmetric>, memref<?x4096xf32>
  }];
  let arguments = (ins OptionalAttr<Tile_Reduction>:$kind, AnyBuffer:$source, AnyBuffer:$destination, I64Attr:$dim,
                       OptionalAttr<Tile_TileShape>:$tiles, UnitAttr:$unordered);
  let assemblyFormat = [{
    custom<Combination>($kind) $source `into` $destination `dim` $dim (`tiles` custom<OptionalTileShape>($tiles)^)?
    (`unordered` $unordered^)? attr-dict `:` type($source) `,` type($destination)
  }];
  let extraClassDeclaration = Tile_Exchange<1, 0, 1, 1>.answers # Tile_Combining<>.answer
                              # "::std::optional<uint64_t> getPartsDim() { return getDim(); }\n";
}

def Tile_AllToAllOp : Tile_DimCollectiveOp<"all_to_all", Tile_Exchange<1, 1, 0, 1>> {
  let summary = "block r of the source goes to rank r, where it becomes the block of this rank";
  let description = [{
    Source and destination have W blocks along `dim`. The destination may be the source, in place: blocks then pass
    through scratch.

        tile.all_to_all %x into %y dim 0 : memref<?x64xf32>, memref<?x64xf32, #tile.symmetric>
  }];
}

def Tile_AllReduceOp : Tile_WholeCollectiveOp<"all_reduce", Tile_Exchange<0, 0, 1, 1>> {
  let summary = "sum, maximum or minimum over all ranks of the source, on every rank";
  let description = [{
    Sums in f32, in rank order 0..W-1, unless `unordered`. `maximum` or `minimum` before the source: the greatest or least element instead of
    the sum. The destination may be the source, in place.

        tile.all_reduce %part into %c : memref<?x4096xf32, #tile.symmetric>, memref<?x4096xbf16>
        tile.all_reduce maximum %part into %c : memref<?x4096xf32, #tile.symmetric>, memref<?x4096xf32>
  }];
  let arguments = (ins OptionalAttr<Tile_Reduction>:$kind, AnyBuffer:$source, AnyBuffer:$destination,
                       OptionalAttr<Tile_TileShape>:$tiles, UnitAttr:$unordered);
  let assemblyFormat = [{
    custom<Combination>($kind) $source `into` $destination (`tiles` custom<OptionalTileShape>($tiles)^)? (`unordered` $unordered^)?
    attr-dict `:` type($source) `,` type($destination)
  }];
  let extraClassDeclaration = Tile_Exchange<0, 0, 1, 1>.answers # Tile_Combining<>.answer
                              # "::std::optional<uint64_t> getPartsDim() { return ::std::nullopt; }\n";
}

def Tile_ShiftOp : Tile_WholeCollectiveOp<"shift", Tile_Exchange<0, 0, 0, 0>> {
  let summary = "this rank's source becomes the destination of the rank `by` further on, around the ring";
  let description = [{
    Rank r's source goes to rank (r + `by`) mod W. The two buffers share no memory.

        tile.shift %x into %y by 1 : memref<?x64xf32>, memref<?x64xf32, #tile.symmetric>
  }];
  let arguments = (ins AnyBuffer:$source, AnyBuffer:$destination, I64Attr:$by, OptionalAttr<Tile_TileShape>:$tiles);
  let assemblyFormat = [{
    $source `into` $destination `by` $by (`tiles` custom<OptionalTileShape>($tiles)^)? attr-dict
    `:` type($source) `,` type($destination)
  }];
}

def Tile_MatmulOp : Tile_BufferStatementOp<"matmul", [AttrSizedOperandSegments, Tile_ScheduledOpInterface]> {
  let summary = "product of one matrix with several, and a function of the tiles of the products";
  let description = [{
    Syntax:

        operation ::= `tile.matmul` `transpose`? value-name (`,` `transpose`? value-name)+ `into` value-name
                      (`rows` value-name `:` memref-type)? (`accumulate` (`exact` | `promoted` | `fast`))? (`tiles` `[` tile-size `,` tile-size `,` tile-size `]`)? `swapped`? (`split` integer (`behind` integer)?)?
                      (`attributes` attribute-dict)?
                      `:` memref-type (`,` memref-type)+ epilogue?
        tile-size ::= integer | symbol-name
        epilogue  ::= `epilogue` `(` value-name (`,` value-name)+ (`,` value-name `:` tensor-type)+ `)` region

    Types are those of `lhs`, of every right-hand side and of `destination`. `transpose` before a right-hand side: it is
    stored N x K, not K x N. `transpose` before the left-hand side: it is stored K x M, not M x K, as gradients of weights want it:

        tile.matmul transpose %tokens, %gradients into %weights : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xf32>

    Computes `lhs * rhs_i` for every right-hand side, accumulated as `tile.dot` does (f32; i32 for integers): products of eight-bit floats may say
    `accumulate exact`, `promoted` (the default) or `fast`. The epilogue
    turns one tile of every product into one tile of `destination`; without one the product is rounded (of integers: cut
    off) to the destination's element type, which is floating-point as the operands are, or integer as they are: i8 x i8
    into f32 needs an epilogue that says the cast. The epilogue's arguments are the element offsets (row, column) of the tile in
    `destination`, then the tiles. `tiles` names the tile sizes (rows, columns, depth); without it
    they are chosen.

    Operands of more than two dimensions are matrices side by side: the leading dimensions, the same in all operands and the
    destination, number them, and each product is that of matrices of one number. A right-hand side with two dimensions is that of
    every product. An epilogue then takes the matrix's number in each leading dimension before row and column.

        tile.matmul %q, transpose %k into %scores : memref<?x?x?xbf16>, memref<?x?x?xbf16>, memref<?x?x?xf32>
            epilogue (%matrix, %row, %col, %g: tensor<?x?xf32>) {
          ...
          tile.yield %out : tensor<?x?xf32>
        }

    `rows`: how many rows of the left-hand side are in use, from the first on, is data; it is stored M x K then. It is an element of a buffer of i32 that has the
    leading dimensions, or of a single product one element; negative counts as 0, and more than there are rows as all of them. Rows behind those
    in use are not multiplied, and the destination keeps what it holds there; tiles without a row in use have no steps. `verify` takes all rows of
    the destination as written, as it does of a `tile.scatter`.

        tile.matmul %tokens, transpose %weights into %out rows %counts : memref<?xi32> tiles [@BM, @BN, @BK]
            : memref<?x?x?xbf16>, memref<?x?x?xbf16>, memref<?x?x?xbf16>

    Two more words say how, not what; both are chosen where tile sizes are. `swapped`: tiles are made as those of the transpose,
    `rhs^T * lhs^T`, for matrix instructions that have more rows than `lhs`, or columns of a width that fits them. `split n`: n
    tasks share a tile of the product, each with a part of the depth, and the sums are added up in the order of the parts. `split n behind m`: only the tiles
    behind the first m, so that what fills no round of the workgroups takes a part of a round. The number of tiles has to be known then, and the product is the only statement of its program.

        tile.matmul %x, transpose %gate, transpose %up into %h tiles [@BM, @BN, @BK]
            : memref<?x4096xbf16>, memref<3584x4096xbf16>, memref<3584x4096xbf16>, memref<?x3584xbf16>
            epilogue (%row, %col, %g: tensor<?x?xf32>, %u: tensor<?x?xf32>) {
          ...
          tile.yield %out : tensor<?x?xbf16>
        }
  }];
  let arguments = (ins AnyBuffer:$lhs, Variadic<AnyBuffer>:$rhs, AnyBuffer:$destination, Optional<AnyBuffer>:$rows,
                       DenseBoolArrayAttr:$transposed,
                       OptionalAttr<Tile_Accumulation>:$accumulate, OptionalAttr<Tile_TileShape>:$tiles,
                       UnitAttr:$swapped, OptionalAttr<I64Attr>:$split, OptionalAttr<I64Attr>:$behind, UnitAttr:$lhs_transposed,
                       OptionalAttr<Tile_Schedule>:$schedule);
  let regions = (region MaxSizedRegion<1>:$epilogue);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// What `accumulate` says, or goes without saying.
    ::tilec::tile::Accumulation accumulation();
    /// Of the left-hand side's dimensions that of the depth, and that of the rows.
    unsigned depthDim();
    unsigned rowDim();
  }];
  let hasVerifier = 1;
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator, HasParent<"MatmulOp">]> {
  let summary = "ends an epilogue with its tile";
  let arguments = (ins AnyTile:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif
