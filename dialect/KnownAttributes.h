// Attributes that nobody reads: a name that an operation does not have is an error, as a misspelt one would change
// nothing and say nothing.
#pragma once

#include "mlir/IR/OpImplementation.h"

namespace tilec {

/// Fails where `op` has an attribute of a name without a dialect that it does not define.
mlir::LogicalResult verifyKnownAttributes(mlir::Operation *op);

/// Parses an optional dictionary, behind `attributes` or without a word, of what the operation defines. Fails at one of
/// another kind, which would be dropped, and at those that its syntax writes elsewhere.
mlir::ParseResult parseKnownAttributes(mlir::OpAsmParser &parser, mlir::OperationState &result,
                                       llvm::ArrayRef<mlir::StringAttr> written, bool hasKeyword = true);

/// Of operations that have no attributes but their own and those of dialects.
template <class ConcreteOp>
class KnownAttributes : public mlir::OpTrait::TraitBase<ConcreteOp, KnownAttributes> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifyKnownAttributes(op); }
};

} // namespace tilec
