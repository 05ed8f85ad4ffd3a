// Marks what other ranks change by atomics, then looks at the owner's.
#include "passes/checker/AtomicScopes.h"

#include "dialect/Hip.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

namespace {

class AtomicScopes {
public:
  AtomicScopes(const Trace &trace, const Cells &cells, Findings &findings)
      : trace(trace), cells(cells), findings(findings) {}

  void run() {
    forEach([&](const Thread &thread, const Access &access) {
      if (access.owner != thread.rank)
        visitForeign(thread, access);
    });
    forEach([&](const Thread &thread, const Access &access) {
      if (access.owner == thread.rank)
        visitOwn(thread, access);
    });
  }

private:
  void forEach(llvm::function_ref<void(const Thread &, const Access &)> visit) {
    for (const Thread &thread : trace.threads)
      for (uint32_t i = thread.firstAccess; i < thread.endAccess; ++i)
        if (isa<hip::AtomicOp>(trace.opOf(trace.accesses[i])))
          visit(thread, trace.accesses[i]);
  }

  bool isWide(const Access &access) const {
    return cast<hip::AtomicOp>(trace.opOf(access)).getScope() == tile::Scope::System;
  }

  void visitForeign(const Thread &thread, const Access &access) {
    Marks &marks = foreign[{cells.rootOf(access.box), access.owner}];
    marks.op = trace.opOf(access);
    marks.cells.resize(cells.count(cells.rootOf(access.box)));
    for (uint32_t cell : cells.of(access.box))
      marks.cells.set(cell);
    if (!isWide(access))
      findings.report("atomic", marks.op, nullptr, [&](InFlightDiagnostic &diagnostic) {
        diagnostic << "atomic at scope 'agent' changes memory of rank " << access.owner << ", in "
                   << trace.describe(thread) << ": 'agent' does not reach another GPU, expected 'system'";
      });
  }

  void visitOwn(const Thread &thread, const Access &access) {
    auto marks = foreign.find({cells.rootOf(access.box), access.owner});
    if (isWide(access) || marks == foreign.end() ||
        llvm::none_of(cells.of(access.box), [&](uint32_t cell) { return marks->second.cells.test(cell); }))
      return;
    findings.report("atomic", trace.opOf(access), nullptr, [&](InFlightDiagnostic &diagnostic) {
      diagnostic << "atomic at scope 'agent' changes what another rank's atomics change too, in "
                 << trace.describe(thread) << ": 'agent' does not reach another GPU, expected 'system'";
      diagnostic.attachNote(marks->second.op->getLoc()) << "the other is here";
    });
  }

  struct Marks {
    Operation *op = nullptr;
    llvm::BitVector cells;
  };

  const Trace &trace;
  const Cells &cells;
  Findings &findings;
  std::map<std::pair<uint32_t, uint32_t>, Marks> foreign; ///< by root and owner: what other ranks' atomics change
};

} // namespace

void tilec::checker::checkAtomicScopes(const Trace &trace, const Cells &cells, Findings &findings) {
  AtomicScopes(trace, cells, findings).run();
}
