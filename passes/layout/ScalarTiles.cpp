// Rewrites tiles of rank 0 to tiles of one element. Changes no other tile.
#include "passes/layout/ScalarTiles.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec::tile;

namespace tilec {

static bool isScalar(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile && tile.getRank() == 0;
}

static void widen(Value value) {
  if (isScalar(value.getType()))
    value.setType(RankedTensorType::get({1}, cast<RankedTensorType>(value.getType()).getElementType()));
}

static Value reshape(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> shape) {
  Type element = cast<RankedTensorType>(value.getType()).getElementType();
  return ReshapeOp::create(builder, loc, RankedTensorType::get(shape, element), value, builder.getI64ArrayAttr(shape));
}

/// The row becomes the only row of a matrix.
static void reduceMatrix(ReduceOp reduce) {
  OpBuilder builder(reduce);
  auto type = reduce.getOperand().getType();
  reduce.getOperandMutable().assign(reshape(builder, reduce.getLoc(), reduce.getOperand(), {1, type.getDimSize(0)}));
  reduce.setDim(1);
}

/// Of a tile with a side that is no power of two: one element along that side first, and the row along the others. A
/// reshape takes such a side for what it is only where nothing but dimensions of one element come or go.
static void broadcastAlong(BroadcastOp broadcast, int64_t dim) {
  OpBuilder builder(broadcast);
  RankedTensorType type = broadcast.getType();
  const int64_t shape[] = {1, type.getDimSize(dim)};
  Value row = BroadcastOp::create(builder, broadcast.getLoc(), RankedTensorType::get(shape, type.getElementType()),
                                  broadcast.getOperand(), ArrayRef<int64_t>{0}, builder.getI64ArrayAttr(shape));
  Value made = reshape(builder, broadcast.getLoc(), row, {shape[1]});
  if (type.getRank() > 1)
    made = BroadcastOp::create(builder, broadcast.getLoc(), type, made, ArrayRef<int64_t>{dim},
                               builder.getI64ArrayAttr(type.getShape()));
  broadcast.replaceAllUsesWith(made);
  broadcast.erase();
}

/// One element along a first dimension of its own, of which the reshape rids the result. Few dimensions: tiles of the
/// generated text have at most four.
static void broadcastElement(BroadcastOp broadcast) {
  OpBuilder builder(broadcast);
  RankedTensorType type = broadcast.getType();
  for (auto [dim, side] : llvm::enumerate(type.getShape()))
    if (!llvm::isPowerOf2_64(side))
      return broadcastAlong(broadcast, static_cast<int64_t>(dim));
  SmallVector<int64_t> shape{1};
  if (type.getRank() > 1)
    shape.push_back(llvm::product_of(type.getShape().drop_back()));
  shape.push_back(type.getShape().back());
  Value repeated = BroadcastOp::create(builder, broadcast.getLoc(), RankedTensorType::get(shape, type.getElementType()),
                                       broadcast.getOperand(), ArrayRef<int64_t>{0}, builder.getI64ArrayAttr(shape));
  broadcast.replaceAllUsesWith(reshape(builder, broadcast.getLoc(), repeated, type.getShape()));
  broadcast.erase();
}

/// Attributes that repeat the shape of what the operation makes.
static void restate(Operation *op) {
  Builder builder(op->getContext());
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    transpose.setPermutation({0});
  } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
    reduceMatrix(reduce);
  } else if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    broadcast.replaceAllUsesWith(broadcast.getOperand());
    broadcast.erase();
  } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto elements = cast<DenseElementsAttr>(constant.getValue());
    constant.setValueAttr(elements.reshape(cast<ShapedType>(constant.getType())));
  } else if (auto shaped = dyn_cast<ShapedOpInterface>(op)) {
    shaped.setTileAttr(builder.getI64ArrayAttr({1}));
  }
}

void giveScalarsADimension(KernelOp kernel) {
  SmallVector<Operation *> made;
  SmallVector<BroadcastOp> broadcasts;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (llvm::any_of(op->getResultTypes(), isScalar))
      made.push_back(op);
    else if (auto broadcast = dyn_cast<BroadcastOp>(op); broadcast && broadcast.getDims().empty())
      broadcasts.push_back(broadcast);
    llvm::for_each(op->getResults(), widen);
    for (Region &region : op->getRegions())
      llvm::for_each(region.getArguments(), widen);
  });
  for (BroadcastOp broadcast : broadcasts)
    broadcastElement(broadcast);
  for (Operation *op : made)
    restate(op);
}

} // namespace tilec
