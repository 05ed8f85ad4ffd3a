// The program, its statements and its scratch. Not memory accesses, not the kernel form.
#ifndef TILEC_TILE_STRUCTURE_OPS
#define TILEC_TILE_STRUCTURE_OPS

include "dialect/TileAttrs.td"
include "dialect/TileInterfaces.td"
include "dialect/TileTypes.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_ProgramOp : Op<Tile_Dialect, "program", [HasParent<"::mlir::ModuleOp">, KnownAttributes, Symbol, SymbolTable, IsolatedFromAbove,
                                                  NoTerminator, SingleBlock, Tile_ScheduledOpInterface]> {
  let summary = "one rank's view of a bulk-synchronous program over tiles";
  let description = [{
    Syntax:

        operation  ::= `tile.program` symbol-name (`<` value-name (`,` value-name)* `>`)? `(` arguments? `)`
                       (`world` integer)? (`extents` shape+)? (`indices` range+)?
                       (`where` condition (`,` condition)*)?
                       (`attributes` attribute-dict)? region
        arguments  ::= argument (`,` argument)*
        argument   ::= value-name `:` (memref-type | `f32` | `f64` | `i32` | `i64`)
        shape      ::= `[` value-name `:` expression (`,` expression)* (`strides` expression (`,` expression)*)? `]`
        range      ::= `[` value-name `:` expression `distinct`? `]`
        condition  ::= expression (`==` | `<=`) expression
        expression ::= integer | `W` | value-name | symbol-name | `(` expression `)`
                     | expression (`+` | `-` | `*` | `ceildiv` | `floordiv` | `mod`) expression

    Every rank of the world executes every statement, with a barrier over all ranks between two statements. The names in
    angle brackets are extents: sizes known at launch. `extents` relates the dynamic dimensions of the arguments to them: one
    expression for each dimension, over extents of the header; an argument whose dimensions are all static needs no shape.
    `W` is the world size. `world N` fixes it: without, `--world` gives it when the program is compiled. Parameters
    (symbol-name in an expression) may stand in the expressions of the statements, not in those of the arguments. Distinct
    arguments do not overlap in memory.

    Dimensions that must agree name one extent. Where a program relates two extents, `where` says so: a launch whose
    extents break a condition is refused, and verification and the choice of samples may rely on all of them. An extent
    that `--extent NAME=VALUE` fixes becomes the condition `NAME == VALUE`.

        tile.program @scatter<%M, %N, %K>(%a: memref<?x?xf32, #tile.symmetric>, %b: memref<?x?xf32>)
            extents [%a: %M, %N] [%b: %M floordiv W, %K] where %M mod W == 0, %K == %N {
          tile.reduce_scatter %a into %b dim 0 : memref<?x?xf32, #tile.symmetric>, memref<?x?xf32>
        }

    Where the integers of an argument name elements of something else, `indices` says how many elements that has. It changes no meaning:
    inputs that `tilec run` makes are then numbers from -1, which names nothing, to that many, which is one too large. With `distinct`
    no number that names an element occurs twice, as a permutation for `tile.scatter` needs it.

        tile.program @look_up<%N, %V>(%ids: memref<?xi32>, %table: memref<?x64xbf16>, %rows: memref<?x64xbf16>)
            extents [%ids: %N] [%table: %V, 64] [%rows: %N, 64] indices [%ids: %V] { ... }

    An argument is contiguous, or its type has strides. Those that are static need nothing more
    (`memref<?x64xf32, strided<[128, 1]>>`); dynamic ones are named as sizes are, behind `strides`, one expression for each
    dimension: a pitch is an extent that a launch gives, and a program may relate pitches to sizes and to each other. The
    pointer is that of the first element: layouts have no offset. Elements of one argument lie apart: taken in the order of
    their strides, each dimension of more than one element steps over all that those before it reach. What lies between
    elements is not touched, but counts as the argument's: ranges of distinct arguments, first to last element, are apart.
    Columns of one buffer that a program uses side by side are views of it.

    An argument that is no buffer is a number, which each launch gives: a scale, a limit, the place in a sequence. It may be any number, and
    another one on each rank. Tiles take it by `tile.splat`; it changes no size and steers nothing: what is to be an index, the bound of a
    loop or part of a condition goes through `tile.clamp`, which says how large it may be.

        tile.program @scale<%M>(%alpha: f32, %a: memref<?x64xf32>) extents [%a: %M, 64] {
          tile.forall (%m) in [%M ceildiv 64] {
            %c0 = arith.constant 0 : index
            %t = tile.load %a[%m, %c0] tile [64, 64] : memref<?x64xf32> -> tensor<64x64xf32>
            %factor = tile.splat %alpha [64, 64] : tensor<64x64xf32>
            %scaled = arith.mulf %t, %factor : tensor<64x64xf32>
            tile.store %scaled, %a[%m, %c0] : tensor<64x64xf32>, memref<?x64xf32>
          }
        }

        tile.program @copy<%M>(%a: memref<?x256xf32>, %b: memref<?x256xf32>) extents [%a: %M, 256] [%b: %M, 256] {
          tile.forall (%m, %n) over %b tiles [64, 64] : memref<?x256xf32> {
            %t = tile.load %a[%m, %n] tile [64, 64] : memref<?x256xf32> -> tensor<64x64xf32>
            tile.store %t, %b[%m, %n] : tensor<64x64xf32>, memref<?x256xf32>
          }
        }

        tile.program @gather<%M>(%a: memref<?x64xf32, #tile.symmetric>, %full: memref<?x64xf32>) world 4
            extents [%a: %M, 64] [%full: W * %M, 64] {
          tile.all_gather %a into %full dim 0 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32>
        }

        tile.program @columns<%M, %lda>(%a: memref<?x64xf32, strided<[?, 1]>>, %b: memref<?x64xf32>)
            extents [%a: %M, 64 strides %lda, 1] [%b: %M, 64] { ... }

    `shapes` holds one map per argument from the symbols (W, extents...) to its dimensions, of which a number has none. `strides` holds as many
    maps to their strides, without results for those that are contiguous; it is absent where all are. `conditions` is the
    set of extents that launches may have, over the same symbols; it is absent where there are none. `indices` has one map per argument,
    without results for those that are no indices, `distinct` one flag; both are absent where no argument is.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$num_extents, AffineMapArrayAttr:$shapes,
                       OptionalAttr<AffineMapArrayAttr>:$strides, OptionalAttr<IntegerSetAttr>:$conditions,
                       OptionalAttr<I64Attr>:$world,
                       OptionalAttr<StrAttr>:$target, OptionalAttr<DictionaryAttr>:$parameters,
                       OptionalAttr<Tile_Pattern>:$pattern, OptionalAttr<Tile_Granularity>:$granularity,
                       OptionalAttr<Tile_OrderRule>:$order, OptionalAttr<Tile_Schedule>:$schedule,
                       OptionalAttr<Tile_Verified>:$verified, OptionalAttr<AffineMapArrayAttr>:$indices,
                       OptionalAttr<DenseBoolArrayAttr>:$distinct);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Extents in the order of the header: block arguments of type index.
    ::mlir::Block::BlockArgListType getExtents() { return getBody().getArguments().take_front(getNumExtents()); }
    /// Buffers and numbers in the order of the header: those behind the extents.
    ::mlir::Block::BlockArgListType getArguments() { return getBody().getArguments().drop_front(getNumExtents()); }
    /// The buffers among them, which are memory.
    ::llvm::SmallVector<::mlir::BlockArgument> getBuffers();
    /// The numbers among them.
    ::llvm::SmallVector<::mlir::BlockArgument> getScalars();
    /// The strides of an argument over the symbols of `shapes`; null where it is contiguous.
    ::mlir::AffineMap getStridesOf(unsigned argument);
    /// Fails, and says why, where the program is none for so many ranks. 0: nobody says, and the header has to.
    ::llvm::LogicalResult requireWorld(int64_t given);
    /// How many elements those have that the integers of an argument name; null where they name none.
    ::mlir::AffineMap getIndicesOf(unsigned argument);
  }];
}

def Tile_ParamOp : Tile_Op<"param", [Symbol, HasParent<"ProgramOp">]> {
  let summary = "tile size or split count that is chosen, not part of the meaning";
  let description = [{
    Chosen by the cost model, `--param NAME=VALUE` or tuning, and recorded in the manifest. Where tiles do not fit the target's
    LDS, a parameter that no `--param` fixes gets the next smaller of its choices; `explain` says so.

        tile.param @BM in [64, 128, 256] default 128
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, DenseI64ArrayAttr:$choices, OptionalAttr<I64Attr>:$preferred);
  let assemblyFormat = "$sym_name `in` $choices (`default` $preferred^)? attr-dict";
  let hasVerifier = 1;
}

def Tile_ExtentOp : Tile_Op<"extent", [Pure]> {
  let summary = "value of an expression over extents, parameters and the world size";
  let description = [{
    Expressions are written as in the header of a `tile.program`.

        %rows = tile.extent [W * %M]
  }];
  let arguments = (ins Variadic<Index>:$extents, AffineMapAttr:$sizes, Tile_Params:$params);
  let results = (outs Index:$result);
  let assemblyFormat = "custom<Extents>($extents, $sizes, $params) attr-dict";
  let hasVerifier = 1;
}

def Tile_AllocOp : Tile_Op<"alloc", [HasParent<"ProgramOp">, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "scratch of the program, on every rank";
  let description = [{
    A buffer in `#tile.symmetric` memory may be addressed by peers. Content does not survive a launch: each
    element that a load or a `tile.atomic` reads has a store before it in the launch. What is `persistent` is zero before
    the first launch, and later ones find what earlier ones stored, such as a running sum or a cache of keys. An element
    keeps its content and its indices when extents change; a launch sees those that its sizes name. `copies` is how many launches may hold one at a time; the passes set it.

        %full = tile.alloc [W * %M, 8192] : memref<?x8192xbf16, #tile.symmetric>
  }];
  let arguments = (ins Variadic<Index>:$extents, AffineMapAttr:$sizes, Tile_Params:$params, UnitAttr:$persistent,
                       DefaultValuedAttr<I64Attr, "1">:$copies);
  let results = (outs AnyBuffer:$result);
  let assemblyFormat = "(`persistent` $persistent^)? custom<Extents>($extents, $sizes, $params) attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_ForallOp : Tile_Op<"forall", [AttrSizedOperandSegments, NoTerminator, SingleBlock, RecursiveMemoryEffects, Tile_ScheduledOpInterface]> {
  let summary = "one task per tile, on all ranks, in no order";
  let description = [{
    Syntax:

        operation  ::= `tile.forall` `(` (value-name (`,` value-name)*)? `)` (over | in) region
        over       ::= `over` value-name `tiles` `[` tile-size (`,` tile-size)* `]` how `:` memref-type
        in         ::= `in` `[` (expression (`,` expression)*)? `]` how
        tile-size  ::= integer | symbol-name
        how        ::= (`order` `[` attribute-value (`,` attribute-value)* `]`)? (`on` (integer | symbol-name) `workgroups`)? `steps`? (`attributes` attribute-dict)?

    There is one index for each bound, or for each dimension of the buffer. Expressions are those of a `tile.program`; a
    symbol-name is a `tile.param`. A statement stands in a program, or in an `scf.for` there, which runs it once for each step.

    Bounds are written (`in [..]`) or derived from a buffer (`over %buffer tiles [..]`: the ceiling of each dimension over
    the tile). The sides of tiles, here and of every tile value, are powers of two; of a tile of one or two dimensions, one side may be
    another multiple of 8. A buffer of another size is covered by tiles that reach beyond it, which loads fill in and stores leave out. Tasks of one statement, on all ranks, may not
    conflict except through `tile.atomic`. `order` says how tasks are walked: steps applied to the task number
    (`#tile.remap`, `#tile.chunked`, `#tile.mapped`), then one that turns it into coordinates (`#tile.grouped`, `#tile.diagonal`, `#tile.permuted`; else the
    last index is the fastest), then to these (`#tile.rank_first`); it is no part of the meaning.
    Nor is `on N workgroups`: where statements share a kernel, so many of its workgroups do this one and nothing else, beside the others,
    such as one that moves data while others multiply. A `tile.param` may say how many. `engine` (with `on 1 workgroups`): it is the copy engine that does it, as a `tile.role` of that kind says;
    the statement stores what it loads, to other ranks, from an argument that nothing before has written. `steps`: tasks with one first index are those of a step, as `tile-waits` makes them of
    an `scf.for` around the statement; what a `tile.scatter` writes once, each of them does. `schedule`: how the products of its tasks run (`#tile.schedule`).

        tile.forall (%m, %n) over %c tiles [128, 64] : memref<?x4096xbf16> { ... }
        tile.forall (%r, %m) in [W, %M ceildiv 64] on 16 workgroups { ... }
        tile.forall (%m, %n) in [%M ceildiv @BM, 8] order [#tile.remap<8>, #tile.grouped<4>] { ... }
  }];
  let arguments = (ins Variadic<Index>:$extents, Optional<AnyBuffer>:$buffer, OptionalAttr<AffineMapAttr>:$bounds,
                       Tile_Params:$params, OptionalAttr<Tile_TileShape>:$tiles, OptionalAttr<Tile_Order>:$order,
                       OptionalAttr<I64Attr>:$workgroups, OptionalAttr<FlatSymbolRefAttr>:$workgroups_param, UnitAttr:$steps,
                       UnitAttr:$engine, OptionalAttr<Tile_Schedule>:$schedule);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::AffineMap":$bounds, "::mlir::ValueRange":$operands)>];
  let extraClassDeclaration = [{
    ::mlir::Block::BlockArgListType getIndices() { return getBody().getArguments(); }
    unsigned getGridRank() { return getBody().getNumArguments(); }
  }];
}

def Tile_RankOp : Tile_Op<"rank", [Pure]> {
  let summary = "number of this rank in the world";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

def Tile_WorldSizeOp : Tile_Op<"world_size", [Pure]> {
  let summary = "number of ranks in the world";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

#endif
