// Kernels that are a launch together.
// Belongs here: how a launcher starts them, and what they say of each other. Does not: what they do (ExitProgram).
#pragma once

#include "dialect/Hip.h"
#include "dialect/Tile.h"

namespace tilec::checker {

/// Reports and fails where a kernel is launched beside another one otherwise than `tilec/beside.h` asks.
llvm::LogicalResult checkBeside(tile::ProgramOp program, hip::LauncherOp launcher);

/// Whether workgroups of two kernels may run at a time: those of one kernel, or of two that are a launch together.
bool runTogether(tile::ProgramOp program, hip::KernelOp one, hip::KernelOp other);

} // namespace tilec::checker
