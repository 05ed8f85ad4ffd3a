// Launches with extents of 0: tile loops without tasks, which send nothing and so order nothing.
#pragma once

#include "passes/checker/LaunchesApart.h"

namespace tilec::checker {

/// Positions of extents of which at least one must be greater than 0.
using NonzeroExtents = llvm::SmallVector<int64_t, 4>;

/// The smallest sets of `free` extents that must not be 0 all at once: a launch in which they are is wrong alone, or
/// leaves the launches before and after it without order. The others are as in `full`, pitches what
/// rows need. `checkAlone` checks launches of one trace and notes what they know of each other.
/// Of more than six free extents two are tried together, of more than twelve one; larger sets are then taken to be
/// wrong. Emits nothing.
std::vector<NonzeroExtents>
findNonzeroExtents(const ProgramCode &code, llvm::ArrayRef<int64_t> free, llvm::ArrayRef<int64_t> full, uint64_t budget,
                   llvm::function_ref<void(const Trace &, LaunchesApart &, Findings &)> checkAlone);

/// A launch without tasks can be left out where nothing else touches memory.
bool hasWorkOutsideTasks(tile::ProgramOp program);

} // namespace tilec::checker
