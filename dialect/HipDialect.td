// The exit dialect: one operation per construct of the generated text. No ops or types here.
#ifndef TILEC_HIP_DIALECT
#define TILEC_HIP_DIALECT

include "dialect/TileDialect.td"

def Hip_Dialect : Dialect {
  let name = "hip";
  let cppNamespace = "::tilec::hip";
  let summary = "what the generated text can say";
  let description = [{
    `lower` turns a program in kernel form into `hip.kernel`s and one `hip.launcher`; beside them stay the program's
    `tile.alloc` and `tile.signals`, which from then on are declarations for the manifest. Each operation is one construct
    of docs/text-contract.md; a library call carries its C++ text, so that the dialect is the table of what may be printed.
    Tiles are tensors with a `#tile.layout`; loops and branches are `scf.for` and `scf.if`; scalars are `arith` and `math`.
    Nothing is decided after `prepare`, which writes its decisions into attributes:

    - `hip.name` (a string, or an array of them): the C++ names of an operation's results; a value without one is printed
      where it is used; of a group, the variable that its tickets are in;
    - `hip.arguments`: the names of a region's arguments;
    - `hip.mutable`: the variable is assigned again later; `hip.assign`: it has been declared before;
    - `hip.wraps`: the sum, difference or product may leave its type, so the text computes it as an unsigned number;
    - `hip.positive_divisor`: no divisor is negative, so the text rounds by the sign of the remainder alone;
    - `tile.comment`: a line above the statement.
  }];
  let dependentDialects = ["::tilec::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect"];
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    static constexpr ::llvm::StringLiteral nameAttr = "hip.name", argumentsAttr = "hip.arguments",
        mutableAttr = "hip.mutable", assignAttr = "hip.assign", wrapsAttr = "hip.wraps",
        positiveDivisorAttr = "hip.positive_divisor";
  }];
}

// The traits are described in Hip.h.
class Hip_Trait<string name> : NativeOpTrait<name> { let cppNamespace = "::tilec::hip"; }
def Hip_Enters : Hip_Trait<"Enters">;
def Hip_RecordsOnly : Hip_Trait<"RecordsOnly">;
def Hip_MakesWords : Hip_Trait<"MakesWords">;
def Hip_ReadsTile : Hip_Trait<"ReadsTile">;
def Hip_Synchronizes : Hip_Trait<"Synchronizes">;
def Hip_CarriesFlags : Hip_Trait<"CarriesFlags">;

class Hip_Op<string mnemonic, list<Trait> traits = []> : Op<Hip_Dialect, mnemonic, !listconcat([KnownAttributes], traits)>;

#endif
