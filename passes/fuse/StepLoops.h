// Loops of steps around statements, on their way into roles. Adds no synchronisation.
#pragma once

#include "passes/analysis/IndexForm.h"

namespace tilec {

/// Gives each statement of a loop around statements a loop of its own, from 0 in steps of 1 to a `tile.extent` that
/// those of one loop share, and all else of the loop to the tasks. Fails where the number of steps is not known at
/// launch.
llvm::LogicalResult splitStepLoops(tile::ProgramOp program);

/// The statement in a loop that `splitStepLoops` has made, or null.
tile::ForallOp statementIn(mlir::Operation &op);

} // namespace tilec
