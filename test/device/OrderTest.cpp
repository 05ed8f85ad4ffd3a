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

// Against the definition: the tiles counted off diagonal by diagonal.
static void expectDiagonals(int rows, int cols) {
  int task = 0;
  for (int line = 0; line < rows + cols - 1; ++line)
    for (int row = std::max(0, line - cols + 1); row < rows && row <= line; ++row) {
      const int col = line - row;
      const Coordinates<2> tile = diagonal(task, {rows, cols});
      ASSERT_TRUE(tile[0] == row && tile[1] == col)
          << "task " << task << " of " << rows << " x " << cols << " is (" << tile[0] << ", " << tile[1] << ")";
      ++task;
    }
  ASSERT_EQ(task, rows * cols);
}

TEST(Order, DiagonalCountsTheTilesOfEveryGrid) {
  for (int rows = 1; rows <= 48; ++rows)
    for (int cols = 1; cols <= 48; ++cols)
      expectDiagonals(rows, cols);
}

TEST(Order, DiagonalOfLongThinGrids) {
  for (int rows = 1; rows <= 2048; ++rows)
    for (int cols = 1; rows * cols <= 2048; ++cols)
      expectDiagonals(rows, cols);
}

TEST(Order, DiagonalOfGridsOfAlmostAllNumbers) {
  // The first and the last tasks, those around the corners of the longest diagonals, and where a float's root is off.
  const int grids[][2] = {{46340, 46340},  {46340, 46341},  {46341, 46340}, {2, 1073741823}, {1073741823, 2},
                          {1, 2147483647}, {2147483647, 1}, {65535, 32767}, {30000, 71000}};
  for (const auto &[rows, cols] : grids) {
    const int64_t n = int64_t(rows) * cols, least = rows < cols ? rows : cols, corner = least * (least - 1) / 2;
    for (int64_t around : {int64_t(0), corner, n - corner, n - 1, corner / 2, n / 2})
      for (int64_t task = around - 50; task <= around + 50; ++task) {
        if (task < 0 || task >= n)
          continue;
        const Coordinates<2> tile = diagonal(int(task), {rows, cols});
        ASSERT_TRUE(tile[0] >= 0 && tile[0] < rows && tile[1] >= 0 && tile[1] < cols) << task;
        // As many tiles lie on earlier diagonals, and above on this one.
        auto triangle = [](int64_t side) { return side > 0 ? side * (side + 1) / 2 : 0; };
        const int64_t line = int64_t(tile[0]) + tile[1], first = line >= cols ? line - cols + 1 : 0;
        ASSERT_EQ(triangle(line) - triangle(line - rows) - triangle(line - cols) + tile[0] - first, task);
      }
  }
  for (int line = 1; line < 65535; ++line) {
    const int first = int(int64_t(line) * (line + 1) / 2);
    ASSERT_EQ(diagonal_of(first), line);
    ASSERT_EQ(diagonal_of(first - 1), line - 1);
  }
}

// Products of pieces: chunk x window, chunk x diagonal.
TEST(Order, PiecesOneBehindTheOtherAreABijection) {
  for (int rows = 1; rows <= 31; rows += 2)
    for (int cols = 1; cols <= 33; cols += 4)
      for (int xcds : {1, 3, 8})
        for (int chunk : {0, 1, 4, 16}) {
          const int n = rows * cols;
          auto dealt = [&](int task) { return chunk ? chunked(task, n, xcds, chunk) : remap_xcd(task, n, xcds); };
          expectBijection(n, [&](int task) {
            const Coordinates<2> tile = diagonal(dealt(task), {rows, cols});
            return rotate(tile[0], rows, 2) * cols + tile[1];
          });
          expectBijection(n, [&](int task) {
            const Coordinates<2> tile = grouped(dealt(task), {rows, cols}, 4);
            return rotate(tile[0], rows, 2) * cols + tile[1];
          });
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
