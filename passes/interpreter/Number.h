// Element formats of the oracle: rounding to a format, its error, and the bytes of an element. One element at a time;
// tiles and buffers live in Elements and Memory.
#pragma once

#include "mlir/IR/BuiltinTypes.h"

#include <cmath>
#include <limits>
#include <vector>

namespace tilec::interpreter {

/// Unit roundoff of f32 rounded to nearest, with the oracle's own rounding in double beside it; the same of f64.
inline constexpr double unitF32 = 0x1p-24 * (1 + 0x1p-20), unitF64 = 0x1p-52;
/// What f32 arithmetic may lose when it flushes subnormal numbers.
inline constexpr double tinyF32 = 0x1p-126;
inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// How an element is stored. Floats carry their value as double, integers and `index` as a sign-extended int64_t.
struct Format {
  bool isFloat = false;
  unsigned bits = 64;
  /// Floats: significand bits with the hidden one, exponent of the smallest normal number, largest finite value.
  int precision = 53, minExponent = -1022;
  double largest = std::numeric_limits<double>::max();
  const llvm::fltSemantics *semantics = nullptr;

  /// Null for a type that is neither a float of at most 64 bits, an integer of at most 64 bits, nor index.
  static std::optional<Format> get(mlir::Type type);

  /// Bytes of one element in memory: i1 takes one byte.
  unsigned bytes() const { return (bits + 7) / 8; }

  /// Nearest value of the format, ties to even. Beyond the largest finite value: infinity, but the largest itself in
  /// the eight-bit formats, whose conversions saturate.
  double round(double value) const;

  /// Sign-extends the low `bits` of a value: two's complement wrapping.
  int64_t wrap(int64_t value) const {
    return bits >= 64 ? value : static_cast<int64_t>(static_cast<uint64_t>(value) << (64 - bits)) >> (64 - bits);
  }
  /// The low `bits` of a value as an unsigned number.
  uint64_t zeroExtend(int64_t value) const {
    return bits >= 64 ? static_cast<uint64_t>(value) : static_cast<uint64_t>(value) & ((uint64_t(1) << bits) - 1);
  }

  /// Unit roundoff of an operation whose result has this format: narrower ones are computed in f32 and then rounded.
  double unit() const { return bits == 64 ? unitF64 : unitF32; }

  /// The same of an operation each of whose results is stored, as sums that many tasks add to.
  double storedUnit() const { return std::ldexp(1.0, -precision); }

  /// Whether what is added or multiplied up may leave the type that elements are computed in, by no more than `most` on
  /// the way.
  bool mayOverflow(double most) const { return most > (bits == 64 ? largest : std::numeric_limits<float>::max()); }

  /// How far round(x) can be from round(value) when x is within `error` of `value`. Rounding is monotone, so the ends
  /// of the interval decide; exact for every format.
  double roundingError(double value, double error) const;

  bool operator==(const Format &other) const {
    return isFloat == other.isFloat && bits == other.bits && semantics == other.semantics;
  }
};

/// The bits of an element (floats rounded before) and back.
uint64_t encode(const Format &format, double value);
double decode(const Format &format, uint64_t bits);

/// gamma(n) = n u / (1 - n u): the relative error of n roundings (Higham, Accuracy and Stability of Numerical
/// Algorithms, 2nd ed., section 3.1).
double gamma(double count, double unit);

} // namespace tilec::interpreter
