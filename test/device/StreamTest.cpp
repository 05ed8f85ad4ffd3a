//===- StreamTest.cpp - slots that bulk copies fill, asynchronous products, and what protects them
//---------------===//
#include "Harness.h"
#include "StreamLoops.h"

using namespace tilec;
using namespace tilec::test;

namespace {

using emulator::Landing;
const Landing everyLanding[] = {Landing::Latest, Landing::Earliest, Landing::Seeded};

/// The machine of one test: a seed, and when copies land and products read.
void machine(Landing landing, std::uint64_t seed = 0, bool race = false) {
  emulator::Options options;
  options.waveLanes = 32;
  options.ldsBytes = 227 * 1024;
  options.landing = landing;
  options.seed = seed;
  options.race = race;
  options.computeUnits = 2;
  ASSERT_TRUE(emulator::configure(options));
  ASSERT_EQ(hipSetDevice(0), hipSuccess);
  emulator::clear_report();
}

/// Runs `lane` and returns what the emulator has against it; empty: nothing.
template <class Lane>
std::string reportOf(int waves, Lane lane, int ldsBytes = 64 * 1024) {
  EXPECT_EQ(0, emulator::launch(lane, {1, 1, 1}, {unsigned(waves * 32), 1, 1}, ldsBytes, nullptr));
  const bool good = hipDeviceSynchronize() == hipSuccess;
  const std::string report = emulator::report();
  emulator::clear_report();
  EXPECT_EQ(good, report.empty()) << report;
  return report;
}

struct Problem {
  int rows, columns, depth;
};

/// Wrong elements of a * b^T. Rows are 8 elements longer than K, with NaN behind it: what lies there is not part of the
/// product.
template <class L>
int wrongElements(const Problem &problem) {
  using T = typename L::Element;
  using C = float;
  const auto [M, N, K] = problem;
  const int pitch = (K + 7) / 8 * 8 + 8;
  std::vector<T> a(M * pitch), b(N * pitch);
  __builtin_memset(static_cast<void *>(a.data()), 0x7f, a.size() * sizeof(T));
  __builtin_memset(static_cast<void *>(b.data()), 0x7f, b.size() * sizeof(T));
  std::vector<C> c(M * N, -12345.0f);
  for (int k = 0; k < K; ++k) {
    for (int i = 0; i < M; ++i)
      a[i * pitch + k] = cast<T>(valueAt(i * 31 + k));
    for (int j = 0; j < N; ++j)
      b[j * pitch + k] = cast<T>(valueAt(j * 17 + k * 3));
  }
  const TensorMap a_map = tensor_map<typename L::A>(a.data(), {M, K}, {pitch, 1});
  const TensorMap b_map = tensor_map<typename L::B>(b.data(), {N, K}, {pitch, 1});
  const int m_tiles = (M + L::rows - 1) / L::rows, n_tiles = (N + L::columns - 1) / L::columns;
  run(
      2, L::waves,
      [&] {
        auto words = full<4>(word_offset);
        for (int task = int(blockIdx.x); task < m_tiles * n_tiles; task += int(gridDim.x)) {
          product_by_stream<L>(words, a_map, b_map, view(c.data(), {M, N}, {N, 1}), K, task / n_tiles, task % n_tiles);
          meet();
        }
      },
      stream_lds<L>);
  int wrong = 0;
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      float sum = 0;
      for (int k = 0; k < K; ++k)
        sum += float(a[i * pitch + k]) * float(b[j * pitch + k]);
      // Sums of small integers are exact in any order.
      wrong += sum != c[i * N + j];
    }
  return wrong;
}

} // namespace

TEST(Stream, StepsFewerThanSlotsAndMore) {
  for (Landing landing : everyLanding)
    for (int steps : {0, 1, 2, 3, 4, 5, 8, 9}) {
      machine(landing, landing == Landing::Seeded ? steps + 1 : 0);
      EXPECT_EQ(wrongElements<Narrow>({128, 64, 64 * steps}), 0) << steps;
    }
}

TEST(Stream, WhatLiesOutsideOfTheMatricesReadsZero) {
  for (Landing landing : everyLanding) {
    machine(landing, landing == Landing::Seeded ? 5 : 0);
    EXPECT_EQ(wrongElements<Narrow>({100, 76, 200}), 0);
    EXPECT_EQ(wrongElements<Large>({200, 264, 72}), 0);
  }
}

TEST(Stream, TasksInTurnGoOnWithThePhasesOfTheSlots) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    machine(Landing::Seeded, seed, /*race=*/true);
    EXPECT_EQ(wrongElements<Narrow>({300, 192, 192}), 0) << seed;
    EXPECT_TRUE(emulator::races().empty()) << emulator::races().front();
  }
}
