// Launches as files: for a program that runs the text where there is no compiler, as runtime/runner/ does on a machine
// with a GPU.
#pragma once

#include "codegen/tilec/run/RunInputs.h"

#include "llvm/Support/Error.h"

namespace tilec {

/// Writes into `folder`, which is made: launch.json with the program's name and, of each launch, the extents and each
/// argument's name, element type, sizes and strides. With `expected` also, for each argument, rank and launch,
/// NAME-RANK-LAUNCH.before.npy, the elements before it, NAME-RANK-LAUNCH.after.npy, the oracle's values after it as f64
/// or i64, and NAME-RANK-LAUNCH.bound.npy, how far an implementation may be from each (f64): the oracle's bound, or
/// `tolerance` of the largest magnitude in the argument.
llvm::Error writeExpectation(tile::ProgramOp program, llvm::StringRef folder, llvm::ArrayRef<PreparedLaunch> launches,
                             bool expected, std::optional<double> tolerance);

} // namespace tilec
