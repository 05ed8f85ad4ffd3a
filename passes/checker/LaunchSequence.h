// One trace of several launches in a row, each with extents of its own, as if they were kernels of one launch.
// Belongs here: numbers of threads, words and boxes. Does not: what is ordered, what is wrong.
#pragma once

#include "passes/checker/TaskTrace.h"

namespace tilec::checker {

/// The launches `parts`, one after the other. A wait with a lag finds the words of the part that many launches before,
/// by their coordinates; coordinates outside of that part's grid are words that nothing raises. `texts` name the
/// extents of each part.
Trace sequenceOf(llvm::ArrayRef<const Trace *> parts, llvm::ArrayRef<std::string> texts);

} // namespace tilec::checker
