// Program to stages to files: what `tilec` does without a subcommand, and the part that its subcommands share.
#pragma once

#include "codegen/tilec/Options.h"
#include "dialect/Tile.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace tilec {

/// The three outputs of one program.
struct Outputs {
  std::string name; ///< of the program, and of the files without their endings
  std::string hip, header, manifest;
};

/// The text of each program after `verify`, by name; none of a program that was not verified.
using KernelForms = llvm::StringMap<std::string>;

/// Runs the stages up to and including `until` (all when empty). A crash of a pass writes `tilec-crash.mlir`, which
/// holds `source`, and is a failure like any other. Keeps in `forms` what `verify` has accepted. What the program says
/// of its own proof and progress is forgotten first.
mlir::LogicalResult runStages(mlir::ModuleOp module, const Options &options, llvm::StringRef until,
                              llvm::StringRef source, KernelForms *forms = nullptr);

/// The same for a kernel form, from `verify` to the end. Whether its waits and signals were written by hand is its own
/// word.
mlir::LogicalResult runLaterStages(mlir::ModuleOp module, const Options &options, llvm::StringRef source,
                                   KernelForms *forms);

/// The stages behind `verify`, for a module that `runStages` has just taken as far: what `verify` says of it stays.
mlir::LogicalResult runStagesAfterVerify(mlir::ModuleOp module, const Options &options, llvm::StringRef source);

/// A program of which `verify` could check no sample, since all were too large.
bool isUnproven(tile::ProgramOp program);

/// `up to M=200, N=200`: the greatest extents of launches, where `verify` has proven a program for its samples alone;
/// `with M=200; M=40` where workgroups have to be resident, which is proven for those alone; else empty.
std::string launchLimits(tile::ProgramOp program);

/// Reports each of them: neither `verify` nor compiling accepts what nobody has looked at.
mlir::LogicalResult requireProofs(llvm::ArrayRef<tile::ProgramOp> unproven);

/// The outputs of every program of a module after all stages.
mlir::FailureOr<std::vector<Outputs>> makeOutputs(mlir::ModuleOp module, const Options &options, llvm::StringRef source,
                                                  const KernelForms &forms = {});

/// The options with a world of 2 where neither they nor every program of the module say one: `run` and `explain` work
/// without.
Options withWorld(mlir::ModuleOp module, const Options &options);

/// The options with a world of 1 where they say none and no program of the module names a rank: `W`, `tile.rank`, a
/// collective, an access of another rank's copy, a signal.
Options withoutRanks(mlir::ModuleOp module, const Options &options);

/// Writes every file or none.
mlir::LogicalResult writeFiles(llvm::ArrayRef<Outputs> outputs, llvm::StringRef folder);

/// `tilec program.mlir ...`: 0, or 1 after an error of the user's.
int compile(const Options &options);

} // namespace tilec
