// Loads that stand behind a reduction although nothing of theirs depends on it: part of `stage`.
#pragma once

#include "dialect/Tile.h"
#include "passes/machine/Target.h"

namespace tilec {

/// Moves such loads behind the first loads of their block, so that all are on their way while the first one is awaited:
/// weights of a norm, beside its rows. A load stays where a lane would hold more registers of tiles than it leaves to
/// one of two workgroups on a unit, and where something between may write or waits. Returns how many moved.
unsigned issueLoadsEarly(tile::KernelOp kernel, const Target &target);

} // namespace tilec
