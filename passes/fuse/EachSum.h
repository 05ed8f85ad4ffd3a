// Sums of what ranks multiply, made on each rank by the tasks that multiply its own part.
// Belongs here: which statements these are, and what they become. Does not: who waits for whom (`waits`), and that a
// task multiplies once (`merge`).
#pragma once

#include "passes/analysis/Footprint.h"

namespace tilec {

/// `product` stores its tile to a slot of every rank, this one too, and `sum` adds the slots of a rank, nobody else
/// uses them, and their elements are narrower than the sums. Then `product` serves the other ranks alone, and `sum`
/// multiplies again, and adds its own part where the slot of this rank would come: in the order of the ranks, so that
/// all of them have the same sums. `merge` makes one loop over tasks of both, whose tasks wait for those of the other
/// ranks; with more tasks than `units` others would wait behind them. True when it did.
bool sumOnEach(tile::ForallOp product, tile::ForallOp sum, int64_t units);

} // namespace tilec
