// Tasks that move tiles as they are, done by the copy engine.
// Belongs here: which tasks, and what they become. Does not: how pieces pass through LDS (tilec/relay.h).
#pragma once

#include "dialect/Tile.h"
#include "passes/machine/Target.h"

namespace tilec::schedule {

/// Has the producer of a kernel move what tasks of its first roles load and store unchanged, where views lie so that it
/// can; its waves go on with the loop that was there where they do not. Returns how many loops over tasks have changed.
unsigned relayTiles(tile::KernelOp kernel, const Target &target);

} // namespace tilec::schedule
