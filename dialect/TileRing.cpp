// Verification of the asynchronous form of a loop over K, and the access interface of its fetches.
#include "dialect/Limits.h"
#include "dialect/Tile.h"

using namespace mlir;
using namespace tilec::tile;

/// Rows of matrices alone are fetched.
static LogicalResult verifyRows(Operation *op, Value value, ArrayRef<int64_t> tile, OperandRange indices, Value rank,
                                int64_t leading = 0) {
  auto buffer = cast<MemRefType>(value.getType());
  if (isa_and_nonnull<SharedAttr>(buffer.getMemorySpace()))
    return op->emitOpError() << "expected a buffer in memory, got one in LDS";
  int64_t dims = buffer.getRank();
  if (dims < 2 || dims > 2 + leading || tile.size() != 2 || static_cast<int64_t>(indices.size()) != dims)
    return op->emitOpError() << "takes tiles of rank " << tile.size() << " from " << buffer << " at " << indices.size()
                             << " indices, expected matrices";
  if (rank && !isa_and_nonnull<SymmetricAttr>(buffer.getMemorySpace()))
    return op->emitOpError() << "addresses another rank's copy of " << buffer
                             << ", expected memory space #tile.symmetric";
  return verifyRank(op, rank);
}

/// Where the steps of a loop go: along the rows of a buffer, down them, or down them to the transpose.
static LogicalResult verifyWay(Operation *op, bool isAcross, bool isByRows) {
  return isAcross && isByRows ? op->emitOpError() << "goes 'across' and 'by_rows' at once, expected one of them"
                              : success();
}

LogicalResult RegularOp::verify() {
  if (failed(verifyWay(*this, getAcross(), getByRows())))
    return failure();
  if (static_cast<int64_t>(getVector()) < 1 || !llvm::isPowerOf2_64(getVector()))
    return emitOpError() << "asks for vectors of " << static_cast<int64_t>(getVector())
                         << " elements, expected a power of two";
  return verifyRows(*this, getBuffer(), getTile(), getIndices(), getFrom());
}

LogicalResult FetchOp::verify() {
  if (failed(verifyWay(*this, getAcross(), getByRows())))
    return failure();
  Type kept = cast<MemRefType>(getBuffer().getType()).getElementType(), given = getType().getElementType();
  if (kept != given)
    return emitOpError() << "yields a tile of " << given << ", expected " << kept << ", the element type of the buffer";
  return verifyRows(*this, getBuffer(), getType().getShape(), getIndices(), getFrom());
}

SmallVector<int64_t> FetchOp::getFootprintShape() {
  SmallVector<int64_t> shape(getType().getShape());
  if (getAcross())
    std::reverse(shape.begin(), shape.end());
  return shape;
}
Value FetchOp::getAccessedBuffer() { return getBuffer(); }
OperandRange FetchOp::getAccessIndices() { return getIndices(); }
bool FetchOp::hasElementOffsets() { return false; }
Value FetchOp::getAccessRank() { return getFrom(); }
bool FetchOp::readsBuffer() { return true; }
bool FetchOp::writesBuffer() { return false; }
MutableOperandRange FetchOp::getAfterTokensMutable() { return getAfterMutable(); }

/// Runs lie within the last dimension of their buffer, whose elements lie side by side.
static LogicalResult verifyRuns(CopyAsyncOp op) {
  auto buffer = cast<MemRefType>(op.getBuffer().getType()), ring = cast<MemRefType>(op.getRing().getType());
  SmallVector<int64_t> strides;
  int64_t offset = 0, run = ring.getDimSize(1), row = buffer.getRank() ? buffer.getShape().back() : 0;
  bool isPlain = op.getFull() && !op.getFrom() && !op.getByRows() && !op.getReadOnce() && !op.getHalved();
  bool isInside = buffer.getRank() && op.getIndices().size() == static_cast<size_t>(buffer.getRank()) &&
                  succeeded(buffer.getStridesAndOffset(strides, offset)) && strides.back() == 1 &&
                  !ShapedType::isDynamic(row) && run > 0 && row % run == 0;
  if (isPlain && isInside)
    return success();
  return op.emitOpError() << "copies runs of " << run << " elements of " << buffer
                          << ", expected whole parts of its last dimension, by the copy engine";
}

/// The half of a slot begins where its swizzle does.
static LogicalResult verifyHalved(CopyAsyncOp op) {
  constexpr int64_t kRows = 16;
  auto kernel = op->getParentOfType<KernelOp>();
  int64_t rows = cast<MemRefType>(op.getRing().getType()).getDimSize(1);
  if (!kernel || !kernel.getPairs())
    return op.emitOpError() << "is 'halved' in a kernel whose workgroups are alone, expected 'pairs' there";
  bool isOnePanel = cast<SharedAttr>(cast<MemRefType>(op.getRing().getType()).getMemorySpace()).getPanel() == 0;
  if (op.getFull() && !op.getReadOnce() && !op.getByRows() && isOnePanel && rows % kRows == 0 &&
      cast<MemRefType>(op.getBuffer().getType()).getRank() == 2)
    return success();
  return op.emitOpError() << "is 'halved' and fills " << rows << " rows, expected a multiple of " << kRows
                          << ", in one panel, of a matrix along whose rows the loop goes";
}

/// Fewer columns than the panels of a slot have, and more than all but one of them.
static LogicalResult verifyColumns(CopyAsyncOp op) {
  auto ring = cast<MemRefType>(op.getRing().getType());
  auto columns = static_cast<int64_t>(*op.getColumns());
  int64_t held = ring.getShape().back(), panel = cast<SharedAttr>(ring.getMemorySpace()).getPanel();
  if (op.getFull() && op.getByRows() && !op.getHalved() && panel > 0 && columns < held && columns > held - panel)
    return success();
  return op.emitOpError() << "has " << columns << " columns for slots of " << held << " in panels of " << panel
                          << ", expected as many as end in the last panel, of a copy 'by_rows' by the copy engine";
}

LogicalResult CopyAsyncOp::verify() {
  auto buffer = cast<MemRefType>(getBuffer().getType()), ring = cast<MemRefType>(getRing().getType());
  bool isRun = copiesRuns();
  if (!isa_and_nonnull<SharedAttr>(ring.getMemorySpace()) || (ring.getRank() != 3 && !isRun) ||
      ring.getElementType() != buffer.getElementType())
    return emitOpError() << "copies " << buffer << " to " << ring << ", expected slots in LDS of the same elements";
  if (getReadOnce() && !getFull())
    return emitOpError() << "is 'read_once' without 'full', expected a copy that the copy engine makes";
  if (isRun)
    return verifyRuns(*this);
  if (getHalved() && failed(verifyHalved(*this)))
    return failure();
  if (getColumns() && failed(verifyColumns(*this)))
    return failure();
  return verifyRows(*this, getBuffer(), ring.getShape().drop_front(), getIndices(), getFrom(),
                    /*leading=*/getFull() ? 1 : 0);
}

Value CopyAsyncOp::getAccessedBuffer() { return getBuffer(); }
OperandRange CopyAsyncOp::getAccessIndices() { return getIndices(); }
bool CopyAsyncOp::hasElementOffsets() { return false; }
Value CopyAsyncOp::getAccessRank() { return getFrom(); }
SmallVector<int64_t> CopyAsyncOp::getTileShape() {
  SmallVector<int64_t> shape(cast<MemRefType>(getRing().getType()).getShape().drop_front());
  if (getColumns())
    shape.back() = static_cast<int64_t>(*getColumns());
  return shape;
}
SmallVector<int64_t> CopyAsyncOp::getFootprintShape() {
  SmallVector<int64_t> slot = getTileShape();
  SmallVector<int64_t> shape(cast<MemRefType>(getBuffer().getType()).getRank() - slot.size(), 1);
  llvm::append_range(shape, slot);
  return shape;
}
bool CopyAsyncOp::readsBuffer() { return true; }
bool CopyAsyncOp::writesBuffer() { return false; }
MutableOperandRange CopyAsyncOp::getAfterTokensMutable() { return getAfterMutable(); }

LogicalResult AwaitOp::verify() {
  uint64_t left = getLeft().value_or(0);
  return left < kMostInFlight ? success()
                              : emitOpError()
                                    << "leaves " << static_cast<int64_t>(left) << " accesses in flight, expected 0 to "
                                    << kMostInFlight - 1 << ", which a wave can count";
}

LogicalResult PriorityOp::verify() {
  return getLevel() < 4 ? success()
                        : emitOpError() << "has level " << static_cast<int64_t>(getLevel()) << ", expected 0 to 3";
}

LogicalResult PlacesOp::verify() {
  auto placed = dyn_cast<PlacedOp>(getBody().front().getTerminator());
  if (!placed || placed.getOperandTypes() != getResultTypes())
    return emitOpError() << "does not end with its results, expected a 'tile.placed' of their types";
  for (Operation &op : getBody().front()) {
    if (!isa<DotOp, SharedLoadOp, SharedStoreOp, FetchOp, CopyAsyncOp, PlacedOp>(op))
      return op.emitOpError() << "stands in a 'tile.places', expected products, accesses to LDS and fetches alone";
    if (isa<SharedLoadOp>(op) && !llvm::is_contained(placed.getValues(), op.getResult(0)))
      return op.emitOpError() << "reads for nobody, expected its tile among those of 'tile.placed'";
    for (Value operand : op.getOperands())
      if (Operation *def = operand.getDefiningOp();
          def && def->getBlock() == op.getBlock() && !isa<PlacedOp>(op) && !(isa<DotOp>(op) && isa<DotOp>(def)))
        return op.emitOpError() << "uses what an access of the same 'tile.places' yields, expected it in the next step";
  }
  return success();
}

LogicalResult StepsOp::verify() {
  if (static_cast<int64_t>(getSlots()) < 1 || !llvm::isPowerOf2_64(getSlots()))
    return emitOpError() << "has " << static_cast<int64_t>(getSlots()) << " slots, expected a power of two";
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (int64_t waves = kernel ? static_cast<int64_t>(kernel.getWaves().value_or(1)) : 2;
      getAlternating() && waves % 2 != 0)
    return emitOpError() << "alternates halves of " << waves << (waves == 1 ? " wave" : " waves")
                         << ", expected a kernel with an even number";
  SmallVector<Type> expected(2, IndexType::get(getContext()));
  llvm::append_range(expected, getInits().getTypes());
  if (!llvm::equal(getBody().front().getArgumentTypes(), expected))
    return emitOpError() << "has other arguments than expected: a step, a slot and what it carries";
  auto next = dyn_cast<NextOp>(getBody().front().getTerminator());
  if (!next || next.getOperandTypes() != getResultTypes())
    return emitOpError() << "does not hand on what it carries, expected a 'tile.next' of the same types";
  return success();
}
