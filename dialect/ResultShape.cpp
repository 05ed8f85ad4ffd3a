// One rule for each family: sizes that are written, a product's sums, a dimension less, dimensions in another order,
// else elementwise.
#include "dialect/ResultShape.h"
#include "dialect/Combination.h"
#include "dialect/Tile.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// Elementwise operations of arith and math: what any operand says of a size.
static SmallVector<int64_t> shapeOfOperands(Operation *op, int64_t rank) {
  SmallVector<int64_t> shape;
  for (Value operand : op->getOperands()) {
    auto tile = dyn_cast<RankedTensorType>(operand.getType());
    if (!tile || tile.getRank() != rank)
      continue;
    if (shape.empty())
      shape.assign(tile.getShape().begin(), tile.getShape().end());
    for (auto [size, known] : llvm::zip(shape, tile.getShape()))
      size = ShapedType::isDynamic(size) ? known : size;
  }
  return shape;
}

SmallVector<int64_t> tilec::tile::resultShape(Operation *op, RankedTensorType type) {
  if (auto shaped = dyn_cast<ShapedOpInterface>(op))
    return llvm::map_to_vector(shaped.getTileAttr(), [](Attribute size) {
      auto known = dyn_cast<IntegerAttr>(size);
      return known ? known.getInt() : ShapedType::kDynamic;
    });
  if (auto dot = dyn_cast<DotOp>(op))
    return SmallVector<int64_t>(dot.getAcc().getType().getShape());
  if (std::optional<uint64_t> removed = removedDim(op)) {
    SmallVector<int64_t> shape(cast<RankedTensorType>(op->getOperand(0).getType()).getShape());
    shape.erase(shape.begin() + static_cast<int64_t>(*removed));
    return shape;
  }
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return llvm::map_to_vector(transpose.getPermutation(),
                               [&](int64_t dim) { return transpose.getOperand().getType().getDimSize(dim); });
  return shapeOfOperands(op, type.getRank());
}
