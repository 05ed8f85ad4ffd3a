// Attributes that nobody reads: a name that an operation does not have is an error, as a misspelt one would change
// nothing and say nothing.
#pragma once

#include "mlir/IR/OpDefinition.h"

namespace tilec {

/// Fails where `op` has an attribute of a name without a dialect that it does not define.
mlir::LogicalResult verifyKnownAttributes(mlir::Operation *op);

/// Of operations that have no attributes but their own and those of dialects.
template <class ConcreteOp>
class KnownAttributes : public mlir::OpTrait::TraitBase<ConcreteOp, KnownAttributes> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifyKnownAttributes(op); }
};

} // namespace tilec
