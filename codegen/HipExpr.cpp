// Expressions of the text.
#include "codegen/HipExpr.h"
#include "codegen/HipTypes.h"

#include "llvm/ADT/StringSwitch.h"

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
  return cast<StringAttr>(names[argument.getArgNumber()]).str();
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

std::string HipExpressions::binary(Operation *op, StringRef symbol, Binding binding, Binding outer) {
  // One operand of type long long widens the other: its conversion need not be written.
  auto operand = [&](unsigned i, Binding around) {
    auto cast = op->getOperand(i).getDefiningOp<arith::IndexCastOp>();
    Operation *other = op->getOperand(1 - i).getDefiningOp();
    bool elide = cast && cast.getType().isInteger(64) && !cast->hasAttr(HipDialect::nameAttr) &&
                 !isa_and_nonnull<arith::IndexCastOp>(other);
    return print(elide ? cast.getIn() : op->getOperand(i), around);
  };
  Binding right = static_cast<Binding>(static_cast<int>(binding) + 1);
  return parenthesize(operand(0, binding) + " " + symbol.str() + " " + operand(1, right), binding, outer);
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
    if (isUnsigned && !op->getOperand(0).getType().isIndex())
      return parenthesize("unsigned(" + print(op->getOperand(0)) + ") " + symbol.str() + " unsigned(" +
                              print(op->getOperand(1)) + ")",
                          Binding::Compare, outer);
    return binary(op, symbol, predicate == P::eq || predicate == P::ne ? Binding::Equal : Binding::Compare, outer);
  }
  using P = arith::CmpFPredicate;
  switch (cast<arith::CmpFOp>(op).getPredicate()) {
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
  default:
    failed = true;
    op->emitOpError() << "compares in a way that has no spelling in HIP";
    return "false";
  }
}

std::string HipExpressions::printCast(Operation *op) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  std::string operand = print(op->getOperand(0));
  if (spellType(from) == spellType(to))
    return print(op->getOperand(0), Binding::Call);
  bool plain = from.isIntOrIndex() && to.isIntOrIndex();
  if (isa<arith::ExtUIOp>(op) && !from.isInteger(1))
    operand = "(unsigned " + spellType(from) + ")(" + operand + ")";
  return (plain ? "static_cast<" : "tilec::cast<") + spellType(to) + ">(" + operand + ")";
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
                           .Cases({"math.absf", "math.absi"}, "abs")
                           .Cases({"arith.maximumf", "arith.maxsi"}, "maximum")
                           .Cases({"arith.minimumf", "arith.minsi"}, "minimum")
                           .Default("");
  if (function.empty()) {
    failed = true;
    op->emitOpError() << "has no spelling in HIP";
    return "0";
  }
  return "tilec::" + function.str() + "(" + join(op->getOperands()) + ")";
}

std::string HipExpressions::printArith(Operation *op, Binding outer) {
  if (isa<arith::AddIOp, arith::AddFOp>(op))
    return binary(op, "+", Binding::Add, outer);
  if (isa<arith::SubIOp, arith::SubFOp>(op))
    return binary(op, "-", Binding::Add, outer);
  if (isa<arith::MulIOp, arith::MulFOp>(op))
    return binary(op, "*", Binding::Multiply, outer);
  bool isIndex = op->getNumOperands() && op->getOperand(0).getType().isIndex();
  if (isa<arith::DivSIOp, arith::DivFOp>(op) || (isIndex && isa<arith::DivUIOp>(op)))
    return binary(op, "/", Binding::Multiply, outer);
  if (isa<arith::RemSIOp>(op) || (isIndex && isa<arith::RemUIOp>(op)))
    return binary(op, "%", Binding::Multiply, outer);
  if (isa<arith::FloorDivSIOp, arith::CeilDivSIOp>(op)) {
    // Division of C++ truncates; the divisor is positive.
    std::string a = print(op->getOperand(0), Binding::Multiply), b = print(op->getOperand(1), Binding::Unary);
    bool floor = isa<arith::FloorDivSIOp>(op);
    return parenthesize(a + " / " + b + (floor ? " - (" : " + (") + a + " % " + b + (floor ? " < 0)" : " > 0)"),
                        Binding::Add, outer);
  }
  if (isa<arith::AndIOp>(op))
    return binary(op, "&", Binding::BitAnd, outer);
  if (isa<arith::OrIOp>(op))
    return binary(op, "|", Binding::BitOr, outer);
  if (isa<arith::XOrIOp>(op))
    return binary(op, "^", Binding::BitXor, outer);
  if (isa<arith::ShLIOp>(op))
    return binary(op, "<<", Binding::Shift, outer);
  if (isa<arith::ShRSIOp>(op))
    return binary(op, ">>", Binding::Shift, outer);
  if (isa<arith::NegFOp>(op))
    return parenthesize("-" + print(op->getOperand(0), Binding::Unary), Binding::Unary, outer);
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
    return parenthesize(print(op->getOperand(0), Binding::Or) + " ? " + print(op->getOperand(1), Binding::Ternary) +
                            " : " + print(op->getOperand(2), Binding::Ternary),
                        Binding::Ternary, outer);
  if (isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::FPToSIOp, arith::ExtSIOp, arith::ExtUIOp,
          arith::TruncIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return printCast(op);
  return printCall(op);
}

std::string HipExpressions::printAttribute(Attribute attribute) {
  if (auto boolean = dyn_cast<BoolAttr>(attribute))
    return boolean.getValue() ? "true" : "false";
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return std::to_string(integer.getInt());
  if (auto string = dyn_cast<StringAttr>(attribute))
    return string.str();
  if (auto scope = dyn_cast<tile::ScopeAttr>(attribute))
    return "tilec::" + tile::stringifyScope(scope.getValue()).str();
  if (auto participants = dyn_cast<tile::ParticipantsAttr>(attribute))
    return "tilec::" + tile::stringifyParticipants(participants.getValue()).str();
  if (auto reduction = dyn_cast<tile::ReductionAttr>(attribute))
    return tile::stringifyReduction(reduction.getValue()).str();
  std::string text;
  for (int64_t number : cast<DenseI64ArrayAttr>(attribute).asArrayRef())
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
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
    auto [body, after] = rest.split(']');
    rest = after;
    auto [name, text] = body.split('|');
    Attribute attribute = op->getAttr(name);
    auto list = dyn_cast_or_null<DenseI64ArrayAttr>(attribute);
    if (!attribute || (list && list.empty()))
      return "";
    auto [before, number] = text.split('%');
    return before.str() + (number.empty() ? "" : printAttribute(op->getAttr(number)));
  }
  char what = rest.front();
  rest = rest.drop_front();
  if (what == 'E') {
    char digit = !rest.empty() && llvm::isDigit(rest.front()) ? rest.front() : 0;
    if (!digit)
      return spellType(cast<hip::PointerType>(op->getResult(0).getType()).getElement());
    rest = rest.drop_front();
    return spellType(cast<RankedTensorType>(op->getOperand(digit - '0').getType()).getElementType());
  }
  if (what == 'S')
    return aliases.shared(cast<hip::SharedType>(op->getResult(0).getType())).str();
  auto tile = cast<RankedTensorType>(op->getResult(0).getType());
  return what == 'L' ? aliases.layout(tile).str() : spellType(tile.getElementType());
}

std::string HipExpressions::printText(hip::TextOpInterface op) {
  std::string text;
  StringRef rest = op.getText();
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
