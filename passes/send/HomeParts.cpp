// Follows a store to its slots, and from there to all who use them.
#include "passes/send/HomeParts.h"
#include "passes/analysis/SentParts.h"
#include "passes/waits/Synchronization.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// The part of this rank in the slots of the receiver: `slots[rank, 0, ...]`.
bool HomeParts::matchPlace() {
  tasks = dyn_cast<ForallOp>(store->getParentOfType<ForallOp>());
  auto view = store.getBuffer().getDefiningOp<memref::SubViewOp>();
  slots = view ? view.getSource().getDefiningOp<AllocOp>() : AllocOp();
  auto to = dyn_cast_or_null<BlockArgument>(store.getTo());
  if (!tasks || !tasks.getBounds() || !slots || slots.getPersistent() || slots.getCopies() > 1 || store.getAt() ||
      !to || to != tasks.getIndices().front() || !isa<RoleOp>(tasks->getParentOp()))
    return false;
  std::optional<int64_t> world = tasks->getParentOfType<ProgramOp>().getWorld();
  llvm::SmallBitVector dropped = view.getDroppedDims();
  auto first = dyn_cast<Value>(view.getMixedOffsets().front());
  bool isPart = world && view.getSourceType().getDimSize(0) == *world && dropped.test(0) && dropped.count() == 1 &&
                first && first.getDefiningOp<RankOp>() && view.getType().getRank() <= 3;
  for (OpFoldResult offset : ArrayRef(view.getMixedOffsets()).drop_front())
    isPart &= getConstantIntValue(offset) == 0;
  rank = first;
  return isPart;
}

/// What a task stores to its own rank, the engine would copy there by compute units.
bool HomeParts::matchGuard() {
  auto branch = dyn_cast<scf::IfOp>(store->getParentOp());
  auto differs = branch ? branch.getCondition().getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
  return differs && store->getBlock() == branch.thenBlock() && branch->getParentOp() == tasks &&
         differs.getPredicate() == arith::CmpIPredicate::ne && differs.getLhs() == store.getTo() &&
         differs.getRhs().getDefiningOp<RankOp>();
}

/// One signal publishes the tile, and nothing else, by the coordinates of the tile.
bool HomeParts::matchSignal() {
  unsigned found = 0;
  tasks.walk([&](SignalOp op) {
    found += op.getTo() == store.getTo();
    if (op.getTo() == store.getTo())
      signal = op;
  });
  if (found != 1 || signal.getScope() != Scope::System || signal.getPublishes().size() > 1)
    return false;
  grid = signal.getSignals().getDefiningOp<SignalsOp>();
  OperandRange index = signal.getIndices();
  unsigned dims = tasks.getIndices().size() - 1;
  auto sizes =
      grid ? overExtents(grid.getSizes(), grid.getExtents(), tasks->getParentOfType<ProgramOp>().getWorld().value_or(1))
           : std::nullopt;
  if (!sizes || dims < 1 || dims > 2 || index.size() != dims + 1 || !index.front().getDefiningOp<RankOp>() ||
      !llvm::equal(index.drop_front(), tasks.getIndices().drop_front()) ||
      !llvm::equal(store.getIndices().take_front(dims), tasks.getIndices().drop_front()))
    return false;
  tiles.assign(sizes->begin() + 1, sizes->end());
  // Behind the coordinates of the tile a packed one has those of its elements.
  return llvm::all_of(store.getIndices().drop_front(dims), [](Value index) { return getConstantIntValue(index) == 0; });
}

/// Slots are loaded at home, behind waits for one signal of each tile.
bool HomeParts::matchUsers() {
  for (Operation *view : slots.getResult().getUsers())
    for (Operation *user : view->getUsers()) {
      auto load = dyn_cast<LoadOp>(user);
      if (!isa<memref::SubViewOp>(view) || (user != store && (!load || load.getFrom())))
        return false;
    }
  return llvm::all_of(grid->getUsers(), [&](Operation *user) {
    auto wait = dyn_cast<WaitOp>(user);
    return user == signal || (wait && !wait.getLag() && llvm::all_of(wait.getCounts(), [](Value count) {
                                return getConstantIntValue(count) == 1;
                              }));
  });
}

/// The stored tile has its dimensions in the slots, or lies packed behind them.
bool HomeParts::matchTile() {
  auto type = cast<RankedTensorType>(store.getValue().getType());
  int64_t dims = tasks.getIndices().size() - 1, stored = type.getRank(),
          behind = cast<MemRefType>(store.getBuffer().getType()).getRank() - dims;
  return (behind == 0 && stored == dims) || (behind == 1 && stored == 1);
}

std::optional<HomeParts> HomeParts::match(StoreOp store) {
  if (!store.getTo() || !store->getParentOfType<ForallOp>())
    return std::nullopt;
  HomeParts parts(store);
  if (!parts.matchPlace() || !parts.matchGuard() || !parts.matchSignal() || !parts.matchTile() || !parts.matchUsers() ||
      !parts.matchEngine())
    return std::nullopt;
  const int64_t others = *store->getParentOfType<ProgramOp>().getWorld() - 1;
  // A piece goes to one of them, which hears of it.
  parts.choosePieces(kBytesOfSentPiece, others * (kRequestsOfTake + 2));
  return parts;
}

std::optional<int64_t> HomeParts::tasksOfPart() const {
  int64_t count = 1;
  for (AffineExpr size : tiles) {
    auto constant = dyn_cast<AffineConstantExpr>(size);
    if (!constant)
      return std::nullopt;
    count *= constant.getValue();
  }
  return count;
}

/// All of a buffer at one index in its first dimension.
Value HomeParts::partOf(OpBuilder &builder, AllocOp buffer, Value index) {
  Location loc = store.getLoc();
  MemRefType type = buffer.getResult().getType();
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0)), sizes{builder.getIndexAttr(1)},
      strides(type.getRank(), builder.getIndexAttr(1));
  offsets.front() = index;
  for (int64_t dim = 1; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim)) {
      sizes.push_back(builder.getIndexAttr(type.getDimSize(dim)));
      continue;
    }
    AffineExpr size = shapeOf(buffer)[dim];
    auto known = llvm::find(tiles, size);
    sizes.push_back(known == tiles.end() ? materializeExtent(builder, loc, size)
                                         : tilesIn(builder, known - tiles.begin()));
  }
  MemRefType reduced =
      memref::SubViewOp::inferRankReducedResultType(type.getShape().drop_front(), type, offsets, sizes, strides);
  return memref::SubViewOp::create(builder, loc, reduced, buffer.getResult(), offsets, sizes, strides);
}

void HomeParts::storeAtHome(AllocOp home, SignalsOp counts) {
  OpBuilder builder(store);
  auto view = store.getBuffer().getDefiningOp<memref::SubViewOp>();
  store.getBufferMutable().set(partOf(builder, home, store.getTo()));
  builder.setInsertionPoint(signal);
  SmallVector<Value> index{store.getTo()};
  llvm::append_range(index, piecesOf(builder, signal.getIndices().drop_front()));
  signal.getSignalsMutable().set(counts.getResult());
  signal.getIndicesMutable().assign(index);
  signal.getToMutable().assign(rank);
  store.getToMutable().clear();
  if (view->use_empty())
    view->erase();
}

void HomeParts::awaitPieces(SignalsOp arrived) {
  for (Operation *user : llvm::make_early_inc_range(grid->getUsers())) {
    auto wait = cast<WaitOp>(user);
    OpBuilder builder(wait);
    SmallVector<Value> index{wait.getIndices().front()};
    llvm::append_range(index, piecesOf(builder, wait.getIndices().drop_front()));
    if (auto name = dyn_cast<NameLoc>(slots.getLoc()))
      wait->setAttr(TileDialect::CommentAttrHelper::getNameStr(),
                    builder.getStringAttr(name.getName().getValue() + ": sent by the copy engine"));
    wait.getSignalsMutable().set(arrived.getResult());
    wait.getIndicesMutable().assign(index);
  }
}

/// A task of the engine: `task` has the receiver and the coordinates of the piece.
void HomeParts::sendPiece(OpBuilder &builder, ValueRange task, AllocOp home, SignalsOp counts, SignalsOp arrived) {
  Location loc = store.getLoc();
  Value peer = task.front(), token;
  Value other = arith::CmpIOp::create(builder, named("is_other"), arith::CmpIPredicate::ne, peer, rank).getResult();
  auto branch = scf::IfOp::create(builder, loc, other, /*withElseRegion=*/false);
  OpBuilder inner = OpBuilder::atBlockBegin(branch.thenBlock());
  auto tokenType = TokenType::get(builder.getContext());
  token = TakeCountedOp::create(inner, loc, tokenType, counts.getResult(), task, tasksOf(inner, task.drop_front()));
  Value from = partOf(inner, home, peer), into = partOf(inner, slots, rank);
  // In elements along each dimension of the slots; a packed tile's own come behind.
  auto type = cast<RankedTensorType>(store.getValue().getType());
  SmallVector<int64_t> box(piece);
  SmallVector<Value> index(task.drop_front());
  const bool isPacked = cast<MemRefType>(into.getType()).getRank() == static_cast<int64_t>(piece.size()) + 1;
  if (isPacked) {
    box.push_back(type.getNumElements());
    index.push_back(arith::ConstantIndexOp::create(inner, loc, 0));
  } else {
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      box[dim] *= size;
  }
  Value one = arith::ConstantIndexOp::create(inner, loc, 1);
  token = MoveOp::create(inner, loc, tokenType, from, into, index, box, one, peer, token);
  SmallVector<Value> word{rank};
  llvm::append_range(word, task.drop_front());
  SignalOp::create(inner, loc, Scope::System, arrived.getResult(), word, peer, token, Participants::Wave);
}

void HomeParts::makeEngine(AllocOp home, SignalsOp counts, SignalsOp arrived) {
  ForallOp pieces = makeTasks(*overExtents(arrived.getSizes(), arrived.getExtents(), 1));
  for (BlockArgument index : pieces.getIndices())
    index.setLoc(named(index.getArgNumber() == 0 ? "peer" : nameOf(index.getArgNumber() - 1)));
  // For the ranks in the order in which tasks serve them.
  SmallVector<Attribute> order;
  for (Attribute step : tasks.getOrderAttr() ? tasks.getOrderAttr().getValue() : ArrayRef<Attribute>())
    if (isa<RankFirstAttr>(step))
      order.push_back(step);
  OpBuilder builder = OpBuilder::atBlockBegin(&pieces.getBody().front());
  pieces.setOrderAttr(builder.getArrayAttr(order));
  sendPiece(builder, pieces.getIndices(), home, counts, arrived);
  cleanEngine();
}

void HomeParts::rewrite() {
  auto program = tasks->getParentOfType<ProgramOp>();
  OpBuilder first(slots);
  MemRefType type = slots.getResult().getType();
  auto home = AllocOp::create(first, NameLoc::get(first.getStringAttr("outbox"), slots.getLoc()),
                              MemRefType::get(type.getShape(), type.getElementType()), slots.getExtents(),
                              slots.getSizesAttr(), slots.getParamsAttr(), UnitAttr(), /*copies=*/nullptr);
  SmallVector<AffineExpr> sizes{getAffineConstantExpr(*program.getWorld(), program.getContext())};
  llvm::append_range(sizes, pieces());
  SignalsOp counts = declareCounts(sizes), arrived = declareGrid(program, "send_arrived", sizes, store.getLoc());
  storeAtHome(home, counts);
  awaitPieces(arrived);
  makeEngine(home, counts, arrived);
  grid.erase();
}
