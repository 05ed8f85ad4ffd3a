// Results that wait in registers: whether each is stored before the next one takes its place.
// Belongs here: the order of what fills and stores such registers. Does not: LDS (SharedExecution), memory
// (ExitProgram).
#pragma once

#include "dialect/Deferred.h"

namespace tilec::checker {

/// Whether consumers alone store what is left, behind the tasks.
bool storesLeft(hip::IfProducesOp op);

/// What the waves of a kernel defer: declared before the tasks, filled by the last operation of a task, behind a store
/// of all that the task before has left, and stored once more behind the tasks.
mlir::LogicalResult checkDeferred(hip::ByRoleOp op);

} // namespace tilec::checker
