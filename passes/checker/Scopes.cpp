// Endpoints against scopes.
#include "passes/checker/Scopes.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

namespace {

class Scopes {
public:
  Scopes(const Trace &trace, Findings &findings)
      : trace(trace), findings(findings), foreign(size_t(trace.wordsPerRank) * trace.numRanks(), nullptr) {}

  void run() {
    forEach(true, [&](const Thread &thread, const Sync &sync) { visitSignal(thread, sync); });
    forEach(false, [&](const Thread &thread, const Sync &sync) { visitWait(thread, sync); });
  }

private:
  void forEach(bool signals, llvm::function_ref<void(const Thread &, const Sync &)> visit) {
    for (const Thread &thread : trace.threads)
      for (uint32_t i = thread.firstSync; i < thread.endSync; ++i)
        if (trace.syncs[i].signal == signals)
          visit(thread, trace.syncs[i]);
  }

  void visitSignal(const Thread &thread, const Sync &sync) {
    uint32_t to = sync.object / trace.wordsPerRank;
    if (to == thread.rank)
      return;
    Operation *op = trace.opOf(sync);
    foreign[sync.object] = op;
    if (trace.program->syncs[sync.site].system)
      return;
    findings.report("scope", op, nullptr, [&](InFlightDiagnostic &diagnostic) {
      diagnostic << "signal at scope 'agent' raises " << trace.describeWord(sync.object) << " from "
                 << trace.describe(thread) << ": 'agent' does not reach another GPU, expected 'system'";
    });
  }

  void visitWait(const Thread &thread, const Sync &sync) {
    Operation *op = trace.opOf(sync);
    if (trace.program->syncs[sync.site].system)
      return;
    const WaitBox &box = trace.waits[sync.object];
    for (uint32_t i = box.begin; i < box.end; ++i) {
      uint32_t word = trace.boxWords[i];
      if (!foreign[word])
        continue;
      findings.report("scope", op, nullptr, [&](InFlightDiagnostic &diagnostic) {
        diagnostic << "wait at scope 'agent' for " << trace.describeWord(word) << ", in " << trace.describe(thread)
                   << ", which another rank raises: 'agent' does not reach another GPU, expected 'system'";
        diagnostic.attachNote(foreign[word]->getLoc()) << "the signal is here";
      });
      return;
    }
  }

  const Trace &trace;
  Findings &findings;
  std::vector<Operation *> foreign; ///< [word]: a signal that another rank raises it by
};

} // namespace

void tilec::checker::checkScopes(const Trace &trace, Findings &findings) { Scopes(trace, findings).run(); }
