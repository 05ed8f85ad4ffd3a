// Verifiers of rings and what works on them: what the device headers would refuse by a static_assert, or not compile.
#include "dialect/HeldTile.h"
#include "dialect/Limits.h"
#include "dialect/MappedSlot.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::hip;

static int64_t bytesOf(SharedType tile) {
  return ShapedType::getNumElements(tile.getShape()) * tile.getElement().getIntOrFloatBitWidth() / 8;
}

static bool isMatrix(ArrayRef<int64_t> shape) { return shape.size() == 2; }

LogicalResult FeedOp::verify() {
  RankedTensorType tile = getType().getTile();
  if (failed(verifyHeld(*this, tile)))
    return failure();
  ViewType view = getView().getType();
  if (!isMatrix(tile.getShape()) || view.getRank() != 2 || getStart().size() != 2 ||
      view.getElement() != tile.getElementType())
    return emitOpError() << "feeds " << tile << " from " << view << " at " << getStart().size()
                         << " coordinates, expected two dimensions and one element type";
  if (static_cast<int64_t>(getVector()) < 1 || !llvm::isPowerOf2_64(getVector()) ||
      !movesRuns(HeldTile(tile), getVector(), /*dim=*/getAcross() ? 0 : 1))
    return emitOpError() << "moves " << static_cast<int64_t>(getVector()) << " elements of " << tile
                         << " per access, expected registers that run along the " << (getAcross() ? "columns" : "rows");
  return success();
}

LogicalResult DirectFeedOp::verify() {
  SharedType tile = getType().getTile();
  ViewType view = getView().getType();
  if (!isMatrix(tile.getShape()) || view.getRank() != 2 || getStart().size() != 2 ||
      view.getElement() != tile.getElement())
    return emitOpError() << "feeds " << tile << " from " << view << " at " << getStart().size()
                         << " coordinates, expected two dimensions and one element type";
  int64_t bytes = bytesOf(tile), wide = tile::kAccessBytes * 8 / tile.getElement().getIntOrFloatBitWidth();
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (tile.getSwizzle().getPhases() != 1 && tile.getSwizzle().getVector() < wide)
    return emitOpError() << "fills " << tile << ", expected a swizzle that keeps 16 bytes together";
  if (kernel && bytes % (static_cast<int64_t>(kernel.getThreads()) * tile::kAccessBytes) != 0)
    return emitOpError() << "fills " << bytes << " bytes by " << static_cast<int64_t>(kernel.getThreads())
                         << " threads, expected a multiple of " << tile::kAccessBytes << " bytes for each";
  return success();
}

LogicalResult AwaitCopiesOp::verify() {
  return getLeft() < tile::kMostInFlight ? success()
                                         : emitOpError() << "leaves " << static_cast<int64_t>(getLeft())
                                                         << " accesses in flight, expected 0 to "
                                                         << tile::kMostInFlight - 1 << ", which a wave can count";
}

LogicalResult CopyingOp::verify() {
  SharedType tile = getSlot().getType().getTile();
  if (getFeed().getType().getTile() != (getHalved() ? halfOf(tile) : tile))
    return emitOpError() << "fills " << getSlot().getType() << " from " << getFeed().getType()
                         << (getHalved() ? ", expected one of half as many rows" : ", expected one LDS tile");
  auto mapped = getFeed().getDefiningOp<MappedFeedOp>();
  if (getHalved() && (!mapped || mapped.getByRows() || mapped.getMatrix() || tile.getSwizzle().getPanel() != 0))
    return emitOpError()
           << "copies half of a tile, expected a 'hip.mapped_feed' along the rows of a matrix, and one panel";
  auto direct = getFeed().getDefiningOp<DirectFeedOp>();
  if (direct && direct.getHalved() && !llvm::all_of(getResult().getUsers(), llvm::IsaPred<ByHalvesOp>))
    return emitOpError() << "has a halved feed, expected it in a 'hip.by_halves'";
  if (getReadOnce() && !getFeed().getDefiningOp<MappedFeedOp>())
    return emitOpError() << "is 'read_once' and threads make its copies, expected a 'hip.mapped_feed'";
  return getFeed().getDefiningOp<MappedFeedOp>() ? verifyMappedSlot(*this, getSlot()) : success();
}

/// What one half of the waves copies.
static LogicalResult verifyHalf(ByHalvesOp op, Value half) {
  auto copying = half.getDefiningOp<CopyingOp>();
  auto feed = copying ? copying.getFeed().getDefiningOp<DirectFeedOp>() : DirectFeedOp();
  if (!feed || !feed.getHalved())
    return op.emitOpError() << "shares out what is no copy of a halved feed, expected a 'hip.copying' of one";
  return success();
}

LogicalResult ByHalvesOp::verify() {
  if (failed(verifyHalf(*this, getFirst())) || failed(verifyHalf(*this, getSecond())))
    return failure();
  auto bytes = [](Value half) { return bytesOf(half.getDefiningOp<CopyingOp>().getSlot().getType().getTile()); };
  if (bytes(getFirst()) != bytes(getSecond()))
    return emitOpError() << "has copies of " << bytes(getFirst()) << " and " << bytes(getSecond())
                         << " bytes, expected as many";
  return success();
}

LogicalResult RingOp::verify() {
  if (static_cast<int64_t>(getSlots()) != getType().getSlots() || getType().getSlots() < 1)
    return emitOpError() << "has " << static_cast<int64_t>(getSlots()) << " slots, expected as many as " << getType()
                         << " has, at least 1";
  return success();
}

/// A tile with a layout, of the shape and elements of what lies in LDS, or of its transpose.
static LogicalResult verifyMoved(Operation *op, RankedTensorType tile, SharedType shared, bool transposed) {
  SmallVector<int64_t> shape(shared.getShape());
  if (transposed)
    std::reverse(shape.begin(), shape.end());
  if (tile.getShape() != ArrayRef(shape) || tile.getElementType() != shared.getElement() || !isMatrix(tile.getShape()))
    return op->emitOpError() << "moves " << tile << " and " << shared
                             << ", expected matrices of one shape and element type";
  return verifyHeld(op, tile);
}

LogicalResult AddressesOp::verify() {
  if (getType().getRing() != getRing().getType())
    return emitOpError() << "yields " << getType() << ", expected addresses in " << getRing().getType();
  return verifyMoved(*this, getType().getTile(), getRing().getType().getTile(), getTransposed());
}

LogicalResult HoldOp::verify() {
  if (getType().getCount() < 1 || (getInit() && getType().getCount() != 1))
    return emitOpError() << "declares " << getType().getCount()
                         << " tiles, expected 1 with a first value, else at least 1";
  if (getInit() && getInit().getType() != getType().getTile())
    return emitOpError() << "begins with " << getInit().getType() << ", expected " << getType().getTile();
  return verifyHeld(*this, getType().getTile());
}

LogicalResult SlotOp::verify() {
  return getType().getTile() == getRing().getType().getTile()
             ? success()
             : emitOpError() << "yields " << getType() << ", expected a slot of " << getRing().getType();
}

LogicalResult HeldAtOp::verify() {
  HeldType from = getHeld().getType();
  return getType() == HeldType::get(getContext(), from.getTile(), 1)
             ? success()
             : emitOpError() << "yields " << getType() << ", expected a single tile of " << from;
}

/// One tile, no array of tiles.
static LogicalResult verifyOne(Operation *op, HeldType held) {
  return held.getCount() == 1 ? success() : op->emitOpError() << "works on " << held << ", expected a single tile";
}

LogicalResult TakeOp::verify() {
  if (failed(verifyOne(*this, getHeld().getType())))
    return failure();
  return getType() == getHeld().getType().getTile()
             ? success()
             : emitOpError() << "yields " << getType() << ", expected " << getHeld().getType().getTile();
}

LogicalResult PutOp::verify() {
  if (failed(verifyOne(*this, getHeld().getType())))
    return failure();
  return getValue().getType() == getHeld().getType().getTile()
             ? success()
             : emitOpError() << "puts " << getValue().getType() << " into " << getHeld().getType() << ", expected "
                             << getHeld().getType().getTile();
}

/// An access to a slot moves the tile whose addresses it has.
static LogicalResult verifyMovedTile(Operation *op, RankedTensorType tile, AddressesType addresses, SlotType slot) {
  if (addresses.getTile() != tile || addresses.getRing().getTile() != slot.getTile())
    return op->emitOpError() << "has " << addresses << ", expected addresses of " << tile << " in " << slot;
  return success();
}

static LogicalResult verifySlot(Operation *op, HeldType held, AddressesType addresses, SlotType slot) {
  return failed(verifyOne(op, held)) ? failure() : verifyMovedTile(op, held.getTile(), addresses, slot);
}

LogicalResult ReadSlotOp::verify() {
  return verifyMovedTile(*this, cast<RankedTensorType>(getType()), getAddresses().getType(), getSlot().getType());
}

/// Each element of what goes to LDS has one thread.
static LogicalResult verifyOwners(Operation *op, RankedTensorType tile) {
  HeldTile held(tile);
  return held.redundant == 0 ? success()
                             : op->emitOpError() << "deposits " << tile << ", expected one thread for each element";
}

static LogicalResult verifyFetch(Operation *op, HeldType held, FeedType feed) {
  if (failed(verifyOne(op, held)))
    return failure();
  return feed.getTile() == held.getTile()
             ? success()
             : op->emitOpError() << "has " << feed << ", expected a feed of " << held.getTile();
}

LogicalResult ReadingOp::verify() {
  return verifySlot(*this, getTo().getType(), getAddresses().getType(), getSlot().getType());
}
LogicalResult FetchingOp::verify() { return verifyFetch(*this, getTo().getType(), getFeed().getType()); }
LogicalResult DepositingOp::verify() {
  return failure(failed(verifySlot(*this, getFrom().getType(), getAddresses().getType(), getSlot().getType())) ||
                 failed(verifyOwners(*this, getFrom().getType().getTile())));
}
LogicalResult RefillingOp::verify() {
  return failure(failed(verifySlot(*this, getRegisters().getType(), getAddresses().getType(), getSlot().getType())) ||
                 failed(verifyOwners(*this, getRegisters().getType().getTile())) ||
                 failed(verifyFetch(*this, getRegisters().getType(), getFeed().getType())));
}

LogicalResult MultiplyingOp::verify() {
  for (HeldType held : {getAcc().getType(), getA().getType(), getB().getType()})
    if (failed(verifyOne(*this, held)))
      return failure();
  RankedTensorType a = getA().getType().getTile(), b = getB().getType().getTile(), acc = getAcc().getType().getTile();
  unsigned column = getTransposed() ? 0 : 1, row = getLhsTransposed() ? 1 : 0;
  if (!isMatrix(a.getShape()) || !isMatrix(b.getShape()) || !isMatrix(acc.getShape()) ||
      a.getDimSize(row) != acc.getDimSize(0) || b.getDimSize(column) != acc.getDimSize(1) ||
      a.getDimSize(1 - row) != b.getDimSize(1 - column) || a.getElementType() != b.getElementType())
    return emitOpError() << "multiplies " << a << " and " << b << " into " << acc << ", expected shapes that agree";
  return success();
}

LogicalResult PriorityOp::verify() {
  return getLevel() < 4 ? success()
                        : emitOpError() << "has level " << static_cast<int64_t>(getLevel()) << ", expected 0 to 3";
}

LogicalResult StepsOp::verify() {
  if (static_cast<int64_t>(getSlots()) < 1)
    return emitOpError() << "has " << static_cast<int64_t>(getSlots()) << " slots, expected at least 1";
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (getAlternating() && kernel && *getAlternating() != kernel.getThreads())
    return emitOpError() << "alternates halves of " << *getAlternating() << " threads, expected those of the kernel, "
                         << kernel.getThreads();
  TypeRange types = getBody().front().getArgumentTypes();
  if (types.size() != 2 || !llvm::all_of(types, [](Type type) { return type.isIndex(); }))
    return emitOpError() << "has a body with " << types << ", expected two indices: a slot and a step";
  return success();
}
