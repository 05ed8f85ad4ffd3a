// The arguments of the launches of a run: what goes in, and what the oracle says comes out.
#pragma once

#include "codegen/tilec/run/ArgumentLayout.h"
#include "codegen/tilec/run/LaunchPlan.h"
#include "dialect/Binding.h"
#include "passes/interpreter/Inputs.h"

namespace tilec {

/// An alloc that the oracle may follow, as the text calls it.
struct FollowedScratch {
  std::string name;
  int64_t bytes = 0; ///< of one copy
};

/// Elements of an argument after a launch that depend on scratch which nobody wrote in it.
struct Undetermined {
  std::vector<bool> elements; ///< empty where none does
  interpreter::Unwritten from;
};

/// One launch: the elements every argument of every rank holds before it, dense and row-major, and the oracle's buffers
/// after it. [rank][argument].
struct PreparedLaunch {
  std::vector<int64_t> extents;
  std::vector<ArgumentLayout> layouts; ///< [argument] the same on all ranks
  std::vector<std::vector<std::vector<char>>> before;
  std::vector<std::vector<interpreter::Buffer>> after;
  std::optional<interpreter::Stuck> stuck;             ///< then `after` means nothing
  bool hasInexactScratch = false;                      ///< following the launch would give other bounds
  std::vector<interpreter::Unwritten> unwritten;       ///< scratch that was read all the same
  std::vector<std::vector<Undetermined>> undetermined; ///< [rank][argument]; empty where nothing is
  std::vector<FollowedScratch> scratch; ///< what lies there then; empty where the next launch goes on with it
};

/// `files`: ARGUMENT=FILE.npy. Runs the oracle once per launch, and again where it read what nobody wrote. Errors are
/// diagnostics at the program.
llvm::FailureOr<std::vector<PreparedLaunch>> prepareLaunches(interpreter::Interpreter &oracle, const LaunchPlan &plan,
                                                             llvm::ArrayRef<std::string> files, uint64_t seed);

/// `given` and further extents that the shapes of the files of rank 0 determine: those that are the
/// only unknown of a dimension of an argument, and its linear function. Leaves errors of files to those who read them.
llvm::FailureOr<std::vector<Binding>> extentsOfInputs(tile::ProgramOp program, int64_t world,
                                                      llvm::ArrayRef<Binding> given, llvm::ArrayRef<std::string> files);

/// Whether `inputs` and `outputs` name arguments and every rank's output has a file of its own. Errors are diagnostics
/// at the program.
llvm::LogicalResult checkFiles(tile::ProgramOp program, llvm::ArrayRef<std::string> inputs,
                               llvm::ArrayRef<std::string> outputs, int64_t world);

/// Writes arguments of one launch, [rank][argument], into ARGUMENT=FILE.npy;
/// all of them or none.
llvm::LogicalResult writeOutputs(tile::ProgramOp program, llvm::ArrayRef<std::string> files, int64_t launch,
                                 llvm::ArrayRef<std::vector<interpreter::Buffer>> arguments);

} // namespace tilec
