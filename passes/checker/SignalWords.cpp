// Row-major numbers of words, and the words of a box in that order.
#include "passes/checker/SignalWords.h"

using namespace llvm;
using namespace tilec::checker;

uint32_t SignalWords::of(uint32_t grid, ArrayRef<int64_t> indices) const {
  int64_t linear = 0;
  for (auto [index, size] : zip(indices, trace.gridSizes[grid]))
    linear = linear * size + index;
  return offsets[grid] + linear;
}

uint32_t SignalWords::box(int64_t rank, uint32_t lag, uint32_t grid, ArrayRef<int64_t> first,
                          ArrayRef<int64_t> counts) {
  SmallVector<int64_t, 4> count(counts);
  count.resize(first.size(), 1);
  SmallVector<int64_t, 12> key{rank, lag, grid};
  key.append(first.begin(), first.end());
  key.append(count.begin(), count.end());
  uint32_t id = boxes.intern(key);
  if (id < trace.waits.size())
    return id;
  WaitBox box{lag, static_cast<uint32_t>(trace.boxWords.size()), 0};
  SmallVector<int64_t, 4> index(first);
  bool empty = any_of(count, [](int64_t n) { return n <= 0; });
  while (!empty) {
    trace.boxWords.push_back(rank * trace.wordsPerRank + of(grid, index));
    size_t dim = index.size();
    while (dim > 0 && ++index[dim - 1] == first[dim - 1] + count[dim - 1]) {
      index[dim - 1] = first[dim - 1];
      --dim;
    }
    empty = dim == 0;
  }
  box.end = trace.boxWords.size();
  trace.waits.push_back(box);
  return id;
}

bool tilec::checker::checkInGrid(const Trace &trace, const SyncSite &site, ArrayRef<int64_t> slots, Findings &findings,
                                 function_ref<std::string()> describeThread) {
  for (size_t i = 0; i < site.indices.size(); ++i) {
    int64_t first = slots[site.indices[i]], count = site.counts.empty() ? 1 : slots[site.counts[i]];
    int64_t size = trace.gridSizes[site.grid][i];
    if (count <= 0 || (first >= 0 && first + count <= size))
      continue;
    findings.report("bounds", site.op, nullptr, [&](mlir::InFlightDiagnostic &diagnostic) {
      diagnostic << (site.signal ? "raises" : "waits for") << " index " << (first < 0 ? first : first + count - 1)
                 << " in dimension " << i << " of a grid of size " << size << ", in " << describeThread();
      diagnostic.attachNote(trace.program->grids[site.grid].op.getLoc()) << "the grid is declared here";
    });
    return false;
  }
  return true;
}
