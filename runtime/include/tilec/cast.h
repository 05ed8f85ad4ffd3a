//===- cast.h - conversions between element types -------------------------------------------------------*- C++ -*-===//
// `cast` of one value. Encodings of eight-bit floats are in float8.h.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_CAST_H
#define TILEC_CAST_H

#include "tilec/float8.h"
#include "tilec/target.h"

namespace tilec {

/// Converts a value. Floats round to nearest even; float to integer truncates towards zero.
template <class To, class From>
TILEC_DEVICE To cast(From x) {
  if constexpr (std::is_same_v<To, From>)
    return x;
  else if constexpr (detail::is_float8<From>)
    return cast<To>(detail::widen(x));
  else if constexpr (std::is_same_v<From, bf16>)
    return cast<To>(static_cast<float>(x));
  else if constexpr (std::is_same_v<To, bf16>)
    return target::to_bf16(static_cast<float>(x));
  else if constexpr (detail::is_float8<To>)
    return detail::narrow<To>(static_cast<float>(x));
  else
    return static_cast<To>(x);
}

} // namespace tilec

#endif // TILEC_CAST_H
