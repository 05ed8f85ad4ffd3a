// The overlap patterns and granularities that a program can have, each compiled as far as its waits and weighed by the
// cost model.
// Belongs here: trials on copies. Does not: which candidate a program gets (Choose.cpp).
#pragma once

#include "dialect/Binding.h"
#include "passes/analysis/CostModel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <map>

namespace tilec {

struct Candidate {
  tile::PatternAttr pattern;
  tile::GranularityAttr granularity;
  std::string refusal;       ///< where and why the program cannot have it; empty when it can
  bool waitsInLoops = false; ///< some wait stands with the loads of a loop
  bool tallies = false;      ///< tasks of some statement count by chiplet
  Prediction prediction;
};

/// Extents the model is asked about: those given, 2048 for the others.
llvm::SmallVector<int64_t> modelledExtents(tile::ProgramOp program, llvm::ArrayRef<Binding> given = {});

/// Trials of one program after `specialize`. Each is made once, whoever asks.
class Candidates {
public:
  /// `targetName`: the name of the target, or the path of its file, for passes that load it themselves.
  Candidates(tile::ProgramOp program, const Target &target, llvm::StringRef targetName)
      : program(program), target(target), targetName(targetName) {}

  /// Every pattern, cheapest first, refused ones last. Each comes with the better of two granularities, one wait before
  /// a loop or some in it, unless one is given. With `prune`, without patterns that cannot be the first.
  std::vector<Candidate> patterns(tile::GranularityAttr given, bool prune);

  /// Every granularity with one pattern, cheapest first, but `statement` second where it gains little. One candidate
  /// where no wait can stand in a loop, and no tasks can count by chiplet.
  std::vector<Candidate> granularities(tile::PatternAttr pattern);

  unsigned numWeighed() const { return weighed.size(); }
  unsigned numPruned() const { return pruned; }

private:
  /// The program in kernels, by the pattern, before it has waits.
  struct Kernels {
    mlir::OwningOpRef<mlir::ModuleOp> module;
    std::string refusal;
    double microseconds = 0; ///< predicted; waits can only add to it
    bool loops = false;      ///< some loop of a task reads memory: waits may stand in it
  };

  const Kernels &kernelsOf(tile::PatternAttr pattern);
  void addGroups(tile::PatternAttr pattern, std::vector<Candidate> &candidates);
  void addStatement(tile::PatternAttr pattern, std::vector<Candidate> &candidates);
  const Candidate &weigh(tile::PatternAttr pattern, tile::GranularityAttr granularity);
  /// Runs passes on a copy; says in `refusal` what they report.
  mlir::LogicalResult run(mlir::ModuleOp module, llvm::function_ref<void(mlir::OpPassManager &)> addPasses,
                          std::string &refusal);

  tile::ProgramOp program;
  const Target &target;
  std::string targetName;
  std::map<const void *, Kernels> kernels;
  std::map<std::pair<const void *, const void *>, Candidate> weighed;
  unsigned pruned = 0;
};

} // namespace tilec
