// Prints what was chosen, from the program after `order` and from the cost model.
#include "codegen/tilec/commands/Explain.h"
#include "codegen/tilec/Compile.h"
#include "codegen/tilec/Input.h"
#include "codegen/tilec/Tuned.h"
#include "codegen/tilec/commands/Edges.h"
#include "passes/ProgramTarget.h"
#include "passes/choose/Candidates.h"
#include "passes/choose/FitTiles.h"
#include "passes/choose/LoopChoice.h"

#include "llvm/Support/Format.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// All patterns, the best first. Patterns are compared with waits of two granularities; the chosen one has a
/// granularity of its own, and its time is that of the table of granularities.
static std::vector<Candidate> comparedPatterns(Candidates &candidates, GranularityAttr given, PatternAttr chosen,
                                               GranularityAttr granularity) {
  std::vector<Candidate> patterns = candidates.patterns(given, /*prune=*/false);
  for (Candidate &candidate : patterns)
    if (candidate.pattern == chosen && candidate.refusal.empty())
      for (const Candidate &own : candidates.granularities(chosen))
        if (own.granularity == granularity && own.refusal.empty())
          candidate = own;
  llvm::stable_sort(patterns, [](const Candidate &a, const Candidate &b) {
    return a.refusal.empty() && b.refusal.empty() && a.prediction.microseconds < b.prediction.microseconds;
  });
  return patterns;
}

static void printCandidates(ProgramOp program, ArrayRef<Candidate> candidates, const PipelineOptions &options,
                            const Target &target) {
  llvm::raw_ostream &out = llvm::outs();
  out << "  candidates, predicted on " << target.name << " for";
  for (auto [extent, value] : llvm::zip(program.getExtents(), modelledExtents(program, options.extents)))
    out << " " << nameOf(extent) << " = " << value;
  out << ":\n";
  for (const Candidate &candidate : candidates) {
    std::string spelling = candidate.pattern.spell() +
                           (candidate.waitsInLoops || candidate.tallies ? ", " + candidate.granularity.spell() : "");
    out << "    " << llvm::left_justify(spelling, 34);
    if (!candidate.refusal.empty()) {
      out << "refused: " << candidate.refusal << "\n";
      continue;
    }
    const Prediction &time = candidate.prediction;
    out << llvm::format("%9.1f us  (compute %.1f, links %.1f, memory %.1f)\n", time.microseconds,
                        time.computeMicroseconds, time.linkMicroseconds, time.memoryMicroseconds);
  }
}

/// The same pattern with other granularities, where waits can stand in a loop, or tasks count by chiplet.
static void printGranularities(Candidates &trials, PatternAttr pattern) {
  std::vector<Candidate> candidates = trials.granularities(pattern);
  if (candidates.size() < 2)
    return;
  llvm::outs() << "  granularity of waits, with " << pattern.spell() << ":\n";
  for (const Candidate &candidate : candidates) {
    double waits = 0, fill = 0;
    for (const RoleCost &role : candidate.prediction.roles) {
      waits += role.waits;
      fill = std::max(fill, role.fillMicroseconds);
    }
    llvm::outs() << "    " << llvm::left_justify(candidate.granularity.spell(), 34)
                 << llvm::format("%9.1f us  (%.0f waits, the first tasks begin after %.1f us)\n",
                                 candidate.prediction.microseconds, waits, fill);
  }
}

static void printRoles(ProgramOp program, const PipelineOptions &options, const Target &target) {
  Prediction prediction = predict(program, target, modelledExtents(program, options.extents));
  for (const RoleCost &role : prediction.roles) {
    llvm::outs()
        << "  role " << role.role << " of " << role.kernel << ": "
        << llvm::format(
               "%.0f tasks, %.1f Mflop, %.2f MB local, %.2f MB pulled, %.2f MB pushed, %.0f signals, %.0f waits",
               role.tasks, role.flops / 1e6, role.localBytes / 1e6, role.pulledBytes / 1e6, role.pushedBytes / 1e6,
               role.signals, role.waits);
    if (role.isBeside)
      llvm::outs() << ", by a wave of each workgroup";
    if (role.workgroups)
      llvm::outs() << ", on " << role.workgroups << " workgroups of its own";
    llvm::outs() << llvm::format(", %.1f us", role.microseconds) << "\n";
  }
}

/// One loop: what it is made of, and what it takes of a compute unit.
static void printLoop(const LoopCost &loop, bool swapped) {
  TileSizes tiles = loop.tiles;
  if (swapped)
    std::swap(tiles.rows, tiles.columns);
  std::string spelling = std::to_string(tiles.rows) + "x" + std::to_string(tiles.columns) + "x" +
                         std::to_string(tiles.depth) + ", waves=" + std::to_string(loop.waves) +
                         ",slots=" + std::to_string(loop.slots);
  llvm::outs() << "    " << llvm::left_justify(spelling, 34);
  // A tile that was given may have another loop than the model knows, or none that runs copies ahead.
  if (loop.resident < 1) {
    llvm::outs() << "not predicted: by the model it takes " << loop.ldsBytes << " bytes of LDS and " << loop.registers
                 << " registers of a lane, or its copies cannot run ahead\n";
    return;
  }
  llvm::outs() << llvm::format(
      "%9.1f kclk  %.2f of peak by %s  (matrix %.0f, LDS %.0f, copies %.0f, issue %.0f, latency "
      "%.0f; %d resident)\n",
      loop.clocks / 1e3, loop.reached(), nameOf(loop.bound).data(), loop.matrix, loop.lds, loop.copies, loop.issue,
      loop.latency, static_cast<int>(loop.resident));
}

/// The loops that products may have, the expected one first.
static void printLoops(ProgramOp written, ProgramOp specialized, const PipelineOptions &options, const Target &target) {
  constexpr size_t most = 8;
  declareTiles(written);
  SmallVector<MatmulOp> before, products;
  written.walk([&](MatmulOp op) { before.push_back(op); });
  specialized.walk([&](MatmulOp op) { products.push_back(op); });
  for (auto [open, product] : llvm::zip(before, products)) {
    LoopCost expected = expectedLoop(product, target);
    llvm::outs() << "  loop of " << nameOf(product.getDestination()) << ": " << expected.instruction
                 << (product.getSwapped() ? ", swapped" : "")
                 << (product.getSplit() ? ", split " + std::to_string(*product.getSplit()) : "")
                 << (product.getBehind() ? " behind " + std::to_string(*product.getBehind()) : "")
                 << "; clocks of a step on one of " << target.units() << " units:\n";
    printLoop(expected, product.getSwapped());
    auto isExpected = [&](const LoopCost &loop) {
      return loop.tiles.rows == expected.tiles.rows && loop.tiles.columns == expected.tiles.columns &&
             loop.tiles.depth == expected.tiles.depth && loop.waves == expected.waves && loop.slots == expected.slots;
    };
    std::vector<LoopCost> others = loopCandidates(open, product, options.parameters, target);
    llvm::erase_if(others, isExpected);
    for (const LoopCost &loop : ArrayRef(others).take_front(most))
      printLoop(loop, product.getSwapped());
    if (others.size() > most)
      llvm::outs() << "    and " << others.size() - most << " more\n";
  }
}

static void printOrders(ProgramOp program) {
  program.walk([&](ForallOp forall) {
    auto role = dyn_cast<RoleOp>(forall->getParentOp());
    if (!role)
      return;
    llvm::outs() << "  order of " << role.getSymName() << ": ";
    if (forall.getOrder() && !forall.getOrder()->empty())
      llvm::outs() << *forall.getOrder() << "\n";
    else
      llvm::outs() << "as numbered\n";
  });
}

/// What the stages chose, and what they chose it from: `specialized` is the program after `specialize`, `written`
/// before.
static void explainProgram(ProgramOp written, ProgramOp specialized, ProgramOp program, const PipelineOptions &options,
                           const Target &target) {
  PatternAttr pattern = program.getPattern().value_or(PatternAttr::getDefault(program.getContext()));
  GranularityAttr granularity = program.getGranularity().value_or(GranularityAttr::getDefault(program.getContext()));
  llvm::outs() << program.getSymName() << ": pattern " << pattern.spell()
               << (written.getPattern() ? " (given)" : " (chosen)") << ", world " << program.getWorld().value_or(1)
               << ", granularity " << granularity.spell() << (written.getGranularity() ? " (given)" : " (chosen)")
               << "\n";
  if (DictionaryAttr parameters = program.getParametersAttr())
    for (NamedAttribute parameter : parameters)
      llvm::outs() << "  " << parameter.getName().strref() << " = " << cast<IntegerAttr>(parameter.getValue()).getInt()
                   << "\n";
  Candidates candidates(specialized, target, options.target);
  printCandidates(written, comparedPatterns(candidates, written.getGranularityAttr(), pattern, granularity), options,
                  target);
  printGranularities(candidates, pattern);
  printLoops(written, specialized, options, target);
  printRoles(program, options, target);
  printEdges(program, modelledExtents(program, options.extents), target);
  printOrders(program);
}

int tilec::explain(const Options &given) {
  Input input(given);
  if (!input)
    return 1;
  FailureOr<Options> tuned = withTuned(input.get(), withTarget(input.get(), given));
  if (failed(tuned))
    return 1;
  Options options = withWorld(input.get(), *tuned);
  OwningOpRef<ModuleOp> written = input.get().clone(), specialized = input.get().clone();
  if (failed(runStages(input.get(), options, "order", input.text())))
    return 1;
  {
    // What is no error has been said.
    ScopedDiagnosticHandler quiet(input.get().getContext(), [](Diagnostic &diagnostic) {
      return success(diagnostic.getSeverity() != DiagnosticSeverity::Error);
    });
    if (failed(runStages(*specialized, options, "specialize", input.text())))
      return 1;
  }
  for (auto [before, bound, program] :
       llvm::zip(written->getOps<ProgramOp>(), specialized->getOps<ProgramOp>(), input.get().getOps<ProgramOp>())) {
    FailureOr<Target> target = programTarget(program, options.pipeline.target);
    if (failed(target))
      return 1;
    explainProgram(before, bound, program, options.pipeline, *target);
  }
  return 0;
}
