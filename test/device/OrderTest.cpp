//===- OrderTest.cpp - every order is a bijection, whatever the number of tasks -----------------------------------===//
#include "Harness.h"

using namespace tilec;

namespace {

template <class Order>
void expectBijection(int n, Order order) {
  std::vector<char> seen(n);
  for (int task = 0; task < n; ++task) {
    const int image = order(task);
    ASSERT_TRUE(image >= 0 && image < n) << task << " of " << n << " goes to " << image;
    ASSERT_FALSE(seen[image]) << image << " of " << n << " comes twice";
    seen[image] = 1;
  }
}

} // namespace

TEST(Order, RemapXcdIsABijection) {
  for (int n = 1; n <= 2048; ++n)
    for (int xcds = 1; xcds <= 8; ++xcds)
      expectBijection(n, [&](int task) { return remap_xcd(task, n, xcds); });
}

TEST(Order, RemapXcdGivesEachChipletARun) {
  for (int n : {1, 7, 8, 9, 304, 1001})
    for (int task = 8; task < n; ++task)
      EXPECT_EQ(remap_xcd(task, n, 8), remap_xcd(task - 8, n, 8) + 1);
}

TEST(Order, ChunkedIsABijection) {
  for (int n = 1; n <= 2048; ++n)
    for (int xcds = 1; xcds <= 8; ++xcds)
      for (int chunk : {1, 3, 8, 25, 64, 216})
        expectBijection(n, [&](int task) { return chunked(task, n, xcds, chunk); });
}

TEST(Order, ChunkedKeepsAChunkOnOneChiplet) {
  // 8 chiplets, chunks of 4: results 0..3 are tasks 0, 8, 16, 24.
  for (int task = 0; task < 64; ++task) {
    const int image = chunked(task, 70, 8, 4);
    EXPECT_EQ(image / 4 % 8, task % 8);
  }
}

TEST(Order, GroupedIsABijection) {
  for (int rows = 1; rows <= 23; ++rows)
    for (int cols = 1; cols <= 13; ++cols)
      for (int height = 1; height <= 25; ++height)
        expectBijection(rows * cols, [&](int task) {
          const Coordinates<2> tile = grouped(task, {rows, cols}, height);
          EXPECT_TRUE(tile[0] >= 0 && tile[0] < rows && tile[1] >= 0 && tile[1] < cols);
          return tile[0] * cols + tile[1];
        });
}

TEST(Order, GroupedWalksWindowsColumnByColumn) {
  const int expected[][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 0}, {2, 1}};
  for (int task = 0; task < 6; ++task) {
    const Coordinates<2> tile = grouped(task, {3, 2}, 2);
    EXPECT_EQ(tile[0], expected[task][0]);
    EXPECT_EQ(tile[1], expected[task][1]);
  }
}

// Attention, (heads, blocks) as any grid of n tasks: what `head-first` is made of.
TEST(Order, HeadFirstIsABijection) {
  for (int n = 1; n <= 2048; ++n)
    for (int heads = 1; heads <= n; ++heads) {
      if (n % heads)
        continue;
      const int blocks = n / heads;
      // The grid is written with heads as its fast dimension: the coordinates are those of the permuted grid.
      expectBijection(n, [&](int task) {
        const Coordinates<2> tile = delinearize<2>(remap_xcd(task, n, 8), {heads, blocks});
        return tile[1] * heads + tile[0];
      });
      // Groups of four heads share keys and values and go on side by side, those of the last group as many as there
      // are.
      expectBijection(n, [&](int task) {
        const Coordinates<2> tile = grouped(remap_xcd(task, n, 8), {heads, blocks}, 4);
        return tile[0] * blocks + tile[1];
      });
    }
}

TEST(Order, HeadFirstOfBatchesIsABijection) {
  for (int heads : {1, 3, 8, 12, 20, 28, 40})
    for (int batch = 1; batch <= 4; ++batch)
      for (int blocks = 1; batch * heads * blocks <= 2048; ++blocks)
        expectBijection(batch * heads * blocks, [&](int task) {
          const Coordinates<3> tile =
              delinearize<3>(remap_xcd(task, batch * heads * blocks, 8), {batch, heads, blocks});
          return (tile[0] * blocks + tile[2]) * heads + tile[1]; // a grid of (batch, blocks, heads)
        });
}

TEST(Order, HeadFirstKeepsHeadsOnOneChiplet) {
  for (int heads : {8, 16, 64})
    for (int blocks : {1, 5, 32})
      for (int task = 0; task < heads * blocks; ++task)
        EXPECT_EQ(delinearize<2>(remap_xcd(task, heads * blocks, 8), {heads, blocks})[0] / (heads / 8), task % 8);
  // 12 heads: every chiplet has one and a half, whose blocks come one after the other.
  for (int task = 8; task < 12 * 10; ++task)
    EXPECT_EQ(remap_xcd(task, 120, 8), remap_xcd(task - 8, 120, 8) + 1);
}

TEST(Order, DelinearizeAndRotate) {
  for (int task = 0; task < 3 * 4 * 5; ++task) {
    const Coordinates<3> place = delinearize<3>(task, {3, 4, 5});
    EXPECT_EQ((place[0] * 4 + place[1]) * 5 + place[2], task);
    EXPECT_LT(place[2], 5);
    EXPECT_LT(place[1], 4);
  }
  for (int n : {1, 2, 7})
    for (int by = -20; by <= 20; ++by)
      expectBijection(n, [&](int index) { return rotate(index, n, by); });
  EXPECT_EQ(rotate(3, 4, 2), 1);
}
