// The shape of the tile that an operation makes, as far as it follows from its sizes and its operands.
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace tilec::tile {

/// The shape of a result of this type; sizes are dynamic that follow from nothing that is known, such as a parameter
/// without a value. Another number of dimensions than the type's where the operation has no operands to follow from.
llvm::SmallVector<int64_t> resultShape(mlir::Operation *op, mlir::RankedTensorType type);

} // namespace tilec::tile
