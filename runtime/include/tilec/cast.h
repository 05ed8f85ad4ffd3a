//===- cast.h - conversions between element types -------------------------------------------------------*- C++ -*-===//
// `cast` of one value. Encodings of eight-bit floats are in float8.h.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_CAST_H
#define TILEC_CAST_H

#include "tilec/float8.h"
#include "tilec/target.h"

namespace tilec {

namespace detail {

/// Where f16 is no type of the compiler, float stands between it and others.
template <class T>
inline constexpr bool is_class_f16 = std::is_same_v<T, f16> && std::is_class_v<f16>;

/// The double as a float whose last bit says whether anything was cut off: rounding it once more to at most 22 bits
/// gives what rounding the double at once gives.
TILEC_DEVICE float round_to_odd(double x) {
  const float nearest = static_cast<float>(x);
  if (static_cast<double>(nearest) == x || nearest != nearest)
    return nearest;
  unsigned bits = __builtin_bit_cast(unsigned, nearest);
  if (__builtin_fabs(static_cast<double>(nearest)) > __builtin_fabs(x))
    --bits;
  return __builtin_bit_cast(float, bits | 1u);
}

} // namespace detail

/// The same bits as another type of the same size.
template <class To, class From>
TILEC_DEVICE To bit_cast(From x) {
  return __builtin_bit_cast(To, x);
}

/// Converts a value. Floats round to nearest even; float to integer truncates towards zero.
template <class To, class From>
TILEC_DEVICE To cast(From x) {
  if constexpr (std::is_same_v<To, From>)
    return x;
  else if constexpr (detail::is_float8<From>)
    return cast<To>(detail::widen(x));
  else if constexpr (std::is_same_v<From, bf16> || detail::is_class_f16<From>)
    return cast<To>(static_cast<float>(x));
  else if constexpr ((std::is_same_v<To, bf16> || detail::is_float8<To> || detail::is_class_f16<To>) &&
                     (std::is_same_v<From, double> || (std::is_integral_v<From> && sizeof(From) >= 4)))
    return cast<To>(detail::round_to_odd(static_cast<double>(x)));
  else if constexpr (std::is_same_v<To, bf16>)
    return target::to_bf16(static_cast<float>(x));
  else if constexpr (detail::is_float8<To>)
    return detail::narrow<To>(static_cast<float>(x));
  else if constexpr (detail::is_class_f16<To>)
    return To(static_cast<float>(x));
  else
    return static_cast<To>(x);
}

} // namespace tilec

#endif // TILEC_CAST_H
