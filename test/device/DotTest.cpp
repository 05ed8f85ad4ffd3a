//===- DotTest.cpp - products on the vector units against a naive product -----------------------------------------===//
#include "Product.h"

using namespace tilec;
using namespace tilec::test;

namespace {

// 16x32 sums of two waves, four in each thread; k is 4.
using Sums = Layout<Shape<16, 32>, Registers<at(0, 1), at(8, 0)>,
                    Lanes<at(0, 2), at(0, 4), at(0, 8), at(1), at(2), at(4)>, Waves<at(0, 16)>>;
using Rows = Layout<Shape<16, 4>, Registers<at(0, 1), at(0, 2), at(8, 0)>,
                    Lanes<at(0, 0), at(0, 0), at(0, 0), at(1), at(2), at(4)>, Waves<at(0, 0)>>;
using Columns = Layout<Shape<32, 4>, Registers<at(0, 1), at(0, 2), at(1)>,
                       Lanes<at(2), at(4), at(8), at(0, 0), at(0, 0), at(0, 0)>, Waves<at(16)>>;
using TurnedColumns = Layout<Shape<4, 32>, Registers<at(1), at(2), at(0, 1)>,
                             Lanes<at(0, 2), at(0, 4), at(0, 8), at(0, 0), at(0, 0), at(0, 0)>, Waves<at(0, 16)>>;

} // namespace

TEST(Dot, EveryType) {
  expectDot<float, float, transposed_b, Rows, Columns, Sums>();
  expectDot<bf16, float, transposed_b, Rows, Columns, Sums>();
  expectDot<f16, float, transposed_b, Rows, Columns, Sums>();
  expectDot<fp8_e4m3, float, transposed_b, Rows, Columns, Sums>();
  expectDot<fp8_e5m2_fnuz, float, transposed_b, Rows, Columns, Sums>();
  expectDot<signed char, int, transposed_b, Rows, Columns, Sums>();
  expectDot<int, int, transposed_b, Rows, Columns, Sums>();
  expectDot<double, double, transposed_b, Rows, Columns, Sums>();
}

TEST(Dot, OperandsAsTheyLie) { expectDot<float, float, 0, Rows, TurnedColumns, Sums>(); }

TEST(Dot, FewerSumsThanThreads) {
  // One row; half of the lanes repeat the others.
  using Row =
      Layout<Shape<1, 32>, Registers<>, Lanes<at(0, 1), at(0, 2), at(0, 4), at(0, 8), at(0, 16), at(0, 0)>, Waves<>>;
  using A = Layout<Shape<1, 2>, Registers<at(0, 1)>, Lanes<at(0, 0), at(0, 0), at(0, 0), at(0, 0), at(0, 0), at(0, 0)>,
                   Waves<>>;
  using B = Layout<Shape<32, 2>, Registers<at(0, 1)>, Lanes<at(1), at(2), at(4), at(8), at(16), at(0, 0)>, Waves<>>;
  expectDot<int, int, transposed_b, A, B, Row>();
  expectDot<f16, float, transposed_b, A, B, Row>();
}

TEST(Dot, IntegersWrap) {
  int sum = 0;
  run(1, 1, [&] {
    using One = Layout<Shape<1, 1>, Registers<>, Lanes<at(), at(), at(), at(), at(), at()>, Waves<>>;
    const auto large = splat<int, One>(0x10001), result = dot(large, large, splat<int, One>(0x7fffffff));
    if (target::thread() == 0)
      sum = result[0];
  });
  EXPECT_EQ(sum, int(0x10001u * 0x10001u + 0x7fffffffu));
}
