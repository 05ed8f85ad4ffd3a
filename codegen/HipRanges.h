// Which sums and products may leave their type: those wrap, and C++ says so of unsigned numbers alone.
#pragma once

#include "dialect/Hip.h"

namespace tilec {

/// Whether the operation is a sum, difference or product of type i32 or i64 whose result may not fit. Never an index:
/// what counts elements or tasks fits an int.
bool mayWrap(mlir::Operation *op);

} // namespace tilec
