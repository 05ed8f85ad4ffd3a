// What a wave of the producer does by itself while the others do their tasks.
// Belongs here: that it needs nobody else. Does not: what it moves (ExitProgram), where its pieces pass
// (SharedExecution).
#pragma once

#include "dialect/Hip.h"

namespace tilec::checker {

/// Whether such a wave does the operation.
bool isSenders(mlir::Operation *op);

/// The wave draws its tasks by itself, and waits, moves and signals alone: nothing in which waves meet, no tile, and no
/// words of others. It moves what the copy engine cannot, too, as nobody else would.
mlir::LogicalResult checkSender(hip::GroupOp group);

} // namespace tilec::checker
