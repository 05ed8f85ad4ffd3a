// Expressions of the text.
#include "codegen/HipExpr.h"
#include "codegen/HipTypes.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace tilec;
using hip::HipDialect;

TypeAliases::TypeAliases(tile::ProgramOp program) {
  for (Operation &op : program.getBody().front()) {
    if (auto layout = dyn_cast<hip::LayoutOp>(op))
      aliases[layout.getTile()] = layout.getSymName();
    if (auto shared = dyn_cast<hip::SharedTypeOp>(op))
      aliases[shared.getType()] = shared.getSymName();
  }
}

StringRef TypeAliases::layout(RankedTensorType tile) const {
  return aliases.lookup(
      RankedTensorType::get(tile.getShape(), IntegerType::get(tile.getContext(), 1), tile.getEncoding()));
}
StringRef TypeAliases::shared(hip::SharedType type) const { return aliases.lookup(type); }

static std::string parenthesize(std::string text, Binding inner, Binding outer) {
  return inner < outer ? "(" + text + ")" : text;
}

/// C++ computes with int on what is narrower.
static bool isNarrow(Type type) { return type.isInteger(8) || type.isInteger(16); }

std::string HipExpressions::join(ValueRange values) {
  std::string text;
  for (Value value : values)
    text += (text.empty() ? "" : ", ") + print(value);
  return text;
}

std::string HipExpressions::printArgument(BlockArgument argument) {
  Operation *op = argument.getOwner()->getParentOp();
  auto names = op->getAttrOfType<ArrayAttr>(HipDialect::argumentsAttr);
  if (auto loop = dyn_cast<hip::ElementwiseOp>(op))
    return print(loop.getOperands()[argument.getArgNumber()]) + "[" + cast<StringAttr>(names[0]).str() + "]";
  if (auto loop = dyn_cast<scf::ForOp>(op); loop && argument != loop.getInductionVar())
    return cast<StringAttr>(op->getAttrOfType<ArrayAttr>(HipDialect::nameAttr)[argument.getArgNumber() - 1]).str();
  unsigned number = argument.getArgNumber();
  for (Region &before : op->getRegions().take_front(argument.getParentRegion()->getRegionNumber()))
    number += before.getNumArguments();
  return cast<StringAttr>(names[number]).str();
}

std::string HipExpressions::print(Value value, Binding outer) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return printArgument(argument);
  Operation *op = value.getDefiningOp();
  if (auto name = op->getAttrOfType<StringAttr>(HipDialect::nameAttr))
    return name.str();
  if (auto names = op->getAttrOfType<ArrayAttr>(HipDialect::nameAttr))
    return cast<StringAttr>(names[cast<OpResult>(value).getResultNumber()]).str();
  return printOp(op, outer);
}

std::string HipExpressions::printOp(Operation *op, Binding outer) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    std::string text = printConstant(constant);
    return text.front() == '-' ? parenthesize(text, Binding::Unary, outer) : text;
  }
  if (auto text = dyn_cast<hip::TextOpInterface>(op))
    return printText(text);
  if (auto copy = dyn_cast<hip::CopyOp>(op))
    return print(copy.getValue(), outer);
  if (isa<hip::AdvanceOp>(op))
    return binary(op, "+", Binding::Add, outer);
  return printArith(op, outer);
}

std::string HipExpressions::printConstant(arith::ConstantOp op) {
  if (auto integer = dyn_cast<IntegerAttr>(op.getValue())) {
    if (op.getType().isInteger(1))
      return integer.getValue().isZero() ? "false" : "true";
    if (isNarrow(op.getType()))
      return "static_cast<" + spellType(op.getType()) + ">(" + std::to_string(integer.getValue().getSExtValue()) + ")";
    return std::to_string(integer.getValue().getSExtValue()) + (op.getType().isInteger(64) ? "ll" : "");
  }
  auto number = dyn_cast<FloatAttr>(op.getValue());
  if (!number) {
    failed = true;
    op.emitOpError() << "has no spelling in HIP";
    return "0";
  }
  APFloat value = number.getValue();
  bool isDouble = op.getType().isF64();
  std::string text;
  if (value.isNaN()) {
    text = isDouble ? "__builtin_nan(\"\")" : "__builtin_nanf(\"\")";
  } else if (value.isInfinity()) {
    text = std::string(value.isNegative() ? "-" : "") + (isDouble ? "__builtin_inf()" : "__builtin_inff()");
  } else {
    bool lost;
    APFloat wide = value;
    wide.convert(isDouble ? APFloat::IEEEdouble() : APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lost);
    SmallString<32> digits;
    wide.toString(digits, /*FormatPrecision=*/0, /*FormatMaxPadding=*/6, /*TruncateZero=*/true);
    text = digits.str().str();
    if (text.find_first_of(".eE") == std::string::npos)
      text += ".0";
    text += isDouble ? "" : "f";
  }
  return op.getType().isF32() || isDouble ? text : "tilec::cast<" + spellType(op.getType()) + ">(" + text + ")";
}

namespace {
/// An operator of C++ with the same meaning.
struct Operator {
  StringRef symbol;
  Binding binding = Binding::Lowest;
};
} // namespace

static Operator operatorOf(Operation *op) {
  bool isIndex = op->getNumOperands() && op->getOperand(0).getType().isIndex();
  if (op->getNumResults() && op->getResult(0).getType().isInteger(1)) {
    // One bit wraps as it does in no type of C++, and the set one is -1, the smaller of the two.
    if (isa<arith::AddIOp, arith::SubIOp>(op))
      return {"^", Binding::BitXor};
    if (isa<arith::MulIOp, arith::MaxSIOp>(op))
      return {"&", Binding::BitAnd};
    if (isa<arith::MinSIOp>(op))
      return {"|", Binding::BitOr};
  }
  if (isa<arith::AddIOp, arith::AddFOp>(op))
    return {"+", Binding::Add};
  if (isa<arith::SubIOp, arith::SubFOp>(op))
    return {"-", Binding::Add};
  if (isa<arith::MulIOp, arith::MulFOp>(op))
    return {"*", Binding::Multiply};
  if (isa<arith::DivSIOp, arith::DivFOp>(op) || (isIndex && isa<arith::DivUIOp>(op)))
    return {"/", Binding::Multiply};
  if (isa<arith::RemSIOp>(op) || (isIndex && isa<arith::RemUIOp>(op)))
    return {"%", Binding::Multiply};
  if (isa<arith::AndIOp>(op))
    return {"&", Binding::BitAnd};
  if (isa<arith::OrIOp>(op))
    return {"|", Binding::BitOr};
  if (isa<arith::XOrIOp>(op))
    return {"^", Binding::BitXor};
  if (isa<arith::ShLIOp>(op))
    return {"<<", Binding::Shift};
  if (isa<arith::ShRSIOp>(op))
    return {">>", Binding::Shift};
  return {};
}

/// What an operand of an operator may be without parentheses. Some that C++ does not need are written, so that nobody
/// has to know the order of such operators; clang warns where they are missing.
static Binding operandOf(Binding binding) {
  if (binding >= Binding::BitOr && binding <= Binding::Compare)
    return Binding::Shift;
  return binding == Binding::Shift ? Binding::Multiply : binding;
}

std::string HipExpressions::binary(Operation *op, StringRef symbol, Binding binding, Binding outer) {
  // One operand of type long long widens the other: its conversion need not be written.
  auto operand = [&](unsigned i, Binding around) {
    auto cast = op->getOperand(i).getDefiningOp<arith::IndexCastOp>();
    Operation *other = op->getOperand(1 - i).getDefiningOp();
    bool elide = cast && cast.getType().isInteger(64) && !cast->hasAttr(HipDialect::nameAttr) &&
                 !isa<arith::ShLIOp, arith::ShRSIOp>(op) && (i == 1 || !isa_and_nonnull<arith::IndexCastOp>(other));
    return print(elide ? cast.getIn() : op->getOperand(i), around);
  };
  Operation *first = op->getOperand(0).getDefiningOp();
  Binding left = first && operatorOf(first).symbol == symbol ? binding : operandOf(binding);
  Binding right = std::max(operandOf(binding), static_cast<Binding>(static_cast<int>(binding) + 1));
  return parenthesize(operand(0, left) + " " + symbol.str() + " " + operand(1, right), binding, outer);
}

std::string HipExpressions::printCompare(Operation *op, Binding outer) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    using P = arith::CmpIPredicate;
    P predicate = compare.getPredicate();
    StringRef symbol = predicate == P::eq                           ? "=="
                       : predicate == P::ne                         ? "!="
                       : predicate == P::slt || predicate == P::ult ? "<"
                       : predicate == P::sle || predicate == P::ule ? "<="
                       : predicate == P::sgt || predicate == P::ugt ? ">"
                                                                    : ">=";
    bool isUnsigned = predicate == P::ult || predicate == P::ule || predicate == P::ugt || predicate == P::uge;
    Type type = op->getOperand(0).getType();
    if (isUnsigned && type.isInteger(64))
      return parenthesize(asUnsigned(op->getOperand(0)) + " " + symbol.str() + " " + asUnsigned(op->getOperand(1)),
                          Binding::Compare, outer);
    if (isUnsigned && !type.isIndex())
      return parenthesize("unsigned(" + print(op->getOperand(0)) + ") " + symbol.str() + " unsigned(" +
                              print(op->getOperand(1)) + ")",
                          Binding::Compare, outer);
    // The set i1 is -1 as a signed number: true is less than false.
    if (type.isInteger(1) && symbol.front() != '=' && symbol.front() != '!')
      symbol = predicate == P::slt ? ">" : predicate == P::sle ? ">=" : predicate == P::sgt ? "<" : "<=";
    return binary(op, symbol, predicate == P::eq || predicate == P::ne ? Binding::Equal : Binding::Compare, outer);
  }
  return printFloatCompare(cast<arith::CmpFOp>(op), outer);
}

std::string HipExpressions::printFloatCompare(arith::CmpFOp op, Binding outer) {
  using P = arith::CmpFPredicate;
  auto isNumber = [&](unsigned i) {
    std::string text = print(op->getOperand(i), Binding::Equal);
    return text + " == " + text;
  };
  auto either = [&] {
    return "(" + binary(op, "<", Binding::Compare, Binding::Or) + " || " +
           binary(op, ">", Binding::Compare, Binding::Or) + ")";
  };
  switch (op.getPredicate()) {
  case P::OEQ:
    return binary(op, "==", Binding::Equal, outer);
  case P::UNE:
    return binary(op, "!=", Binding::Equal, outer);
  case P::OLT:
    return binary(op, "<", Binding::Compare, outer);
  case P::OLE:
    return binary(op, "<=", Binding::Compare, outer);
  case P::OGT:
    return binary(op, ">", Binding::Compare, outer);
  case P::OGE:
    return binary(op, ">=", Binding::Compare, outer);
  // An unordered comparison is the opposite of the opposite ordered one.
  case P::UGE:
    return "!" + binary(op, "<", Binding::Compare, Binding::Call);
  case P::UGT:
    return "!" + binary(op, "<=", Binding::Compare, Binding::Call);
  case P::ULE:
    return "!" + binary(op, ">", Binding::Compare, Binding::Call);
  case P::ULT:
    return "!" + binary(op, ">=", Binding::Compare, Binding::Call);
  case P::ONE:
    return either();
  case P::UEQ:
    return "!" + either();
  case P::ORD:
    return parenthesize(isNumber(0) + " && " + isNumber(1), Binding::And, outer);
  case P::UNO:
    return "!(" + isNumber(0) + " && " + isNumber(1) + ")";
  case P::AlwaysTrue:
    return "true";
  case P::AlwaysFalse:
    return "false";
  }
  llvm_unreachable("a comparison of floats has sixteen predicates");
}

static std::string spellUnsigned(Type type) {
  return type.isInteger(8) ? "unsigned char" : "unsigned " + spellType(type);
}

/// The value with the type that it has: C++ computes with int on narrower ones, which templates would see.
std::string HipExpressions::exact(Value value) {
  Operation *op = value.getDefiningOp();
  bool promoted = op && !op->hasAttr(HipDialect::nameAttr) && isa<arith::ArithDialect>(op->getDialect()) &&
                  !isa<arith::ConstantOp>(op) && (isNarrow(value.getType()) || value.getType().isInteger(1));
  std::string text = print(value);
  std::string prefix = "static_cast<" + spellType(value.getType()) + ">(";
  return promoted && !StringRef(text).starts_with(prefix) ? prefix + text + ")" : text;
}

/// The value as a number that is never negative; an i1 is 0 or 1.
std::string HipExpressions::asUnsigned(Value value) {
  std::string type = value.getType().isInteger(1) ? "int" : spellUnsigned(value.getType());
  return "static_cast<" + type + ">(" + print(value) + ")";
}

std::string HipExpressions::printCast(Operation *op, Binding outer) {
  Value value = op->getOperand(0);
  Type from = value.getType(), to = op->getResult(0).getType();
  std::string target = "<" + spellType(to) + ">(";
  if (isa<arith::BitcastOp>(op))
    return "tilec::bit_cast" + target + exact(value) + ")";
  if (spellType(from) == spellType(to))
    return print(value, outer);
  if (isa<arith::TruncIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op) && to.isInteger(1))
    return parenthesize("(" + print(value, Binding::BitAnd) + " & 1) != 0", Binding::Equal, outer);
  // As a bool any fraction would be true.
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op) && to.isInteger(1))
    return parenthesize("tilec::cast<int>(" + print(value) + ") != 0", Binding::Equal, outer);
  if (isa<arith::FPToUIOp>(op))
    return "static_cast" + target + "tilec::cast<" + spellUnsigned(to) + ">(" + print(value) + "))";
  bool isUnsigned = isa<arith::ExtUIOp, arith::UIToFPOp>(op) ||
                    (isa<arith::IndexCastUIOp>(op) && (isNarrow(from) || from.isInteger(1)));
  std::string operand = isUnsigned ? asUnsigned(value) : print(value);
  // The set i1 is -1 as a signed number.
  if (isa<arith::ExtSIOp, arith::SIToFPOp, arith::IndexCastOp>(op) && from.isInteger(1))
    operand = "-" + asUnsigned(value);
  bool plain = from.isIntOrIndex() && to.isIntOrIndex();
  return (plain ? "static_cast" : "tilec::cast") + target + operand + ")";
}

/// Operations on integers that read them as unsigned; the result goes back to the signed type of the text.
std::string HipExpressions::printUnsigned(Operation *op, Binding outer) {
  StringRef symbol = isa<arith::DivUIOp>(op)   ? " / "
                     : isa<arith::RemUIOp>(op) ? " % "
                     : isa<arith::ShRUIOp>(op) ? " >> "
                     : isa<arith::MaxUIOp>(op) ? " > "
                                               : " < ";
  std::string a = asUnsigned(op->getOperand(0)), b = asUnsigned(op->getOperand(1));
  if (isa<arith::CeilDivUIOp>(op))
    return "static_cast<" + spellType(op->getResult(0).getType()) + ">(" + a + " / " + b + " + (" + a + " % " + b +
           " != 0))";
  std::string compared = a + symbol.str() + b;
  if (!isa<arith::MaxUIOp, arith::MinUIOp>(op))
    return "static_cast<" + spellType(op->getResult(0).getType()) + ">(" + compared + ")";
  return parenthesize(compared + " ? " + print(op->getOperand(0), Binding::Ternary) + " : " +
                          print(op->getOperand(1), Binding::Ternary),
                      Binding::Ternary, outer);
}

/// Whether the library has the function for doubles: exact ones and those that machines have instructions for.
static bool takesDoubles(Operation *op) {
  return !isa<math::MathDialect>(op->getDialect()) ||
         isa<math::SqrtOp, math::FmaOp, math::FloorOp, math::CeilOp, math::TruncOp, math::RoundOp, math::RoundEvenOp,
             math::CopySignOp, math::AbsFOp>(op);
}

std::string HipExpressions::printCall(Operation *op) {
  StringRef function = llvm::StringSwitch<StringRef>(op->getName().getStringRef())
                           .Case("math.exp", "exp")
                           .Case("math.exp2", "exp2")
                           .Case("math.log", "log")
                           .Case("math.log2", "log2")
                           .Case("math.sqrt", "sqrt")
                           .Case("math.rsqrt", "rsqrt")
                           .Case("math.tanh", "tanh")
                           .Case("math.erf", "erf")
                           .Case("math.fma", "fma")
                           .Case("math.floor", "floor")
                           .Case("math.ceil", "ceil")
                           .Case("math.trunc", "trunc")
                           .Case("math.round", "round")
                           .Case("math.roundeven", "roundeven")
                           .Case("math.copysign", "copysign")
                           .Case("math.sin", "sin")
                           .Case("math.cos", "cos")
                           .Case("math.powf", "pow")
                           .Case("math.cbrt", "cbrt")
                           .Case("math.log10", "log10")
                           .Case("math.log1p", "log1p")
                           .Case("math.expm1", "expm1")
                           .Case("math.sinh", "sinh")
                           .Case("math.cosh", "cosh")
                           .Cases({"math.absf", "math.absi"}, "abs")
                           .Cases({"arith.maximumf", "arith.maxsi"}, "maximum")
                           .Cases({"arith.minimumf", "arith.minsi"}, "minimum")
                           .Default("");
  bool isDouble = op->getNumOperands() && op->getOperand(0).getType().isF64();
  if (function.empty() || (isDouble && !takesDoubles(op))) {
    failed = true;
    InFlightDiagnostic diagnostic = op->emitOpError() << "has no spelling in HIP";
    if (!function.empty())
      diagnostic << " for f64: functions are those of f32, expected 'arith.truncf' before it";
    return "0";
  }
  std::string arguments;
  for (Value operand : op->getOperands())
    arguments += (arguments.empty() ? "" : ", ") + exact(operand);
  return "tilec::" + function.str() + "(" + arguments + ")";
}

/// Division of C++ truncates.
std::string HipExpressions::printDivision(Operation *op, Binding outer) {
  std::string a = print(op->getOperand(0), Binding::Multiply), b = print(op->getOperand(1), Binding::Unary);
  bool floor = isa<arith::FloorDivSIOp>(op);
  std::string text = a + " / " + b + (floor ? " - (" : " + (") + a + " % " + b;
  if (op->hasAttr(HipDialect::positiveDivisorAttr))
    text += floor ? " < 0)" : " > 0)";
  else
    text += " != 0 && (" + a + " < 0) " + (floor ? "!=" : "==") + " (" + b + " < 0))";
  return parenthesize(text, Binding::Add, outer);
}

std::string HipExpressions::printWrapping(Operation *op, Binding outer) {
  Operator symbol = operatorOf(op);
  Type type = op->getResult(0).getType();
  auto operand = [&](unsigned i, Binding around) {
    Value value = op->getOperand(i);
    Operation *inner = value.getDefiningOp();
    if (inner && !inner->hasAttr(HipDialect::nameAttr) && inner->hasAttr(HipDialect::wrapsAttr))
      return printWrapping(inner, around);
    // The left operand makes the right one unsigned.
    if (i == 1)
      return print(value, around);
    return type.isInteger(32) ? "unsigned(" + print(value) + ")" : asUnsigned(value);
  };
  Binding right = static_cast<Binding>(static_cast<int>(symbol.binding) + 1);
  return parenthesize(operand(0, symbol.binding) + " " + symbol.symbol.str() + " " + operand(1, right), symbol.binding,
                      outer);
}

std::string HipExpressions::printAssigned(Operation *op) {
  return op->hasAttr(HipDialect::wrapsAttr) ? printWrapping(op, Binding::Lowest) : printOp(op);
}

std::string HipExpressions::printAssigned(Value value) {
  Operation *op = value.getDefiningOp();
  return op && !op->hasAttr(HipDialect::nameAttr) ? printAssigned(op) : print(value);
}

std::string HipExpressions::printArith(Operation *op, Binding outer) {
  if (op->hasAttr(HipDialect::wrapsAttr))
    return "static_cast<" + spellType(op->getResult(0).getType()) + ">(" + printWrapping(op, Binding::Lowest) + ")";
  if (Operator symbol = operatorOf(op); !symbol.symbol.empty()) {
    // C++ computes with int: a narrower result wraps when it is converted back.
    Type type = op->getResult(0).getType();
    bool wraps = isNarrow(type) && !isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::ShRSIOp>(op);
    std::string text = binary(op, symbol.symbol, symbol.binding, wraps ? Binding::Lowest : outer);
    return wraps ? "static_cast<" + spellType(type) + ">(" + text + ")" : text;
  }
  bool isIndex = op->getNumResults() == 1 && op->getResult(0).getType().isIndex();
  if (isa<arith::FloorDivSIOp, arith::CeilDivSIOp>(op) || (isIndex && isa<arith::CeilDivUIOp>(op)))
    return printDivision(op, outer);
  if (isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp, arith::ShRUIOp, arith::MaxUIOp, arith::MinUIOp>(op))
    return printUnsigned(op, outer);
  if (isa<arith::NegFOp>(op))
    // Two signs in a row would be a decrement.
    return parenthesize("-" + print(op->getOperand(0), Binding::Call), Binding::Unary, outer);
  if (isa<arith::CmpIOp, arith::CmpFOp>(op))
    return printCompare(op, outer);
  if (isa<arith::MaxNumFOp, arith::MinNumFOp>(op)) {
    // Unlike maximum and minimum these prefer a number to a NaN.
    std::string a = print(op->getOperand(0), Binding::Unary), b = print(op->getOperand(1), Binding::Unary);
    return parenthesize(a + (isa<arith::MaxNumFOp>(op) ? " > " : " < ") + b + " || " + b + " != " + b + " ? " + a +
                            " : " + b,
                        Binding::Ternary, outer);
  }
  if (isa<arith::SelectOp>(op))
    return parenthesize(print(op->getOperand(0), Binding::Equal) + " ? " + print(op->getOperand(1), Binding::Ternary) +
                            " : " + print(op->getOperand(2), Binding::Ternary),
                        Binding::Ternary, outer);
  if (isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp,
          arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::BitcastOp, arith::IndexCastOp, arith::IndexCastUIOp>(
          op))
    return printCast(op, outer);
  return printCall(op);
}

/// The library's name of an operation of two values. `and`, `or` and `xor` are operators of C++.
static StringRef spellReduction(tile::Reduction kind) {
  switch (kind) {
  case tile::Reduction::Product:
    return "multiply";
  case tile::Reduction::And:
    return "bits_and";
  case tile::Reduction::Or:
    return "bits_or";
  case tile::Reduction::Xor:
    return "bits_xor";
  default:
    return tile::stringifyReduction(kind);
  }
}

std::string HipExpressions::printAttribute(Attribute attribute) {
  if (auto boolean = dyn_cast<BoolAttr>(attribute))
    return boolean.getValue() ? "true" : "false";
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return std::to_string(integer.getInt());
  if (auto string = dyn_cast<StringAttr>(attribute))
    return string.str();
  if (auto type = dyn_cast<TypeAttr>(attribute))
    return aliases.layout(cast<RankedTensorType>(type.getValue())).str();
  if (auto scope = dyn_cast<tile::ScopeAttr>(attribute))
    return "tilec::" + tile::stringifyScope(scope.getValue()).str();
  if (auto participants = dyn_cast<tile::ParticipantsAttr>(attribute))
    return "tilec::" + tile::stringifyParticipants(participants.getValue()).str();
  if (auto reduction = dyn_cast<tile::ReductionAttr>(attribute))
    return spellReduction(reduction.getValue()).str();
  std::string text;
  for (int64_t number : cast<DenseI64ArrayAttr>(attribute).asArrayRef())
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

/// Takes what stands before one of the characters `ends`, outside of brackets, from the front of `rest`.
static StringRef takeUntil(StringRef &rest, StringRef ends) {
  size_t at = 0;
  for (unsigned depth = 0; depth > 0 || !ends.contains(rest[at]); ++at)
    depth += rest[at] == '[' ? 1 : rest[at] == ']' ? -1u : 0;
  StringRef taken = rest.take_front(at);
  rest = rest.drop_front(at);
  return taken;
}

/// Reads one placeholder from the front of `rest`; TextOpInterface says what they mean.
std::string HipExpressions::printPlaceholder(hip::TextOpInterface op, StringRef &rest) {
  char kind = rest.front();
  rest = rest.drop_front();
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  if (kind == '$') {
    bool comma = rest.consume_front(",");
    unsigned group = rest.front() - '0';
    rest = rest.drop_front();
    std::string text = join(op.getOperandGroup(group));
    // A call's arguments never need parentheses; what a member is taken of is always a name.
    return (comma && !text.empty() ? ", " : "") + text;
  }
  if (kind == '%') {
    StringRef name = rest.take_while(isWord);
    rest = rest.drop_front(name.size());
    return printAttribute(op->getAttr(name));
  }
  if (kind == '[') {
    auto [name, texts] = rest.split('|');
    StringRef text = takeUntil(texts, "|]"), otherwise;
    if (texts.consume_front("|"))
      otherwise = takeUntil(texts, "]");
    rest = texts.drop_front();
    Attribute attribute = op->getAttr(name);
    auto list = dyn_cast_or_null<DenseI64ArrayAttr>(attribute);
    bool isThere = attribute && !(list && list.empty());
    return printTemplate(op, isThere ? text : otherwise);
  }
  char what = rest.front();
  rest = rest.drop_front();
  if (what == 'E') {
    char digit = !rest.empty() && llvm::isDigit(rest.front()) ? rest.front() : 0;
    if (!digit)
      return spellType(cast<hip::PointerType>(op->getResult(0).getType()).getElement());
    rest = rest.drop_front();
    Type type = op->getOperand(digit - '0').getType();
    RankedTensorType tile = hip::tileOf(type);
    return spellType(tile ? tile.getElementType() : hip::sharedOf(type).getElement());
  }
  if (what == 'S')
    return aliases.shared(hip::sharedOf(op->getResult(0).getType())).str();
  RankedTensorType tile = hip::tileOf(op->getResult(0).getType());
  return what == 'L' ? aliases.layout(tile).str() : spellType(tile.getElementType());
}

std::string HipExpressions::printText(hip::TextOpInterface op) { return printTemplate(op, op.getText()); }

std::string HipExpressions::printTemplate(hip::TextOpInterface op, StringRef rest) {
  std::string text;
  while (!rest.empty()) {
    // A '[' after an expression is a subscript, not a placeholder: placeholders have a '|'.
    bool conditional = rest.front() == '[' && rest.take_until([](char c) { return c == ']'; }).contains('|');
    bool modulo = rest.starts_with("% ");
    if (!modulo && (rest.front() == '$' || rest.front() == '%' || rest.front() == '#' || conditional)) {
      text += printPlaceholder(op, rest);
    } else {
      text += rest.front();
      rest = rest.drop_front();
    }
  }
  return text;
}

std::string tilec::locationOf(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    loc = name.getChildLoc();
  auto place = dyn_cast<FileLineColLoc>(loc);
  return place ? "  // " + llvm::sys::path::filename(place.getFilename().strref()).str() + ":" +
                     std::to_string(place.getLine())
               : "";
}
