//===- types.h - element types --------------------------------------------------------------------------*- C++ -*-===//
// Storage types of tile elements and loops that unroll. Conversions are in cast.h; functions of values are in math.h.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_TYPES_H
#define TILEC_TYPES_H

#include "tilec/attributes.h"
#include <type_traits>
#include <utility>

namespace tilec {

/// IEEE binary16.
using f16 = _Float16;

/// The upper half of an IEEE binary32. Storage; arithmetic goes through float and rounds each result to nearest even.
struct alignas(2) bf16 {
  unsigned short bits;

  TILEC_DEVICE explicit operator float() const { return __builtin_bit_cast(float, unsigned(bits) << 16); }
};

namespace detail {

/// Round to nearest even by integer arithmetic, for machines without an instruction and hosts without a library
/// function. NaN stays NaN (quiet).
TILEC_DEVICE bf16 round_to_bf16(float x) {
  const unsigned bits = __builtin_bit_cast(unsigned, x);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return {static_cast<unsigned short>((bits >> 16) | 0x40u)};
  return {static_cast<unsigned short>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
}

// Inlined on the CPU too: reports name the line of the text that an access comes from.
template <int... I, class Body>
__attribute__((always_inline)) TILEC_DEVICE void repeat_each(std::integer_sequence<int, I...>, Body &&body) {
  (body(std::integral_constant<int, I>{}), ...);
}

/// body(0), ..., body(Count - 1) with constant arguments: the loop is gone before the optimizer sees it, so arrays
/// indexed by the argument become registers.
template <int Count, class Body>
__attribute__((always_inline)) TILEC_DEVICE void repeat(Body &&body) {
  repeat_each(std::make_integer_sequence<int, Count>{}, body);
}

constexpr int log2_of(long long x) {
  int bits = 0;
  while ((1ll << bits) < x)
    ++bits;
  return bits;
}

constexpr bool is_power_of_two(long long x) { return x > 0 && (x & (x - 1)) == 0; }

} // namespace detail

#define TILEC_BF16_OPERATOR(op)                                                                                        \
  TILEC_DEVICE bf16 operator op(bf16 a, bf16 b) {                                                                      \
    return detail::round_to_bf16(static_cast<float>(a) op static_cast<float>(b));                                      \
  }
TILEC_BF16_OPERATOR(+)
TILEC_BF16_OPERATOR(-)
TILEC_BF16_OPERATOR(*)
TILEC_BF16_OPERATOR(/)
#undef TILEC_BF16_OPERATOR
TILEC_DEVICE bf16 operator-(bf16 a) { return {static_cast<unsigned short>(a.bits ^ 0x8000u)}; }

#define TILEC_BF16_COMPARISON(op)                                                                                      \
  TILEC_DEVICE bool operator op(bf16 a, bf16 b) { return static_cast<float>(a) op static_cast<float>(b); }
TILEC_BF16_COMPARISON(==)
TILEC_BF16_COMPARISON(!=)
TILEC_BF16_COMPARISON(<)
TILEC_BF16_COMPARISON(<=)
TILEC_BF16_COMPARISON(>)
TILEC_BF16_COMPARISON(>=)
#undef TILEC_BF16_COMPARISON

} // namespace tilec

#endif // TILEC_TYPES_H
