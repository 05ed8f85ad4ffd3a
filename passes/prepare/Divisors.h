// Which divisions are by numbers that are never negative: rounding then asks for the sign of the remainder alone.
#pragma once

#include "dialect/Hip.h"

namespace tilec {

/// Marks with `hip.positive_divisor` the divisions of a kernel or launcher that round up or down and divide by an
/// extent, a number of tasks, or sums and products of such.
void markPositiveDivisors(mlir::Operation *function);

} // namespace tilec
