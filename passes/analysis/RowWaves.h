// How many waves have rows of their own in loops over rows that a copy engine feeds.
// Belongs here: what such loops and the other products of a kernel ask for. Does not: how many waves a kernel has
// (Partition), which statements it is made of (Fuse).
#pragma once

#include "dialect/Tile.h"
#include "passes/machine/Target.h"

namespace tilec {

/// Sums of the largest product within an operation, with what its loop carries beside it where each step begins at zero
/// and waves fill the slots; 0 without one.
int64_t largestSums(mlir::Operation *within, const Target &target);

/// Of so many waves those that have rows of their own in loops over rows that a copy engine feeds, where what is
/// multiplied last is computed from the product before: waves beside each other would hand it on through LDS. As many
/// as hold `sums` at least, those of the largest product of their kernel.
int64_t rowWaves(mlir::Operation *within, int64_t waves, int64_t sums, const Target &target);

/// Whether a kernel of these tile loops has waves for all: where its largest product has more sums than the waves of a
/// loop over rows hold, either spills, or no copy engine feeds the other (attention beside a product of 128 x 256 tiles
/// on an H200: 3,400 and 495 us in one kernel, 428 in two).
bool haveWavesInCommon(llvm::ArrayRef<tile::ForallOp> loops, const Target &target);

} // namespace tilec
