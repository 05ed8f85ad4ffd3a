// The emulator ends a run that cannot end, and says why.
#include <gtest/gtest.h>
#include <tilec/abi.h>
#include <tilec/launch_kernel.h>

using namespace tilec;

namespace {

void machine(std::uint64_t seed, int computeUnits) {
  emulator::Options options;
  options.computeUnits = computeUnits;
  options.seed = seed;
  ASSERT_TRUE(emulator::configure(options));
  emulator::clear_report();
  ASSERT_EQ(hipSetDevice(0), hipSuccess);
}

/// As the device headers wait: one lane polls, the others stand at the barrier.
void waitFor(volatile unsigned *word, unsigned wanted, int tile, int rank, Failure *failure) {
  if (threadIdx.x == 0)
    while (int(*word - wanted) < 0 && failure->set == failure_unset) {
      emulator::Polling poll;
      poll.name = "ready";
      poll.index[0] = tile;
      poll.index[1] = 7;
      poll.dimensions = 2;
      poll.rank = rank;
      poll.wanted = wanted;
      poll.seen = *word;
      poll.failure = failure;
      emulator::polling(poll);
      emulator::pause();
    }
  __syncthreads();
}

__global__ void waits(unsigned *word, unsigned wanted, int rank, Failure *failure, int *left) {
  waitFor(word, wanted, 3, rank, failure);
  if (threadIdx.x == 0)
    ++*left;
}

TEST(Deadlock, reportNamesEveryStuckWaitAndWaitsFallThrough) {
  for (std::uint64_t seed : {0, 5}) {
    machine(seed, 4);
    unsigned word = 1;
    Failure failures[2] = {};
    int left = 0;
    ASSERT_EQ(launch_kernel(waits, 1, 128, 0, nullptr, &word, 2u, 0, &failures[0], &left), 0);
    ASSERT_EQ(hipSetDevice(1), hipSuccess);
    ASSERT_EQ(launch_kernel(waits, 2, 64, 0, nullptr, &word, 9u, 1, &failures[1], &left), 0);
    EXPECT_EQ(hipStreamSynchronize(nullptr), hipErrorLaunchTimeOut);
    ASSERT_EQ(hipSetDevice(0), hipSuccess);
    EXPECT_EQ(hipStreamSynchronize(nullptr), hipErrorLaunchTimeOut);
    EXPECT_EQ(hipStreamSynchronize(nullptr), hipSuccess) << "reported once";
    EXPECT_EQ(left, 3);
    EXPECT_NE(emulator::report().find("deadlock: no wait can be satisfied\n"), std::string::npos);
    EXPECT_NE(
        emulator::report().find("rank 0, workgroup 0, wave 0: 1 lane waiting for ready[3, 7], wanted 2, seen 1\n"),
        std::string::npos)
        << emulator::report();
    EXPECT_NE(
        emulator::report().find("rank 1, workgroup 1, wave 0: 1 lane waiting for ready[3, 7], wanted 9, seen 1\n"),
        std::string::npos)
        << emulator::report();
    EXPECT_EQ(emulator::report().find("at barrier"), std::string::npos) << "lanes behind a wait are no news";
    EXPECT_EQ(failures[1].set, failure_complete);
    EXPECT_EQ(failures[1].reason, failure_deadlock);
    EXPECT_EQ(failures[1].index[0], 3);
    EXPECT_EQ(failures[1].rank, 1);
    EXPECT_EQ(failures[1].wanted, 9u);
    EXPECT_EQ(failures[1].seen, 1u);
  }
}

__global__ void waitsInNineDimensions(Failure *failure) {
  while (failure->set == failure_unset) {
    emulator::Polling poll;
    poll.name = "ready";
    for (int dim = 0; dim < failure_dimensions; ++dim)
      poll.index[dim] = dim;
    poll.dimensions = 9;
    poll.wanted = 1;
    poll.failure = failure;
    emulator::polling(poll);
    emulator::pause();
  }
}

TEST(Deadlock, signalOfManyDimensionsIsNamedByTheFirstEight) {
  machine(0, 4);
  Failure failure = {};
  ASSERT_EQ(launch_kernel(waitsInNineDimensions, 1, 1, 0, nullptr, &failure), 0);
  EXPECT_EQ(hipStreamSynchronize(nullptr), hipErrorLaunchTimeOut);
  EXPECT_NE(emulator::report().find("waiting for ready[0, 1, 2, 3, 4, 5, 6, 7], wanted 1"), std::string::npos)
      << emulator::report();
  EXPECT_EQ(failure.index[7], 7);
}

/// Workgroup 0 waits for the last one, which starts only when there is room.
__global__ void firstWaitsForLast(unsigned *word, Failure *failure) {
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
    *word = 1;
  if (blockIdx.x == 0)
    waitFor(word, 1, 0, 0, failure);
}

TEST(Deadlock, dependsOnResidency) {
  for (int units : {1, 2}) {
    machine(0, units);
    unsigned word = 0;
    Failure failure = {};
    ASSERT_EQ(launch_kernel(firstWaitsForLast, 3, 64, 0, nullptr, &word, &failure), 0);
    EXPECT_EQ(hipDeviceSynchronize(), units == 1 ? hipErrorLaunchTimeOut : hipSuccess) << emulator::report();
    EXPECT_EQ(emulator::report().find("2 of 3 workgroups never started, as only 1 can be resident") !=
                  std::string::npos,
              units == 1)
        << emulator::report();
    EXPECT_EQ(word, 1u) << "after the wait fell through the others ran";
  }
}

__global__ void divergentBarrier() {
  if (threadIdx.x < 10)
    emulator::barrier(1, 1);
  __syncthreads();
}

TEST(Deadlock, lanesOfAWaveAtDifferentBarriers) {
  machine(0, 4);
  ASSERT_EQ(launch_kernel(divergentBarrier, 2, 64, 0, nullptr), 0);
  EXPECT_EQ(hipDeviceSynchronize(), hipErrorLaunchTimeOut);
  EXPECT_NE(emulator::report().find("wave 0: 10 lanes of 64 at barrier 1\n"), std::string::npos) << emulator::report();
  EXPECT_NE(emulator::report().find("wave 0: 54 lanes at another barrier or wave operation than the rest\n"),
            std::string::npos)
      << emulator::report();
  // The machine works on.
  int word = 0;
  ASSERT_EQ(emulator::launch([&] { ++word; }, {1, 1, 1}, {64, 1, 1}, 0, nullptr), 0);
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(word, 64);
}

/// Slow is not stuck: the word changes once in many rounds.
__global__ void slowWriter(unsigned *word, int turns) {
  for (int i = 0; i < 5; ++i) {
    for (int turn = 0; turn < turns; ++turn)
      emulator::pause();
    ++*word;
  }
}

TEST(Deadlock, slowProgressIsNone) {
  machine(0, 4);
  unsigned word = 0;
  Failure failure = {};
  int left = 0;
  ASSERT_EQ(launch_kernel(waits, 1, 64, 0, nullptr, &word, 5u, 0, &failure, &left), 0);
  ASSERT_EQ(hipSetDevice(1), hipSuccess);
  ASSERT_EQ(launch_kernel(slowWriter, 1, 1, 0, nullptr, &word, 500), 0);
  ASSERT_EQ(hipSetDevice(0), hipSuccess);
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess) << emulator::report();
  EXPECT_EQ(left, 1);
  ASSERT_EQ(hipSetDevice(1), hipSuccess);
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
}

TEST(Deadlock, eventThatWasNeverRecordedHoldsNobody) {
  machine(0, 4);
  hipEvent_t event;
  hipStream_t stream;
  ASSERT_EQ(hipEventCreate(&event), hipSuccess);
  ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
  ASSERT_EQ(hipStreamWaitEvent(stream, event), hipSuccess);
  EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
  EXPECT_EQ(hipEventDestroy(event), hipSuccess);
  EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
}

} // namespace
