// What the oracle expects of one launch, as files: for a program that runs the text where there is no compiler, as on a
// machine with a GPU (test/gpu/ProgramTest.cpp).
#pragma once

#include "codegen/tilec/run/RunInputs.h"

namespace tilec {

/// Writes into `folder`, which is made: launch.json with the program's name, the extents and each argument's name,
/// element type, sizes and strides; and for each argument and rank NAME-RANK.before.npy, the elements before the
/// launch, NAME-RANK.after.npy, the oracle's values after it as f64 or i64, and NAME-RANK.bound.npy, how far an
/// implementation may be from each (f64). Errors are diagnostics at the program.
llvm::LogicalResult writeExpectation(tile::ProgramOp program, llvm::StringRef folder, const PreparedLaunch &launch);

} // namespace tilec
