// Asks the stages themselves: a copy of the program for each choice, with the pattern it then has.
#include "passes/choose/OwnWorkgroups.h"

#include "dialect/OwnWorkgroups.h"
#include "dialect/QuietThread.h"
#include "passes/ProgramTarget.h"
#include "passes/choose/Candidates.h"
#include "passes/choose/RowTiles.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// A choice must save so much to be taken before a smaller one.
static constexpr double kSavesEnough = 0.002;

/// Parameters of `on @P workgroups` that neither the user nor the author chose.
static SmallVector<ParamOp> openNumbers(ProgramOp program, const PipelineOptions &options) {
  SmallVector<ParamOp> open;
  for (ParamOp param : program.getBody().getOps<ParamOp>())
    if (isNumberOfWorkgroups(param) && !param.getPreferred() && !valueOf(options.parameters, param.getSymName()))
      open.push_back(param);
  return open;
}

/// The program as it is predicted with the defaults that its parameters have now; nothing where it does not compile so
/// far, or has no world.
static std::optional<Candidate> predicted(ProgramOp program, const PipelineOptions &options, const Target &target) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(program.getLoc());
  module->getBody()->push_back(program->clone());
  QuietThread silence(program.getContext());
  PassManager manager(program.getContext());
  if (failed(buildPipeline(manager, options, "choose")) || failed(manager.run(*module)))
    return std::nullopt;
  ProgramOp copy = *module->getOps<ProgramOp>().begin();
  if (!copy.getWorld() || !copy.getPattern())
    return std::nullopt;
  Candidate best = Candidates(copy, target, options.target).granularities(*copy.getPattern()).front();
  return best.refusal.empty() ? std::optional(best) : std::nullopt;
}

/// A kernel of one statement has no workgroups for it alone: the choice is none, and stays the greatest.
static void chooseOne(ProgramOp program, ParamOp param, const PipelineOptions &options, const Target &target) {
  SmallVector<int64_t> choices(param.getChoices());
  llvm::sort(choices);
  std::optional<int64_t> best;
  std::optional<Candidate> least;
  for (int64_t choice : choices) {
    param.setPreferred(choice);
    std::optional<Candidate> taken = predicted(program, options, target);
    if (!taken || (least && taken->prediction.microseconds > least->prediction.microseconds * (1 - kSavesEnough)))
      continue;
    best = choice;
    least = std::move(taken);
  }
  if (best && least->pattern.getKind() != PatternKind::Bulk)
    param.setPreferred(*best);
  else
    param.removePreferredAttr();
}

void tilec::chooseOwnWorkgroups(ProgramOp program, const PipelineOptions &options) {
  SmallVector<ParamOp> open = openNumbers(program, options);
  if (open.empty())
    return;
  // What is wrong with the target is said by the stages.
  QuietThread silence(program.getContext());
  FailureOr<Target> target = programTarget(program, options.target);
  if (failed(target))
    return;
  // Tiles of rows as they are best on the choice in the middle: they are chosen anew for the one that is taken.
  OwningOpRef<ModuleOp> module = ModuleOp::create(program.getLoc());
  module->getBody()->push_back(program->clone());
  ProgramOp trial = *module->getOps<ProgramOp>().begin();
  SmallVector<ParamOp> tried = openNumbers(trial, options);
  for (ParamOp param : tried) {
    SmallVector<int64_t> choices(param.getChoices());
    llvm::sort(choices);
    param.setPreferred(choices[choices.size() / 2]);
  }
  chooseRowTiles(trial, options);
  for (auto [param, its] : llvm::zip_equal(open, tried)) {
    chooseOne(trial, its, options, *target);
    if (its.getPreferred())
      param.setPreferred(*its.getPreferred());
  }
}
