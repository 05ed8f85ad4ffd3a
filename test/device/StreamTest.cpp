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

/// Operands whose rows are 8 elements longer than K, with NaN behind it: what lies there is not part of the product.
template <class L>
struct Operands {
  using T = typename L::Element;
  int M, N, K, pitch;
  std::vector<T> a, b;
  std::vector<float> c;

  explicit Operands(const Problem &problem)
      : M(problem.rows), N(problem.columns), K(problem.depth), pitch((K + 15) / 16 * 16 + 16), a(M * pitch),
        b(N * pitch), c(M * N, -12345.0f) {
    __builtin_memset(static_cast<void *>(a.data()), 0x7f, a.size() * sizeof(T));
    __builtin_memset(static_cast<void *>(b.data()), 0x7f, b.size() * sizeof(T));
    for (int k = 0; k < K; ++k) {
      for (int i = 0; i < M; ++i)
        a[i * pitch + k] = cast<T>(valueAt(i * 31 + k));
      for (int j = 0; j < N; ++j)
        b[j * pitch + k] = cast<T>(valueAt(j * 17 + k * 3));
    }
  }
  /// The kernel that multiplies them.
  template <Fault F>
  auto kernel() {
    const TensorMap a_map = tensor_map<typename L::A>(a.data(), {M, K}, {pitch, 1});
    const TensorMap b_map = tensor_map<typename L::B>(b.data(), {N, K}, {pitch, 1});
    return [=, this] {
      auto words = full<4>(word_offset);
      const int across = (N + L::columns - 1) / L::columns, tasks = (M + L::rows - 1) / L::rows * across;
      for (int task = int(blockIdx.x); task < tasks; task += int(gridDim.x)) {
        product_by_stream<L, F>(words, a_map, b_map, view(c.data(), {M, N}, {N, 1}), K, task / across, task % across);
        meet();
      }
    };
  }
  /// Sums of small integers are exact in any order.
  int wrong() const {
    int count = 0;
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) {
        float sum = 0;
        for (int k = 0; k < K; ++k)
          sum += cast<float>(a[i * pitch + k]) * cast<float>(b[j * pitch + k]);
        count += sum != c[i * N + j];
      }
    return count;
  }
};

template <class L>
int wrongElements(const Problem &problem) {
  Operands<L> operands(problem);
  run(2, L::waves, operands.template kernel<Fault::None>(), stream_lds<L>);
  return operands.wrong();
}

/// What the emulator says of a faulty loop of 8 steps, or "wrong" if its results alone tell; empty: it ran well.
template <Fault F>
std::string verdict() {
  Operands<Narrow> operands({128, 64, 512});
  const std::string report = reportOf(Narrow::waves, operands.kernel<F>(), stream_lds<Narrow>);
  return !report.empty() ? report : operands.wrong() ? "wrong" : "";
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

TEST(Stream, TheLoopWithoutAFaultRunsWell) {
  for (Landing landing : everyLanding) {
    machine(landing, landing == Landing::Seeded ? 3 : 0, /*race=*/true);
    EXPECT_EQ(verdict<Fault::None>(), "");
    EXPECT_TRUE(emulator::races().empty()) << emulator::races().front();
  }
}

TEST(Stream, ASlotIsReadBeforeItsCopiesLand) {
  machine(Landing::Latest);
  const std::string report = verdict<Fault::NoFull>();
  EXPECT_NE(report.find(" of lds while "), std::string::npos) << report;
  machine(Landing::Latest);
  EXPECT_NE(verdict<Fault::NoParity>().find("while a copy is on its way there"), std::string::npos);
  // When copies happen to be there, the race check tells.
  machine(Landing::Earliest, 0, /*race=*/true);
  verdict<Fault::NoFull>();
  EXPECT_FALSE(emulator::races().empty());
}

TEST(Stream, ASlotIsFilledWhileProductsReadIt) {
  for (Landing landing : everyLanding) {
    machine(landing, landing == Landing::Seeded ? 3 : 0);
    EXPECT_NE(verdict<Fault::NoProducts>().find("a copy overwrites byte 1024 of lds while products of wave 0 read it"),
              std::string::npos);
  }
}

TEST(Stream, SumsAreReadWhileProductsAreInFlight) {
  for (Landing landing : everyLanding) {
    machine(landing, landing == Landing::Seeded ? 3 : 0);
    EXPECT_NE(verdict<Fault::NoSums>().find("were never awaited"), std::string::npos);
  }
}

TEST(Stream, WithoutAMeetingASlotIsFilledThatAnotherWaveReads) {
  machine(Landing::Latest, 0, /*race=*/true);
  verdict<Fault::NoMeeting>();
  EXPECT_FALSE(emulator::races().empty());
  // One wave runs ahead of the others.
  machine(Landing::Earliest);
  EXPECT_NE(verdict<Fault::NoMeeting>(), "");
}

TEST(Stream, AWordThatExpectsOtherBytesThanCome) {
  machine(Landing::Latest);
  EXPECT_NE(verdict<Fault::FewBytes>().find("128 bytes more were copied than the word at byte 128 of lds expects"),
            std::string::npos);
  machine(Landing::Latest);
  const std::string report = verdict<Fault::ManyBytes>();
  EXPECT_NE(report.find("deadlock"), std::string::npos) << report;
  EXPECT_NE(report.find("waiting for full[0], wanted 1, seen 0"), std::string::npos) << report;
  EXPECT_NE(report.find("the word at byte 128 of lds misses 0 of 1 arrivals and 128 bytes"), std::string::npos)
      << report;
}

TEST(Stream, AWaitForASlotThatNobodyFillsIsADeadlock) {
  for (Landing landing : everyLanding) {
    machine(landing, landing == Landing::Seeded ? 3 : 0);
    const std::string report = verdict<Fault::NoFill>();
    EXPECT_NE(report.find("waiting for full[1], wanted 2, seen 1"), std::string::npos) << report;
  }
}

TEST(Stream, AWaveThatDoesNotComeToTheProducts) {
  machine(Landing::Latest);
  EXPECT_NE(verdict<Fault::OneWave>().find("wave 1 issued 0 groups of products, and wave 0 of its warpgroup 8"),
            std::string::npos);
}

TEST(Stream, AStoreToASlotWithoutAFenceBehindIt) {
  for (Landing landing : everyLanding) {
    machine(landing, landing == Landing::Seeded ? 3 : 0);
    EXPECT_NE(verdict<Fault::Unfenced>().find("stored without fence_async behind it"), std::string::npos);
  }
}
