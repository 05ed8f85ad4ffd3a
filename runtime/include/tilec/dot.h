//===- dot.h - products of register tiles on the vector units -------------------------------------------*- C++ -*-===//
// `dot`, for element types and shapes that no matrix instruction multiplies. The same text runs on every device and in
// the emulator.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_DOT_H
#define TILEC_DOT_H

#include "tilec/cast.h"
#include "tilec/mma.h"

namespace tilec {
namespace detail {

/// sum + a * b as the dialect defines it: exact products of floats, summed in float (of double in double); integers
/// wrap.
template <class S, class T>
TILEC_DEVICE S multiply_add(T a, T b, S sum) {
  if constexpr (std::is_same_v<S, double>)
    return __builtin_fma(a, b, sum);
  else if constexpr (std::is_same_v<S, float>)
    return __builtin_fmaf(cast<float>(a), cast<float>(b), sum);
  else
    return static_cast<S>(static_cast<std::make_unsigned_t<S>>(a) * static_cast<std::make_unsigned_t<S>>(b) +
                          static_cast<std::make_unsigned_t<S>>(sum));
}

/// Which registers of the operands each sum needs. A thread holds the rows of a and the columns of b of its own sums,
/// for every k.
template <int Flags, class LA, class LB, class LC>
struct DotPlan {
  static constexpr int rowA = Flags & transposed_a ? 1 : 0, rowB = Flags & transposed_b ? 0 : 1;
  static_assert(LA::rank == 2 && LB::rank == 2 && LC::rank == 2, "dot multiplies matrices");
  static_assert(LA::Shape::extent(rowA) == LC::Shape::extent(0) && LB::Shape::extent(rowB) == LC::Shape::extent(1) &&
                    LA::Shape::extent(1 - rowA) == LB::Shape::extent(1 - rowB),
                "shapes of a dot do not agree");
  static constexpr int depth = LA::Shape::extent(1 - rowA);

  static constexpr bool threads_match() {
    for (int bit = 0; bit < LC::thread_bits; ++bit) {
      const Point a = LA::thread_basis(bit), b = LB::thread_basis(bit), sum = LC::thread_basis(bit);
      if (a[rowA] != sum[0] || a[1 - rowA] || b[rowB] != sum[1] || b[1 - rowB])
        return false;
    }
    return LA::thread_bits == LC::thread_bits && LB::thread_bits == LC::thread_bits;
  }
  static_assert(threads_match(), "threads of a dot's operands do not hold the rows and columns of their sums");

  static constexpr OperandOrder<LA, rowA> a{};
  static constexpr OperandOrder<LB, rowB> b{};
  static_assert(a.steps() == depth && b.steps() == depth, "registers of a dot's operands do not hold every k");

  /// The operands' registers for every sum at one k.
  struct Places {
    short a[LC::registers], b[LC::registers];
  };
  static constexpr Places places(int k) {
    Places result{};
    for (int r = 0; r < LC::registers; ++r) {
      result.a[r] = short(a.find(LC::of(r)[0], k));
      result.b[r] = short(b.find(LC::of(r)[1], k));
    }
    return result;
  }
  static constexpr bool complete() {
    const Places first = places(0);
    for (int r = 0; r < LC::registers; ++r)
      if (first.a[r] < 0 || first.b[r] < 0)
        return false;
    return true;
  }
  static_assert(complete(), "registers of a dot's operands lack a row or a column of a sum");
};

} // namespace detail

/// acc + a * b, a: M x K, b: K x N (or as the flags say), acc: M x N, in the order of k. Any types that multiply_add
/// takes, any shapes; whatever does not fit does not compile.
template <int Flags = 0, class T, class LA, class LB, class S, class LC>
TILEC_DEVICE Tile<S, LC> dot(const Tile<T, LA> &a, const Tile<T, LB> &b, const Tile<S, LC> &acc) {
  using Plan = detail::DotPlan<Flags, LA, LB, LC>;
  Tile<S, LC> result = acc;
  detail::repeat<Plan::depth>([&](auto k) TILEC_LAMBDA {
    constexpr auto places = Plan::places(decltype(k)::value);
#pragma unroll
    for (int r = 0; r < LC::registers; ++r)
      result.data[r] = detail::multiply_add<S>(a.data[places.a[r]], b.data[places.b[r]], result.data[r]);
  });
  return result;
}

} // namespace tilec

#endif // TILEC_DOT_H
