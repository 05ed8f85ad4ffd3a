// What sums of products keep where a program does not say it.
#pragma once

#include "dialect/Tile.h"

namespace tilec::tile {

/// Only products of these may say `accumulate`.
bool isEightBitFloat(mlir::Type element);

/// What goes without saying for operands of a type.
Accumulation defaultAccumulation(mlir::Type element);

/// What products and sums of elements are accumulated in: f32 and i32, f64 and i64 for elements of that width.
mlir::Type accumulatorOf(mlir::Type element);

} // namespace tilec::tile
