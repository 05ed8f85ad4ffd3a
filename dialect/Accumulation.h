// What sums of products keep where a program does not say it.
#pragma once

#include "dialect/Tile.h"

namespace tilec::tile {

/// Only products of these may say `accumulate`.
bool isEightBitFloat(mlir::Type element);

/// What goes without saying for operands of a type.
Accumulation defaultAccumulation(mlir::Type element);

} // namespace tilec::tile
