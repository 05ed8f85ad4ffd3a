// Tiles whose registers are some of those of another tile.
// Belongs here: what type such a part has. Does not: who takes parts (passes/schedule/SumStream).
#pragma once

#include "mlir/IR/BuiltinTypes.h"

namespace tilec {

/// Of a tile whose registers are cut into `parts` runs of as many, the tile that one run is. Only half of one
/// dimension may separate the registers of two runs, so that a part is a tile of its own; null where more does.
mlir::RankedTensorType partOf(mlir::RankedTensorType whole, int64_t parts);

} // namespace tilec
