// Follows a store to its slots, and from there to all who use them.
#include "passes/send/HomeParts.h"
#include "passes/analysis/LayoutConversion.h"
#include "passes/analysis/SentParts.h"
#include "passes/waits/Synchronization.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// Tiles of a piece in a dimension of which nobody knows how many there are.
constexpr int64_t kUsualTiles = 64;

static Location named(StringRef name, Location loc) {
  return NameLoc::get(StringAttr::get(loc.getContext(), name), loc);
}

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

/// Nothing is beside the kernel yet, or an engine that waits for tasks of it: others copy while nothing of the launch
/// has happened, so that what they copy to their own rank would come too late behind a wait.
bool HomeParts::matchEngine() {
  auto kernel = tasks->getParentOfType<KernelOp>();
  auto before = dyn_cast_or_null<KernelOp>(kernel->getPrevNode());
  if (!before || !before.getEngine())
    return !SymbolTable::lookupSymbolIn(tasks->getParentOfType<ProgramOp>(), nameOfEngine());
  engine = before;
  return llvm::all_of(before.getBody().getOps<RoleOp>(), [](RoleOp role) {
    return role.walk([](TakeCountedOp) { return WalkResult::interrupt(); }).wasInterrupted();
  });
}

std::string HomeParts::nameOfEngine() { return (tasks->getParentOfType<KernelOp>().getSymName() + "_copies").str(); }

std::optional<HomeParts> HomeParts::match(StoreOp store) {
  if (!store.getTo() || !store->getParentOfType<ForallOp>())
    return std::nullopt;
  HomeParts parts(store);
  if (!parts.matchPlace() || !parts.matchGuard() || !parts.matchSignal() || !parts.matchTile() || !parts.matchUsers() ||
      !parts.matchEngine())
    return std::nullopt;
  parts.choosePieces();
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

/// Tiles that tasks make one after the other: in windows of rows where they are grouped, else row by row. So many
/// columns of them as the granularity says, where it is a group; else as many bytes as are sent well.
void HomeParts::choosePieces() {
  auto type = cast<RankedTensorType>(store.getValue().getType());
  int64_t bytes = type.getNumElements() * bytesOf(type.getElementType());
  int64_t window = 1;
  for (Attribute step : tasks.getOrderAttr() ? tasks.getOrderAttr().getValue() : ArrayRef<Attribute>())
    if (auto grouped = dyn_cast<GroupedAttr>(step))
      window = grouped.getHeight();
  auto countOf = [](AffineExpr expr) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    return std::max<int64_t>(constant ? constant.getValue() : kUsualTiles, 1);
  };
  GranularityAttr granularity = tasks->getParentOfType<ProgramOp>().getGranularityAttr();
  const bool isGiven = granularity && granularity.getCoverage() == Coverage::Group;
  int64_t left = std::max<int64_t>(kBytesOfSentPiece / std::max<int64_t>(bytes, 1), 1);
  piece.assign(tiles.size(), 1);
  // As many in each piece.
  auto evenly = [](int64_t count, int64_t most) { return llvm::divideCeil(count, llvm::divideCeil(count, most)); };
  if (tiles.size() == 2 && window > 1) {
    piece[0] = std::min(window, countOf(tiles[0]));
    piece[1] = isGiven ? granularity.getTiles() : evenly(countOf(tiles[1]), std::max<int64_t>(left / piece[0], 1));
    return;
  }
  piece.back() = isGiven ? granularity.getTiles() : evenly(countOf(tiles.back()), left);
  if (tiles.size() == 2 && piece.back() == countOf(tiles.back()))
    piece[0] = evenly(countOf(tiles[0]), std::max<int64_t>(left / piece[1], 1));
}

/// What the program calls an index of tasks.
StringRef HomeParts::nameOf(unsigned index) {
  auto name = dyn_cast<NameLoc>(tasks.getIndices()[index].getLoc());
  return name ? name.getName().getValue() : "part";
}

/// How many tiles a part has in a dimension.
Value HomeParts::tilesIn(OpBuilder &builder, unsigned dim) {
  return materializeExtent(builder, named((nameOf(dim + 1) + "_tiles").str(), store.getLoc()), tiles[dim]);
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

Value HomeParts::pieceOf(OpBuilder &builder, Value tile, unsigned dim) {
  if (piece[dim] == 1)
    return tile;
  Location loc = store.getLoc();
  Value size = arith::ConstantIndexOp::create(builder, loc, piece[dim]);
  return arith::DivSIOp::create(builder, named("piece", loc), tile, size);
}

/// How many tasks make a piece: those at the end of a dimension have what is left there.
Value HomeParts::tasksOf(OpBuilder &builder, ValueRange index) {
  Location loc = store.getLoc();
  Value all;
  for (auto [dim, size] : llvm::enumerate(tiles)) {
    Value most = arith::ConstantIndexOp::create(builder, loc, piece[dim]), count = most;
    if (size.getLargestKnownDivisor() % piece[dim] != 0) {
      Value before = arith::MulIOp::create(builder, loc, index[dim], most);
      Value rest = arith::SubIOp::create(builder, loc, tilesIn(builder, dim), before);
      count = arith::MinSIOp::create(builder, loc, rest, most);
    }
    all = all ? arith::MulIOp::create(builder, loc, all, count).getResult() : count;
  }
  return all;
}

void HomeParts::storeAtHome(AllocOp home, SignalsOp counts) {
  OpBuilder builder(store);
  auto view = store.getBuffer().getDefiningOp<memref::SubViewOp>();
  store.getBufferMutable().set(partOf(builder, home, store.getTo()));
  builder.setInsertionPoint(signal);
  SmallVector<Value> index{store.getTo()};
  for (auto [dim, tile] : llvm::enumerate(signal.getIndices().drop_front()))
    index.push_back(pieceOf(builder, tile, dim));
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
    for (auto [dim, tile] : llvm::enumerate(wait.getIndices().drop_front()))
      index.push_back(pieceOf(builder, tile, dim));
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
  Value other =
      arith::CmpIOp::create(builder, named("is_other", loc), arith::CmpIPredicate::ne, peer, rank).getResult();
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
  auto kernel = tasks->getParentOfType<KernelOp>();
  OpBuilder builder(kernel);
  Location loc = store.getLoc();
  if (!engine) {
    engine = KernelOp::create(builder, kernel.getLoc(), nameOfEngine());
    engine.setEngine(true);
    engine.setWaves(1);
  }
  std::string name = "send";
  for (unsigned number = 2; SymbolTable::lookupSymbolIn(engine, name); ++number)
    name = ("send_" + Twine(number)).str();
  builder.setInsertionPointToEnd(&engine.getBody().front());
  auto role = RoleOp::create(builder, loc, builder.getStringAttr(name), TurnAttr::get(builder.getContext(), Turn::Each),
                             builder.getI64IntegerAttr(1));
  role.setEngine(true);
  builder.setInsertionPointToStart(&role.getBody().emplaceBlock());
  auto [map, operands] = extentOperands(&kernel->getParentOfType<ProgramOp>().getBody().front(),
                                        *overExtents(arrived.getSizes(), arrived.getExtents(), 1));
  auto pieces = ForallOp::create(builder, loc, map, operands);
  for (BlockArgument index : pieces.getIndices())
    index.setLoc(named(index.getArgNumber() == 0 ? "peer" : nameOf(index.getArgNumber()), loc));
  // For the ranks in the order in which tasks serve them.
  SmallVector<Attribute> order;
  for (Attribute step : tasks.getOrderAttr() ? tasks.getOrderAttr().getValue() : ArrayRef<Attribute>())
    if (isa<RankFirstAttr>(step))
      order.push_back(step);
  pieces.setOrderAttr(builder.getArrayAttr(order));
  builder.setInsertionPointToStart(&pieces.getBody().front());
  sendPiece(builder, pieces.getIndices(), home, counts, arrived);
  IRRewriter rewriter(engine);
  DominanceInfo dominance(engine);
  eliminateCommonSubExpressions(rewriter, dominance, engine);
}

void HomeParts::rewrite() {
  auto program = tasks->getParentOfType<ProgramOp>();
  auto role = cast<RoleOp>(tasks->getParentOp());
  OpBuilder first(slots);
  MemRefType type = slots.getResult().getType();
  auto home =
      AllocOp::create(first, named("outbox", slots.getLoc()), MemRefType::get(type.getShape(), type.getElementType()),
                      slots.getExtents(), slots.getSizesAttr(), slots.getParamsAttr(), UnitAttr(), /*copies=*/nullptr);
  SmallVector<AffineExpr> sizes{getAffineConstantExpr(*program.getWorld(), program.getContext())};
  for (auto [size, count] : llvm::zip(tiles, piece))
    sizes.push_back(simplifyAffineExpr(size.ceilDiv(count), 0, 64));
  SignalsOp counts = declareGrid(program, (role.getSymName() + "_stored").str(), sizes, store.getLoc()),
            arrived = declareGrid(program, "send_arrived", sizes, store.getLoc());
  counts.setCounted(true);
  storeAtHome(home, counts);
  awaitPieces(arrived);
  makeEngine(home, counts, arrived);
  grid.erase();
}
