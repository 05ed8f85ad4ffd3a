//===- float8.h - eight-bit floats ----------------------------------------------------------------------*- C++ -*-===//
// Storage and exact software conversion of the OCP and the FNUZ encodings. Which of them a matrix instruction reads is
// the target's business (gfx942: FNUZ, gfx950: OCP).
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_FLOAT8_H
#define TILEC_FLOAT8_H

#include "tilec/types.h"

namespace tilec {

/// An eight-bit float: sign, `Exponent` bits, `Mantissa` bits. Fnuz encodings have one more in the bias, one zero, and
/// the NaN where OCP has -0. Of the others, e5m2 has infinities and e4m3 has a single NaN pattern.
template <int Exponent, int Mantissa, bool Fnuz>
struct Float8 {
  static constexpr int exponent_bits = Exponent;
  static constexpr int mantissa_bits = Mantissa;
  static constexpr bool fnuz = Fnuz;
  static constexpr int bias = (1 << (Exponent - 1)) - 1 + Fnuz;
  unsigned char bits;
};

using fp8_e4m3 = Float8<4, 3, false>;
using fp8_e5m2 = Float8<5, 2, false>;
using fp8_e4m3_fnuz = Float8<4, 3, true>;
using fp8_e5m2_fnuz = Float8<5, 2, true>;

namespace detail {

template <class T>
inline constexpr bool is_float8 = false;
template <int E, int M, bool F>
inline constexpr bool is_float8<Float8<E, M, F>> = true;

/// 2^exponent for normal results.
TILEC_DEVICE float power_of_two(int exponent) { return __builtin_bit_cast(float, unsigned(exponent + 127) << 23); }

/// The encoding's largest finite magnitude, and its NaN.
template <class F>
constexpr unsigned largest_of() {
  if (F::fnuz)
    return 0x7f;
  return F::mantissa_bits == 2 ? 0x7b : 0x7e;
}
template <class F>
constexpr unsigned nan_of() {
  return F::fnuz ? 0x80 : 0x7f;
}

/// Exact.
template <class F>
TILEC_DEVICE float widen(F x) {
  constexpr int m = F::mantissa_bits;
  const unsigned magnitude = x.bits & 0x7f, sign = unsigned(x.bits & 0x80) << 24;
  const int exponent = int(magnitude >> m), mantissa = int(magnitude & ((1u << m) - 1));
  const float normal = float((1 << m) + mantissa) * power_of_two(exponent - F::bias - m);
  const float tiny = float(mantissa) * power_of_two(1 - F::bias - m);
  unsigned bits = __builtin_bit_cast(unsigned, exponent ? normal : tiny) | sign;
  if (F::fnuz && x.bits == 0x80)
    bits = 0x7fc00000u;
  if (!F::fnuz && magnitude > largest_of<F>())
    bits = (m == 2 && magnitude == 0x7c ? 0x7f800000u : 0x7fc00000u) | sign;
  return __builtin_bit_cast(float, bits);
}

/// Nearest even; what is too large for the encoding, infinities among it, saturates to the largest finite value, as the
/// hardware's conversions do; NaN stays NaN.
template <class F>
TILEC_DEVICE F narrow(float x) {
  constexpr int m = F::mantissa_bits, least = 1 - F::bias;
  const unsigned all = __builtin_bit_cast(unsigned, x), sign = (all >> 24) & 0x80, magnitude = all & 0x7fffffff;
  if (magnitude > 0x7f800000u)
    return {static_cast<unsigned char>(F::fnuz ? 0x80 : nan_of<F>() | sign)};
  int exponent = int(magnitude >> 23) - 127;
  unsigned result;
  if (exponent < least) {
    // A multiple of the least step; adding 2^23 steps leaves it, rounded by the addition, in the low bits.
    const float steps = __builtin_bit_cast(float, magnitude) * power_of_two(F::bias - 1 + m);
    result = magnitude >> 23 == 0 ? 0 : __builtin_bit_cast(unsigned, steps + 8388608.0f) & 0xff;
  } else {
    const unsigned dropped = 23 - m;
    const unsigned rounded = magnitude + (1u << (dropped - 1)) - 1 + ((magnitude >> dropped) & 1);
    exponent = int(rounded >> 23) - 127;
    result = unsigned(exponent + F::bias) << m | ((rounded >> dropped) & ((1u << m) - 1));
    if (exponent + F::bias >= 1 << F::exponent_bits || result > largest_of<F>())
      result = largest_of<F>();
  }
  return {static_cast<unsigned char>(F::fnuz && result == 0 ? 0 : result | sign)};
}

} // namespace detail
} // namespace tilec

#endif // TILEC_FLOAT8_H
