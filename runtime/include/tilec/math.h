//===- math.h - functions of values ---------------------------------------------------------------------*- C++ -*-===//
// Scalars, f32 unless a template says otherwise. How the target computes the basic ones is in tilec/amd/math.h.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_MATH_H
#define TILEC_MATH_H

#include "tilec/cast.h"
#include "tilec/functions.h"

namespace tilec {

// Largest errors on AMD, in units of the last place: exp, exp2, log, log2 2 (from the instructions' 1 ulp and the
// reduction LLVM adds); sqrt 1; rsqrt and reciprocal 1, denormal arguments give infinity; tanh 8; erf 5e-7 absolute.
// The emulator's are at most these, and so are those of NVIDIA's machines, whose exp2 is 2 and zero where the result
// has no normal number.
TILEC_DEVICE float exp(float x) { return target::exp(x); }
TILEC_DEVICE float exp2(float x) { return target::exp2(x); }
TILEC_DEVICE float log(float x) { return target::log(x); }
TILEC_DEVICE float log2(float x) { return target::log2(x); }
TILEC_DEVICE float sqrt(float x) { return target::sqrt(x); }
TILEC_DEVICE float rsqrt(float x) { return target::rsqrt(x); }
TILEC_DEVICE float reciprocal(float x) { return target::reciprocal(x); }
TILEC_DEVICE float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

TILEC_DEVICE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
TILEC_DEVICE double sqrt(double x) { return __builtin_sqrt(x); }

// Exact in float and double.
#define TILEC_EXACT_FUNCTION(name, builtin)                                                                            \
  TILEC_DEVICE float name(float x) { return builtin##f(x); }                                                           \
  TILEC_DEVICE double name(double x) { return builtin(x); }
TILEC_EXACT_FUNCTION(floor, __builtin_floor)
TILEC_EXACT_FUNCTION(ceil, __builtin_ceil)
TILEC_EXACT_FUNCTION(trunc, __builtin_trunc)
/// Halves away from zero.
TILEC_EXACT_FUNCTION(round, __builtin_round)
#undef TILEC_EXACT_FUNCTION
/// Halves to even.
TILEC_DEVICE float roundeven(float x) { return target::roundeven(x); }
TILEC_DEVICE double roundeven(double x) { return target::roundeven(x); }
TILEC_DEVICE float copysign(float x, float sign) { return __builtin_copysignf(x, sign); }
TILEC_DEVICE double copysign(double x, double sign) { return __builtin_copysign(x, sign); }

template <class T>
TILEC_DEVICE T abs(T x) {
  if constexpr (std::is_same_v<T, float>)
    return __builtin_fabsf(x);
  else if constexpr (std::is_same_v<T, double>)
    return __builtin_fabs(x);
  else
    return x < T{} ? T(-x) : x;
}

/// sign(x) (1 - 2 / (exp(2 |x|) + 1)), and the odd series to x^11 where that cancels. The exponential and the
/// reciprocal are those of the instructions: what they are off by counts less than twice from 0.375 on.
TILEC_DEVICE float tanh(float x) {
  constexpr float two_log2e = 2.885390082f;
  const float magnitude = __builtin_fabsf(x), square = x * x;
  const float series =
      fma(square,
          fma(square, fma(square, fma(square, -1382.0f / 155925.0f, 62.0f / 2835.0f), -17.0f / 315.0f), 2.0f / 15.0f),
          -1.0f / 3.0f);
  const float small = fma(x * square, series, x);
  const float large = fma(-2.0f, target::reciprocal(target::exp2(two_log2e * magnitude) + 1.0f), 1.0f);
  return magnitude < 0.375f ? small : __builtin_copysignf(large, x);
}

/// Abramowitz and Stegun 7.1.26.
TILEC_DEVICE float erf(float x) {
  const float magnitude = __builtin_fabsf(x), t = 1.0f / fma(0.3275911f, magnitude, 1.0f);
  const float series =
      t * fma(t, fma(t, fma(t, fma(t, 1.061405429f, -1.453152027f), 1.421413741f), -0.284496736f), 0.254829592f);
  return __builtin_copysignf(1.0f - series * exp(-magnitude * magnitude), x);
}

/// Operations of reduce; each is also a function of two values. A NaN in either argument gives NaN; integers wrap.
struct Add {
  template <class T>
  TILEC_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) // wraps
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
    else
      return a + b;
  }
};
struct Multiply {
  template <class T>
  TILEC_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) * static_cast<std::make_unsigned_t<T>>(b));
    else
      return a * b;
  }
};
/// Bit by bit; named apart from the words that C++ has for its operators.
struct BitsAnd {
  template <class T>
  TILEC_DEVICE T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct BitsOr {
  template <class T>
  TILEC_DEVICE T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct BitsXor {
  template <class T>
  TILEC_DEVICE T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};
// Of numbers of pieces also by the functions of a copy engine.
struct Maximum {
  template <class T>
  TILEC_HOST_DEVICE T operator()(T a, T b) const {
    return a > b || a != a ? a : b;
  }
  TILEC_DEVICE float operator()(float a, float b) const { return target::maximum(a, b); }
};
struct Minimum {
  template <class T>
  TILEC_HOST_DEVICE T operator()(T a, T b) const {
    return a < b || a != a ? a : b;
  }
  TILEC_DEVICE float operator()(float a, float b) const { return target::minimum(a, b); }
};
TILEC_CONSTANT Add add{};
TILEC_CONSTANT Multiply multiply{};
TILEC_CONSTANT BitsAnd bits_and{};
TILEC_CONSTANT BitsOr bits_or{};
TILEC_CONSTANT BitsXor bits_xor{};
TILEC_CONSTANT Maximum maximum{};
TILEC_CONSTANT Minimum minimum{};

} // namespace tilec

#endif // TILEC_MATH_H
