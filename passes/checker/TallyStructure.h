// What kernels whose tasks count by chiplet must look like.
// Belongs here: which operations stand where. Does not: which tasks count, and who waits for them (Counts, ExitEvents).
#pragma once

#include "dialect/Hip.h"

namespace tilec::checker {

/// A task that counts says before that it begins, once, in the same block of its loop: else the last one of a chiplet
/// would not know that it is. A kernel makes the words of each such grid ready for the next launch, once, before its
/// tasks.
mlir::LogicalResult checkTallies(hip::KernelOp kernel);

} // namespace tilec::checker
