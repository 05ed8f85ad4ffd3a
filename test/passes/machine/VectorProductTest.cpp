// Products on the vector units: who owns which sums, and what it holds of the operands.
// Belongs here: VectorProduct. Does not: the product itself (test/device).
#include "passes/machine/VectorProduct.h"

#include <gtest/gtest.h>

using namespace tilec;
using Flat = llvm::SmallVector<int64_t>;

TEST(VectorProduct, EveryThreadHoldsWhatItsSumsNeed) {
  for (int64_t m = 1; m <= 128; m *= 4)
    for (int64_t n = 1; n <= 128; n *= 2)
      for (int64_t waves : {1, 4}) {
        VectorProduct product = VectorProduct::choose(m, n, 8, {waves, 64});
        for (const LinearLayout &layout : {product.accumulator, product.a, product.b}) {
          EXPECT_TRUE(layout.isSurjective());
          EXPECT_TRUE(layout.isInjectiveModuloReplication());
          EXPECT_EQ(layout.replicationMask("register"), 0u);
        }
        EXPECT_EQ(product.a.shape(), (Flat{m, 8}));
        EXPECT_EQ(product.b.shape(), (Flat{n, 8}));
        for (int64_t thread = 0; thread < 64 * waves; thread += 13) {
          LinearLayout::Point sum = product.accumulator.at(0, thread % 64, thread / 64);
          EXPECT_EQ(product.a.at(0, thread % 64, thread / 64), (LinearLayout::Point{sum[0], 0}));
          EXPECT_EQ(product.b.at(0, thread % 64, thread / 64), (LinearLayout::Point{sum[1], 0}));
        }
      }
}

TEST(VectorProduct, SquareBlocksOfRunsOfFour) {
  VectorProduct product = VectorProduct::choose(64, 64, 16, {4, 64});
  EXPECT_EQ(product.accumulator.flatBases("register"), (Flat{0, 1, 0, 2, 16, 0, 32, 0}));
  EXPECT_EQ(product.accumulator.flatBases("lane"), (Flat{0, 4, 0, 8, 0, 16, 1, 0, 2, 0, 4, 0}));
  EXPECT_EQ(product.accumulator.flatBases("wave"), (Flat{0, 32, 8, 0}));
  EXPECT_EQ(product.a.flatBases("register"), (Flat{0, 1, 0, 2, 0, 4, 0, 8, 16, 0, 32, 0}));
  EXPECT_EQ(product.b.flatBases("register"), (Flat{0, 1, 0, 2, 0, 4, 0, 8, 1, 0, 2, 0}));
}

TEST(VectorProduct, SumsOfAMatrixInstructionStayWhereTheyAre) {
  std::vector<LinearLayout::Point> lanes{{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 4}, {0, 8}};
  LinearLayout sums = LinearLayout::tile({{0, 1}, {0, 2}}, lanes, {{0, 0}, {0, 0}}, {16, 16});
  std::optional<VectorProduct> product = VectorProduct::withAccumulator(sums, 2);
  ASSERT_TRUE(product);
  EXPECT_EQ(product->accumulator, sums);
  EXPECT_EQ(product->a.flatBases("register"), (Flat{0, 1}));
  EXPECT_EQ(product->b.flatBases("register"), (Flat{0, 1, 1, 0, 2, 0}));
  LinearLayout skewed = LinearLayout::tile({{0, 1}, {1, 1}}, lanes, {}, {16, 16});
  EXPECT_FALSE(VectorProduct::withAccumulator(skewed, 2));
}
