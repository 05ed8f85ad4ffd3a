// Compares boxes of elements, and where they meet, who holds them.
#include "passes/checker/Meetings.h"

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

static int64_t lastOf(ArrayRef<int64_t> box, size_t at) { return box[at] + (box[at + 1] - 1) * box[at + 2]; }

/// Calls `visit` with a hash of each cell that a box covers, and says so, unless there are more than `most`.
static bool forEachCell(ArrayRef<int64_t> box, ArrayRef<int64_t> shifts, uint64_t most,
                        llvm::function_ref<void(uint64_t)> visit) {
  SmallVector<int64_t, 4> first, last;
  uint64_t count = 1;
  for (auto [d, shift] : llvm::enumerate(shifts)) {
    first.push_back(box[1 + 3 * d] >> shift);
    last.push_back(lastOf(box, 1 + 3 * d) >> shift);
    count = llvm::SaturatingMultiply<uint64_t>(count, last.back() - first.back() + 1);
  }
  if (count > most)
    return false;
  SmallVector<int64_t, 4> cell = first;
  for (uint64_t i = 0; i < count; ++i) {
    visit(llvm::hash_combine_range(cell.begin(), cell.end()));
    for (size_t d = cell.size(); d > 0 && ++cell[d - 1] > last[d - 1]; --d)
      cell[d - 1] = first[d - 1];
  }
  return true;
}

void Meetings::Boxes::place(uint32_t number) {
  ArrayRef<int64_t> box = all[number].box;
  SmallVector<int64_t, 4> shifts;
  for (size_t at = 1; at < box.size(); at += 3)
    shifts.push_back(llvm::Log2_64_Ceil(lastOf(box, at) - box[at] + 1));
  Grid &grid = grids[shifts];
  bool isKnown = false;
  forEachCell(box, shifts, ~uint64_t(0), [&](uint64_t cell) {
    SmallVector<uint32_t, 2> &list = grid.cells[cell];
    isKnown |= llvm::any_of(list, [&](uint32_t other) { return all[other] == all[number]; });
    if (!isKnown)
      list.push_back(number);
  });
  if (!isKnown)
    grid.members.push_back(number);
}

void Meetings::Boxes::forEachNear(ArrayRef<int64_t> box, llvm::function_ref<void(const Touched &)> visit) {
  constexpr size_t few = 16;
  if (all.size() <= few) {
    for (const Touched &touched : all)
      visit(touched);
    return;
  }
  while (numPlaced < all.size())
    place(numPlaced++);
  auto visitList = [&](ArrayRef<uint32_t> list) {
    for (uint32_t number : list)
      visit(all[number]);
  };
  for (auto &[shifts, grid] : grids) {
    auto visitCell = [&cells = grid.cells, &visitList](uint64_t cell) {
      if (auto it = cells.find(cell); it != cells.end())
        visitList(it->second);
    };
    if (!forEachCell(box, shifts, grid.members.size(), visitCell))
      visitList(grid.members);
  }
}

void Meetings::access(uint32_t number, int64_t owner, ArrayRef<int64_t> box, ArrayRef<int64_t> starts) {
  const AccessSite &site = program.accesses[number];
  Touched now{number, llvm::SmallVector<int64_t, 13>(box), {}};
  for (int64_t start : starts)
    now.clipped.push_back(std::max<int64_t>(-start, 0));
  Buffer &buffer = pending[{box[0], owner}];
  compare(buffer.writes, now);
  if (site.writes)
    compare(buffer.reads, now);
  (site.writes ? buffer.writes : buffer.reads).add(std::move(now));
}

/// The same tile, whose elements have one thread each. Of threads that hold the same element, all load it and one
/// stores it.
bool Meetings::isByOneThread(const Touched &a, const Touched &b) const {
  const AccessSite &siteA = program.accesses[a.site], &siteB = program.accesses[b.site];
  return siteA.tile && siteA.tile == siteB.tile && a.box == b.box && a.clipped == b.clipped &&
         program.views[siteA.view].dropped == program.views[siteB.view].dropped;
}

void Meetings::compare(Boxes &earlier, const Touched &now) {
  uint32_t kind = program.accesses[now.site].kind;
  earlier.forEachNear(now.box, [&](const Touched &other) {
    bool apart = now.site == other.site && program.accesses[now.site].isApart;
    // It comes behind all that was handed on, and what comes behind it `checkTold` refuses.
    bool isTold = program.accesses[now.site].isTold;
    if (!apart && !isTold && (!kind || kind != program.accesses[other.site].kind) && overlap(other.box, now.box) &&
        !isByOneThread(other, now))
      report(other, now);
  });
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
