// What a tile loop that multiplies no tiles costs on a target: one that moves rows and computes on them.
// Belongs here: counting registers, accesses and latencies of a task. Does not: which sizes are tried (RowTiles),
// products (machine/LoopCost), what ranks wait for (CostModel).
#pragma once

#include "dialect/Tile.h"
#include "passes/machine/Target.h"

namespace tilec {

/// Clocks of one tile loop on the whole machine. Tile types are static; an extent that is not known counts as
/// `kAssumedExtent`. A compute unit holds as many tasks as their registers allow. While one waits for its ticket, its
/// loads and its reductions the others go on, so that the slowest of memory, instructions and latency decides. Where a
/// task's values want more registers than a lane has, it is never chosen before one that fits.
double taskClocks(tile::ForallOp forall, const Target &target);

} // namespace tilec
