// Verification of tiles whose words show that they have come, and their access interface.
#include "dialect/Access.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilec::tile;

/// A whole tile of scratch, which one signal names. Who receives names it but for the rank that posts.
template <class Op>
static LogicalResult verifyWords(Op op, RankedTensorType tile, Value rank, int64_t unnamed) {
  auto buffer = cast<MemRefType>(op.getBuffer().getType());
  if (failed(verifyAccess(op, buffer, tile, op.getIndices(), rank)))
    return failure();
  if (!isa<FloatType>(tile.getElementType()))
    return op.emitOpError() << "moves elements of type " << tile.getElementType()
                            << ", expected floats, which have a zero to spare";
  int64_t dimensions = op.getSignals().getType().getRank() - unnamed;
  if (static_cast<int64_t>(op.getSignal().size()) != dimensions)
    return op.emitOpError() << "names a signal by " << op.getSignal().size() << " indices, expected " << dimensions
                            << (unnamed ? " and the rank that posts, as in " : " as in ") << op.getSignals().getType();
  return success();
}

LogicalResult PostOp::verify() { return verifyWords(*this, getValue().getType(), getTo(), /*unnamed=*/0); }
LogicalResult ReceiveOp::verify() { return verifyWords(*this, getTileType(), Value(), /*unnamed=*/1); }
LogicalResult ReceiveAllOp::verify() {
  if (getTiles().empty())
    return emitOpError() << "gives no tile, expected one for each other rank";
  for (Type type : getTiles().getTypes())
    if (type != getTileType() || (getOwn() && type != getOwn().getType()))
      return emitOpError() << "gives tiles of several types, expected one";
  if (failed(verifyWords(*this, getTileType(), Value(), /*unnamed=*/1)))
    return failure();
  int64_t ranks = cast<MemRefType>(getBuffer().getType()).getShape().front();
  int64_t wanted = getOwn() ? ranks : ranks - 1;
  if (static_cast<int64_t>(getTiles().size()) != wanted)
    return emitOpError() << "gives " << getTiles().size() << " tiles, expected " << wanted << " of " << ranks
                         << " ranks";
  if (getConstantIntValue(getIndices().front()) != 0)
    return emitOpError() << "names a rank, expected index 0: it receives from all";
  return success();
}

Value PostOp::getAccessedBuffer() { return getBuffer(); }
OperandRange PostOp::getAccessIndices() { return getIndices(); }
bool PostOp::hasElementOffsets() { return false; }
Value PostOp::getAccessRank() { return getTo(); }
SmallVector<int64_t> PostOp::getFootprintShape() { return footprintOf(getBuffer(), getValue().getType()); }
bool PostOp::readsBuffer() { return false; }
bool PostOp::writesBuffer() { return true; }
MutableOperandRange PostOp::getAfterTokensMutable() { return MutableOperandRange(*this, 0, 0); }

Value ReceiveOp::getAccessedBuffer() { return getBuffer(); }
OperandRange ReceiveOp::getAccessIndices() { return getIndices(); }
bool ReceiveOp::hasElementOffsets() { return false; }
Value ReceiveOp::getAccessRank() { return Value(); }
SmallVector<int64_t> ReceiveOp::getFootprintShape() { return footprintOf(getBuffer(), getTileType()); }
bool ReceiveOp::readsBuffer() { return true; }
bool ReceiveOp::writesBuffer() { return true; }
MutableOperandRange ReceiveOp::getAfterTokensMutable() { return MutableOperandRange(*this, 0, 0); }

Value ReceiveAllOp::getAccessedBuffer() { return getBuffer(); }
OperandRange ReceiveAllOp::getAccessIndices() { return getIndices(); }
bool ReceiveAllOp::hasElementOffsets() { return false; }
Value ReceiveAllOp::getAccessRank() { return Value(); }
/// Those of all ranks.
SmallVector<int64_t> ReceiveAllOp::getFootprintShape() {
  SmallVector<int64_t> shape = footprintOf(getBuffer(), getTileType());
  shape.front() = cast<MemRefType>(getBuffer().getType()).getShape().front();
  return shape;
}
bool ReceiveAllOp::readsBuffer() { return true; }
bool ReceiveAllOp::writesBuffer() { return true; }
MutableOperandRange ReceiveAllOp::getAfterTokensMutable() { return MutableOperandRange(*this, 0, 0); }
