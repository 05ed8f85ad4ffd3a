// What the steps of a loop may do besides filling slots, reading them and multiplying.
// Belongs here: what all loops that run through rings allow. Does not: what becomes of it.
#pragma once

#include "mlir/IR/Builders.h"

namespace tilec::schedule {

/// Index arithmetic.
bool isNumber(mlir::Operation *op);

/// Registers alone: what other threads have is asked of no lane of another wave. Of a branch both sides are: all
/// threads take the same.
bool isComputed(mlir::Operation *op);

/// Makes accesses; returns what they leave in registers.
using MakeAccesses = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &)>;

/// A product, which `multiply` makes, with accesses in its places: all at once they would wait for each other. Returns
/// its result, then what they leave.
llvm::SmallVector<mlir::Value> multiplyMeanwhile(mlir::OpBuilder &builder, mlir::Location loc,
                                                 llvm::function_ref<mlir::Value(mlir::OpBuilder &)> multiply,
                                                 MakeAccesses accesses);

} // namespace tilec::schedule
