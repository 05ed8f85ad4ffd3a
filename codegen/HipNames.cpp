// Legal, unique C++ identifiers.
#include "codegen/HipNames.h"

using namespace mlir;
using namespace tilec;

/// Macros that the headers of HIP, of C and of the operating system define and that an author may well choose.
static bool isMacro(StringRef name) {
  static constexpr StringRef words[] = {"INFINITY", "NAN",    "NULL",  "EOF",   "MAXFLOAT", "BUFSIZ", "EDOM",
                                        "ERANGE",   "EINVAL", "errno", "stdin", "stdout",   "stderr", "assert",
                                        "offsetof", "alloca", "linux", "unix",  "CHAR_BIT"};
  if (llvm::is_contained(words, name) || name.starts_with("HUGE_VAL") || name.starts_with("FP_"))
    return true;
  // M_PI, INT_MAX and their like.
  bool isConstant = name.consume_front("M_") || name.consume_back("_MAX") || name.consume_back("_MIN");
  return isConstant && llvm::any_of(name, [](char c) { return llvm::isUpper(c); }) &&
         llvm::none_of(name, [](char c) { return llvm::isLower(c); });
}

static bool isReserved(StringRef name) {
  static constexpr StringRef words[] = {"alignas",       "alignof",      "and",          "asm",
                                        "auto",          "bool",         "break",        "case",
                                        "catch",         "char",         "class",        "const",
                                        "continue",      "default",      "delete",       "do",
                                        "double",        "else",         "enum",         "explicit",
                                        "export",        "extern",       "false",        "float",
                                        "for",           "friend",       "goto",         "if",
                                        "inline",        "int",          "long",         "mutable",
                                        "namespace",     "new",          "not",          "nullptr",
                                        "operator",      "or",           "private",      "protected",
                                        "public",        "register",     "requires",     "return",
                                        "short",         "signed",       "sizeof",       "static",
                                        "struct",        "switch",       "template",     "this",
                                        "throw",         "true",         "try",          "typedef",
                                        "typeid",        "typename",     "union",        "unsigned",
                                        "using",         "virtual",      "void",         "volatile",
                                        "while",         "xor",          "tilec",        "main",
                                        "constexpr",     "concept",      "error",        "arguments",
                                        "warpSize",      "threadIdx",    "blockIdx",     "blockDim",
                                        "gridDim",       "hip",          "max",          "min",
                                        "char8_t",       "char16_t",     "char32_t",     "wchar_t",
                                        "decltype",      "noexcept",     "consteval",    "constinit",
                                        "const_cast",    "static_cast",  "dynamic_cast", "reinterpret_cast",
                                        "static_assert", "thread_local", "co_await",     "co_return",
                                        "co_yield",      "and_eq",       "or_eq",        "not_eq",
                                        "xor_eq",        "bitand",       "bitor",        "compl"};
  return llvm::is_contained(words, name) || isMacro(name);
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

/// What a number is for: the size or the place of something that has a name, or a step along a named index.
static std::string purposeOf(Operation *op, int depth = 4) {
  auto nameOf = [](Location loc) {
    auto name = dyn_cast<NameLoc>(loc);
    return name ? legalName(name.getName()) : std::string();
  };
  for (Operation *user : op->getUsers()) {
    std::string name = nameOf(user->getLoc());
    if (isa<hip::CopyOfOp>(user) && !name.empty())
      return name + "_bytes";
    if (isa<hip::SignalsOp>(user) && !name.empty())
      return name + "_offset";
    if (isa<hip::AdvanceOp>(user))
      for (Operation *placed : user->getUsers())
        if (std::string buffer = nameOf(placed->getLoc()); !buffer.empty())
          return buffer + "_offset";
    if (depth > 0 && isa<arith::ArithDialect>(user->getDialect()))
      if (std::string purpose = purposeOf(user, depth - 1); !purpose.empty())
        return purpose;
  }
  if (!isa<arith::MulIOp, arith::AddIOp>(op))
    return {};
  // `shard * M`, `i * 4 + rank`: from the index that varies.
  for (Value operand : op->getOperands()) {
    Operation *def = operand.getDefiningOp();
    std::string name = nameOf(operand.getLoc());
    if (isa_and_nonnull<hip::CoordinateOp, hip::RotateOp>(def) ||
        (!def && isa<scf::ForOp>(operand.getParentBlock()->getParentOp())))
      return name.empty() ? name : name + "_start";
    if (auto product = operand.getDefiningOp<arith::MulIOp>(); product && isa<arith::AddIOp>(op) && depth > 0)
      if (std::string purpose = purposeOf(product, 0); !purpose.empty())
        return purpose;
  }
  return {};
}

std::string tilec::suggestName(Operation *op) {
  if (auto name = dyn_cast<NameLoc>(op->getLoc()))
    return legalName(name.getName());
  StringRef mnemonic = op->getName().stripDialect();
  if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect())) {
    std::string purpose = purposeOf(op);
    return purpose.empty() ? "value" : purpose;
  }
  if (isa<hip::ElementwiseOp>(op))
    return "out";
  if (isa<hip::MmaOp, hip::DotOp>(op))
    return "product";
  if (isa<scf::SCFDialect>(op->getDialect()))
    return "carried";
  if (isa<hip::SharedLoadOp>(op))
    for (OpOperand &use : op->getUses())
      if (isa<hip::MmaOp, hip::DotOp>(use.getOwner()))
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
