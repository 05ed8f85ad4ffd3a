// Where slots lie that a copy engine fills or matrix units read.
#pragma once

#include "dialect/Hip.h"

namespace tilec::hip {

/// The swizzle of such a slot is one of the bits of its address: it begins at a multiple of 8 rows. Reports at `op`.
llvm::LogicalResult verifyMappedSlot(mlir::Operation *op, mlir::Value slot);

} // namespace tilec::hip
