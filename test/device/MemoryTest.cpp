//===- MemoryTest.cpp - loads and stores of views at every kind of edge -------------------------------------------===//
#include "Harness.h"

using namespace tilec;
using namespace tilec::test;

namespace {

struct Case {
  int rows, cols; ///< of the view
  int pitch;      ///< elements between rows
  int shift;      ///< elements between the array's start and the view's
  int row, col;   ///< where the tile starts
};

// Inside, over each edge, negative, wholly outside, misaligned by start, shift and pitch, an odd number of columns.
const Case cases[] = {
    {256, 128, 128, 0, 0, 0},   {256, 128, 128, 0, 64, 32}, {100, 128, 128, 0, 64, 64}, {256, 72, 72, 0, 0, 64},
    {256, 71, 72, 0, 0, 64},    {90, 45, 48, 0, 64, 32},    {256, 128, 128, 0, -5, 0},  {256, 128, 128, 0, 0, -8},
    {256, 128, 128, 0, -3, -3}, {64, 64, 64, 0, 64, 0},     {64, 64, 64, 0, 0, 64},     {64, 64, 64, 0, -128, 0},
    {256, 128, 128, 0, 0, 3},   {256, 128, 136, 1, 0, 0},   {256, 125, 125, 0, 0, 0},   {256, 128, 132, 4, 8, 8},
    {1, 1, 1, 0, 0, 0},         {130, 33, 40, 8, 64, 16},
};

template <class T, class L, int V>
void expectLoads(const Case &c, bool live) {
  constexpr int tileRows = L::Shape::extent(0), tileCols = L::Shape::extent(1);
  const std::vector<T> memory = values<T>(c.shift + (long long)c.rows * c.pitch);
  std::vector<float> got(L::Shape::size * 4, -100.0f);
  run(1, L::threads / 64, [&] {
    const auto v = view(memory.data() + c.shift, {c.rows, c.cols}, {c.pitch, 1});
    const T outside = cast<T>(3.0f);
    const Tile<T, L> tile = live ? load_live<L, V>(v, {c.row, c.col}, outside) : load<L, V>(v, {c.row, c.col}, outside);
    for (int r = 0; r < L::registers; ++r) {
      const Point p = L::of(r) ^ L::of_constant_thread(target::thread());
      got[p[0] * tileCols + p[1]] = cast<float>(tile[r]);
    }
  });
  for (int i = 0; i < tileRows; ++i)
    for (int j = 0; j < tileCols; ++j) {
      const int row = c.row + i, col = c.col + j;
      const bool inside = row >= 0 && row < c.rows && col >= 0 && col < c.cols;
      const float expected = inside ? valueAt(c.shift + (long long)row * c.pitch + col) : 3.0f;
      ASSERT_EQ(got[i * tileCols + j], expected) << i << ", " << j;
    }
}

/// Every element of the view under the tile is written, nothing else is touched.
template <class T, class L, int V>
void expectStores(const Case &c) {
  constexpr int tileRows = L::Shape::extent(0), tileCols = L::Shape::extent(1);
  const long long size = c.shift + (long long)c.rows * c.pitch;
  std::vector<T> memory(size + 64, cast<T>(100.0f));
  run(1, L::threads / 64, [&] {
    Tile<T, L> tile;
    for (int r = 0; r < L::registers; ++r) {
      const Point p = L::of(r) ^ L::of_constant_thread(target::thread());
      tile[r] = cast<T>(valueAt(p[0] * tileCols + p[1]));
    }
    store<V>(tile, view(memory.data() + c.shift, {c.rows, c.cols}, {c.pitch, 1}), {c.row, c.col});
  });
  for (long long i = 0; i < (long long)memory.size(); ++i) {
    const long long place = i - c.shift, row = place / c.pitch, col = place % c.pitch;
    const bool inside = place >= 0 && row < c.rows && col < c.cols && row >= c.row && row < c.row + tileRows &&
                        col >= c.col && col < c.col + tileCols;
    const float expected = inside ? valueAt((row - c.row) * tileCols + col - c.col) : 100.0f;
    ASSERT_EQ(cast<float>(memory[i]), expected) << i;
  }
}

} // namespace

TEST(Memory, LoadsBf16) {
  for (const Case &c : cases) {
    expectLoads<bf16, CopyLayout, 8>(c, false);
    expectLoads<bf16, CopyLayout, 4>(c, true);
    expectLoads<bf16, BlockLayout, 4>(c, true);
    expectLoads<bf16, SkewedLayout, 2>(c, false);
  }
}

TEST(Memory, LoadsFloatAndSmaller) {
  for (const Case &c : cases) {
    expectLoads<float, CopyLayout, 8>(c, false);
    expectLoads<float, ReplicatedLayout, 2>(c, true);
    expectLoads<signed char, CopyLayout, 8>(c, false);
    expectLoads<f16, CopyLayout, 1>(c, false);
    expectLoads<int, SkewedLayout, 2>(c, false);
  }
}

TEST(Memory, Stores) {
  for (const Case &c : cases) {
    expectStores<bf16, CopyLayout, 8>(c);
    expectStores<bf16, BlockLayout, 4>(c);
    expectStores<float, SkewedLayout, 2>(c);
    expectStores<float, ReplicatedLayout, 1>(c);
    expectStores<signed char, CopyLayout, 4>(c);
  }
}

TEST(Memory, AtomicAddCountsReplicasOnce) {
  std::vector<float> memory(20 * 20, 1.0f);
  run(3, 1,
      [&] { atomic_add<agent>(splat<float, ReplicatedLayout>(2.0f), view(memory.data(), {20, 20}, {20, 1}), {8, 2}); });
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < 20; ++j)
      EXPECT_EQ(memory[i * 20 + j], i >= 8 && j >= 2 && j < 18 ? 7.0f : 1.0f) << i << ", " << j;
}

TEST(Memory, AtomicExtremaOfFloatsAndIntegers) {
  std::vector<float> floats(16 * 16, -1.0f);
  std::vector<int> integers(16 * 16, 5);
  floats[17] = NAN;
  run(3, 1, [&] {
    const int mine = 2 * int(blockIdx.x) - 3;
    atomic_maximum<tilec::system>(splat<float, ReplicatedLayout>(float(mine)), view(floats.data(), {16, 16}, {16, 1}),
                                  {0, 4});
    atomic_minimum<agent>(splat<int, ReplicatedLayout>(mine), view(integers.data(), {16, 16}, {16, 1}), {-2, 0});
  });
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) {
      EXPECT_EQ(integers[i * 16 + j], i < 14 ? -3 : 5) << i << ", " << j;
      if (i == 1 && j == 1)
        EXPECT_TRUE(std::isnan(floats[17]));
      else
        EXPECT_EQ(floats[i * 16 + j], j >= 4 ? 1.0f : -1.0f) << i << ", " << j;
    }
}

TEST(Memory, AViewMayHaveMoreDimensions) {
  const std::vector<int> memory = [] {
    std::vector<int> all(3 * 16 * 16);
    for (int i = 0; i < int(all.size()); ++i)
      all[i] = i;
    return all;
  }();
  std::vector<int> sums(2);
  run(1, 1, [&] {
    const auto v = view(memory.data(), {3, 16, 16}, {256, 16, 1});
    const auto inside = load<ReplicatedLayout, 2>(v, {2, 0, 0}), outside = load<ReplicatedLayout, 2>(v, {3, 0, 0});
    if (target::thread() == 0) {
      sums[0] = inside[0];
      sums[1] = outside[0];
    }
  });
  EXPECT_EQ(sums[0], 512);
  EXPECT_EQ(sums[1], 0);
}

TEST(Memory, ColumnsMayHaveAnyStride) {
  const std::vector<float> memory = values<float>(32 * 64 * 2);
  for (int columns : {29, 30, 32}) {
    std::vector<float> got(32 * 32);
    run(1, 1, [&] {
      const auto tile = load<SkewedLayout, 2>(view_at(memory.data(), {1, 3}, {32, columns}, {1, 64}), {0, 0});
      store<1>(tile, view(got.data(), {32, 32}, {32, 1}), {0, 0});
    });
    for (int i = 0; i < 32; ++i)
      for (int j = 0; j < 32; ++j)
        EXPECT_EQ(got[i * 32 + j], j < columns ? valueAt(i + 1 + (j + 3) * 64) : 0.0f);
  }
}
