// Barriers between the accesses of one task to memory: part of `stage`.
#pragma once

#include "dialect/Tile.h"

namespace tilec {

/// Puts a barrier between two accesses of one task to one buffer where one thread may load what another has stored, or
/// store what another still loads or has stored: the kernel form orders them, the text orders only what one thread
/// does. Returns the number of barriers.
unsigned placeTaskBarriers(tile::RoleOp role);

} // namespace tilec
