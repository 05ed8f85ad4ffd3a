// Parts of tasks that have a name, and what brings them in. They are gone once a file has been read (Fragments.h).
#ifndef TILEC_TILE_FRAGMENT_OPS
#define TILEC_TILE_FRAGMENT_OPS

include "dialect/TileAttrs.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_UseOp : Op<Tile_Dialect, "use", [HasParent<"::mlir::ModuleOp">, KnownAttributes]> {
  let summary = "brings in the fragments of another file";
  let description = [{
    The path counts from the folder of the file that says it. What that file uses comes along; a file is read once, however often it is
    named.

        tile.use "../lib/attention.mlir"
  }];
  let arguments = (ins StrAttr:$path);
  let assemblyFormat = "$path attr-dict";
}

def Tile_FragmentOp : Op<Tile_Dialect, "fragment", [HasParent<"::mlir::ModuleOp">, KnownAttributes, Symbol, IsolatedFromAbove, SingleBlock]> {
  let summary = "part of a task, written once for tiles of any size";
  let description = [{
    Syntax:

        operation ::= `tile.fragment` symbol-name (`<` symbol-name (`,` symbol-name)* `>`)? `(` arguments? `)` region

    The names in angle brackets are sizes of tiles, which a `tile.call` gives; a `tile.return` ends the region. A `tile.call` in a task, or
    in another fragment, stands for the operations of the region: reading a file puts them in its place.

        // The exponentials of each row over their sum.
        tile.fragment @softmax<@R, @C>(%x: tensor<?x?xf32>) {
          %most = tile.reduce maximum %x dim 1 : tensor<?x?xf32> -> tensor<?xf32>
          %most_b = tile.broadcast %most dims [0] tile [@R, @C] : tensor<?xf32> -> tensor<?x?xf32>
          %d = arith.subf %x, %most_b : tensor<?x?xf32>
          %e = math.exp %d : tensor<?x?xf32>
          %sum = tile.reduce add %e dim 1 : tensor<?x?xf32> -> tensor<?xf32>
          %sum_b = tile.broadcast %sum dims [0] tile [@R, @C] : tensor<?xf32> -> tensor<?x?xf32>
          %p = arith.divf %e, %sum_b : tensor<?x?xf32>
          tile.return %p : tensor<?x?xf32>
        }
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$sizes);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_ReturnOp : Op<Tile_Dialect, "return", [Pure, Terminator, KnownAttributes, HasParent<"FragmentOp">]> {
  let summary = "what a fragment gives to the call";
  let description = [{
        tile.return %p : tensor<?x?xf32>
  }];
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "($results^ `:` type($results))? attr-dict";
}

def Tile_CallOp : Op<Tile_Dialect, "call", [KnownAttributes]> {
  let summary = "the operations of a fragment, with these operands";
  let description = [{
    The angle brackets give the fragment's sizes in their order, as numbers or by names of the program's parameters. An operand has the type of
    its argument, or says more of its sizes.

        %p = tile.call @softmax<@BM, 256>(%x) : (tensor<?x256xf32>) -> tensor<?x256xf32>
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Tile_TileShape:$sizes, Variadic<AnyType>:$operands);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = "$callee custom<CallSizes>($sizes) `(` $operands `)` attr-dict `:` functional-type($operands, $results)";
  let hasVerifier = 1;
}

#endif
