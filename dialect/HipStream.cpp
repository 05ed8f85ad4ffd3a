// Verifiers of slots that a copy engine fills: what the device headers would refuse by a static_assert, or not compile.
#include "dialect/HeldTile.h"
#include "dialect/MappedSlot.h"
#include "dialect/Parts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::hip;

/// Bytes of a row as the copy engine spreads it over the banks, and of what stays together.
static constexpr int64_t kRowBytes = 128, kPieceBytes = 16;

LogicalResult tilec::hip::verifyMappedSlot(Operation *op, Value value) {
  auto slot = value.getDefiningOp<SlotOp>();
  auto ring = slot ? slot.getRing().getDefiningOp<RingOp>() : RingOp();
  constexpr int64_t apart = kRowBytes * (kRowBytes / kPieceBytes);
  if (!ring)
    return success();
  SharedType tile = slot.getType().getTile();
  int64_t bytes = tile.getElement().getIntOrFloatBitWidth() / 8;
  for (int64_t side : tile.getShape())
    bytes *= side;
  int64_t begin = static_cast<int64_t>(ring.getOffset());
  if (begin % apart == 0 && (ring.getSlots() == 1 || bytes % apart == 0))
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError()
                                  << "works on slots of " << bytes << " bytes from byte " << begin
                                  << " of LDS on, expected multiples of " << apart << ", where the swizzle begins";
  diagnostic.attachNote(ring.getLoc()) << "the ring is declared here";
  return diagnostic;
}

/// Tiles in LDS as the copy engine has them: rows of so many bytes, which it swizzles in 1024 of them.
static LogicalResult verifyTile(Operation *op, SharedType tile, Type element, size_t rank, ArrayRef<int64_t> rows) {
  int64_t bytes = tile.getElement().getIntOrFloatBitWidth() / 8;
  tile::SharedAttr swizzle = tile.getSwizzle();
  int64_t columns = swizzle.getPanel() || tile.getShape().empty() ? swizzle.getPanel() : tile.getShape().back();
  bool fits = tile.getShape().size() == 2 && llvm::is_contained(rows, columns * bytes) &&
              swizzle.getVector() * bytes == kPieceBytes && swizzle.getPerPhase() * columns * bytes == kRowBytes &&
              swizzle.getPhases() * kPieceBytes == columns * bytes;
  if (!fits) {
    InFlightDiagnostic diagnostic = op->emitOpError() << "fills " << tile << ", expected rows of ";
    llvm::interleave(rows, diagnostic, " or ");
    return diagnostic << " bytes, whose pieces of 16 are swizzled by 8 rows";
  }
  // Scratch has no elements of its own.
  if (rank < 2 || rank > 4 || (element != tile.getElement() && !isa<NoneType>(element)))
    return op->emitOpError() << "fills " << tile << " from " << rank << " dimensions of " << element
                             << ", expected two to four dimensions and one element type";
  return success();
}

LogicalResult TensorMapOp::verify() {
  if (getExtents().size() != getStrides().size())
    return emitOpError() << "has " << getExtents().size() << " extents and " << getStrides().size()
                         << " strides, expected as many";
  return verifyTile(*this, getType().getTile(), getPointer().getType().getElement(), getExtents().size(),
                    {kRowBytes / 4, kRowBytes / 2, kRowBytes});
}

LogicalResult MappedFeedOp::verify() {
  if (getStart().size() != getView().getType().getRank())
    return emitOpError() << "begins at " << getStart().size() << " coordinates, expected "
                         << getView().getType().getRank();
  if (getMap().getType().getTile() != getType().getTile())
    return emitOpError() << "feeds " << getType().getTile() << " by " << getMap().getType()
                         << ", expected one LDS tile";
  return verifyTile(*this, getType().getTile(), getView().getType().getElement(),
                    getView().getType().getRank() + (getMatrix() ? 1 : 0), {kRowBytes});
}

/// The text takes a run of so many elements of the last dimension, and copies multiples of 16 bytes.
LogicalResult CopyingRunOp::verify() {
  SharedType tile = getSlot().getType().getTile();
  ViewType view = getView().getType();
  int64_t bytes = tile.getElement().getIntOrFloatBitWidth() / 8;
  if (tile.getShape().size() != 1 || tile.getElement() != view.getElement() ||
      tile.getShape().front() * bytes % kPieceBytes != 0 || tile.getSwizzle().getPhases() != 1)
    return emitOpError() << "fills " << tile << " from " << view
                         << ", expected a run of its elements, of a multiple of " << kPieceBytes
                         << " bytes, as it lies";
  if (view.getRank() >= 1 && getStart().size() == static_cast<size_t>(view.getRank()))
    return success();
  return emitOpError() << "begins at " << getStart().size() << " coordinates, expected those of a view of "
                       << view.getRank() << " dimensions, one at least";
}

/// The number is an argument of a template: a constant, or that of a slot modulo the parts.
static LogicalResult verifyPart(Operation *op, RankedTensorType whole, Value number, RankedTensorType part) {
  if (failed(verifyHeld(op, whole)) || failed(verifyHeld(op, part)))
    return failure();
  size_t bits = HeldTile(whole).registers.size(), ofPart = HeldTile(part).registers.size();
  int64_t parts = bits >= ofPart ? int64_t(1) << (bits - ofPart) : 0;
  if (parts < 1 || partOf(whole, parts) != part)
    return op->emitOpError() << "takes " << part << " for a part of " << whole
                             << ", expected registers of it that follow each other, in their layout";
  IntegerAttr constant, modulo;
  if (matchPattern(number, m_Constant(&constant)) && constant.getInt() >= 0 && constant.getInt() < parts)
    return success();
  auto rest = number.getDefiningOp<arith::RemSIOp>();
  auto slot = rest ? dyn_cast<BlockArgument>(rest.getLhs()) : BlockArgument();
  auto consume = slot && slot.getArgNumber() == 0 ? dyn_cast<ConsumeOp>(slot.getOwner()->getParentOp()) : ConsumeOp();
  if (consume && !consume.getInTurn() && matchPattern(rest.getRhs(), m_Constant(&modulo)) && modulo.getInt() == parts)
    return success();
  return op->emitOpError() << "takes part number " << number
                           << ", expected a constant or the slot of a 'hip.consume' "
                              "modulo "
                           << parts;
}

LogicalResult hip::PartOp::verify() { return verifyPart(*this, getWhole().getType(), getNumber(), getType()); }
LogicalResult hip::WithPartOp::verify() {
  return verifyPart(*this, getWhole().getType(), getNumber(), getPart().getType());
}

/// Of the words of slots; each thread keeps a bit for each of them.
template <class Words>
static LogicalResult verifyWords(Words words) {
  constexpr int64_t most = 32;
  int64_t slots = words.getType().getSlots();
  if (slots > most)
    return words.emitOpError() << "has " << slots << " slots, expected at most " << most << ", the bits of a register";
  if (static_cast<int64_t>(words.getSlots()) == slots && slots >= 1)
    return success();
  return words.emitOpError() << "has " << static_cast<int64_t>(words.getSlots()) << " slots, expected as many as "
                             << words.getType() << " has, at least 1";
}

LogicalResult FullOp::verify() { return verifyWords(*this); }

LogicalResult EmptyOp::verify() {
  if (failed(verifyWords(*this)))
    return failure();
  return static_cast<int64_t>(getWaves()) >= 1
             ? success()
             : emitOpError() << "is released by " << static_cast<int64_t>(getWaves()) << " waves, expected at least 1";
}

/// Around groups there is nothing else that does work, and it is what each workgroup does.
static LogicalResult verifyGroups(ByRoleOp roles) {
  for (Operation &op : roles.getBody().front()) {
    auto group = dyn_cast<GroupOp>(op);
    if (group ? group.getTurn() == tile::Turn::Each : isMemoryEffectFree(&op))
      continue;
    InFlightDiagnostic diagnostic = op.emitOpError()
                                    << "stands in a 'hip.by_role' of a kernel, expected groups of turn 'each' there";
    diagnostic.attachNote(roles.getLoc()) << "the waves part here";
    return diagnostic;
  }
  return success();
}

LogicalResult ByRoleOp::verify() {
  TypeRange types = getBody().getArgumentTypes();
  if (types.size() != 1 || !isa<WaveRoleType>(types[0]))
    return emitOpError() << "has a body with " << types << ", expected one '!hip.wave_role'";
  if (getRegisters() && getRegisters()->size() != 2)
    return emitOpError() << "has " << getRegisters()->size()
                         << " numbers of registers, expected those of a producer and of a consumer";
  for (int64_t registers : getRegisters().value_or(ArrayRef<int64_t>()))
    if (registers < 24 || registers > 256 || registers % 8)
      return emitOpError() << "has waves with " << registers << " registers, expected 24 to 256, a multiple of 8";
  return isa<KernelOp>((*this)->getParentOp()) ? verifyGroups(*this) : success();
}

template <class Side>
static LogicalResult verifySide(Side side) {
  TypeRange types = side.getBody().getArgumentTypes();
  if (types.size() != 2 || !llvm::all_of(types, [](Type type) { return type.isIndex(); }))
    return side.emitOpError() << "has a body with " << types << ", expected two indices: a slot and a step";
  for (Operation *user : side.getSlot().getUsers()) {
    bool takesBoth = isa<SlotOp, AwaitFullOp, AwaitEmptyOp, FillOp>(user);
    if (takesBoth && user->hasAttr("in_turn") != side.getInTurn())
      return user->emitOpError() << (side.getInTurn() ? "takes a slot that is a value, expected 'in_turn' as '"
                                                      : "takes a slot known when compiling, expected no 'in_turn' as '")
                                 << side->getName() << (side.getInTurn() ? "' has" : "' has none");
  }
  int64_t slots = side.getSlots();
  return slots >= 1 ? success()
                    : LogicalResult(side.emitOpError() << "goes through " << slots << " slots, expected at least 1");
}
LogicalResult RelayOp::verify() {
  ViewType from = getFrom().getType();
  if (getInto().empty())
    return emitOpError() << "moves to nowhere, expected a view at least";
  for (Value view : getInto()) {
    auto into = cast<ViewType>(view.getType());
    if (from.getElement() != into.getElement() || from.getRank() != 2 || into.getRank() != 2 || getStart().size() != 2)
      return emitOpError() << "moves " << from << " to " << into << " from " << getStart().size()
                           << " coordinates on, expected two matrices of the same elements";
  }
  if (static_cast<int64_t>(getRows()) < 1 || static_cast<int64_t>(getTileColumns()) < 1)
    return emitOpError() << "moves tiles of " << static_cast<int64_t>(getRows()) << " x "
                         << static_cast<int64_t>(getTileColumns()) << ", expected at least one element";
  int64_t bytes = getSlotBytes();
  return bytes > 0 && bytes % 128 == 0
             ? success()
             : emitOpError() << "goes through slots of " << bytes << " bytes, expected a multiple of 128";
}

LogicalResult ProduceOp::verify() { return verifySide(*this); }
LogicalResult ConsumeOp::verify() { return verifySide(*this); }

/// Whether a slot holds so many columns of a right operand, in whole panels where they lie along the rows.
static bool holdsColumns(SharedType slot, int64_t columns, bool transposed) {
  int64_t panel = slot.getSwizzle().getPanel(), held = slot.getShape()[transposed ? 0 : 1];
  return held == columns || (!transposed && panel > 0 && held > columns && held - columns < panel);
}

LogicalResult MultiplyAsyncOp::verify() {
  RankedTensorType acc = getAcc().getType().getTile();
  SharedType b = getB().getType().getTile();
  auto slot = dyn_cast<SlotType>(getA().getType());
  auto registers = dyn_cast<RankedTensorType>(getA().getType());
  ArrayRef<int64_t> a = slot ? slot.getTile().getShape() : registers.getShape();
  Type element = slot ? slot.getTile().getElement() : registers.getElementType();
  unsigned column = getTransposed() ? 0 : 1, row = getLhsTransposed() ? 1 : 0;
  if (getLhsTransposed() && !slot)
    return emitOpError() << "transposes a tile in registers, expected a slot";
  if (getPromoted() && (getBegins() || !slot))
    return emitOpError() << "promotes " << (slot ? "sums that begin with it" : "products of a tile in registers")
                         << ", expected products of two slots that sums are added to";
  bool fits = getAcc().getType().getCount() == 1 && acc.getRank() == 2 && a.size() == 2 && b.getShape().size() == 2 &&
              a[row] == acc.getDimSize(0) && holdsColumns(b, acc.getDimSize(1), getTransposed()) &&
              a[1 - row] == b.getShape()[1 - column] && element == b.getElement();
  if (!fits)
    return emitOpError() << "multiplies " << (slot ? Type(slot.getTile()) : Type(registers)) << " and " << b << " into "
                         << getAcc().getType() << ", expected shapes that agree";
  if (slot ? failed(verifyMappedSlot(*this, getA())) : failed(verifyHeld(*this, registers)))
    return failure();
  return verifyMappedSlot(*this, getB());
}

LogicalResult AwaitProductsOp::verify() {
  return getLeft() < 8 ? success()
                       : emitOpError() << "leaves " << static_cast<int64_t>(getLeft())
                                       << " products, expected 0 to 7, which a wave can count";
}

LogicalResult StreamOp::verify() {
  int64_t slots = getSlots(), ahead = getAhead();
  if (ahead < 1 || ahead >= slots)
    return emitOpError() << "fills " << ahead << " steps ahead in " << slots
                         << " slots, expected at least 1 and less than the slots";
  for (Region *region : {&getFills(), &getUses()}) {
    TypeRange types = region->front().getArgumentTypes();
    if (types.size() != 2 || !llvm::all_of(types, [](Type type) { return type.isIndex(); }))
      return emitOpError() << "has a body with " << types << ", expected two indices: a slot and a step";
  }
  return success();
}
