// The dialect record; its description opens the reference. No ops, types or attributes here.
#ifndef TILEC_TILE_DIALECT
#define TILEC_TILE_DIALECT

include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tilec::tile";
  let summary = "tiles of matrices that live on several GPUs";
  let description = [{
    A `tile.program` is a list of statements: tile loops (`tile.forall`) and collectives. Every rank executes every
    statement, with a barrier over all ranks between two statements. Tile values are builtin tensors, so `arith` and
    `math` are the elementwise language; buffers are builtin memrefs, with the memory space `#tile.symmetric` when every
    rank has one at the same heap offset; views are `memref.subview`; loops inside a tile are `scf.for` and `scf.if`.
    The dialect adds only what is missing.

    The passes turn the barriers into per-tile signals and waits: the *kernel form* (`tile.kernel`, `tile.role`,
    `tile.signals`, `tile.signal`, `tile.wait`), which an expert may also write and which gets the same verification.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect"];
  // rest: of an `scf.for`, it runs what a loop with rings has left, mostly nothing. comment: a line above the statement in
  // the text. by_hand: the author of the program wrote its waits and signals; set by whoever reads the text, so that what
  // is only sampled holds up to the greatest samples. unrolled: of an `scf.for`, the device compiler unrolls it, so that what
  // it hands on needs no moves.
  let discardableAttrs = (ins "::mlir::UnitAttr":$rest, "::mlir::StringAttr":$comment, "::mlir::UnitAttr":$by_hand, "::mlir::UnitAttr":$unrolled);
  let hasOperationAttrVerify = 1;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = "void registerAttributes();";
  let useDefaultAttributePrinterParser = 1;
}

def Tile_InProgram : PredOpTrait<"it stands in a 'tile.program'",
                                 CPred<"$_op.getParentOfType<::tilec::tile::ProgramOp>() || $_op.getParentOfType<::tilec::tile::FragmentOp>()">>;

def KnownAttributes : NativeOpTrait<"KnownAttributes"> { let cppNamespace = "::tilec"; }

// Described in Tile.h.
class Tile_Trait<string name> : NativeOpTrait<name> { let cppNamespace = "::tilec::tile"; }
def Tile_Synchronizes : Tile_Trait<"Synchronizes">;
def Tile_CarriesFlags : Tile_Trait<"CarriesFlags">;

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, !listconcat([Tile_InProgram, KnownAttributes], traits)>;

#endif
