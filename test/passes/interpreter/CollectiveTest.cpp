// Collectives on three ranks, against results written out by hand.
#include "Programs.h"

using namespace tilec;
using namespace tilec::test;

using Reals = std::vector<double>;

/// Rank r's source holds 100 r + 0, 1, 2, ...
static void fillByRank(Oracle &oracle) {
  for (int rank = 0; rank < 3; ++rank) {
    Reals values(oracle.argument(rank, 0).size());
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = 100 * rank + i;
    oracle.fill(rank, 0, values);
  }
}

TEST(Collective, AllGatherAlongRows) {
  Oracle oracle(R"(
    tile.program @p<%M>(%a: memref<?x2xf32>, %b: memref<?x2xf32, #tile.symmetric>) extents [%a: %M, 2] [%b: W * %M, 2] {
      tile.all_gather %a into %b dim 0 : memref<?x2xf32>, memref<?x2xf32, #tile.symmetric>
    })",
                3);
  ASSERT_TRUE(oracle.begin({1})) << oracle.diagnostics;
  fillByRank(oracle);
  ASSERT_TRUE(oracle.run()) << oracle.diagnostics;
  for (int rank = 0; rank < 3; ++rank)
    EXPECT_EQ(oracle.reals(rank, 1), (Reals{0, 1, 100, 101, 200, 201}));
}

TEST(Collective, AllGatherAlongColumns) {
  Oracle oracle(R"(
    tile.program @p<%N>(%a: memref<2x?xf32>, %b: memref<2x?xf32, #tile.symmetric>) extents [%a: 2, %N] [%b: 2, W * %N] {
      tile.all_gather %a into %b dim 1 : memref<2x?xf32>, memref<2x?xf32, #tile.symmetric>
    })",
                3);
  ASSERT_TRUE(oracle.begin({2})) << oracle.diagnostics;
  fillByRank(oracle);
  ASSERT_TRUE(oracle.run()) << oracle.diagnostics;
  EXPECT_EQ(oracle.reals(1, 1), (Reals{0, 1, 100, 101, 200, 201, 2, 3, 102, 103, 202, 203}));
}

TEST(Collective, ReduceScatterKeepsTheRanksBlock) {
  Oracle oracle(R"(
    tile.program @p<%M>(%a: memref<?x2xf32, #tile.symmetric>, %b: memref<?x2xbf16>) extents [%a: W * %M, 2] [%b: %M, 2] {
      tile.reduce_scatter %a into %b dim 0 : memref<?x2xf32, #tile.symmetric>, memref<?x2xbf16>
    })",
                3);
  ASSERT_TRUE(oracle.begin({1})) << oracle.diagnostics;
  fillByRank(oracle);
  ASSERT_TRUE(oracle.run()) << oracle.diagnostics;
  // Sums 300 + 3 i; bf16 has eight bits: multiples of 2 above 256, ties to even.
  EXPECT_EQ(oracle.reals(0, 1), (Reals{300, 304}));
  EXPECT_EQ(oracle.reals(1, 1), (Reals{306, 308}));
  EXPECT_EQ(oracle.reals(2, 1), (Reals{312, 316}));
}

TEST(Collective, ReduceScatterAlongColumns) {
  Oracle oracle(R"(
    tile.program @p(%a: memref<2x3xi32, #tile.symmetric>, %b: memref<2x1xi32>) {
      tile.reduce_scatter %a into %b dim 1 : memref<2x3xi32, #tile.symmetric>, memref<2x1xi32>
    })",
                3);
  ASSERT_TRUE(oracle.begin({})) << oracle.diagnostics;
  for (int rank = 0; rank < 3; ++rank)
    oracle.fill(rank, 0, std::vector<int64_t>{1, 2, 3, 4, 5, 6 + rank});
  ASSERT_TRUE(oracle.run()) << oracle.diagnostics;
  EXPECT_EQ(oracle.wholes(0, 1), (std::vector<int64_t>{3, 12}));
  EXPECT_EQ(oracle.wholes(2, 1), (std::vector<int64_t>{9, 21}));
}

TEST(Collective, AllReduceSumsOnEveryRank) {
  Oracle oracle(R"(
    tile.program @p(%a: memref<2xf32, #tile.symmetric>, %b: memref<2xf32, #tile.symmetric>) {
      tile.all_reduce %a into %b : memref<2xf32, #tile.symmetric>, memref<2xf32, #tile.symmetric>
    })",
                3);
  ASSERT_TRUE(oracle.begin({})) << oracle.diagnostics;
  fillByRank(oracle);
  ASSERT_TRUE(oracle.run()) << oracle.diagnostics;
  for (int rank = 0; rank < 3; ++rank)
    EXPECT_EQ(oracle.reals(rank, 1), (Reals{300, 303}));
  // Two additions of at most 203 in magnitude sums: gamma(2) * 303.
  EXPECT_NEAR(oracle.argument(0, 1).errorAt(1), 303 * 2 * 0x1p-24, 0x1p-15);
}

TEST(Collective, ExtremaAreExact) {
  Oracle oracle(R"(
    tile.program @p(%a: memref<2xf32, #tile.symmetric>, %b: memref<2xf32, #tile.symmetric>, %c: memref<2xf32, #tile.symmetric>) {
      tile.all_reduce maximum %a into %b : memref<2xf32, #tile.symmetric>, memref<2xf32, #tile.symmetric>
      tile.all_reduce minimum %a into %c : memref<2xf32, #tile.symmetric>, memref<2xf32, #tile.symmetric>
    })",
                3);
  ASSERT_TRUE(oracle.begin({})) << oracle.diagnostics;
  fillByRank(oracle);
  Reals least = oracle.reals(0, 0), greatest = oracle.reals(2, 0);
  ASSERT_TRUE(oracle.run()) << oracle.diagnostics;
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(oracle.reals(rank, 1), greatest);
    EXPECT_EQ(oracle.reals(rank, 2), least);
    EXPECT_TRUE(oracle.argument(rank, 1).isExact());
  }
}

TEST(Collective, AllToAllTransposesBlocks) {
  Oracle oracle(R"(
    tile.program @p(%a: memref<3x2xf32>, %b: memref<3x2xf32, #tile.symmetric>) {
      tile.all_to_all %a into %b dim 0 : memref<3x2xf32>, memref<3x2xf32, #tile.symmetric>
    })",
                3);
  ASSERT_TRUE(oracle.begin({})) << oracle.diagnostics;
  fillByRank(oracle);
  ASSERT_TRUE(oracle.run()) << oracle.diagnostics;
  EXPECT_EQ(oracle.reals(0, 1), (Reals{0, 1, 100, 101, 200, 201}));
  EXPECT_EQ(oracle.reals(1, 1), (Reals{2, 3, 102, 103, 202, 203}));
  EXPECT_EQ(oracle.reals(2, 1), (Reals{4, 5, 104, 105, 204, 205}));
}

TEST(Collective, ShiftGoesAroundTheRing) {
  const char *text = R"(
    tile.program @p(%a: memref<2xf32>, %b: memref<2xf32, #tile.symmetric>) {
      tile.shift %a into %b by BY : memref<2xf32>, memref<2xf32, #tile.symmetric>
    })";
  for (int by : {1, -1, 5}) {
    std::string program = text;
    program.replace(program.find("BY"), 2, std::to_string(by));
    Oracle oracle(program, 3);
    ASSERT_TRUE(oracle.begin({})) << oracle.diagnostics;
    fillByRank(oracle);
    ASSERT_TRUE(oracle.run()) << oracle.diagnostics;
    for (int rank = 0; rank < 3; ++rank)
      EXPECT_EQ(oracle.reals((rank + by + 6) % 3, 1), (Reals{100.0 * rank, 100.0 * rank + 1})) << "by " << by;
  }
}

TEST(Collective, InPlaceEverySourceIsReadFirst) {
  Oracle oracle(R"(
    tile.program @p<%M>(%a: memref<?xf32, #tile.symmetric>, %b: memref<?xf32, #tile.symmetric>, %c: memref<?xf32, #tile.symmetric>)
        extents [%a: W * %M] [%b: W * %M] [%c: W * %M] {
      %rank = tile.rank
      %at = arith.muli %rank, %M : index
      %mine = memref.subview %a[%at] [%M] [1] : memref<?xf32, #tile.symmetric> to memref<?xf32, strided<[1], offset: ?>, #tile.symmetric>
      %sums = memref.subview %b[%at] [%M] [1] : memref<?xf32, #tile.symmetric> to memref<?xf32, strided<[1], offset: ?>, #tile.symmetric>
      tile.all_gather %mine into %a dim 0 : memref<?xf32, strided<[1], offset: ?>, #tile.symmetric>, memref<?xf32, #tile.symmetric>
      tile.reduce_scatter %b into %sums dim 0 : memref<?xf32, #tile.symmetric>, memref<?xf32, strided<[1], offset: ?>, #tile.symmetric>
      tile.all_to_all %c into %c dim 0 : memref<?xf32, #tile.symmetric>, memref<?xf32, #tile.symmetric>
    })",
                3);
  ASSERT_TRUE(oracle.begin({1})) << oracle.diagnostics;
  for (int rank = 0; rank < 3; ++rank)
    for (int argument = 0; argument < 3; ++argument)
      oracle.fill(rank, argument, Reals{100.0 * rank, 100.0 * rank + 1, 100.0 * rank + 2});
  ASSERT_TRUE(oracle.run()) << oracle.diagnostics;
  EXPECT_EQ(oracle.reals(0, 0), (Reals{0, 101, 202}));
  EXPECT_EQ(oracle.reals(2, 0), (Reals{0, 101, 202}));
  // Blocks of other ranks keep what they hold.
  EXPECT_EQ(oracle.reals(1, 1), (Reals{100, 303, 102}));
  EXPECT_EQ(oracle.reals(1, 2), (Reals{1, 101, 201}));
}
