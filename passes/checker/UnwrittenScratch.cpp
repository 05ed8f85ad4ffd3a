// Per buffer and rank the set of written cells, then every read against it.
#include "passes/checker/UnwrittenScratch.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

namespace {

class UnwrittenScratch {
public:
  UnwrittenScratch(const Trace &trace, const Cells &cells, Findings &findings)
      : trace(trace), cells(cells), findings(findings), written(trace.program->roots.size()) {
    for (auto [root, sets] : llvm::enumerate(written))
      sets.assign(trace.numRanks(), llvm::BitVector(cells.count(root)));
  }

  void run() {
    for (const Access &access : trace.accesses)
      if (site(access).writes && !site(access).reads && isFirst(access))
        for (uint32_t cell : cells.of(access.box))
          written[cells.rootOf(access.box)][access.owner].set(cell);
    seen.clear();
    for (const Thread &thread : trace.threads)
      for (uint32_t i = thread.firstAccess; i < thread.endAccess; ++i)
        visit(thread, trace.accesses[i]);
  }

private:
  const AccessSite &site(const Access &access) const { return trace.program->accesses[access.site]; }

  /// One access to a box stands for all of them.
  bool isFirst(const Access &access) { return seen.insert({access.box, access.owner}).second; }

  bool isScratch(uint32_t root) const {
    auto alloc = trace.program->roots[root].value.getDefiningOp<tile::AllocOp>();
    return alloc && !alloc.getPersistent();
  }

  void visit(const Thread &thread, const Access &access) {
    uint32_t root = cells.rootOf(access.box);
    if (!site(access).reads || !isScratch(root) || !isFirst(access))
      return;
    // A buffer that nothing writes has no cells: its box stands for itself.
    if (!cells.isWritten(root)) {
      SmallVector<int64_t, 4> element;
      ArrayRef<int64_t> box = trace.boxes[access.box];
      for (size_t dim = 1; dim < box.size(); dim += 3)
        element.push_back(box[dim]);
      return report(thread, access, element);
    }
    for (uint32_t cell : cells.of(access.box))
      if (!written[root][access.owner].test(cell))
        return report(thread, access, cells.element(root, cell));
  }

  void report(const Thread &thread, const Access &access, ArrayRef<int64_t> element) {
    const AccessSite &here = site(access);
    Value buffer = trace.program->roots[cells.rootOf(access.box)].value;
    findings.report("unwritten", here.op, nullptr, [&](InFlightDiagnostic &diagnostic) {
      auto name = dyn_cast<NameLoc>(buffer.getLoc());
      diagnostic << (here.writes ? "accumulates into" : "reads") << " element [";
      llvm::interleaveComma(element, diagnostic);
      diagnostic << "] of " << (name ? "'%" + name.getName().str() + "'" : "scratch") << " on rank " << access.owner
                 << ", by " << trace.describe(thread) << ", which no store of the launch writes";
      diagnostic.attachNote(buffer.getLoc()) << "scratch is undefined at the start of every launch";
    });
  }

  const Trace &trace;
  const Cells &cells;
  Findings &findings;
  std::vector<std::vector<llvm::BitVector>> written;  ///< [root][rank]: cells
  llvm::DenseSet<std::pair<uint32_t, uint32_t>> seen; ///< (box, owner)
};

} // namespace

void tilec::checker::checkScratch(const Trace &trace, const Cells &cells, Findings &findings) {
  UnwrittenScratch(trace, cells, findings).run();
}
