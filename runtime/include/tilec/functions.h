//===- functions.h - f32 functions that are computed in double ------------------------------------------*- C++ -*-===//
// Circular functions, powers and what follows from exponentials and logarithms. Doubles have the digits that reductions
// of an argument and differences of exponentials cost. The same arithmetic on every machine: no device library.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_FUNCTIONS_H
#define TILEC_FUNCTIONS_H

#include "tilec/types.h"

namespace tilec {
namespace detail {

/// Coefficients of a polynomial, that of the highest power first.
template <int Count>
TILEC_DEVICE double polynomial(double x, const double (&coefficients)[Count]) {
  double sum = coefficients[0];
#pragma unroll
  for (int i = 1; i < Count; ++i)
    sum = __builtin_fma(sum, x, coefficients[i]);
  return sum;
}

/// An angle as so many quarter turns, of which the last two bits count, and a rest of at most an eighth.
struct Angle {
  double rest;
  int quarters;
};

/// Of an angle of at most 2^28: pi / 2 in two parts, each product with a single rounding.
TILEC_DEVICE Angle reduce_near(double x) {
  const double turns = __builtin_rint(x * 0.63661977236758138);
  const double rest = __builtin_fma(-turns, 1.5707963267948966, x);
  return {__builtin_fma(-turns, 6.123233995736766e-17, rest), static_cast<int>(turns)};
}

/// Of a greater one, |x| = digits 2^shift: the bits of 2 / pi that are neither whole turns nor too small for any float
/// (M. Payne, R. Hanek, "Radian reduction for trigonometric functions", SIGNUM 18(1), 1983).
TILEC_DEVICE Angle reduce_far(float x) {
  constexpr unsigned two_over_pi[7] = {0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u,
                                       0xdb629599u, 0x3c439041u, 0xfe5163abu};
  const unsigned bits = __builtin_bit_cast(unsigned, x);
  const unsigned digits = (bits & 0x7fffffu) | 0x800000u;
  const int first = int(bits >> 23 & 0xff) - 127 - 23 - 2; // the first bit that is no whole turn, counted from 0
  const int word = first / 32, bit = first % 32;
  unsigned part[4];
#pragma unroll
  for (int i = 0; i < 4; ++i)
    part[i] = word + i < 7 ? two_over_pi[word + i] : 0;
  unsigned long long high = static_cast<unsigned long long>(part[0]) << 32 | part[1];
  unsigned low = part[2];
  if (bit != 0) {
    high = high << bit | part[2] >> (32 - bit);
    low = part[2] << bit | part[3] >> (32 - bit);
  }
  // Quarter turns in units of 2^-62.
  const unsigned long long turns = digits * high + (static_cast<unsigned long long>(digits) * low >> 32);
  const long long rest = static_cast<long long>(turns << 2);
  const int quarters = static_cast<int>((turns + (1ull << 61)) >> 62);
  const bool negative = (bits >> 31) != 0;
  const double angle = static_cast<double>(rest) * (0x1p-64 * 1.5707963267948966);
  return {negative ? -angle : angle, negative ? -quarters : quarters};
}

TILEC_DEVICE Angle reduce_angle(float x) {
  return __builtin_fabsf(x) < 0x1p28f ? reduce_near(static_cast<double>(x)) : reduce_far(x);
}

/// Sine of a rest, or its cosine, by the Taylor series; by quarter turns one becomes the other.
TILEC_DEVICE float sine_after(Angle angle, int quarters) {
  const double square = angle.rest * angle.rest;
  const int quarter = (angle.quarters + quarters) & 3;
  const double sine = polynomial(square, {1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6, 1.0}) * angle.rest;
  const double cosine = polynomial(square, {-1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24, -0.5, 1.0});
  const double value = (quarter & 1) ? cosine : sine;
  return static_cast<float>((quarter & 2) ? -value : value);
}

/// 2 to the power of x, which is cut to where every float differs from zero and infinity.
TILEC_DEVICE double power_of_two(double x) {
  const double held = x > 200.0 ? 200.0 : x < -200.0 ? -200.0 : x; // a NaN stays
  const double whole = __builtin_rint(held), part = (held - whole) * 0.69314718055994531;
  const double series = polynomial(part, {1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
                                          1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0});
  const long long exponent = held == held ? static_cast<long long>(whole) + 1023 : 1023;
  return series * __builtin_bit_cast(double, exponent << 52);
}

/// The binary logarithm of a normal number above zero: 2 artanh of a quotient, whose magnitude is at most 0.172.
TILEC_DEVICE double binary_logarithm(double x) {
  const unsigned long long bits = __builtin_bit_cast(unsigned long long, x);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  double digits = __builtin_bit_cast(double, (bits & 0xfffffffffffffull) | 0x3ff0000000000000ull);
  if (digits > 1.4142135623730951) {
    digits *= 0.5;
    ++exponent;
  }
  const double quotient = (digits - 1.0) / (digits + 1.0), square = quotient * quotient;
  const double series =
      polynomial(square, {1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1.0});
  return __builtin_fma(quotient * series, 2.8853900817779268, static_cast<double>(exponent));
}

/// The same of any number: no less than zero has a logarithm.
TILEC_DEVICE double logarithm_of(double x) {
  if (x != x || x < 0.0)
    return __builtin_nan("");
  if (x == 0.0)
    return -__builtin_inf();
  return x == __builtin_inf() ? x : binary_logarithm(x);
}

} // namespace detail

// Errors of at most 1 unit in the last place; infinite angles have no sine.
TILEC_DEVICE float sin(float x) {
  return __builtin_fabsf(x) < __builtin_inff() ? detail::sine_after(detail::reduce_angle(x), 0) : x - x;
}
TILEC_DEVICE float cos(float x) {
  return __builtin_fabsf(x) < __builtin_inff() ? detail::sine_after(detail::reduce_angle(x), 1) : x - x;
}

/// x to the power of y, with the cases that C23 (F.10.4.4) names.
TILEC_DEVICE float pow(float x, float y) {
  const float base = __builtin_fabsf(x), times = __builtin_fabsf(y);
  if (x == 1.0f || y == 0.0f)
    return 1.0f;
  if (x != x || y != y)
    return x + y;
  const bool whole = __builtin_truncf(y) == y;
  if (x < 0.0f && base < __builtin_inff() && !whole)
    return __builtin_nanf("");
  // Greater ones are even; a sign of zero counts.
  const bool odd = whole && times < 0x1p24f && (static_cast<int>(times) & 1);
  const double exponent = static_cast<double>(y) * detail::logarithm_of(static_cast<double>(base));
  const float power = base == 1.0f ? 1.0f : static_cast<float>(detail::power_of_two(exponent));
  return odd && __builtin_bit_cast(int, x) < 0 ? -power : power;
}

TILEC_DEVICE float cbrt(float x) {
  const float magnitude = __builtin_fabsf(x);
  if (!(magnitude > 0.0f) || magnitude == __builtin_inff())
    return x;
  const double root = detail::power_of_two(detail::binary_logarithm(static_cast<double>(magnitude)) * (1.0 / 3.0));
  return __builtin_copysignf(static_cast<float>(root), x);
}

TILEC_DEVICE float log10(float x) {
  return static_cast<float>(detail::logarithm_of(static_cast<double>(x)) * 0.30102999566398120);
}
/// log(1 + x): of small x the sum in double would lose digits, and x is the logarithm.
TILEC_DEVICE float log1p(float x) {
  const double logarithm = detail::logarithm_of(1.0 + static_cast<double>(x)) * 0.69314718055994531;
  return __builtin_fabsf(x) < 0x1p-26f ? x : static_cast<float>(logarithm);
}
/// exp(x) - 1.
TILEC_DEVICE float expm1(float x) {
  const double wide = static_cast<double>(x);
  const double power = detail::power_of_two(wide * 1.4426950408889634) - 1.0;
  return __builtin_fabsf(x) < 0x1p-12f ? static_cast<float>(__builtin_fma(wide * 0.5, wide, wide))
                                       : static_cast<float>(power);
}
TILEC_DEVICE float sinh(float x) {
  const double wide = static_cast<double>(x), power = detail::power_of_two(wide * 1.4426950408889634);
  const double near = __builtin_fma(wide * wide * wide, 1.0 / 6.0, wide);
  return static_cast<float>(__builtin_fabsf(x) < 0x1p-6f ? near : (power - 1.0 / power) * 0.5);
}
TILEC_DEVICE float cosh(float x) {
  const double power = detail::power_of_two(static_cast<double>(x) * 1.4426950408889634);
  return static_cast<float>((power + 1.0 / power) * 0.5);
}

} // namespace tilec

#endif // TILEC_FUNCTIONS_H
