// Asks the stages themselves: a copy of the program is compiled as far as its LDS buffers are known.
#include "passes/choose/FitTiles.h"
#include "dialect/QuietThread.h"

#include "passes/ProgramTarget.h"
#include "passes/stage/SharedPlan.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

static FlatSymbolRefAttr declare(ProgramOp program, StringRef name, ArrayRef<int64_t> choices) {
  if (!program.lookupSymbol(name)) {
    OpBuilder builder = OpBuilder::atBlockBegin(&program.getBody().front());
    ParamOp::create(builder, program.getLoc(), builder.getStringAttr(name), builder.getDenseI64ArrayAttr(choices),
                    IntegerAttr());
  }
  return FlatSymbolRefAttr::get(program.getContext(), name);
}

/// Depths to choose from: copy engines spread rows of 128 bytes over the banks.
static SmallVector<int64_t> depthsFor(MatmulOp op) {
  SmallVector<int64_t> depths{16, 32, 64};
  if (cast<MemRefType>(op.getLhs().getType()).getElementTypeBitWidth() <= 8)
    depths.push_back(128);
  return depths;
}

/// Rows to choose from. Those that are no power of two are for tiles that are made as those of the transpose: the rows
/// are the columns of a matrix instruction then, which may be any multiple of 8.
static SmallVector<int64_t> rowsOfTiles() {
  SmallVector<int64_t> rows;
  for (int64_t side = 16; side <= 256; side += 8)
    rows.push_back(side);
  return rows;
}

void tilec::declareTiles(ProgramOp program) {
  program.walk([&](MatmulOp op) {
    if (!op.getTiles())
      op.setTilesAttr(
          Builder(program.getContext())
              .getArrayAttr({declare(program, "BM", rowsOfTiles()),
                             declare(program, "BN", {16, 32, 64, 96, 128, 144, 160, 176, 192, 208, 224, 240, 256}),
                             declare(program, "BK", depthsFor(op))}));
  });
}

namespace {

/// What came of the stages for one set of parameters.
struct Trial {
  int64_t bytes = 0; ///< of LDS, of the kernel that needs most
  DictionaryAttr parameters;

  int64_t value(ParamOp param) const { return parameters.getAs<IntegerAttr>(param.getSymName()).getInt(); }
};

} // namespace

/// Nothing where a stage fails: it will say why when the program itself is compiled.
static std::optional<Trial> tryOut(ProgramOp program, const PipelineOptions &options) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(program.getLoc());
  module->getBody()->push_back(program->clone());
  QuietThread silence(program.getContext());
  PipelineOptions trial = options;
  // LDS does not depend on the order of tasks, and whether the program is right is asked later.
  MLIRContext *context = program.getContext();
  (*module->getOps<ProgramOp>().begin()).setOrderAttr(OrderRuleAttr::get(context, OrderKind::None, 1));
  trial.verify = false;
  PassManager manager(program.getContext());
  if (failed(buildPipeline(manager, trial, "pipeline")) || failed(manager.run(*module)))
    return std::nullopt;
  Trial result;
  auto compiled = *module->getOps<ProgramOp>().begin();
  for (KernelOp kernel : compiled.getBody().getOps<KernelOp>())
    result.bytes = std::max(result.bytes, planShared(kernel).bytes);
  result.parameters = compiled.getParametersAttr();
  return result;
}

/// Parameters that the user did not fix.
static SmallVector<ParamOp> openParameters(ProgramOp program, const PipelineOptions &options) {
  SmallVector<ParamOp> open;
  for (ParamOp param : program.getBody().getOps<ParamOp>())
    if (!valueOf(options.parameters, param.getSymName()))
      open.push_back(param);
  return open;
}

/// A power of two where there is one: other widths are for the loops whose costs ask for them.
static std::optional<int64_t> nextSmaller(ParamOp param, int64_t value) {
  std::optional<int64_t> best;
  auto rank = [](int64_t choice) { return std::pair(llvm::isPowerOf2_64(static_cast<uint64_t>(choice)), choice); };
  for (int64_t choice : param.getChoices())
    if (choice < value && (!best || rank(choice) > rank(*best)))
      best = choice;
  return best;
}

/// For sizes that the user has fixed: smaller choices with which the program fits, one step after the other, each the
/// one that saves most.
static void suggestSmaller(ProgramOp program, const PipelineOptions &options, const Target &target, Trial now) {
  const Trial first = now;
  PipelineOptions smaller = options;
  while (now.bytes > target.lds.bytes) {
    std::optional<Trial> best;
    PipelineOptions bestOptions;
    for (ParamOp param : program.getBody().getOps<ParamOp>())
      for (auto [i, binding] : llvm::enumerate(options.parameters)) {
        std::optional<int64_t> next = nextSmaller(param, now.value(param));
        if (binding.name != param.getSymName() || !next)
          continue;
        PipelineOptions trial = smaller;
        trial.parameters[i].value = *next;
        if (std::optional<Trial> made = tryOut(program, trial); made && (!best || made->bytes < best->bytes)) {
          best = made;
          bestOptions = trial;
        }
      }
    if (!best)
      return;
    now = *best;
    smaller = bestOptions;
  }
  for (ParamOp param : program.getBody().getOps<ParamOp>())
    if (now.value(param) != first.value(param))
      emitWarning(param.getLoc()) << "parameter '" << param.getSymName() << "' is given as " << first.value(param)
                                  << ", with which the program needs " << first.bytes << " bytes of LDS, and "
                                  << target.name << " has " << target.lds.bytes << ": " << now.value(param) << " fits";
}

void tilec::fitTiles(ProgramOp program, const PipelineOptions &options) {
  bool declares =
      program.walk([](MatmulOp op) { return op.getTiles() ? WalkResult::advance() : WalkResult::interrupt(); })
          .wasInterrupted();
  FailureOr<Target> target = failure();
  if (!declares && program.getBody().getOps<ParamOp>().empty())
    return;
  std::optional<Trial> now = tryOut(program, options);
  if (!now || failed(target = programTarget(program, options.target)) || now->bytes <= target->lds.bytes)
    return;
  declareTiles(program);
  SmallVector<ParamOp> params = openParameters(program, options);
  SmallVector<ParamOp> open(params); // sorted anew at each step
  Trial first = *now;
  SmallVector<bool> haveDefaults;
  for (ParamOp param : params) {
    haveDefaults.push_back(param.getPreferred().has_value());
    param.setPreferred(now->value(param));
  }
  while (now->bytes > target->lds.bytes) {
    // The step that saves most, of steps that save alike that of the greatest parameter.
    llvm::stable_sort(open, [&](ParamOp a, ParamOp b) { return now->value(a) > now->value(b); });
    std::optional<Trial> best;
    ParamOp lowered;
    for (ParamOp param : open) {
      std::optional<int64_t> smaller = nextSmaller(param, now->value(param));
      if (!smaller)
        continue;
      param.setPreferred(*smaller);
      if (std::optional<Trial> trial = tryOut(program, options); trial && (!best || trial->bytes < best->bytes)) {
        best = trial;
        lowered = param;
      }
      param.setPreferred(now->value(param));
    }
    // `allocate` says what is wanted and what there is.
    if (!best)
      return suggestSmaller(program, options, *target, *now);
    lowered.setPreferred(best->value(lowered));
    now = best;
  }
  for (auto [param, hasDefault] : llvm::zip_equal(params, haveDefaults))
    if (now->value(param) != first.value(param))
      // Whoever wrote a default hears of it without asking.
      (hasDefault ? emitWarning(param.getLoc()) : emitRemark(param.getLoc()))
          << "parameter '" << param.getSymName() << "' is " << now->value(param) << ": with " << first.value(param)
          << " the program needs " << first.bytes << " bytes of LDS, and " << target->name << " has "
          << target->lds.bytes;
}
