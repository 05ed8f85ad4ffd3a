// Loops of products on the machines that are known: what fits, what they wait for, which tile costs least.
// Belongs here: LoopCost. Does not: parameters of programs (tile-specialize-tiles.mlir), what programs are given
// (tile-choose-schedule.test).
#include "passes/machine/LoopCost.h"

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

double clocksOf(const ProductShape &shape, const TileSizes &tiles, const Target &target) {
  return loopCost(shape, tiles, target).clocks;
}

ProductShape product(int64_t rows, int64_t columns, int64_t depth, int64_t rightSides = 1) {
  return {rows, columns, depth, rightSides, 2, "bf16"};
}

TEST(LoopCost, DepthFollowsSharedMemory) {
  TileSizes small = cheapestTile(product(2048, 2048, 2048), all, machine("gfx942"));
  EXPECT_EQ(small.rows, 128);
  EXPECT_EQ(small.columns, 128);
  EXPECT_EQ(small.depth, 32);
  TileSizes large = cheapestTile(product(2048, 2048, 2048), all, machine("gfx950"));
  EXPECT_EQ(large.rows, 128);
  EXPECT_EQ(large.columns, 128);
  EXPECT_EQ(large.depth, 64);
}

TEST(LoopCost, TwoStagesOfOperandsMustFit) {
  Target target = machine("gfx942");
  // 2 * (128 + 128) * 64 * 2 bytes are all of 64 KiB, and leave nothing for a reduction.
  EXPECT_EQ(clocksOf(product(2048, 2048, 2048), {128, 128, 64}, target), 0);
  EXPECT_GT(clocksOf(product(2048, 2048, 2048), {128, 128, 32}, target), 0);
}

TEST(LoopCost, SumsOfAllRightSidesMustFit) {
  Target target = machine("gfx942");
  // 512 sums a lane in four waves; 16 waves have 128 registers each, and the sums alone take them.
  EXPECT_GT(clocksOf(product(2048, 2048, 2048, 1), {256, 256, 16}, target), 0);
  EXPECT_EQ(clocksOf(product(2048, 2048, 2048, 2), {256, 256, 16}, target), 0);
  TileSizes sizes = cheapestTile(product(2048, 2048, 2048, 2), all, target);
  EXPECT_EQ(sizes.rows, 128);
  EXPECT_EQ(sizes.columns, 128);
}

TEST(LoopCost, WidthsThatFillTheLastRound) {
  Target target = machine("sm_90a");
  const TileChoices widths{{64, 128, 256}, {64, 96, 128, 160, 192, 224, 256}, {64}};
  auto widthFor = [&](int64_t rows, int64_t columns, int64_t depth) {
    ProductShape shape = product(rows, columns, depth);
    shape.mapped = true;
    TileSizes sizes = cheapestTile(shape, widths, target);
    EXPECT_EQ(sizes.rows, 128);
    return sizes.columns;
  };
  // 448 tiles of 256 columns take four rounds of 132 units, as 512 of 224 do.
  EXPECT_EQ(widthFor(2048, 7168, 8192), 224);
  EXPECT_EQ(widthFor(4096, 3584, 4096), 224);
  // Seven rounds of 256, or eight of 224.
  EXPECT_EQ(widthFor(8192, 3584, 4096), 256);
  EXPECT_EQ(widthFor(8192, 8192, 8192), 256);
  // A narrow product has one round of any of them.
  EXPECT_EQ(widthFor(1024, 1152, 1024), 96);
}

TEST(LoopCost, RowsThatBeginWithinASectorAreAskedForTwice) {
  Target target = machine("sm_90a");
  auto shapeOf = [](int64_t rows, int64_t columns, int64_t depth, int64_t pitch) {
    ProductShape shape = product(rows, columns, depth);
    shape.mapped = true;
    shape.leftPitch = shape.rightPitch = pitch;
    return shape;
  };
  // Clocks of a step, measured on an H200 (docs/figures.md), are within a seventh of these.
  auto expectCopies = [&](const ProductShape &shape, int64_t columns, double measured) {
    double copies = loopCost(shape, {128, columns, 64}, target).copies;
    EXPECT_NEAR(copies, measured, measured / 7) << columns;
  };
  ProductShape large = shapeOf(4096, 4096, 4104, 8208), small = shapeOf(1000, 1144, 1096, 2192);
  expectCopies(large, 256, 2112);
  expectCopies(large, 128, 1244);
  expectCopies(large, 96, 1117);
  expectCopies(small, 128, 745);
  expectCopies(small, 96, 975);
  // So wider tiles are taken: fewer of them ask for less. Pairs of workgroups ask once for the right operand's rows.
  const TileChoices widths{{64, 128, 256}, {64, 96, 128, 160, 192, 224, 256}, {64}};
  EXPECT_EQ(cheapestTile(small, widths, target).columns, 128);
  ProductShape pairs = large;
  pairs.pairs = true;
  const double alone = loopCost(large, {128, 256, 64}, target).copies;
  EXPECT_DOUBLE_EQ(loopCost(pairs, {128, 256, 64}, target).copies, alone * (256 + 256) / (256 + 512));
  // An odd number of tiles down has none.
  pairs.rows = 4224;
  EXPECT_DOUBLE_EQ(loopCost(pairs, {128, 256, 64}, target).copies, alone);
  small.pairs = true;
  EXPECT_EQ(cheapestTile(small, widths, target).columns, 96);
  EXPECT_EQ(cheapestTile(shapeOf(1000, 1144, 1088, 2176), widths, target).columns, 96);
  // What lies across has rows of the tile's width, which begin behind each other: 216 columns are 432 bytes.
  ProductShape across = shapeOf(4096, 4096, 4096, 8192);
  across.across = true;
  const double whole = loopCost(across, {128, 224, 64}, target).copies;
  EXPECT_DOUBLE_EQ(loopCost(across, {128, 208, 64}, target).copies, whole);
  EXPECT_GT(loopCost(across, {128, 216, 64}, target).copies, whole);
  across.rightPitch = 0;
  EXPECT_DOUBLE_EQ(loopCost(across, {128, 224, 64}, target).copies, whole);
  // A pitch that is not known is taken for a good one.
  EXPECT_EQ(cheapestTile(shapeOf(1000, 1144, 1096, 0), widths, target).columns, 96);
  ProductShape swapped = shapeOf(1000, 1144, 1096, 64);
  swapped.leftPitch = 32;
  EXPECT_EQ(swapped.swapped().rightPitch, 32);
}

TEST(LoopCost, FewRowsTakeTheWavesOfOneInstruction) {
  Target target = machine("sm_90a");
  // Straight up to the rows of the instruction, and as the product of the transpose, which `choose` takes below them.
  auto wavesFor = [&](int64_t rows, int64_t columns, TileSizes tiles, bool own = true) {
    ProductShape shape = product(rows, columns, 7168);
    shape.mapped = true;
    shape.own = own;
    return loopCost(shape, tiles, target).waves;
  };
  EXPECT_EQ(wavesFor(64, 8192, {64, 64, 64}), 4);
  EXPECT_EQ(wavesFor(8192, 16, {64, 16, 64}), 4);
  EXPECT_EQ(wavesFor(8192, 1, {64, 16, 64}), 4);
  // A second tile, rows of two instructions, sums for more registers, steps that no engine copies.
  EXPECT_EQ(wavesFor(65, 8192, {64, 64, 64}), 8);
  EXPECT_EQ(wavesFor(8192, 17, {64, 16, 64}), 8);
  EXPECT_EQ(wavesFor(128, 8192, {128, 64, 64}), 8);
  EXPECT_EQ(wavesFor(8192, 128, {64, 128, 64}), 8);
  EXPECT_EQ(wavesFor(64, 8192, {64, 64, 32}), 8);
  // Waves that copy for a collective beside their tasks, and waves that fill the slots themselves.
  EXPECT_EQ(wavesFor(64, 8192, {64, 64, 64}, /*own=*/false), 8);
  target.producer.waves = 0;
  EXPECT_EQ(wavesFor(64, 8192, {64, 64, 64}), 8);
}

TEST(LoopCost, WavesThatFillSlotsNeedRegisters) {
  Target target = machine("sm_90a");
  ProductShape shape = product(8192, 8192, 8192);
  shape.mapped = true;
  // 16 waves have 80 sums each, and beside a producer fewer registers than they would share without one.
  EXPECT_EQ(clocksOf(shape, {256, 160, 64}, target), 0);
  EXPECT_GT(loopCost(shape, {256, 160, 64}, target, {16, 0}).clocks, 0);
}

ProductShape eightBits(bool fast, bool promoted) {
  ProductShape shape{8192, 8192, 8192, 1, 1, "f8E4M3FN"};
  shape.mapped = true;
  shape.fast = fast;
  shape.promoted = promoted;
  return shape;
}

TEST(LoopCost, PromotedSumsOfAnInstructionAreHeldTwice) {
  Target target = machine("sm_90a");
  const TileChoices deep{{32, 64, 128, 256}, {64, 128, 256}, {16, 32, 64, 128}};
  LoopCost kept = loopCost(eightBits(true, false), {128, 256, 128}, target, {});
  LoopCost twice = loopCost(eightBits(false, true), {128, 256, 128}, target, {});
  EXPECT_EQ(kept.waves, 8);
  EXPECT_EQ(twice.waves, 8); // the sums alone say how many
  EXPECT_EQ(kept.instruction, "Wgmma64x256x32");
  EXPECT_EQ(twice.instruction, "Wgmma64x128x32");
  EXPECT_EQ(twice.registers - kept.registers, 64);
  EXPECT_GE(twice.issue - kept.issue, 2 * 128); // 8 waves on 4 SIMDs add 128 sums each
  TileSizes fast = cheapestTile(eightBits(true, false), deep, target);
  EXPECT_EQ(fast.depth, 128);
  EXPECT_EQ(fast.rows * fast.columns, 256 * 128);
  TileSizes promoted = cheapestTile(eightBits(false, true), deep, target);
  EXPECT_EQ(promoted.depth, 128);
  EXPECT_EQ(promoted.rows * promoted.columns, 256 * 128);
  // By the other instructions, from registers.
  EXPECT_GT(clocksOf(eightBits(false, false), {128, 128, 64}, target),
            1.5 * clocksOf(eightBits(false, true), {128, 128, 128}, target));
}

TEST(LoopCost, WavesAreAsManyAsHoldTheSums) {
  Target target = machine("gfx942");
  EXPECT_EQ(productWaves(64 * 64, target), 4);
  EXPECT_EQ(productWaves(256 * 128, target), 4);
  EXPECT_EQ(productWaves(256 * 128 + 1, target), 8);
  EXPECT_EQ(productWaves(1024 * 1024, target), 16);
}

// docs/isa.md: these reach .96 of matrix peak in the model of bench/loop_model.py.
TEST(LoopCost, LargeProductsGetTheTilesThatCountBest) {
  TileSizes registers = cheapestTile(product(8192, 8192, 8192), all, machine("gfx942"));
  EXPECT_EQ(registers.rows * registers.columns * registers.depth, 256 * 128 * 32);
  TileSizes direct = cheapestTile(product(8192, 8192, 8192), all, machine("gfx950"));
  EXPECT_EQ(direct.rows * direct.columns * direct.depth, 256 * 256 * 32);
}

TEST(LoopCost, FewRowsMakeLowTiles) {
  EXPECT_EQ(cheapestTile(product(16, 3584, 4096), all, machine("gfx942")).rows, 32);
}

TEST(LoopCost, WhatIsGivenStays) {
  TileSizes sizes = cheapestTile(product(2048, 2048, 2048), {{256}, {64, 128}, {16}}, machine("gfx942"));
  EXPECT_EQ(sizes.rows, 256);
  EXPECT_EQ(sizes.columns, 64);
  EXPECT_EQ(sizes.depth, 16);
}

TEST(LoopCost, TheSmallestWhereNothingFits) {
  TileSizes sizes = cheapestTile(product(2048, 2048, 2048), {{256}, {256}, {32, 64}}, machine("gfx942"));
  EXPECT_EQ(sizes.depth, 32);
  EXPECT_EQ(clocksOf(product(2048, 2048, 2048), sizes, machine("gfx942")), 0);
}

// docs/isa.md, by bench/loop_model.py: .97, .97 and .96 on gfx942, .84, .66 and .96 on gfx950.
TEST(LoopCost, PredictsWhatCountedLoopsReach) {
  ProductShape large = product(8192, 8192, 8192);
  auto reached = [&](const char *name, TileSizes tiles) { return loopCost(large, tiles, machine(name)).reached(); };
  EXPECT_NEAR(reached("gfx942", {256, 128, 32}), .97, .03);
  EXPECT_NEAR(reached("gfx942", {128, 128, 32}), .97, .03);
  EXPECT_NEAR(reached("gfx942", {256, 256, 16}), .96, .03);
  EXPECT_NEAR(reached("gfx950", {256, 128, 32}), .84, .03);
  EXPECT_NEAR(reached("gfx950", {128, 128, 32}), .66, .03);
}

TEST(LoopCost, SaysWhatALoopWaitsFor) {
  ProductShape large = product(8192, 8192, 8192), few = product(16, 64, 8192);
  EXPECT_EQ(loopCost(large, {256, 128, 32}, machine("gfx942")).bound, LoopBound::Matrix);
  EXPECT_EQ(loopCost(large, {128, 128, 32}, machine("gfx950")).bound, LoopBound::Lds);
  EXPECT_EQ(loopCost(few, {32, 64, 16}, machine("gfx942")).bound, LoopBound::Latency);
  Target narrow = machine("gfx942");
  narrow.chipletCache.bytesPerClock /= 8;
  EXPECT_EQ(loopCost(large, {256, 128, 32}, narrow).bound, LoopBound::Copies);
  Target fast = machine("gfx942");
  for (MatrixInstructionInfo &info : fast.matrix)
    info.cycles = std::max<int64_t>(1, info.cycles / 16);
  fast.lds.banks *= 8;
  fast.times.loadClocks = 1;
  fast.chipletCache.bytesPerClock *= 8;
  EXPECT_EQ(loopCost(large, {256, 128, 32}, fast).bound, LoopBound::Issue);
}

// A single task on a unit has nobody beside it, whatever the unit could hold.
TEST(LoopCost, OnlyTasksThatThereAreHideLatency) {
  Target target = machine("gfx942");
  LoopCost many = loopCost(product(8192, 8192, 8192), {64, 64, 16}, target);
  LoopCost one = loopCost(product(64, 64, 8192), {64, 64, 16}, target);
  EXPECT_GT(many.resident, 1);
  EXPECT_EQ(one.latency, target.times.loadClocks);
  EXPECT_EQ(many.latency * double(many.resident), target.times.loadClocks);
}

TEST(LoopCost, GivenWavesAndSlotsAreTaken) {
  ProductShape large = product(8192, 8192, 8192);
  LoopCost cost = loopCost(large, {128, 128, 32}, machine("gfx950"), {8, 2});
  EXPECT_EQ(cost.waves, 8);
  EXPECT_EQ(cost.slots, 2);
  EXPECT_EQ(cost.ldsBytes, 2 * (128 + 128) * 64);
  // More waves side by side read the rows more often.
  EXPECT_GT(cost.lds, loopCost(large, {128, 128, 32}, machine("gfx950")).lds);
}

/// Products side by side are as many tasks as one of so many times the rows.
TEST(LoopCost, ProductsSideBySideAreTasks) {
  Target target = machine("gfx942");
  ProductShape several = product(256, 1024, 1024);
  several.matrices = 64;
  EXPECT_EQ(clocksOf(several, {128, 128, 32}, target), clocksOf(product(64 * 256, 1024, 1024), {128, 128, 32}, target));
  EXPECT_GT(clocksOf(several, {128, 128, 32}, target), clocksOf(product(256, 1024, 1024), {128, 128, 32}, target));
}

/// A right operand that lies K x N passes registers, where threads turn two vectors at least: with one, no loop runs
/// its copies ahead. Columns cost more LDS then than rows.
TEST(LoopCost, RowsAreTurnedOnTheirWay) {
  ProductShape across = product(8192, 8192, 8192);
  across.across = true;
  Target target = machine("gfx942");
  EXPECT_GT(clocksOf(product(8192, 8192, 8192), {256, 256, 16}, target), 0);
  EXPECT_EQ(clocksOf(across, {256, 256, 16}, target), 0);
  EXPECT_EQ(loopCost(across, {256, 128, 32}, target).slots, 2);
  // Bytes are turned in runs of four.
  across.element = "i8";
  across.bytes = 1;
  EXPECT_EQ(clocksOf(across, {256, 128, 64}, target), 0);
  EXPECT_GT(clocksOf(across, {128, 256, 64}, target), 0);
}

TEST(LoopCost, RowsAreTurnedAsTheyAreRead) {
  ProductShape across = product(8192, 8192, 8192);
  across.across = true;
  Target target = machine("gfx950");
  EXPECT_EQ(clocksOf(across, {256, 256, 16}, target), 0);
  EXPECT_EQ(loopCost(across, {128, 256, 32}, target).slots, 4);
  // Two bytes alone.
  across.element = "i8";
  across.bytes = 1;
  EXPECT_EQ(loopCost(across, {128, 256, 64}, target).slots, 2);
}

/// A left operand that lies K x M is what a right one is that lies K x N: the product of the transposes has it so.
TEST(LoopCost, LeftOperandsAreTurnedAsRightOnes) {
  ProductShape left = product(8192, 8192, 8192);
  left.leftAcross = true;
  ProductShape right = left.swapped();
  EXPECT_TRUE(right.across);
  EXPECT_FALSE(right.leftAcross);
  EXPECT_EQ(clocksOf(left, {256, 64, 16}, machine("gfx942")), clocksOf(right, {64, 256, 16}, machine("gfx942")));
  EXPECT_EQ(clocksOf(left, {64, 256, 16}, machine("gfx942")), 0);
  EXPECT_EQ(loopCost(left, {128, 256, 32}, machine("gfx942")).slots, 2);
  EXPECT_EQ(loopCost(left, {128, 256, 32}, machine("gfx950")).slots, 4);
}

/// Two groups of waves have 32 columns each, which are no panel of what lies K x N: one group does it all.
TEST(LoopCost, OneGroupTakesAPanelOfColumns) {
  ProductShape shape = product(64, 8192, 7168);
  shape.mapped = shape.own = shape.across = true;
  LoopCost cost = loopCost(shape, {64, 64, 64}, machine("sm_90a"));
  EXPECT_EQ(cost.waves, 4);
  EXPECT_EQ(cost.instruction, "Wgmma64x64x16");
}

/// 224 columns take four panels of a slot where they lie K x N, and 256 are brought.
TEST(LoopCost, SlotsHaveWholePanels) {
  ProductShape shape = product(8192, 8192, 8192);
  shape.mapped = true;
  LoopCost along = loopCost(shape, {128, 224, 64}, machine("sm_90a"));
  shape.across = true;
  LoopCost across = loopCost(shape, {128, 224, 64}, machine("sm_90a"));
  EXPECT_EQ(along.slots, 5);
  EXPECT_EQ(across.slots, 4);
  EXPECT_EQ(across.ldsBytes, 4 * (128 + 256) * 128);
  EXPECT_GT(across.copies, along.copies);
}

TEST(LoopCost, WavesFillTilesWhosePowersAreTwo) {
  ProductShape shape = product(8192, 8192, 8192);
  EXPECT_EQ(clocksOf(shape, {128, 224, 32}, machine("gfx942")), 0);
  shape.mapped = true;
  EXPECT_GT(clocksOf(shape, {128, 224, 64}, machine("sm_90a")), 0);
}

TEST(LoopCost, HalvesAlternateByTwoWavesOnEachSimd) {
  ProductShape shape = product(8192, 8192, 8192);
  LoopGiven halves;
  halves.alternates = true;
  EXPECT_EQ(loopCost(shape, {128, 256, 32}, machine("gfx942"), halves).waves, 8);
  // Operands are held once, and accesses stand beside no products of their own wave.
  Target target = machine("gfx950");
  LoopCost apart = loopCost(shape, {256, 256, 16}, target, halves), together = loopCost(shape, {256, 256, 16}, target);
  EXPECT_LT(apart.registers, together.registers);
  EXPECT_GT(apart.lds, together.lds);
}

} // namespace
