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

/// The greater or the lesser; NaN where one is.
inline float maximum(float a, float b) { return a > b || a != a ? a : b; }
inline float minimum(float a, float b) { return a < b || a != a ? a : b; }

/// The greatest or the least of pairs.
template <bool Greatest>
class Extremum {
public:
  static constexpr bool neighbours = false; ///< what makes a pair
  Extremum(float a, float b) : value(Greatest ? maximum(a, b) : minimum(a, b)) {}
  void add(float a, float b) {
    const Extremum pair(a, b);
    value = Greatest ? maximum(value, pair.value) : minimum(value, pair.value);
  }
  float result() const { return value; }

private:
  float value;
};

inline float roundeven(float x) { return __builtin_roundevenf(x); }
inline double roundeven(double x) { return __builtin_roundeven(x); }

} // namespace tilec::target

#endif // TILEC_EMULATED_MATH_H
