// Every access to scratch against those of earlier launches with other extents.
#include "passes/checker/ChangingExtents.h"
#include "passes/checker/Cells.h"
#include "passes/checker/Execution.h"
#include "passes/checker/LaunchSequence.h"

#include <map>

using namespace llvm;
using namespace tilec;
using namespace tilec::checker;

namespace {

class Changes {
public:
  /// `first`: how many of the parts are of the first sample; all of them run `rounds` times.
  Changes(const Trace &trace, const Execution &execution, size_t parts, size_t first, uint32_t rounds,
          const std::vector<bool> &moved, Findings &findings)
      : trace(trace), execution(execution), parts(parts), first(first), last(rounds * parts - 1), moved(moved),
        findings(findings), read(moved.size()) {
    for (const Access &access : trace.accesses)
      if (trace.program->accesses[access.site].reads)
        read[trace.boxes[access.box][0]] = true;
  }

  void visit(uint32_t launch, uint32_t thread, uint32_t access) {
    const Access &made = trace.accesses[access];
    uint32_t root = trace.boxes[made.box][0];
    const Root &buffer = trace.program->roots[root];
    if (findings.isDecided())
      return;
    // What nobody reads (an extent of 0 leaves loops empty) may be written in any order.
    if (buffer.argument || !read[root])
      return;
    uint32_t part = trace.partOf(trace.threads[thread]), number = launch * parts + part;
    Entry now{execution.event(launch, thread, access),
              trace.systemCover(thread, made.cover),
              launch,
              thread,
              access,
              number,
              part >= first};
    known.assign({execution.base(launch, thread)});
    execution.tokenClocks(launch, thread, access, known);
    std::vector<Launch> &launches = entries[{root, made.owner, number % buffer.copies}];
    for (Launch &earlier : launches)
      if (isApart(earlier, now) && !isOver(earlier.rank, earlier.milestone))
        for (Group &group : earlier.groups)
          if (mayConflict(group, now) && !isOver(earlier.rank, group.milestone))
            compare(earlier, group, now);
    // Launches further back are ordered by those in between, or have been reported.
    if (!launches.empty() && launches.front().number + 2 * parts < number)
      erase_if(launches, [&](const Launch &earlier) { return earlier.number + 2 * parts < number; });
    // Nothing comes behind the last one. A rank may be ahead of another: the same parts stand in the round before, too.
    if (number < last)
      add(launches, now);
  }

private:
  struct Entry {
    Event event;
    uint32_t farCover;
    uint32_t launch, thread, access;
    uint32_t number; ///< of the launch, those of all samples counted
    bool second;     ///< of the second sample
  };
  using Clock = HappensBefore::Clock;

  const AccessSite &site(const Entry &entry) const {
    return trace.program->accesses[trace.accesses[entry.access].site];
  }
  uint32_t boxOf(const Entry &entry) const { return trace.accesses[entry.access].box; }

  /// The accesses that one rank does at one place of the program in one launch: together they are over once the latest
  /// of them is.
  struct Group {
    uint32_t site = 0;
    uint32_t milestone = 0; ///< of its rank, at which all of them are over
    std::vector<Entry> entries;
    Interner kinds; ///< what no second entry adds anything to
    /// Entries by what they touch, as far as any access had to be compared with them.
    DenseMap<uint32_t, SmallVector<uint32_t, 2>> byCell;
    size_t numInCells = 0;
    /// What knows of the first entries, all of them, and on which rank.
    SmallVector<Clock, 4> knowing;
    uint32_t knowingRank = 0;
    size_t numKnown = 0;
  };

  /// Those at all places.
  struct Launch {
    uint32_t number = 0, rank = 0;
    bool second = false;
    uint32_t milestone = 0;
    std::vector<Group> groups;
  };

  /// True when a launch of the other sample is one of the two or lies between them.
  bool isApart(const Launch &earlier, const Entry &now) const {
    return earlier.second != now.second || earlier.number / parts != now.number / parts;
  }

  /// Whether a conflict of the two would be an error, and one that has not been reported.
  bool mayConflict(const Group &earlier, const Entry &now) const {
    const AccessSite &one = trace.program->accesses[earlier.site], &two = site(now);
    return (one.writes || two.writes) && !(one.kind && one.kind == two.kind) &&
           !findings.isKnown("changing", two.op, one.op);
  }

  /// True when what is over at a milestone of a rank is so by the milestones alone that this access knows: most is.
  bool isOver(uint32_t rank, uint32_t milestone) const {
    return any_of(known, [&](Clock clock) { return execution.order().reached(clock, rank) >= milestone; });
  }

  void compare(const Launch &earlier, Group &group, const Entry &now) {
    if (moved[trace.boxes[boxOf(now)][0]] && earlier.second != now.second)
      return compareAll(group, now);
    SmallVector<uint32_t> touched;
    for (uint32_t cell : allCells().of(boxOf(now)))
      llvm::append_range(touched, entriesAt(group, cell));
    llvm::sort(touched);
    touched.erase(llvm::unique(touched), touched.end());
    for (uint32_t at : touched)
      if (!isOrdered(group.entries[at], now))
        return report(group.entries[at], now);
  }

  /// Any two elements may lie at one place. Tasks that wait for all of a launch wait for the same, and what one of them
  /// knows the others need not be asked.
  void compareAll(Group &group, const Entry &now) {
    size_t at = group.knowing == known && group.knowingRank == now.event.rank ? group.numKnown : 0;
    bool isByTokens = true;
    for (; at < group.entries.size(); ++at) {
      if (knows(known, group.entries[at], now))
        continue;
      isByTokens = false;
      if (!isOrdered(group.entries[at], now))
        return report(group.entries[at], now);
    }
    if (!isByTokens)
      return;
    group.knowing = known;
    group.knowingRank = now.event.rank;
    group.numKnown = at;
  }

  ArrayRef<uint32_t> entriesAt(Group &group, uint32_t cell) {
    for (; group.numInCells < group.entries.size(); ++group.numInCells)
      for (uint32_t touched : allCells().of(boxOf(group.entries[group.numInCells])))
        group.byCell[touched].push_back(group.numInCells);
    auto it = group.byCell.find(cell);
    return it == group.byCell.end() ? ArrayRef<uint32_t>() : ArrayRef<uint32_t>(it->second);
  }

  /// Few sequences need them.
  const Cells &allCells() {
    if (!cells)
      cells.emplace(trace);
    return *cells;
  }

  /// Leaves out an access when an earlier one, over no sooner and touching as much, shows whatever it would show.
  void add(std::vector<Launch> &launches, const Entry &now) {
    // The latest launch has most of what comes.
    auto launch = find_if(reverse(launches), [&](const Launch &launch) {
      return launch.number == now.number && launch.rank == now.event.rank;
    });
    if (launch == launches.rend()) {
      launches.push_back({now.number, now.event.rank, now.second, 0, {}});
      launch = launches.rbegin();
    }
    const uint32_t place = trace.accesses[now.access].site;
    auto group = find_if(launch->groups, [&](const Group &group) { return group.site == place; });
    if (group == launch->groups.end()) {
      launch->groups.emplace_back().site = place;
      group = std::prev(launch->groups.end());
    }
    launch->milestone = std::max(launch->milestone, now.event.milestone);
    group->milestone = std::max(group->milestone, now.event.milestone);
    const int64_t kind[] = {now.event.cover, now.farCover, now.event.cover == Access::never ? -1 : int64_t(now.thread),
                            now.event.milestone, boxOf(now)};
    uint32_t known = group->kinds.size();
    if (group->kinds.intern(kind) == known)
      group->entries.push_back(now);
  }

  bool knows(ArrayRef<Clock> clocks, const Entry &earlier, const Entry &now) const {
    Event event = earlier.event;
    if (event.rank != now.event.rank)
      event.cover = earlier.farCover;
    return execution.order().knowsAny(clocks, event);
  }

  /// By its own tokens, or those of an earlier access of its task to the same elements.
  bool isOrdered(const Entry &earlier, const Entry &now) const {
    if (knows(known, earlier, now))
      return true;
    uint32_t owner = trace.accesses[now.access].owner;
    for (uint32_t access = trace.threads[now.thread].firstAccess; access < now.access; ++access) {
      if (trace.accesses[access].owner != owner || trace.accesses[access].box != boxOf(now))
        continue;
      SmallVector<Clock, 4> before{execution.base(now.launch, now.thread)};
      execution.tokenClocks(now.launch, now.thread, access, before);
      if (knows(before, earlier, now))
        return true;
    }
    return false;
  }

  void report(const Entry &earlier, const Entry &now) {
    const AccessSite &mine = site(now), &other = site(earlier);
    auto verb = [](const AccessSite &access) { return access.writes ? "write" : "read"; };
    mlir::Value buffer = trace.program->roots[trace.boxes[boxOf(now)][0]].value;
    findings.report("changing", mine.op, other.op, [&](mlir::InFlightDiagnostic &diagnostic) {
      auto name = dyn_cast<mlir::NameLoc>(buffer.getLoc());
      diagnostic << "data race when extents change: " << verb(mine) << " of "
                 << (name ? "'%" + name.getName().str() + "'" : "a buffer") << " on rank "
                 << trace.accesses[now.access].owner << ", by " << trace.describe(trace.threads[now.thread])
                 << ", is not ordered after the " << verb(other) << " by "
                 << trace.describe(trace.threads[earlier.thread]) << ", " << now.number - earlier.number
                 << (now.number - earlier.number == 1 ? " launch" : " launches") << " earlier";
      if (moved[trace.boxes[boxOf(now)][0]] && earlier.second != now.second)
        diagnostic.attachNote(buffer.getLoc())
            << "the extents lay out the buffer anew: any two of its elements may lie at one address";
      diagnostic.attachNote(other.op->getLoc()) << "the " << verb(other) << " is here";
    });
  }

  const Trace &trace;
  const Execution &execution;
  size_t parts, first, last;
  const std::vector<bool> &moved; ///< [root]: the two samples lay it out differently
  Findings &findings;
  std::vector<bool> read;                                                          ///< [root]
  std::optional<Cells> cells;                                                      ///< of all launches
  SmallVector<Clock, 4> known;                                                     ///< by the access that is visited
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::vector<Launch>> entries; ///< by root, owner, copy
};

/// True when launches have to do with each other's scratch or words at all.
bool meet(const Trace &trace) {
  bool lags = any_of(trace.waits, [](const WaitBox &box) { return box.lag > 0; });
  return lags || any_of(trace.threads, [&](const Thread &thread) {
           for (uint32_t i = thread.firstAccess; i < thread.endAccess; ++i)
             if (trace.accesses[i].owner != thread.rank &&
                 !trace.program->roots[trace.boxes[trace.accesses[i].box][0]].argument)
               return true;
           return false;
         });
}

size_t mostCopies(const ProgramCode &program) {
  size_t copies = 1;
  for (const Root &root : program.roots)
    copies = std::max<size_t>(copies, root.copies);
  return copies;
}

/// As many launches of `one` as a buffer has copies at most, then `otherLaunches` of `other` or as many again, and all
/// of that twice at least.
void checkSequence(const Trace &one, const Trace &other, std::optional<size_t> otherLaunches, const std::string &text,
                   const std::string &otherText, Findings &findings) {
  const size_t copies = mostCopies(*one.program);
  std::vector<bool> moved;
  for (auto [root, a, b] : zip(one.program->roots, one.rootSizes, other.rootSizes)) {
    auto alloc = root.value.getDefiningOp<tile::AllocOp>();
    bool stays = alloc && alloc.getPersistent();
    moved.push_back(!stays && !equal(drop_begin(a, a.empty() ? 0 : 1), drop_begin(b, b.empty() ? 0 : 1)));
  }
  std::vector<const Trace *> parts(copies, &one);
  parts.resize(copies + otherLaunches.value_or(copies), &other);
  std::vector<std::string> texts(copies, text);
  texts.resize(parts.size(), otherText);
  Trace sequence = sequenceOf(parts, texts);
  uint32_t rounds = 2;
  for (const WaitBox &box : sequence.waits)
    rounds = std::max(rounds, box.lag + 1);
  Execution execution(sequence, rounds, findings);
  Changes changes(sequence, execution, parts.size(), copies, rounds, moved, findings);
  execution.run([&](uint32_t launch, uint32_t thread, uint32_t access) { changes.visit(launch, thread, access); });
}

} // namespace

void tilec::checker::checkChangingExtents(const Trace &before, const Trace &after, const std::string &beforeText,
                                          const std::string &afterText, Findings &findings) {
  if (!meet(before) && !meet(after))
    return;
  checkSequence(before, after, std::nullopt, beforeText, afterText, findings);
  // One launch alone between others orders less than several.
  if (findings.empty() && mostCopies(*before.program) > 1)
    checkSequence(before, after, 1, beforeText, afterText, findings);
  if (findings.empty())
    checkSequence(after, before, 1, afterText, beforeText, findings);
}

bool tilec::checker::canInterpose(const Trace &full, const Trace &empty) {
  Findings silent = Findings::silent();
  if (meet(full) || meet(empty))
    checkSequence(full, empty, 1, "", "", silent);
  return silent.empty();
}
