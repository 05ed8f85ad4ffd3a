//===- math.h - NVIDIA: scalar functions -----------------------------------------------------------------*- C++
//-*-===//
// f32 functions of CUDA's device library, and the conversion to bf16.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_NVIDIA_MATH_H
#define TILEC_NVIDIA_MATH_H

#include "tilec/types.h"

namespace tilec::target {

TILEC_DEVICE float exp(float x) { return ::expf(x); }
/// Zero where the result has no normal number: what a softmax weighs by it is nothing.
TILEC_DEVICE float exp2(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}
TILEC_DEVICE float log(float x) { return ::logf(x); }
TILEC_DEVICE float log2(float x) { return ::log2f(x); }
TILEC_DEVICE float sqrt(float x) { return ::sqrtf(x); }
TILEC_DEVICE float rsqrt(float x) { return ::rsqrtf(x); }
TILEC_DEVICE float reciprocal(float x) {
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

/// The greater or the lesser; NaN where one is. One instruction; a comparison and a choice would be two for the order
/// and two for the NaN.
TILEC_DEVICE float maximum(float a, float b) {
  float result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}
TILEC_DEVICE float minimum(float a, float b) {
  float result;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}

/// The greatest or the least of pairs.
template <bool Greatest>
class Extremum {
public:
  static constexpr bool neighbours = false; ///< what makes a pair
  TILEC_DEVICE Extremum(float a, float b) : value(Greatest ? maximum(a, b) : minimum(a, b)) {}
  TILEC_DEVICE void add(float a, float b) {
    const Extremum pair(a, b);
    value = Greatest ? maximum(value, pair.value) : minimum(value, pair.value);
  }
  TILEC_DEVICE float result() const { return value; }

private:
  float value;
};

TILEC_DEVICE float roundeven(float x) {
  asm("cvt.rni.f32.f32 %0, %0;" : "+f"(x));
  return x;
}
TILEC_DEVICE double roundeven(double x) {
  asm("cvt.rni.f64.f64 %0, %0;" : "+d"(x));
  return x;
}

TILEC_DEVICE bf16 to_bf16(float x) {
  unsigned short bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return {bits};
}

} // namespace tilec::target

#endif // TILEC_NVIDIA_MATH_H
