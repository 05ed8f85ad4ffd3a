// How many tasks have come to each word at which tasks count themselves, and which of them is the last.
#pragma once

#include "passes/checker/TaskTrace.h"

namespace tilec::checker {

/// Of one launch, as it is traced: the tasks of a rank come in the order of their numbers.
class Arrivals {
public:
  Arrivals(const Trace &trace, Findings &findings) : trace(trace), findings(findings) {}

  /// Counts a task at a word. Reports one that says another number than those before it, or whose branch for the last
  /// would do something else.
  bool isLast(const ArrivalSite &site, uint32_t word, int64_t count, llvm::ArrayRef<int64_t> alike);
  /// Reports words at which other than so many tasks have come. Call when all of a launch is traced.
  void checkComplete();

private:
  struct Word {
    const ArrivalSite *site = nullptr;
    int64_t count = 0, come = 0;
    bool isReported = false;
    llvm::SmallVector<int64_t, 4> alike;
  };

  const Trace &trace;
  Findings &findings;
  std::map<uint32_t, Word> words;
};

} // namespace tilec::checker
