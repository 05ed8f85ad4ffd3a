// Computes the refinement and the cells of each box.
#include "passes/checker/Cells.h"

using namespace llvm;
using namespace tilec::checker;

Cells::Cells(const Trace &trace) : trace(trace) {
  size_t roots = trace.program->roots.size();
  written.assign(roots, false);
  counts.assign(roots, 0);
  edges.resize(roots);
  for (const AccessSite &site : trace.program->accesses)
    if (site.writes)
      written[trace.program->views[site.view].root] = true;
  refine();
  for (uint32_t box = 0; box < trace.boxes.size(); ++box)
    cover(box);
}

void Cells::refine() {
  for (size_t root = 0; root < edges.size(); ++root)
    edges[root].resize(trace.rootSizes[root].size());
  for (uint32_t box = 0; box < trace.boxes.size(); ++box) {
    ArrayRef<int64_t> ranges = trace.boxes[box];
    if (!written[ranges[0]])
      continue;
    for (size_t dim = 0; dim < edges[ranges[0]].size(); ++dim) {
      int64_t first = ranges[1 + 3 * dim], count = ranges[2 + 3 * dim], stride = ranges[3 + 3 * dim];
      std::vector<int64_t> &edge = edges[ranges[0]][dim];
      if (stride == 1) {
        edge.insert(edge.end(), {first, first + count});
        continue;
      }
      for (int64_t i = 0; i < count; ++i)
        edge.insert(edge.end(), {first + i * stride, first + i * stride + 1});
    }
  }
  for (size_t root = 0; root < edges.size(); ++root) {
    uint32_t count = written[root];
    for (std::vector<int64_t> &edge : edges[root]) {
      llvm::sort(edge);
      edge.erase(std::unique(edge.begin(), edge.end()), edge.end());
      count *= std::max<size_t>(edge.size(), 1);
    }
    counts[root] = count;
  }
}

void Cells::cover(uint32_t box) {
  ArrayRef<int64_t> ranges = trace.boxes[box];
  uint32_t root = ranges[0];
  if (written[root]) {
    SmallVector<uint32_t> cells{0}, next;
    for (auto [dim, edge] : enumerate(edges[root])) {
      int64_t first = ranges[1 + 3 * dim], count = ranges[2 + 3 * dim], stride = ranges[3 + 3 * dim];
      SmallVector<uint32_t> inner;
      auto at = std::lower_bound(edge.begin(), edge.end(), first);
      for (; at != edge.end() && *at <= first + (count - 1) * stride; ++at)
        if (stride == 1 || (*at - first) % stride == 0)
          inner.push_back(at - edge.begin());
      next.clear();
      for (uint32_t cell : cells)
        for (uint32_t coordinate : inner)
          next.push_back(cell * edge.size() + coordinate);
      cells.swap(next);
    }
    list.insert(list.end(), cells.begin(), cells.end());
  }
  begins.push_back(list.size());
}

SmallVector<int64_t, 4> Cells::element(uint32_t root, uint32_t cell) const {
  SmallVector<int64_t, 4> element(edges[root].size());
  for (size_t dim = element.size(); dim-- > 0; cell /= edges[root][dim].size())
    element[dim] = edges[root][dim][cell % edges[root][dim].size()];
  return element;
}
