// Legal, unique C++ identifiers.
#include "codegen/HipNames.h"

using namespace mlir;
using namespace tilec;

static bool isReserved(StringRef name) {
  static constexpr StringRef words[] = {
      "alignas",  "alignof",   "and",      "asm",       "auto",    "bool",      "break",    "case",    "catch",
      "char",     "class",     "const",    "continue",  "default", "delete",    "do",       "double",  "else",
      "enum",     "explicit",  "export",   "extern",    "false",   "float",     "for",      "friend",  "goto",
      "if",       "inline",    "int",      "long",      "mutable", "namespace", "new",      "not",     "nullptr",
      "operator", "or",        "private",  "protected", "public",  "register",  "requires", "return",  "short",
      "signed",   "sizeof",    "static",   "struct",    "switch",  "template",  "this",     "throw",   "true",
      "try",      "typedef",   "typeid",   "typename",  "union",   "unsigned",  "using",    "virtual", "void",
      "volatile", "while",     "xor",      "tilec",     "main",    "constexpr", "concept",  "error",   "arguments",
      "warpSize", "threadIdx", "blockIdx", "blockDim",  "gridDim", "hip",       "max",      "min"};
  return llvm::is_contained(words, name);
}

std::string tilec::legalName(StringRef text) {
  std::string name;
  for (char c : text) {
    char next = llvm::isAlnum(c) ? c : '_';
    if (next != '_' || name.empty() || name.back() != '_')
      name += next;
  }
  if (name.empty() || !llvm::isAlpha(name.front()))
    name = "v" + name;
  if (isReserved(name))
    name += "_";
  return name;
}

std::string tilec::suggestName(Operation *op) {
  if (auto name = dyn_cast<NameLoc>(op->getLoc()))
    return legalName(name.getName());
  StringRef mnemonic = op->getName().stripDialect();
  if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
    return "value";
  if (isa<hip::ElementwiseOp>(op))
    return "out";
  if (isa<hip::MmaOp>(op))
    return "product";
  if (isa<scf::SCFDialect>(op->getDialect()))
    return "carried";
  if (isa<hip::SharedLoadOp>(op))
    for (OpOperand &use : op->getUses())
      if (isa<hip::MmaOp>(use.getOwner()))
        return use.getOperandNumber() == 0 ? "lhs" : "rhs";
  if (isa<hip::PlainLoadOp, hip::LoadLiveOp, hip::SharedLoadOp>(op))
    return "tile";
  return legalName(mnemonic);
}

void ScopedNames::pop() {
  for (const std::string &name : scopes.back())
    active.erase(name);
  scopes.pop_back();
}

std::string ScopedNames::add(StringRef wanted) {
  std::string name = wanted.str();
  for (int number = 2; !active.insert(name).second; ++number)
    name = wanted.str() + "_" + std::to_string(number);
  scopes.back().push_back(name);
  return name;
}
