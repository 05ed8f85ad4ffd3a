// Numbers and views that an operation makes in its regions, made again outside of it.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace tilec::schedule {

class Remade {
public:
  explicit Remade(mlir::Operation *around) : around(around) {}

  /// Whether a value is made in the regions of the operation.
  bool isInside(mlir::Value value) const { return around->isAncestor(value.getParentBlock()->getParentOp()); }
  /// Whether it is not, or is made of such by operations that can be done twice. What is read of memory is not: that
  /// may be another value outside, and no token says of it when.
  bool reaches(mlir::Value value) const;
  /// The value for an operation that stands where `builder` is, outside.
  mlir::Value bring(mlir::OpBuilder &builder, mlir::Value value);

private:
  mlir::Operation *around;
  mlir::IRMapping made;
};

} // namespace tilec::schedule
