// What one wave of a producer moves through LDS, and tells of.
// Belongs here: that nobody else is in its way. Does not: what it moves (ExitProgram).
#pragma once

#include "dialect/Hip.h"

namespace tilec::checker {

/// Of a task that a wave of the producer does: it waits, moves and signals by itself, and consumers do the task where
/// it does not. The wave draws the tasks, so that nobody is in a later one before it has moved what it had to; and no
/// earlier operation of the kernel uses LDS, nor words that lie where its pieces pass.
mlir::LogicalResult checkByProducer(hip::ByProducerOp op, hip::IfProducesOp sides);

} // namespace tilec::checker
