// How many signals have counted in each word that a copy engine takes, and how many it takes there; and whether grids
// whose tasks count by chiplet are raised once and waited for as a whole.
#pragma once

#include "passes/checker/TaskTrace.h"

namespace tilec::checker {

/// Of one launch, as it is traced.
class Counts {
public:
  Counts(const Trace &trace, Findings &findings) : trace(trace), findings(findings) {}

  /// A signal or a wait of the trace; `number`: how many a taking one says.
  void note(const SyncSite &site, const Sync &made, int64_t number);
  /// Reports words in which other than so many have counted, that nobody takes, or that are taken twice: what is left
  /// there the next launch would find. Call when all of a launch is traced.
  void checkComplete();

private:
  struct Word {
    mlir::Operation *counted = nullptr, *taken = nullptr;
    int64_t come = 0, number = 0, takes = 0;
  };

  void noteTally(const SyncSite &site, const Sync &made);

  const Trace &trace;
  Findings &findings;
  llvm::DenseMap<uint32_t, mlir::Operation *> tallied; ///< words, by what raises them
  std::map<uint32_t, Word> words;
};

} // namespace tilec::checker
