// arith and math, element by element, on tiles and scalars.
#pragma once

#include "passes/interpreter/Elements.h"

#include "mlir/IR/Operation.h"

namespace tilec::interpreter {

/// Evaluates an operation of arith or math. Fails with a diagnostic at the op: unknown operation or type, operands
/// whose shapes differ, division of integers by zero.
llvm::FailureOr<Elements> evaluateElementwise(mlir::Operation *op, llvm::ArrayRef<SharedElements> operands);

} // namespace tilec::interpreter
