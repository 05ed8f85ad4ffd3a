// Float operations with their forward error. Largest errors of functions are those of OpenCL C 3.0, section 7.4
// (relative error as ULPs), which HIP's, CUDA's and the emulator's functions keep; tanh is the device headers' own.
#include "passes/interpreter/RealFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec::interpreter;

Real tilec::interpreter::finish(const Format &format, double value, double propagated, double ulps) {
  if (std::isnan(value))
    return {value, 0};
  double error = std::isnan(propagated) ? infinity : propagated;
  bool isF64 = format.bits == 64;
  if (error != 0 || ulps > 0.5 || (!isF64 && static_cast<double>(static_cast<float>(value)) != value) || isF64)
    if (std::isfinite(value))
      error += 2 * ulps * format.unit() * (std::abs(value) + error) + (isF64 ? 0 : tinyF32);
  if (format.bits >= 32)
    return {value, error};
  return {format.round(value), format.roundingError(value, error)};
}

double tilec::interpreter::spread(double value, double low, double high) {
  // Equal infinities are no distance apart.
  return std::max(high == value ? 0 : high - value, low == value ? 0 : value - low);
}

static Real addition(const Format &format, Real a, Real b, Real) {
  return finish(format, a.value + b.value, a.error + b.error);
}

static Real subtraction(const Format &format, Real a, Real b, Real) {
  return finish(format, a.value - b.value, a.error + b.error);
}

/// |ab - a'b'| <= |a| eb + |b| ea + ea eb; an infinite operand with an exact zero stays defined by the product itself.
static double productError(Real a, Real b) {
  double error = 0;
  if (b.error != 0)
    error += (std::abs(a.value) + a.error) * b.error;
  if (a.error != 0)
    error += std::abs(b.value) * a.error;
  return error;
}

static Real product(const Format &format, Real a, Real b, Real) {
  return finish(format, a.value * b.value, productError(a, b));
}

static Real fused(const Format &format, Real a, Real b, Real c) {
  // Implementations may round the product or not.
  Real rounded = finish(format, a.value * b.value, productError(a, b));
  return finish(format, a.value * b.value + c.value, rounded.error + c.error);
}

static Real quotient(const Format &format, Real a, Real b, Real) {
  double value = a.value / b.value, error = 0;
  if (a.error != 0 || b.error != 0) {
    double room = std::max(std::abs(b.value) - b.error, b.least);
    // The second is what any divisor of at least `room` leaves.
    if (room > 0)
      error = std::min((a.error + std::abs(value) * b.error) / room,
                       std::abs(value) + (std::abs(a.value) + a.error) / room);
    else
      error = infinity;
  }
  return finish(format, value, error, 2.5);
}

static Real remainder(const Format &format, Real a, Real b, Real) {
  bool exact = a.error == 0 && b.error == 0;
  return finish(format, std::fmod(a.value, b.value), exact ? 0 : infinity);
}

static Real negation(const Format &, Real a, Real, Real) { return {-a.value, a.error}; }
static Real magnitude(const Format &, Real a, Real, Real) { return {std::abs(a.value), a.error}; }
static Real signOf(const Format &, Real a, Real b, Real) {
  bool certain = b.error == 0 || std::abs(b.value) > b.error;
  return {std::copysign(a.value, b.value), certain ? a.error : a.error + 2 * std::abs(a.value)};
}

/// The greater of two intervals: an operand that certainly loses adds nothing. With `quiet`, a NaN yields to the other
/// operand.
template <bool maximum, bool quiet>
static Real extremum(const Format &, Real a, Real b, Real) {
  if (std::isnan(a.value))
    return quiet ? b : a;
  if (std::isnan(b.value))
    return quiet ? a : b;
  auto winner = [](double x, double y) { return maximum ? std::max(x, y) : std::min(x, y); };
  double value = winner(a.value, b.value);
  if (a.error == 0 && b.error == 0)
    return {value, 0};
  return {value,
          spread(value, winner(a.value - a.error, b.value - b.error), winner(a.value + a.error, b.value + b.error))};
}

/// A monotone function, or one that is convex and even: the ends of the interval bound the change.
template <auto function, int ulps>
static Real monotone(const Format &format, Real a, Real, Real) {
  double value = function(a.value), error = 0;
  if (a.error != 0)
    error = std::max(std::abs(function(a.value + a.error) - value), std::abs(function(a.value - a.error) - value));
  return finish(format, value, error, ulps);
}

/// A function whose slope is at most 1.
template <auto function, int ulps>
static Real gentle(const Format &format, Real a, Real, Real) {
  return finish(format, function(a.value), a.error, ulps);
}

/// A function of which no bound is known once its operand is inexact.
template <auto function, int ulps>
static Real opaque(const Format &format, Real a, Real b, Real) {
  return finish(format, function(a.value, b.value), a.error == 0 && b.error == 0 ? 0 : infinity, ulps);
}

/// Of a base that is certainly above zero a power is monotone in the base and in the exponent: the corners bound it.
static Real power(const Format &format, Real a, Real b, Real) {
  double value = std::pow(a.value, b.value), error = 0;
  if (a.error != 0 || b.error != 0) {
    error = a.value > a.error ? 0 : infinity;
    for (double x : {a.value - a.error, a.value + a.error})
      for (double y : {b.value - b.error, b.value + b.error})
        if (a.value > a.error)
          error = std::max(error, std::abs(std::pow(x, y) - value));
  }
  return finish(format, value, error, 16);
}

/// Rounding to an integer: exact, and a step function of its operand.
template <auto function>
static Real step(const Format &, Real a, Real, Real) {
  double value = function(a.value);
  if (a.error == 0)
    return {value, 0};
  return {value, std::max(function(a.value + a.error) - value, value - function(a.value - a.error))};
}

/// The square root of an interval that may reach below zero through rounding alone.
static Real squareRoot(const Format &format, Real a, Real, Real) {
  double value = std::sqrt(a.value), error = 0;
  if (a.error != 0)
    error = std::max(std::sqrt(a.value + a.error) - value, value - std::sqrt(std::max(0.0, a.value - a.error)));
  return finish(format, value, error, 3);
}

static Real errorFunction(const Format &format, Real a, Real, Real) {
  // The device's series is within 5e-7 absolutely; 16 ulp of 1 cover it, before a narrow result is rounded.
  double value = std::erf(a.value), error = 16 * 2 * unitF32;
  if (a.error != 0)
    error += std::max(std::erf(a.value + a.error) - value, value - std::erf(a.value - a.error));
  return finish(format, value, error, 16);
}

#define TILEC_FUNCTION(name) [](double x) { return std::name(x); }

static RealFunction mathFunction(Operation *op) {
  return llvm::TypeSwitch<Operation *, RealFunction>(op)
      .Case<math::ExpOp>([](auto) -> RealFunction { return monotone<TILEC_FUNCTION(exp), 3>; })
      .Case<math::Exp2Op>([](auto) -> RealFunction { return monotone<TILEC_FUNCTION(exp2), 3>; })
      .Case<math::ExpM1Op>([](auto) -> RealFunction { return monotone<TILEC_FUNCTION(expm1), 3>; })
      .Case<math::LogOp>([](auto) -> RealFunction { return monotone<TILEC_FUNCTION(log), 3>; })
      .Case<math::Log2Op>([](auto) -> RealFunction { return monotone<TILEC_FUNCTION(log2), 3>; })
      .Case<math::Log10Op>([](auto) -> RealFunction { return monotone<TILEC_FUNCTION(log10), 3>; })
      .Case<math::Log1pOp>([](auto) -> RealFunction { return monotone<TILEC_FUNCTION(log1p), 2>; })
      .Case<math::SqrtOp>([](auto) -> RealFunction { return squareRoot; })
      .Case<math::RsqrtOp>([](auto) -> RealFunction { return monotone<[](double x) { return 1 / std::sqrt(x); }, 2>; })
      .Case<math::CbrtOp>([](auto) -> RealFunction { return monotone<TILEC_FUNCTION(cbrt), 2>; })
      .Case<math::TanhOp>([](auto) -> RealFunction { return monotone<TILEC_FUNCTION(tanh), 8>; })
      .Case<math::SinhOp>([](auto) -> RealFunction { return monotone<TILEC_FUNCTION(sinh), 4>; })
      .Case<math::CoshOp>([](auto) -> RealFunction { return monotone<TILEC_FUNCTION(cosh), 4>; })
      .Case<math::AtanOp>([](auto) -> RealFunction { return monotone<TILEC_FUNCTION(atan), 5>; })
      .Case<math::AsinOp>([](auto) -> RealFunction { return monotone<TILEC_FUNCTION(asin), 4>; })
      .Case<math::AcosOp>([](auto) -> RealFunction { return monotone<TILEC_FUNCTION(acos), 4>; })
      .Case<math::SinOp>([](auto) -> RealFunction { return gentle<TILEC_FUNCTION(sin), 4>; })
      .Case<math::CosOp>([](auto) -> RealFunction { return gentle<TILEC_FUNCTION(cos), 4>; })
      .Case<math::ErfOp>([](auto) -> RealFunction { return errorFunction; })
      .Case<math::ErfcOp>([](auto) -> RealFunction { return monotone<TILEC_FUNCTION(erfc), 16>; })
      .Case<math::PowFOp>([](auto) -> RealFunction { return power; })
      .Case<math::Atan2Op>(
          [](auto) -> RealFunction { return opaque<[](double x, double y) { return std::atan2(x, y); }, 6>; })
      .Case<math::FloorOp>([](auto) -> RealFunction { return step<TILEC_FUNCTION(floor)>; })
      .Case<math::CeilOp>([](auto) -> RealFunction { return step<TILEC_FUNCTION(ceil)>; })
      .Case<math::TruncOp>([](auto) -> RealFunction { return step<TILEC_FUNCTION(trunc)>; })
      .Case<math::RoundOp>([](auto) -> RealFunction { return step<TILEC_FUNCTION(round)>; })
      .Case<math::RoundEvenOp>([](auto) -> RealFunction { return step<TILEC_FUNCTION(nearbyint)>; })
      .Case<math::AbsFOp>([](auto) -> RealFunction { return magnitude; })
      .Case<math::CopySignOp>([](auto) -> RealFunction { return signOf; })
      .Case<math::FmaOp>([](auto) -> RealFunction { return fused; })
      .Default([](auto) { return nullptr; });
}

#undef TILEC_FUNCTION

RealFunction tilec::interpreter::realFunction(Operation *op) {
  return llvm::TypeSwitch<Operation *, RealFunction>(op)
      .Case<arith::AddFOp>([](auto) -> RealFunction { return addition; })
      .Case<arith::SubFOp>([](auto) -> RealFunction { return subtraction; })
      .Case<arith::MulFOp>([](auto) -> RealFunction { return product; })
      .Case<arith::DivFOp>([](auto) -> RealFunction { return quotient; })
      .Case<arith::RemFOp>([](auto) -> RealFunction { return remainder; })
      .Case<arith::NegFOp>([](auto) -> RealFunction { return negation; })
      .Case<arith::MaximumFOp>([](auto) -> RealFunction { return extremum<true, false>; })
      .Case<arith::MinimumFOp>([](auto) -> RealFunction { return extremum<false, false>; })
      .Case<arith::MaxNumFOp>([](auto) -> RealFunction { return extremum<true, true>; })
      .Case<arith::MinNumFOp>([](auto) -> RealFunction { return extremum<false, true>; })
      .Default([](Operation *other) -> RealFunction { return mathFunction(other); });
}
