// The names of orders, for those that check options before any pass runs.
#pragma once

#include "mlir/IR/Location.h"

namespace tilec {

/// Reports a name that is no order of tiles.
llvm::LogicalResult requireOrder(mlir::Location loc, llvm::StringRef kind);

} // namespace tilec
