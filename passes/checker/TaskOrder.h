// The order in which the tasks of a `tile.forall` are handed out, by enumeration of its order steps.
#pragma once

#include "dialect/Tile.h"

#include <vector>

namespace tilec::checker {

/// The row-major number of the task that each ticket draws on `rank`, tickets ascending. `sizes` is the grid. A step
/// that is no bijection is reported with a task that is lost and one that is drawn twice; so are steps that do not fit
/// the grid.
mlir::FailureOr<std::vector<int64_t>> enumerateTasks(tile::ForallOp forall, llvm::ArrayRef<int64_t> sizes,
                                                     int64_t rank);

/// The coordinates of row-major number `task` in a grid.
llvm::SmallVector<int64_t, 4> taskCoordinates(int64_t task, llvm::ArrayRef<int64_t> sizes);

} // namespace tilec::checker
