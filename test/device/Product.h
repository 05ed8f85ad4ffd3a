//===- Product.h - a product of tiles against a naive one -----------------------------------------------*- C++ -*-===//
// For tests of matrix instructions, whatever the lanes of a wave.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_TEST_DEVICE_PRODUCT_H
#define TILEC_TEST_DEVICE_PRODUCT_H

#include "Harness.h"

namespace tilec::test {

/// acc + a * b from memory in any layouts, compared exactly: the values are small integers.
template <class I, int Flags, class LA, class LB, class LC>
void expectProduct() {
  using T = typename I::Element;
  constexpr int m = LC::Shape::extent(0), n = LC::Shape::extent(1);
  constexpr bool turnedA = Flags & transposed_a, turnedB = Flags & transposed_b;
  constexpr int k = LA::Shape::extent(turnedA ? 0 : 1);
  const auto a = values<T>(m * k), b = values<T>(n * k);
  using S = typename I::Sum;
  std::vector<S> c(m * n);
  run(1, LC::threads / target::wave_lanes, [&] {
    const auto ta =
        load<LA, 1>(view(a.data(), {LA::Shape::extent(0), LA::Shape::extent(1)}, {LA::Shape::extent(1), 1}), {0, 0});
    const auto tb =
        load<LB, 1>(view(b.data(), {LB::Shape::extent(0), LB::Shape::extent(1)}, {LB::Shape::extent(1), 1}), {0, 0});
    const auto sum = mma<I, Flags>(ta, tb, splat<S, LC>(3));
    store<1>(sum, view(c.data(), {m, n}, {n, 1}), {0, 0});
  });
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      S expected = 3;
      for (int p = 0; p < k; ++p)
        expected += S(valueAt(turnedA ? p * m + i : i * k + p) * valueAt(turnedB ? j * k + p : p * n + j));
      ASSERT_EQ(c[i * n + j], expected) << i << ", " << j;
    }
}

} // namespace tilec::test

#endif // TILEC_TEST_DEVICE_PRODUCT_H
