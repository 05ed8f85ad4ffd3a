// Joins and queries of clocks.
#include "passes/checker/HappensBefore.h"

#include "llvm/Support/xxhash.h"

#include <map>

using namespace llvm;
using namespace tilec::checker;

uint32_t HappensBefore::find(ArrayRef<Mark> marks, uint32_t thread) {
  auto *at = llvm::lower_bound(marks, thread, [](const Mark &mark, uint32_t key) { return mark.thread < key; });
  return at != marks.end() && at->thread == thread ? at->signals : 0;
}

void HappensBefore::normalise(std::vector<Mark> &marks, ArrayRef<uint32_t> milestones) const {
  llvm::erase_if(marks, [&](const Mark &mark) { return isOver(mark.thread, milestones); });
  llvm::sort(marks, [](const Mark &a, const Mark &b) {
    return a.thread != b.thread ? a.thread < b.thread : a.signals > b.signals;
  });
  auto isSame = [](const Mark &a, const Mark &b) { return a.thread == b.thread; };
  marks.erase(std::unique(marks.begin(), marks.end(), isSame), marks.end());
}

//===-- making clocks
//-----------------------------------------------------------------------------------------------===//

/// Where such milestones lie. There is a clock for each signal, and most know the same: with a copy for each, memory
/// would grow with the third power of the ranks.
size_t HappensBefore::place(ArrayRef<uint32_t> milestones) {
  const uint64_t hash = xxh3_64bits(
      ArrayRef<uint8_t>(reinterpret_cast<const uint8_t *>(milestones.data()), milestones.size() * sizeof(uint32_t)));
  auto [known, isNew] = reachedOf.try_emplace(hash & ~(uint64_t(3) << 62), reachedPool.size());
  if (!isNew && ArrayRef<uint32_t>(reachedPool).slice(known->second, ranks) == milestones)
    return known->second;
  const size_t begin = reachedPool.size();
  llvm::append_range(reachedPool, milestones);
  return begin;
}

HappensBefore::Clock HappensBefore::makeClock(std::vector<uint32_t> milestones, std::vector<Mark> marks,
                                              ArrayRef<Clock> included) {
  const size_t beginIncluded = includedPool.size();
  size_t joined = reachedPool.size(); // none
  for (Clock clock : included) {
    const Node &node = nodes[clock];
    if (node.reached != joined)
      join(milestones, this->milestones(clock));
    joined = node.reached;
    if (node.isEmpty())
      continue;
    includedPool.push_back(clock);
    if (node.signal.signals)
      marks.push_back(node.signal);
  }
  std::sort(includedPool.begin() + beginIncluded, includedPool.end());
  includedPool.erase(std::unique(includedPool.begin() + beginIncluded, includedPool.end()), includedPool.end());
  normalise(marks, milestones);
  for (const Mark &mark : marks)
    if (firsts[mark.thread] == nothing)
      firsts[mark.thread] = size();
  nodes.push_back(
      {markPool.size(), markPool.size() + marks.size(), beginIncluded, includedPool.size(), {}, place(milestones)});
  llvm::append_range(markPool, marks);
  return nodes.size() - 1;
}

HappensBefore::Clock HappensBefore::makeSignal(Clock clock, Mark mark) {
  Node node = nodes[clock];
  node.signal = mark;
  if (firsts[mark.thread] == nothing)
    firsts[mark.thread] = size();
  nodes.push_back(node);
  return nodes.size() - 1;
}

void HappensBefore::setMilestone(uint32_t rank, uint32_t milestone, Clock clock) {
  const Clock before = ends[rank][milestone - 1];
  ends[rank][milestone] = nodes[clock].isEmpty() ? before : makeClock(milestones(clock).vec(), {}, {clock, before});
}

HappensBefore::Clock HappensBefore::makeCommon(ArrayRef<Clock> clocks) {
  std::vector<uint32_t> least(milestones(clocks[0]));
  for (Clock clock : clocks)
    for (uint32_t rank = 0; rank < ranks; ++rank)
      least[rank] = std::min(least[rank], reached(clock, rank));
  // A mark that one clock knows by a milestone which all of them know needs no mark of its own. Of those that know the
  // same milestones, all or none know a thread by one: so they are counted together, and not asked one by one.
  struct Alike {
    uint32_t clocks = 0;
    DenseMap<uint32_t, std::pair<uint32_t, uint32_t>> marks; ///< of a thread: how many have one, the fewest signals
  };
  std::map<std::vector<uint32_t>, Alike> groups;
  std::vector<Mark> candidates, marks;
  for (Clock clock : clocks) {
    Alike &alike = groups[milestones(clock).vec()];
    ++alike.clocks;
    for (Mark mark : marksBeyond(clock, least)) {
      auto &[count, fewest] = alike.marks.try_emplace(mark.thread, 0, mark.signals).first->second;
      ++count;
      fewest = std::min(fewest, mark.signals);
      candidates.push_back(mark);
    }
  }
  normalise(candidates, least);
  for (Mark mark : candidates) {
    for (const auto &[reached, alike] : groups) {
      if (isOver(mark.thread, reached))
        continue;
      auto [count, fewest] = alike.marks.lookup(mark.thread);
      mark.signals = count == alike.clocks ? std::min(mark.signals, fewest) : 0;
    }
    if (mark.signals)
      marks.push_back(mark);
  }
  return makeClock(std::move(least), std::move(marks), {});
}

//===-- queries
//-----------------------------------------------------------------------------------------------------===//

bool HappensBefore::knowsDirectly(Clock clock, const Event &event) const {
  if (reached(clock, event.rank) >= event.milestone)
    return true;
  const Node &node = nodes[clock];
  return event.cover != Access::never && ((node.signal.thread == event.thread && node.signal.signals >= event.cover) ||
                                          find(ownMarks(node), event.thread) >= event.cover);
}

bool HappensBefore::knowsAny(ArrayRef<Clock> clocks, const Event &event) const {
  for (Clock clock : clocks)
    if (knowsDirectly(clock, event))
      return true;
  const Clock first = firsts[event.thread];
  if (event.cover == Access::never || first == nothing)
    return false;
  if (search.clocks != clocks)
    beginSearch(clocks);
  const Found &state = found[event.thread];
  auto isFound = [&] { return state.search == search.number && state.signals >= event.cover; };
  while (!isFound() && !search.pending.empty() && search.pending.front() >= first) {
    Clock next = search.pending.front();
    std::pop_heap(search.pending.begin(), search.pending.end());
    search.pending.pop_back();
    lookInto(next);
  }
  return isFound();
}

void HappensBefore::beginSearch(ArrayRef<Clock> clocks) const {
  search.clocks.assign(clocks.begin(), clocks.end());
  search.pending.clear();
  search.visited.resize(nodes.size(), 0);
  ++search.number;
  for (Clock clock : clocks) {
    see(clock);
    for (uint32_t rank = 0; rank < ranks; ++rank)
      see(ends[rank][reached(clock, rank)]);
  }
}

void HappensBefore::see(Clock clock) const {
  if (clock == nothing || std::exchange(search.visited[clock], search.number) == search.number)
    return;
  search.pending.push_back(clock);
  std::push_heap(search.pending.begin(), search.pending.end());
}

void HappensBefore::lookInto(Clock clock) const {
  const Node &node = nodes[clock];
  auto note = [&](const Mark &mark) {
    Found &state = found[mark.thread];
    state = {search.number, state.search == search.number ? std::max(state.signals, mark.signals) : mark.signals};
  };
  llvm::for_each(ownMarks(node), note);
  if (node.signal.signals)
    note(node.signal);
  llvm::for_each(includedClocks(node), [&](Clock included) { see(included); });
}

/// A thread that is over has told no more than its kernel's milestone tells, which is looked through as well.
std::vector<Mark> HappensBefore::marksBeyond(Clock clock, ArrayRef<uint32_t> milestones) const {
  std::vector<Mark> marks;
  beginSearch(clock);
  while (!search.pending.empty()) {
    const Node &node = nodes[search.pending.back()];
    search.pending.pop_back();
    llvm::append_range(marks, ownMarks(node));
    if (node.signal.signals && isOver(node.signal.thread, milestones))
      continue;
    if (node.signal.signals)
      marks.push_back(node.signal);
    for (Clock included : includedClocks(node))
      if (std::exchange(search.visited[included], search.number) != search.number)
        search.pending.push_back(included);
  }
  search.clocks.clear();
  normalise(marks, milestones);
  return marks;
}

bool HappensBefore::includes(Clock all, Clock part) const {
  for (uint32_t rank = 0; rank < ranks; ++rank)
    if (reached(all, rank) < reached(part, rank))
      return false;
  return all_of(marks(part), [&](const Mark &mark) {
    Event event = whole(mark.thread);
    event.cover = mark.signals;
    return knows(all, event);
  });
}
