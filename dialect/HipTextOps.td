// How ops of the exit dialect are printed: templates of the text.
#ifndef TILEC_HIP_TEXT_OPS
#define TILEC_HIP_TEXT_OPS

include "dialect/HipTypes.td"
include "dialect/TileAttrs.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Hip_Tile : RankedTensorOf<[AnyFloat, AnySignlessInteger]>;
def Hip_Index : AnyTypeOf<[Index, I32, I64]>;

def Hip_TextOpInterface : OpInterface<"TextOpInterface"> {
  let cppNamespace = "::tilec::hip";
  let description = [{
    An operation that is printed from a template. In it `$n` is the n-th operand of the definition (a variadic one as a
    comma-separated list), `$,n` the same after a comma when it is there, `%name` an attribute, `[name|text|other]` text printed
    when the attribute is there, and what is printed else, of which either may have such brackets, `#L` the layout, `#T` the element type and `#S` the LDS type of the result, `#E` what its pointer
    points to, `#En` the element type of operand n.
  }];
  let methods = [
    InterfaceMethod<"The template.", "::llvm::StringRef", "getText", (ins), [{ return ConcreteOp::text; }]>,
    InterfaceMethod<"The n-th operand of the definition.", "::mlir::OperandRange", "getOperandGroup", (ins "unsigned":$n),
                    [{ return $_op.getODSOperands(n); }]>,
  ];
}

def Hip_MeetingOpInterface : OpInterface<"MeetingOpInterface"> {
  let cppNamespace = "::tilec::hip";
  let description = "An operation in which all waves of the workgroup meet, or the first of them.";
  let methods = [
    InterfaceMethod<"How many of the first waves meet; none where all do.", "::std::optional<uint64_t>", "getWaves">,
  ];
}

def Hip_RaisingOpInterface : OpInterface<"RaisingOpInterface"> {
  let cppNamespace = "::tilec::hip";
  let description = "An operation that others wait for, or that makes what was stored visible before one.";
  let methods = [
    InterfaceMethod<"How far it reaches.", "::tilec::tile::Scope", "getScope">,
    InterfaceMethod<"Who raises it; none where the workgroup does.", "::std::optional<::tilec::tile::Participants>",
                    "getParticipants">,
  ];
  let extraClassDeclaration = [{
    bool isByWave() { return getParticipants() == ::tilec::tile::Participants::Wave; }
  }];
}

class Hip_TextOp<string mnemonic, string cpp, list<Trait> traits = []>
    : Hip_Op<mnemonic, !listconcat([Hip_TextOpInterface], traits)> {
  let summary = "`" # cpp # "`";
  let extraClassDeclaration = "static constexpr ::llvm::StringLiteral text = \"" # cpp # "\";";
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
class Hip_ReadOp<string mnemonic, string cpp, list<Trait> traits = []>
    : Hip_TextOp<mnemonic, cpp, !listconcat(traits, [MemoryEffects<[MemRead]>])>;
class Hip_WriteOp<string mnemonic, string cpp, list<Trait> traits = []>
    : Hip_TextOp<mnemonic, cpp, !listconcat(traits, [MemoryEffects<[MemRead, MemWrite]>])>;

#endif
