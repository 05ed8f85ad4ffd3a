// Rounding to element formats and the bits of elements.
#include "passes/interpreter/Number.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace tilec::interpreter;

std::optional<Format> Format::get(Type type) {
  Format format;
  if (type.isIndex())
    return format;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    format.bits = integer.getWidth();
    return integer.getWidth() <= 64 ? std::optional(format) : std::nullopt;
  }
  auto real = dyn_cast<FloatType>(type);
  if (!real || real.getWidth() > 64)
    return std::nullopt;
  format.isFloat = true;
  format.bits = real.getWidth();
  format.semantics = &real.getFloatSemantics();
  format.precision = llvm::APFloat::semanticsPrecision(*format.semantics);
  format.minExponent = llvm::APFloat::semanticsMinExponent(*format.semantics);
  llvm::APFloat largest = llvm::APFloat::getLargest(*format.semantics);
  bool losesInfo;
  largest.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  format.largest = largest.convertToDouble();
  return format;
}

double Format::round(double value) const {
  if (!isFloat || bits == 64)
    return value;
  if (bits == 32)
    return static_cast<float>(value);
  if (value == 0 || std::isnan(value))
    return value;
  if (std::isinf(value))
    return bits == 8 ? std::copysign(largest, value) : value;
  // The result is a multiple of 2^place: adding and subtracting 1.5 * 2^(place + 52) makes the double unit round to it.
  int exponent = std::max(static_cast<int>((llvm::bit_cast<uint64_t>(value) >> 52) & 0x7ff) - 1023, minExponent);
  double shift = llvm::bit_cast<double>(static_cast<uint64_t>(exponent - precision + 1 + 52 + 1023) << 52) * 1.5;
  double rounded = (value + shift) - shift;
  if (std::abs(rounded) > largest)
    return std::copysign(bits == 8 ? largest : infinity, value);
  return rounded == 0 ? std::copysign(0.0, value) : rounded;
}

double Format::roundingError(double value, double error) const {
  if (error == 0 || std::isnan(value))
    return 0;
  double rounded = round(value);
  if (!std::isfinite(error) || !std::isfinite(rounded))
    return infinity;
  double above = round(value + error), below = round(value - error);
  if (!std::isfinite(above) || !std::isfinite(below))
    return infinity;
  return std::max(above - rounded, rounded - below);
}

uint64_t tilec::interpreter::encode(const Format &format, double value) {
  if (format.bits == 64)
    return llvm::bit_cast<uint64_t>(value);
  if (format.bits == 32)
    return llvm::bit_cast<uint32_t>(static_cast<float>(value));
  // bf16 is the upper half of f32. What that half does not hold (an unrounded value, a NaN) takes the general path.
  if (format.bits == 16 && format.precision == 8) {
    float single = static_cast<float>(value);
    uint32_t bits = llvm::bit_cast<uint32_t>(single);
    if ((bits & 0xffff) == 0 && single == value)
      return bits >> 16;
  }
  llvm::APFloat number(value);
  bool losesInfo;
  number.convert(*format.semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.bitcastToAPInt().getZExtValue();
}

double tilec::interpreter::decode(const Format &format, uint64_t bits) {
  if (format.bits == 64)
    return llvm::bit_cast<double>(bits);
  if (format.bits == 32)
    return llvm::bit_cast<float>(static_cast<uint32_t>(bits));
  if (format.bits == 16 && format.precision == 8)
    return llvm::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  llvm::APFloat number(*format.semantics, llvm::APInt(format.bits, bits));
  bool losesInfo;
  number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

double tilec::interpreter::gamma(double count, double unit) {
  double relative = count * unit;
  return relative < 0.5 ? relative / (1 - relative) : infinity;
}
