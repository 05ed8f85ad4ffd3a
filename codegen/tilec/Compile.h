// Program to stages to files: what `tilec` does without a subcommand, and the part that its subcommands share.
#pragma once

#include "codegen/tilec/Options.h"

#include "mlir/IR/BuiltinOps.h"

namespace tilec {

/// The three outputs of one program.
struct Outputs {
  std::string name; ///< of the program, and of the files without their endings
  std::string hip, header, manifest;
};

/// Runs the stages up to and including `until` (all when empty). A crash of a pass writes `tilec-crash.mlir`, which holds `source`, and is a
/// failure like any other.
mlir::LogicalResult runStages(mlir::ModuleOp module, const Options &options, llvm::StringRef until, llvm::StringRef source);

/// The outputs of every program of a module after all stages.
mlir::FailureOr<std::vector<Outputs>> makeOutputs(mlir::ModuleOp module, const Options &options, llvm::StringRef source);

/// Writes every file or none.
mlir::LogicalResult writeFiles(llvm::ArrayRef<Outputs> outputs, llvm::StringRef folder);

/// `tilec program.mlir ...`: 0, or 1 after an error of the user's.
int compile(const Options &options);

/// `tilec verify`: the stages through `verify`.
int verify(const Options &options);

} // namespace tilec
