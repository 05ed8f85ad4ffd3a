// The cache model against HipKittens' table 4 (MI355X, bf16, tiles of 192x256x64), and small cases by hand.
// Belongs here: CacheModel. Does not: the order attributes of the dialect.
#include "passes/machine/CacheModel.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

using namespace tilec;

namespace {

// A product with its result in rows x cols tiles of 192x256, k in steps of 64.
struct Product {
  int64_t rows, cols, steps;
  static Product square(int64_t size) { return {size / 192, size / 256, size / 64}; }

  CacheReport run(llvm::ArrayRef<int64_t> order, const CacheMachine &machine, const CacheOptions &options = {}) const {
    auto accesses = [&](int64_t task, int64_t step, llvm::SmallVectorImpl<TileAccess> &out) {
      out.push_back({uint64_t((task / cols) * steps + step), 192 * 64 * 2});
      out.push_back({uint64_t(1) << 40 | uint64_t((task % cols) * steps + step), 256 * 64 * 2});
    };
    return replay(order, {steps, accesses}, machine, options);
  }

  // Algorithm 1 of HipKittens: chunks of `chunk` consecutive tiles on one of 8 chiplets (0: one contiguous part each),
  // then columns inside of windows of `height` rows.
  std::vector<int64_t> order(int64_t height, int64_t chunk) const {
    int64_t n = rows * cols;
    std::vector<int64_t> result;
    for (int64_t w = 0; w < n; ++w) {
      int64_t id = w;
      if (chunk == 0) {
        int64_t part = n / 8, more = n % 8, chiplet = w % 8;
        id = chiplet * part + std::min(chiplet, more) + w / 8;
      } else if (w < n / (8 * chunk) * 8 * chunk) {
        int64_t local = w / 8;
        id = local / chunk * 8 * chunk + w % 8 * chunk + local % chunk;
      }
      int64_t window = height * cols, first = id / window * height, inside = id % window;
      int64_t high = std::min(rows - first, height);
      result.push_back((first + inside % high) * cols + inside / high);
    }
    std::vector<int64_t> sorted = result;
    std::sort(sorted.begin(), sorted.end());
    for (int64_t i = 0; i < n; ++i)
      EXPECT_EQ(sorted[i], i) << "order drops tiles";
    return result;
  }
  std::vector<int64_t> rowMajor() const {
    std::vector<int64_t> result(rows * cols);
    std::iota(result.begin(), result.end(), 0);
    return result;
  }
};

CacheMachine mi355() {
  std::string error;
  std::optional<Target> target = loadTarget("gfx950", {TILEC_TEST_TARGETS}, error);
  EXPECT_TRUE(target) << error;
  return target ? CacheMachine::of(*target, 1) : CacheMachine();
}

struct Row {
  const char *name;
  CacheReport report;
  double chiplet, last, tbPerSecond; // measured
  double tolerance = 4;              // of the chiplet rate, in points
};

std::vector<Row> table() {
  Product small = Product::square(9216), large = Product::square(14592);
  CacheMachine machine = mi355();
  CacheOptions drift;
  drift.driftSteps = 4;
  drift.jitter = 0.02;
  return {{"9216 row-major", small.run(small.rowMajor(), machine, drift), 55, 95, 15.1, 6},
          {"9216 W7/C216", small.run(small.order(7, 216), machine), 79, 24, 14.9},
          {"9216 W5/C25", small.run(small.order(5, 25), machine), 75, 93, 18.3},
          {"14592 row-major", large.run(large.rowMajor(), machine), 36, 76, 10.7},
          {"14592 W8/C542", large.run(large.order(8, 0), machine), 79, 7, 13.9},
          {"14592 W8/C64", large.run(large.order(8, 64), machine), 78, 55, 16.6}};
}

} // namespace

TEST(CacheModel, ReproducesThePublishedTable) {
  std::vector<Row> rows = table();
  for (const Row &row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_NEAR(100 * row.report.chipletRate(), row.chiplet, row.tolerance);
    // The published rates are after hundreds of warm repetitions, the model's caches are cold.
    EXPECT_NEAR(100 * row.report.lastRate(), row.last, 10);
    EXPECT_NEAR(row.report.gbPerSecond * 1e-3, row.tbPerSecond, 0.12 * row.tbPerSecond);
    EXPECT_NEAR(row.report.bytes, row.report.chipletHits + row.report.lastHits + row.report.memoryBytes, 1e3);
  }
  // The ranking is what an order is chosen by: the best of each size, and the trap of many L2 hits and no others.
  EXPECT_GT(rows[2].report.gbPerSecond, rows[0].report.gbPerSecond);
  EXPECT_GT(rows[2].report.gbPerSecond, rows[1].report.gbPerSecond);
  EXPECT_GT(rows[5].report.gbPerSecond, rows[4].report.gbPerSecond);
  EXPECT_GT(rows[4].report.gbPerSecond, rows[3].report.gbPerSecond);
}

TEST(CacheModel, LockstepMissesOnlyTheFragileOrder) {
  // Row-major reuse on 9216 needs workgroups that stay together: in lockstep 72.7 and 87.6, as an independent model
  // over single lines found, where 55 and 95 are measured. Hence the drift above.
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
  CacheReport good = coarse(product.order(5, 25)), trap = coarse(product.order(7, 216));
  EXPECT_GT(good.gbPerSecond, trap.gbPerSecond);
  EXPECT_NEAR(100 * trap.chipletRate(), 79, 5);
  EXPECT_NEAR(100 * trap.lastRate(), 24, 10);
}
