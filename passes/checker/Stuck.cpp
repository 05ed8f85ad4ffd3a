// Execution's reports: waits that nothing satisfies, cycles, words that are lowered; and what a wait for a word of
// several producers knows.
#include "passes/checker/Execution.h"

using namespace llvm;
using namespace tilec;
using namespace tilec::checker;

uint32_t Execution::blockedWord(uint32_t thread) const {
  const Sync &sync = trace.syncs[nextSync[thread]];
  uint32_t launch = streams[trace.threads[thread].rank].kernel / kernels;
  const WaitBox &box = trace.waits[sync.object];
  return trace.boxWords[box.begin + states[sync.object * launches + launch - box.lag].progress];
}

/// A thread of the rank's current kernel that waits for ever; there is one when the rank is stuck.
uint32_t Execution::someUnfinished(uint32_t rank) const {
  const KernelThreads &kernel = trace.kernels[rank][streams[rank].kernel % kernels];
  auto stuck = [&](uint32_t thread) { return status[thread] == 1; };
  for (const std::vector<uint32_t> *list : {&kernel.firsts, &kernel.lasts})
    for (uint32_t thread : *list)
      if (stuck(thread))
        return thread;
  for (const std::vector<RoleThreads> &group : kernel.groups)
    for (const RoleThreads &role : group) {
      for (uint32_t thread : role.prologues)
        if (stuck(thread))
          return thread;
      for (uint32_t thread = role.beginTask; thread < role.endTask; ++thread)
        if (stuck(thread))
          return thread;
    }
  return none;
}

/// The stuck thread that a stuck thread needs; none when nothing raises the word.
uint32_t Execution::blocker(uint32_t number) const {
  uint32_t word = blockedWord(number);
  if (producerCount(word) == 0)
    return none;
  const Sync &wait = trace.syncs[nextSync[number]];
  uint32_t launch = streams[trace.threads[number].rank].kernel / kernels - trace.waits[wait.object].lag;
  for (uint32_t sync : producers(word)) {
    uint32_t producer = threadOfSync[sync];
    if (syncClocks[launch * trace.syncs.size() + sync] != HappensBefore::nothing)
      continue;
    const Thread &thread = trace.threads[producer];
    if (streams[thread.rank].kernel != launch * kernels + thread.kernel)
      return someUnfinished(thread.rank);
    while (status[producer] == 0 && trace.threads[producer].before != Thread::none)
      producer = trace.threads[producer].before;
    return status[producer] == 1 ? producer : someUnfinished(thread.rank);
  }
  return none;
}

void Execution::reportStuck() {
  std::vector<uint32_t> stuck;
  for (uint32_t thread = 0; thread < status.size(); ++thread)
    if (status[thread] == 1)
      stuck.push_back(thread);
  bool root = false;
  for (uint32_t thread : stuck) {
    uint32_t word = blockedWord(thread);
    if (producerCount(word))
      continue;
    root = true;
    const Sync &wait = trace.syncs[nextSync[thread]];
    findings.report("unsatisfied", trace.opOf(wait), nullptr, [&](mlir::InFlightDiagnostic &diagnostic) {
      diagnostic << "waits for " << trace.describeWord(word) << ", which nothing raises, in "
                 << trace.describe(trace.threads[thread]);
      tile::SignalsOp grid = trace.program->grids[trace.program->syncs[wait.site].grid].op;
      diagnostic.attachNote(grid.getLoc()) << "the grid is declared here";
    });
  }
  // Who waits for such a wait is stuck as a consequence; a cycle needs no such wait.
  std::vector<uint8_t> visited(status.size(), 0);
  for (uint32_t thread : stuck) {
    std::vector<uint32_t> path;
    uint32_t at = thread;
    while (at != none && !visited[at]) {
      visited[at] = 1;
      path.push_back(at);
      at = blocker(at);
    }
    auto entry = llvm::find(path, at);
    if (at == none || entry == path.end())
      continue;
    reportCycle(ArrayRef<uint32_t>(path).drop_front(entry - path.begin()));
    return;
  }
  assert((root || stuck.empty()) && "a stuck execution has a cause");
}

void Execution::reportCycle(ArrayRef<uint32_t> cycle) {
  mlir::Operation *place = trace.opOf(trace.syncs[nextSync[cycle.front()]]);
  findings.report("cycle", place, nullptr, [&](mlir::InFlightDiagnostic &diagnostic) {
    auto text = [&](uint32_t thread) {
      uint32_t launch = streams[trace.threads[thread].rank].kernel / kernels;
      return trace.describe(trace.threads[thread]) + " in launch " + std::to_string(launch + 1) + " waits for " +
             trace.describeWord(blockedWord(thread));
    };
    diagnostic << "deadlock: " << text(cycle.front());
    for (uint32_t thread : cycle.drop_front())
      diagnostic.attachNote(trace.opOf(trace.syncs[nextSync[thread]])->getLoc()) << "which waits: " << text(thread);
    uint32_t sync = producers(blockedWord(cycle.back())).front();
    diagnostic.attachNote(trace.opOf(trace.syncs[sync])->getLoc())
        << "which would be raised by " << trace.describe(trace.threads[threadOfSync[sync]])
        << ", behind the first of these waits";
  });
}

/// What a wait knows is the largest solution of: what all the signals know that may satisfy it. A wait that went ahead
/// of some of them was taken to know what the others know. That is a solution, and the largest, when the signals that
/// came later know as much; they do in particular when they come after the wait.
std::vector<uint32_t> Execution::undecided() {
  std::vector<uint32_t> result;
  for (uint32_t wait : forced)
    if (states[wait].over && !clocks.includes(waitClock(wait), states[wait].clock))
      result.push_back(wait);
  return result;
}

/// From above to the largest solution: each run takes less for known than the one before, and never too little.
Execution::Assumptions Execution::settle(const Trace &trace, uint32_t launches) {
  Assumptions assumptions;
  std::vector<uint8_t> producers(size_t(trace.wordsPerRank) * trace.numRanks(), 0);
  bool several =
      any_of(trace.syncs, [&](const Sync &sync) { return sync.signal && !sync.counted && producers[sync.object]++; });
  for (unsigned run = 0; several; ++run) {
    Findings ignored(0);
    Execution attempt(trace, launches, ignored, assumptions);
    attempt.run([](uint32_t, uint32_t, uint32_t) {});
    std::vector<uint32_t> waits = attempt.undecided();
    if (waits.empty())
      break;
    Assumptions next = assumptions;
    for (uint32_t wait : waits) {
      // What takes too long to find out is not taken to be known: that is a solution too, if not the largest.
      Clock common = run < settleLimit ? attempt.waitClock(wait) : HappensBefore::nothing;
      next[wait] = {attempt.clocks.milestones(common).vec(), attempt.clocks.marks(common)};
    }
    assumptions = std::move(next);
  }
  return assumptions;
}

/// A word holds the epoch that was stored last: where several ranks raise it, the signals of one launch have to come
/// before those of the next, or a late one takes back what a wait is to see.
void Execution::checkLowered() {
  for (uint32_t word = 0; word < words; ++word) {
    ArrayRef<uint32_t> all = producers(word);
    auto rankOf = [&](uint32_t sync) { return trace.threads[threadOfSync[sync]].rank; };
    if (all_of(all, [&](uint32_t sync) { return rankOf(sync) == rankOf(all.front()); }))
      continue;
    for (uint32_t early : all)
      for (uint32_t late : all)
        for (uint32_t launch = 0; rankOf(early) != rankOf(late) && launch + 1 < launches; ++launch) {
          Event raised = clocks.whole(launch * trace.threads.size() + threadOfSync[early]);
          raised.cover = trace.syncs[early].number;
          Clock clock = syncClocks[(launch + 1) * trace.syncs.size() + late];
          if (clock != HappensBefore::nothing && !clocks.knows(clock, raised)) {
            reportLowered(early, late);
            break;
          }
        }
  }
}

void Execution::reportLowered(uint32_t early, uint32_t late) {
  const Sync &signal = trace.syncs[early];
  findings.report(
      "lowered", trace.opOf(signal), trace.opOf(trace.syncs[late]), [&](mlir::InFlightDiagnostic &diagnostic) {
        diagnostic << "may lower " << trace.describeWord(signal.object) << ": this signal, by "
                   << trace.describe(trace.threads[threadOfSync[early]])
                   << ", may come after that of the next launch by "
                   << trace.describe(trace.threads[threadOfSync[late]]);
        diagnostic.attachNote(trace.opOf(trace.syncs[late])->getLoc()) << "the signal of the next launch is here";
      });
}
