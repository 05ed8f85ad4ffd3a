// Tasks that are dealt out by number, the schedule `strided`: they come in no order.
#pragma once

#include "passes/checker/Findings.h"
#include "passes/checker/RoleProgram.h"

namespace tilec::checker {

/// Reports each wait of such a task for words that tasks of its kernel raise. Behind it another workgroup may hold the
/// task that raises them, or this one, later: no class of progress says how many workgroups would be enough.
void checkDealtTasks(const ProgramCode &program, Findings &findings);

/// The same of the exit dialect: fails at the first such wait.
mlir::LogicalResult checkDealtTasks(const ProgramCode &program);

} // namespace tilec::checker
