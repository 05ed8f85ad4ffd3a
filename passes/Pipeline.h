// The stages of compilation, in order: the only list of passes.
#pragma once

#include "dialect/Binding.h"
#include "passes/machine/Target.h"

#include "mlir/Pass/PassManager.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilec {

/// What the user chose; empty or 0 means that the compiler chooses.
struct PipelineOptions {
  int64_t world = 0;
  std::string target = kDefaultTarget;
  std::vector<Binding> extents; ///< fixed at compile time
  std::vector<Binding> parameters;
  bool verify = true;
  bool explainLimits = false; ///< say where and why nothing is proven beyond the samples
  bool trace = false;         ///< kernels record what they do (docs/trace.md)
};

/// One stage of `--until=<name>`.
struct PipelineStage {
  llvm::StringLiteral name;
  void (*add)(mlir::OpPassManager &manager, const PipelineOptions &options);
};

/// All stages in order.
llvm::ArrayRef<PipelineStage> getStages();

/// Adds the stages from `from` (the first when empty) up to and including `until` (the last when empty) to a manager of
/// `builtin.module`. Returns failure when no stage has that name.
llvm::LogicalResult buildPipeline(mlir::PassManager &manager, const PipelineOptions &options,
                                  llvm::StringRef until = "", llvm::StringRef from = "");

} // namespace tilec
