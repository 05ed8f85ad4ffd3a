// The target that a program is compiled for, as passes see it.
// Belongs here: finding it. Does not: what a target says (analysis/Target).
#pragma once

#include "dialect/Tile.h"
#include "passes/machine/Target.h"

namespace tilec {

/// The target named by a pass's option, else by the program, else gfx942, with the matrix instruction alone that the
/// program's schedule was given. Reports an unknown or malformed one.
mlir::FailureOr<Target> programTarget(tile::ProgramOp program, llvm::StringRef option);

} // namespace tilec
