//===- math.h - AMD: scalar functions without a device library ------------------------------------------*- C++ -*-===//
// f32 functions as LLVM expands them inline (errors in the table of tilec/math.h), and the conversion to bf16.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_AMD_MATH_H
#define TILEC_AMD_MATH_H

#include "tilec/types.h"

namespace tilec::target {

TILEC_DEVICE float exp(float x) { return __builtin_elementwise_exp(x); }
/// Zero where the result has no normal number: what a softmax weighs by it is nothing.
TILEC_DEVICE float exp2(float x) { return __builtin_amdgcn_exp2f(x); }
TILEC_DEVICE float log(float x) { return __builtin_elementwise_log(x); }
TILEC_DEVICE float log2(float x) { return __builtin_elementwise_log2(x); }
TILEC_DEVICE float sqrt(float x) { return __builtin_elementwise_sqrt(x); }
TILEC_DEVICE float rsqrt(float x) { return __builtin_amdgcn_rsqf(x); }
TILEC_DEVICE float reciprocal(float x) { return __builtin_amdgcn_rcpf(x); }

/// One instruction on gfx950. Elsewhere four: half of the last place, to even, unless it is a NaN.
TILEC_DEVICE bf16 to_bf16(float x) {
#if defined(__gfx950__)
  return __builtin_bit_cast(bf16, static_cast<__bf16>(x));
#else
  unsigned bits = __builtin_bit_cast(unsigned, x);
  bits += (bits >> 16 & 1) + 0x7fff;
  // A sum of no differences: of a number that it knows, the compiler would choose the upper half, and then shift each
  // of the others. So the upper halves of two numbers are taken by the instruction that packs them.
  const unsigned nan = __builtin_amdgcn_sad_u16(0, 0, 0x7fffffff);
  return {static_cast<unsigned short>((__builtin_isnan(x) ? nan : bits) >> 16)};
#endif
}

/// The greater or the lesser; NaN where one is.
TILEC_DEVICE float maximum(float a, float b) { return __builtin_elementwise_maximum(a, b); }
TILEC_DEVICE float minimum(float a, float b) { return __builtin_elementwise_minimum(a, b); }

/// The greatest or the least of pairs. gfx950 has an instruction for three that keeps NaNs; elsewhere whether there is
/// one is asked apart, of two neighbours at once: a sum of squares is NaN where a number
/// was, and only there, as infinities of one sign do not cancel.
template <bool Greatest>
class Extremum {
public:
#if defined(__gfx950__)
  static constexpr bool neighbours = false; ///< what makes a pair
#else
  static constexpr bool neighbours = true;
#endif
  TILEC_DEVICE Extremum(float a, float b) : value(a) { add(a, b); }
  TILEC_DEVICE void add(float a, float b) {
#if defined(__gfx950__)
    value = Greatest ? maximum(maximum(value, a), b) : minimum(minimum(value, a), b);
#else
    value = Greatest ? __builtin_fmaxf(__builtin_fmaxf(value, a), b) : __builtin_fminf(__builtin_fminf(value, a), b);
    const Pair pair = {a, b};
    squares = __builtin_elementwise_fma(pair, pair, squares);
#endif
  }
  TILEC_DEVICE float result() const {
    const float sum = squares[0] + squares[1];
    return __builtin_isnan(sum) ? __builtin_nanf("") : value;
  }

private:
  using Pair = float __attribute__((ext_vector_type(2)));
  float value;
  Pair squares = {0.0f, 0.0f};
};

TILEC_DEVICE float roundeven(float x) { return __builtin_roundevenf(x); }
TILEC_DEVICE double roundeven(double x) { return __builtin_roundeven(x); }

} // namespace tilec::target

#endif // TILEC_AMD_MATH_H
