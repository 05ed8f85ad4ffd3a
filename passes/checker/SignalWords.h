// The words of the signal grids, and the boxes of them that waits wait for, in a trace. Checks no bounds.
#pragma once

#include "passes/checker/TaskTrace.h"

namespace tilec::checker {

class SignalWords {
public:
  explicit SignalWords(Trace &trace) : trace(trace) {}

  /// The next of the program's grids, behind the words of those before it.
  void addGrid(uint64_t count) {
    offsets.push_back(total);
    total += count;
  }
  uint64_t perRank() const { return total; }

  /// The number of a word within its rank.
  uint32_t of(uint32_t grid, llvm::ArrayRef<int64_t> indices) const;

  /// The number of a wait's box among those of the trace, which gets it if it has none like it. Without `counts`: of
  /// one word.
  uint32_t box(int64_t rank, uint32_t lag, uint32_t grid, llvm::ArrayRef<int64_t> first,
               llvm::ArrayRef<int64_t> counts);

private:
  Trace &trace;
  std::vector<uint64_t> offsets; ///< [grid]
  uint64_t total = 0;
  Interner boxes;
};

/// Checks the box of a wait, or the single word of a signal, against the grid.
bool checkInGrid(const Trace &trace, const SyncSite &site, llvm::ArrayRef<int64_t> slots, Findings &findings,
                 llvm::function_ref<std::string()> describeThread);

} // namespace tilec::checker
