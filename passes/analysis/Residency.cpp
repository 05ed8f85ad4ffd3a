// One resident workgroup per rank runs everything in one sequence: roles in the order of arrival, tasks by ticket. If
// that sequence ends on all ranks the class is `any`: with more workgroups the earliest unfinished item is always held
// by a resident workgroup or next to be drawn, and all it waits for is finished. Else each wait that was stuck says how
// many workgroups bring its producer in.
#include "passes/analysis/Residency.h"

using namespace llvm;
using namespace tilec::checker;

namespace {

class Sequential {
public:
  Sequential(const Trace &trace, uint32_t launches)
      : trace(trace), launches(launches), words(trace.wordsPerRank * trace.numRanks()), raised(launches * words, 0),
        producerOf(words, none), place(trace.threads.size()) {
    for (uint32_t rank = 0; rank < trace.numRanks(); ++rank)
      sequences.push_back(sequence(rank));
    for (auto [number, thread] : enumerate(trace.threads))
      for (uint32_t sync = thread.firstSync; sync < thread.endSync; ++sync)
        if (trace.syncs[sync].signal)
          producerOf[trace.syncs[sync].object] = number;
  }

  SmallVector<Progress> run() {
    SmallVector<Progress> result(trace.numKernels());
    std::vector<Position> positions(trace.numRanks());
    while (true) {
      bool moved = false;
      for (uint32_t rank = 0; rank < trace.numRanks(); ++rank)
        moved |= advance(rank, positions[rank]);
      if (moved)
        continue;
      // Everyone waits, or is done. Among the waits of a cycle at least one is for something later in the sequence:
      // those let go, at the price of residency; the others are stuck as a consequence.
      bool passed = false, stuck = false;
      for (bool all : {false, true})
        for (uint32_t rank = 0; rank < trace.numRanks() && (!all || !passed); ++rank)
          if (positions[rank].launch < launches) {
            stuck = true;
            passed |= pass(rank, positions[rank], all, result);
          }
      if (!stuck)
        return result;
    }
  }

private:
  static constexpr uint32_t none = ~0u;
  struct Position {
    uint32_t launch = 0, item = 0, sync = 0;
    bool entered = false;
  };
  /// Where a thread stands: in its rank's sequence, its group in the order of arrival, its ticket within the group.
  struct Place {
    uint32_t item = 0, group = 0, ticket = 0;
  };

  std::vector<uint32_t> sequence(uint32_t rank) {
    std::vector<uint32_t> items;
    for (const KernelThreads &kernel : trace.kernels[rank]) {
      append_range(items, kernel.firsts);
      for (auto [number, group] : enumerate(kernel.groups)) {
        uint32_t ticket = 0;
        for (const RoleThreads &role : group) {
          for (uint32_t thread : role.prologues) {
            place[thread] = {0, static_cast<uint32_t>(number), ticket};
            items.push_back(thread);
          }
          for (uint32_t task = role.beginTask; task < role.endTask; ++task) {
            place[task] = {0, static_cast<uint32_t>(number), ticket++};
            items.push_back(task);
          }
        }
      }
      append_range(items, kernel.lasts);
    }
    for (auto [item, thread] : enumerate(items))
      place[thread].item = item;
    return items;
  }

  bool isRaised(uint32_t wait, uint32_t launch) const {
    const WaitBox &box = trace.waits[trace.syncs[wait].object];
    if (launch < box.lag)
      return true;
    for (uint32_t at = box.begin; at < box.end; ++at)
      if (!raised[(launch - box.lag) * words + trace.boxWords[at]])
        return false;
    return true;
  }

  bool advance(uint32_t rank, Position &position) {
    bool moved = false;
    for (; position.launch < launches; ++position.launch, position.item = 0)
      for (; position.item < sequences[rank].size(); ++position.item, position.entered = false, moved = true) {
        const Thread &thread = trace.threads[sequences[rank][position.item]];
        if (!position.entered)
          position.sync = thread.firstSync;
        position.entered = true;
        for (; position.sync < thread.endSync; ++position.sync, moved = true) {
          const Sync &sync = trace.syncs[position.sync];
          if (sync.signal)
            raised[position.launch * words + sync.object] = 1;
          else if (!isRaised(position.sync, position.launch))
            return moved;
        }
      }
    return moved;
  }

  /// Raises what the stuck wait of a rank needs and comes later than itself, or all that it needs; notes what that
  /// takes.
  bool pass(uint32_t rank, const Position &position, bool all, SmallVectorImpl<Progress> &result) {
    uint32_t number = sequences[rank][position.item];
    const WaitBox &box = trace.waits[trace.syncs[position.sync].object];
    uint32_t launch = position.launch - box.lag;
    bool passed = false;
    for (uint32_t at = box.begin; at < box.end; ++at) {
      uint32_t word = trace.boxWords[at], producer = producerOf[word];
      bool later = launch == position.launch && producer != none && place[producer].item > position.item;
      if (raised[launch * words + word] || !(later || all))
        continue;
      if (later)
        result[trace.threads[number].kernel].require(requirement(number, producer, position.sync, word));
      raised[launch * words + word] = 1;
      passed = true;
    }
    return passed;
  }

  Progress requirement(uint32_t waiter, uint32_t producer, uint32_t wait, uint32_t word) const {
    const Thread &there = trace.threads[producer];
    Progress needed;
    needed.wait = trace.opOf(trace.syncs[wait]);
    for (uint32_t sync = there.firstSync; sync < there.endSync; ++sync)
      if (trace.syncs[sync].signal && trace.syncs[sync].object == word)
        needed.signal = trace.opOf(trace.syncs[sync]);
    Place from = place[waiter], to = place[producer];
    if ((there.kind != Thread::Prologue && there.kind != Thread::Task) ||
        there.kernel != trace.threads[waiter].kernel) {
      needed.resident = Progress::all;
      return needed;
    }
    const KernelCode &kernel = trace.program->kernels[there.kernel];
    int64_t earlier = 0;
    for (uint32_t group = 0; group < to.group; ++group) {
      if (kernel.workgroups[group] == 0)
        needed.resident = Progress::all;
      earlier += kernel.workgroups[group];
    }
    if (needed.resident == Progress::all)
      return needed;
    // Within a group the workgroups hold the lowest tickets: one more than the distance brings the producer in.
    int64_t inside = 1;
    if (to.group == from.group && to.ticket > from.ticket)
      inside = to.ticket - from.ticket + 1;
    int64_t own = kernel.workgroups[to.group];
    needed.resident = own && inside > own ? int64_t(Progress::all) : earlier + inside;
    return needed;
  }

  const Trace &trace;
  uint32_t launches, words;
  std::vector<uint8_t> raised;
  std::vector<uint32_t> producerOf;
  std::vector<Place> place;
  std::vector<std::vector<uint32_t>> sequences;
};

} // namespace

void Progress::require(const Progress &other) {
  bool more = other.resident == all ? resident != all : resident != all && other.resident > resident;
  if (more)
    *this = other;
}

SmallVector<Progress> tilec::checker::judgeResidency(const Trace &trace, uint32_t launches) {
  return Sequential(trace, launches).run();
}
