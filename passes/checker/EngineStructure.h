// What the copy engine does beside kernels must look like, and how the launcher asks for it.
// Belongs here: which operations there are, and in which order. Does not: accesses and signals (ExitProgram).
#pragma once

#include "dialect/Hip.h"

namespace tilec::checker {

/// Each function of the copy engine is called once, behind a kernel that writes the word it signals with, and before
/// the kernel beside which it runs; behind that one the copies join. It asks for moves and signals, and its arguments
/// are those that it says. A kernel that is launched as one workgroup has no tasks.
mlir::LogicalResult checkEngines(tile::ProgramOp program, hip::LauncherOp launcher);

} // namespace tilec::checker
