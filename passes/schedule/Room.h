// Room in LDS for what waves of a producer move.
// Belongs here: who gives bytes up for it. Does not: where buffers lie (stage/SharedPlan).
#pragma once

#include "dialect/Tile.h"
#include "passes/machine/Target.h"

namespace tilec::schedule {

/// Whether LDS has room for `bytes` more, and their words. Where waves turn tiles in bytes of their own, others share
/// these if there is none otherwise: waves then meet before they turn one.
bool makeRoom(tile::KernelOp kernel, int64_t bytes, const Target &target);

} // namespace tilec::schedule
