// Results that are stored while the waves go on: by the next task of a workgroup, while its first products run, or by
// the copy engine.
// Belongs here: whether a kernel's results can wait, and the tasks that leave them. Does not: who fills the slots
// (Producer), how a tile passes through LDS (Stage).
#pragma once

#include "dialect/Tile.h"
#include "passes/machine/Target.h"

namespace tilec::schedule {

/// Tasks of a kernel with a producer keep their result in registers, rounded: the next task stores it behind the first
/// products that it issues, and what the last one has left is stored behind the tasks. Only where nobody waits for the
/// result in the kernel, or reads it there, where registers have room for it beside the sums, and where there may be
/// more tasks than the target has units: one task alone has no next one. The copy engine stores it where it knows the
/// buffer, a matrix, and the placement of a part in LDS. Whether a kernel has changed.
bool deferStore(tile::KernelOp kernel, const Target &target);

/// Where registers have no such room the copy engine stores the result from LDS, while the waves go on to the next
/// task: if it can, and all else that the kernel needs of LDS is there. Whether a kernel has changed.
bool storeAsync(tile::KernelOp kernel, const Target &target);

} // namespace tilec::schedule
