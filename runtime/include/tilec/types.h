//===- types.h - element types --------------------------------------------------------------------------*- C++ -*-===//
// Storage types of tile elements and loops that unroll. Conversions are in cast.h; functions of values are in math.h.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_TYPES_H
#define TILEC_TYPES_H

#include "tilec/attributes.h"
#include <type_traits>
#include <utility>

namespace tilec {

/// IEEE binary16. nvcc stores a _Float16, but neither converts nor adds it: there f16 is storage, as bf16 is, whose
/// results are rounded from float. That is what rounding once gives, as float has more than twice the digits.
#if defined(__NVCC__)
struct alignas(2) f16 {
  unsigned short bits;

  f16() = default;
  TILEC_DEVICE explicit f16(float x) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x)); }
  TILEC_DEVICE explicit operator float() const {
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
    return x;
  }
};
#else
using f16 = _Float16;
#endif

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

/// The same for bodies that need no constant on the CPU, where a loop compiles in a fraction of the time. What such a
/// body derives from its argument is `TILEC_KNOWN`, a constant on a GPU: the CPU looks up in a table what takes long.
template <int Count, class Body>
__attribute__((always_inline)) TILEC_DEVICE void for_each(Body &&body) {
#if defined(TILEC_EMULATED)
  for (int i = 0; i < Count; ++i)
    body(i);
#else
  repeat<Count>(body);
#endif
}

/// Map::of(0) ... Map::of(Count - 1), computed once.
template <class Map, int Count>
struct Table {
  decltype(Map::of(0)) of[Count] = {};

  constexpr Table() {
    for (int i = 0; i < Count; ++i)
      of[i] = Map::of(i);
  }
};
template <class Map, int Count>
inline constexpr Table<Map, Count> table_of{};

constexpr int log2_of(long long x) {
  int bits = 0;
  while ((1ll << bits) < x)
    ++bits;
  return bits;
}

constexpr bool is_power_of_two(long long x) { return x > 0 && (x & (x - 1)) == 0; }

} // namespace detail

#define TILEC_STORED_OPERATOR(type, round, op)                                                                         \
  TILEC_DEVICE type operator op(type a, type b) { return round(static_cast<float>(a) op static_cast<float>(b)); }
#define TILEC_STORED_COMPARISON(type, op)                                                                              \
  TILEC_DEVICE bool operator op(type a, type b) { return static_cast<float>(a) op static_cast<float>(b); }
#define TILEC_STORED_OPERATORS(type, round)                                                                            \
  TILEC_STORED_OPERATOR(type, round, +)                                                                                \
  TILEC_STORED_OPERATOR(type, round, -)                                                                                \
  TILEC_STORED_OPERATOR(type, round, *)                                                                                \
  TILEC_STORED_OPERATOR(type, round, /)                                                                                \
  TILEC_STORED_COMPARISON(type, ==)                                                                                    \
  TILEC_STORED_COMPARISON(type, !=)                                                                                    \
  TILEC_STORED_COMPARISON(type, <)                                                                                     \
  TILEC_STORED_COMPARISON(type, <=)                                                                                    \
  TILEC_STORED_COMPARISON(type, >)                                                                                     \
  TILEC_STORED_COMPARISON(type, >=)                                                                                    \
  TILEC_DEVICE type operator-(type a) {                                                                                \
    a.bits ^= 0x8000u;                                                                                                 \
    return a;                                                                                                          \
  }
TILEC_STORED_OPERATORS(bf16, detail::round_to_bf16)
#if defined(__NVCC__)
TILEC_STORED_OPERATORS(f16, f16)
#endif
#undef TILEC_STORED_OPERATORS
#undef TILEC_STORED_COMPARISON
#undef TILEC_STORED_OPERATOR

} // namespace tilec

#endif // TILEC_TYPES_H
