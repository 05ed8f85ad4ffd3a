// Tiles without a dimension, as the layout machinery sees them.
// Belongs here: giving them one. Does not: layouts.
#pragma once

#include "dialect/Tile.h"

namespace tilec {

/// Gives every tile of a kernel that has no dimension one of a single element, which has a layout as any other tile: a
/// reduction of a row of N becomes one of a 1 x N tile, a broadcast of a scalar one of a one-element tile.
void giveScalarsADimension(tile::KernelOp kernel);

} // namespace tilec
