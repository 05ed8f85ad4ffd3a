// Loops over the elements of tiles: float, integer, compare, select and cast operations.
#include "passes/interpreter/Elementwise.h"
#include "passes/interpreter/Limits.h"
#include "passes/interpreter/RealFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace tilec::interpreter;

/// An integer operation: `failed` is set where there is no result.
using WholeFunction = int64_t (*)(const Format &format, int64_t a, int64_t b, bool &failed);

#define TILEC_WHOLE(expression)                                                                                        \
  [](auto) -> WholeFunction {                                                                                          \
    return [](const Format &format, int64_t a, int64_t b, bool &failed) -> int64_t {                                   \
      (void)format, (void)a, (void)b, (void)failed;                                                                    \
      return expression;                                                                                               \
    };                                                                                                                 \
  }

static uint64_t wide(int64_t value) { return static_cast<uint64_t>(value); }

/// Signed division where it has a result: not by zero, and not of the smallest number by -1.
static bool divides(int64_t a, int64_t b, bool &failed) {
  failed |= b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min());
  return !failed;
}

static int64_t floorDivision(int64_t a, int64_t b, bool &failed) {
  return divides(a, b, failed) ? a / b - (a % b != 0 && (a < 0) != (b < 0)) : 0;
}

static int64_t ceilDivision(int64_t a, int64_t b, bool &failed) {
  return divides(a, b, failed) ? a / b + (a % b != 0 && (a < 0) == (b < 0)) : 0;
}

static WholeFunction divisionFunction(Operation *op) {
  return llvm::TypeSwitch<Operation *, WholeFunction>(op)
      .Case<arith::DivSIOp>(TILEC_WHOLE(divides(a, b, failed) ? a / b : 0))
      .Case<arith::RemSIOp>(TILEC_WHOLE(divides(a, b, failed) ? a % b : 0))
      .Case<arith::FloorDivSIOp>(TILEC_WHOLE(floorDivision(a, b, failed)))
      .Case<arith::CeilDivSIOp>(TILEC_WHOLE(ceilDivision(a, b, failed)))
      .Case<arith::DivUIOp>(TILEC_WHOLE((failed |= b == 0) ? 0 : format.zeroExtend(a) / format.zeroExtend(b)))
      .Case<arith::RemUIOp>(TILEC_WHOLE((failed |= b == 0) ? 0 : format.zeroExtend(a) % format.zeroExtend(b)))
      .Case<arith::CeilDivUIOp>(TILEC_WHOLE((failed |= b == 0)
                                                ? 0
                                                : format.zeroExtend(a) / format.zeroExtend(b) +
                                                      (format.zeroExtend(a) % format.zeroExtend(b) != 0)))
      .Default([](auto) -> WholeFunction { return nullptr; });
}

static WholeFunction wholeFunction(Operation *op) {
  return llvm::TypeSwitch<Operation *, WholeFunction>(op)
      .Case<arith::AddIOp>(TILEC_WHOLE(wide(a) + wide(b)))
      .Case<arith::SubIOp>(TILEC_WHOLE(wide(a) - wide(b)))
      .Case<arith::MulIOp>(TILEC_WHOLE(wide(a) * wide(b)))
      .Case<arith::AndIOp>(TILEC_WHOLE(a & b))
      .Case<arith::OrIOp>(TILEC_WHOLE(a | b))
      .Case<arith::XOrIOp>(TILEC_WHOLE(a ^ b))
      .Case<arith::ShLIOp>(TILEC_WHOLE(format.zeroExtend(b) < format.bits ? wide(a) << b : 0))
      .Case<arith::ShRSIOp>(TILEC_WHOLE(format.zeroExtend(b) < format.bits ? a >> b : 0))
      .Case<arith::ShRUIOp>(TILEC_WHOLE(format.zeroExtend(b) < format.bits ? format.zeroExtend(a) >> b : 0))
      .Case<arith::MaxSIOp>(TILEC_WHOLE(std::max(a, b)))
      .Case<arith::MinSIOp>(TILEC_WHOLE(std::min(a, b)))
      .Case<arith::MaxUIOp>(TILEC_WHOLE(format.zeroExtend(a) > format.zeroExtend(b) ? a : b))
      .Case<arith::MinUIOp>(TILEC_WHOLE(format.zeroExtend(a) < format.zeroExtend(b) ? a : b))
      .Case<math::AbsIOp>(TILEC_WHOLE(a < 0 ? -wide(a) : wide(a)))
      .Default([](Operation *other) { return divisionFunction(other); });
}
#undef TILEC_WHOLE

/// What uncertain operands do to an integer result.
static double wholeError(Operation *op, const Format &format, int64_t a, double errorA, int64_t b, double errorB) {
  // Machines differ: some take the low bits of the distance, some leave nothing.
  if (isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op) && format.zeroExtend(b) >= format.bits)
    return infinity;
  if (errorA == 0 && errorB == 0)
    return 0;
  if (format.bits == 1)
    return 1;
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return errorA + errorB;
  if (isa<arith::MulIOp>(op))
    return std::abs(static_cast<double>(a)) * errorB + std::abs(static_cast<double>(b)) * errorA + errorA * errorB;
  if (isa<arith::MaxSIOp, arith::MinSIOp>(op))
    return std::max(errorA, errorB);
  return infinity;
}

static FailureOr<Elements> evaluateWhole(Operation *op, ArrayRef<SharedElements> operands, WholeFunction function) {
  const Elements &a = *operands[0], &b = *operands.back();
  Elements result(a.format, a.shape);
  for (int64_t i = 0, n = result.size(); i < n; ++i) {
    bool failed = false;
    int64_t value = function(result.format, a.whole[i], b.whole[i], failed);
    if (failed)
      return op->emitOpError() << "divides " << a.whole[i] << " by " << b.whole[i];
    result.whole[i] = result.format.wrap(value);
    result.setError(i, wholeError(op, result.format, a.whole[i], a.errorAt(i), b.whole[i], b.errorAt(i)));
  }
  return result;
}

/// A lower bound on the magnitude of every element.
static double leastMagnitude(Limits limits) { return std::max({limits.low, -limits.high, 0.0}); }

/// What is known of the greatest element of each line, behind functions that rise.
static void keepPeak(Operation *op, ArrayRef<SharedElements> operands, Elements &result) {
  const Elements &first = *operands[0];
  auto keep = [&](double peak) {
    result.peakDim = first.peakDim;
    result.peak = peak;
  };
  if (first.peakDim < 0)
    return;
  // Eight units in the last place are more than the device's functions lose.
  if (isa<math::ExpOp>(op))
    keep(std::exp(first.peak) * (1 - 16 * unitF32));
  else if (isa<math::Exp2Op>(op))
    keep(std::exp2(first.peak) * (1 - 16 * unitF32));
  else if (Limits by = operands.back()->limits; isa<arith::MulFOp>(op) && by.low == by.high && by.low > 0)
    keep(first.peak * by.low - 16 * unitF32 * std::abs(first.peak * by.low));
  if (result.format.bits < 32)
    result.peak = result.format.round(result.peak);
}

static Elements evaluateReal(Operation *op, ArrayRef<SharedElements> operands, RealFunction function) {
  const Elements &first = *operands[0];
  Elements result(first.format, first.shape);
  result.limits = limitsOf(op, operands, result.format);
  double least[3] = {0, 0, 0};
  for (size_t j = 0; j < operands.size(); ++j)
    least[j] = leastMagnitude(operands[j]->limits);
  for (int64_t i = 0, n = result.size(); i < n; ++i) {
    Real arguments[3];
    for (size_t j = 0; j < operands.size(); ++j)
      arguments[j] = {operands[j]->real[i], operands[j]->errorAt(i), least[j]};
    Real out = function(result.format, arguments[0], arguments[1], arguments[2]);
    result.real[i] = out.value;
    result.setError(i, out.error);
  }
  cutErrors(result);
  keepPeak(op, operands, result);
  return result;
}

static bool compareReals(arith::CmpFPredicate predicate, double a, double b) {
  using enum arith::CmpFPredicate;
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case AlwaysFalse:
    return false;
  case OEQ:
    return a == b;
  case OGT:
    return a > b;
  case OGE:
    return a >= b;
  case OLT:
    return a < b;
  case OLE:
    return a <= b;
  case ONE:
    return !unordered && a != b;
  case ORD:
    return !unordered;
  case UEQ:
    return unordered || a == b;
  case UGT:
    return unordered || a > b;
  case UGE:
    return unordered || a >= b;
  case ULT:
    return unordered || a < b;
  case ULE:
    return unordered || a <= b;
  case UNE:
    return unordered || a != b;
  case UNO:
    return unordered;
  case AlwaysTrue:
    return true;
  }
  llvm_unreachable("every predicate is handled");
}

static Elements evaluateCompare(arith::CmpFOp op, const Elements &a, const Elements &b, const Format &format) {
  Elements result(format, a.shape);
  for (int64_t i = 0, n = a.size(); i < n; ++i) {
    double x = a.real[i], y = b.real[i], error = a.errorAt(i) + b.errorAt(i);
    result.whole[i] = format.wrap(compareReals(op.getPredicate(), x, y));
    if (error != 0 && !(std::abs(x - y) > error) && !std::isnan(x) && !std::isnan(y))
      result.setError(i, 1);
  }
  return result;
}

static Elements evaluateCompare(arith::CmpIOp op, const Elements &a, const Elements &b, const Format &format) {
  Elements result(format, a.shape);
  for (int64_t i = 0, n = a.size(); i < n; ++i) {
    llvm::APInt x(64, static_cast<uint64_t>(a.whole[i])), y(64, static_cast<uint64_t>(b.whole[i]));
    result.whole[i] = format.wrap(arith::applyCmpPredicate(op.getPredicate(), x, y));
    double error = a.errorAt(i) + b.errorAt(i);
    if (error != 0 && !(std::abs(static_cast<double>(a.whole[i]) - static_cast<double>(b.whole[i])) > error))
      result.setError(i, 1);
  }
  return result;
}

/// Where the condition is uncertain, the implementation may have taken the other value.
static FailureOr<Elements> evaluateSelect(arith::SelectOp op, ArrayRef<SharedElements> operands) {
  const Elements &condition = *operands[0], &onTrue = *operands[1], &onFalse = *operands[2];
  bool scalar = condition.shape.empty();
  if (onTrue.shape != onFalse.shape || (!scalar && condition.shape != onTrue.shape))
    return op.emitOpError() << "has operands of different shapes";
  Elements result(onTrue.format, onTrue.shape);
  for (int64_t i = 0, n = result.size(); i < n; ++i) {
    int64_t c = scalar ? 0 : i;
    const Elements &taken = condition.whole[c] ? onTrue : onFalse, &other = condition.whole[c] ? onFalse : onTrue;
    result.copy(i, taken, i);
    if (condition.errorAt(c) == 0)
      continue;
    double difference = result.format.isFloat
                            ? std::abs(taken.real[i] - other.real[i])
                            : std::abs(static_cast<double>(taken.whole[i]) - static_cast<double>(other.whole[i]));
    difference = std::isnan(difference) ? infinity : difference;
    result.setError(i, std::max(taken.errorAt(i), difference + other.errorAt(i)));
  }
  if (!result.format.isFloat)
    return result;
  result.limits = limitsOf(op, operands, result.format);
  cutErrors(result);
  return result;
}

/// A float becomes an integer, toward zero; one that does not fit has no defined result.
static void castToWhole(Elements &result, const Elements &from, int64_t i, bool isSigned) {
  double value = std::trunc(from.real[i]), error = from.errorAt(i);
  double low = isSigned ? -std::ldexp(1, result.format.bits - 1) : 0;
  double high = std::ldexp(1, result.format.bits - (isSigned ? 1 : 0));
  if (!(value >= low && value < high)) {
    result.setError(i, infinity);
    return;
  }
  result.whole[i] = result.format.wrap(value < 0x1p63 ? static_cast<int64_t>(value) : static_cast<uint64_t>(value));
  if (error != 0)
    result.setError(i, std::max(std::trunc(from.real[i] + error) - value, value - std::trunc(from.real[i] - error)));
}

static void castElement(Operation *op, Elements &result, const Elements &from, int64_t i) {
  if (isa<arith::TruncFOp, arith::ExtFOp>(op)) {
    result.real[i] = result.format.bits < from.format.bits ? result.format.round(from.real[i]) : from.real[i];
    bool narrows = result.format.bits < from.format.bits;
    result.setError(i, narrows ? result.format.roundingError(from.real[i], from.errorAt(i)) : from.errorAt(i));
  } else if (isa<arith::SIToFPOp, arith::UIToFPOp>(op)) {
    double value = isa<arith::SIToFPOp>(op) ? static_cast<double>(from.whole[i])
                                            : static_cast<double>(from.format.zeroExtend(from.whole[i]));
    Real out = finish(result.format, value, from.errorAt(i));
    result.real[i] = out.value;
    result.setError(i, out.error);
  } else if (isa<arith::FPToSIOp, arith::FPToUIOp>(op)) {
    castToWhole(result, from, i, isa<arith::FPToSIOp>(op));
  } else if (isa<arith::BitcastOp>(op)) {
    uint64_t bits = from.format.isFloat ? encode(from.format, from.format.round(from.real[i]))
                                        : from.format.zeroExtend(from.whole[i]);
    if (result.format.isFloat)
      result.real[i] = decode(result.format, bits);
    else
      result.whole[i] = result.format.wrap(bits);
    result.setError(i, from.errorAt(i) == 0 ? 0 : infinity);
  } else {
    bool isUnsigned = isa<arith::ExtUIOp, arith::IndexCastUIOp>(op);
    result.whole[i] = result.format.wrap(isUnsigned ? from.format.zeroExtend(from.whole[i]) : from.whole[i]);
    bool narrows = result.format.bits < from.format.bits;
    result.setError(i, from.errorAt(i) == 0 ? 0 : narrows ? infinity : from.errorAt(i));
  }
}

static FailureOr<Elements> evaluateConstant(arith::ConstantOp op, const Format &format) {
  auto fill = [&](Elements &result, int64_t i, Attribute attribute) {
    if (auto real = dyn_cast<FloatAttr>(attribute)) {
      bool losesInfo;
      llvm::APFloat value = real.getValue();
      value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
      result.real[i] = value.convertToDouble();
    } else {
      result.whole[i] = cast<IntegerAttr>(attribute).getValue().getSExtValue();
    }
  };
  if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue())) {
    Elements result(format, dense.getType().getShape());
    for (auto [i, attribute] : llvm::enumerate(dense.getValues<Attribute>()))
      fill(result, i, attribute);
    if (dense.isSplat())
      result.setConstantLimits();
    return result;
  }
  if (!isa<FloatAttr, IntegerAttr>(op.getValue()))
    return op.emitOpError() << "has a value of type " << op.getType() << ", which the oracle does not know";
  Elements result(format, {});
  fill(result, 0, op.getValue());
  result.setConstantLimits();
  return result;
}

static bool isCast(Operation *op) {
  return isa<arith::TruncFOp, arith::ExtFOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp,
             arith::BitcastOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp,
             arith::IndexCastUIOp>(op);
}

FailureOr<Elements> tilec::interpreter::evaluateElementwise(Operation *op, ArrayRef<SharedElements> operands) {
  std::optional<Format> format;
  if (op->getNumResults() == 1)
    format = Format::get(getElementTypeOrSelf(op->getResult(0).getType()));
  if (!format)
    return op->emitOpError() << "is not known to the oracle";
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return evaluateConstant(constant, *format);
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return evaluateSelect(select, operands);
  for (const SharedElements &operand : operands)
    if (operand->shape != operands[0]->shape)
      return op->emitOpError() << "has operands of different shapes";
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return evaluateCompare(compare, *operands[0], *operands[1], *format);
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return evaluateCompare(compare, *operands[0], *operands[1], *format);
  if (isCast(op)) {
    Elements result(*format, operands[0]->shape);
    for (int64_t i = 0, n = result.size(); i < n; ++i)
      castElement(op, result, *operands[0], i);
    if (isa<arith::TruncFOp, arith::ExtFOp>(op)) {
      result.limits = limitsOf(op, operands, *format);
      result.peakDim = operands[0]->peakDim;
      result.peak = format->round(operands[0]->peak);
      cutErrors(result);
    }
    return result;
  }
  if (RealFunction function = realFunction(op))
    return evaluateReal(op, operands, function);
  if (WholeFunction function = wholeFunction(op))
    return evaluateWhole(op, operands, function);
  return op->emitOpError() << "is not known to the oracle";
}
