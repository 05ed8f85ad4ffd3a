// Loads of short loops, some iterations ahead: part of `pipeline`.
#pragma once

#include "dialect/Tile.h"
#include "passes/machine/Target.h"

namespace tilec {

/// Whether the loop only loads tiles and computes with them, where its iterations are: merging what others left. Then
/// issues the loads of as many iterations ahead as there are, or as registers hold: the loop takes one way to memory in
/// place of one for each iteration. `isShared`: a unit is to hold two workgroups of the kernel, which share registers.
bool loadAhead(mlir::scf::ForOp loop, const Target &target, bool isShared);

} // namespace tilec
