// What a loop over rows costs on a target whose waves fill slots: attention, which multiplies what it loads, computes
// with the product, and multiplies again. Belongs here: clocks of a step by the sizes of its tiles. Does not: which
// sizes are tried (RowTiles), loops that only multiply (machine/LoopCost), how the loop is made (schedule/RowLoop).
#pragma once

#include "dialect/Tile.h"
#include "passes/machine/Target.h"

namespace tilec {

/// Whether some loop of the tasks has two products or more in a step.
bool hasRowLoop(tile::ForallOp tasks);

/// Clocks of a compute unit for each element of the first product, of the first loop of the tasks that has two products
/// or more; nothing where there is none. Tile types are static. Where the registers of a lane have room for the first
/// product of the next step, that runs beside what this step computes, and the slowest of matrix units, LDS and
/// instructions decides; else what is computed follows what is multiplied (`schedule` does so).
std::optional<double> rowLoopClocks(tile::ForallOp tasks, const Target &target);

} // namespace tilec
