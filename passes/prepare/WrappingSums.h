// Which sums and products may leave their type: those wrap, and C++ says so of unsigned numbers alone.
#pragma once

#include "dialect/Hip.h"

namespace tilec {

/// Marks with `hip.wraps` each sum, difference or product of type i32 or i64 whose result may not fit. Never an index:
/// what counts elements or tasks fits an int.
void markWrappingSums(hip::KernelOp kernel);

} // namespace tilec
