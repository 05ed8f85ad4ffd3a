// Compares indices with the sizes of scratch, both over the program's extents.
#include "passes/schedule/WholeRuns.h"
#include "passes/analysis/IndexForm.h"
#include "passes/analysis/LayoutConversion.h"
#include "passes/analysis/Workspace.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace {

/// The indices of a load in the dimensions of the scratch that it reads; none where views do more than drop some.
struct Place {
  AllocOp alloc;
  SmallVector<OpFoldResult> indices;
};

} // namespace

static std::optional<Place> placeOf(LoadOp load) {
  SmallVector<OpFoldResult> indices(load.getIndices().begin(), load.getIndices().end());
  Value buffer = load.getBuffer();
  if (auto view = buffer.getDefiningOp<memref::SubViewOp>()) {
    llvm::SmallBitVector dropped = view.getDroppedDims();
    SmallVector<OpFoldResult> all;
    size_t next = 0;
    for (auto [dim, offset] : llvm::enumerate(view.getMixedOffsets())) {
      bool isPlain = getConstantIntValue(offset) == 0 && getConstantIntValue(view.getMixedStrides()[dim]) == 1;
      if (!dropped[dim] && !isPlain)
        return std::nullopt;
      all.push_back(dropped[dim] ? offset : indices[next++]);
    }
    indices = std::move(all);
    buffer = view.getSource();
  }
  auto alloc = buffer.getDefiningOp<AllocOp>();
  return alloc ? std::optional(Place{alloc, indices}) : std::nullopt;
}

/// Of an index a bound that it stays below, over the extents; null where none is known. None of these is negative.
static AffineExpr endOf(OpFoldResult index, scf::ForOp loop, ForallOp tasks) {
  MLIRContext *context = loop.getContext();
  auto constant = [&](int64_t value) { return getAffineConstantExpr(value, context); };
  if (std::optional<int64_t> known = getConstantIntValue(index))
    return *known >= 0 ? constant(*known + 1) : AffineExpr();
  auto value = cast<Value>(index);
  auto program = tasks->getParentOfType<ProgramOp>();
  if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == &tasks.getBody().front()) {
    if (!tasks.getBounds())
      return {};
    unsigned number = llvm::find(tasks.getIndices(), argument) - tasks.getIndices().begin();
    return extentExpressions(program, *tasks.getBounds(), tasks.getExtents())[number];
  }
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         upper = getConstantIntValue(loop.getUpperBound());
  if (value == loop.getInductionVar())
    return lower && upper && *lower >= 0 ? constant(*upper) : AffineExpr();
  if (value.getDefiningOp<RankOp>())
    return constant(program.getWorld().value_or(1));
  auto rest = value.getDefiningOp<arith::RemUIOp>();
  std::optional<int64_t> divisor = rest ? getConstantIntValue(rest.getRhs()) : std::nullopt;
  return divisor && *divisor > 0 ? constant(*divisor) : AffineExpr();
}

static bool isWithin(AffineExpr end, AffineExpr size, unsigned symbols) {
  if (!end)
    return false;
  auto known = dyn_cast<AffineConstantExpr>(end), all = dyn_cast<AffineConstantExpr>(size);
  return known && all ? known.getValue() <= all.getValue()
                      : simplifyAffineExpr(end, 0, symbols) == simplifyAffineExpr(size, 0, symbols);
}

bool schedule::takesWholeRuns(LoadOp load, scf::ForOp loop, ForallOp tasks) {
  if (load.getFrom() || load.getAt() || load.getOtherwise() || load.getType().getRank() != 1)
    return false;
  std::optional<Place> place = placeOf(load);
  int64_t run = load.getType().getDimSize(0), bytes = run * bytesOf(load.getType().getElementType());
  if (!place || bytes % kBulkBytes != 0 || getConstantIntValue(place->indices.back()) != 0)
    return false;
  auto type = cast<MemRefType>(place->alloc.getResult().getType());
  if (type.getElementType() != load.getType().getElementType() || type.getShape().back() != run ||
      cast<MemRefType>(load.getBuffer().getType()).getShape().back() != run)
    return false;
  auto program = tasks->getParentOfType<ProgramOp>();
  SmallVector<AffineExpr> sizes = extentExpressions(program, place->alloc.getSizes(), place->alloc.getExtents());
  for (auto [index, size] : llvm::zip(ArrayRef(place->indices).drop_back(), sizes))
    if (!isWithin(endOf(index, loop, tasks), size, program.getNumExtents()))
      return false;
  return true;
}
