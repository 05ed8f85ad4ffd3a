// Compares boxes of elements, and where they meet, who holds them.
#include "passes/analysis/Meetings.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

static bool overlap(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  for (size_t at = 1; at < a.size(); at += 3) {
    int64_t lastA = a[at] + (a[at + 1] - 1) * a[at + 2], lastB = b[at] + (b[at + 1] - 1) * b[at + 2];
    if (lastA < b[at] || lastB < a[at])
      return false;
    if (a[at + 2] == b[at + 2] && (a[at] - b[at]) % a[at + 2] != 0)
      return false;
  }
  return true;
}

/// Whether a box lies apart from a hull, and the hull with it.
static bool extend(SmallVectorImpl<int64_t> &hull, ArrayRef<int64_t> box) {
  bool isApart = hull.empty();
  hull.resize(2 * (box.size() / 3));
  for (size_t at = 1, to = 0; at < box.size(); at += 3, to += 2) {
    int64_t first = box[at], end = box[at] + (box[at + 1] - 1) * box[at + 2] + 1;
    if (hull[to + 1] == 0) { // nothing ends at 0: the first box
      hull[to] = first;
      hull[to + 1] = end;
      continue;
    }
    isApart |= end <= hull[to] || hull[to + 1] <= first;
    hull[to] = std::min(hull[to], first);
    hull[to + 1] = std::max(hull[to + 1], end);
  }
  return isApart;
}

void Meetings::access(uint32_t number, int64_t owner, ArrayRef<int64_t> box, ArrayRef<int64_t> starts) {
  const AccessSite &site = program.accesses[number];
  Touched now{number, llvm::SmallVector<int64_t, 13>(box), {}};
  for (int64_t start : starts)
    now.clipped.push_back(std::max<int64_t>(-start, 0));
  Buffer &buffer = pending[{box[0], owner}];
  if (!extend(buffer.hull, box)) {
    compare(buffer.writes, now);
    if (site.writes)
      compare(buffer.reads, now);
  }
  (site.writes ? buffer.writes : buffer.reads).push_back(std::move(now));
}

/// The same tile, whose elements have one thread each. Of threads that hold the same element, all load it and one
/// stores it.
bool Meetings::isByOneThread(const Touched &a, const Touched &b) const {
  const AccessSite &siteA = program.accesses[a.site], &siteB = program.accesses[b.site];
  return siteA.tile && siteA.tile == siteB.tile && a.box == b.box && a.clipped == b.clipped &&
         program.views[siteA.view].dropped == program.views[siteB.view].dropped;
}

void Meetings::compare(const std::vector<Touched> &earlier, const Touched &now) {
  uint32_t kind = program.accesses[now.site].kind;
  for (const Touched &other : earlier)
    if ((!kind || kind != program.accesses[other.site].kind) && overlap(other.box, now.box) &&
        !isByOneThread(other, now))
      report(other, now);
}

void Meetings::report(const Touched &earlier, const Touched &now) {
  Operation *op = program.accesses[now.site].op, *other = program.accesses[earlier.site].op;
  findings.report("meeting", op, other, [&](InFlightDiagnostic &diagnostic) {
    diagnostic << (program.accesses[now.site].writes ? "stores" : "loads") << " what another thread of the workgroup "
               << (program.accesses[earlier.site].writes ? "has stored" : "may still load") << ", in " << describe()
               << ": expected a 'hip.barrier' between the two";
    diagnostic.attachNote(other->getLoc()) << "the earlier access is here";
  });
}
