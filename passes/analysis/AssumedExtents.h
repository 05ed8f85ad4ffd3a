// Numbers of a program whose extents are not known yet, for costs that are compared with each other.
#pragma once

#include "dialect/Tile.h"

namespace tilec {

/// What an extent is taken for that is not known.
inline constexpr int64_t kAssumedExtent = 2048;

/// The value of an expression over the extents of a program, at least 1; 1 for none (null).
double assumedValue(mlir::AffineExpr expr, tile::ProgramOp program);

/// How many tasks a tile loop has.
double assumedTasks(tile::ForallOp loop);

} // namespace tilec
