// Memory that others write while a kernel reads it.
#pragma once

#include "passes/checker/ExitMemory.h"
#include "passes/checker/RoleProgram.h"

namespace tilec::checker {

/// Fails at a load of such memory that may be read past a wait: one that the device compiler may hoist, or through a
/// `__restrict__` pointer. `program` is of the exit dialect, `memory` knows the arguments of all its kernels.
mlir::LogicalResult checkLiveMemory(const ProgramCode &program, const ExitMemory &memory);

} // namespace tilec::checker
