// Asks footprints of loads which indices of a task they depend on.
#include "passes/analysis/OperandReads.h"
#include "passes/analysis/Footprint.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// Data that come back this late have been displaced: the two halves of an H200's cache keep what both read twice.
constexpr double kKeptShare = 0.5;

namespace {

/// The tasks of one loop, in windows of rows.
class Windows {
public:
  Windows(ForallOp tasks, ArrayRef<int64_t> extents) : tasks(tasks), program(tasks->getParentOfType<ProgramOp>()) {
    for (int64_t extent : extents)
      values.push_back(getAffineConstantExpr(extent, tasks.getContext()));
    for (Attribute step : tasks.getOrderAttr() ? tasks.getOrderAttr().getValue() : ArrayRef<Attribute>()) {
      if (auto grouped = dyn_cast<GroupedAttr>(step))
        height = static_cast<double>(grouped.getHeight());
      if (auto first = dyn_cast<RankFirstAttr>(step))
        inParts = first.getDim() + 2 == tasks.getGridRank();
    }
    auto sizes = tasks.getBounds() ? overExtents(*tasks.getBounds(), tasks.getExtents(), program.getWorld().value_or(1))
                                   : std::nullopt;
    for (AffineExpr size : sizes.value_or(SmallVector<AffineExpr>()))
      bounds.push_back(std::max(1.0, evaluate(size)));
  }

  bool hasProduct() {
    return height > 0 && bounds.size() == 2 &&
           tasks.walk([](DotOp) { return WalkResult::interrupt(); }).wasInterrupted();
  }

  /// Of a load in the loops of a task.
  double bytesOf(LoadOp load, double kept) {
    if (load.getFrom())
      return 0;
    size_t rowsAt = bounds.size() - 2, columnsAt = bounds.size() - 1;
    bool ofRows = dependsOn(load, rowsAt), ofColumns = dependsOn(load, columnsAt);
    auto type = load.getType();
    double bytes = static_cast<double>(type.getNumElements()) * type.getElementTypeBitWidth() / 8;
    for (auto loop = load->getParentOfType<scf::ForOp>(); loop; loop = loop->getParentOfType<scf::ForOp>())
      if (std::optional<AffineExpr> trips = mostTrips(loop))
        bytes *= std::max(1.0, evaluate(*trips));
    if (!ofColumns)
      return ofRows ? bytes * bounds[rowsAt] : 0;
    double whole = bytes * bounds[columnsAt] * (ofRows ? bounds[rowsAt] : 1);
    return whole * (!inParts || ofRows || whole <= kept ? 1 : std::ceil(bounds[rowsAt] / height));
  }

private:
  double evaluate(AffineExpr expr) {
    auto constant = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(expr.replaceSymbols(values), 0, 0));
    return constant ? static_cast<double>(constant.getValue()) : 1;
  }

  bool dependsOn(LoadOp load, size_t dim) {
    Footprint read = Footprint::of(cast<AccessOpInterface>(load.getOperation()));
    return llvm::any_of(read.first, [&](const auto &first) {
      return llvm::any_of(first.terms, [&](const auto &term) { return term.first == tasks.getIndices()[dim]; });
    });
  }

  ForallOp tasks;
  ProgramOp program;
  SmallVector<AffineExpr> values;
  SmallVector<double> bounds;
  double height = 0;
  bool inParts = false; ///< rows go from one rank's to the next one's, in windows of no more
};

} // namespace

double tilec::operandBytes(LoadOp load, ForallOp tasks, ArrayRef<int64_t> extents, const Target &target) {
  if (target.chiplets > 1)
    return 0;
  Windows windows(tasks, extents);
  return windows.hasProduct() ? windows.bytesOf(load, static_cast<double>(target.lastCache.bytes) * kKeptShare) : 0;
}
