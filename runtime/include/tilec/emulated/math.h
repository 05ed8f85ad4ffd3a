//===- math.h - emulated: scalar functions --------------------------------------------------------------*- C++ -*-===//
// Twins of tilec/amd/math.h, correctly rounded or nearly so.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_EMULATED_MATH_H
#define TILEC_EMULATED_MATH_H

#include "tilec/types.h"
#include <cmath>

namespace tilec::target {

inline float exp(float x) { return std::exp(x); }
inline float exp2(float x) { return std::exp2(x); }
inline float log(float x) { return std::log(x); }
inline float log2(float x) { return std::log2(x); }
inline float sqrt(float x) { return std::sqrt(x); }
inline float rsqrt(float x) { return 1.0f / std::sqrt(x); }
inline float reciprocal(float x) { return 1.0f / x; }
inline bf16 to_bf16(float x) { return detail::round_to_bf16(x); }

inline float roundeven(float x) { return __builtin_roundevenf(x); }
inline double roundeven(double x) { return __builtin_roundeven(x); }

} // namespace tilec::target

#endif // TILEC_EMULATED_MATH_H
