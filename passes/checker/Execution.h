// The maximal execution of a trace over several launches, and the clocks of what it does. Signals are never lowered, so
// that one maximal execution decides which waits are ever satisfied.
#pragma once

#include "passes/checker/HappensBefore.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>

namespace tilec::checker {

class Execution {
public:
  using Clock = HappensBefore::Clock;
  /// Called for every access in an order that happens-before allows.
  using Visitor = llvm::function_ref<void(uint32_t launch, uint32_t thread, uint32_t access)>;

  Execution(const Trace &trace, uint32_t launches, Findings &findings)
      : Execution(trace, launches, findings, settle(trace, launches)) {}

  /// Runs all launches. Reports waits that nothing satisfies, cycles of waits, and words that a late signal may lower.
  void run(Visitor visit);

  const HappensBefore &order() const { return clocks; }
  uint32_t numLaunches() const { return launches; }
  /// What a thread knows without any token.
  Clock base(uint32_t launch, uint32_t thread) const;
  /// What the tokens of an access know, the base left out.
  void tokenClocks(uint32_t launch, uint32_t thread, uint32_t access, llvm::SmallVectorImpl<Clock> &result) const;
  Event event(uint32_t launch, uint32_t thread, uint32_t access) const {
    Event event = clocks.whole(launch * uint32_t(trace.threads.size()) + thread);
    event.cover = trace.accesses[access].cover;
    return event;
  }
  /// Milestone at which a launch has begun on a rank.
  uint32_t launchBegun(uint32_t launch) const { return Milestone::begun(launch * kernels); }
  /// What is known when a launch has completed on a rank; nothing when it never does.
  Clock completion(uint32_t launch, uint32_t rank) const {
    return overClocks[(launch * kernels + kernels - 1) * ranks + rank];
  }
  /// Whether a clock knows that a launch has begun on a rank, and so that those before are over there.
  bool knowsBegun(Clock clock, uint32_t launch, uint32_t rank) const {
    return clocks.reached(clock, rank) >= launchBegun(launch);
  }
  bool isComplete() const { return complete; }

private:
  static constexpr uint32_t none = ~0u;
  static constexpr unsigned settleLimit = 32;
  /// What waits that have to go ahead of some signals know, where it is less than what the others know: by the number
  /// of a wait's box and launch.
  struct Assumption {
    std::vector<uint32_t> milestones;
    std::vector<Mark> marks;
  };
  using Assumptions = std::map<uint32_t, Assumption>;
  struct WaitState {
    uint32_t progress = 0; ///< words of the box known to be raised
    Clock clock = HappensBefore::nothing;
    uint32_t waiters = none;     ///< first thread; the next is in `nextWaiter`
    uint32_t nextBlocked = none; ///< next state that waits for the same word
    uint32_t user = none;        ///< kernel over launches that has noted the clock
    bool listed = false;         ///< stands in the list of a word
    bool over = false;
  };
  struct Stream {
    uint32_t kernel = 0;       ///< counted over launches
    uint32_t remaining = 0;    ///< threads of the body that have not ended
    uint32_t engines = 0;      ///< the same of copy engines
    bool left = false;         ///< the `last` roles are over
    std::vector<Clock> waited; ///< clocks of the waits in this kernel
  };

  Execution(const Trace &trace, uint32_t launches, Findings &findings, Assumptions assumptions);
  static std::vector<ThreadEnd> endsOf(const Trace &trace);
  /// Runs until what such waits are taken to know is what all signals know that may satisfy them. Programs in which
  /// every word has one producer need no run.
  static Assumptions settle(const Trace &trace, uint32_t launches);
  void beginKernel(uint32_t rank);
  void bodyOver(uint32_t rank);
  void left(uint32_t rank);
  void kernelOver(uint32_t rank);
  void runThread(uint32_t thread, Visitor visit);
  void threadOver(uint32_t thread);
  void prologueOver(uint32_t thread);
  void raise(uint32_t thread, uint32_t sync);
  bool advance(uint32_t state, bool force);
  void wake(uint32_t state);
  bool forceOne();
  Clock signalClock(uint32_t launch, uint32_t sync);
  Clock waitClock(uint32_t state);
  bool raisedEnough(uint32_t word, uint32_t launch) const {
    return raised[launch * words + word] == producerCount(word) && producerCount(word);
  }
  uint32_t producerCount(uint32_t word) const { return producerBegin[word + 1] - producerBegin[word]; }
  llvm::ArrayRef<uint32_t> producers(uint32_t word) const {
    return llvm::ArrayRef<uint32_t>(producerList).slice(producerBegin[word], producerCount(word));
  }
  /// Waits that were taken to know more than all that may satisfy them.
  std::vector<uint32_t> undecided();
  void checkLowered();
  void reportLowered(uint32_t early, uint32_t late);
  void reportStuck();
  uint32_t blockedWord(uint32_t thread) const;
  uint32_t blocker(uint32_t thread) const;
  uint32_t someUnfinished(uint32_t rank) const;
  void reportCycle(llvm::ArrayRef<uint32_t> cycle);

  const Trace &trace;
  Findings &findings;
  uint32_t launches, kernels, ranks, words;
  HappensBefore clocks;
  std::vector<uint32_t>
      earlier; ///< [thread]: of those that its workgroup has finished before, the last with a wait or signal
  std::vector<uint32_t> threadOfSync, producerBegin, producerList;
  std::vector<bool> counted;                             ///< [word]: its waits are for all producers
  std::vector<uint32_t> raised;                          ///< [launch][word]: how many producers have
  std::vector<uint32_t> blocked;                         ///< [launch][word]: first state that waits for it
  std::vector<WaitState> states;                         ///< [wait box][launch that raises]
  std::vector<Clock> syncClocks;                         ///< [launch][sync]
  std::vector<Clock> baseClocks, lastClocks, overClocks; ///< [kernel over launches][rank]
  std::vector<Stream> streams;
  std::vector<uint32_t> nextSync, nextAccess, nextWaiter;
  std::vector<uint8_t> status; ///< per thread of the current kernel: 0 not begun, 1 begun, 2 over
  std::vector<uint32_t> ready;
  Assumptions assumptions;
  std::vector<uint32_t> forced; ///< states of waits that went ahead
  bool complete = false;
};

} // namespace tilec::checker
