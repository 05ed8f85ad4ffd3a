// Products whose tiles tasks share: which tiles, and in how many parts.
// Belongs here: SplitCost. Does not: what programs are given (tile-choose-split.mlir).
#include "passes/machine/SplitCost.h"

#include <gtest/gtest.h>

using namespace tilec;

namespace {

class LastRound : public testing::Test {
protected:
  void SetUp() override {
    std::string error;
    std::optional<Target> loaded = loadTarget("sm_90a", {TILEC_TEST_TARGETS}, error);
    ASSERT_TRUE(loaded) << error;
    target = *loaded;
  }

  /// Of tiles of 128 x 256, which a copy engine feeds.
  std::pair<SharedTiles, double> cheapest(int64_t rows, int64_t columns, int64_t depth) {
    shape = {rows, columns, depth, 1, 2, "bf16"};
    shape.mapped = shape.own = true;
    cost = loopCost(shape, {128, 256, 64}, target);
    return cheapestLastRound(shape, cost, target);
  }

  Target target;
  ProductShape shape;
  LoopCost cost;
};

TEST_F(LastRound, FewTilesAreShared) {
  // 288 tiles for 132 units: two rounds, and 24 tiles in five parts for the third.
  auto [tiles, clocks] = cheapest(3072, 3072, 8192);
  EXPECT_EQ(tiles.whole, 264);
  EXPECT_EQ(tiles.parts, 5);
  EXPECT_LT(clocks, 0.85 * cost.clocks);
  EXPECT_GT(clocks, cost.clocks * 2.2 / 3);
}

TEST_F(LastRound, WholeRoundsAreNot) {
  // 264 tiles.
  auto [tiles, clocks] = cheapest(3072, 2816, 8192);
  EXPECT_EQ(tiles.whole, 264);
  EXPECT_EQ(tiles.parts, 1);
  EXPECT_EQ(clocks, cost.clocks);
}

TEST_F(LastRound, OneRoundIsNot) { EXPECT_EQ(cheapest(1024, 1024, 8192).first.parts, 1); }

TEST_F(LastRound, PartsHaveSteps) {
  // A part would have fewer steps than fill its slots twice.
  EXPECT_EQ(cheapest(3072, 3072, 512).first.parts, 1);
  EXPECT_LT(cheapest(3072, 3072, 2048).first.parts, 5);
}

TEST_F(LastRound, PartsCostWhatAddingThemTakes) {
  auto [tiles, clocks] = cheapest(3072, 3072, 8192);
  target.lastCache.gbPerSecond /= 100;
  auto [fewer, slow] = cheapest(3072, 3072, 8192);
  EXPECT_GT(slow, clocks);
  EXPECT_LE(fewer.parts, tiles.parts);
}

} // namespace
