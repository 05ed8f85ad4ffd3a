// Sums of what ranks multiply, made by the tasks that multiply the owner's part of them.
// Belongs here: which statements these are, and what they become. Does not: who waits for whom (`waits`).
#pragma once

#include "passes/analysis/Footprint.h"

namespace tilec {

/// `product` stores a tile to a slot of each rank in turn, this one too, and `sum` adds the slots of a rank, nobody
/// else uses them, and their elements are narrower than the sums. Then `product` serves the other ranks alone, and
/// `sum` multiplies this rank's part itself and adds what has come to it. Two statements as before: in memory there is
/// no part of a rank's own. True when it did.
bool sumAtOwner(tile::ForallOp product, tile::ForallOp sum);

} // namespace tilec
