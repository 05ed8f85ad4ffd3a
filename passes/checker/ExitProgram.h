// The kernels of the exit dialect as the bytecode that the checker runs: what is printed, judged like the kernel form.
#pragma once

#include "passes/checker/RoleProgram.h"

namespace tilec::checker {

/// Compiles what `prepare` leaves: kernels in the order in which the launcher launches them, with the program's
/// declarations beside them. There are no tokens in the text, so that its order counts: an access comes after every
/// wait that its task executed before it, a signal publishes every store before it; both are operations of the whole
/// workgroup. Reports and fails where an address is none of the program's buffers or grids, where an index depends on
/// data, and where a kernel does not enter or leave its launch as the library asks.
mlir::FailureOr<ProgramCode> compileExit(tile::ProgramOp program, int64_t waveLanes);

} // namespace tilec::checker
