// Tiles that others left for a task to add to its product, as further steps of its producer.
// Belongs here: which loops of a task become such steps. Does not: the steps of the product itself (RingLoop).
#pragma once

#include "dialect/Tile.h"
#include "passes/machine/Target.h"

namespace tilec::schedule {

/// Has the producer of a kernel bring what a loop behind its product loads and combines with the sums, through the
/// slots of the product. Returns how many loops it does so for.
unsigned streamSums(tile::KernelOp kernel, const Target &target);

} // namespace tilec::schedule
