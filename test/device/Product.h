//===- Product.h - a product of tiles against a naive one -----------------------------------------------*- C++ -*-===//
// For tests of matrix instructions and of products on the vector units, whatever the lanes of a wave.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_TEST_DEVICE_PRODUCT_H
#define TILEC_TEST_DEVICE_PRODUCT_H

#include "Harness.h"

namespace tilec::test {

/// 3 + a * b of elements T in sums S, from memory in any layouts, by `multiply(a, b, sums)`. Compared exactly: the
/// values are small integers.
template <class T, class S, int Flags, class LA, class LB, class LC, class Multiply>
void expectSums(Multiply multiply) {
  constexpr int m = LC::Shape::extent(0), n = LC::Shape::extent(1);
  constexpr bool turnedA = Flags & transposed_a, turnedB = Flags & transposed_b;
  constexpr int k = LA::Shape::extent(turnedA ? 0 : 1);
  const auto a = values<T>(m * k), b = values<T>(n * k);
  std::vector<S> c(m * n);
  run(1, LC::threads / target::wave_lanes, [&] {
    const auto ta =
        load<LA, 1>(view(a.data(), {LA::Shape::extent(0), LA::Shape::extent(1)}, {LA::Shape::extent(1), 1}), {0, 0});
    const auto tb =
        load<LB, 1>(view(b.data(), {LB::Shape::extent(0), LB::Shape::extent(1)}, {LB::Shape::extent(1), 1}), {0, 0});
    store<1>(multiply(ta, tb, splat<S, LC>(3)), view(c.data(), {m, n}, {n, 1}), {0, 0});
  });
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      S expected = 3;
      for (int p = 0; p < k; ++p)
        expected += S(valueAt(turnedA ? p * m + i : i * k + p) * valueAt(turnedB ? j * k + p : p * n + j));
      ASSERT_EQ(c[i * n + j], expected) << i << ", " << j;
    }
}

/// By a matrix instruction.
template <class I, int Flags, class LA, class LB, class LC>
void expectProduct() {
  expectSums<typename I::Element, typename I::Sum, Flags, LA, LB, LC>(
      [](const auto &a, const auto &b, const auto &sums) { return mma<I, Flags>(a, b, sums); });
}

/// On the vector units.
template <class T, class S, int Flags, class LA, class LB, class LC>
void expectDot() {
  expectSums<T, S, Flags, LA, LB, LC>(
      [](const auto &a, const auto &b, const auto &sums) { return dot<Flags>(a, b, sums); });
}

} // namespace tilec::test

#endif // TILEC_TEST_DEVICE_PRODUCT_H
