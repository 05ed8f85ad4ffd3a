// Loads of whole runs of scratch, which an engine may copy without asking where they lie.
// Belongs here: that a run is inside of its buffer, and begins where an engine can. Does not: who copies (SumStream).
#pragma once

#include "dialect/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilec::schedule {

/// What a bulk copy begins at and brings is a multiple of these.
constexpr int64_t kBulkBytes = 16;

/// Whether each load, in a loop of a task, takes all of the last dimension of scratch, and its other indices are inside
/// for all extents: an index of the tasks that counts them, the loop's own, this rank, or the rest of a division. An
/// engine reads what lies behind a buffer where `tile.load` reads zero, and wants multiples of `kBulkBytes`, of which
/// nobody knows for arguments.
bool takesWholeRuns(tile::LoadOp load, mlir::scf::ForOp loop, tile::ForallOp tasks);

} // namespace tilec::schedule
