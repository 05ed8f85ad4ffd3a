// Every access to scratch against those of earlier launches with other extents.
#include "passes/checker/ChangingExtents.h"
#include "passes/checker/Execution.h"
#include "passes/checker/LaunchSequence.h"

#include <map>

using namespace llvm;
using namespace tilec;
using namespace tilec::checker;

namespace {

class Changes {
public:
  /// `first`: how many of the parts are of the first sample.
  Changes(const Trace &trace, const Execution &execution, size_t parts, size_t first, const std::vector<bool> &moved,
          Findings &findings)
      : trace(trace), execution(execution), parts(parts), first(first), moved(moved), findings(findings),
        read(moved.size()) {
    for (const Access &access : trace.accesses)
      if (trace.program->accesses[access.site].reads)
        read[trace.boxes[access.box][0]] = true;
  }

  void visit(uint32_t launch, uint32_t thread, uint32_t access) {
    const Access &made = trace.accesses[access];
    uint32_t root = trace.boxes[made.box][0];
    const Root &buffer = trace.program->roots[root];
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
    std::vector<Group> &groups = entries[{root, made.owner, number % buffer.copies}];
    SmallVector<Clock, 4> known{execution.base(launch, thread)};
    execution.tokenClocks(launch, thread, access, known);
    for (const Group &group : groups)
      if (isApart(group, now) && !isOver(group, known))
        for (const Entry &earlier : group.entries)
          if (conflicts(earlier, now) && !isOrdered(earlier, now))
            report(earlier, now);
    // Launches further back are ordered by those in between, or have been reported.
    if (!groups.empty() && groups.front().number + 2 * parts < number)
      erase_if(groups, [&](const Group &group) { return group.number + 2 * parts < number; });
    add(groups, now);
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

  /// The accesses of one launch by one rank: together they are over once the latest of them is.
  struct Group {
    uint32_t number, rank;
    bool second;
    uint32_t milestone; ///< of its rank, at which all of them are over
    std::vector<Entry> entries;
    Interner kinds; ///< what no second entry adds anything to
  };

  /// True when a launch of the other sample is one of the two or lies between them.
  bool isApart(const Group &earlier, const Entry &now) const {
    return earlier.second != now.second || earlier.number / parts != now.number / parts;
  }

  /// True when the accesses of a launch are all over by the milestones alone that an access knows: most are.
  bool isOver(const Group &earlier, ArrayRef<Clock> known) const {
    return any_of(known,
                  [&](Clock clock) { return execution.order().reached(clock, earlier.rank) >= earlier.milestone; });
  }

  /// Leaves out an access when an earlier one, over no sooner and touching as much, shows whatever it would show.
  void add(std::vector<Group> &groups, const Entry &now) {
    // The latest launch has most of what comes.
    auto group = find_if(reverse(groups), [&](const Group &group) {
      return group.number == now.number && group.rank == now.event.rank;
    });
    if (group == groups.rend()) {
      groups.push_back({now.number, now.event.rank, now.second, 0, {}, {}});
      group = groups.rbegin();
    }
    group->milestone = std::max(group->milestone, now.event.milestone);
    const int64_t kind[] = {
        now.event.cover,     now.farCover,     now.event.cover == Access::never ? -1 : int64_t(now.thread),
        now.event.milestone, site(now).writes, site(now).kind,
        boxOf(now)};
    uint32_t known = group->kinds.size();
    if (group->kinds.intern(kind) == known)
      group->entries.push_back(now);
  }

  bool conflicts(const Entry &earlier, const Entry &now) const {
    const AccessSite &one = site(earlier), &two = site(now);
    if ((!one.writes && !two.writes) || (one.kind && one.kind == two.kind))
      return false;
    ArrayRef<int64_t> a = trace.boxes[boxOf(earlier)], b = trace.boxes[boxOf(now)];
    if (moved[a[0]] && earlier.second != now.second)
      return true;
    for (size_t dim = 1; dim < a.size(); dim += 3)
      if (a[dim] + (a[dim + 1] - 1) * a[dim + 2] < b[dim] || b[dim] + (b[dim + 1] - 1) * b[dim + 2] < a[dim])
        return false;
    return true;
  }

  bool isOrdered(const Entry &earlier, const Entry &now) const {
    Event event = earlier.event;
    if (event.rank != now.event.rank)
      event.cover = earlier.farCover;
    uint32_t owner = trace.accesses[now.access].owner;
    // By its own tokens, or those of an earlier access of its task to the same elements.
    for (uint32_t access = trace.threads[now.thread].firstAccess; access <= now.access; ++access) {
      const Access &other = trace.accesses[access];
      if (access != now.access && (other.owner != owner || other.box != boxOf(now)))
        continue;
      SmallVector<Clock, 4> known{execution.base(now.launch, now.thread)};
      execution.tokenClocks(now.launch, now.thread, access, known);
      if (execution.order().knowsAny(known, event))
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
            << "the extents lay out the buffer anew: any two of its elements may meet";
      diagnostic.attachNote(other.op->getLoc()) << "the " << verb(other) << " is here";
    });
  }

  const Trace &trace;
  const Execution &execution;
  size_t parts, first;
  const std::vector<bool> &moved; ///< [root]: the two samples lay it out differently
  Findings &findings;
  std::vector<bool> read;                                                         ///< [root]
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::vector<Group>> entries; ///< by root, owner, copy
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
  Changes changes(sequence, execution, parts.size(), copies, moved, findings);
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
  Findings silent(0);
  if (meet(full) || meet(empty))
    checkSequence(full, empty, 1, "", "", silent);
  return silent.empty();
}
