//===- SignalTest.cpp - launches, tickets, signals between workgroups and ranks -----------------------------------===//
#include "Harness.h"
#include <algorithm>

using namespace tilec;
using namespace tilec::test;

namespace {

/// A world whose ranks are the emulator's devices; memory is plain.
struct World {
  explicit World(int ranks, int words) : heaps(ranks), areas(ranks), states(ranks), failures(ranks) {
    for (int rank = 0; rank < ranks; ++rank) {
      heaps[rank].resize(1 << 16);
      areas[rank].resize(words * signal_stride);
      heapBases.push_back(heaps[rank].data());
      areaBases.push_back(areas[rank].data());
    }
  }
  Context context(int rank) {
    return {rank, int(heaps.size()), heapBases.data(), areaBases.data(), &states[rank], &failures[rank], deadline, 7,
            0};
  }
  /// Starts a grid on a rank; `finish` waits for all.
  template <class Lane>
  void start(int rank, int workgroups, int waves, Lane lane) {
    ASSERT_EQ(hipSuccess, hipSetDevice(rank));
    ASSERT_EQ(0, emulator::launch(lane, {unsigned(workgroups), 1, 1}, {unsigned(waves * 64), 1, 1}, 4096, nullptr));
  }
  void finish() {
    for (int rank = 0; rank < int(heaps.size()); ++rank) {
      hipSetDevice(rank);
      hipDeviceSynchronize();
    }
    hipSetDevice(0);
  }
  unsigned &word(int rank, int index) { return reinterpret_cast<unsigned &>(areas[rank][index * signal_stride]); }

  std::vector<std::vector<char>> heaps, areas;
  std::vector<char *> heapBases, areaBases;
  std::vector<LaunchState> states;
  std::vector<Failure> failures;
  unsigned long long deadline = 0;
};

} // namespace

TEST(Launch, TicketsWorkersAndEpochs) {
  World world(1, 1);
  const int tasks = 37, workgroups = 6;
  for (unsigned epoch = 1; epoch <= 3; ++epoch) {
    std::vector<int> done(tasks), workers, epochs;
    int leavers = 0;
    const Context context = world.context(0);
    world.start(0, workgroups, 2, [&] {
      const Launch launch = enter(context);
      for (int task = next(launch, 2); task < tasks; task = next(launch, 2))
        if (target::thread() % 64 == 5)
          ++done[task];
      if (target::thread() == 70) {
        workers.push_back(launch.worker);
        epochs.push_back(launch.epoch);
      }
      if (last(launch)) {
        leavers += target::thread() == 100;
        leave(launch, true);
      }
    });
    world.finish();
    for (int count : done)
      EXPECT_EQ(count, 2); // one lane of each of two waves
    std::sort(workers.begin(), workers.end());
    for (int i = 0; i < workgroups; ++i) {
      EXPECT_EQ(workers.at(i), i);
      EXPECT_EQ(epochs.at(i), int(epoch));
    }
    EXPECT_EQ(leavers, 1);
    EXPECT_EQ(world.states[0].entered >> 32, epoch);
    EXPECT_EQ(unsigned(world.states[0].entered), 0u);
    EXPECT_EQ(world.states[0].left, 0u);
    EXPECT_EQ(world.states[0].tickets[2], 0);
  }
}

// More tasks than workgroups and fewer, none at all; counted and not.
TEST(Launch, WhoDrawsTheLastTicketCountsIt) {
  World world(1, 1);
  const Context context = world.context(0);
  unsigned long long launches = 0;
  for (int tasks : {37, 6, 2, 0, 37})
    for (bool advance : {true, false}) {
      std::vector<int> done(tasks), epochs;
      world.start(0, 6, 2, [&] {
        const Launch launch = enter(context, tasks, advance);
        for (int task = next(launch, 2); task < tasks; task = next(launch, 2))
          done[task] += target::thread() == 100;
        if (target::thread() == 70)
          epochs.push_back(int(launch.epoch));
      });
      world.finish();
      EXPECT_EQ(done, std::vector<int>(tasks, 1));
      EXPECT_EQ(epochs, std::vector<int>(6, int(launches) + 1));
      launches += advance;
      EXPECT_EQ(world.states[0].entered, launches << 32);
      EXPECT_EQ(world.states[0].tickets[2], 0);
    }
}

TEST(Launch, WithoutAdvanceTheEpochStays) {
  World world(1, 1);
  const Context context = world.context(0);
  world.start(0, 2, 1, [&] {
    const Launch launch = enter(context);
    if (last(launch))
      leave(launch, false);
  });
  world.finish();
  EXPECT_EQ(world.states[0].entered, 0u);
}

// Each rank sends a row to every other and sums what it gets, three launches in a row, with two copies.
namespace {
void exchange(int seed) {
  SCOPED_TRACE(seed);
  const int ranks = 4;
  World world(ranks, ranks);
  std::vector<std::vector<int>> sums(ranks);
  for (unsigned epoch = 1; epoch <= 3; ++epoch)
    for (int rank = 0; rank < ranks; ++rank) {
      const Context context = world.context(rank);
      world.start(rank, 1, 2, [&sums, context] {
        const Launch launch = enter(context);
        const Signals<1> sent{context, 0, {context.world}};
        const int thread = target::thread();
        int *inbox = copy_of<int>(context.heap_bases[context.rank], launch.epoch % 2, 4096);
        for (int i = 0; i < context.world; ++i) {
          const int to = rotate(context.rank, context.world, i);
          remote(context, inbox, to)[context.rank * 128 + thread] = 1000 * context.rank + thread + int(launch.epoch);
          signal<tilec::system>(launch, sent, {context.rank}, to);
        }
        wait<tilec::system>(launch, sent, {0}, {context.world});
        int sum = 0;
        for (int i = 0; i < context.world; ++i)
          sum += inbox[i * 128 + thread];
        if (thread == 127)
          sums[context.rank].push_back(sum);
        if (last(launch))
          leave(launch, true);
      });
    }
  world.finish();
  for (int rank = 0; rank < ranks; ++rank) {
    EXPECT_EQ(world.failures[rank].set, unsigned(failure_unset));
    for (int epoch = 1; epoch <= 3; ++epoch)
      EXPECT_EQ(sums[rank].at(epoch - 1), 6000 + 4 * (127 + epoch));
  }
}
} // namespace

TEST(Signal, AllToAllOverRanks) {
  const emulator::Options before = emulator::options();
  for (int seed : {0, 1, 2, 3, 4, 5}) {
    emulator::Options options = before;
    options.seed = seed;
    ASSERT_TRUE(emulator::configure(options));
    exchange(seed);
  }
  ASSERT_TRUE(emulator::configure(before));
}

// A box of 3 x 2 x 50 words, more than a wave has lanes, each set by another workgroup after the wait has begun.
TEST(Signal, WaitsForEveryWordOfABox) {
  for (unsigned missing : {0u, 3u, 60u, 149u, 299u}) {
    World world(1, 4 * 3 * 60);
    const Context context = world.context(0);
    int early = 0, passed = 0;
    world.start(0, 3, 2, [&, missing] {
      const Launch launch = enter(context);
      const Signals<3> grid{context, 0, {4, 3, 60}};
      const auto send = [&](int i) { signal<agent>(launch, grid, {1 + i / 100, 1 + i / 50 % 2, 7 + i % 50}, 0); };
      if (launch.worker == 0) {
        wait<agent>(launch, grid, {1, 1, 7}, {3, 2, 50});
        if (target::thread() == 99) {
          ++passed;
          for (int i = 0; i < 300; ++i)
            early +=
                *grid.word_in(grid.context.signal_bases[0], {1 + i / 100, 1 + i / 50 % 2, 7 + i % 50}) != launch.epoch;
        }
      } else if (launch.worker == 1) {
        for (int i = 0; i < 300; ++i)
          if (i != int(missing))
            send(i);
      } else {
        // The last word comes long after the others.
        for (int i = 0; i < 3000; ++i)
          barrier();
        send(int(missing));
      }
      if (last(launch))
        leave(launch, true);
    });
    world.finish();
    EXPECT_EQ(passed, 1);
    EXPECT_EQ(early, 0) << missing;
    int set = 0;
    for (int i = 0; i < 4 * 3 * 60; ++i)
      set += world.word(0, i) != 0;
    EXPECT_EQ(set, 300);
  }
}

// Who takes part: a sender of `waves` waves, a receiver of four, and how many stale words it reads over many seeds on
// weak memory, where a workgroup shows what it stored only when it releases.
namespace {
template <Participants Sends, class Receive>
int staleWords(int waves, Receive receive) {
  const emulator::Options before = emulator::options();
  int stale = 0;
  for (int seed = 1; seed <= 30; ++seed) {
    emulator::Options options = before;
    options.seed = seed;
    options.weak = true;
    EXPECT_TRUE(emulator::configure(options));
    World world(1, 2);
    const Context context = world.context(0);
    int *data = reinterpret_cast<int *>(world.heaps[0].data());
    world.start(0, 2, 4, [&, data] {
      const Launch launch = enter(context);
      const Signals<1> sent{context, 0, {2}};
      const int thread = target::thread();
      int value = 0;
      if (launch.worker == 0) {
        // What the receiver had before: old bytes, kept until it acquires.
        target::load_global<1>(&value, data, thread % (waves * 64) * 4);
        receive(launch, sent);
        target::load_global<1>(&value, data, thread % (waves * 64) * 4);
        stale += value != 1000;
      } else if (target::wave() < waves) {
        for (int i = 0; i < 4 * target::wave(); ++i)
          target::meet_wave();
        value = 1000;
        target::store_global<1>(data, thread * 4, &value);
        if constexpr (Sends == tilec::wave)
          signal<agent, tilec::wave>(launch, sent, {0}, 0);
        else
          signal<agent>(launch, sent, {0}, 0);
      }
      if (last(launch))
        leave(launch, true);
    });
    world.finish();
  }
  EXPECT_TRUE(emulator::configure(before));
  return stale;
}
const auto byWorkgroup = [](const Launch &launch, const Signals<1> &sent) { wait<agent>(launch, sent, {0}, {1}); };
const auto byWave = [](const Launch &launch, const Signals<1> &sent) { wait<agent, wave>(launch, sent, {0}, {1}); };
} // namespace

TEST(Participants, OneWavePublishesWithoutABarrier) { EXPECT_EQ(staleWords<wave>(1, byWorkgroup), 0); }
TEST(Participants, OfFourWavesTheFirstPublishesTooEarly) { EXPECT_GT(staleWords<wave>(4, byWorkgroup), 0); }
TEST(Participants, TheWorkgroupPublishesTogether) { EXPECT_EQ(staleWords<workgroup>(4, byWorkgroup), 0); }
TEST(Participants, EveryWaveMayWaitForItself) { EXPECT_EQ(staleWords<workgroup>(4, byWave), 0); }
TEST(Participants, AWaveThatWaitsProtectsNoOther) {
  const auto first = [](const Launch &launch, const Signals<1> &sent) {
    if (target::wave() == 0)
      wait<agent, wave>(launch, sent, {0}, {1});
  };
  EXPECT_GT(staleWords<workgroup>(4, first), 0);
}

TEST(Signal, EpochsWrapAndLag) {
  World world(1, 1);
  world.states[0].entered = 0xffffffffull << 32; // the running launch is 0
  world.word(0, 0) = 0xfffffffeu;                // two launches behind
  const Context context = world.context(0);
  unsigned seen = 1;
  world.start(0, 2, 1, [&] {
    const Launch launch = enter(context);
    const Signals<1> grid{context, 0, {1}};
    if (launch.worker == 0) {
      wait<agent>(launch, grid, {0}, {1}, 2); // satisfied before anybody signals
      wait<agent>(launch, grid, {0}, {1});
      if (target::thread() == 0)
        seen = *grid.word_in(grid.context.signal_bases[0], {0});
    } else {
      for (int i = 0; i < 300; ++i)
        barrier();
      signal<agent>(launch, grid, {0}, 0);
    }
    if (last(launch))
      leave(launch, true);
  });
  world.finish();
  EXPECT_EQ(seen, 0u);
  EXPECT_EQ(world.states[0].entered, 0u);
  EXPECT_EQ(world.failures[0].set, unsigned(failure_unset));
}

/// Two workgroups wait for words [1, 0] and [0, 1] of a grid that nobody signals: how many of them came through.
static int waitForTwoWords(World &world) {
  const Context context = world.context(0);
  EXPECT_GE(world.areas[0].size(), 256u + 4 * signal_stride) << "the grid lies within the area";
  int through = 0;
  world.start(0, 2, 1, [&] {
    const Launch launch = enter(context);
    const Signals<2> grid{context, 256, {2, 2}};
    wait<agent>(launch, grid, {1, 0}, {1, 1});
    wait<agent>(launch, grid, {0, 1}, {1, 1});
    through += target::thread() == 0;
    if (last(launch))
      leave(launch, true);
  });
  world.finish();
  return through;
}

TEST(Signal, ADeadlineIsRecordedOnceAndLaterWaitsFallThrough) {
  World world(1, 6);
  world.deadline = 1;
  // Deadlines pass only where other processes might still signal.
  emulator::othersTakePart(1);
  emulator::clear_report();
  const int through = waitForTwoWords(world);
  emulator::othersTakePart(-1);
  EXPECT_EQ(through, 2);
  const Failure &failure = world.failures[0];
  EXPECT_EQ(failure.set, unsigned(failure_complete));
  EXPECT_EQ(failure.reason, unsigned(failure_deadline));
  EXPECT_EQ(failure.signal, 256u);
  EXPECT_EQ(failure.index[0], 1);
  EXPECT_EQ(failure.index[1], 0);
  EXPECT_EQ(failure.program, 7u);
  EXPECT_EQ(failure.wanted, 1u);
  EXPECT_EQ(failure.seen, 0u);
  emulator::clear_report();
}

TEST(Signal, TheFirstWaitThatSeesTheHostsAbortSaysWhereItStood) {
  World world(1, 6);
  Failure &failure = world.failures[0];
  failure.reason = failure_abort;
  failure.set = failure_asked;
  const int through = waitForTwoWords(world);
  EXPECT_EQ(through, 2);
  EXPECT_EQ(failure.set, unsigned(failure_complete));
  EXPECT_EQ(failure.reason, unsigned(failure_abort));
  EXPECT_EQ(failure.signal, 256u);
  EXPECT_EQ(failure.index[0], 1);
  EXPECT_EQ(failure.index[1], 0);
  EXPECT_EQ(failure.wanted, 1u);
  EXPECT_EQ(failure.seen, 0u);
}

TEST(Signal, WithoutADeadlineTheEmulatorSeesTheDeadlock) {
  World world(1, 1);
  emulator::clear_report();
  const Context context = world.context(0);
  int through = 0;
  world.start(0, 1, 1, [&] {
    const Launch launch = enter(context);
    wait<agent>(launch, Signals<1>{context, 0, {1}}, {0}, {1});
    through += target::thread() == 0;
    if (last(launch))
      leave(launch, true);
  });
  world.finish();
  EXPECT_EQ(through, 1);
  EXPECT_EQ(world.failures[0].reason, unsigned(failure_deadlock));
  EXPECT_FALSE(emulator::report().empty());
  emulator::clear_report();
}
