// The float operations of arith and math on one element, with the error an f32 implementation may add.
// Integer operations and loops over tiles live in Elementwise.
#pragma once

#include "passes/interpreter/Number.h"

#include "mlir/IR/Operation.h"

namespace tilec::interpreter {

/// A float and a bound on |implementation - value|.
struct Real {
  double value = 0, error = 0;
  double least = 0; ///< no implementation's magnitude is smaller, whatever the error says
};

/// How far an implementation between `low` and `high` can be from `value`, which lies there as well.
double spread(double value, double low, double high);

/// The result of one operation: rounds to the format where that is narrower than f32, and adds the rounding of an
/// implementation whose result is within `ulps` units in the last place (0.5: rounded correctly). `propagated` bounds
/// what errors of the operands do. An exact result that the format holds stays exact.
Real finish(const Format &format, double value, double propagated, double ulps = 0.5);

/// A float operation of one to three float operands.
using RealFunction = Real (*)(const Format &format, Real a, Real b, Real c);

/// Null when the op is no float operation known here.
RealFunction realFunction(mlir::Operation *op);

} // namespace tilec::interpreter
