// A rank that has begun a launch has its earlier ones behind it, whatever they did. So an access that comes after all
// peers have begun its launch comes after all that they did in earlier launches.
#include "passes/checker/LaunchesApart.h"

using namespace llvm;
using namespace tilec::checker;

LaunchesApart::LaunchesApart(const Trace &trace)
    : program(trace.program), gridSizes(trace.gridSizes), ranks(trace.numRanks()), wordsPerRank(trace.wordsPerRank),
      table(program->roots.size() * ranks * ranks), reads(program->roots.size()), writes(program->roots.size()),
      raised(wordsPerRank * ranks) {
  for (const Access &access : trace.accesses) {
    const AccessSite &site = program->accesses[access.site];
    uint32_t root = trace.boxes[access.box][0];
    reads[root] = reads[root] || site.reads;
    writes[root] = writes[root] || site.writes;
  }
  noteWords(trace);
}

void LaunchesApart::noteWords(const Trace &trace) {
  std::vector<uint32_t> raiser(raised.size());
  for (const Thread &thread : trace.threads)
    for (uint32_t i = thread.firstSync; i < thread.endSync; ++i) {
      uint32_t word = trace.syncs[i].object;
      if (!trace.syncs[i].signal)
        continue;
      hasSharedWords |= raised.test(word) && raiser[word] != thread.rank;
      raised.set(word);
      raiser[word] = thread.rank;
    }
  for (const WaitBox &box : trace.waits)
    for (uint32_t i = box.begin; box.lag > 0 && i < box.end; ++i)
      earlierWords.push_back(wordOf(trace.boxWords[i]));
}

LaunchesApart::Word LaunchesApart::wordOf(uint32_t word) const {
  uint32_t grid = 0, place = word % wordsPerRank;
  for (uint32_t count; place >= (count = numWords(grid)); ++grid)
    place -= count;
  return {word / wordsPerRank, grid, place};
}

uint32_t LaunchesApart::numWords(uint32_t grid) const {
  uint32_t count = 1;
  for (int64_t size : gridSizes[grid])
    count *= std::max<int64_t>(size, 0);
  return count;
}

void LaunchesApart::visit(const Execution &execution, const Trace &trace, uint32_t launch, uint32_t thread,
                          uint32_t access) {
  const Access &made = trace.accesses[access];
  uint32_t root = trace.boxes[made.box][0], rank = trace.threads[thread].rank;
  if (launch > 0 || program->roots[root].argument || !reads[root] || !writes[root])
    return;
  Accesses &all = table[(size_t(root) * ranks + made.owner) * ranks + rank];
  if (!all.any)
    all.begun.resize(ranks, true);
  all.any = true;
  SmallVector<HappensBefore::Clock, 4> known{execution.base(launch, thread)};
  execution.tokenClocks(launch, thread, access, known);
  for (uint32_t peer : all.begun.set_bits())
    if (none_of(known, [&](auto clock) { return execution.knowsBegun(clock, launch, peer); }))
      all.begun.reset(peer);
}

void LaunchesApart::finish(const Execution &execution) {
  allBegin = execution.isComplete();
  for (uint32_t rank = 0; rank < ranks && allBegin; ++rank)
    for (uint32_t peer = 0; peer < ranks; ++peer)
      allBegin &= execution.knowsBegun(execution.completion(0, rank), 0, peer);
}

/// A wait for a word of an earlier launch is satisfied when that launch raises it, whichever extents it has.
bool LaunchesApart::findsWords(const LaunchesApart &other) const {
  return all_of(earlierWords, [&](const Word &word) {
    if (gridSizes[word.grid] != other.gridSizes[word.grid])
      return false;
    uint32_t first = 0;
    for (uint32_t grid = 0; grid < word.grid; ++grid)
      first += other.numWords(grid);
    return other.raised.test(word.rank * other.wordsPerRank + first + word.place);
  });
}

/// The accesses of a rank in a launch, against those of all peers in earlier ones. Where a buffer has several copies,
/// the same copy was last used two launches ago at the earliest: it is enough that the launch before ended after all
/// peers had begun it.
bool LaunchesApart::comesLater(const LaunchesApart &earlier, uint32_t root, uint32_t owner, uint32_t rank) const {
  const Accesses &mine = accesses(root, owner, rank);
  if (!mine.any || (program->roots[root].copies > 1 && allBegin && earlier.allBegin))
    return true;
  for (uint32_t peer = 0; peer < ranks; ++peer)
    if ((accesses(root, owner, peer).any || earlier.accesses(root, owner, peer).any) && !mine.begun.test(peer) &&
        peer != rank)
      return false;
  return true;
}

bool LaunchesApart::areKept(const LaunchesApart &one, const LaunchesApart &other) {
  if (one.hasSharedWords || other.hasSharedWords)
    return false;
  if (!one.findsWords(one) || !one.findsWords(other) || !other.findsWords(one) || !other.findsWords(other))
    return false;
  for (uint32_t root = 0; root < one.reads.size(); ++root)
    for (uint32_t owner = 0; owner < one.ranks; ++owner)
      for (uint32_t rank = 0; rank < one.ranks; ++rank)
        if (!one.comesLater(other, root, owner, rank) || !other.comesLater(one, root, owner, rank))
          return false;
  return true;
}
