// A run before anything is launched: its oracle and the extents of its launches. The same for a run on emulated ranks
// and on a device.
#pragma once

#include "codegen/tilec/run/LaunchPlan.h"
#include "codegen/tilec/run/Run.h"
#include "codegen/tilec/run/RunInputs.h"
#include "passes/interpreter/Interpreter.h"

namespace tilec {

struct PlannedRun {
  std::unique_ptr<interpreter::Interpreter> oracle;
  LaunchPlan plan;

  /// Says which extents are other than those asked for, and which were made small for the run to end soon.
  void printChosen(llvm::raw_ostream &stream) const;
};

/// The oracle of `of`: the source, or another form of it. With `countsOnly` it moves no data.
llvm::FailureOr<std::unique_ptr<interpreter::Interpreter>> createOracle(tile::ProgramOp of, const RunOptions &options,
                                                                        bool countsOnly);

/// Errors are diagnostics: extents, parameters, names of arguments and files, memory.
llvm::FailureOr<PlannedRun> planRun(tile::ProgramOp program, const RunOptions &options);

/// Whether the oracle found an order of tasks in every launch. Where it did not, says at which wait.
bool isComparable(llvm::ArrayRef<PreparedLaunch> launches);

} // namespace tilec
