// How often memory reads the operands of products that workgroups share.
// Belongs here: what the order of tasks has to do with it. Does not: times (CostModel), what lies in which cache line.
#pragma once

#include "dialect/Tile.h"
#include "passes/machine/Target.h"

namespace tilec {

/// Bytes that memory reads for a load in the products of `tasks`, of all tasks for these extents: what its view has,
/// once. Where tasks go through the rows of one rank after the other (`#tile.rank_first`), in windows that are no
/// higher than these, columns once for each window, unless the device's cache still has them from the one before. 0
/// where the view's size is not known, or chiplets have caches of their own.
double operandBytes(tile::LoadOp load, tile::ForallOp tasks, llvm::ArrayRef<int64_t> extents, const Target &target);

} // namespace tilec
