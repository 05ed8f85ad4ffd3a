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
    auto collective = dyn_cast<CollectiveOpInterface>(op);
    moves |= static_cast<bool>(collective);
    // Sums that every rank receives whole may take a second shot.
    reduces |= collective && collective.reduces() && !collective.getPartsDim();
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

/// True when some wait stands in a loop that accesses memory.
static bool waitsInLoops(ProgramOp program) {
  return program
      .walk([](WaitOp wait) {
        for (auto loop = wait->getParentOfType<scf::ForOp>(); loop; loop = loop->getParentOfType<scf::ForOp>())
          if (loop.walk([](AccessOpInterface) { return WalkResult::interrupt(); }).wasInterrupted())
            return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

static Candidate weigh(ProgramOp program, const PipelineOptions &options, StringRef pattern, StringRef granularity,
                       const Target &target) {
  Candidate candidate{pattern.str(), granularity.str(), "", false, {}};
  OwningOpRef<ModuleOp> module = ModuleOp::create(program.getLoc());
  module->getBody()->push_back(program->clone());
  ScopedDiagnosticHandler handler(program.getContext(), [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error && candidate.refusal.empty())
      candidate.refusal = diagnostic.str();
    return success();
  });
  PipelineOptions trial = options;
  trial.pattern = pattern.str();
  trial.granularity = granularity.str();
  PassManager manager(program.getContext());
  if (failed(buildPipeline(manager, trial, "waits")) || failed(manager.run(*module))) {
    if (candidate.refusal.empty())
      candidate.refusal = "does not compile";
    return candidate;
  }
  auto trialProgram = *module->getOps<ProgramOp>().begin();
  candidate.waitsInLoops = waitsInLoops(trialProgram);
  candidate.prediction = predict(trialProgram, target, modelledExtents(program, options.extents));
  return candidate;
}

/// The best first; stable: among equals the one that was tried first, which synchronises least.
static void rank(std::vector<Candidate> &candidates) {
  llvm::stable_sort(candidates, [](const Candidate &a, const Candidate &b) {
    if (a.refusal.empty() != b.refusal.empty())
      return a.refusal.empty();
    return a.refusal.empty() && a.prediction.microseconds < b.prediction.microseconds;
  });
}

/// A granularity between the extremes: what a pattern can gain from waits in loops.
static constexpr StringLiteral probe = "group-4";

std::vector<Candidate> tilec::weighPatterns(ProgramOp program, const PipelineOptions &options, const Target &target) {
  std::vector<Candidate> candidates;
  StringRef given =
      options.granularity.empty() ? program.getGranularity().value_or("") : StringRef(options.granularity);
  for (const std::string &pattern : spellings(program)) {
    std::vector<Candidate> both{weigh(program, options, pattern, given.empty() ? "task" : given, target)};
    if (given.empty() && !StringRef(pattern).starts_with("bulk"))
      if (Candidate probed = weigh(program, options, pattern, probe, target); probed.waitsInLoops)
        both.push_back(probed);
    rank(both);
    candidates.push_back(both.front());
  }
  rank(candidates);
  return candidates;
}

std::vector<Candidate> tilec::weighGranularities(ProgramOp program, const PipelineOptions &options, StringRef pattern,
                                                 const Target &target) {
  std::vector<Candidate> candidates{weigh(program, options, pattern, "task", target)};
  Candidate finest = weigh(program, options, pattern, "tile", target);
  if (!finest.waitsInLoops)
    return candidates;
  for (StringRef granularity : {"shard", "group-8", "group-4", "group-2"})
    if (Candidate candidate = weigh(program, options, pattern, granularity, target); candidate.waitsInLoops)
      candidates.push_back(candidate);
  candidates.push_back(finest);
  rank(candidates);
  return candidates;
}

/// Whether something stands outside kernels that a pattern is still to be chosen for: a loop or a collective.
static bool hasStatements(ProgramOp program) {
  return llvm::any_of(program.getBody().front(), [](Operation &op) {
    return !isa<KernelOp, SignalsOp, AllocOp>(op) && op.getNumResults() == 0 && !op.hasTrait<OpTrait::IsTerminator>();
  });
}

LogicalResult tilec::choosePatterns(ModuleOp module, const PipelineOptions &options) {
  for (ProgramOp program : module.getOps<ProgramOp>()) {
    auto kernels = program.getBody().getOps<KernelOp>();
    if (!options.pattern.empty() && !kernels.empty() && !hasStatements(program)) {
      InFlightDiagnostic diagnostic = program.emitError()
                                      << "pattern '" << options.pattern << "' given for a program in kernel form";
      diagnostic.attachNote((*kernels.begin()).getLoc()) << "its author chose the pattern here";
      return failure();
    }
    FailureOr<Target> target = programTarget(program, options.target);
    if (failed(target))
      return failure();
    bool given = !options.pattern.empty() || program.getPattern();
    std::vector<Candidate> candidates = given ? std::vector<Candidate>() : weighPatterns(program, options, *target);
    // When every pattern is refused the stages say why.
    if (!given && candidates.front().refusal.empty())
      program.setPattern(candidates.front().pattern);
    if (!options.granularity.empty() || program.getGranularity())
      continue;
    StringRef pattern = options.pattern.empty() ? program.getPattern().value_or("") : StringRef(options.pattern);
    std::vector<Candidate> coverings = weighGranularities(program, options, pattern, *target);
    if (coverings.front().refusal.empty())
      program.setGranularity(coverings.front().granularity);
  }
  return success();
}
