// Loops of steps around statements: their iterations as an index of the tile loops, and how far apart the steps are of
// two tasks that touch the same elements. Emits no synchronisation.
#pragma once

#include "passes/analysis/Footprint.h"

namespace tilec {

/// The number of steps of each tile loop that steps repeat, by the tile loop. Tile loops of one loop share the value.
using StepCounts = llvm::DenseMap<mlir::Operation *, mlir::Value>;

/// Makes the iteration of each loop of steps in a role the first index of its tile loop: what orders the steps is left
/// to signals. Fails, and says why, where a bound of such a tile loop is no expression over the extents.
mlir::FailureOr<StepCounts> flattenSteps(tile::ProgramOp program);

/// True when where an access touches a dimension depends on the step.
bool takesTurns(const Footprint &access, unsigned d, mlir::Value step);

/// How many steps before its own a task has to wait for.
struct StepDistance {
  enum class Reach {
    Never, ///< no step touches what another one touches
    Exact, ///< the last step that did: those before it come before it, too
    Every, ///< all steps before
  } reach = Reach::Every;
  int64_t steps = 0; ///< of `Exact`; of `Every` the least
};

/// Between `earlier`, whose tasks have the step `writer`, and `later`, whose tasks have the step `reader`, of the same
/// loop. At least `least` steps lie between them.
StepDistance stepsBetween(const Footprint &earlier, mlir::Value writer, const Footprint &later, mlir::Value reader,
                          mlir::Value rank, int64_t world, int64_t least);

/// By how much a rank differs from this one's number modulo the world, where that is a constant: every rank then has
/// one such neighbour, and is that of one. A rank that is null is this one.
std::optional<int64_t> neighbourShift(mlir::Value value, mlir::Value rank, int64_t world);

} // namespace tilec
