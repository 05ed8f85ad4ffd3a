// Whose schedule counts where: a program has one for all its products, a statement or role one of its own.
#pragma once

#include "dialect/Tile.h"

namespace tilec::tile {

/// What is said or decided of the loops in an operation, or around it, key by key: what was given to the innermost that
/// was given anything, else what was chosen for the innermost. Null where none has a schedule.
ScheduleAttr scheduleOf(mlir::Operation *op);

/// The same, where what was given for a key has been done and counts as chosen; null stays null.
ScheduleAttr withDone(ScheduleAttr schedule, ScheduleKey key);

/// What was given for a key to tasks of a kernel, each value once: by their statement, their role or the program.
llvm::SmallVector<mlir::Attribute> givenIn(KernelOp kernel, ScheduleKey key);

/// Whether a statement or role may be given what its own schedule says: nothing that the whole program shares, and
/// nothing that `tile.matmul` has words for.
mlir::LogicalResult verifyOwnSchedule(ScheduledOpInterface op);

} // namespace tilec::tile
