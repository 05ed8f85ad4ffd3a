// The second checker, over what is printed: LDS against barriers, and once more what `verify` proves of the kernel
// form.
#include "passes/Passes.h"
#include "passes/SharedExecution.h"
#include "passes/analysis/ExitProgram.h"
#include "passes/analysis/Races.h"
#include "passes/analysis/Scopes.h"
#include "passes/analysis/UnwrittenScratch.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

namespace tilec {
#define GEN_PASS_DEF_CHECK
#include "passes/Passes.h.inc"
} // namespace tilec

namespace {

class Check : public tilec::impl::CheckBase<Check> {
public:
  using CheckBase::CheckBase;

  void runOnOperation() override {
    tile::ProgramOp program = getOperation();
    bool wrong = false;
    for (auto kernel : program.getBody().getOps<hip::KernelOp>()) {
      wrong |= failed(SharedExecution(kernel).run());
      ++numKernels;
    }
    if (wrong || (protocol && failed(checkProtocol(program))))
      signalPassFailure();
  }

private:
  /// Repeats the proof on the exit dialect for the first of the samples that `verify` noted. Without its note nothing
  /// is claimed of the program's signals, and nothing is checked.
  LogicalResult checkProtocol(tile::ProgramOp program) {
    DictionaryAttr verified = program.getVerifiedAttr();
    auto values = verified ? verified.getAs<ArrayAttr>("values") : ArrayAttr();
    if (!values)
      return success();
    FailureOr<ProgramCode> code = compileExit(program);
    if (failed(code))
      return failure();
    Findings findings(maxErrors);
    for (Attribute sample : values.getValue().take_front(samples)) {
      if (failed(checkSample(*code, cast<DenseI64ArrayAttr>(sample).asArrayRef(),
                             verified.getAs<IntegerAttr>("launches").getInt(), findings)))
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
    Cells cells(*trace);
    checkScopes(*trace, findings);
    checkScratch(*trace, cells, findings);
    Execution execution(*trace, launches, findings);
    Races races(*trace, cells, execution, findings);
    execution.run([&](uint32_t launch, uint32_t thread, uint32_t access) { races.visit(launch, thread, access); });
    races.checkCompletion();
    return success();
  }
};

} // namespace
