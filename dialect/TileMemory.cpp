// Verification of loads, stores and atomics, and their access interface.
#include "dialect/Access.h"
#include "dialect/Combination.h"
#include "dialect/Conversion.h"

using namespace mlir;
using namespace tilec::tile;

SmallVector<int64_t> tilec::tile::footprintOf(Value buffer, ShapedType tile) {
  int64_t rank = cast<MemRefType>(buffer.getType()).getRank();
  SmallVector<int64_t> shape(std::max<int64_t>(0, rank - tile.getRank()), 1);
  shape.append(tile.getShape().begin(), tile.getShape().end());
  return shape;
}

/// Shows where the operands come from whose types disagree.
static LogicalResult elementsDiffer(Operation *op, MemRefType buffer, ShapedType tile) {
  Type kept = buffer.getElementType(), given = tile.getElementType();
  InFlightDiagnostic diagnostic = op->emitOpError()
                                  << "expected a tile of " << kept << ", the element type of the buffer, got " << given;
  bool converts = kept.isIntOrFloat() && given.isIntOrFloat();
  for (Value operand : op->getOperands())
    if (operand.getType() == buffer) {
      Diagnostic &note = diagnostic.attachNote(operand.getLoc()) << "the buffer is declared here";
      if (converts && isa<LoadOp, GatherOp>(op))
        note << "; convert the tile behind the load, with " << howToConvert(kept, given);
    } else if (operand.getType() == tile) {
      Diagnostic &note = diagnostic.attachNote(operand.getLoc()) << "the tile is made here";
      if (converts)
        note << "; convert it with " << howToConvert(given, kept);
    }
  return diagnostic;
}

LogicalResult tilec::tile::verifyAccess(Operation *op, MemRefType buffer, ShapedType tile, OperandRange indices,
                                        Value rank) {
  if (isa_and_nonnull<SharedAttr>(buffer.getMemorySpace()))
    return op->emitOpError() << "expected a buffer in memory, got one in LDS";
  if (buffer.getRank() == 0)
    return op->emitOpError() << "view " << buffer << " has no dimension, expected at least one";
  if (buffer.getElementType() != tile.getElementType())
    return elementsDiffer(op, buffer, tile);
  if (tile.getRank() > buffer.getRank())
    return op->emitOpError() << "tile of rank " << tile.getRank() << ", expected at most " << buffer.getRank()
                             << " as in " << buffer;
  if (static_cast<int64_t>(indices.size()) != buffer.getRank())
    return op->emitOpError() << "has " << indices.size() << " indices, expected " << buffer.getRank() << " as in "
                             << buffer;
  if (rank && !isa_and_nonnull<SymmetricAttr>(buffer.getMemorySpace()))
    return op->emitOpError() << "addresses another rank's copy of " << buffer
                             << ", expected memory space #tile.symmetric";
  return failure(failed(verifyTileSizes(op, tile)) || failed(verifyRank(op, rank)));
}

LogicalResult tilec::tile::verifyOtherwise(Operation *op, MemRefType buffer, Value otherwise) {
  if (otherwise && otherwise.getType() != buffer.getElementType())
    return op->emitOpError() << "value outside the view has type " << otherwise.getType() << ", expected "
                             << buffer.getElementType();
  return success();
}

LogicalResult LoadOp::verify() {
  auto buffer = cast<MemRefType>(getBuffer().getType());
  return failure(failed(verifyTileShape(*this, getTile(), getType())) ||
                 failed(verifyAccess(*this, buffer, getType(), getIndices(), getFrom())) ||
                 failed(verifyOtherwise(*this, buffer, getOtherwise())));
}

LogicalResult StoreOp::verify() {
  return verifyAccess(*this, cast<MemRefType>(getBuffer().getType()), getValue().getType(), getIndices(), getTo());
}

LogicalResult AtomicOp::verify() {
  Type element = getValue().getType().getElementType();
  if (!isAtomicElement(element))
    return emitOpError() << "combines elements of type " << element << ", expected f32, bf16, f16, i32 or i64";
  if (!combinesRanks(getKind()))
    return emitOpError() << "combines by '" << stringifyReduction(getKind())
                         << "', expected 'add', 'maximum' or 'minimum'";
  return verifyAccess(*this, cast<MemRefType>(getBuffer().getType()), getValue().getType(), getIndices(), getOn());
}

Value LoadOp::getAccessedBuffer() { return getBuffer(); }
OperandRange LoadOp::getAccessIndices() { return getIndices(); }
bool LoadOp::hasElementOffsets() { return getAt(); }
Value LoadOp::getAccessRank() { return getFrom(); }
SmallVector<int64_t> LoadOp::getFootprintShape() { return footprintOf(getBuffer(), getType()); }
bool LoadOp::readsBuffer() { return true; }
bool LoadOp::writesBuffer() { return false; }
MutableOperandRange LoadOp::getAfterTokensMutable() { return getAfterMutable(); }

Value StoreOp::getAccessedBuffer() { return getBuffer(); }
OperandRange StoreOp::getAccessIndices() { return getIndices(); }
bool StoreOp::hasElementOffsets() { return getAt(); }
Value StoreOp::getAccessRank() { return getTo(); }
SmallVector<int64_t> StoreOp::getFootprintShape() { return footprintOf(getBuffer(), getValue().getType()); }
bool StoreOp::readsBuffer() { return false; }
bool StoreOp::writesBuffer() { return true; }
MutableOperandRange StoreOp::getAfterTokensMutable() { return getAfterMutable(); }

Value AtomicOp::getAccessedBuffer() { return getBuffer(); }
OperandRange AtomicOp::getAccessIndices() { return getIndices(); }
bool AtomicOp::hasElementOffsets() { return getAt(); }
Value AtomicOp::getAccessRank() { return getOn(); }
SmallVector<int64_t> AtomicOp::getFootprintShape() { return footprintOf(getBuffer(), getValue().getType()); }
bool AtomicOp::readsBuffer() { return true; }
bool AtomicOp::writesBuffer() { return true; }
Attribute AtomicOp::getCommutation() { return getKindAttr(); }
MutableOperandRange AtomicOp::getAfterTokensMutable() { return getAfterMutable(); }
