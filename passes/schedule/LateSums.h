// Sums of rows that a loop carries: lanes add up what each of them has, and come together behind the loop.
// Belongs here: whether a sum may wait, and the loop that leaves it. Does not: loops through rings (RowLoop).
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilec::schedule {

/// A loop that carries `s = s * factor + sum of a tile's rows` carries the sums of the lanes instead: no step waits for
/// lanes to exchange theirs. Null where the loop carries none.
mlir::scf::ForOp sumLanesLate(mlir::scf::ForOp loop);

} // namespace tilec::schedule
