// What tile loops cost that share out loops between tasks: attention whose keys are split, and what adds the parts up.
// Belongs here: rounds of tasks, what each has beside its loops, and their steps. Does not: which parts are tried
// (RowTiles), loops that are not shared out (RowLoopCost, TaskCost).
#pragma once

#include "dialect/Tile.h"
#include "passes/machine/Target.h"

namespace tilec {

/// Clocks of the tasks of a loop on so many compute units, one task of a unit behind the other. Extents that are not
/// fixed are taken as `kAssumedExtent`; tile types are static.
double roundClocks(tile::ForallOp tasks, const Target &target, int64_t units);

} // namespace tilec
