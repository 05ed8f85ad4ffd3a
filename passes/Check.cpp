// The second checker, over what is printed: LDS against barriers, and once more what `verify` proves of the kernel
// form.
#include "dialect/Conditions.h"
#include "passes/Passes.h"
#include "passes/ProgramTarget.h"
#include "passes/TargetTiles.h"
#include "passes/checker/AtomicScopes.h"
#include "passes/checker/ExitProgram.h"
#include "passes/checker/ExitStructure.h"
#include "passes/checker/Races.h"
#include "passes/checker/Scopes.h"
#include "passes/checker/SharedExecution.h"
#include "passes/checker/UnwrittenScratch.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

namespace tilec {
#define GEN_PASS_DEF_CHECK
#include "passes/Passes.h.inc"
} // namespace tilec

namespace {

/// Beyond the first group of K-steps that share a wait. An extent of which `verify` has tried a greater value gets
/// that.
constexpr int64_t kLongExtent = 2100;

class Check : public tilec::impl::CheckBase<Check> {
public:
  using CheckBase::CheckBase;

  void runOnOperation() override {
    tile::ProgramOp program = getOperation();
    FailureOr<Target> target = programTarget(program, this->target);
    if (failed(target))
      return signalPassFailure();
    bool wrong = false;
    for (auto kernel : program.getBody().getOps<hip::KernelOp>()) {
      wrong |= failed(verifyForTarget(kernel, *target)) || failed(SharedExecution(kernel).run());
      ++numKernels;
    }
    if (wrong || (protocol && failed(checkProtocol(program, target->waveLanes))))
      signalPassFailure();
  }

private:
  /// Repeats the proof on the exit dialect for the first of the samples that `verify` noted. Without its note nothing
  /// is claimed of the program's signals, and nothing is checked.
  LogicalResult checkProtocol(tile::ProgramOp program, int64_t waveLanes) {
    DictionaryAttr verified = program.getVerifiedAttr();
    auto values = verified ? verified.getAs<ArrayAttr>("samples") : ArrayAttr();
    if (!values)
      return success();
    FailureOr<ProgramCode> code = compileExit(program, waveLanes);
    if (failed(code))
      return failure();
    Findings findings(maxErrors);
    SmallVector<SmallVector<int64_t>> chosen;
    for (Attribute sample : values.getValue().take_front(samples))
      chosen.emplace_back(cast<DenseI64ArrayAttr>(sample).asArrayRef());
    // Loops that wait once in many steps do so behind their first wait only when an extent is long.
    for (unsigned i = 0, count = chosen.empty() ? 0 : chosen.front().size(); i < count; ++i) {
      SmallVector<int64_t> longer = chosen.front();
      longer[i] = kLongExtent;
      for (auto sample : values.getAsRange<DenseI64ArrayAttr>())
        longer[i] = std::max(longer[i], sample.asArrayRef()[i]);
      // Rows that are longer want a longer pitch; where none fits, no launch has them.
      tile::makeLaunchable(program, *program.getWorld(), longer, [i](unsigned extent) { return extent == i; });
      if (tile::isLaunchable(program, *program.getWorld(), longer))
        chosen.push_back(longer);
    }
    for (ArrayRef<int64_t> sample : chosen) {
      if (failed(checkSample(*code, sample, verified.getAs<IntegerAttr>("launches").getInt(), findings)))
        return failure();
      ++numSamples;
      if (!findings.empty())
        break;
    }
    findings.summarise(program);
    return success(findings.empty());
  }

  static LogicalResult checkSample(const ProgramCode &code, ArrayRef<int64_t> extents, uint32_t launches,
                                   Findings &findings) {
    FailureOr<Trace> trace = traceProgram(code, extents, findings);
    if (failed(trace))
      return failure();
    // Where longer loops make more tasks than are traced, the samples of `verify` have to do.
    if (trace->partial())
      return success();
    checkTaskCounts(*trace, extents, findings);
    Cells cells(*trace);
    checkScopes(*trace, findings);
    checkAtomicScopes(*trace, cells, findings);
    checkScratch(*trace, cells, findings);
    Execution execution(*trace, launches, findings);
    Races races(*trace, cells, execution, findings);
    execution.run([&](uint32_t launch, uint32_t thread, uint32_t access) { races.visit(launch, thread, access); });
    races.checkCompletion();
    return success();
  }
};

} // namespace
