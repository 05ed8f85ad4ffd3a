// Pairs of workgroups that bring a tile once for both.
// Belongs here: which kernels can have them. Does not: how many slots there are (Ring), the order of tiles (Order).
#pragma once

#include "dialect/Tile.h"
#include "passes/machine/Target.h"

namespace tilec::schedule {

/// Workgroups whose tasks are tiles one below the other, two by two, each copy half of what both read of the right
/// operand. Only where a producer copies, tasks are dealt out by number, and each group of rows of tiles is even.
/// Without `given`, where the cache limits what copies bring, since rows begin within its sectors, and units have
/// several tasks: the only one of a unit would wait for the other workgroup's copies. Other products gain nothing
/// (docs/figures.md). Whether the kernel has changed.
bool copyInPairs(tile::KernelOp kernel, const Target &target, std::optional<bool> given);

} // namespace tilec::schedule
