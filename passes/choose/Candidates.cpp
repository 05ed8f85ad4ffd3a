// Patterns share the program before them, granularities the kernels of their pattern.
#include "passes/choose/Candidates.h"
#include "passes/Passes.h"
#include "passes/analysis/AssumedExtents.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

SmallVector<int64_t> tilec::modelledExtents(ProgramOp program, ArrayRef<Binding> given) {
  SmallVector<int64_t> extents;
  for (BlockArgument extent : program.getExtents()) {
    auto name = dyn_cast<NameLoc>(extent.getLoc());
    extents.push_back(name ? valueOf(given, name.getName()).value_or(kAssumedExtent) : kAssumedExtent);
  }
  return extents;
}

/// Tiles of a producer that one signal tells of at most: with more, who waits begins late.
static constexpr int64_t kUsualGroup = 8, kCoarseGroup = 64;
/// Tiles of a group that a wave of each workgroup sends: of rows as long as `canBeSentBeside` wants them.
static constexpr int64_t kSentGroup = 16;

/// Whether few workgroups send, and it is known how much one of them does: then signals take their time, and tasks are
/// not what they are short of.
static bool sendsByFew(PatternAttr pattern, const Target &target) {
  return pattern.getKind() == PatternKind::Specialized && target.workgroupGbPerSecond > 0;
}

/// Whether a granularity differs from that of whole tasks: in its waits, or, where few send, in its signals, of which
/// it needs fewer.
static bool differs(const Candidate &candidate, const Candidate &whole, bool byFew) {
  return candidate.waitsInLoops ||
         (byFew && candidate.refusal.empty() && candidate.prediction.microseconds < whole.prediction.microseconds);
}

/// Patterns worth trying: who moves the data matters only where a collective does, and the copy engine may where it is
/// known what it does.
static SmallVector<PatternAttr> patternsFor(ProgramOp program, const Target &target) {
  bool reduces = false, moves = false, sends = false, owns = false;
  program.walk([&](Operation *op) {
    auto statement = dyn_cast<ForallOp>(op);
    owns |= statement && (statement.getWorkgroups() || statement.getWorkgroupsParamAttr());
    auto collective = dyn_cast<CollectiveOpInterface>(op);
    moves |= static_cast<bool>(collective);
    sends |= isa<ReduceScatterOp, AllGatherOp>(op);
    // Sums that every rank receives whole may take a second shot.
    reduces |= collective && collective.reduces() && !collective.getPartsDim();
  });
  MLIRContext *context = program.getContext();
  SmallVector<PatternAttr> result;
  for (PatternKind kind : {PatternKind::Sequential, PatternKind::Specialized, PatternKind::Bulk}) {
    if (!moves)
      result.push_back(PatternAttr::get(context, kind, Remote::Any, Shots::One, false));
    else
      for (Remote remote : {Remote::Push, Remote::Pull, Remote::Staged})
        for (Shots shots : {Shots::One, Shots::Two})
          if (shots == Shots::One || reduces)
            result.push_back(PatternAttr::get(context, kind, remote, shots, false));
  }
  if (moves && target.engineGbPerSecond > 0)
    result.push_back(PatternAttr::get(context, PatternKind::Specialized, Remote::CopyEngine, Shots::One, false));
  if (sends && target.engineGbPerSecond > 0)
    result.push_back(PatternAttr::get(context, PatternKind::Sequential, Remote::CopyEngine, Shots::One, false));
  // Where communication alone has workgroups of its own, one kernel does as well, and is launched once.
  if (owns && !moves)
    result.push_back(PatternAttr::get(context, PatternKind::ProducerConsumer, Remote::Any, Shots::One, false));
  return result;
}

/// True for a loop of a task that accesses memory.
static bool accessesMemory(scf::ForOp loop) {
  return loop.walk([](AccessOpInterface) { return WalkResult::interrupt(); }).wasInterrupted();
}

static bool hasLoops(ModuleOp module) {
  return module
      .walk([](scf::ForOp loop) {
        return loop->getParentOfType<ForallOp>() && accessesMemory(loop) ? WalkResult::interrupt()
                                                                         : WalkResult::advance();
      })
      .wasInterrupted();
}

/// True when some wait stands in a loop that accesses memory.
static bool waitsInLoops(ModuleOp module) {
  return module
      .walk([](WaitOp wait) {
        for (auto loop = wait->getParentOfType<scf::ForOp>(); loop; loop = loop->getParentOfType<scf::ForOp>())
          if (accessesMemory(loop))
            return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

/// `file:line: ` of what a diagnostic is about; nothing where that is in no file.
static std::string placeOf(const Diagnostic &diagnostic) {
  auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
  return place ? (place.getFilename().getValue() + ":" + Twine(place.getLine()) + ": ").str() : "";
}

LogicalResult Candidates::run(ModuleOp module, llvm::function_ref<void(OpPassManager &)> addPasses,
                              std::string &refusal) {
  // Other programs of the file may be compiled by other threads meanwhile: what they report is theirs.
  uint64_t thread = llvm::get_threadid();
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diagnostic) {
    if (llvm::get_threadid() != thread)
      return failure();
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error && refusal.empty())
      refusal = placeOf(diagnostic) + diagnostic.str();
    return success();
  });
  PassManager manager(module.getContext());
  manager.enableVerifier(false);
  addPasses(manager.nest<ProgramOp>());
  if (succeeded(manager.run(module)))
    return success();
  if (refusal.empty())
    refusal = "does not compile";
  return failure();
}

static ProgramOp programIn(ModuleOp module) { return *module.getOps<ProgramOp>().begin(); }

const Candidates::Kernels &Candidates::kernelsOf(PatternAttr pattern) {
  auto [entry, isNew] = kernels.try_emplace(pattern.getAsOpaquePointer());
  Kernels &made = entry->second;
  if (!isNew)
    return made;
  made.module = ModuleOp::create(program.getLoc());
  made.module->getBody()->push_back(program->clone());
  programIn(*made.module).setPatternAttr(pattern);
  auto addPasses = [&](OpPassManager &programs) {
    programs.addPass(createExpand());
    FuseOptions fuse;
    fuse.target = targetName;
    programs.addPass(createFuse(fuse));
  };
  if (failed(run(*made.module, addPasses, made.refusal)))
    return made;
  made.microseconds = predict(programIn(*made.module), target, modelledExtents(program)).microseconds;
  made.loops = hasLoops(*made.module);
  return made;
}

const Candidate &Candidates::weigh(PatternAttr pattern, GranularityAttr granularity) {
  auto [entry, isNew] = weighed.try_emplace({pattern.getAsOpaquePointer(), granularity.getAsOpaquePointer()});
  Candidate &candidate = entry->second;
  if (!isNew)
    return candidate;
  const Kernels &kernels = kernelsOf(pattern);
  candidate.pattern = pattern;
  candidate.granularity = granularity;
  candidate.refusal = kernels.refusal;
  if (!candidate.refusal.empty())
    return candidate;
  OwningOpRef<ModuleOp> module(cast<ModuleOp>((*kernels.module)->clone()));
  programIn(*module).setGranularityAttr(granularity);
  auto addPasses = [&](OpPassManager &programs) {
    WaitsOptions waits;
    waits.target = targetName;
    programs.addPass(createWaits(waits));
    programs.addPass(mlir::createCSEPass());
    programs.addPass(createArrivals());
    TallyOptions tally;
    tally.target = targetName;
    programs.addPass(createTally(tally));
    OrderOptions order;
    order.target = targetName;
    programs.addPass(createOrder(order));
  };
  if (failed(run(*module, addPasses, candidate.refusal)))
    return candidate;
  candidate.waitsInLoops = waitsInLoops(*module);
  candidate.tallies = llvm::any_of(programIn(*module).getBody().getOps<SignalsOp>(),
                                   [](SignalsOp grid) { return grid.getByChiplet(); });
  candidate.prediction = predict(programIn(*module), target, modelledExtents(program));
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

std::vector<Candidate> Candidates::patterns(GranularityAttr given, bool prune) {
  MLIRContext *context = program.getContext();
  // A granularity between the extremes shows what a pattern can gain from waits in loops, a coarse one from few
  // signals.
  auto probe = GranularityAttr::get(context, Coverage::Group, 4);
  auto coarse = GranularityAttr::get(context, Coverage::Group, kCoarseGroup);
  auto sent = GranularityAttr::get(context, Coverage::Group, kSentGroup);
  std::vector<Candidate> candidates;
  double least = std::numeric_limits<double>::infinity();
  for (PatternAttr pattern : patternsFor(program, target)) {
    const Kernels &kernels = kernelsOf(pattern);
    if (prune && kernels.refusal.empty() && kernels.microseconds >= least) {
      ++pruned;
      continue;
    }
    std::vector<Candidate> both{weigh(pattern, given ? given : GranularityAttr::getDefault(context))};
    bool byFew = sendsByFew(pattern, target);
    if (!given && kernels.loops && pattern.getKind() != PatternKind::Bulk)
      for (GranularityAttr other : {probe, byFew ? coarse : probe, byFew ? sent : probe})
        if (const Candidate &probed = weigh(pattern, other); differs(probed, both.front(), byFew))
          both.push_back(probed);
    rank(both);
    if (both.front().refusal.empty())
      least = std::min(least, both.front().prediction.microseconds);
    candidates.push_back(both.front());
  }
  rank(candidates);
  return candidates;
}

/// Waits in loops.
void Candidates::addGroups(PatternAttr pattern, std::vector<Candidate> &candidates) {
  MLIRContext *context = program.getContext();
  if (!kernelsOf(pattern).loops)
    return;
  const Candidate &finest = weigh(pattern, GranularityAttr::get(context, Coverage::Group, 1));
  if (!finest.waitsInLoops)
    return;
  candidates.push_back(weigh(pattern, GranularityAttr::get(context, Coverage::Shard, 1)));
  bool byFew = sendsByFew(pattern, target);
  for (int64_t tiles = byFew ? kCoarseGroup : kUsualGroup; tiles > 1; tiles /= 2)
    candidates.push_back(weigh(pattern, GranularityAttr::get(context, Coverage::Group, tiles)));
  candidates.push_back(finest);
  const Candidate whole = candidates.front();
  llvm::erase_if(candidates, [&](const Candidate &candidate) {
    return candidate.granularity != whole.granularity && !differs(candidate, whole, byFew);
  });
}

/// How much less time a launch must take for its tasks to count by chiplet: no machine has timed that.
static constexpr double kLeastGainOfTallies = 0.02;

/// Waits for whole statements: the first, or behind the first where it gains too little.
void Candidates::addStatement(PatternAttr pattern, std::vector<Candidate> &candidates) {
  if (target.chiplets < 2 || pattern.getKind() == PatternKind::Bulk)
    return;
  const Candidate &all = weigh(pattern, GranularityAttr::get(program.getContext(), Coverage::Statement, 1));
  if (!all.tallies || !all.refusal.empty())
    return;
  const bool gains =
      all.prediction.microseconds < candidates.front().prediction.microseconds * (1 - kLeastGainOfTallies);
  candidates.insert(gains ? candidates.begin() : std::next(candidates.begin()), all);
}

std::vector<Candidate> Candidates::granularities(PatternAttr pattern) {
  std::vector<Candidate> candidates{weigh(pattern, GranularityAttr::getDefault(program.getContext()))};
  addGroups(pattern, candidates);
  rank(candidates);
  addStatement(pattern, candidates);
  return candidates;
}
