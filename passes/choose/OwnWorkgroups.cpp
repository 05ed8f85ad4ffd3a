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

/// The least of the choices with which the program takes least; the program with it.
static std::optional<Candidate> chooseOne(ProgramOp program, ParamOp param, const PipelineOptions &options,
                                          const Target &target) {
  SmallVector<int64_t> choices(param.getChoices());
  llvm::sort(choices);
  int64_t best = static_cast<int64_t>(*param.getPreferred());
  std::optional<Candidate> least;
  for (int64_t choice : choices) {
    param.setPreferred(choice);
    std::optional<Candidate> taken = predicted(program, options, target);
    if (!taken || (least && taken->prediction.microseconds > least->prediction.microseconds * (1 - kSavesEnough)))
      continue;
    best = choice;
    least = std::move(taken);
  }
  param.setPreferred(best);
  return least;
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
  // Of other machines it is not known what one workgroup can bring.
  if (target->workgroupGbPerSecond <= 0)
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
  // One is right for what the others have, which the first did not know.
  std::optional<Candidate> last;
  for (int round = 0; round < (open.size() > 1 ? 2 : 1); ++round)
    for (ParamOp param : tried)
      last = chooseOne(trial, param, options, *target);
  // Where each statement is a kernel the numbers say nothing.
  if (!last || last->pattern.getKind() == PatternKind::Bulk)
    return;
  for (auto [param, its] : llvm::zip_equal(open, tried))
    param.setPreferred(*its.getPreferred());
}
