// Verifiers of results that the next task stores, in both dialects.
#include "dialect/Deferred.h"
#include "dialect/Access.h"
#include "dialect/HeldTile.h"

using namespace mlir;
using namespace tilec;

#define GET_OP_CLASSES
#include "dialect/TileDeferredOps.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/HipDeferredOps.cpp.inc"

//===-- the kernel form
//-----------------------------------------------------------------------------------------------===//

/// Tiles that differ in layout alone, and bytes of LDS for a part.
static LogicalResult verifyTurn(tile::DeferOp op) {
  RankedTensorType held = op.getValue().getType();
  auto stored = dyn_cast<RankedTensorType>(op.getStored());
  auto scratch = cast<MemRefType>(op.getScratch().getType());
  if (!stored || held.getShape() != stored.getShape() || held.getElementType() != stored.getElementType())
    return op.emitOpError() << "stores " << op.getStored() << ", expected " << held << " in another layout";
  if (failed(hip::verifyHeld(op, held)) || failed(hip::verifyHeld(op, stored)))
    return failure();
  if (!isa_and_nonnull<tile::SharedAttr>(scratch.getMemorySpace()) ||
      scratch.getElementType() != held.getElementType() || !hip::dimOfParts(held.getShape(), scratch.getShape()))
    return op.emitOpError() << "sends " << held << " through " << scratch
                            << ", expected a buffer in LDS of a part of its columns, or of its rows";
  if (StringRef why = hip::whyNotRearranged(held, stored, scratch.getShape()); !why.empty())
    return op.emitOpError() << "cannot store " << held << " as " << stored << ": " << why;
  return success();
}

/// The operation of the task's own block that a deferred tile is left by: itself, or the branch around it.
static Operation *placeInTask(tile::DeferOp op) {
  Operation *place = op;
  while (isa<scf::IfOp>(place->getParentOp()))
    place = place->getParentOp();
  return isa<tile::ForallOp>(place->getParentOp()) ? place : nullptr;
}

LogicalResult tile::DeferOp::verify() {
  if (failed(verifyTurn(*this)))
    return failure();
  Operation *place = placeInTask(*this);
  if (!place)
    return emitOpError() << "stands in a loop, or outside of tasks, expected it in the body of a 'tile.forall'";
  WalkResult others = place->getParentOp()->walk([&](DeferOp op) { return WalkResult(success(op == *this)); });
  if (others.wasInterrupted())
    return emitOpError() << "stands beside another 'tile.defer', expected one of a task";
  bool isStored = llvm::any_of(*place->getBlock(), [&](Operation &op) {
    auto store = dyn_cast<StoreDeferredOp>(op);
    return store && !store.getSlot() && store->isBeforeInBlock(place);
  });
  if (!isStored)
    return emitOpError() << "fills registers that may hold what the task before has left, expected a "
                            "'tile.store_deferred' of all of it before, in the body of the task";
  return verifyAccess(*this, cast<MemRefType>(getBuffer().getType()), getValue().getType(), getIndices(),
                      /*rank=*/Value());
}

Value tile::DeferOp::getAccessedBuffer() { return getBuffer(); }
OperandRange tile::DeferOp::getAccessIndices() { return getIndices(); }
bool tile::DeferOp::hasElementOffsets() { return false; }
Value tile::DeferOp::getAccessRank() { return {}; }
SmallVector<int64_t> tile::DeferOp::getFootprintShape() { return footprintOf(getBuffer(), getValue().getType()); }
bool tile::DeferOp::readsBuffer() { return false; }
bool tile::DeferOp::writesBuffer() { return true; }
MutableOperandRange tile::DeferOp::getAfterTokensMutable() { return getAfterMutable(); }

LogicalResult tile::StoreDeferredOp::verify() {
  auto tasks = (*this)->getParentOfType<ForallOp>();
  if (!tasks || !tasks.walk([](DeferOp) { return WalkResult::interrupt(); }).wasInterrupted())
    return emitOpError() << "stores what no task defers, expected a 'tile.defer' in its 'tile.forall'";
  auto stream = getSlot() ? dyn_cast<StreamOp>((*this)->getParentOp()) : StreamOp();
  if (!getSlot() || (stream && getSlot() == stream.getUses().getArgument(1)))
    return success();
  return emitOpError() << "stores the part of another slot, expected that of the step of a 'tile.stream' that uses it";
}

//===-- the exit dialect
//----------------------------------------------------------------------------------------------===//

LogicalResult hip::DeferredOp::verify() {
  RankedTensorType held = getType().getTile();
  auto stored = dyn_cast<RankedTensorType>(getStored());
  SharedType scratch = getScratch().getType();
  ViewType view = getView().getType();
  bool fits = stored && held.getShape() == stored.getShape() && held.getElementType() == stored.getElementType() &&
              scratch.getElement() == held.getElementType() && dimOfParts(held.getShape(), scratch.getShape()) &&
              view.getElement() == held.getElementType() && view.getRank() >= 2 && getType().getCount() == 1;
  if (!fits)
    return emitOpError() << "stores " << held << " as " << getStored() << " through " << scratch << " to " << view
                         << ", expected one shape and element type, and a part of its columns in LDS, or of its rows";
  if (failed(verifyHeld(*this, held)) || failed(verifyHeld(*this, stored)))
    return failure();
  if (StringRef why = whyNotRearranged(held, stored, scratch.getShape()); !why.empty())
    return emitOpError() << "cannot store " << held << " as " << stored << ": " << why;
  int64_t vector = getVector();
  if (llvm::isPowerOf2_64(vector) && movesRuns(HeldTile(stored), vector))
    return success();
  return emitOpError() << "stores " << vector << " elements of " << stored
                       << " per access, expected registers that run along the last dimension";
}

LogicalResult hip::DeferOp::verify() {
  auto deferred = getDeferred().getDefiningOp<DeferredOp>();
  if (!deferred)
    return emitOpError() << "fills registers that no 'hip.deferred' declares";
  if (getValue().getType() != deferred.getType().getTile())
    return emitOpError() << "leaves " << getValue().getType() << ", expected " << deferred.getType().getTile()
                         << " as the registers hold";
  if (getStart().size() == deferred.getView().getType().getRank())
    return success();
  return emitOpError() << "has " << getStart().size() << " coordinates, expected "
                       << deferred.getView().getType().getRank() << " as " << deferred.getView().getType() << " has";
}

LogicalResult hip::StoreDeferredOp::verify() {
  if (!getDeferred().getDefiningOp<DeferredOp>())
    return emitOpError() << "stores registers that no 'hip.deferred' declares";
  auto consume = getSlot() ? dyn_cast<ConsumeOp>((*this)->getParentOp()) : ConsumeOp();
  bool isTurn = consume && !consume.getInTurn() && getSlots() == consume.getSlots() && getSlot() == consume.getSlot();
  if (isTurn || (!getSlot() && !getSlots()))
    return success();
  return emitOpError() << "stores the part of another slot, expected that of the step of a 'hip.consume', of as many "
                          "slots";
}
