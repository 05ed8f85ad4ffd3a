//===- TraceTest.cpp - what kernels record ------------------------------------------------------------------------===//
#include "Harness.h"
#include <vector>

using namespace tilec;
using namespace tilec::test;

namespace {

/// Tracks of one kernel, and a launch that writes them.
struct Tracks {
  Tracks(int workers, int capacity) : workers(workers), capacity(capacity) {
    memory.resize(size_t(workers) * trace_parts * (capacity + 1), TraceRecord{});
  }
  TraceTrack &head(int worker, int part) {
    return reinterpret_cast<TraceTrack &>(memory[size_t(worker * trace_parts + part) * (capacity + 1)]);
  }
  TraceRecord &record(int worker, int part, int i) {
    return memory[size_t(worker * trace_parts + part) * (capacity + 1) + 1 + i];
  }
  template <class Body>
  void launch(int workgroups, int waves, Body body) {
    Context context = {};
    context.world = 1;
    context.heap_bases = context.signal_bases = &base;
    context.state = &state;
    context.failure = &failure;
    context.trace = {reinterpret_cast<char *>(memory.data()), workers, capacity};
    auto lane = [=] {
      const Launch launch = enter(context);
      body(launch);
      if (last(launch))
        leave(launch, true);
    };
    ASSERT_EQ(hipSuccess, hipSetDevice(0));
    ASSERT_EQ(0, emulator::launch(lane, {unsigned(workgroups), 1, 1}, {unsigned(waves * 64), 1, 1}, 4096, nullptr));
    hipDeviceSynchronize();
  }

  int workers, capacity;
  std::vector<TraceRecord> memory;
  char area[1024] = {};
  char *base = area;
  LaunchState state = {};
  Failure failure = {};
};

TEST(Trace, TheFirstWaveAndTheProducersFirstTwoWriteATrackEach) {
  Tracks tracks(2, 8);
  tracks.launch(2, 4, [](const Launch &launch) {
    const Trace trace = tilec::trace(launch, 0, /*producer=*/2, /*tells=*/true);
    task_begins(trace, 3, 40 + launch.worker);
    task_ends(trace);
  });
  for (int worker = 0; worker < 2; ++worker)
    for (int part = 0; part < trace_parts; ++part) {
      EXPECT_EQ(tracks.head(worker, part).written, 2u);
      const TraceRecord &begin = tracks.record(worker, part, 0), &end = tracks.record(worker, part, 1);
      EXPECT_EQ(begin.kind, unsigned(trace_task_begins));
      EXPECT_EQ(begin.role, 3);
      EXPECT_EQ(begin.number, 40 + worker);
      EXPECT_EQ(begin.epoch, 1u);
      EXPECT_EQ(end.kind, unsigned(trace_task_ends));
      EXPECT_LE(begin.time, end.time);
      EXPECT_EQ(tracks.record(worker, part, 2).kind, 0u);
    }
}

TEST(Trace, ARingKeepsTheLastRecordsOfAllLaunches) {
  Tracks tracks(1, 3);
  for (int launch = 0; launch < 2; ++launch)
    tracks.launch(1, 1, [=](const Launch &of) {
      const Trace trace = tilec::trace(of, 0);
      for (int task = 0; task < 4; ++task)
        task_begins(trace, 0, 10 * launch + task);
    });
  EXPECT_EQ(tracks.head(0, 0).written, 8u);
  EXPECT_EQ(tracks.head(0, 1).written, 0u);
  // The eighth record lies at 7 mod 3.
  EXPECT_EQ(tracks.record(0, 0, 1).number, 13);
  EXPECT_EQ(tracks.record(0, 0, 0).number, 12);
  EXPECT_EQ(tracks.record(0, 0, 2).number, 11);
}

TEST(Trace, AWorkerWithoutATrackWritesNothing) {
  Tracks tracks(1, 4);
  std::vector<TraceRecord> before = tracks.memory;
  tracks.memory.resize(before.size() * 4);
  tracks.launch(3, 1, [](const Launch &launch) {
    const Trace trace = tilec::trace(launch, 0);
    if (launch.worker > 0)
      task_begins(trace, 0, 1);
  });
  for (const TraceRecord &record : tracks.memory)
    EXPECT_EQ(record.kind, 0u);
}

TEST(Trace, AWaitsWordsAreThoseOfItsLagsLaunch) {
  Tracks tracks(1, 4);
  tracks.state.entered = 6ull << 32;
  tracks.launch(1, 1, [](const Launch &launch) {
    const Trace trace = tilec::trace(launch, 0);
    const Signals<2> grid{launch.context, 512, {4, 4}};
    wait_begins(trace, grid, {1, 2}, {3, 1}, /*lag=*/2);
    wait_ends(trace);
    signalling(trace, grid, {3, 0}, 5);
  });
  const TraceRecord &wait = tracks.record(0, 0, 0), &signal = tracks.record(0, 0, 2);
  EXPECT_EQ(wait.kind, unsigned(trace_wait_begins));
  EXPECT_EQ(wait.epoch, 5u);
  EXPECT_EQ(wait.signal, 512u);
  EXPECT_EQ(wait.first[0], 1);
  EXPECT_EQ(wait.count[0], 3);
  EXPECT_EQ(wait.first[2], 0);
  EXPECT_EQ(wait.count[3], 1);
  EXPECT_EQ(signal.kind, unsigned(trace_signal));
  EXPECT_EQ(signal.number, 5);
  EXPECT_EQ(signal.epoch, 7u);
  EXPECT_EQ(signal.first[0], 3);
}

TEST(Trace, WithoutABufferNothingIsWritten) {
  Tracks tracks(0, 0);
  bool written = false;
  tracks.launch(1, 1, [&](const Launch &launch) {
    Launch without = launch;
    without.context.trace = {};
    const Trace trace = tilec::trace(without, 0);
    task_begins(trace, 0, 0);
    written |= trace.track != nullptr;
  });
  EXPECT_FALSE(written);
}

} // namespace
