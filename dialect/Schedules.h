// Whose schedule counts where: a program has one for all its products, a statement or role one of its own.
#pragma once

#include "dialect/Tile.h"

namespace tilec::tile {

/// What is said or decided of the loops in an operation, or around it: the innermost schedule, and for keys of which
/// that says nothing the ones around it, up to the program's. Null where none has a schedule.
ScheduleAttr scheduleOf(mlir::Operation *op);

/// Whether a statement or role may be given what its own schedule says: nothing that the whole program shares, and
/// nothing that `tile.matmul` has words for.
mlir::LogicalResult verifyOwnSchedule(ScheduledOpInterface op);

} // namespace tilec::tile
