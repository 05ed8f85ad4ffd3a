// Asks footprints of loads which indices of a task they depend on.
#include "passes/analysis/OperandReads.h"
#include "dialect/Relations.h"
#include "passes/analysis/Footprint.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace {

/// The tasks of one loop, with numbers for the extents.
class Windows {
public:
  Windows(ForallOp tasks, ArrayRef<int64_t> extents) : tasks(tasks) {
    MLIRContext *context = tasks.getContext();
    values.push_back(getAffineConstantExpr(tasks->getParentOfType<ProgramOp>().getWorld().value_or(1), context));
    for (int64_t extent : extents)
      values.push_back(getAffineConstantExpr(extent, context));
  }

  bool hasProduct() {
    return tasks.walk([](DotOp) { return WalkResult::interrupt(); }).wasInterrupted();
  }

  /// All of the view that a load reads from; 0 where its size is not known.
  double bytesOf(LoadOp load) {
    double bytes = static_cast<double>(load.getType().getElementTypeBitWidth()) / 8;
    for (int64_t dim = 0; dim < cast<MemRefType>(load.getBuffer().getType()).getRank(); ++dim)
      bytes *= evaluate(getExtent(load.getBuffer(), dim));
    return load.getFrom() ? 0 : bytes;
  }

  /// How often tasks come back to what a load reads: once for each window of rows, where these are one rank's and then
  /// the next one's, and the load depends on columns alone.
  double timesRead(LoadOp load) {
    double height = 1;
    bool inParts = false;
    for (Attribute step : tasks.getOrderAttr() ? tasks.getOrderAttr().getValue() : ArrayRef<Attribute>()) {
      if (auto grouped = dyn_cast<GroupedAttr>(step))
        height = static_cast<double>(grouped.getHeight());
      if (auto first = dyn_cast<RankFirstAttr>(step))
        inParts = tasks.getGridRank() == 2 && first.getDim() == 0;
    }
    auto bounds = tasks.getBounds() ? overExtents(*tasks.getBounds(), tasks.getExtents(), worldOf()) : std::nullopt;
    if (!inParts || !bounds || dependsOn(load, 0) || !dependsOn(load, 1))
      return 1;
    return std::max(1.0, std::ceil(evaluate(bounds->front()) / height));
  }

private:
  int64_t worldOf() { return cast<AffineConstantExpr>(values.front()).getValue(); }

  double evaluate(AffineExpr expr) {
    auto constant = dyn_cast_or_null<AffineConstantExpr>(expr ? simplifyAffineExpr(expr.replaceSymbols(values), 0, 0)
                                                              : AffineExpr());
    return constant ? static_cast<double>(constant.getValue()) : 0;
  }

  bool dependsOn(LoadOp load, size_t dim) {
    Footprint read = Footprint::of(cast<AccessOpInterface>(load.getOperation()));
    return llvm::any_of(read.first, [&](const auto &first) {
      return llvm::any_of(first.terms, [&](const auto &term) { return term.first == tasks.getIndices()[dim]; });
    });
  }

  ForallOp tasks;
  SmallVector<AffineExpr> values; ///< of W and the extents
};

} // namespace

double tilec::operandBytes(LoadOp load, ForallOp tasks, ArrayRef<int64_t> extents, const Target &target) {
  Windows windows(tasks, extents);
  if (target.chiplets > 1 || !windows.hasProduct())
    return 0;
  double bytes = windows.bytesOf(load), kept = static_cast<double>(target.lastCache.bytes) * target.reached.kept;
  return bytes * (bytes > kept ? windows.timesRead(load) : 1);
}
