//===- ArriveTest.cpp - tasks that count themselves, of which the last goes on
//----------------------------------------===//
#include "Harness.h"

using namespace tilec;
using namespace tilec::test;

namespace {

/// One rank of the emulator, with so many words of signals.
struct Rank {
  explicit Rank(int words) : area(words * signal_stride), data(1 << 12), areaBase(area.data()) {}
  Context context() { return {0, 1, &heapBase, &areaBase, &state, &failure, 0, 7, 0}; }
  unsigned word(int index) const { return reinterpret_cast<const unsigned &>(area[index * signal_stride]); }

  std::vector<char> area;
  std::vector<int> data;
  char *areaBase, *heapBase = nullptr;
  LaunchState state{};
  Failure failure{};
};

constexpr int kWords = 3, kParts = 5, kWaves = 2, kThreads = kWaves * 64;

/// What the last of the parts of each word found, and how often one was the last.
struct Outcome {
  int stale = 0, lasts = 0;
};

/// Five tasks for each of three words store a number of each thread, on weak memory; the last reads what all have
/// stored. `come` says of a task whether it is the last.
template <class Come>
Outcome sumParts(Come come) {
  const emulator::Options before = emulator::options();
  Outcome outcome;
  for (int seed = 1; seed <= 20; ++seed) {
    emulator::Options options = before;
    options.seed = seed;
    options.weak = true;
    EXPECT_TRUE(emulator::configure(options));
    Rank rank(kWords);
    for (int epoch = 1; epoch <= 2; ++epoch) {
      const Context context = rank.context();
      int *const data = rank.data.data();
      const auto lane = [&outcome, come, context, data, epoch] {
        const Launch launch = enter(context);
        const Signals<1> done{context, 0, {kWords}};
        for (int task = next(launch, 0); task < kParts * kWords; task = next(launch, 0)) {
          const int word = task % kWords, thread = target::thread();
          int value = 1000 * epoch + thread;
          target::load_global<1>(&value, data, ((task + kWords) % (kParts * kWords) * kThreads + thread) * 4);
          value = 1000 * epoch + thread;
          target::store_global<1>(data, (task * kThreads + thread) * 4, &value);
          if (!come(launch, done, word))
            continue;
          outcome.lasts += thread == 77;
          for (int part = 0; part < kParts; ++part) {
            // Another thread's number: what a thread has stored itself it sees without an arrival.
            const int other = (thread + 64) % kThreads;
            target::load_global<1>(&value, data, ((part * kWords + word) * kThreads + other) * 4);
            outcome.stale += value != 1000 * epoch + other;
          }
        }
        if (last(launch))
          leave(launch, true);
      };
      EXPECT_EQ(0, emulator::launch(lane, {4, 1, 1}, {unsigned(kThreads), 1, 1}, 4096, nullptr));
      EXPECT_EQ(hipSuccess, hipDeviceSynchronize());
      for (int word = 0; word < kWords; ++word)
        EXPECT_EQ(rank.word(word), 0u) << "after launch " << epoch;
    }
  }
  EXPECT_TRUE(emulator::configure(before));
  return outcome;
}

} // namespace

TEST(Arrive, TheLastSeesWhatAllHaveStored) {
  const Outcome outcome = sumParts([](const Launch &launch, const Signals<1> &done, int word) {
    return arrive<agent>(launch, done, {word}, kParts);
  });
  EXPECT_EQ(outcome.lasts, 20 * 2 * kWords);
  EXPECT_EQ(outcome.stale, 0);
}

// Counted before the others of the workgroup have stored.
TEST(Arrive, EachWaveByItselfComesTooEarly) {
  const Outcome outcome = sumParts([](const Launch &launch, const Signals<1> &done, int word) {
    if (target::wave() == 0) {
      if (target::lane() == 0) {
        unsigned *const at = done.word_in(launch.context.signal_bases[0], {word});
        target::release<agent>();
        const bool last = target::add_relaxed<agent>(at, 1u) + 1 == unsigned(kParts);
        if (last)
          target::store_relaxed<agent>(at, 0u);
        target::acquire<agent>();
        detail::broadcast(detail::last_word, last);
      }
    }
    target::barrier();
    const bool is_last = detail::read_broadcast(detail::last_word) != 0;
    target::barrier();
    return is_last;
  });
  EXPECT_GT(outcome.stale, 0);
}
