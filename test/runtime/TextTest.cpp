// A text against the device headers, compiled apart, loaded and launched. The whole way of generated text: manifest and
// shared object into every rank, launches with changing extents, results.
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <hip/hip_runtime.h>
#include <nlohmann/json.hpp>
#include <random>
#include <tilec/cast.h>
#include <tilec/host.h>

using namespace tilec;

namespace {

constexpr int K = 512, N = 256;

std::vector<bf16> randomValues(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<bf16> values(count);
  for (bf16 &value : values)
    value = cast<bf16>(float(int(random() % 2001) - 1000) / 1000);
  return values;
}

/// Column n of row `row` of a * b^T in double precision, and the sum of the products' absolute values.
std::pair<double, double> dot(const bf16 *row, const bf16 *column) {
  double sum = 0, magnitude = 0;
  for (int k = 0; k < K; ++k) {
    const double product = double(cast<float>(row[k])) * double(cast<float>(column[k]));
    sum += product;
    magnitude += std::fabs(product);
  }
  return {sum, magnitude};
}

class Text : public testing::Test {
protected:
  static constexpr int world = 3, most = 260;

  void start(std::uint64_t seed, int computeUnits, const char *code = TEXT_CODE, bool weak = false) {
    emulator::Options options;
    options.weak = weak;
    options.seed = seed;
    options.computeUnits = computeUnits;
    ASSERT_TRUE(emulator::configure(options));
    emulator::clear_report();
    ASSERT_EQ(tilec_emulated_worlds(world, 4 << 20, 1 << 16, worlds), TILEC_OK) << tilec_last_error();
    for (int rank = 0; rank < world; ++rank) {
      const int64_t extents[] = {most};
      size_t bytes = 0;
      ASSERT_EQ(tilec_program_load(worlds[rank], TEXT_MANIFEST, code, extents, 1, &programs[rank]), TILEC_OK)
          << tilec_last_error();
      ASSERT_EQ(tilec_workspace_bytes(programs[rank], extents, 1, &bytes), TILEC_OK);
      ASSERT_EQ(tilec_heap_alloc(worlds[rank], bytes, &workspaces[rank]), TILEC_OK) << tilec_last_error();
      b[rank] = randomValues(N * K, 100 + rank);
    }
  }

  void launch(int rows, unsigned seed) {
    for (int rank = 0; rank < world; ++rank) {
      a[rank] = randomValues(size_t(rows) * K, seed * 10 + rank);
      c[rank].assign(size_t(world) * rows * N, cast<bf16>(NAN));
      void *const arguments[] = {a[rank].data(), b[rank].data(), c[rank].data()};
      const int64_t extents[] = {rows};
      ASSERT_EQ(tilec_launch(programs[rank], nullptr, arguments, 3, extents, 1, workspaces[rank], 0), TILEC_OK)
          << tilec_last_error();
    }
    for (tilec_world *each : worlds)
      ASSERT_EQ(tilec_synchronize(each, nullptr), TILEC_OK) << tilec_last_error();
  }

  /// Every row that ends a tile or begins one, all columns. Error bound: one rounding to bf16 (2^-8 relative) and f32
  /// sums of K terms (K 2^-24 of the sum of magnitudes).
  void expectResult(int rows) {
    for (int rank = 0; rank < world; ++rank)
      for (int row = 0; row < world * rows; ++row) {
        const int local = row % rows;
        if (local % 128 != 0 && local % 128 != 127 && local != rows - 1)
          continue;
        for (int n = 0; n < N; ++n) {
          const auto [sum, magnitude] = dot(&a[row / rows][size_t(local) * K], &b[rank][size_t(n) * K]);
          const double got = cast<float>(c[rank][size_t(row) * N + n]);
          ASSERT_LE(std::fabs(got - sum), std::fabs(sum) / 256 + magnitude * K / (1 << 24))
              << "rank " << rank << ", row " << row << ", column " << n;
        }
      }
  }

  void TearDown() override {
    for (tilec_world *&each : worlds)
      tilec_world_destroy(std::exchange(each, nullptr));
  }

  tilec_world *worlds[world] = {};
  tilec_program *programs[world] = {};
  void *workspaces[world] = {};
  std::vector<bf16> a[world], b[world], c[world];
};

TEST_F(Text, runsFromItsManifestWithChangingExtents) {
  start(0, 4);
  unsigned seed = 1;
  for (int rows : {200, 1, 256, 260}) {
    launch(rows, seed++);
    ASSERT_FALSE(HasFatalFailure());
    expectResult(rows);
  }
}

TEST_F(Text, anyOrderAndOneResidentWorkgroupGiveTheSame) {
  for (std::uint64_t seed : {1, 2, 3}) {
    start(seed, seed == 3 ? 1 : 4);
    for (int rows : {130, 3}) {
      launch(rows, unsigned(seed));
      ASSERT_FALSE(HasFatalFailure());
      expectResult(rows);
    }
    TearDown();
  }
}

TEST_F(Text, rightScopesAreRightInWeakMemory) {
  for (std::uint64_t seed : {0, 4}) {
    start(seed, 2, TEXT_CODE, /*weak=*/true);
    for (int rows : {130, 1, 129}) {
      launch(rows, unsigned(rows));
      ASSERT_FALSE(HasFatalFailure());
      expectResult(rows);
    }
    TearDown();
  }
}

TEST_F(Text, wrongScopeShowsInWeakMemoryOnly) {
  for (bool weak : {false, true}) {
    start(0, 2, TEXT_WRONG_SCOPE, weak);
    launch(20, 1);
    ASSERT_FALSE(HasFatalFailure());
    // The first row that came from another rank: signalled at the scope of one device, its bytes never left the sender.
    const double got = cast<float>(c[0][size_t(20) * N]);
    const double expected = dot(a[1].data(), b[0].data()).first;
    EXPECT_EQ(std::fabs(got - expected) < 0.1 * std::fabs(expected) + 0.1, !weak) << got << ", expected " << expected;
    TearDown();
  }
}

} // namespace
