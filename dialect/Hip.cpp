// Registration and verification of the exit dialect: rejects what HIP text cannot say.
#include "dialect/Hip.h"
#include "dialect/Combination.h"
#include "dialect/Deferred.h"
#include "dialect/HeldTile.h"
#include "dialect/Limits.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::hip;

#include "dialect/HipDialect.cpp.inc"
#include "dialect/HipInterfaces.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/HipTypes.cpp.inc"

#define GET_OP_CLASSES
#include "dialect/HipOps.cpp.inc"

void HipDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/HipTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/HipOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/HipDeferredOps.cpp.inc"
      >();
}

LogicalResult KernelOp::verify() {
  if (getRestricted().size() != getBody().getNumArguments())
    return emitOpError() << "says of " << getRestricted().size() << " arguments whether they are restricted, expected "
                         << getBody().getNumArguments();
  if (getSources().size() != getBody().getNumArguments())
    return emitOpError() << "says of " << getSources().size() << " arguments where they come from, expected "
                         << getBody().getNumArguments();
  if (static_cast<int64_t>(getThreads()) < 1 || static_cast<int64_t>(getThreads()) > tile::kMostThreads)
    return emitOpError() << "has workgroups of " << getThreads() << " threads, expected 1 to " << tile::kMostThreads;
  return success();
}

int64_t KernelOp::getOwnWorkgroups() {
  int64_t own = 0;
  for (GroupOp group : getGroups())
    own += static_cast<int64_t>(group.getWorkgroups().value_or(0));
  return own;
}

SmallVector<GroupOp> KernelOp::getGroups() {
  SmallVector<GroupOp> groups;
  for (Operation &op : getBody().front()) {
    if (auto group = dyn_cast<GroupOp>(op))
      groups.push_back(group);
    else if (auto roles = dyn_cast<ByRoleOp>(op))
      llvm::append_range(groups, roles.getBody().getOps<GroupOp>());
  }
  return groups;
}

bool GroupOp::hasOneLoop() {
  // Of a group of many roles the first two are asked.
  int64_t loops = 0;
  for (auto role : getBody().getOps<RoleOp>())
    for (Operation &op : role.getBody().front()) {
      auto split = dyn_cast<ByRoleOp>(op);
      loops += isa<TasksOp>(op) + (split ? llvm::range_size(split.getBody().getOps<TasksOp>()) : 0);
      if (loops > 1)
        return false;
    }
  return loops == 1;
}

/// What has work stands in roles; the last group also leaves, and nothing is done behind that.
static LogicalResult verifyContents(GroupOp group) {
  bool isLast = group.getTurn() == tile::Turn::Last, leaves = false;
  for (Operation &op : group.getBody().front()) {
    bool isLeave = isLast && isa<LeaveOp>(op) && &op == &group.getBody().front().back();
    leaves |= isLeave;
    if (!isLeave && !isa<RoleOp>(op) && !isMemoryEffectFree(&op))
      return op.emitOpError() << "stands in a 'hip.group', expected it in a 'hip.role'"
                              << (isLast ? ", or one 'hip.leave' at the end" : "");
  }
  if (isLast && !leaves)
    return group.emitOpError() << "does not leave the launch, expected a 'hip.leave' at its end";
  return success();
}

LogicalResult GroupOp::verify() {
  if ((*this)->getParentOfType<GroupOp>())
    return emitOpError() << "stands within another group, expected it in a kernel or in a 'hip.by_role' of one";
  StringRef turn = tile::stringifyTurn(getTurn());
  bool isEach = getTurn() == tile::Turn::Each, isStrided = getDealing() == tile::Dealing::Strided;
  if (!isEach && (getWorkgroups() || getQueue() || getEnd() || isStrided))
    return emitOpError() << "of turn '" << turn << "' has workgroups, a queue or dealt tasks, expected none: it is one "
                         << "workgroup without tasks";
  if ((getTurn() == tile::Turn::Last) != getScope().has_value())
    return emitOpError() << "of turn '" << turn << "' " << (getScope() ? "releases" : "does not release")
                         << ", expected a scope in the group of turn 'last' alone";
  auto roles = dyn_cast<ByRoleOp>((*this)->getParentOp());
  if ((roles && roles.getSender()) != getSide().has_value() || (getSide() && (getEnd() || isStrided)))
    return emitOpError()
           << (getSide() ? "is of one side" : "is of no side")
           << ", expected sides of groups that draw tasks, with all workgroups, in a 'hip.by_role' with a "
              "sender";
  bool hasTasks = getBody().walk([](TasksOp) { return WalkResult::interrupt(); }).wasInterrupted();
  bool draws = hasTasks && !isStrided;
  if (draws != getQueue().has_value())
    return emitOpError() << (draws ? "has tasks and no queue" : "has a queue and no tasks to draw")
                         << ", expected a queue where tasks are drawn";
  return verifyContents(*this);
}

/// One coordinate per dimension of the view; vectors of a power of two.
static LogicalResult verifyAccess(Operation *op, RankedTensorType tile, ViewType view, size_t coordinates,
                                  int64_t vector) {
  if (coordinates != view.getRank())
    return op->emitOpError() << "has " << coordinates << " coordinates, expected " << view.getRank() << " as in "
                             << view;
  if (tile.getElementType() != view.getElement())
    return op->emitOpError() << "expected a tile of " << view.getElement() << ", the element type of " << view
                             << ", got " << tile.getElementType();
  if (vector < 1 || !llvm::isPowerOf2_64(vector))
    return op->emitOpError() << "moves " << vector << " elements per access, expected a power of two";
  if (failed(verifyHeld(op, tile)))
    return failure();
  if (view.getRank() < tile.getRank())
    return op->emitOpError() << "has " << view << ", expected at least the dimensions of " << tile;
  if (!movesRuns(HeldTile(tile), vector))
    return op->emitOpError() << "moves " << vector << " elements of " << tile
                             << " per access, expected registers that run along the last dimension";
  return success();
}

/// A packed tile is the last dimension of its view, all of it.
template <class Access>
static LogicalResult verifyPacked(Access op, RankedTensorType tile, Value outside) {
  if (!op.getPacked())
    return success();
  auto view = op.getView().template getDefiningOp<ViewOp>();
  bool isRun = view && op.getView().getType().getRank() > 1 && !outside && tile.getRank() == 1 &&
               getConstantIntValue(op.getStart().back()) == 0 &&
               getConstantIntValue(view.getExtents().back()) == tile.getDimSize(0) &&
               getConstantIntValue(view.getStrides().back()) == 1 && isInDisjointBits(HeldTile(tile));
  if (!isRun)
    return op.emitOpError()
           << "has " << tile << " as a run of " << op.getView().getType()
           << ", expected all of its last dimension, with bits of its own for each register and thread";
  return success();
}

template <class Load>
static LogicalResult verifyLoad(Load op) {
  auto tile = cast<RankedTensorType>(op.getType());
  if (failed(verifyAccess(op, tile, op.getView().getType(), op.getStart().size(), op.getVector())))
    return failure();
  return verifyPacked(op, tile, op.getOutside());
}
LogicalResult PlainLoadOp::verify() { return verifyLoad(*this); }
LogicalResult LoadLiveOp::verify() { return verifyLoad(*this); }
LogicalResult StoreOp::verify() {
  RankedTensorType tile = getValue().getType();
  if (failed(verifyAccess(*this, tile, getView().getType(), getStart().size(), getVector())))
    return failure();
  return verifyPacked(*this, tile, Value());
}

/// Words of at least four bytes, each of which one thread holds. Who receives gives the rank that posts apart.
template <class Op>
static LogicalResult verifyWords(Op op, RankedTensorType tile, size_t apart) {
  if (failed(verifyAccess(op, tile, op.getView().getType(), op.getStart().size() + apart, op.getVector())))
    return failure();
  int64_t bits = op.getVector() * tile.getElementTypeBitWidth();
  if (!isa<FloatType>(tile.getElementType()) || bits < 32)
    return op.emitOpError() << "moves words of " << bits << " bits of " << tile.getElementType()
                            << ", expected floats, at least 32 bits of them";
  if (HeldTile(tile).redundant || tile.getRank() != 1)
    return op.emitOpError() << "moves words of " << tile
                            << ", expected one dimension, of which each element has one thread";
  if (op.getIndex().size() + apart != op.getSignals().getType().getRank())
    return op.emitOpError() << "names a signal by " << op.getIndex().size() + apart << " indices, expected "
                            << op.getSignals().getType().getRank();
  return success();
}
LogicalResult PostOp::verify() { return verifyWords(*this, getValue().getType(), 0); }
LogicalResult ReceiveOp::verify() { return verifyWords(*this, cast<RankedTensorType>(getType()), 1); }

template <class Op>
static LogicalResult verifyTiles(Op op, int64_t count) {
  TilesType type = op.getResult().getType();
  if (static_cast<int64_t>(op.getWorld()) < 2 || type.getCount() != count)
    return op.emitOpError() << "gives " << type.getCount() << " tiles, expected " << count << " of "
                            << static_cast<int64_t>(op.getWorld()) << " ranks";
  return verifyWords(op, type.getTile(), 1);
}
LogicalResult ReceiveOthersOp::verify() { return verifyTiles(*this, static_cast<int64_t>(getWorld()) - 1); }
LogicalResult ReceiveAllOp::verify() {
  if (getOwn().getType() != getResult().getType().getTile())
    return emitOpError() << "has a tile of its own of another type, expected " << getResult().getType().getTile();
  return verifyTiles(*this, static_cast<int64_t>(getWorld()));
}
LogicalResult TileOfOp::verify() {
  TilesType tiles = getTiles().getType();
  if (static_cast<int64_t>(getNumber()) >= tiles.getCount() || getType() != tiles.getTile())
    return emitOpError() << "gives tile " << static_cast<int64_t>(getNumber()) << " as " << getType()
                         << ", expected one of " << tiles;
  return success();
}

LogicalResult NumberOp::verify() {
  ViewType view = getView().getType();
  if (getStart().size() != view.getRank())
    return emitOpError() << "has " << getStart().size() << " coordinates, expected " << view.getRank() << " as in "
                         << view;
  if (!view.getElement().isInteger(32))
    return emitOpError() << "reads a number of " << view << ", expected a view of i32";
  return success();
}

/// The thread that moves an element holds its index, in some register.
static LogicalResult verifyIndex(Operation *op, RankedTensorType tile, RankedTensorType index, ViewType view,
                                 size_t coordinates, int64_t dim, int64_t vector) {
  if (failed(verifyAccess(op, tile, view, coordinates, vector)) || failed(verifyHeld(op, index)))
    return failure();
  int64_t own = dim - (static_cast<int64_t>(view.getRank()) - tile.getRank());
  if (own < 0 || own >= tile.getRank())
    return op->emitOpError() << "names elements of dimension " << dim << " of " << view
                             << ", expected one that the tile has";
  if (index.getRank() != 1 || !index.getElementType().isInteger(32) || index.getDimSize(0) != tile.getDimSize(own))
    return op->emitOpError() << "has indices " << index << ", expected one of i32 for each element of dimension " << own
                             << " of " << tile;
  if (own == tile.getRank() - 1 && vector != 1)
    return op->emitOpError() << "moves " << vector << " elements per access, expected 1 where each has an index";
  HeldTile held(index), wanted(tile);
  auto alone = [&](uint64_t point) { return static_cast<uint64_t>(HeldTile::coordinate(point, own)); };
  bool moves = false;
  for (unsigned bit = 0; bit < std::max(held.threads.size(), wanted.threads.size()); ++bit)
    moves |= held.threadBasis(bit) != alone(wanted.threadBasis(bit));
  for (unsigned r = 0; r < wanted.numRegisters() && !moves; ++r)
    moves = held.registerAt(alone(wanted.ofRegister(r))) < 0;
  if (moves)
    return op->emitOpError() << "has indices " << index << " for " << tile
                             << ", expected the layout of the tile in dimension " << own << " alone";
  return success();
}

template <class Gather>
static LogicalResult verifyGather(Gather op) {
  return verifyIndex(op, cast<RankedTensorType>(op.getType()), op.getIndex().getType(), op.getView().getType(),
                     op.getStart().size(), op.getDim(), op.getVector());
}
LogicalResult GatherOp::verify() { return verifyGather(*this); }
LogicalResult GatherLiveOp::verify() { return verifyGather(*this); }
LogicalResult ScatterOp::verify() {
  return verifyIndex(*this, getValue().getType(), getIndex().getType(), getView().getType(), getStart().size(),
                     getDim(), getVector());
}

LogicalResult AtomicOp::verify() {
  Type element = getValue().getType().getElementType();
  if (!tile::isAtomicElement(element))
    return emitOpError() << "combines elements of type " << element << ", expected f32, bf16, f16, i32 or i64";
  if (!tile::combinesRanks(getKind()))
    return emitOpError() << "combines by '" << tile::stringifyReduction(getKind())
                         << "', expected 'add', 'maximum' or 'minimum'";
  return verifyAccess(*this, getValue().getType(), getView().getType(), getStart().size(), 1);
}

LogicalResult RearrangeOp::verify() {
  auto operand = cast<RankedTensorType>(getOperand().getType()), result = cast<RankedTensorType>(getType());
  SharedType scratch = getScratch().getType();
  if (failed(verifyHeld(*this, operand)) || failed(verifyHeld(*this, result)))
    return failure();
  bool fits = operand.getShape() == result.getShape() && operand.getElementType() == result.getElementType() &&
              scratch.getElement() == operand.getElementType() && dimOfParts(operand.getShape(), scratch.getShape());
  if (!fits)
    return emitOpError() << "turns " << operand << " into " << result << " through " << scratch
                         << ", expected one shape, and a part of its columns in LDS, or of its rows";
  if (StringRef why = whyNotRearranged(operand, result, scratch.getShape()); !why.empty())
    return emitOpError() << "cannot turn " << operand << " into " << result << ": " << why;
  return success();
}

LogicalResult WaitOp::verify() {
  unsigned rank = getSignals().getType().getRank();
  if (getFirst().size() != rank || getCount().size() != rank)
    return emitOpError() << "has a box of rank " << getFirst().size() << ", expected " << rank;
  uint64_t lag = getLag().value_or(0);
  if (lag > tile::kMostLaunches)
    return emitOpError() << "has lag " << static_cast<int64_t>(lag) << ", expected 0 to " << tile::kMostLaunches;
  return success();
}

RankedTensorType hip::tileOf(Type type) {
  return llvm::TypeSwitch<Type, RankedTensorType>(type)
      .Case([](RankedTensorType tile) { return tile; })
      .Case<HeldType, FeedType, AddressesType, TilesType>([](auto known) { return known.getTile(); })
      .Default(RankedTensorType());
}

SharedType hip::sharedOf(Type type) {
  return llvm::TypeSwitch<Type, SharedType>(type)
      .Case([](SharedType shared) { return shared; })
      .Case<RingType, SlotType, DirectFeedType, TensorMapType>([](auto known) { return known.getTile(); })
      .Default(SharedType());
}

SharedType hip::halfOf(SharedType tile) {
  SmallVector<int64_t> shape(tile.getShape());
  shape.front() /= 2;
  return SharedType::get(tile.getContext(), tile.getElement(), shape, tile.getSwizzle());
}

bool hip::holdsBarrier(Operation *op) {
  if (auto wait = dyn_cast<WaitOp>(op))
    return wait.getParticipants() != tile::Participants::Wave;
  if (auto signal = dyn_cast<SignalOp>(op))
    return signal.getParticipants() != tile::Participants::Wave;
  if (auto arrive = dyn_cast<ArriveOp>(op))
    return arrive.getParticipants() != tile::Participants::Wave;
  if (auto count = dyn_cast<CountOp>(op))
    return count.getParticipants() != tile::Participants::Wave;
  if (auto tally = dyn_cast<TallyOp>(op))
    return tally.getParticipants() != tile::Participants::Wave;
  if (auto wait = dyn_cast<WaitTallyOp>(op))
    return wait.getParticipants() != tile::Participants::Wave;
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getScratch() != nullptr;
  if (auto scan = dyn_cast<ScanOp>(op))
    return scan.getScratch() != nullptr;
  if (auto publish = dyn_cast<PublishOp>(op))
    return publish.getParticipants() != tile::Participants::Wave;
  return isa<BarrierOp, EnterOp, EnterTasksOp>(op);
}

/// Whether the operation stores or waits: what it does is not part of what a publish before it made visible.
static bool changesMemory(Operation &op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return llvm::any_of(loop.getBody()->without_terminator(), changesMemory);
  return !isa<SetOp>(op) && !op.hasTrait<RecordsOnly>() && !isMemoryEffectFree(&op);
}

LogicalResult SetOp::verify() {
  auto fail = [&](Operation *because) {
    InFlightDiagnostic diag = emitOpError() << "is not published at scope " << tile::stringifyScope(getScope());
    if (because)
      diag.attachNote(because->getLoc()) << "because of this";
    return diag;
  };
  for (Operation *at = *this;;) {
    for (Operation *op = at->getPrevNode(); op; op = op->getPrevNode()) {
      if (auto publish = dyn_cast<PublishOp>(op)) {
        if (publish.getParticipants() != getParticipants())
          return emitOpError()
                 << "is by other threads than the 'hip.publish' before it, expected the same participants";
        return publish.getScope() < getScope() ? LogicalResult(fail(op)) : success();
      }
      if (changesMemory(*op))
        return fail(op);
    }
    auto loop = dyn_cast_or_null<scf::ForOp>(at->getParentOp());
    if (!loop)
      return fail(nullptr);
    // What an iteration does after the flag, it does before the flag of the next.
    for (Operation &op : loop.getBody()->without_terminator())
      if (changesMemory(op))
        return fail(&op);
    at = loop;
  }
}

LogicalResult ElementwiseOp::verify() {
  if (failed(verifyHeld(*this, getType())))
    return failure();
  size_t registers = cast<tile::LayoutAttr>(getType().getEncoding()).getRegisters().size() / getType().getRank();
  if (!llvm::hasSingleElement(getBody()) || getBody().getNumArguments() != getOperands().size())
    return emitOpError() << "needs one element per operand";
  for (auto [operand, element] : llvm::zip(getOperands(), getBody().getArguments())) {
    auto tile = cast<RankedTensorType>(operand.getType());
    if (failed(verifyHeld(*this, tile)))
      return failure();
    if (element.getType() != tile.getElementType())
      return emitOpError() << "element of type " << element.getType() << " of " << tile;
    if (cast<tile::LayoutAttr>(tile.getEncoding()).getRegisters().size() / tile.getRank() != registers)
      return emitOpError() << "operand " << tile << " has another number of registers than " << getType();
  }
  return success();
}
