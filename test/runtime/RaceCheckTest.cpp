// Every edge orders, and without it there is a race. This file is compiled with -fsanitize=thread, as text is.
#include <gtest/gtest.h>
#include <hip/hip_runtime.h>
#include <tilec/device.h>
#include <vector>

using namespace tilec;

namespace {

constexpr int lanes = 128; ///< two waves

/// Two devices, with device memory that is zero.
class RaceCheck : public testing::Test {
protected:
  void SetUp() override { start(0, false); }
  void TearDown() override {
    EXPECT_EQ(hipFree(memory), hipSuccess);
    ASSERT_TRUE(emulator::configure(emulator::Options()));
  }
  void start(std::uint64_t seed, bool weak) {
    if (memory) {
      EXPECT_EQ(hipFree(memory), hipSuccess);
    }
    emulator::Options options;
    options.race = true;
    options.skewed = skewed;
    options.weak = weak;
    options.seed = seed;
    ASSERT_TRUE(emulator::configure(options));
    emulator::clear_report();
    ASSERT_EQ(hipSetDevice(0), hipSuccess);
    ASSERT_EQ(hipMalloc(&memory, 1 << 16), hipSuccess);
    ASSERT_EQ(hipMemset(memory, 0, 1 << 16), hipSuccess);
  }
  template <typename... Parameters, typename... Arguments>
  void launch(int device, void (*kernel)(Parameters...), int workgroups, Arguments... arguments) {
    ASSERT_EQ(hipSetDevice(device), hipSuccess);
    ASSERT_EQ(launch_kernel(kernel, workgroups, lanes, 1024, nullptr, arguments...), 0);
  }
  void finish() {
    for (int device : {0, 1}) {
      ASSERT_EQ(hipSetDevice(device), hipSuccess);
      ASSERT_EQ(hipDeviceSynchronize(), hipSuccess) << emulator::report();
    }
  }
  size_t races() {
    finish();
    return emulator::races().size();
  }
  int *memory = nullptr;
  bool skewed = false;
};

//===- the signal protocol, a step at a time
//------------------------------------------------------------------------===//

enum Step : unsigned {
  Drain = 1,
  Meet = 2,
  Release = 4,
  ReleaseSystem = 8,
  Acquire = 16,
  AcquireSystem = 32,
  MeetAfter = 64,
  Wait = 128,
  NarrowFlag = 256,
  NarrowPoll = 512,
};
constexpr unsigned protocol = Drain | Meet | ReleaseSystem | AcquireSystem | MeetAfter | Wait;

/// data: [0, lanes), flag: [lanes + 32].
__global__ void produce(int *data, unsigned steps) {
  const int thread = target::thread(), value = thread;
  target::store_global<1>(data + thread, 0, &value);
  if (steps & Drain)
    target::drain();
  if (steps & Meet)
    target::barrier();
  if (thread != 0)
    return;
  if (steps & Release)
    target::release<agent>();
  if (steps & ReleaseSystem)
    target::release<tilec::system>();
  if (steps & NarrowFlag)
    target::store_relaxed<agent>(data + lanes + 32, 1);
  else
    target::store_relaxed<tilec::system>(data + lanes + 32, 1);
}

int poll(int *flag, unsigned steps) {
  return steps & NarrowPoll ? target::load_relaxed<agent>(flag) : target::load_relaxed<tilec::system>(flag);
}

/// Reads what the other wave's lanes wrote.
__global__ void consume(int *data, unsigned steps) {
  const int thread = target::thread();
  if (target::wave() == 0) {
    while ((steps & Wait) && target::lane() == 0 && poll(data + lanes + 32, steps) != 1)
      emulator::pause();
    if (steps & Acquire)
      target::acquire<agent>();
    if (steps & AcquireSystem)
      target::acquire<tilec::system>();
  }
  if (steps & MeetAfter)
    target::barrier();
  int value[1];
  target::load_global<1>(value, data + (thread + 64) % lanes, 0);
  target::store_global<1>(data + 2 * lanes + thread, 0, value);
}

class Protocol : public RaceCheck {
protected:
  size_t deliver(unsigned steps, int consumer, std::uint64_t seed = 0, bool weak = false) {
    start(seed, weak);
    launch(0, produce, 1, memory, steps);
    if (consumer == 0) {
      // Two streams, so that no kernel boundary orders.
      hipStream_t stream;
      EXPECT_EQ(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), hipSuccess);
      EXPECT_EQ(launch_kernel(consume, 1, lanes, 1024, stream, memory, steps), 0);
      EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
      EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
    } else {
      launch(consumer, consume, 1, memory, steps);
    }
    return races();
  }
};

TEST_F(Protocol, orders) {
  for (std::uint64_t seed : {0, 1, 2, 3})
    for (bool weak : {false, true}) {
      EXPECT_EQ(deliver(protocol, 1, seed, weak), 0u) << emulator::races()[0];
      EXPECT_EQ(deliver(protocol, 0, seed, weak), 0u) << emulator::races()[0];
    }
}

TEST_F(Protocol, agentScopeOrdersOnOneDevice) {
  const unsigned narrow = Drain | Meet | Release | Acquire | MeetAfter | Wait;
  EXPECT_EQ(deliver(narrow, 0), 0u);
  EXPECT_GE(deliver(narrow, 1), 1u);
  EXPECT_GE(deliver((protocol & ~AcquireSystem) | Acquire, 1), 1u);
  EXPECT_GE(deliver((protocol & ~ReleaseSystem) | Release, 1), 1u);
}

TEST_F(Protocol, atomicsOfTwoDevicesNeedTheScopeOfBoth) {
  for (std::uint64_t seed : {0, 1, 2, 3})
    for (bool weak : {false, true})
      for (unsigned narrow : {NarrowFlag, NarrowPoll}) {
        EXPECT_EQ(deliver(protocol | narrow, 0, seed, weak), 0u) << emulator::races()[0];
        EXPECT_GE(deliver(protocol | narrow, 1, seed, weak), 1u) << narrow;
      }
  EXPECT_NE(emulator::races()[0].find("atomic read at scope agent"), std::string::npos) << emulator::races()[0];
}

TEST_F(Protocol, needsEveryStep) {
  for (unsigned step : {Drain, Meet, ReleaseSystem, AcquireSystem, MeetAfter, Wait})
    for (std::uint64_t seed : {0, 1, 2, 3})
      EXPECT_GE(deliver(protocol & ~step, 1, seed), 1u) << "without step " << step << ", seed " << seed;
}

TEST_F(Protocol, aMissingDrainIsWrongDataInWeakMemory) {
  int stale = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    start(seed, true);
    launch(1, consume, 1, memory, protocol);
    launch(0, produce, 1, memory, protocol & ~Drain);
    finish();
    for (int i = 0; i < lanes; ++i)
      stale += memory[2 * lanes + i] != (i + 64) % lanes;
    start(seed, true);
    launch(1, consume, 1, memory, protocol);
    launch(0, produce, 1, memory, protocol);
    finish();
    for (int i = 0; i < lanes; ++i)
      EXPECT_EQ(memory[2 * lanes + i], (i + 64) % lanes);
  }
  EXPECT_GT(stale, 0);
}

/// Launch e sets the flag to e behind its data; the second launch writes the data again.
__global__ void produceAgain(int *data, int epoch) {
  if (target::thread() != 0)
    return;
  target::store_global<1>(data, 0, &epoch);
  target::release<tilec::system>();
  target::store_relaxed<tilec::system>(data + 32, epoch);
}
/// Waits for the first launch, whatever the flag says.
__global__ void consumeFirst(int *data, bool says) {
  if (target::thread() != 0)
    return;
  while (target::load_relaxed<tilec::system>(data + 32) < 1)
    emulator::pause();
  if (says)
    target::satisfied(reinterpret_cast<unsigned *>(data + 32), 1);
  target::acquire<tilec::system>();
  int value[1];
  target::load_global<1>(value, data, 0);
}

TEST_F(RaceCheck, aWaitCountsOnWhatItAskedForAlone) {
  // Device 0 runs through both launches before device 1 starts, and the flag is 2 when it looks.
  skewed = true;
  for (bool says : {false, true}) {
    start(0, false);
    launch(0, produceAgain, 1, memory, 1);
    launch(0, produceAgain, 1, memory, 2);
    launch(1, consumeFirst, 1, memory, says);
    EXPECT_EQ(races(), says ? 1u : 0u);
  }
  EXPECT_NE(emulator::races()[0].find("first:  write by workgroup 0, wave 0 of rank 0"), std::string::npos);
  start(0, false);
  launch(0, produceAgain, 1, memory, 1);
  launch(1, consumeFirst, 1, memory, true);
  EXPECT_EQ(races(), 0u);
}

//===- other edges
//--------------------------------------------------------------------------------------------------===//

__global__ void writeAll(int *data, int value) { target::store_global<1>(data + target::thread(), 0, &value); }
__global__ void readAll(int *data) {
  int value[1];
  target::load_global<1>(value, data + (target::thread() + 1) % lanes, 0);
}

/// Releases what came before the kernel, and sets the flag.
__global__ void tell(int *data, unsigned steps) {
  if (target::thread() != 0)
    return;
  if (steps & Release)
    target::release<agent>();
  if (steps & ReleaseSystem)
    target::release<tilec::system>();
  target::store_relaxed<tilec::system>(data + lanes + 32, 1);
}

TEST_F(RaceCheck, theEndOfAKernelReleasesToItsDeviceAlone) {
  for (unsigned step : {0u, unsigned(Release), unsigned(ReleaseSystem)})
    for (bool byKernel : {false, true}) {
      start(0, false);
      int *data = memory;
      if (byKernel)
        launch(0, writeAll, 1, memory, 1);
      else
        emulator::enqueue_action(0, [data] {
          const std::vector<int> values(lanes, 1);
          emulator::host_write(data, values.data(), lanes * sizeof(int));
        });
      launch(0, tell, 1, memory, step);
      launch(1, consume, 1, memory, protocol);
      EXPECT_EQ(races() == 0, step == ReleaseSystem) << step;
    }
}

/// Every workgroup releases at system scope before it arrives; the last sets the flag, behind a release or none.
__global__ void lastTells(int *data, unsigned steps) {
  if (target::thread() != 0)
    return;
  const int value = 1;
  target::store_global<1>(data + int(blockIdx.x), 0, &value);
  target::release<tilec::system>();
  if (target::add_relaxed<agent>(data + lanes + 64, 1) != int(gridDim.x) - 1)
    return;
  target::acquire<agent>();
  if (steps & Release)
    target::release<agent>();
  if (steps & ReleaseSystem)
    target::release<tilec::system>();
  target::store_relaxed<tilec::system>(data + lanes + 32, 1);
}

TEST_F(RaceCheck, whatOthersReleasedAtSystemNeedsARelease) {
  for (unsigned step : {0u, unsigned(Release), unsigned(ReleaseSystem)}) {
    start(0, false);
    launch(0, lastTells, 4, memory, step);
    launch(1, consume, 1, memory, protocol);
    EXPECT_EQ(races() == 0, step == ReleaseSystem) << step;
  }
}

TEST_F(RaceCheck, kernelsOfOneStreamAreOrdered) {
  launch(0, writeAll, 1, memory, 1);
  launch(0, readAll, 1, memory);
  launch(0, writeAll, 1, memory, 2);
  EXPECT_EQ(races(), 0u);
}

TEST_F(RaceCheck, devicesAreNot) {
  launch(0, writeAll, 1, memory, 1);
  launch(1, readAll, 1, memory);
  EXPECT_EQ(races(), 1u);
}

TEST_F(RaceCheck, eventsOrderStreams) {
  hipEvent_t event;
  ASSERT_EQ(hipEventCreate(&event), hipSuccess);
  launch(0, writeAll, 1, memory, 1);
  ASSERT_EQ(hipEventRecord(event, nullptr), hipSuccess);
  ASSERT_EQ(hipSetDevice(1), hipSuccess);
  ASSERT_EQ(hipStreamWaitEvent(nullptr, event), hipSuccess);
  launch(1, readAll, 1, memory);
  EXPECT_EQ(races(), 0u);
  ASSERT_EQ(hipEventDestroy(event), hipSuccess);
}

TEST_F(RaceCheck, theHostOrdersWhatItWaitedFor) {
  launch(0, writeAll, 1, memory, 1);
  finish();
  launch(1, readAll, 1, memory);
  EXPECT_EQ(races(), 0u);
}

TEST_F(RaceCheck, workgroupsOfAKernelAreNotOrdered) {
  launch(0, writeAll, 2, memory, 1);
  EXPECT_GE(races(), 1u);
  // Nor when one starts where another has ended.
  start(0, false);
  launch(0, writeAll, 9, memory, 1);
  EXPECT_GE(races(), 1u);
}

TEST_F(RaceCheck, anApplicationMayNotTouchWhatPeersStillUse) {
  int *data = memory;
  launch(1, readAll, 1, memory);
  emulator::enqueue_action(0, [data] {
    const int value = 1;
    emulator::host_write(data, &value, sizeof(value));
  });
  EXPECT_EQ(races(), 1u);
  EXPECT_NE(emulator::races()[0].find("the application of rank 0"), std::string::npos);
}

/// Half of the workgroups draw tickets; all write what belongs to no ticket.
__global__ void drawTickets(int *data) {
  if (target::thread() == 0) {
    target::add_relaxed<agent>(data + lanes, 1);
    const int value = 1;
    target::store_global<1>(data, 0, &value);
  }
}

TEST_F(RaceCheck, ticketsOrderNothing) {
  launch(0, drawTickets, 2, memory);
  EXPECT_EQ(races(), 1u);
}

/// The last of several workgroups to arrive reads what all of them wrote.
__global__ void lastArriver(int *data, bool releases, bool acquires) {
  const int value = 1;
  if (target::thread() == 0) {
    target::store_global<1>(data + int(blockIdx.x), 0, &value);
    if (releases)
      target::release<agent>();
    if (target::add_relaxed<agent>(data + 64, 1) == int(gridDim.x) - 1) {
      if (acquires)
        target::acquire<agent>();
      int sum[1];
      for (int i = 0; i < int(gridDim.x); ++i)
        target::load_global<1>(sum, data + i, 0);
    }
  }
}

TEST_F(RaceCheck, anArrivalCountOrdersAfterAllArrivals) {
  for (std::uint64_t seed : {0, 1, 2}) {
    start(seed, false);
    launch(0, lastArriver, 4, memory, true, true);
    EXPECT_EQ(races(), 0u) << emulator::races()[0];
    start(seed, false);
    launch(0, lastArriver, 4, memory, false, true);
    EXPECT_GE(races(), 1u);
    start(seed, false);
    launch(0, lastArriver, 4, memory, true, false);
    EXPECT_GE(races(), 1u);
  }
}

__global__ void exchangeInLds(bool meets, bool withinAWave) {
  const int thread = target::thread();
  target::store_lds<1>(thread * 4, &thread);
  if (meets)
    target::barrier();
  int value[1];
  target::load_lds<1>(value, (withinAWave ? thread ^ 1 : thread ^ 64) * 4);
}

TEST_F(RaceCheck, ldsNeedsABarrier) {
  launch(0, exchangeInLds, 1, true, false);
  EXPECT_EQ(races(), 0u);
  launch(0, exchangeInLds, 1, false, false);
  EXPECT_GE(races(), 1u);
  EXPECT_NE(emulator::races()[0].find("of lds"), std::string::npos) << emulator::races()[0];
  start(0, false);
  launch(0, exchangeInLds, 1, false, true);
  EXPECT_GE(races(), 1u) << "lanes of a wave are ordered by nothing else either";
}

/// Waves 0 and 1 of 2 meet at a barrier of their own; plain accesses, which only instrumentation sees.
__global__ void plainAccesses(int *data, bool meets) {
  data[target::thread()] = 1;
  if (meets)
    emulator::barrier(3, 2);
  data[lanes + target::thread()] = data[(target::thread() + 64) % lanes];
}

TEST_F(RaceCheck, plainAccessesAreSeenAndNamedBarriersOrder) {
  launch(0, plainAccesses, 1, memory, true);
  EXPECT_EQ(races(), 0u);
  launch(0, plainAccesses, 1, memory, false);
  EXPECT_GE(races(), 1u);
}

/// Lane i writes byte i.
__global__ void writeBytes(char *data) { data[target::thread()] = 1; }

TEST_F(RaceCheck, bytesOfOneWordMayHaveSeveralWriters) {
  launch(0, writeBytes, 1, reinterpret_cast<char *>(memory));
  EXPECT_EQ(races(), 0u);
}

__global__ void addAll(int *data) { target::add_relaxed<agent>(data + target::thread(), 1); }

TEST_F(RaceCheck, whatNobodyWroteMayNotBeRead) {
  emulator::host_poison(memory, 2 * lanes * sizeof(int));
  launch(0, writeAll, 1, memory, 1);
  launch(0, readAll, 1, memory);
  EXPECT_EQ(races(), 0u);
  launch(0, readAll, 1, memory + 1);
  ASSERT_EQ(races(), 1u);
  EXPECT_TRUE(emulator::races()[0].starts_with("unwritten: 4 bytes")) << emulator::races()[0];
  launch(0, addAll, 1, memory + lanes);
  EXPECT_EQ(races(), 2u) << "an atomic addition reads too";
}

TEST_F(RaceCheck, aReportHasBothPlacesInTheirOrder) {
  emulator::name_memory([](const void *) { return "buffer"; });
  emulator::name_places([](const void *) { return "line"; });
  emulator::name_launches("launch 5");
  launch(0, writeAll, 1, memory, 1);
  launch(1, readAll, 1, memory);
  ASSERT_EQ(races(), 1u);
  const std::string text = emulator::races()[0];
  EXPECT_NE(text.find("4 bytes of buffer"), std::string::npos) << text;
  const size_t first = text.find("first:  write by workgroup 0, wave 0 of rank 0 in launch 5, lane"),
               second = text.find("second: read by workgroup 0, wave 0 of rank 1 in launch 5, lane");
  EXPECT_NE(first, std::string::npos) << text;
  EXPECT_NE(second, std::string::npos) << text;
  EXPECT_LT(first, second);
  EXPECT_NE(text.find("at line"), std::string::npos) << text;
  EXPECT_NE(emulator::last_writer(memory + 3).find("write by workgroup 0, wave 0 of rank 0"), std::string::npos);
  EXPECT_EQ(emulator::last_writer(this), "");
  emulator::name_memory({});
  emulator::name_places({});
  emulator::name_launches("");
}

} // namespace
