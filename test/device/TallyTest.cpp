//===- TallyTest.cpp - tasks that count by chiplet, and release together
//-------------------------------------------===//
#include "Harness.h"

using namespace tilec;
using namespace tilec::test;

namespace {

constexpr int kTasks = 18, kReaders = 5, kWaves = 2, kThreads = kWaves * 64;

/// One rank of the emulator, with the words of one tally.
struct Rank {
  Rank() : area(tally_words * signal_stride), data(kTasks * kThreads), areaBase(area.data()) {}
  Context context() { return {0, 1, &heapBase, &areaBase, &state, &failure, 0, 7, 0}; }

  std::vector<char> area;
  std::vector<int> data;
  char *areaBase, *heapBase = nullptr;
  LaunchState state{};
  Failure failure{};
};

struct Machine {
  int chiplets = 3;
  bool weak = true;
  std::uint64_t seeds = 20;
};

/// What tasks read behind the wait, and what kept them from it.
struct Outcome {
  int stale = 0, hangs = 0;
  std::uint64_t releases = 0; ///< of one launch, the mean
};

/// In each of three launches eighteen tasks store a number of each thread, and five more read what all of them have
/// stored, some of it read before. `join`, `count` and `await` say what is behind these words.
template <class Join, class Count, class Await>
Outcome readBehind(const Machine &machine, Join join, Count count, Await await, bool renews = true) {
  const emulator::Options before = emulator::options();
  Outcome outcome;
  int launches = 0;
  for (std::uint64_t seed = 1; seed <= machine.seeds; ++seed) {
    emulator::Options options = before;
    options.seed = seed;
    options.weak = machine.weak;
    options.chiplets = machine.chiplets;
    EXPECT_TRUE(emulator::configure(options));
    Rank rank;
    for (int epoch = 1; epoch <= 3; ++epoch) {
      const Context context = rank.context();
      int *const data = rank.data.data();
      const std::uint64_t releases = emulator::counts().releases;
      const auto lane = [&outcome, join, count, await, context, data, epoch, renews] {
        const Launch launch = enter(context);
        const Signals<2> done{context, 0, {3, kTasks / 3}};
        if (renews)
          renew_tally(launch, done);
        const int thread = target::thread(), other = (thread + 64) % kThreads;
        for (int task = next(launch, 0); task < kTasks + kReaders; task = next(launch, 0)) {
          int value = 0;
          if (task < kTasks) {
            join(launch, done);
            target::load_global<1>(&value, data, ((task + 1) % kTasks * kThreads + thread) * 4);
            value = 1000 * epoch + thread;
            target::store_global<1>(data, (task * kThreads + thread) * 4, &value);
            count(launch, done, {task % 3, task / 3});
            continue;
          }
          await(launch, done);
          for (int part = 0; part < kTasks; ++part) {
            target::load_global<1>(&value, data, (part * kThreads + other) * 4);
            outcome.stale += value != 1000 * epoch + other;
          }
        }
        if (last(launch))
          leave(launch, true);
      };
      EXPECT_EQ(0, emulator::launch(lane, {6, 1, 1}, {unsigned(kThreads), 1, 1}, 4096, nullptr));
      const bool ended = hipDeviceSynchronize() == hipSuccess && rank.failure.set == failure_unset;
      outcome.hangs += !ended;
      outcome.releases += emulator::counts().releases - releases;
      ++launches;
      if (!ended)
        break;
    }
  }
  emulator::clear_report();
  EXPECT_TRUE(emulator::configure(before));
  outcome.releases /= std::uint64_t(launches);
  return outcome;
}

void joins(const Launch &launch, const Signals<2> &done) { join_tally(launch, done); }
void counts(const Launch &launch, const Signals<2> &done, Coordinates<2> task) { tally<agent>(launch, done, task); }
void awaits(const Launch &launch, const Signals<2> &done) { wait_tally<agent>(launch, done, {3, kTasks / 3}); }

} // namespace

TEST(Tally, WhoWaitsSeesWhatAllHaveStored) {
  for (int chiplets : {1, 2, 3, most_chiplets}) {
    const Outcome outcome = readBehind({.chiplets = chiplets}, joins, counts, awaits);
    EXPECT_EQ(outcome.stale, 0) << chiplets;
    EXPECT_EQ(outcome.hangs, 0) << chiplets;
  }
}

TEST(Tally, AChipletReleasesForSeveralTasks) {
  const Outcome together = readBehind({.chiplets = 2, .seeds = 8}, joins, counts, awaits);
  const Outcome alone = readBehind(
      {.chiplets = 2, .seeds = 8}, [](const Launch &, const Signals<2> &) {},
      [](const Launch &launch, const Signals<2> &done, Coordinates<2>) {
        arrive<agent>(launch, Signals<1>{done.context, 0, {1}}, {0}, 1 << 20);
      },
      [](const Launch &launch, const Signals<2> &) { target::acquire<agent>(); });
  EXPECT_LT(together.releases + kTasks / 3, alone.releases);
}

TEST(Tally, WithoutTheReleaseStoresStayOnTheirChiplet) {
  const Outcome outcome = readBehind(
      {.chiplets = 3}, joins,
      [](const Launch &launch, const Signals<2> &done, Coordinates<2>) {
        target::drain();
        target::barrier();
        if (target::thread() != 0)
          return;
        target::release_to_chiplet();
        target::add_relaxed<agent>(detail::Tally(launch, done, launch.epoch).told(), 1u);
      },
      awaits);
  EXPECT_GT(outcome.stale, 0);
}

TEST(Tally, WithoutTheDrainStoresAreNotThere) {
  const Outcome outcome = readBehind(
      {.chiplets = 2}, joins,
      [](const Launch &launch, const Signals<2> &done, Coordinates<2>) {
        target::barrier();
        if (target::thread() == 0)
          detail::count_stored<agent>(detail::Tally(launch, done, launch.epoch));
      },
      awaits);
  EXPECT_GT(outcome.stale, 0);
}

TEST(Tally, ATaskThatHasNotBegunIsNeverTheLast) {
  const Outcome outcome = readBehind({.seeds = 4}, [](const Launch &, const Signals<2> &) {}, counts, awaits);
  EXPECT_GT(outcome.hangs, 0);
}

TEST(Tally, WithoutTheWaitTasksReadOldNumbers) {
  const Outcome outcome = readBehind({}, joins, counts, [](const Launch &, const Signals<2> &) {});
  EXPECT_GT(outcome.stale, 0);
}

TEST(Tally, WordsThatNobodyRenewsCountOnInTheLaunchAfterNext) {
  const Outcome outcome = readBehind({}, joins, counts, awaits, /*renews=*/false);
  EXPECT_GT(outcome.stale, 0);
}
