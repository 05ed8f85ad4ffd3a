// Loops that address every rank in turn.
// Belongs here: what `fuse` makes and later passes look for. Does not: loops over peers that an author wrote otherwise.
#pragma once

#include "dialect/Tile.h"

namespace tilec {

/// The loop in whose iterations `rank` is each rank of the world once: its index, or so many ranks ahead of this one as
/// the index says (`(rank + index) mod W`). Null where `rank` is something else.
mlir::scf::ForOp loopOverRanks(mlir::Value rank, int64_t world);

} // namespace tilec
