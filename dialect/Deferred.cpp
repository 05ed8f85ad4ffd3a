// Verifiers of results that are stored while the waves go on, in both dialects.
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

/// Where the engine's swizzle begins anew.
static constexpr int64_t kSwizzled = 1024;

/// What LDS has of a part: without the copies that parts take in turn.
static ArrayRef<int64_t> shapeOfPart(MemRefType scratch) {
  return scratch.getShape().drop_front(scratch.getRank() == 3 ? 1 : 0);
}

/// Tiles that differ in layout alone, and bytes of LDS for a part.
template <class Op>
static LogicalResult verifyTurn(Op op) {
  RankedTensorType held = op.getValue().getType();
  auto stored = dyn_cast<RankedTensorType>(op.getStored());
  auto scratch = cast<MemRefType>(op.getScratch().getType());
  if (!stored || held.getShape() != stored.getShape() || held.getElementType() != stored.getElementType())
    return op.emitOpError() << "stores " << op.getStored() << ", expected " << held << " in another layout";
  if (failed(hip::verifyHeld(op, held)) || failed(hip::verifyHeld(op, stored)))
    return failure();
  if (!isa_and_nonnull<tile::SharedAttr>(scratch.getMemorySpace()) ||
      scratch.getElementType() != held.getElementType() || !hip::dimOfParts(held.getShape(), shapeOfPart(scratch)))
    return op.emitOpError() << "sends " << held << " through " << scratch
                            << ", expected a buffer in LDS of a part of its columns, or of its rows";
  if (StringRef why = hip::whyNotRearranged(held, stored, shapeOfPart(scratch)); !why.empty())
    return op.emitOpError() << "cannot store " << held << " as " << stored << ": " << why;
  return success();
}

/// What the copy engine can store: a matrix, from rows that waves have of their own.
template <class Op>
static LogicalResult verifyAsync(Op op) {
  auto scratch = cast<MemRefType>(op.getScratch().getType());
  if (cast<MemRefType>(op.getBuffer().getType()).getRank() != 2)
    return op.emitOpError() << "has the copy engine store to " << op.getBuffer().getType() << ", expected a matrix";
  if (hip::rowsOfWave(op.getValue().getType(), shapeOfPart(scratch), cast<tile::SharedAttr>(scratch.getMemorySpace())))
    return success();
  return op.emitOpError() << "has the copy engine store " << op.getValue().getType() << " from " << scratch
                          << ", expected waves with rows of their own, one behind the other, and rows of 32, 64 or 128 "
                             "bytes in LDS as it swizzles them";
}

/// The operation of the task's own block that such a tile is left by: itself, or the branch around it.
static Operation *placeInTask(Operation *op) {
  Operation *place = op;
  while (isa<scf::IfOp>(place->getParentOp()))
    place = place->getParentOp();
  return isa<tile::ForallOp>(place->getParentOp()) ? place : nullptr;
}

/// Behind it, the task may not take the tile for stored.
static LogicalResult verifyLast(Operation *op) {
  for (Operation *place = op; !isa<tile::ForallOp>(place); place = place->getParentOp())
    for (Operation *behind = place->getNextNode(); behind; behind = behind->getNextNode()) {
      if (isMemoryEffectFree(behind))
        continue;
      InFlightDiagnostic diagnostic = op->emitOpError() << "is followed by what its task does, expected it last";
      diagnostic.attachNote(behind->getLoc()) << "this comes behind";
      return diagnostic;
    }
  return success();
}

LogicalResult tile::DeferOp::verify() {
  if (failed(verifyTurn(*this)) || (getAsync() && failed(verifyAsync(*this))))
    return failure();
  if (cast<MemRefType>(getScratch().getType()).getRank() != 2)
    return emitOpError() << "has several copies of a part in LDS, expected one: each step stores at most one part";
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
  if (failed(verifyLast(*this)))
    return failure();
  return verifyAccess(*this, cast<MemRefType>(getBuffer().getType()), getValue().getType(), getIndices(),
                      /*rank=*/Value());
}

/// Of a part in LDS, so many behind each other, each where the swizzle of the engine begins anew.
static LogicalResult verifyCopies(Operation *op, int64_t copies, int64_t bytes) {
  constexpr int64_t kMostCopies = 8;
  if (copies < 1 || copies > kMostCopies)
    return op->emitOpError() << "has " << copies << " copies of a part in LDS, expected 1 to " << kMostCopies;
  if (copies == 1 || bytes % kSwizzled == 0)
    return success();
  return op->emitOpError() << "has copies of " << bytes << " bytes, expected each at a multiple of " << kSwizzled;
}

LogicalResult tile::StoreAsyncOp::verify() {
  if (failed(verifyTurn(*this)) || failed(verifyAsync(*this)))
    return failure();
  auto scratch = cast<MemRefType>(getScratch().getType());
  int64_t bytes = ShapedType::getNumElements(shapeOfPart(scratch)) * scratch.getElementTypeBitWidth() / 8;
  if (failed(verifyCopies(*this, scratch.getRank() == 3 ? scratch.getDimSize(0) : 1, bytes)))
    return failure();
  if (!placeInTask(*this))
    return emitOpError() << "stands in a loop, or outside of tasks, expected it in the body of a 'tile.forall'";
  if (failed(verifyLast(*this)))
    return failure();
  return verifyAccess(*this, cast<MemRefType>(getBuffer().getType()), getValue().getType(), getIndices(),
                      /*rank=*/Value());
}

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

/// A tile that goes to a view through LDS, a part at a time.
template <class Op>
static LogicalResult verifyStored(Op op, RankedTensorType held) {
  auto stored = dyn_cast<RankedTensorType>(op.getStored());
  hip::SharedType scratch = op.getScratch().getType();
  hip::ViewType view = op.getView().getType();
  bool fits = stored && held.getShape() == stored.getShape() && held.getElementType() == stored.getElementType() &&
              scratch.getElement() == held.getElementType() && hip::dimOfParts(held.getShape(), scratch.getShape()) &&
              view.getElement() == held.getElementType() && view.getRank() >= 2;
  if (!fits)
    return op.emitOpError() << "stores " << held << " as " << op.getStored() << " through " << scratch << " to " << view
                            << ", expected one shape and element type, and a part of its columns in LDS, or of its "
                               "rows";
  if (failed(hip::verifyHeld(op, held)) || failed(hip::verifyHeld(op, stored)))
    return failure();
  if (StringRef why = hip::whyNotRearranged(held, stored, scratch.getShape()); !why.empty())
    return op.emitOpError() << "cannot store " << held << " as " << stored << ": " << why;
  int64_t vector = op.getVector();
  if (llvm::isPowerOf2_64(vector) && hip::movesRuns(hip::HeldTile(stored), vector))
    return success();
  return op.emitOpError() << "stores " << vector << " elements of " << stored
                          << " per access, expected registers that run along the last dimension";
}

/// The map's boxes are what a wave has of a part, which begins where the swizzle of the engine does.
template <class Op>
static LogicalResult verifyMap(Op op, RankedTensorType held, hip::TensorMapType map) {
  hip::SharedType scratch = op.getScratch().getType(), box = hip::boxOfWave(held, scratch);
  if (!box || map.getTile() != box || op.getView().getType().getRank() != 2)
    return op.emitOpError() << "has the copy engine store " << held << " from " << scratch << " by " << map
                            << ", expected a map of a matrix, in tiles of what a wave has of a part: rows of its own "
                               "of 32, 64 or 128 bytes, as the engine swizzles them";
  auto shared = op.getScratch().template getDefiningOp<hip::SharedOp>();
  std::optional<int64_t> offset = shared ? getConstantIntValue(shared.getOffset()) : std::nullopt;
  if (offset && *offset % kSwizzled == 0)
    return success();
  return op.emitOpError() << "has the copy engine store what does not begin at a multiple of " << kSwizzled
                          << " bytes of LDS, where its swizzle does";
}

LogicalResult hip::DeferredOp::verify() {
  RankedTensorType held = getType().getTile();
  if (getType().getCount() != 1)
    return emitOpError() << "holds " << getType().getCount() << " tiles, expected one";
  if (failed(verifyStored(*this, held)))
    return failure();
  return getMap() ? verifyMap(*this, held, getMap().getType()) : success();
}

static int64_t bytesOf(hip::SharedType tile) {
  return ShapedType::getNumElements(tile.getShape()) * tile.getElement().getIntOrFloatBitWidth() / 8;
}

LogicalResult hip::StoreAsyncOp::verify() {
  RankedTensorType held = tileOf(getValue().getType());
  if (failed(verifyCopies(*this, static_cast<int64_t>(getCopies()), bytesOf(getScratch().getType()))))
    return failure();
  if (failed(verifyStored(*this, held)) || failed(verifyMap(*this, held, getMap().getType())))
    return failure();
  if (getStart().size() != 2)
    return emitOpError() << "has " << getStart().size() << " coordinates, expected 2 as " << getView().getType()
                         << " has";
  if ((*this)->getParentOfType<ByRoleOp>())
    return success();
  return emitOpError() << "stands where all waves do the same, expected it among consumers, in a 'hip.by_role'";
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
