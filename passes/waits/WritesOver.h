// Which waits a statement makes superfluous for those behind it. Changes no IR.
#pragma once

#include "passes/waits/Synchronization.h"

namespace tilec {

/// True when each task of a later statement writes just the elements that tasks of an earlier one touch, with its
/// indices in place of theirs: here, of whatever rank, or on the ranks that those name. The earlier one may have more
/// indices, as over peers, which move nothing. The later one has waited for those who touched them, and whoever touches
/// them next, on whatever rank, waits for it, and so for them. `rank` is this one, of `world`.
bool writesOver(const Statement &earlier, const Footprint &first, const Statement &later, const Footprint &second,
                mlir::Value rank, int64_t world);

} // namespace tilec
