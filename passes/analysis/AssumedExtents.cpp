// One number for every extent.
#include "passes/analysis/AssumedExtents.h"
#include "passes/analysis/IndexForm.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

double tilec::assumedValue(AffineExpr expr, ProgramOp program) {
  if (!expr)
    return 1;
  SmallVector<AffineExpr> extents(program.getNumExtents(), getAffineConstantExpr(kAssumedExtent, program.getContext()));
  auto constant = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(expr.replaceSymbols(extents), 0, 0));
  return constant ? double(std::max<int64_t>(1, constant.getValue())) : 1;
}

double tilec::assumedTasks(ForallOp loop) {
  auto program = loop->getParentOfType<ProgramOp>();
  double tasks = 1;
  if (Value over = loop.getBuffer()) {
    for (auto [size, tile] : llvm::zip(shapeOf(over), *loop.getTiles()))
      tasks *= std::ceil(assumedValue(size, program) / double(cast<IntegerAttr>(tile).getInt()));
    return tasks;
  }
  int64_t world = program.getWorld().value_or(1);
  if (auto bounds = loop.getBounds() ? overExtents(*loop.getBounds(), loop.getExtents(), world) : std::nullopt)
    for (AffineExpr bound : *bounds)
      tasks *= assumedValue(bound, program);
  return tasks;
}
