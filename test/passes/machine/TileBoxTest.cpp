// Layouts of tiles with a side that is no power of two: those of the box, of which the last registers are left out.
#include "passes/machine/TileBox.h"
#include "passes/machine/BlockedLayout.h"
#include "gtest/gtest.h"

using namespace tilec;

namespace {

using Shape = llvm::SmallVector<int64_t, 4>;

/// Each element of the tile is held by the registers that exist, and nothing else is.
void expectHoldsTile(const LinearLayout &layout, const Shape &shape) {
  ASSERT_TRUE(isLayoutOf(layout, shape)) << layout.str();
  std::vector<int> holders(shape[0] * shape[1], 0);
  for (int64_t wave = 0; wave < layout.inputSize(LinearLayout::kWave); ++wave)
    for (int64_t lane = 0; lane < layout.inputSize(LinearLayout::kLane); ++lane)
      for (int64_t r = 0; r < registersOf(layout, shape); ++r) {
        LinearLayout::Point point = layout.at(r, lane, wave);
        ASSERT_LT(point[0], shape[0]);
        ASSERT_LT(point[1], shape[1]);
        ++holders[point[0] * shape[1] + point[1]];
      }
  for (int count : holders)
    EXPECT_GE(count, 1);
}

} // namespace

TEST(TileBox, RoundsSidesUp) {
  EXPECT_EQ(boxOf({128, 224}), (Shape{128, 256}));
  EXPECT_EQ(boxOf({8, 40}), (Shape{8, 64}));
  EXPECT_EQ(boxOf({64}), (Shape{64}));
  EXPECT_EQ(wholeRun(224), 32);
  EXPECT_EQ(wholeRun(40), 8);
}

TEST(TileBox, OneSideOfAMatrixMayBeAMultipleOfEight) {
  EXPECT_TRUE(hasBox({128, 224}));
  EXPECT_TRUE(hasBox({224, 64}));
  EXPECT_TRUE(hasBox({40}));
  EXPECT_TRUE(hasBox({2, 4, 8, 16}));
  EXPECT_FALSE(hasBox({96, 224}));
  EXPECT_FALSE(hasBox({2, 2, 224}));
  EXPECT_FALSE(hasBox({128, 12}));
  EXPECT_FALSE(hasBox({0}));
}

TEST(TileBox, RegistersThatGoOnBehindARunComeLast) {
  LinearLayout layout =
      LinearLayout::tile({{0, 1}, {0, 8}, {0, 16}, {4, 0}}, {{0, 2}, {0, 4}}, {{1, 0}, {2, 0}}, {8, 32});
  EXPECT_FALSE(isLayoutOf(layout, {8, 24}));
  EXPECT_TRUE(isLayoutOf(layout, {8, 32}));
  LinearLayout last = withRunsLast(layout, {8, 24});
  EXPECT_EQ(last, LinearLayout::tile({{0, 1}, {4, 0}, {0, 8}, {0, 16}}, {{0, 2}, {0, 4}}, {{1, 0}, {2, 0}}, {8, 32}));
  EXPECT_EQ(registersOf(last, {8, 24}), 12);
  EXPECT_EQ(withRunsLast(layout, {8, 32}), layout);
  expectHoldsTile(last, {8, 24});
}

TEST(TileBox, ThreadsStayWithinARun) {
  LinearLayout layout = LinearLayout::tile({{0, 1}, {0, 2}, {0, 4}}, {{0, 8}, {1, 0}}, {{0, 16}}, {2, 32});
  EXPECT_FALSE(isLayoutOf(layout, {2, 24}));
  EXPECT_TRUE(isLayoutOf(layout, {2, 32}));
}

TEST(TileBox, BlockedLayoutsOfAnyWidth) {
  for (int64_t bytes : {1, 2, 4})
    for (int64_t waves : {1, 4, 8})
      for (int64_t side : {24, 96, 104, 208, 224, 248}) {
        expectHoldsTile(blockedLayout({64, side}, {waves, 32}, bytes), {64, side});
        expectHoldsTile(blockedLayout({side, 64}, {waves, 64}, bytes), {side, 64});
        expectHoldsTile(blockedLayout({side, 16}, {waves, 32}, bytes, 16, 4), {side, 16});
      }
  EXPECT_EQ(blockedLayout({128, 224}, {8, 32}, 2).vectorWidth(), 8);
}

TEST(TileBox, BlockedLayoutsWithinWaves) {
  // As sums of wgmma lie: two warpgroups above each other.
  LinearLayout sums =
      LinearLayout::tile({{0, 1}, {8, 0}, {0, 8}, {0, 16}, {0, 32}, {0, 64}, {0, 128}},
                         {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}, {{16, 0}, {32, 0}, {64, 0}}, {128, 256});
  std::optional<LinearLayout> own = blockedWithinWaves(sums, {128, 224}, 2);
  ASSERT_TRUE(own);
  expectHoldsTile(*own, {128, 224});
  EXPECT_EQ(own->vectorWidth(), 8);
  EXPECT_EQ(own->bases(LinearLayout::kWave), sums.bases(LinearLayout::kWave));
  EXPECT_EQ(registersOf(*own, {128, 224}), 112);
  // Their transpose, of which a wave has 16 columns: a sector. Lanes keep to the eight rows that 216 is a multiple of.
  LinearLayout turned = sums.transpose({1, 0});
  for (auto [rows, vector] : {std::pair<int64_t, int64_t>{216, 4}, {208, 8}, {256, 8}}) {
    own = blockedWithinWaves(turned, {rows, 128}, 2);
    ASSERT_TRUE(own) << rows;
    expectHoldsTile(*own, {rows, 128});
    EXPECT_EQ(own->vectorWidth(), vector) << rows;
    EXPECT_EQ(own->bases(LinearLayout::kWave), turned.bases(LinearLayout::kWave));
  }
  // Bytes would be half a sector.
  EXPECT_FALSE(blockedWithinWaves(turned, {256, 128}, 1));
}
