// Fibers, waves, workgroups, streams and the order they run in.
#include <gtest/gtest.h>
#include <set>
#include <tilec/launch_kernel.h>
#include <vector>

using namespace tilec;

namespace {

/// A machine for one test; the next test configures its own.
void machine(std::uint64_t seed = 0, int computeUnits = 4, int resident = 1, int devices = 8) {
  emulator::Options options;
  options.devices = devices;
  options.computeUnits = computeUnits;
  options.resident = resident;
  options.seed = seed;
  ASSERT_TRUE(emulator::configure(options));
  emulator::clear_report();
  ASSERT_EQ(hipSetDevice(0), hipSuccess);
}

/// Each lane writes, meets the others, and reads what the opposite lane wrote.
__global__ void reverse(int *out) {
  int *lds = static_cast<int *>(emulator::lds());
  lds[threadIdx.x] = int(blockIdx.x * 1000 + threadIdx.x);
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = lds[blockDim.x - 1 - threadIdx.x];
}

TEST(Emulator, barrierSeparatesWritesFromReads) {
  for (std::uint64_t seed : {0, 1, 2}) {
    machine(seed);
    std::vector<int> out(10 * 192, -1);
    ASSERT_EQ(launch_kernel(reverse, 10, 192, 192 * 4, nullptr, out.data()), 0);
    ASSERT_EQ(hipDeviceSynchronize(), hipSuccess) << emulator::report();
    for (int block = 0; block < 10; ++block)
      for (int i = 0; i < 192; ++i)
        ASSERT_EQ(out[block * 192 + i], block * 1000 + 191 - i);
  }
}

TEST(Emulator, nothingRunsBeforeSomebodySynchronises) {
  machine();
  std::vector<int> out(64, -1);
  ASSERT_EQ(launch_kernel(reverse, 1, 64, 256, nullptr, out.data()), 0);
  EXPECT_EQ(hipStreamQuery(nullptr), hipErrorNotReady);
  EXPECT_EQ(out[0], -1);
  ASSERT_EQ(hipStreamSynchronize(nullptr), hipSuccess);
  EXPECT_EQ(out[0], 63);
}

void sumOfWave(const void *const *in, void *const *out, int lanes, void *extra) {
  int sum = 0;
  for (int i = 0; i < lanes; ++i)
    sum += *static_cast<const int *>(in[i]);
  for (int i = 0; i < lanes; ++i)
    *static_cast<int *>(out[i]) = sum;
  ++*static_cast<int *>(extra);
}

__global__ void waveSums(int *out, int *computed) {
  int mine = int(threadIdx.x), sum = -1;
  emulator::wave_collective(&mine, &sum, sumOfWave, computed);
  out[threadIdx.x] = sum;
}

TEST(Emulator, lastLaneOfAWaveComputesOnceForAll) {
  machine();
  std::vector<int> out(256, -1);
  int computed = 0;
  ASSERT_EQ(launch_kernel(waveSums, 1, 256, 0, nullptr, out.data(), &computed), 0);
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess) << emulator::report();
  EXPECT_EQ(computed, 4);
  for (int i = 0; i < 256; ++i)
    EXPECT_EQ(out[i], 64 * (i / 64 * 64) + 63 * 64 / 2);
}

__global__ void places(int *out) {
  const int i = int(threadIdx.x + blockDim.x * threadIdx.y);
  out[i] = emulator::lane() + 100 * emulator::wave() + 10000 * emulator::waves();
}

TEST(Emulator, lanesKnowTheirPlace) {
  machine();
  std::vector<int> out(160);
  hipLaunchKernelGGL(places, dim3(1), dim3(16, 10), 0, nullptr, out.data());
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(out[0], 30000);
  EXPECT_EQ(out[63], 30063);
  EXPECT_EQ(out[64], 30100);
  EXPECT_EQ(out[159], 30231);
}

/// Waves 0 and 1 meet at barrier 1 in a loop of their own; wave 2 never comes there.
__global__ void twoOfThree(int *turns) {
  if (emulator::wave() < 2)
    for (int i = 0; i < 5; ++i) {
      emulator::barrier(1, 2);
      if (threadIdx.x == 0)
        ++*turns;
    }
  emulator::barrier();
}

TEST(Emulator, namedBarrierCountsWaves) {
  machine();
  int turns = 0;
  ASSERT_EQ(launch_kernel(twoOfThree, 1, 192, 0, nullptr, &turns), 0);
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess) << emulator::report();
  EXPECT_EQ(turns, 5);
}

__global__ void earlyExit(int *out) {
  if (emulator::wave() == 1)
    return;
  __syncthreads();
  out[threadIdx.x] = 1;
}

TEST(Emulator, finishedWavesDoNotHoldABarrier) {
  machine();
  std::vector<int> out(192);
  ASSERT_EQ(launch_kernel(earlyExit, 1, 192, 0, nullptr, out.data()), 0);
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess) << emulator::report();
  EXPECT_EQ(out[0] + out[191], 2);
  EXPECT_EQ(out[64], 0);
}

/// Lane 0 of each workgroup appends its number; barriers give a random order chances to interleave.
__global__ void trace(std::vector<int> *order) {
  for (int i = 0; i < 3; ++i) {
    if (threadIdx.x == 0)
      order->push_back(int(blockIdx.x));
    emulator::interleave();
    __syncthreads();
  }
}

std::vector<int> traceWith(std::uint64_t seed) {
  machine(seed);
  std::vector<int> order;
  EXPECT_EQ(launch_kernel(trace, 16, 128, 0, nullptr, &order), 0);
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess) << emulator::report();
  return order;
}

TEST(Emulator, seedDecidesTheOrder) {
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const std::vector<int> order = traceWith(seed);
    EXPECT_EQ(order.size(), 48u);
    EXPECT_EQ(order, traceWith(seed)) << "seed " << seed;
    orders.insert(order);
  }
  EXPECT_EQ(orders.size(), 8u);
}

__global__ void countResident(int *now, int *most) {
  if (threadIdx.x == 0)
    *most = std::max(*most, ++*now);
  for (int i = 0; i < 10; ++i)
    emulator::pause();
  __syncthreads();
  if (threadIdx.x == 0)
    --*now;
}

TEST(Emulator, residencyIsLimited) {
  for (auto [units, resident] : {std::pair{1, 1}, {3, 1}, {2, 4}}) {
    machine(0, units, resident);
    int now = 0, most = 0;
    ASSERT_EQ(launch_kernel(countResident, 20, 64, 0, nullptr, &now, &most), 0);
    ASSERT_EQ(hipDeviceSynchronize(), hipSuccess) << emulator::report();
    EXPECT_EQ(most, units * resident);
    EXPECT_EQ(emulator::counts().mostResident, units * resident);
    EXPECT_EQ(now, 0);
  }
}

/// Waits until the other side's word is `wanted`, then sets its own.
__global__ void pingPong(volatile int *mine, volatile int *theirs, int first) {
  for (int i = 1; i <= 5; ++i) {
    while (*theirs < i - first)
      emulator::pause();
    *mine = i;
  }
}

TEST(Emulator, kernelsOfTwoRanksAndTwoStreamsRunTogether) {
  machine();
  int a = 0, b = 0;
  ASSERT_EQ(launch_kernel(pingPong, 1, 1, 0, nullptr, &a, &b, 1), 0);
  ASSERT_EQ(hipSetDevice(1), hipSuccess);
  ASSERT_EQ(launch_kernel(pingPong, 1, 1, 0, nullptr, &b, &a, 0), 0);
  // Synchronising one rank drives both; what is left of the other may still be queued.
  ASSERT_EQ(hipStreamSynchronize(nullptr), hipSuccess) << emulator::report();
  EXPECT_EQ(b, 5);
  EXPECT_GE(a, 4);
  ASSERT_EQ(hipSetDevice(0), hipSuccess);
  ASSERT_EQ(hipStreamSynchronize(nullptr), hipSuccess) << emulator::report();
  EXPECT_EQ(a, 5);

  hipStream_t one, two;
  ASSERT_EQ(hipStreamCreate(&one), hipSuccess);
  ASSERT_EQ(hipStreamCreate(&two), hipSuccess);
  a = b = 0;
  ASSERT_EQ(launch_kernel(pingPong, 1, 1, 0, one, &a, &b, 1), 0);
  ASSERT_EQ(launch_kernel(pingPong, 1, 1, 0, two, &b, &a, 0), 0);
  ASSERT_EQ(hipStreamSynchronize(one), hipSuccess) << emulator::report();
  ASSERT_EQ(hipStreamSynchronize(two), hipSuccess) << emulator::report();
  EXPECT_EQ(a + b, 10);
  EXPECT_EQ(hipStreamDestroy(one), hipSuccess);
  EXPECT_EQ(hipStreamDestroy(two), hipSuccess);
}

__global__ void note(std::vector<int> *order, int device) { order->push_back(device); }

TEST(Emulator, skewedRanksRunTheirLaunchesAhead) {
  for (std::uint64_t seed : {0, 3}) {
    emulator::Options options;
    options.skewed = true;
    options.seed = seed;
    ASSERT_TRUE(emulator::configure(options));
    std::vector<int> order;
    int a = 0, b = 0;
    for (int i = 0; i < 4; ++i)
      for (int device = 0; device < 3; ++device) {
        ASSERT_EQ(hipSetDevice(device), hipSuccess);
        ASSERT_EQ(launch_kernel(note, 1, 1, 0, nullptr, &order, device), 0);
      }
    // A rank that waits for another lets it run.
    ASSERT_EQ(launch_kernel(pingPong, 1, 1, 0, nullptr, &a, &b, 1), 0);
    ASSERT_EQ(hipSetDevice(0), hipSuccess);
    ASSERT_EQ(launch_kernel(pingPong, 1, 1, 0, nullptr, &b, &a, 0), 0);
    for (int device = 0; device < 3; ++device) {
      ASSERT_EQ(hipSetDevice(device), hipSuccess);
      ASSERT_EQ(hipDeviceSynchronize(), hipSuccess) << emulator::report();
    }
    EXPECT_EQ(a + b, 10);
    ASSERT_EQ(order.size(), 12u);
    int changes = 0;
    for (size_t i = 1; i < order.size(); ++i)
      changes += order[i] != order[i - 1];
    EXPECT_EQ(changes, 2) << "each rank runs its four launches in one go";
  }
  machine();
}

__global__ void increment(int *word) { ++*word; }

TEST(Emulator, streamKeepsItsOrderAndEventsOrderStreams) {
  machine();
  int word = 1, copy = 0, later = 0;
  hipStream_t one, two;
  hipEvent_t copied;
  ASSERT_EQ(hipStreamCreate(&one), hipSuccess);
  ASSERT_EQ(hipStreamCreate(&two), hipSuccess);
  ASSERT_EQ(hipEventCreate(&copied), hipSuccess);
  ASSERT_EQ(launch_kernel(increment, 1, 1, 0, one, &word), 0);
  ASSERT_EQ(hipMemcpyAsync(&copy, &word, 4, hipMemcpyDefault, one), hipSuccess);
  ASSERT_EQ(hipEventRecord(copied, one), hipSuccess);
  ASSERT_EQ(launch_kernel(increment, 1, 1, 0, one, &word), 0);
  ASSERT_EQ(hipStreamWaitEvent(two, copied), hipSuccess);
  ASSERT_EQ(hipMemcpyAsync(&later, &copy, 4, hipMemcpyDefault, two), hipSuccess);
  ASSERT_EQ(hipStreamSynchronize(two), hipSuccess);
  EXPECT_EQ(copy, 2);
  EXPECT_EQ(later, 2);
  ASSERT_EQ(hipStreamSynchronize(one), hipSuccess);
  EXPECT_EQ(word, 3);
  EXPECT_EQ(hipEventDestroy(copied), hipSuccess);
  EXPECT_EQ(hipStreamDestroy(one), hipSuccess);
  EXPECT_EQ(hipStreamDestroy(two), hipSuccess);
}

TEST(Emulator, impossibleLaunchesAreRefused) {
  machine();
  EXPECT_EQ(launch_kernel(increment, -1, 64, 0, nullptr, nullptr), hipErrorInvalidConfiguration);
  EXPECT_EQ(launch_kernel(increment, 1, 1025, 0, nullptr, nullptr), hipErrorInvalidConfiguration);
  EXPECT_EQ(launch_kernel(increment, 1, 64, 1 << 20, nullptr, nullptr), hipErrorInvalidConfiguration);
  EXPECT_EQ(hipSetDevice(8), hipErrorInvalidDevice);
  EXPECT_EQ(hipGetLastError(), hipErrorInvalidDevice);
  EXPECT_EQ(hipGetLastError(), hipSuccess);
}

__global__ void pastLds(int bytes) {
  if (threadIdx.x == 0)
    static_cast<char *>(emulator::lds())[bytes] = 1;
}

TEST(Emulator, writeBehindLdsIsReported) {
  machine();
  ASSERT_EQ(launch_kernel(pastLds, 1, 64, 256, nullptr, 255), 0);
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
  ASSERT_EQ(launch_kernel(pastLds, 1, 64, 256, nullptr, 256), 0);
  EXPECT_EQ(hipDeviceSynchronize(), hipErrorLaunchTimeOut);
  EXPECT_EQ(emulator::report(), "workgroup 0 of rank 0 wrote past its 256 bytes of lds\n");
}

/// Writes where a frame of 64 KiB would end. Between stacks lies a gap, so that nobody else is hurt.
__attribute__((no_sanitize("address"))) __global__ void deepFrame() {
  volatile char *low = static_cast<char *>(__builtin_frame_address(0)) - 64 * 1024;
  for (int i = 0; i < 1024; ++i)
    low[i] = 0;
}

TEST(Emulator, stackOverflowIsReported) {
  machine();
  ASSERT_EQ(launch_kernel(deepFrame, 1, 1, 0, nullptr), 0);
  EXPECT_EQ(hipDeviceSynchronize(), hipErrorLaunchTimeOut);
  EXPECT_EQ(emulator::report(), "a lane used more than 64 KiB of stack\n");
  int word = -1;
  ASSERT_EQ(launch_kernel(reverse, 1, 1, 64, nullptr, &word), 0);
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess) << "the canary is whole again";
  EXPECT_EQ(word, 0);
}

__global__ void throws() { throw 1; }

TEST(Emulator, exceptionOfAKernelIsReported) {
  machine();
  ASSERT_EQ(launch_kernel(throws, 1, 1, 0, nullptr), 0);
  EXPECT_EQ(hipDeviceSynchronize(), hipErrorLaunchTimeOut);
  EXPECT_EQ(emulator::report(), "a kernel threw an exception\n");
}

} // namespace
