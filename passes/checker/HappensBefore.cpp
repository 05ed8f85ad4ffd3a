// Joins and queries of clocks.
#include "passes/checker/HappensBefore.h"

using namespace llvm;
using namespace tilec::checker;

/// Clocks with more marks than this are included by reference, so that what a barrier or a chain of tasks knows is
/// stored once.
static constexpr size_t copyLimit = 32;
/// With more references than this the marks of the smaller ones are copied, so that a query stays short. A clock of a
/// chain then copies a mark as often as its list doubles, not once for each clock behind it.
static constexpr size_t referenceLimit = 8;

uint32_t HappensBefore::find(ArrayRef<Mark> marks, uint32_t thread) {
  auto *at = llvm::lower_bound(marks, thread, [](const Mark &mark, uint32_t key) { return mark.thread < key; });
  return at != marks.end() && at->thread == thread ? at->signals : 0;
}

/// The lists that are put together have most of their marks in common: they are counted before they are sorted.
void HappensBefore::normalise(std::vector<Mark> &marks, ArrayRef<uint32_t> milestones) {
  size_t kept = 0;
  for (const Mark &mark : marks) {
    uint32_t &signals = latest[mark.thread];
    if (signals == 0)
      marks[kept++].thread = mark.thread;
    signals = std::max(signals, mark.signals);
  }
  marks.resize(kept);
  for (Mark &mark : marks)
    mark.signals = std::exchange(latest[mark.thread], 0);
  llvm::erase_if(marks, [&](const Mark &mark) {
    Event ended = whole(mark.thread);
    return milestones[ended.rank] >= ended.milestone;
  });
  llvm::sort(marks, [](const Mark &a, const Mark &b) { return a.thread < b.thread; });
}

/// All that a clock knows by marks, those of the clocks that it includes too.
void HappensBefore::appendMarks(std::vector<Mark> &marks, const Node &node) const {
  llvm::append_range(marks, ownMarks(node));
  for (Clock reference : includedClocks(node))
    llvm::append_range(marks, ownMarks(nodes[reference]));
  if (node.signal.signals)
    marks.push_back(node.signal);
}

HappensBefore::Clock HappensBefore::makeClock(std::vector<uint32_t> milestones, std::vector<Mark> marks,
                                              ArrayRef<Clock> included) {
  SmallVector<Clock> references;
  size_t most = marks.size();
  for (Clock clock : included)
    most += std::min(ownMarks(nodes[clock]).size(), copyLimit) + 1;
  marks.reserve(most);
  for (Clock clock : included) {
    join(milestones, this->milestones(clock));
    const Node &node = nodes[clock];
    ArrayRef<Mark> own = ownMarks(node);
    if (own.size() <= copyLimit)
      marks.insert(marks.end(), own.begin(), own.end());
    else
      references.push_back(node.first);
    if (node.signal.signals)
      marks.push_back(node.signal);
    llvm::append_range(references, includedClocks(node));
  }
  llvm::sort(references);
  references.erase(llvm::unique(references), references.end());
  if (references.size() > referenceLimit) {
    llvm::stable_sort(references,
                      [&](Clock a, Clock b) { return ownMarks(nodes[a]).size() > ownMarks(nodes[b]).size(); });
    for (Clock clock : llvm::drop_begin(references, referenceLimit / 2))
      llvm::append_range(marks, ownMarks(nodes[clock]));
    references.truncate(referenceLimit / 2);
  }
  normalise(marks, milestones);
  Node node{markPool.size(), 0, includedPool.size(), 0, size(), {}};
  llvm::append_range(markPool, marks);
  node.end = markPool.size();
  llvm::append_range(includedPool, references);
  node.endIncluded = includedPool.size();
  llvm::append_range(reachedPool, milestones);
  nodes.push_back(node);
  return nodes.size() - 1;
}

HappensBefore::Clock HappensBefore::makeSignal(Clock clock, Mark mark) {
  Node node = nodes[clock];
  node.signal = mark;
  reachedPool.resize(reachedPool.size() + ranks);
  std::copy_n(reachedPool.begin() + size_t(clock) * ranks, ranks, reachedPool.end() - ranks);
  nodes.push_back(node);
  return nodes.size() - 1;
}

void HappensBefore::setMilestone(uint32_t rank, uint32_t milestone, Clock clock) {
  std::vector<Mark> marks = endMarks[ends[rank][milestone - 1]];
  const Node &node = nodes[clock];
  appendMarks(marks, node);
  std::vector<uint32_t> known = milestones(clock).vec();
  known[rank] = milestone;
  normalise(marks, known);
  if (marks.size() == endMarks[ends[rank][milestone - 1]].size() && node.begin == node.end &&
      node.beginIncluded == node.endIncluded && node.signal.signals == 0) {
    ends[rank][milestone] = ends[rank][milestone - 1];
    return;
  }
  ends[rank][milestone] = endMarks.size();
  endMarks.push_back(std::move(marks));
}

uint32_t HappensBefore::signalsKnown(Clock clock, uint32_t thread) const {
  const Node &node = nodes[clock];
  uint32_t known = listed(node, thread);
  // References of references were copied in when the clock was made: one level is all there is.
  for (Clock reference : includedClocks(node))
    known = std::max(known, find(ownMarks(nodes[reference]), thread));
  for (uint32_t rank = 0; rank < ranks; ++rank)
    if (const std::vector<Mark> &marks = endMarks[ends[rank][reached(clock, rank)]]; !marks.empty())
      known = std::max(known, find(marks, thread));
  return known;
}

HappensBefore::Clock HappensBefore::makeCommon(ArrayRef<Clock> clocks) {
  std::vector<uint32_t> least(milestones(clocks[0]));
  for (Clock clock : clocks)
    for (uint32_t rank = 0; rank < ranks; ++rank)
      least[rank] = std::min(least[rank], reached(clock, rank));
  // A mark that one clock knows by a milestone which all of them know needs no mark of its own.
  std::vector<Mark> candidates;
  for (Clock clock : clocks) {
    appendMarks(candidates, nodes[clock]);
    for (uint32_t rank = 0; rank < ranks; ++rank)
      if (reached(clock, rank) > least[rank])
        llvm::append_range(candidates, endMarks[ends[rank][reached(clock, rank)]]);
  }
  normalise(candidates, least);
  std::vector<Mark> marks;
  for (Mark mark : candidates) {
    Event ended = whole(mark.thread);
    for (Clock clock : clocks)
      if (reached(clock, ended.rank) < ended.milestone)
        mark.signals = std::min(mark.signals, signalsKnown(clock, mark.thread));
    if (mark.signals)
      marks.push_back(mark);
  }
  return makeClock(std::move(least), std::move(marks), {});
}

bool HappensBefore::includes(Clock all, Clock part) const {
  for (uint32_t rank = 0; rank < ranks; ++rank)
    if (reached(all, rank) < reached(part, rank))
      return false;
  auto isKnown = [&](const Mark &mark) {
    Event event = whole(mark.thread);
    event.cover = mark.signals;
    return knows(all, event);
  };
  std::vector<Mark> marks;
  appendMarks(marks, nodes[part]);
  return all_of(marks, isKnown);
}

std::vector<Mark> HappensBefore::marks(Clock clock) {
  std::vector<Mark> result;
  appendMarks(result, nodes[clock]);
  normalise(result, milestones(clock));
  return result;
}
