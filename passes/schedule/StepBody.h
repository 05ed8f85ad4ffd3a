// What the steps of a loop may do besides filling slots, reading them and multiplying.
// Belongs here: what all loops that run through rings allow. Does not: what becomes of it.
#pragma once

#include "mlir/IR/Operation.h"

namespace tilec::schedule {

/// Index arithmetic.
bool isNumber(mlir::Operation *op);

/// Registers alone: what other threads have is asked of no lane of another wave. Of a branch both sides are: all
/// threads take the same.
bool isComputed(mlir::Operation *op);

} // namespace tilec::schedule
