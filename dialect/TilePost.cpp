// Verification of tiles whose words tell of themselves, and their access interface.
#include "dialect/Access.h"

using namespace mlir;
using namespace tilec::tile;

/// A whole tile of scratch, which one signal names.
template <class Op>
static LogicalResult verifyWords(Op op, RankedTensorType tile, Value rank) {
  auto buffer = cast<MemRefType>(op.getBuffer().getType());
  if (failed(verifyAccess(op, buffer, tile, op.getIndices(), rank)))
    return failure();
  if (!isa<FloatType>(tile.getElementType()))
    return op.emitOpError() << "moves elements of type " << tile.getElementType()
                            << ", expected floats, which have a zero to spare";
  int64_t dimensions = op.getSignals().getType().getRank();
  if (static_cast<int64_t>(op.getSignal().size()) != dimensions)
    return op.emitOpError() << "names a signal by " << op.getSignal().size() << " indices, expected " << dimensions
                            << " as in " << op.getSignals().getType();
  return success();
}

LogicalResult PostOp::verify() { return verifyWords(*this, getValue().getType(), getTo()); }
LogicalResult ReceiveOp::verify() { return verifyWords(*this, getType(), Value()); }

Value PostOp::getAccessedBuffer() { return getBuffer(); }
OperandRange PostOp::getAccessIndices() { return getIndices(); }
bool PostOp::hasElementOffsets() { return false; }
Value PostOp::getAccessRank() { return getTo(); }
SmallVector<int64_t> PostOp::getFootprintShape() { return footprintOf(getBuffer(), getValue().getType()); }
bool PostOp::readsBuffer() { return false; }
bool PostOp::writesBuffer() { return true; }
bool PostOp::commutes() { return false; }
MutableOperandRange PostOp::getAfterTokensMutable() { return MutableOperandRange(*this, 0, 0); }

Value ReceiveOp::getAccessedBuffer() { return getBuffer(); }
OperandRange ReceiveOp::getAccessIndices() { return getIndices(); }
bool ReceiveOp::hasElementOffsets() { return false; }
Value ReceiveOp::getAccessRank() { return Value(); }
SmallVector<int64_t> ReceiveOp::getFootprintShape() { return footprintOf(getBuffer(), getType()); }
bool ReceiveOp::readsBuffer() { return true; }
bool ReceiveOp::writesBuffer() { return true; }
bool ReceiveOp::commutes() { return false; }
MutableOperandRange ReceiveOp::getAfterTokensMutable() { return MutableOperandRange(*this, 0, 0); }
