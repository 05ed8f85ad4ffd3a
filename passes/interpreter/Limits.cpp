// Interval arithmetic on whole tiles.
#include "passes/interpreter/Limits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec::interpreter;

/// A range whose ends may be off by the rounding of an operation, 16 units in the last place at most.
static Limits widened(double low, double high, const Format &format) {
  if (std::isnan(low) || std::isnan(high))
    return {};
  const double slack = 32 * format.unit(), tiny = format.bits == 64 ? 0 : tinyF32;
  low -= std::isfinite(low) ? slack * std::abs(low) + tiny : 0;
  high += std::isfinite(high) ? slack * std::abs(high) + tiny : 0;
  if (format.bits < 32)
    return {format.round(low), format.round(high)};
  return {low, high};
}

/// An end that is zero stays one: a sum, product or quotient of numbers of one sign has that sign.
static Limits keepingSign(double low, double high, const Format &format) {
  Limits limits = widened(low, high, format);
  if (low >= 0)
    limits.low = std::max(limits.low, 0.0);
  if (high <= 0)
    limits.high = std::min(limits.high, 0.0);
  return limits;
}

static Limits product(Limits a, Limits b, const Format &format) {
  double low = infinity, high = -infinity;
  for (double x : {a.low, a.high})
    for (double y : {b.low, b.high}) {
      // An end that is not reached, times zero.
      double corner = x == 0 || y == 0 ? 0 : x * y;
      low = std::min(low, corner);
      high = std::max(high, corner);
    }
  return keepingSign(low, high, format);
}

/// Of a divisor that is positive everywhere; others give no range.
static Limits quotient(Limits a, Limits b, const Format &format) {
  if (!(b.low > 0))
    return {};
  return product(a, {1 / b.high, 1 / b.low}, format);
}

template <auto function>
static Limits rising(Limits a, const Format &format, double least, double most) {
  double low = function(a.low), high = function(a.high);
  Limits limits = widened(std::isnan(low) ? least : low, std::isnan(high) ? most : high, format);
  return {std::max(limits.low, least), std::min(limits.high, most)};
}

#define TILEC_RISING(name, least, most) rising<[](double x) { return std::name(x); }>(a, format, least, most)

static Limits mathRange(Operation *op, Limits a, const Format &format) {
  return llvm::TypeSwitch<Operation *, Limits>(op)
      .Case<math::ExpOp>([&](auto) { return TILEC_RISING(exp, 0, infinity); })
      .Case<math::Exp2Op>([&](auto) { return TILEC_RISING(exp2, 0, infinity); })
      .Case<math::LogOp>([&](auto) { return TILEC_RISING(log, -infinity, infinity); })
      .Case<math::Log2Op>([&](auto) { return TILEC_RISING(log2, -infinity, infinity); })
      .Case<math::SqrtOp>([&](auto) { return TILEC_RISING(sqrt, 0, infinity); })
      .Case<math::RsqrtOp>([&](auto) -> Limits {
        if (!(a.low > 0))
          return {0, infinity};
        return keepingSign(1 / std::sqrt(a.high), 1 / std::sqrt(a.low), format);
      })
      .Case<math::TanhOp>([&](auto) -> Limits {
        Limits limits = TILEC_RISING(tanh, -2, 2);
        return limits;
      })
      .Case<math::AbsFOp>([&](auto) -> Limits {
        return {std::max({0.0, a.low, -a.high}), std::max(std::abs(a.low), std::abs(a.high))};
      })
      .Default([](auto) { return Limits(); });
}
#undef TILEC_RISING

Limits tilec::interpreter::limitsOf(Operation *op, ArrayRef<SharedElements> operands, const Format &format) {
  Limits a = operands.empty() ? Limits() : operands.front()->limits,
         b = operands.empty() ? Limits() : operands.back()->limits;
  return llvm::TypeSwitch<Operation *, Limits>(op)
      .Case<arith::AddFOp>([&](auto) { return keepingSign(a.low + b.low, a.high + b.high, format); })
      .Case<arith::SubFOp>([&](auto) { return keepingSign(a.low - b.high, a.high - b.low, format); })
      .Case<arith::MulFOp>([&](auto) { return product(a, b, format); })
      .Case<arith::DivFOp>([&](auto) { return quotient(a, b, format); })
      .Case<arith::NegFOp>([&](auto) -> Limits { return {-a.high, -a.low}; })
      .Case<arith::MaximumFOp>([&](auto) -> Limits { return {std::max(a.low, b.low), std::max(a.high, b.high)}; })
      .Case<arith::MinimumFOp>([&](auto) -> Limits { return {std::min(a.low, b.low), std::min(a.high, b.high)}; })
      .Case<arith::SelectOp>([&](auto) -> Limits {
        Limits taken = operands[1]->limits;
        return {std::min(taken.low, b.low), std::max(taken.high, b.high)};
      })
      .Case<arith::ExtFOp>([&](auto) { return a; })
      .Case<arith::TruncFOp>([&](auto) -> Limits { return {format.round(a.low), format.round(a.high)}; })
      .Default([&](Operation *other) { return mathRange(other, a, format); });
}

Limits tilec::interpreter::limitsOfSum(const Elements &operand, int64_t dim, int64_t terms) {
  Limits of = operand.limits, result;
  const double count = static_cast<double>(terms), slack = gamma(count, 2 * operand.format.unit());
  if (terms == 0 || !std::isfinite(slack))
    return result;
  if (of.low >= 0)
    result = {of.low * count * (1 - slack), of.high * count * (1 + slack)};
  // The greatest of a line of positive terms is no more than their sum; rounding is monotone, so that no sum falls
  // below a term.
  if (of.low >= 0 && operand.peakDim == dim)
    result.low = std::max(result.low, operand.peak);
  return operand.format.bits < 32 ? Limits{operand.format.round(result.low), operand.format.round(result.high)}
                                  : result;
}

void tilec::interpreter::cutErrors(Elements &tile) {
  if (!tile.limits.isKnown() || tile.isExact())
    return;
  for (int64_t i = 0, n = tile.size(); i < n; ++i) {
    double room = std::max(tile.limits.high - tile.real[i], tile.real[i] - tile.limits.low);
    if (tile.error[i] > room)
      tile.error[i] = std::max(room, 0.0);
  }
}
