// Candidates are compiled as far as `waits` on copies of the program and weighed by the cost model.
#include "passes/Choice.h"
#include "passes/ProgramTarget.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

SmallVector<int64_t> tilec::modelledExtents(ProgramOp program, ArrayRef<std::string> given) {
  SmallVector<int64_t> extents;
  for (BlockArgument extent : program.getExtents()) {
    extents.push_back(2048);
    auto name = dyn_cast<NameLoc>(extent.getLoc());
    for (StringRef binding : given)
      if (auto [left, right] = binding.split('='); name && left == name.getName().strref())
        (void)right.getAsInteger(10, extents.back());
  }
  return extents;
}

/// Spellings worth trying: who moves the data matters only where a collective does.
static SmallVector<std::string> spellings(ProgramOp program) {
  bool reduces = false, moves = false;
  program.walk([&](Operation *op) {
    reduces |= isa<AllReduceOp>(op);
    moves |= isa<AllGatherOp, AllToAllOp, ReduceScatterOp, AllReduceOp, ShiftOp>(op);
  });
  SmallVector<std::string> result;
  for (StringRef kind : {"sequential", "specialized", "bulk"}) {
    if (!moves)
      result.push_back(kind.str());
    else
      for (StringRef remote : {"-push", "-pull", "-staged"})
        for (StringRef shots : {"", "-two-shot"})
          if (shots.empty() || reduces)
            result.push_back((kind + remote + shots).str());
  }
  return result;
}

static Candidate weigh(ProgramOp program, const PipelineOptions &options, StringRef pattern, const Target &target) {
  Candidate candidate{pattern.str(), "", {}};
  OwningOpRef<ModuleOp> module = ModuleOp::create(program.getLoc());
  module->getBody()->push_back(program->clone());
  ScopedDiagnosticHandler handler(program.getContext(), [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error && candidate.refusal.empty())
      candidate.refusal = diagnostic.str();
    return success();
  });
  PipelineOptions trial = options;
  trial.pattern = pattern.str();
  PassManager manager(program.getContext());
  if (failed(buildPipeline(manager, trial, "waits")) || failed(manager.run(*module))) {
    if (candidate.refusal.empty())
      candidate.refusal = "does not compile";
    return candidate;
  }
  auto trialProgram = *module->getOps<ProgramOp>().begin();
  candidate.prediction = predict(trialProgram, target, modelledExtents(program, options.extents));
  return candidate;
}

std::vector<Candidate> tilec::weighPatterns(ProgramOp program, const PipelineOptions &options, const Target &target) {
  std::vector<Candidate> candidates;
  for (const std::string &pattern : spellings(program))
    candidates.push_back(weigh(program, options, pattern, target));
  // Stable: among equals the first spelling, which synchronises least.
  llvm::stable_sort(candidates, [](const Candidate &a, const Candidate &b) {
    if (a.refusal.empty() != b.refusal.empty())
      return a.refusal.empty();
    return a.refusal.empty() && a.prediction.microseconds < b.prediction.microseconds;
  });
  return candidates;
}

LogicalResult tilec::choosePatterns(ModuleOp module, const PipelineOptions &options) {
  for (ProgramOp program : module.getOps<ProgramOp>()) {
    auto kernels = program.getBody().getOps<KernelOp>();
    if (!options.pattern.empty() && !kernels.empty()) {
      InFlightDiagnostic diagnostic = program.emitError()
                                      << "pattern '" << options.pattern << "' given for a program in kernel form";
      diagnostic.attachNote((*kernels.begin()).getLoc()) << "its author chose the pattern here";
      return failure();
    }
    if (!options.pattern.empty() || program.getPattern())
      continue;
    FailureOr<Target> target = programTarget(program, options.target);
    if (failed(target))
      return failure();
    std::vector<Candidate> candidates = weighPatterns(program, options, *target);
    // When every pattern is refused the stages say why.
    if (candidates.front().refusal.empty())
      program.setPattern(candidates.front().pattern);
  }
  return success();
}
