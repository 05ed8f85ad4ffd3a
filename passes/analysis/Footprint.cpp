// Footprints of accesses, through views.
#include "passes/analysis/Footprint.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// Size of dimension `dim` of a view whose size is no expression over the extents: a variable of its own.
static OpFoldResult viewSize(Value buffer, unsigned dim) {
  auto view = buffer.getDefiningOp<memref::SubViewOp>();
  llvm::SmallBitVector dropped = view.getDroppedDims();
  for (auto [i, size] : llvm::enumerate(view.getMixedSizes()))
    if (!dropped.test(i) && dim-- == 0)
      return size;
  llvm_unreachable("a view has as many kept sizes as dimensions");
}

/// One step from a view to its source: offsets and sizes in elements of the source.
static void throughView(memref::SubViewOp view, Footprint &footprint) {
  MLIRContext *context = view.getContext();
  llvm::SmallBitVector dropped = view.getDroppedDims();
  SmallVector<IndexForm> first, clipFirst, clipSize;
  SmallVector<int64_t> size;
  unsigned inner = 0;
  std::optional<unsigned> whole;
  auto offsets = view.getMixedOffsets(), strides = view.getMixedStrides();
  for (unsigned i = 0; i < offsets.size(); ++i) {
    IndexForm offset = IndexForm::of(offsets[i], context);
    if (dropped.test(i)) {
      first.push_back(offset);
      clipFirst.push_back(offset);
      clipSize.push_back(IndexForm::of(1, context));
      size.push_back(1);
      continue;
    }
    IndexForm stride = IndexForm::of(strides[i], context);
    auto constant = dyn_cast<AffineConstantExpr>(stride.constant);
    bool literal = stride.isConstant() && constant;
    footprint.exact &= literal || footprint.size[inner] == 1;
    int64_t step = literal ? constant.getValue() : 1;
    first.push_back(offset + footprint.first[inner] * stride.constant);
    clipFirst.push_back(offset + footprint.clipFirst[inner] * stride.constant);
    clipSize.push_back(footprint.clipSize[inner] * stride.constant);
    size.push_back((footprint.size[inner] - 1) * step + 1);
    if (footprint.whole == inner)
      whole = i;
    ++inner;
  }
  footprint.whole = whole;
  footprint.first = first;
  footprint.clipFirst = clipFirst;
  footprint.clipSize = clipSize;
  footprint.size = size;
}

Footprint Footprint::of(AccessOpInterface access) {
  MLIRContext *context = access.getContext();
  Footprint result;
  result.op = access;
  result.rank = access.getAccessRank();
  result.reads = access.readsBuffer();
  result.writes = access.writesBuffer();
  result.commutation = access.getCommutation();
  result.size = access.getFootprintShape();
  Value buffer = access.getAccessedBuffer();
  SmallVector<AffineExpr> shape = shapeOf(buffer);
  result.whole = access.getEachDim();
  for (auto [i, index] : llvm::enumerate(access.getAccessIndices())) {
    IndexForm form = access.isEach(i) ? IndexForm::of(0, context) : IndexForm::of(index);
    result.first.push_back(access.hasElementOffsets() ? form : form * getAffineConstantExpr(result.size[i], context));
    result.clipFirst.push_back(IndexForm::of(0, context));
    result.clipSize.push_back(shape[i] ? IndexForm::of(shape[i]) : IndexForm::of(viewSize(buffer, i), context));
  }
  while (auto view = buffer.getDefiningOp<memref::SubViewOp>()) {
    throughView(view, result);
    buffer = view.getSource();
  }
  result.root = buffer;
  return result;
}

std::vector<Footprint> tilec::footprintsIn(Operation *op) {
  std::vector<Footprint> result;
  op->walk([&](AccessOpInterface access) { result.push_back(Footprint::of(access)); });
  return result;
}

bool tilec::isForOthers(Operation *op, Value target) {
  for (auto branch = op->getParentOfType<scf::IfOp>(); branch; branch = branch->getParentOfType<scf::IfOp>()) {
    auto compare = branch.getCondition().getDefiningOp<arith::CmpIOp>();
    if (compare && compare.getPredicate() == arith::CmpIPredicate::ne && (!target || compare.getLhs() == target) &&
        compare.getRhs().getDefiningOp<RankOp>() && branch.getThenRegion().isAncestor(op->getParentRegion()))
      return true;
  }
  return false;
}
