// Asks `specialize` itself: a copy of the program for each set of choices, whose tile loops are then counted.
#include "passes/choose/RowTiles.h"
#include "dialect/OwnWorkgroups.h"
#include "dialect/QuietThread.h"

#include "passes/ProgramTarget.h"
#include "passes/analysis/Contains.h"
#include "passes/analysis/RoundCost.h"
#include "passes/analysis/RowLoopCost.h"
#include "passes/analysis/TaskCost.h"
#include "passes/machine/TileBox.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// A choice must save so much to be taken before a larger one.
static constexpr double kWorthwhile = 0.01;

/// More sets of choices are not all weighed: each is a copy of the program.
static constexpr int64_t kMostSets = 128;

/// Whether a product of the program's statements has the parameter as a side of its tiles.
static bool isOfProduct(ProgramOp program, ParamOp param) {
  auto name = FlatSymbolRefAttr::get(param.getSymNameAttr());
  return llvm::any_of(program.getBody().getOps<MatmulOp>(), [&](MatmulOp product) {
    return product.getTiles() && llvm::is_contained(*product.getTiles(), name);
  });
}

/// Parameters that neither the user nor the author chose, but those of products and of numbers of workgroups, which
/// have choices of their own.
static SmallVector<ParamOp> freeParameters(ProgramOp program, const PipelineOptions &options) {
  SmallVector<ParamOp> open;
  for (ParamOp param : program.getBody().getOps<ParamOp>())
    if (!param.getPreferred() && !valueOf(options.parameters, param.getSymName()) && !isOfProduct(program, param) &&
        !isNumberOfWorkgroups(param))
      open.push_back(param);
  return open;
}

static bool hasOneLoop(ProgramOp program) { return llvm::hasSingleElement(program.getBody().getOps<ForallOp>()); }

/// Whether all tiles have sides that tiles may have: of choices that do not go together `layout` says so, if no others
/// do.
static bool haveLayouts(ModuleOp module) {
  auto isLaidOut = [](Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    return !tile || (tile.hasStaticShape() && hasBox(tile.getShape()));
  };
  return !module
              .walk([&](Operation *op) {
                return llvm::all_of(op->getResultTypes(), isLaidOut) ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// Clocks of the program's tile loops with the defaults that its parameters have now; nothing where it does not compile
/// so far, or has no tile loops.
static std::optional<double> clocksOf(ProgramOp program, const PipelineOptions &options, const Target &target) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(program.getLoc());
  module->getBody()->push_back(program->clone());
  QuietThread silence(program.getContext());
  PassManager manager(program.getContext());
  LogicalResult built = buildPipeline(manager, options, "specialize");
  // As behind `waits`: what a task loads twice it loads once.
  manager.addNestedPass<ProgramOp>(createCSEPass());
  if (failed(built) || failed(manager.run(*module)) || !haveLayouts(*module))
    return std::nullopt;
  double clocks = 0;
  bool multiplies = contains<DotOp>(program), isShared = multiplies && !hasOneLoop(program);
  for (ForallOp forall : (*module->getOps<ProgramOp>().begin()).getBody().getOps<ForallOp>())
    clocks += isShared     ? roundClocks(forall, target, forall.getWorkgroups().value_or(target.units()))
              : multiplies ? rowLoopClocks(forall, target).value_or(0)
                           : taskClocks(forall, target);
  return clocks > 0 ? std::optional(clocks) : std::nullopt;
}

namespace {

/// Walks through all sets of choices, the largest first.
class Search {
public:
  Search(ProgramOp program, const PipelineOptions &options, const Target &target, ArrayRef<ParamOp> open)
      : program(program), options(options), target(target), open(open) {}

  void run() {
    int64_t sets = 1;
    for (ParamOp param : open)
      sets = std::min(sets * static_cast<int64_t>(param.getChoices().size()), kMostSets + 1);
    if (sets <= kMostSets)
      descend(0);
    else
      inTurn();
    for (auto [param, value] : llvm::zip(open, best))
      ParamOp(param).setPreferred(value);
  }

private:
  /// One parameter after the other, from the largest choices on.
  void inTurn() {
    for (ParamOp param : open)
      param.setPreferred(*llvm::max_element(param.getChoices()));
    weigh();
    for (size_t i = 0; i < open.size(); ++i) {
      ParamOp param = open[i];
      for (int64_t choice : largestFirst(param)) {
        param.setPreferred(choice);
        weigh();
      }
      if (!best.empty())
        param.setPreferred(best[i]);
    }
    for (ParamOp param : open)
      param.removePreferredAttr();
  }

  static SmallVector<int64_t> largestFirst(ParamOp param) {
    SmallVector<int64_t> choices(param.getChoices());
    llvm::sort(choices, std::greater<>());
    return choices;
  }

  void descend(size_t position) {
    if (position == open.size())
      return weigh();
    ParamOp param = open[position];
    for (int64_t choice : largestFirst(param)) {
      param.setPreferred(choice);
      descend(position + 1);
    }
    param.removePreferredAttr();
  }

  void weigh() {
    std::optional<double> clocks = clocksOf(program, options, target);
    if (!clocks || (!best.empty() && *clocks > fewest * (1 - kWorthwhile)))
      return;
    fewest = *clocks;
    best = llvm::map_to_vector(open, [](ParamOp param) { return static_cast<int64_t>(*param.getPreferred()); });
  }

  ProgramOp program;
  const PipelineOptions &options;
  const Target &target;
  ArrayRef<ParamOp> open;
  SmallVector<int64_t> best;
  double fewest = 0;
};

} // namespace

void tilec::chooseRowTiles(ProgramOp program, const PipelineOptions &options) {
  if (program.getBody().getOps<ForallOp>().empty())
    return;
  SmallVector<ParamOp> open = freeParameters(program, options);
  if (open.empty())
    return;
  // What is wrong with the target is said by the stages.
  QuietThread silence(program.getContext());
  FailureOr<Target> target = programTarget(program, options.target);
  // Where a copy engine fills slots loops are others.
  bool isOther = contains<DotOp>(program) && hasOneLoop(program);
  if (succeeded(target) && !(isOther && target->lds.mappedRowBytes))
    Search(program, options, *target, open).run();
}
