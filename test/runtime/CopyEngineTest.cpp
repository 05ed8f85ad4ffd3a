// What the copy engine does beside kernels, in a stream of its own, and graphs of several streams.
#include <gtest/gtest.h>
#include <hip/hip_runtime.h>
#include <tilec/device.h>
#include <tilec/engine.h>
#include <vector>

using namespace tilec;

namespace {

/// Two devices that look for races, a stream and the engine's on the first.
class CopyEngine : public testing::TestWithParam<int> {
protected:
  void SetUp() override {
    emulator::Options options;
    options.race = true;
    options.seed = std::uint64_t(GetParam());
    ASSERT_TRUE(emulator::configure(options));
    emulator::clear_report();
    ASSERT_EQ(hipSetDevice(0), hipSuccess);
    ASSERT_EQ(hipMalloc(&from, bytes), hipSuccess);
    ASSERT_EQ(hipMalloc(&into, bytes), hipSuccess);
    fill(1);
    ASSERT_EQ(hipMemset(into, 0, bytes), hipSuccess);
    ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
    for (hipStream_t &made : sides)
      ASSERT_EQ(hipStreamCreateWithFlags(&made, hipStreamNonBlocking), hipSuccess);
    for (hipEvent_t &made : events)
      ASSERT_EQ(hipEventCreateWithFlags(&made, hipEventDisableTiming), hipSuccess);
    engine = {{sides[0], sides[1]},   events[0], events[1], {events[2], events[3]},
              {events[4], events[5]}, bases,     bases,     0};
  }
  void TearDown() override {
    for (hipStream_t used : {stream, sides[0], sides[1]})
      EXPECT_EQ(hipStreamDestroy(used), hipSuccess);
    for (hipEvent_t used : events)
      EXPECT_EQ(hipEventDestroy(used), hipSuccess);
    for (char *used : {from, into})
      EXPECT_EQ(hipFree(used), hipSuccess);
    ASSERT_TRUE(emulator::configure(emulator::Options()));
  }
  void fill(int value) { ASSERT_EQ(hipMemset(from, value, bytes), hipSuccess); }
  LaunchArguments arguments() const {
    LaunchArguments given = {};
    given.stream = stream;
    given.workgroups = 1;
    given.engine = &engine;
    return given;
  }
  /// What `copyRows` copies goes to the rank itself.
  void ownInto() {
    bases[0] = into;
    engine.heap_bytes = bytes;
  }
  /// Asks for `rows` rows of 300 bytes, which lie 512 apart.
  void copyRows(Copies &copies, std::size_t rows) const { copies.copy(into, 512, from, 512, 300, rows); }

  static constexpr std::size_t bytes = 1 << 14;
  char *from = nullptr, *into = nullptr;
  char *bases[1] = {nullptr};
  hipStream_t stream = nullptr, sides[Engine::lanes] = {};
  hipEvent_t events[6] = {};
  Engine engine = {};
};

TEST_P(CopyEngine, RowsThatLieApart) {
  const LaunchArguments given = arguments();
  Copies copies(given);
  copyRows(copies, 5);
  ASSERT_EQ(copies.join(), 0);
  ASSERT_EQ(hipStreamSynchronize(stream), hipSuccess);
  for (std::size_t i = 0; i < bytes; ++i)
    ASSERT_EQ(into[i], i / 512 < 5 && i % 512 < 300) << i;
  EXPECT_TRUE(emulator::races().empty());
}

TEST_P(CopyEngine, WhatTheStreamDoesNextComesBehindTheCopies) {
  const LaunchArguments given = arguments();
  Copies copies(given);
  copyRows(copies, 20);
  ASSERT_EQ(copies.join(), 0);
  ASSERT_EQ(hipMemsetAsync(into, 7, bytes, stream), hipSuccess);
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(into[0], 7);
  EXPECT_TRUE(emulator::races().empty());
}

TEST_P(CopyEngine, CopiesThatNeverJoinRaceWithWhatTheStreamDoesNext) {
  const LaunchArguments given = arguments();
  Copies copies(given);
  copyRows(copies, 20);
  ASSERT_EQ(hipMemsetAsync(into, 7, bytes, stream), hipSuccess);
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_FALSE(emulator::races().empty());
}

// A device copies to itself by its compute units: a kernel that waits beside may leave no room for that.
TEST_P(CopyEngine, WhatARankCopiesToItselfIsThereBeforeTheKernelBeside) {
  ownInto();
  const LaunchArguments given = arguments();
  Copies copies(given);
  copyRows(copies, 20);
  ASSERT_EQ(hipMemcpyAsync(from, into, bytes, hipMemcpyDefault, stream), hipSuccess);
  ASSERT_EQ(copies.join(), 0);
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(from[19 * 512 + 299], 1);
  EXPECT_EQ(from[19 * 512 + 300], 0);
  EXPECT_TRUE(emulator::races().empty());
}

TEST_P(CopyEngine, WhatARankCopiedToItselfMayGoOnToOthers) {
  ownInto();
  char *other = nullptr;
  ASSERT_EQ(hipMalloc(&other, bytes), hipSuccess);
  const LaunchArguments given = arguments();
  Copies copies(given);
  copyRows(copies, 20);
  copies.copy(other, 512, into, 512, 300, 20); // reads what was copied
  copyRows(copies, 20);                        // over what is being read
  ASSERT_EQ(copies.join(), 0);
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(other[19 * 512 + 299], into[19 * 512 + 299]);
  EXPECT_TRUE(emulator::races().empty());
  EXPECT_EQ(hipFree(other), hipSuccess);
}

TEST_P(CopyEngine, MoreCopiesThanAStreamHoldsAreCountedBeforeAnythingStarts) {
  LaunchArguments given = arguments();
  given.workgroups = 0;
  for (const long long asked : {most_engine_copies, most_engine_copies + 1}) {
    Copies copies(given);
    for (long long i = 0; i < asked; ++i)
      copyRows(copies, 1);
    EXPECT_EQ(copies.join(), asked > most_engine_copies ? 1 : 0);
    // And such as wait for the kernel that is launched behind them.
    Copies awaiting(given);
    awaiting.await(0, 1);
    for (long long i = 0; i < asked; ++i)
      copyRows(awaiting, 1);
    EXPECT_EQ(awaiting.join(), 2);
  }
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(into[0], 0);
}

// Two pieces, each in a stream of the engine, and the words of their tasks.
TEST_P(CopyEngine, GoesOnWhenTasksHaveCounted) {
  unsigned *words = nullptr;
  ASSERT_EQ(hipMalloc(&words, 2 * sizeof(unsigned)), hipSuccess);
  ASSERT_EQ(hipMemset(words, 0, 2 * sizeof(unsigned)), hipSuccess);
  bases[0] = reinterpret_cast<char *>(words);
  const LaunchArguments given = arguments();
  Copies copies(given);
  copies.await(0, 3);
  copyRows(copies, 5);
  copies.await(sizeof(unsigned), 1);
  copies.copy(into + 5 * 512, 512, from + 5 * 512, 512, 300, 5);
  hipStream_t tasks = nullptr;
  ASSERT_EQ(hipStreamCreateWithFlags(&tasks, hipStreamNonBlocking), hipSuccess);
  const unsigned counts[2] = {3, 1};
  for (int word : {1, 0}) {
    ASSERT_EQ(hipStreamSynchronize(tasks), hipSuccess);
    EXPECT_EQ(into[5 * 512], 0) << "the second piece comes behind what the first waits for";
    ASSERT_EQ(hipMemcpyAsync(words + word, counts + word, sizeof(unsigned), hipMemcpyDefault, tasks), hipSuccess);
  }
  ASSERT_EQ(copies.join(), 0);
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  for (std::size_t i = 0; i < bytes; ++i)
    ASSERT_EQ(into[i], i / 512 < 10 && i % 512 < 300) << i;
  EXPECT_EQ(words[0], 0u);
  EXPECT_EQ(words[1], 0u);
  EXPECT_EQ(hipStreamDestroy(tasks), hipSuccess);
  EXPECT_EQ(hipFree(words), hipSuccess);
}

// It would be in the stream of the launch, before the kernel whose tasks the engine waits for.
TEST_P(CopyEngine, WhatARankCopiesToItselfCannotWaitForTasks) {
  ownInto();
  const LaunchArguments given = arguments();
  Copies copies(given);
  copies.await(0, 0);
  copyRows(copies, 1);
  EXPECT_EQ(copies.failed(), 1);
  EXPECT_EQ(copies.join(), 1);
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
}

// The kernel whose tasks would count is not launched: the stream of the launch must not wait for the engine.
TEST_P(CopyEngine, AnErrorLeavesTheStreamOfTheLaunchFree) {
  unsigned *word = nullptr;
  ASSERT_EQ(hipMalloc(&word, sizeof(unsigned)), hipSuccess);
  ASSERT_EQ(hipMemset(word, 0, sizeof(unsigned)), hipSuccess);
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  ownInto();
  char *const signals[] = {reinterpret_cast<char *>(word)};
  engine.signal_bases = signals;
  const LaunchArguments given = arguments();
  Copies copies(given);
  copies.await(0, 1);
  copyRows(copies, 1);
  EXPECT_EQ(copies.failed(), 1);
  EXPECT_EQ(copies.join(), 1);
  EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
  *word = 1;
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(hipFree(word), hipSuccess);
}

TEST_P(CopyEngine, ReplaysOfAGraph) {
  ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
  const LaunchArguments given = arguments();
  Copies copies(given);
  copyRows(copies, 5);
  ASSERT_EQ(copies.join(), 0);
  hipGraph_t graph = nullptr;
  ASSERT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
  hipGraphExec_t executable = nullptr;
  ASSERT_EQ(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0), hipSuccess);
  for (int value : {3, 4, 5}) {
    fill(value);
    ASSERT_EQ(hipGraphLaunch(executable, stream), hipSuccess);
    ASSERT_EQ(hipStreamSynchronize(stream), hipSuccess);
    EXPECT_EQ(into[4 * 512 + 299], value);
  }
  // Streams are given what they are told again, outside of the graph.
  Copies eager(given);
  copyRows(eager, 6);
  ASSERT_EQ(eager.join(), 0);
  ASSERT_EQ(hipStreamSynchronize(stream), hipSuccess);
  EXPECT_EQ(into[5 * 512 + 299], 5);
  EXPECT_TRUE(emulator::races().empty());
  EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
  EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
}

TEST_P(CopyEngine, ACaptureThatCopiesNeverJoinIsRefused) {
  ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
  const LaunchArguments given = arguments();
  Copies copies(given);
  copyRows(copies, 5);
  hipGraph_t graph = nullptr;
  EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureUnjoined);
}

TEST_P(CopyEngine, WhereNothingStartsNothingIsAskedFor) {
  LaunchArguments given = arguments();
  given.workgroups = 0;
  given.engine = nullptr;
  Copies copies(given);
  copyRows(copies, 5);
  copies.raise(0, 0);
  EXPECT_EQ(remote(copies, from, 0), from);
  EXPECT_EQ(copies.join(), 0);
}

TEST_P(CopyEngine, ALaunchWithoutItsStreamFails) {
  LaunchArguments given = arguments();
  given.engine = nullptr;
  Copies copies(given);
  EXPECT_NE(copies.failed(), 0);
  EXPECT_NE(copies.join(), 0);
}

TEST_P(CopyEngine, ABoxOfAMatrixIsClipped) {
  const LaunchArguments given = arguments();
  Copies copies(given);
  const View<char, 2> source = view(from, {10, 40}, {64, 1}), target = view(into, {8, 50}, {100, 1});
  move(copies, source, {4, 8}, {16, 64}, target);
  // Elements of a row that lie apart, and a row alone.
  move(copies, view(from, {3, 5}, {64, 2}), {0, 0}, {3, 5}, view(into + 4096, {3, 5}, {64, 1}));
  move(copies, view(from, {30}, {1}), {16}, {16}, view(into + 8192, {30}, {1}));
  ASSERT_EQ(copies.join(), 0);
  ASSERT_EQ(hipStreamSynchronize(stream), hipSuccess);
  for (int i = 0; i < 4096; ++i)
    ASSERT_EQ(into[i], i / 100 >= 4 && i / 100 < 8 && i % 100 >= 8 && i % 100 < 40) << i;
  for (int i = 0; i < 4096; ++i)
    ASSERT_EQ(into[4096 + i], i / 64 < 3 && i % 64 < 5) << i;
  for (int i = 0; i < 64; ++i)
    ASSERT_EQ(into[8192 + i], i >= 16 && i < 30) << i;
}

INSTANTIATE_TEST_SUITE_P(Seeds, CopyEngine, testing::Values(0, 1, 2));

} // namespace
