// Clocks: what a point of the execution knows to have happened. Kept in two parts. Per rank the latest kernel milestone
// known to be over; and how many signals of which tasks are known. Tasks have no program order among each other, so a
// vector clock would need a component per task, and as many entries as there are tasks before it: a graph has a few.
#pragma once

#include "passes/checker/TaskTrace.h"

namespace tilec::checker {

/// Kernel k (counted over launches) of a rank has begun / all but its `last` roles is over / all of it is over.
struct Milestone {
  static uint32_t begun(uint32_t kernel) { return 3 * kernel + 1; }
  static uint32_t body(uint32_t kernel) { return 3 * kernel + 2; }
  static uint32_t over(uint32_t kernel) { return 3 * kernel + 3; }
};

/// The first `signals` signals of a thread in one launch are known, with all that they know and publish.
struct Mark {
  uint32_t thread = 0; ///< launch * threads + thread
  uint32_t signals = 0;
};

/// When a thread of the first launch is over: with this milestone of its rank.
struct ThreadEnd {
  uint32_t rank = 0, milestone = 0;
};

/// One past event, as others may come to know it.
struct Event {
  uint32_t thread = 0, rank = 0;
  uint32_t milestone = 0;         ///< over once this milestone of its rank is known
  uint32_t cover = Access::never; ///< over once this many signals of its thread are known
  bool operator==(const Event &) const = default;
};

/// A clock has the signals that it heard of directly and the clocks that it heard them from, so that making one costs
/// no more than what a thread waits for. What these clocks have heard is searched for where the direct signals do not
/// decide.
class HappensBefore {
public:
  using Clock = uint32_t;
  static constexpr Clock nothing = 0;

  /// `threads`: of one launch, which has `kernels` kernels on each rank.
  HappensBefore(uint32_t ranks, uint32_t launches, uint32_t kernels, std::vector<ThreadEnd> threads)
      : ranks(ranks), milestonesOfLaunch(Milestone::begun(kernels) - Milestone::begun(0)), threads(std::move(threads)),
        ends(ranks, std::vector<Clock>(launches * milestonesOfLaunch + 1, nothing)),
        firsts(launches * this->threads.size(), nothing), found(firsts.size()) {
    makeClock(std::vector<uint32_t>(ranks, 0), {}, {});
  }

  /// A thread of one launch having ended; `instance` counts threads over launches.
  Event whole(uint32_t instance) const {
    const ThreadEnd &end = threads[instance % threads.size()];
    return {instance, end.rank, uint32_t(instance / threads.size()) * milestonesOfLaunch + end.milestone,
            Access::never};
  }

  /// A clock that knows the milestones, the marks, and everything that the clocks in `included` know.
  Clock makeClock(std::vector<uint32_t> milestones, std::vector<Mark> marks, llvm::ArrayRef<Clock> included);

  /// A clock that knows what `clock` knows, and the mark. The next signal of a thread that has waited for nothing since
  /// knows what the one before does: both keep one list. `clock` was made by this or has no mark of that thread.
  Clock makeSignal(Clock clock, Mark mark);

  /// A clock that knows what all of `clocks` know.
  Clock makeCommon(llvm::ArrayRef<Clock> clocks);

  /// Whether `all` knows everything that `part` knows.
  bool includes(Clock all, Clock part) const;

  /// What a clock knows by marks, not by way of milestones. Sorted by thread.
  std::vector<Mark> marks(Clock clock) const { return marksBeyond(clock, milestones(clock)); }

  /// Says that whoever knows `milestone` of `rank` knows what `clock` knows. Called in ascending order of milestones.
  void setMilestone(uint32_t rank, uint32_t milestone, Clock clock);

  bool knows(Clock clock, const Event &event) const { return knowsAny(clock, event); }

  /// Whether one of the clocks knows the event.
  bool knowsAny(llvm::ArrayRef<Clock> clocks, const Event &event) const;

  uint32_t reached(Clock clock, uint32_t rank) const { return reachedPool[nodes[clock].reached + rank]; }

  static void join(std::vector<uint32_t> &milestones, llvm::ArrayRef<uint32_t> other) {
    for (size_t i = 0; i < milestones.size(); ++i)
      milestones[i] = std::max(milestones[i], other[i]);
  }
  llvm::ArrayRef<uint32_t> milestones(Clock clock) const {
    return llvm::ArrayRef<uint32_t>(reachedPool).slice(nodes[clock].reached, ranks);
  }
  uint32_t size() const { return nodes.size(); }

private:
  struct Node {
    size_t begin, end;                 ///< range of `markPool`, sorted by thread
    size_t beginIncluded, endIncluded; ///< range of `includedPool`
    Mark signal;                       ///< of `makeSignal`: beside those of the range
    size_t reached;                    ///< where its milestones begin in `reachedPool`
    bool isEmpty() const { return begin == end && beginIncluded == endIncluded && signal.signals == 0; }
  };
  /// What has been looked through for some clocks: the next question about them goes on from there. Clocks are numbered
  /// as they are made and include earlier ones alone. Those made last come first, so that what happened lately is found
  /// without a look at what came before.
  struct Search {
    llvm::SmallVector<Clock, 4> clocks;
    std::vector<Clock> pending;    ///< seen, but not what they include: a heap
    std::vector<uint32_t> visited; ///< [clock]: `number` when seen
    uint32_t number = 0;
  };
  struct Found {
    uint32_t search = 0, signals = 0;
  };

  static uint32_t find(llvm::ArrayRef<Mark> marks, uint32_t thread);
  size_t place(llvm::ArrayRef<uint32_t> milestones);
  bool knowsDirectly(Clock clock, const Event &event) const;
  void beginSearch(llvm::ArrayRef<Clock> clocks) const;
  void see(Clock clock) const;
  void lookInto(Clock clock) const;
  bool isOver(uint32_t thread, llvm::ArrayRef<uint32_t> milestones) const {
    Event ended = whole(thread);
    return milestones[ended.rank] >= ended.milestone;
  }
  /// What a clock knows of threads that are not over by the milestones, none of which is beyond the clock's own.
  std::vector<Mark> marksBeyond(Clock clock, llvm::ArrayRef<uint32_t> milestones) const;
  /// Sorts by thread and keeps the most signals of each; none of threads that the milestones say are over.
  void normalise(std::vector<Mark> &marks, llvm::ArrayRef<uint32_t> milestones) const;
  llvm::ArrayRef<Mark> ownMarks(const Node &node) const {
    return llvm::ArrayRef<Mark>(markPool).slice(node.begin, node.end - node.begin);
  }
  llvm::ArrayRef<Clock> includedClocks(const Node &node) const {
    return llvm::ArrayRef<Clock>(includedPool).slice(node.beginIncluded, node.endIncluded - node.beginIncluded);
  }

  uint32_t ranks, milestonesOfLaunch;
  std::vector<ThreadEnd> threads;
  std::vector<Node> nodes;
  std::vector<uint32_t> reachedPool;          ///< milestones of all ranks, once for all clocks that know the same
  llvm::DenseMap<uint64_t, size_t> reachedOf; ///< by a hash
  std::vector<Mark> markPool;
  std::vector<Clock> includedPool;
  std::vector<std::vector<Clock>>
      ends;                  ///< [rank][milestone]: a clock that knows what the milestone and those before tell
  std::vector<Clock> firsts; ///< [thread over launches]: the first clock with a mark of it
  mutable Search search;
  mutable std::vector<Found> found; ///< [thread over launches]: by the search of that number
};

} // namespace tilec::checker
