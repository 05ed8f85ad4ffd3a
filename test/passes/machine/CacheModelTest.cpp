// The cache model against HipKittens' table 4 (MI355X, bf16, tiles of 192x256x64), and small cases by hand.
// Belongs here: CacheModel. Does not: the order attributes of the dialect.
#include "bench/cache/Rows.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace tilec;
using namespace tilec::cache_rows;

namespace {

CacheMachine mi355() {
  std::string error;
  std::optional<Target> target = loadTarget("gfx950", {TILEC_TEST_TARGETS}, error);
  EXPECT_TRUE(target) << error;
  return target ? CacheMachine::of(*target, 1) : CacheMachine();
}

} // namespace

TEST(CacheModel, ReproducesThePublishedTable) {
  std::vector<Row> rows = hipKittens(mi355());
  // Row-major reuse on 9216 needs workgroups that stay together: in lockstep 72.7 and 87.6, as an independent model
  // over single lines found, where 55 and 95 are measured. Hence a little drift.
  CacheOptions drift;
  drift.driftSteps = 4;
  drift.jitter = 0.02;
  rows.front().model = hipKittens(mi355(), drift).front().model;
  for (const Row &row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_LE(std::abs(row.error()), 5);
    // The published rates are after hundreds of warm repetitions, the model's caches are cold.
    EXPECT_NEAR(100 * row.model.lastRate(), 100 * row.last, 10);
    EXPECT_NEAR(row.model.gbPerSecond * 1e-3, row.tbPerSecond, 0.12 * row.tbPerSecond);
    EXPECT_NEAR(row.model.bytes, row.model.chipletHits + row.model.lastHits + row.model.memoryBytes, 1e3);
  }
  // The ranking is what an order is chosen by: the best of each size, and the trap of many L2 hits and no others.
  auto rate = [&](size_t row) { return rows[row].model.gbPerSecond; };
  EXPECT_GT(rate(2), rate(0));
  EXPECT_GT(rate(2), rate(1));
  EXPECT_GT(rate(5), rate(4));
  EXPECT_GT(rate(4), rate(3));
}

// Of attention and of decoding the model has seen nothing: it ranks their orders.
TEST(CacheModel, RanksOrdersThatItWasNotFittedTo) {
  std::string error;
  std::optional<Target> mi300 = loadTarget("gfx942", {TILEC_TEST_TARGETS}, error);
  ASSERT_TRUE(mi300) << error;
  std::vector<Row> attention = numaAttention(CacheMachine::of(*mi300, 1));
  EXPECT_LE(std::abs(attention[0].error()), 5);                                  // head-first by chiplet
  EXPECT_GT(attention[0].model.gbPerSecond, 2 * attention[2].model.gbPerSecond); // block-first
  std::vector<Row> decoding = fleet(mi355());
  for (size_t row = 0; row < decoding.size(); row += 2)
    EXPECT_GT(decoding[row + 1].model.chipletRate(), decoding[row].model.chipletRate());
}

TEST(CacheModel, PublishedOrdersAreBijections) {
  Product product = Product::square(9216);
  for (std::vector<int64_t> order :
       {product.windows(7, 216), product.windows(5, 25), product.windows(8, 0), product.windows(8, -1),
        product.diagonals(-1), product.diagonals(0), product.diagonals(16)}) {
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, product.rowMajor());
  }
  for (int64_t heads : {8, 12, 20, 28, 64})
    for (int64_t (Attention::*of)(int64_t) const : {&Attention::headFirstByChiplet, &Attention::blockFirst}) {
      Attention attention{heads, 13, 1, 1, 2};
      std::vector<int64_t> order = attention.order(of, attention.tasks());
      std::sort(order.begin(), order.end());
      for (int64_t i = 0; i < attention.tasks(); ++i)
        EXPECT_EQ(order[i], i);
    }
}

TEST(CacheModel, LockstepMissesOnlyTheFragileOrder) {
  Product product = Product::square(9216);
  CacheReport report = product.run(product.rowMajor(), mi355());
  EXPECT_NEAR(100 * report.chipletRate(), 72.7, 1);
  EXPECT_NEAR(100 * report.lastRate(), 87.6, 1);
}

TEST(CacheModel, CountsByHand) {
  // Two chiplets of one slot, four tasks that read the same tile: each chiplet misses once, the second time in the last
  // cache.
  CacheMachine machine{2, 1, 1 << 20, 16, 1 << 20, 16, 100, 10, 1, 1.0};
  auto accesses = [](int64_t, int64_t, llvm::SmallVectorImpl<TileAccess> &out) { out.push_back({7, 8192}); };
  CacheReport report = replay({0, 1, 2, 3}, {1, accesses}, machine);
  EXPECT_EQ(report.bytes, 4 * 8192);
  EXPECT_EQ(report.chipletHits, 2 * 8192);
  EXPECT_EQ(report.lastHits, 8192);
  EXPECT_EQ(report.memoryBytes, 8192);
  EXPECT_DOUBLE_EQ(report.gbPerSecond, 4 / (2 / 100.0 + 1 / 10.0 + 1 / 1.0));
  EXPECT_DOUBLE_EQ(report.lastRate(), 0.5);
}

TEST(CacheModel, EvictsTheLeastRecentlyUsed) {
  // Room for 16 granules in one set: 16 tiles in turn always hit after the first round, 17 never.
  CacheMachine machine{1, 1, 16 * 8192, 16, 1 << 30, 16, 1, 1, 1, 1.0};
  for (int64_t tiles : {16, 17}) {
    auto accesses = [&](int64_t, int64_t step, llvm::SmallVectorImpl<TileAccess> &out) {
      out.push_back({uint64_t(step), 8192});
    };
    CacheReport report = replay({0, 1, 2}, {tiles, accesses}, machine);
    EXPECT_EQ(report.chipletHits, tiles == 16 ? 2 * 16 * 8192.0 : 0.0);
  }
}

TEST(CacheModel, CoarseGranulesRankTheSame) {
  // The setting for a search: 4 steps of k at once, granules of 32 KiB.
  Product product = Product::square(9216);
  CacheMachine machine = mi355();
  auto coarse = [&](llvm::ArrayRef<int64_t> order) {
    auto accesses = [&](int64_t task, int64_t step, llvm::SmallVectorImpl<TileAccess> &out) {
      out.push_back({uint64_t((task / product.cols) * product.steps + step), 4 * 192 * 64 * 2});
      out.push_back({uint64_t(1) << 40 | uint64_t((task % product.cols) * product.steps + step), 4 * 256 * 64 * 2});
    };
    CacheOptions options;
    options.granule = 32768;
    return replay(order, {product.steps / 4, accesses}, machine, options);
  };
  CacheReport good = coarse(product.windows(5, 25)), trap = coarse(product.windows(7, 216));
  EXPECT_GT(good.gbPerSecond, trap.gbPerSecond);
  EXPECT_NEAR(100 * trap.chipletRate(), 79, 5);
  EXPECT_NEAR(100 * trap.lastRate(), 24, 10);
}
