// How many waves run a kernel, for passes that ask before it is decided.
#pragma once

#include "dialect/Tile.h"
#include "passes/machine/Target.h"

namespace tilec {

/// Those that schedules were given for its products, else the kernel's own `waves`, else those that `partition`
/// will choose.
int64_t wavesOf(tile::KernelOp kernel, const Target &target);

} // namespace tilec
