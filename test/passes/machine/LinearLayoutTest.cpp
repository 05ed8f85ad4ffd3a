// The algebra of linear layouts, against enumeration of every index.
// Belongs here: LinearLayout. Does not: any particular hardware layout.
#include "passes/machine/LinearLayout.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace tilec;
using Point = LinearLayout::Point;

namespace {

// The accumulator of the example in docs/text-contract.md: 128x128, 2x2 waves of 32x32 blocks.
LinearLayout accumulator() {
  return LinearLayout::tile({{0, 1}, {0, 2}, {0, 8}, {0, 16}, {0, 32}, {32, 0}},
                            {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}, {0, 4}}, {{0, 64}, {64, 0}}, {128, 128});
}

// A random invertible map from (register, lane, wave) to a 16x32 tile: elementary column operations on a permutation.
LinearLayout randomBijection(std::mt19937 &random) {
  std::vector<uint64_t> columns(9);
  for (unsigned i = 0; i < 9; ++i)
    columns[i] = 1u << i;
  std::shuffle(columns.begin(), columns.end(), random);
  for (int step = 0; step < 40; ++step) {
    unsigned a = random() % 9, b = random() % 9;
    if (a != b)
      columns[a] ^= columns[b];
  }
  std::vector<Point> points;
  for (uint64_t column : columns)
    points.push_back({int64_t(column >> 5), int64_t(column & 31)});
  llvm::ArrayRef<Point> all(points);
  return LinearLayout::tile(all.take_front(3), all.slice(3, 4), all.drop_front(7), {16, 32});
}

} // namespace

TEST(LinearLayout, AppliesAsXorOfBases) {
  LinearLayout layout = accumulator();
  EXPECT_EQ(layout.at(0, 0, 0), (Point{0, 0}));
  EXPECT_EQ(layout.at(5, 33, 0), (Point{1, 1 + 8 + 4}));
  EXPECT_EQ(layout.at(63, 63, 3), (Point{127, 127}));
  // row = lane % 32, col = r % 4 + 4 * (lane / 32) + 8 * (r / 4) in the first block.
  for (int r = 0; r < 16; ++r)
    for (int lane = 0; lane < 64; ++lane)
      EXPECT_EQ(layout.at(r, lane), (Point{lane % 32, r % 4 + 4 * (lane / 32) + 8 * (r / 4)}));
  EXPECT_TRUE(layout.isBijective());
  EXPECT_EQ(layout.vectorWidth(), 4);
}

TEST(LinearLayout, ChecksUserInput) {
  auto check = [](std::vector<LinearLayout::Input> inputs, std::vector<LinearLayout::Output> outputs) {
    return LinearLayout::check(inputs, outputs);
  };
  EXPECT_EQ(check({{"lane", {{0, 1}}}}, {{"dim0", 2}, {"dim1", 2}}), "");
  EXPECT_EQ(check({}, {{"dim0", 48}}), "size of 'dim0' must be a power of two, got 48");
  EXPECT_EQ(check({}, {{"dim0", 0}}), "size of 'dim0' must be a power of two, got 0");
  EXPECT_EQ(check({{"lane", {{0}, {0, 1}}}}, {{"dim0", 2}}), "basis 1 of 'lane' has 2 coordinates, expected 1");
  EXPECT_EQ(check({{"lane", {{4}}}}, {{"dim0", 4}}), "basis 0 of 'lane' is 4 in 'dim0', expected 0 to 3");
  EXPECT_EQ(check({{"lane", {{-1}}}}, {{"dim0", 4}}), "basis 0 of 'lane' is -1 in 'dim0', expected 0 to 3");
  EXPECT_EQ(check({{"lane", {}}, {"lane", {}}}, {}), "input 'lane' is named twice");
  EXPECT_EQ(check({}, {{"dim0", 2}, {"dim0", 2}}), "output 'dim0' is named twice");
  EXPECT_EQ(check({}, {{"dim0", int64_t(1) << 40}, {"dim1", int64_t(1) << 40}}), "layout has more than 62 index bits");
}

TEST(LinearLayout, InverseUndoesEveryPoint) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 50; ++trial) {
    LinearLayout layout = randomBijection(random);
    ASSERT_TRUE(layout.isBijective());
    std::optional<LinearLayout> inverse = layout.inverse();
    ASSERT_TRUE(inverse);
    std::set<uint64_t> seen;
    for (int r = 0; r < 8; ++r)
      for (int lane = 0; lane < 16; ++lane)
        for (int wave = 0; wave < 4; ++wave) {
          Point point = layout.at(r, lane, wave);
          seen.insert(point[0] * 32 + point[1]);
          EXPECT_EQ(inverse->apply(point), (Point{r, lane, wave}));
        }
    EXPECT_EQ(seen.size(), 512u);
    EXPECT_EQ(*inverse->inverse(), layout);
  }
}

TEST(LinearLayout, PseudoInverseFindsTheEarliestHolder) {
  // Lane bit 1 repeats register bit 0; wave replicates.
  LinearLayout layout = LinearLayout::tile({{1}}, {{2}, {1}}, {{0}}, {4});
  EXPECT_TRUE(layout.isSurjective());
  EXPECT_FALSE(layout.isInjective());
  EXPECT_FALSE(layout.isInjectiveModuloReplication());
  EXPECT_FALSE(layout.inverse());
  std::optional<LinearLayout> inverse = layout.pseudoInverse();
  ASSERT_TRUE(inverse);
  EXPECT_EQ(inverse->apply({3}), (Point{1, 1, 0}));
  EXPECT_FALSE(LinearLayout::tile({{1}}, {}, {}, {4}).pseudoInverse());
}

TEST(LinearLayout, ReplicationIsZeroBases) {
  LinearLayout layout = LinearLayout::tile({{0}, {1}}, {{2}, {0}}, {{0}, {0}}, {4});
  EXPECT_EQ(layout.replicationMask("register"), 1u);
  EXPECT_EQ(layout.replicationMask("lane"), 2u);
  EXPECT_EQ(layout.replicationMask("wave"), 3u);
  EXPECT_TRUE(layout.isInjectiveModuloReplication());
  EXPECT_EQ(layout.withoutZeroBases("register").flatBases("register"), (llvm::SmallVector<int64_t>{1}));
  EXPECT_EQ(layout.withoutZeroBases("register").flatBases("lane"), (llvm::SmallVector<int64_t>{2, 0}));
}

TEST(LinearLayout, SliceDropsTheCoordinate) {
  LinearLayout rows = accumulator().slice(1);
  ASSERT_EQ(rows.numOutputs(), 1u);
  for (int r = 0; r < 64; ++r)
    for (int lane = 0; lane < 64; lane += 7)
      for (int wave = 0; wave < 4; ++wave)
        EXPECT_EQ(rows.at(r, lane, wave)[0], accumulator().at(r, lane, wave)[0]);
  EXPECT_EQ(rows.withoutZeroBases("register").flatBases("register"), (llvm::SmallVector<int64_t>{32}));
  EXPECT_EQ(rows.outputName(0), "dim0");
}

TEST(LinearLayout, ProductRepeatsTheBlock) {
  LinearLayout block = LinearLayout::identity(2, "register", "dim1")
                           .product(LinearLayout::identity(3, "lane", "dim0"))
                           .product(LinearLayout::identity(1, "lane", "dim1"));
  LinearLayout tile = block.product(LinearLayout::identity(1, "register", "dim0"));
  EXPECT_EQ(tile.shape(), (llvm::SmallVector<int64_t, 4>{8, 16}));
  EXPECT_EQ(tile.outputName(0), "dim1");
  for (int r = 0; r < 8; ++r)
    for (int lane = 0; lane < 16; ++lane)
      EXPECT_EQ(tile.apply({r, lane}), (Point{r % 4 + 4 * (lane / 8), lane % 8 + 8 * (r / 4)}));
  LinearLayout replicated = block.product(LinearLayout::zero(2, "wave", "dim0"));
  EXPECT_EQ(replicated.shape(), block.shape());
  EXPECT_EQ(replicated.replicationMask("wave"), 3u);
}

TEST(LinearLayout, ComposeMatchesOutputsByName) {
  LinearLayout offsets = LinearLayout::get({{"dim1", {{1}, {2}, {4}, {8}, {16}}}, {"dim0", {{32}, {64}, {128}, {256}}}},
                                           {{"offset", 512}});
  std::mt19937 random(2);
  LinearLayout layout = randomBijection(random);
  LinearLayout both = layout.compose(offsets);
  for (int r = 0; r < 8; ++r)
    for (int lane = 0; lane < 16; ++lane) {
      Point point = layout.at(r, lane, 3);
      EXPECT_EQ(both.at(r, lane, 3)[0], point[0] * 32 + point[1]);
    }
}

TEST(LinearLayout, TransposeAndReshape) {
  LinearLayout layout = accumulator(), turned = layout.transpose({1, 0});
  Point point = layout.at(37, 45, 2);
  EXPECT_EQ(turned.at(37, 45, 2), (Point{point[1], point[0]}));
  EXPECT_EQ(turned.transpose({1, 0}), layout);
  EXPECT_EQ(turned.vectorWidth(), 1);
  LinearLayout flat = layout.reshape({16384});
  EXPECT_EQ(flat.at(37, 45, 2)[0], point[0] * 128 + point[1]);
  EXPECT_EQ(flat.reshape({128, 128}), layout);
}

TEST(LinearLayout, VectorsAreAligned) {
  EXPECT_EQ(LinearLayout::tile({{1}, {2}}, {{4}}, {}, {8}).vectorWidth(), 4);
  // Lane 1 starts at element 1 of a pair: no aligned vector.
  EXPECT_EQ(LinearLayout::tile({{1}}, {{3}}, {}, {4}).vectorWidth(), 1);
  EXPECT_EQ(LinearLayout::tile({{2}, {1}}, {{4}}, {}, {8}).vectorWidth(), 1);
}

TEST(LinearLayout, ConversionSaysWhatMoves) {
  LinearLayout base = LinearLayout::tile({{1}, {2}}, {{4}, {8}}, {{16}}, {32});
  EXPECT_EQ(conversionBetween(base, base), Conversion::None);
  EXPECT_EQ(conversionBetween(base, LinearLayout::tile({{2}, {1}}, {{4}, {8}}, {{16}}, {32})), Conversion::Registers);
  // Each lane adds a register bit to its own elements: still its own, but the register depends on the lane.
  EXPECT_EQ(conversionBetween(base, LinearLayout::tile({{1}, {2}}, {{5}, {8}}, {{16}}, {32})), Conversion::Threads);
  EXPECT_EQ(conversionBetween(base, LinearLayout::tile({{4}, {2}}, {{1}, {8}}, {{16}}, {32})), Conversion::Lanes);
  EXPECT_EQ(conversionBetween(base, LinearLayout::tile({{1}, {16}}, {{4}, {8}}, {{2}}, {32})), Conversion::Shared);
  // A replicated source is read where the destination is.
  LinearLayout everywhere = LinearLayout::tile({{1}, {2}, {4}}, {{0}, {0}}, {{0}}, {8});
  LinearLayout spread = LinearLayout::tile({}, {{1}, {2}}, {{4}}, {8});
  EXPECT_EQ(conversionBetween(everywhere, spread), Conversion::Threads);
  EXPECT_EQ(conversionBetween(everywhere, LinearLayout::tile({{2}, {4}, {1}}, {{0}, {0}}, {{0}}, {8})),
            Conversion::Registers);
}

TEST(LinearLayout, ConversionMapReadsTheRightElement) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 50; ++trial) {
    LinearLayout from = randomBijection(random), to = randomBijection(random);
    LinearLayout map = conversionMap(from, to);
    for (int r = 0; r < 8; ++r)
      for (int lane = 0; lane < 16; ++lane)
        for (int wave = 0; wave < 4; ++wave)
          EXPECT_EQ(from.apply(map.apply({r, lane, wave})), to.at(r, lane, wave));
  }
}

TEST(LinearLayout, FlatArraysRoundTrip) {
  LinearLayout layout = accumulator();
  auto restored = LinearLayout::unflatten(layout.flatBases("lane"), 2);
  ASSERT_TRUE(restored);
  EXPECT_EQ(*restored, layout.bases("lane"));
  EXPECT_FALSE(LinearLayout::unflatten({1, 2, 3}, 2));
  EXPECT_EQ(LinearLayout::tile({{0, 1}}, {{1, 0}}, {}, {2, 2}).str(),
            "register: (0, 1); lane: (1, 0); wave:; shape 2x2");
}
