// How often a role waits, and for how much at first: what the cost model asks of a program's waits. Changes no IR.
#pragma once

#include "dialect/Tile.h"

namespace tilec {

/// The waits of one role for the tasks of others, on average over its tasks.
struct WaitCost {
  double perTask = 0; ///< waits that a task executes one after the other
  double most = 0;    ///< the same of a task that waits; some wait for other ranks alone, and take their own part first
  double polls = 0;   ///< turns of the lanes of a wave that look at their words once, per task
  /// Share of the awaited grid's words that the first tasks on `units` workgroups need before they can begin; 0
  /// without waits. Grids that only the edges of a launch raise do not count.
  double firstShare = 0;
  double waitingShare = 0; ///< the same of those tasks that wait, which may not be the first
  /// The role whose tasks raise what is awaited first; null without waits.
  tile::RoleOp producer;
};

/// Evaluates the waits of a role on rank 0, in its first tasks, for these extents (in the order of the header).
WaitCost costOfWaits(tile::RoleOp role, llvm::ArrayRef<int64_t> extents, double units, int64_t waveLanes);

} // namespace tilec
