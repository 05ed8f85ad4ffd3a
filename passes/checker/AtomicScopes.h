// Whether atomic accesses of the exit dialect reach as far as those that they meet.
#pragma once

#include "passes/checker/Cells.h"
#include "passes/checker/Findings.h"

namespace tilec::checker {

/// Two atomics are atomic for each other where the scope of each has both ranks: one on another rank's copy, and each
/// on elements that another rank's atomics change, needs scope `system`.
void checkAtomicScopes(const Trace &trace, const Cells &cells, Findings &findings);

} // namespace tilec::checker
