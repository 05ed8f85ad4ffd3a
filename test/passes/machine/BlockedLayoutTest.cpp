// Blocked layouts: coverage, coalescing, replication.
// Belongs here: BlockedLayout. Does not: LDS.
#include "passes/machine/BlockedLayout.h"

#include <gtest/gtest.h>

using namespace tilec;
using Flat = llvm::SmallVector<int64_t>;

TEST(BlockedLayout, CoversEveryTileOnce) {
  for (int64_t rows = 1; rows <= 256; rows *= 2)
    for (int64_t columns = 1; columns <= 512; columns *= 4)
      for (int64_t waves : {1, 2, 8})
        for (int64_t bytes : {1, 2, 4}) {
          LinearLayout layout = blockedLayout({rows, columns}, {waves, 64}, bytes);
          EXPECT_TRUE(layout.isSurjective());
          EXPECT_TRUE(layout.isInjectiveModuloReplication());
          EXPECT_EQ(layout.inputSize("lane"), 64);
          EXPECT_EQ(layout.inputSize("wave"), waves);
          EXPECT_LE(layout.vectorWidth() * bytes, std::max<int64_t>(16, columns * bytes));
          // Registers never replicate: copies cost threads, not registers.
          EXPECT_EQ(layout.replicationMask("register"), 0u);
        }
}

TEST(BlockedLayout, VectorThenLanesThenWaves) {
  LinearLayout layout = blockedLayout({128, 32}, {4, 64}, 2);
  EXPECT_EQ(layout.flatBases("register"), (Flat{0, 1, 0, 2, 0, 4, 64, 0}));
  EXPECT_EQ(layout.flatBases("lane"), (Flat{0, 8, 0, 16, 1, 0, 2, 0, 4, 0, 8, 0}));
  EXPECT_EQ(layout.flatBases("wave"), (Flat{16, 0, 32, 0}));
  EXPECT_EQ(layout.vectorWidth(), 8);
}

TEST(BlockedLayout, LongRowsSpanWavesOnlyWhenRowsRunOut) {
  LinearLayout wide = blockedLayout({4, 2048}, {8, 64}, 4);
  EXPECT_EQ(wide.flatBases("wave"), (Flat{1, 0, 2, 0, 0, 256}));
  LinearLayout row = blockedLayout({4096}, {4, 64}, 2);
  EXPECT_EQ(row.flatBases("wave"), (Flat{512, 1024}));
  EXPECT_EQ(row.vectorWidth(), 8);
}

TEST(BlockedLayout, NarrowsVectorsBeforeIdlingThreads) {
  // 512 elements for 256 threads: two each, not eight for every fourth thread.
  EXPECT_EQ(blockedLayout({16, 32}, {4, 64}, 2).vectorWidth(), 2);
  // 64 elements: four bytes is the floor, the other threads hold copies.
  LinearLayout tiny = blockedLayout({2, 32}, {4, 64}, 2);
  EXPECT_EQ(tiny.vectorWidth(), 2);
  EXPECT_EQ(tiny.replicationMask("lane"), 0x20u);
  EXPECT_EQ(tiny.replicationMask("wave"), 3u);
}

TEST(BlockedLayout, HigherRanks) {
  LinearLayout layout = blockedLayout({2, 4, 8, 16}, {2, 64}, 4);
  EXPECT_TRUE(layout.isBijective());
  EXPECT_EQ(layout.vectorWidth(), 4);
}
