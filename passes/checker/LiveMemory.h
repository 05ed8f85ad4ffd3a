// Memory that others write while a kernel reads it.
#pragma once

#include "passes/checker/ExitMemory.h"
#include "passes/checker/RoleProgram.h"

namespace tilec::checker {

/// Fails at a load of such memory that may be read past a wait: one that the device compiler may hoist, or through a
/// `__restrict__` pointer. `program` is of the exit dialect, `memory` knows the arguments of all its kernels.
mlir::LogicalResult checkLiveMemory(const ProgramCode &program, const ExitMemory &memory);

/// A number that steers a task is read by all of its waves, each when it comes to the task. It must be the same for
/// all, and no signal of the task says that each wave has read it: so nothing in the kernel, on any rank, may write
/// it.
/// Of accesses from `first` on, which are those of a launch of one kernel or two.
llvm::LogicalResult checkReadAhead(const ProgramCode &program, size_t first);

} // namespace tilec::checker
