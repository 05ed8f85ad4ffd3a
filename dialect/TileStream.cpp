// Verification of loops whose slots a copy engine fills, and of products of what lies there.
#include "dialect/Deferred.h"
#include "dialect/Parts.h"
#include "dialect/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilec::tile;

LogicalResult FullOp::verify() {
  return static_cast<int64_t>(getSlots()) >= 1
             ? success()
             : emitOpError() << "has " << static_cast<int64_t>(getSlots()) << " slots, expected at least 1";
}

static LogicalResult verifyRegion(StreamOp op, Region &region, StringRef name, TypeRange carried) {
  SmallVector<Type> expected(2, IndexType::get(op.getContext()));
  llvm::append_range(expected, carried);
  if (!llvm::equal(region.front().getArgumentTypes(), expected))
    return op.emitOpError() << "has other arguments of '" << name
                            << "' than expected: a step, a slot and what it carries";
  auto next = dyn_cast<NextOp>(region.front().getTerminator());
  if (!next || next.getOperandTypes() != carried)
    return op.emitOpError() << "does not end '" << name << "' with a 'tile.next' of what it carries";
  return success();
}

LogicalResult EmptyOp::verify() {
  return static_cast<int64_t>(getSlots()) >= 1
             ? success()
             : emitOpError() << "has " << static_cast<int64_t>(getSlots()) << " slots, expected at least 1";
}

/// What takes a slot of the stream and is compiled for each; null where there is none.
static Operation *knowingSlot(StreamOp stream) {
  for (Region *region : {&stream.getFills(), &stream.getUses()})
    for (Operation &op : region->getOps()) {
      auto copy = dyn_cast<CopyAsyncOp>(op);
      bool takesSlot = region->getNumArguments() > 1 && llvm::is_contained(op.getOperands(), region->getArgument(1));
      if ((copy && copy.copiesRuns()) || (takesSlot && isa<PartOp, WithPartOp, StoreDeferredOp>(op)))
        return &op;
    }
  return nullptr;
}

LogicalResult StreamOp::verify() {
  int64_t slots = getSlots(), ahead = getAhead();
  if (getEmpty() && ahead != slots)
    return emitOpError() << "is filled by a producer " << ahead << " steps ahead in " << slots
                         << " slots, expected as many: it fills what is empty";
  if (!getEmpty() && (ahead < 1 || ahead >= slots))
    return emitOpError() << "fills " << ahead << " steps ahead in " << slots
                         << " slots, expected at least 1 and less than the slots";
  if (getInTurn() && !getEmpty())
    return emitOpError() << "has slots in turn and no producer, expected 'empty'";
  if (Operation *user = getInTurn() ? knowingSlot(*this) : nullptr)
    return emitOpError() << "has slots in turn, and '" << user->getName() << "' needs to know its slot when compiling";
  return failure(failed(verifyRegion(*this, getFills(), "fills", {})) ||
                 failed(verifyRegion(*this, getUses(), "uses", getInits().getTypes())));
}

static LogicalResult verifyPart(Operation *op, RankedTensorType whole, uint64_t parts, RankedTensorType part) {
  constexpr uint64_t most = 16;
  RankedTensorType expected = parts <= most ? tilec::partOf(whole, static_cast<int64_t>(parts)) : RankedTensorType();
  if (!expected)
    return op->emitOpError() << "takes one of " << static_cast<int64_t>(parts) << " parts of " << whole
                             << ", expected a power of two up to " << most
                             << ", and registers that halves of its dimensions part";
  return expected == part ? success() : op->emitOpError() << "has a part " << part << ", expected " << expected;
}

LogicalResult PartOp::verify() { return verifyPart(*this, getWhole().getType(), getParts(), getType()); }
LogicalResult WithPartOp::verify() { return verifyPart(*this, getWhole().getType(), getParts(), getPart().getType()); }

LogicalResult MovesInBulkOp::verify() {
  auto from = cast<MemRefType>(getFrom().getType()), into = cast<MemRefType>(getInto().getType());
  if (from.getRank() == 2 && into.getRank() == 2 && from.getElementType() == into.getElementType())
    return success();
  return emitOpError() << "compares " << from << " and " << into << ", expected two matrices of the same elements";
}

LogicalResult RelayOp::verify() {
  auto from = cast<MemRefType>(getFrom().getType()), into = cast<MemRefType>(getInto().getType()),
       buffer = cast<MemRefType>(getBuffer().getType());
  if (from.getRank() != 2 || into.getRank() != 2 || from.getElementType() != into.getElementType())
    return emitOpError() << "moves " << from << " to " << into << ", expected two matrices of the same elements";
  if (getIndices().size() != 2 || getTile().size() != 2)
    return emitOpError() << "has " << getIndices().size() << " indices and a tile of " << getTile().size()
                         << " dimensions, expected those of a matrix";
  auto words = getFull().getDefiningOp<FullOp>();
  if (!words)
    return emitOpError() << "counts pieces in words that no 'tile.full' declares";
  auto slots = static_cast<int64_t>(words.getSlots());
  if (!isa_and_nonnull<SharedAttr>(buffer.getMemorySpace()) || !buffer.hasStaticShape() ||
      buffer.getDimSize(0) != slots)
    return emitOpError() << "goes through " << buffer << ", expected " << slots << " slots in LDS, as many as words";
  return success();
}

LogicalResult MoveOp::verify() {
  auto from = cast<MemRefType>(getFrom().getType()), into = cast<MemRefType>(getInto().getType());
  size_t rank = from.getRank();
  if (rank < 1 || rank > 3 || into.getRank() != from.getRank() || from.getElementType() != into.getElementType())
    return emitOpError() << "moves " << from << " to " << into
                         << ", expected two views of one to three dimensions and the same elements";
  if (getIndices().size() != rank || getTile().size() != rank)
    return emitOpError() << "has " << getIndices().size() << " indices and a tile of " << getTile().size()
                         << " dimensions, expected " << rank << " as in " << from;
  auto role = (*this)->getParentOfType<RoleOp>();
  if (role && !role.getEngine())
    return emitOpError() << "stands in a role of workgroups, expected one of the copy engine";
  return success();
}

static bool isRing(MemRefType type) {
  return type.getRank() == 3 && isa_and_nonnull<SharedAttr>(type.getMemorySpace());
}

/// Whether slots hold so many columns of a right operand, in whole panels where they lie along the rows.
static bool holdsColumns(MemRefType slots, int64_t columns, bool transposed) {
  int64_t panel = cast<SharedAttr>(slots.getMemorySpace()).getPanel(), held = slots.getDimSize(transposed ? 1 : 2);
  return held == columns || (!transposed && panel > 0 && held > columns && held - columns < panel);
}

LogicalResult DotAsyncOp::verify() {
  auto lhs = cast<ShapedType>(getLhs().getType());
  auto rhs = cast<MemRefType>(getRhs().getType());
  auto slots = dyn_cast<MemRefType>(lhs);
  auto sums = cast<RankedTensorType>(getType());
  if ((slots && !isRing(slots)) || !isRing(rhs))
    return emitOpError() << "multiplies " << lhs << " and " << rhs << ", expected slots in LDS";
  if (static_cast<bool>(slots) != static_cast<bool>(getLhsSlot()))
    return emitOpError() << "multiplies " << lhs << (slots ? " without" : " of") << " a slot, expected "
                         << (slots ? "the number of one" : "a tile in registers alone");
  if (getPromoted() && !slots)
    return emitOpError() << "promotes products of a tile in registers, expected slots in LDS";
  if (getPromoted() && getReplaces())
    return emitOpError() << "promotes products to sums that it replaces, expected one of the two";
  ArrayRef<int64_t> a = lhs.getShape().take_back(2), b = rhs.getShape().drop_front();
  if (getLhsTransposed() && !slots)
    return emitOpError() << "transposes a tile in registers, expected a slot in LDS";
  unsigned column = getTranspose() ? 0 : 1, row = getLhsTransposed() ? 1 : 0;
  if (sums.getRank() != 2 || a.size() != 2 || a[row] != sums.getDimSize(0) ||
      !holdsColumns(rhs, sums.getDimSize(1), getTranspose()) || a[1 - row] != b[1 - column] ||
      lhs.getElementType() != rhs.getElementType())
    return emitOpError() << "multiplies slots of " << lhs << " and " << rhs << " into " << sums
                         << ", expected shapes that agree";
  return success();
}

LogicalResult AwaitProductsOp::verify() {
  return getLeft() < 8 ? success()
                       : emitOpError() << "leaves " << static_cast<int64_t>(getLeft())
                                       << " products, expected 0 to 7, which a wave can count";
}

/// Whether an operation changes nothing, or is a signal or a relay of one wave, or guards or repeats such.
static bool onlyTells(Operation &op) {
  if (auto signal = dyn_cast<SignalOp>(op))
    return signal.getParticipants() == Participants::Wave;
  if (isa<RelayOp>(op))
    return true;
  if (isa<scf::IfOp, scf::ForOp>(op))
    return llvm::all_of(op.getRegions(), [](Region &region) { return llvm::all_of(region.getOps(), onlyTells); });
  return op.hasTrait<OpTrait::IsTerminator>() || isPure(&op);
}

LogicalResult TellOp::verify() {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  ProducerAttr producer = kernel ? kernel.getProducerAttr() : ProducerAttr();
  if (!producer || producer.getWaves() < 2)
    return emitOpError() << "stands in a kernel whose producer has no second wave, expected '#tile.producer' with two "
                            "waves or more";
  if (!isa<ForallOp>((*this)->getParentOp()))
    return emitOpError() << "stands in a loop or a branch, expected it among the operations of a 'tile.forall' that "
                            "every task does";
  for (Operation &op : getBody().front())
    if (!onlyTells(op)) {
      InFlightDiagnostic diagnostic = emitOpError()
                                      << "does more than tell, expected signals by wave and what they tell of";
      diagnostic.attachNote(op.getLoc()) << "this does";
      return diagnostic;
    }
  return success();
}
