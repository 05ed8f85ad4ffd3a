// Which overlap pattern, and which granularity of waits, a program gets when its author and user name none: those that
// the cost model likes best.
#pragma once

#include "passes/Pipeline.h"
#include "passes/analysis/CostModel.h"

#include "mlir/IR/BuiltinOps.h"

namespace tilec {

struct Candidate {
  std::string pattern, granularity;
  std::string refusal;       ///< why the program cannot have it; empty when it can
  bool waitsInLoops = false; ///< some wait stands with the loads of a loop
  Prediction prediction;
};

/// Extents the model is asked about: those given as NAME=VALUE, 2048 for the others.
llvm::SmallVector<int64_t> modelledExtents(tile::ProgramOp program, llvm::ArrayRef<std::string> given);

/// Tries every pattern on copies of the program, cheapest first; refused ones last. Each comes with the better of two
/// granularities, one wait before a loop or some in it, unless one is given.
std::vector<Candidate> weighPatterns(tile::ProgramOp program, const PipelineOptions &options, const Target &target);

/// Tries every granularity with one pattern, cheapest first. One candidate where no wait can stand in a loop.
std::vector<Candidate> weighGranularities(tile::ProgramOp program, const PipelineOptions &options,
                                          llvm::StringRef pattern, const Target &target);

/// Gives every program of a module the best pattern, and with it the best granularity, unless the options or the
/// program name them. Reports an unknown target.
llvm::LogicalResult choosePatterns(mlir::ModuleOp module, const PipelineOptions &options);

} // namespace tilec
