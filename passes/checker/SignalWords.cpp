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
