// What consumers hand on to a wave of the producer, which tells others of it.
// Belongs here: that both sides have the same in the same order. Does not: what is signalled (ExitProgram).
#pragma once

#include "dialect/Hip.h"
#include "passes/checker/RoleProgram.h"

namespace tilec::checker {

/// What is told when consumers have come to an operation of theirs: the two sides of a task have as many, and the wave
/// does them in the order of the text. Null where there is none.
hip::TellOp toldAt(hip::HandOnOp op);

/// Every task hands on as often as its wave tells, by all consumers, through words that a kernel has once. The wave
/// does nothing but send on and signal, for itself, when it has awaited them: so both come behind what consumers
/// stored.
mlir::LogicalResult checkTellings(hip::IfProducesOp op);

/// Consumers do not touch what the wave sends on behind the place where they hand it on: it may do so at any time.
/// Looks at the accesses from `first` on, in the order of the text of one task.
mlir::LogicalResult checkTold(const ProgramCode &program, size_t first);

} // namespace tilec::checker
