// Pairs of workgroups that copy for each other: what is proven of one of them holds for both, as both do the same.
// Belongs here: that they do the same, meet, and are of one kind. Does not: what a workgroup does with slots
// (StreamExecution, RoleSides), in which a copy of half a tile is one of all of it.
#pragma once

#include "dialect/Hip.h"

namespace tilec::checker {

/// In a kernel of pairs each slot that a producer fills gets half of a tile from either workgroup, and is released by
/// both: the tasks 2 n and 2 n + 1 have as many steps, and fill from the same place; there are both, or neither. The
/// pair meets before all that and behind it. In other kernels nothing is for a pair.
mlir::LogicalResult checkPairs(hip::KernelOp kernel);

} // namespace tilec::checker
