//===- SharedTest.cpp - LDS tiles, their swizzles and transposes --------------------------------------------------===//
#include "Harness.h"

using namespace tilec;
using namespace tilec::test;

namespace {

/// Writes with one layout, looks at the bytes by the printed formula, reads with another.
template <class T, class Write, class Read, int Vector, int PerPhase, int Phases>
void expectRoundTrip() {
  constexpr int rows = Write::Shape::extent(0), cols = Write::Shape::extent(1);
  using Type = Shared<T, Shape<rows, cols>, Swizzle<Vector, PerPhase, Phases>>;
  std::vector<float> raw(rows * cols), got(rows * cols);
  constexpr int waves = (Write::threads > Read::threads ? Write::threads : Read::threads) / 64;
  run(1, waves, [&] {
    const Type lds = shared<Type>(broadcast_lds + 192);
    Tile<T, Write> tile;
    const auto row = iota<int, Write, 0>(), col = iota<int, Write, 1>();
    for (int r = 0; r < Write::registers; ++r)
      tile[r] = cast<T>(valueAt(row[r] * cols + col[r]));
    store(lds, tile);
    barrier();
    if (target::thread() == 0)
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j) {
          T element;
          const int place = i * cols + ((j / Vector) ^ ((i / PerPhase) % Phases)) * Vector + j % Vector;
          target::load_lds<1>(&element, broadcast_lds + 192 + place * int(sizeof(T)));
          raw[i * cols + j] = cast<float>(element);
        }
    const auto back = load<Read>(lds);
    const auto i = iota<int, Read, 0>(), j = iota<int, Read, 1>();
    for (int r = 0; r < Read::registers; ++r)
      got[i[r] * cols + j[r]] = cast<float>(back[r]);
  });
  for (int i = 0; i < rows * cols; ++i) {
    ASSERT_EQ(raw[i], valueAt(i)) << i;
    ASSERT_EQ(got[i], valueAt(i)) << i;
  }
}

using OperandLayout =
    Layout<Shape<128, 32>, Registers<at(0, 1), at(0, 2), at(0, 8), at(0, 16), at(32, 0)>,
           Lanes<at(1, 0), at(2, 0), at(4, 0), at(8, 0), at(16, 0), at(0, 4)>, Waves<at(0, 0), at(64, 0)>>;
// Registers step down the columns first.
using TallLayout = Layout<Shape<128, 32>, Registers<at(1, 0), at(2, 0), at(4, 0), at(0, 1), at(0, 2)>,
                          Lanes<at(8, 0), at(16, 0), at(32, 0), at(64, 0), at(0, 4), at(0, 8)>, Waves<at(0, 16)>>;

} // namespace

TEST(Shared, RoundTrips) {
  expectRoundTrip<bf16, CopyLayout, OperandLayout, 8, 2, 4>();
  expectRoundTrip<bf16, CopyLayout, TallLayout, 8, 1, 4>();
  expectRoundTrip<bf16, TallLayout, OperandLayout, 4, 1, 8>();
  expectRoundTrip<bf16, OperandLayout, CopyLayout, 1, 1, 1>();
  expectRoundTrip<float, CopyLayout, TallLayout, 4, 1, 8>();
  expectRoundTrip<signed char, CopyLayout, OperandLayout, 16, 4, 2>();
  expectRoundTrip<f16, BlockLayout, BlockLayout, 4, 1, 16>();
  expectRoundTrip<float, ReplicatedLayout, ReplicatedLayout, 1, 1, 1>();
  expectRoundTrip<float, SkewedLayout, SkewedLayout, 2, 1, 8>();
}

namespace {

/// Writes a matrix whose columns are no power of two in panels, and reads them with another layout.
template <class Write, class Read, int Columns, class Z>
void expectPanels() {
  constexpr int rows = Write::Shape::extent(0), cols = Write::Shape::extent(1);
  using Type = Panels<float, Shape<rows, cols>, Columns, Z>;
  std::vector<float> got(rows * cols, -1);
  run(1, Write::threads / 64, [&] {
    const Type lds = shared<Type>(broadcast_lds);
    Tile<float, Write> tile;
    const auto row = iota<int, Write, 0>(), col = iota<int, Write, 1>();
    for (int r = 0; r < Write::registers; ++r)
      tile[r] = valueAt(row[r] * cols + col[r]);
    store(lds, tile);
    barrier();
    const auto back = load<Read>(lds);
    const auto i = iota<int, Read, 0>(), j = iota<int, Read, 1>();
    for (int r = 0; r < Read::registers; ++r)
      got[i[r] * cols + j[r]] = back[r];
  });
  for (int i = 0; i < rows * cols; ++i)
    ASSERT_EQ(got[i], valueAt(i)) << i;
}

} // namespace

TEST(Shared, PanelsOfColumnsThatAreNoPowerOfTwo) {
  using Across = Layout<Shape<64, 40>, Registers<at(0, 1), at(0, 2), at(32, 0), at(0, 8), at(0, 16), at(0, 32)>,
                        Lanes<at(0, 4), at(1, 0), at(2, 0), at(4, 0), at(8, 0), at(16, 0)>, Waves<at(0, 0)>>;
  expectPanels<UnevenLayout, Across, 8, Swizzle<4, 4, 2>>();
  expectPanels<UnevenLayout, UnevenLayout, 8, Swizzle<1, 1, 1>>();
}

TEST(Shared, TransposedBothWays) {
  using Type = Shared<bf16, Shape<32, 128>, Swizzle<8, 1, 8>>;
  std::vector<float> read(32 * 128), written(32 * 128);
  run(1, 4, [&] {
    const Type first = shared<Type>(1024);
    Tile<bf16, CopyLayout> tile;
    const auto row = iota<int, CopyLayout, 0>(), col = iota<int, CopyLayout, 1>();
    for (int r = 0; r < CopyLayout::registers; ++r)
      tile[r] = cast<bf16>(valueAt(row[r] * 32 + col[r]));
    store(first, tile, transposed);
    barrier();
    const auto back = load<CopyLayout>(first, transposed);
    for (int r = 0; r < CopyLayout::registers; ++r)
      read[row[r] * 32 + col[r]] = cast<float>(back[r]);
    if (target::thread() == 0)
      for (int i = 0; i < 32; ++i)
        for (int j = 0; j < 128; ++j) {
          bf16 element;
          target::load_lds<1>(&element, 1024 + Type::element(at(i, j)) * 2);
          written[j * 32 + i] = cast<float>(element);
        }
  });
  for (int i = 0; i < 32 * 128; ++i) {
    ASSERT_EQ(read[i], valueAt(i));
    ASSERT_EQ(written[i], valueAt(i));
  }
}

TEST(Shared, AccessesAreAsWideAsTheyMayBe) {
  using Plain = Shared<bf16, Shape<128, 32>, Swizzle<8, 2, 4>>;
  static_assert(detail::SharedPlan<CopyLayout, Plain, false>::count == 8);
  static_assert(detail::SharedPlan<OperandLayout, Plain, false>::count == 4);
  static_assert(detail::SharedPlan<TallLayout, Plain, false>::count == 4);
  // A swizzle of two elements splits runs of eight.
  using Fine = Shared<bf16, Shape<128, 32>, Swizzle<2, 1, 16>>;
  static_assert(detail::SharedPlan<CopyLayout, Fine, false>::count == 2);
  // Along rows only the transpose is contiguous.
  using Turned = Shared<bf16, Shape<32, 128>, Swizzle<8, 1, 8>>;
  static_assert(detail::SharedPlan<TallLayout, Turned, true>::count == 8);
  static_assert(detail::SharedPlan<CopyLayout, Turned, true>::count == 1);
  EXPECT_EQ(Plain::bytes, 8192);
}
