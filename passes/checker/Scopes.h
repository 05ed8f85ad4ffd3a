// Whether the scope that a signal or a wait names reaches its other endpoint. Knows nothing of accesses.
#pragma once

#include "passes/checker/TaskTrace.h"

namespace tilec::checker {

/// Reports signals at scope `agent` that another rank's word is raised by, and waits at scope `agent` for a word that
/// another rank raises: `agent` orders the memory of one GPU alone.
void checkScopes(const Trace &trace, Findings &findings);

} // namespace tilec::checker
