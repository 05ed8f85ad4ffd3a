// Tile sizes of products on the machines that are known: what fits, what costs least.
// Belongs here: TileSizes. Does not: parameters of programs (tile-specialize-tiles.mlir).
#include "passes/machine/TileSizes.h"

#include <gtest/gtest.h>

using namespace tilec;

namespace {

Target machine(const char *name) {
  std::string error;
  std::optional<Target> target = loadTarget(name, {TILEC_TEST_TARGETS}, error);
  EXPECT_TRUE(target) << error;
  return target.value_or(Target());
}

const TileChoices all{{32, 64, 128, 256}, {64, 128, 256}, {16, 32, 64}};

ProductShape product(int64_t rows, int64_t columns, int64_t depth, int64_t rightSides = 1) {
  return {rows, columns, depth, rightSides, 2, "bf16"};
}

TEST(TileSizes, DepthFollowsSharedMemory) {
  TileSizes small = chooseTileSizes(product(2048, 2048, 2048), all, machine("gfx942"));
  EXPECT_EQ(small.rows, 128);
  EXPECT_EQ(small.columns, 128);
  EXPECT_EQ(small.depth, 32);
  TileSizes large = chooseTileSizes(product(2048, 2048, 2048), all, machine("gfx950"));
  EXPECT_EQ(large.rows, 128);
  EXPECT_EQ(large.columns, 128);
  EXPECT_EQ(large.depth, 64);
}

TEST(TileSizes, TwoStagesOfOperandsMustFit) {
  Target target = machine("gfx942");
  // 2 * (128 + 128) * 64 * 2 bytes are all of 64 KiB, and leave nothing for a reduction.
  EXPECT_EQ(productClocks(product(2048, 2048, 2048), {128, 128, 64}, target), 0);
  EXPECT_GT(productClocks(product(2048, 2048, 2048), {128, 128, 32}, target), 0);
}

TEST(TileSizes, SumsOfAllRightSidesMustFit) {
  Target target = machine("gfx942");
  // 512 sums a lane in four waves; 16 waves have 128 registers each, and the sums alone take them.
  EXPECT_GT(productClocks(product(2048, 2048, 2048, 1), {256, 256, 16}, target), 0);
  EXPECT_EQ(productClocks(product(2048, 2048, 2048, 2), {256, 256, 16}, target), 0);
  TileSizes sizes = chooseTileSizes(product(2048, 2048, 2048, 2), all, target);
  EXPECT_EQ(sizes.rows, 128);
  EXPECT_EQ(sizes.columns, 128);
}

ProductShape eightBits(bool fast, bool promoted) {
  ProductShape shape{8192, 8192, 8192, 1, 1, "f8E4M3FN"};
  shape.mapped = true;
  shape.fast = fast;
  shape.promoted = promoted;
  return shape;
}

TEST(TileSizes, PromotedSumsAreHeldTwice) {
  Target target = machine("sm_90a");
  const TileChoices deep{{32, 64, 128, 256}, {64, 128, 256}, {16, 32, 64, 128}};
  EXPECT_TRUE(holdsSumsTwice(eightBits(false, true), 128, target));
  EXPECT_FALSE(holdsSumsTwice(eightBits(false, true), 64, target)); // not read by the instructions that lose bits
  EXPECT_FALSE(holdsSumsTwice(eightBits(true, false), 128, target));
  EXPECT_FALSE(holdsSumsTwice(eightBits(false, true), 128, machine("gfx942"))); // keeps all bits anyway
  TileSizes fast = chooseTileSizes(eightBits(true, false), deep, target);
  EXPECT_EQ(fast.depth, 128);
  EXPECT_EQ(fast.rows * fast.columns, 256 * 128);
  TileSizes promoted = chooseTileSizes(eightBits(false, true), deep, target);
  EXPECT_EQ(promoted.depth, 128);
  EXPECT_EQ(promoted.rows * promoted.columns, 128 * 128);
  // By the other instructions, from registers.
  EXPECT_GT(productClocks(eightBits(false, false), {128, 128, 64}, target),
            1.5 * productClocks(eightBits(false, true), {128, 128, 128}, target));
}

TEST(TileSizes, WavesAreAsManyAsHoldTheSums) {
  Target target = machine("gfx942");
  EXPECT_EQ(productWaves(64 * 64, target), 4);
  EXPECT_EQ(productWaves(256 * 128, target), 4);
  EXPECT_EQ(productWaves(256 * 128 + 1, target), 8);
  EXPECT_EQ(productWaves(1024 * 1024, target), 16);
}

// docs/isa.md: these reach .96 of matrix peak in the model of bench/loop_model.py.
TEST(TileSizes, LargeProductsGetTheTilesThatCountBest) {
  TileSizes registers = chooseTileSizes(product(8192, 8192, 8192), all, machine("gfx942"));
  EXPECT_EQ(registers.rows * registers.columns * registers.depth, 256 * 128 * 32);
  TileSizes direct = chooseTileSizes(product(8192, 8192, 8192), all, machine("gfx950"));
  EXPECT_EQ(direct.rows * direct.columns * direct.depth, 256 * 256 * 16);
}

TEST(TileSizes, FewRowsMakeLowTiles) {
  EXPECT_EQ(chooseTileSizes(product(16, 3584, 4096), all, machine("gfx942")).rows, 32);
}

TEST(TileSizes, WhatIsGivenStays) {
  TileSizes sizes = chooseTileSizes(product(2048, 2048, 2048), {{256}, {64, 128}, {16}}, machine("gfx942"));
  EXPECT_EQ(sizes.rows, 256);
  EXPECT_EQ(sizes.columns, 64);
  EXPECT_EQ(sizes.depth, 16);
}

TEST(TileSizes, TheSmallestWhereNothingFits) {
  TileSizes sizes = chooseTileSizes(product(2048, 2048, 2048), {{256}, {256}, {32, 64}}, machine("gfx942"));
  EXPECT_EQ(sizes.depth, 32);
  EXPECT_EQ(productClocks(product(2048, 2048, 2048), sizes, machine("gfx942")), 0);
}

} // namespace
