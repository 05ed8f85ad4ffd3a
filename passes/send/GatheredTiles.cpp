// Follows a store to the loop over ranks in which it stands, and from there to what it stores to.
#include "passes/send/GatheredTiles.h"
#include "passes/analysis/RankLoop.h"
#include "passes/analysis/SentParts.h"
#include "passes/waits/Synchronization.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Iterators.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// Computes a value of which `isOfAllTasks` is true once more.
static Value computeAgain(OpBuilder &builder, Value value, ForallOp tasks, IRMapping &mapping) {
  if (!tasks->isAncestor(value.getParentBlock()->getParentOp()) || mapping.contains(value))
    return mapping.lookupOrDefault(value);
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    (void)computeAgain(builder, operand, tasks, mapping);
  builder.clone(*op, mapping);
  return mapping.lookup(value);
}

bool GatheredTiles::matchTasks() {
  tasks = store->getParentOfType<ForallOp>();
  auto program = store->getParentOfType<ProgramOp>();
  auto role = dyn_cast<RoleOp>(tasks->getParentOp());
  world = *program.getWorld();
  ranks = loopOverRanks(store.getTo(), world);
  auto sizes = tasks.getBounds() ? overExtents(*tasks.getBounds(), tasks.getExtents(), world) : std::nullopt;
  if (!role || role.getEngine() || role.getTurn() != Turn::Each || !sizes)
    return false;
  tiles.assign(sizes->end() - store.getIndices().size(), sizes->end());
  for (RankOp op : program.getBody().getOps<RankOp>())
    rank = op;
  return static_cast<bool>(rank);
}

std::optional<GatheredTiles> GatheredTiles::match(StoreOp store) {
  if (!isGathered(store))
    return std::nullopt;
  GatheredTiles found(store);
  if (!found.matchTasks() || !found.matchEngine())
    return std::nullopt;
  found.choosePieces(kBytesOfGatheredPiece, kRequestsOfTake + 2 * (found.world - 1));
  return found;
}

/// Where this rank's tiles lie, at every rank.
Value GatheredTiles::placeIn(OpBuilder &builder) {
  IRMapping mapping;
  return computeAgain(builder, store.getBuffer(), tasks, mapping);
}

void GatheredTiles::storeAtHome(SignalsOp counts) {
  OpBuilder builder(ranks);
  Location loc = store.getLoc();
  auto token = TokenType::get(builder.getContext());
  auto stored = StoreOp::create(builder, loc, token, store.getValue(), placeIn(builder), store.getIndices(),
                                /*to=*/Value(), store.getAfter(), /*at=*/false);
  SignalOp::create(builder, loc, Scope::System, counts.getResult(), piecesOf(builder, store.getIndices()), rank,
                   stored.getToken());
  ranks.erase();
  store = stored;
}

/// The loop over the others, from the next rank on, so that no two ranks begin with the same one.
static scf::ForOp makeLoopOverOthers(OpBuilder &builder, Location loc, Value rank, int64_t world, ValueRange carried,
                                     llvm::function_ref<Value(OpBuilder &, Value)> body) {
  auto named = [&](StringRef name) { return NameLoc::get(builder.getStringAttr(name), loc); };
  Value one = arith::ConstantIndexOp::create(builder, loc, 1),
        all = arith::ConstantIndexOp::create(builder, loc, world);
  auto loop = scf::ForOp::create(builder, loc, one, all, one, carried);
  loop.getInductionVar().setLoc(named("ahead"));
  OpBuilder inner = OpBuilder::atBlockBegin(loop.getBody());
  Value number = arith::AddIOp::create(inner, loc, rank, loop.getInductionVar()),
        peer = arith::RemUIOp::create(inner, named("peer"), number, all), done = body(inner, peer);
  if (done)
    scf::YieldOp::create(inner, loc, done);
  return loop;
}

/// Takes what tasks have counted of a piece, and sends it to the others. Returns a token for that and what was `sent`
/// before.
Value GatheredTiles::sendPiece(OpBuilder &builder, ValueRange at, SignalsOp counts, Value sent) {
  Location loc = store.getLoc();
  auto token = TokenType::get(builder.getContext());
  Value made = TakeCountedOp::create(builder, loc, token, counts.getResult(), at, tasksOf(builder, at));
  Value place = placeIn(builder), one = arith::ConstantIndexOp::create(builder, loc, 1);
  SmallVector<int64_t> box(piece);
  for (auto [dim, size] : llvm::enumerate(cast<RankedTensorType>(store.getValue().getType()).getShape()))
    box[dim] *= size;
  auto sendTo = [&](OpBuilder &inner, Value peer) -> Value {
    Value moved = MoveOp::create(inner, loc, token, place, place, at, box, one, peer, made);
    Value before = cast<scf::ForOp>(inner.getInsertionBlock()->getParentOp()).getRegionIterArgs().front();
    return JoinOp::create(inner, loc, token, ValueRange{before, moved});
  };
  return makeLoopOverOthers(builder, loc, rank, world, sent, sendTo).getResult(0);
}

void GatheredTiles::signalOthers(OpBuilder &builder, Value row, SignalsOp arrived, Value sent) {
  Location loc = store.getLoc();
  SmallVector<Value> word{rank, row};
  if (tiles.size() == 2)
    word.push_back(arith::ConstantIndexOp::create(builder, loc, 0));
  makeLoopOverOthers(builder, loc, rank, world, ValueRange(), [&](OpBuilder &inner, Value peer) {
    SignalOp::create(inner, loc, Scope::System, arrived.getResult(), word, peer, sent, Participants::Wave);
    return Value();
  });
}

/// Pieces that lie beside each other, in the order in which tasks make them; the last one tells of all.
void GatheredTiles::sendRow(OpBuilder &builder, Value row, SignalsOp counts, SignalsOp arrived) {
  Location loc = store.getLoc();
  Value sent = JoinOp::create(builder, loc, TokenType::get(builder.getContext()), ValueRange());
  if (tiles.size() == 1)
    return signalOthers(builder, row, arrived, sendPiece(builder, row, counts, sent));
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1),
        count = materializeExtent(builder, loc, pieces()[1]);
  auto loop = scf::ForOp::create(builder, loc, zero, count, one, sent);
  loop.getInductionVar().setLoc(named(nameOf(1)));
  OpBuilder inner = OpBuilder::atBlockBegin(loop.getBody());
  sent = sendPiece(inner, {row, loop.getInductionVar()}, counts, loop.getRegionIterArgs().front());
  Value next = arith::AddIOp::create(inner, loc, loop.getInductionVar(), one);
  Value isLast = arith::CmpIOp::create(inner, named("is_last"), arith::CmpIPredicate::eq, next, count);
  auto branch = scf::IfOp::create(inner, loc, isLast, /*withElseRegion=*/false);
  OpBuilder then = OpBuilder::atBlockBegin(branch.thenBlock());
  signalOthers(then, row, arrived, sent);
  scf::YieldOp::create(inner, loc, sent);
}

/// The role in which the last workgroup leaves the kernel; made where there is none.
RoleOp GatheredTiles::lastRole() {
  Block &body = tasks->getParentOfType<KernelOp>().getBody().front();
  for (RoleOp role : body.getOps<RoleOp>())
    if (role.getTurn() == Turn::Last)
      return role;
  OpBuilder builder = OpBuilder::atBlockEnd(&body);
  auto role = RoleOp::create(builder, store.getLoc(), builder.getStringAttr("leave"),
                             TurnAttr::get(builder.getContext(), Turn::Last), IntegerAttr());
  role.getBody().emplaceBlock();
  return role;
}

/// What a launch of this rank leaves has come from all others.
void GatheredTiles::awaitOthers(SignalsOp arrived) {
  Location loc = store.getLoc();
  OpBuilder builder = OpBuilder::atBlockBegin(&lastRole().getBody().front());
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1),
        all = arith::ConstantIndexOp::create(builder, loc, world);
  auto loop = scf::ForOp::create(builder, loc, zero, all, one);
  Value source = loop.getInductionVar();
  source.setLoc(named("source"));
  OpBuilder inner = OpBuilder::atBlockBegin(loop.getBody());
  Value other = arith::CmpIOp::create(inner, named("is_other"), arith::CmpIPredicate::ne, source, rank);
  auto branch = scf::IfOp::create(inner, loc, other, /*withElseRegion=*/false);
  inner.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> first{source, zero}, counts{one, materializeExtent(inner, loc, pieces()[0])};
  if (tiles.size() == 2) {
    // Where rows are empty nobody tells of them.
    first.push_back(zero);
    auto columns = dyn_cast<AffineConstantExpr>(pieces()[1]);
    const bool areSome = columns && columns.getValue() > 0;
    counts.push_back(areSome ? one
                             : arith::MinSIOp::create(inner, loc, materializeExtent(inner, loc, pieces()[1]), one));
  }
  auto wait = WaitOp::create(inner, loc, TokenType::get(builder.getContext()), Scope::System, arrived.getResult(),
                             first, counts, 0);
  wait->setAttr(TileDialect::CommentAttrHelper::getNameStr(), builder.getStringAttr("sent by the copy engine"));
}

void GatheredTiles::rewrite() {
  SmallVector<AffineExpr> words{getAffineConstantExpr(world, store.getContext()), pieces()[0]};
  if (tiles.size() == 2)
    words.push_back(getAffineConstantExpr(1, store.getContext()));
  SignalsOp counts = declareCounts(pieces()),
            arrived = declareGrid(tasks->getParentOfType<ProgramOp>(), "send_arrived", words, store.getLoc());
  storeAtHome(counts);
  ForallOp rows = makeTasks(pieces()[0]);
  rows.getIndices().front().setLoc(named(nameOf(0)));
  OpBuilder builder = OpBuilder::atBlockBegin(&rows.getBody().front());
  sendRow(builder, rows.getIndices().front(), counts, arrived);
  cleanEngine();
  awaitOthers(arrived);
}

/// Takes an operation out, and the loop that does nothing else.
static void eraseWithLoop(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  op->erase();
  if (loop && llvm::all_of(*loop.getBody(), [](Operation &other) { return isMemoryEffectFree(&other); }))
    loop.erase();
}

void GatheredTiles::dropDone(KernelOp kernel) {
  WalkResult others = kernel.walk([](AccessOpInterface access) {
    return access.getAccessRank() ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (others.wasInterrupted())
    return;
  for (auto grid : llvm::make_early_inc_range(kernel->getParentOfType<ProgramOp>().getBody().getOps<SignalsOp>())) {
    bool isOurs = grid.getHandshake() == Handshake::Done && llvm::all_of(grid->getUsers(), [&](Operation *user) {
                    return kernel->isAncestor(user) && (!isa<WaitOp>(user) || user->use_empty());
                  });
    if (!isOurs)
      continue;
    for (Operation *user : llvm::make_early_inc_range(grid->getUsers()))
      eraseWithLoop(user);
    grid.erase();
  }
  kernel.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}
