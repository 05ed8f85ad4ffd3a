// Partial sums that travel without signals: their words tell of themselves.
#include "passes/Passes.h"
#include "passes/ProgramTarget.h"
#include "passes/analysis/LayoutConversion.h"
#include "passes/stage/TaskBarriers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace tilec {
#define GEN_PASS_DEF_POST
#include "passes/Passes.h.inc"
} // namespace tilec

namespace {

/// What a token becomes: its joins, and what loops and branches make of it.
class TokenFlow {
public:
  /// Whether all that the tokens flow into comes from them alone; nothing else may be ordered by what goes away.
  bool follow(ArrayRef<WaitOp> waits);
  bool has(Value token) const { return tokens.contains(token); }
  /// Whoever names the tokens names them no more; what only made them goes away.
  void erase();

  SmallVector<Operation *> accesses; ///< that come behind one of them

private:
  bool add(Value token);
  bool followUse(OpOperand &use);
  bool holdsWaitsAlone(Operation *op);

  llvm::SetVector<Value> tokens;
};

/// A buffer of slots, one tile each, in which a task of one rank finds what each other rank's task has stored for it.
class Slots {
public:
  Slots(AllocOp alloc, int64_t units) : alloc(alloc), units(units) {}

  bool match();
  void rewrite();

private:
  bool matchAccess(Operation *op);
  bool matchSignal();
  bool matchWaits();
  bool matchBranch();
  bool isFromEachOther(Value source);
  bool orderOnlyTiles();
  bool isSmall();
  SmallVector<OpFoldResult> coordinates(AccessOpInterface access);
  RankedTensorType tile() { return store.getValue().getType(); }

  AllocOp alloc;
  int64_t units;
  StoreOp store;
  LoadOp load;
  SignalOp signal;
  scf::IfOp branch; ///< tasks of other ranks' parts store, those of this rank's load
  TokenFlow waited;
};

bool TokenFlow::add(Value token) {
  if (!tokens.insert(token))
    return true;
  return llvm::all_of(token.getUses(), [&](OpOperand &use) { return followUse(use); });
}

bool TokenFlow::followUse(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto access = dyn_cast<AccessOpInterface>(user)) {
    accesses.push_back(user);
    return true;
  }
  if (auto join = dyn_cast<JoinOp>(user))
    return add(join.getResult());
  if (auto loop = dyn_cast<scf::ForOp>(user))
    return add(loop.getTiedLoopRegionIterArg(&use)) && add(loop.getTiedLoopResult(&use));
  auto yield = dyn_cast<scf::YieldOp>(user);
  if (!yield)
    return false;
  auto loop = dyn_cast<scf::ForOp>(yield->getParentOp());
  return add(yield->getParentOp()->getResult(use.getOperandNumber())) &&
         (!loop || add(loop.getRegionIterArg(use.getOperandNumber())));
}

/// A join of nothing, such as a loop begins with.
static bool isNothing(Value token) {
  auto join = token.getDefiningOp<JoinOp>();
  return join && join->getNumOperands() == 0;
}

/// Whether a loop or a branch does nothing but wait for the tokens, so that it may go with them.
bool TokenFlow::holdsWaitsAlone(Operation *op) {
  WalkResult result = op->walk([&](Operation *inner) {
    auto wait = dyn_cast<WaitOp>(inner);
    bool mayGo = wait ? has(wait.getToken()) : isa<scf::ForOp, scf::IfOp>(inner) || isMemoryEffectFree(inner);
    return mayGo ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

bool TokenFlow::follow(ArrayRef<WaitOp> waits) {
  for (WaitOp wait : waits)
    if (!add(wait.getToken()))
      return false;
  auto isOwn = [&](Value token) { return has(token) || isNothing(token); };
  return llvm::all_of(tokens, [&](Value token) {
    Operation *op = token.getDefiningOp();
    if (isa_and_nonnull<JoinOp>(op))
      return llvm::all_of(op->getOperands(), isOwn);
    auto argument = dyn_cast<BlockArgument>(token);
    auto loop = dyn_cast<scf::ForOp>(argument ? argument.getOwner()->getParentOp() : op);
    if (loop) {
      unsigned number =
          argument ? argument.getArgNumber() - loop.getNumInductionVars() : cast<OpResult>(token).getResultNumber();
      return loop.getNumRegionIterArgs() == 1 && holdsWaitsAlone(loop) && isOwn(loop.getInitArgs()[number]) &&
             isOwn(loop.getYieldedValues()[number]);
    }
    if (auto choice = dyn_cast_or_null<scf::IfOp>(op)) {
      unsigned number = cast<OpResult>(token).getResultNumber();
      return choice.getNumResults() == 1 && holdsWaitsAlone(choice) && isOwn(choice.thenYield().getOperand(number)) &&
             isOwn(choice.elseYield().getOperand(number));
    }
    return isa_and_nonnull<WaitOp>(op);
  });
}

void TokenFlow::erase() {
  for (Operation *access : accesses) {
    MutableOperandRange after = cast<AccessOpInterface>(access).getAfterTokensMutable();
    SmallVector<Value> kept;
    for (Value token : OperandRange(after))
      if (!has(token))
        kept.push_back(token);
    after.assign(kept);
  }
  llvm::SetVector<Operation *> outermost;
  for (Value token : tokens) {
    Operation *op = token.getDefiningOp();
    if (!op)
      op = token.getParentBlock()->getParentOp();
    // A loop that nothing but the wait is in goes with it.
    while (isa<scf::ForOp, scf::IfOp>(op->getParentOp()) &&
           llvm::any_of(op->getParentOp()->getResults(), [&](Value r) { return has(r); }))
      op = op->getParentOp();
    outermost.insert(op);
  }
  for (Operation *op : outermost)
    op->dropAllUses();
  for (Operation *op : outermost)
    op->erase();
}

/// The place of an access in the buffer, in tiles; empty where it is none of its dimensions' own.
SmallVector<OpFoldResult> Slots::coordinates(AccessOpInterface access) {
  SmallVector<OpFoldResult> indices(access.getAccessIndices().begin(), access.getAccessIndices().end());
  auto view = access.getAccessedBuffer().getDefiningOp<memref::SubViewOp>();
  if (!view)
    return indices;
  llvm::SmallBitVector dropped = view.getDroppedDims();
  SmallVector<OpFoldResult> all;
  size_t next = 0;
  for (auto [d, offset, stride] : llvm::enumerate(view.getMixedOffsets(), view.getMixedStrides())) {
    if (getConstantIntValue(stride) != 1 || (!dropped.test(d) && getConstantIntValue(offset) != 0))
      return {};
    all.push_back(dropped.test(d) ? offset : indices[next++]);
  }
  return all;
}

static bool areEqual(ArrayRef<OpFoldResult> a, ArrayRef<OpFoldResult> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           auto [left, right] = pair;
           return isEqualConstantIntOrValue(left, right);
         });
}

bool Slots::match() {
  auto type = alloc.getResult().getType();
  if (alloc.getPersistent() || alloc.getCopies() != 1 || !isa<FloatType>(type.getElementType()))
    return false;
  for (Operation *user : alloc.getResult().getUsers()) {
    auto view = dyn_cast<memref::SubViewOp>(user);
    if (view ? !llvm::all_of(view->getUsers(), [&](Operation *op) { return matchAccess(op); }) : !matchAccess(user))
      return false;
  }
  return store && load && matchSignal() && matchBranch() && matchWaits() && orderOnlyTiles() && isSmall();
}

/// One store and one load of all that a slot has.
bool Slots::matchAccess(Operation *op) {
  auto isWhole = [&](auto access, RankedTensorType tile) {
    return !access.getAt() && tile.getRank() == 1 &&
           tile.getDimSize(0) == alloc.getResult().getType().getShape().back() &&
           getConstantIntValue(access.getIndices().back()) == 0;
  };
  if (auto given = dyn_cast<StoreOp>(op);
      given && !store && given.getTo() && isWhole(given, given.getValue().getType()))
    store = given;
  else if (auto taken = dyn_cast<LoadOp>(op);
           taken && !load && !taken.getFrom() && !taken.getOtherwise() && isWhole(taken, taken.getType()))
    load = taken;
  else
    return false;
  return true;
}

/// The store is published by one signal, which publishes nothing else and is called as the slot is.
bool Slots::matchSignal() {
  if (!store.getToken() || !store.getToken().hasOneUse() || load.getType() != tile())
    return false;
  signal = dyn_cast<SignalOp>(*store.getToken().user_begin());
  if (!signal || signal.getPublishes().size() != 1 || signal->getBlock() != store->getBlock() ||
      signal.getTo() != store.getTo() || signal.getScope() != Scope::System)
    return false;
  SmallVector<OpFoldResult> slot = coordinates(store), named(signal.getIndices().begin(), signal.getIndices().end());
  std::optional<LinearLayout> layout = layoutOf(tile());
  return !slot.empty() && areEqual(ArrayRef(slot).drop_back(), named) && layout && layout->isBijective() &&
         vectorOf(tile()) * tile().getElementTypeBitWidth() >= 32;
}

/// Nobody else names the signals, and what comes behind the waits needs no more than the tiles.
bool Slots::matchWaits() {
  SmallVector<WaitOp> waits;
  for (Operation *user : signal.getSignals().getUsers()) {
    auto wait = dyn_cast<WaitOp>(user);
    if (user == signal)
      continue;
    if (!wait || wait.getLag() || !load->getParentOfType<ForallOp>()->isProperAncestor(wait))
      return false;
    waits.push_back(wait);
  }
  return !waits.empty() && waited.follow(waits) && llvm::is_contained(waited.accesses, load) &&
         llvm::all_of(waited.accesses, [&](Operation *op) {
           // A store of what was added up comes behind the tiles by what it stores.
           return op == load || isa<StoreOp>(op);
         });
}

/// Tasks of another rank's part store it there; those of this rank's part load what each of the others has stored.
bool Slots::matchBranch() {
  branch = dyn_cast<scf::IfOp>(store->getParentOp());
  auto differs = branch ? branch.getCondition().getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
  auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
  if (!differs || !loop || loop->getBlock() != branch.elseBlock() || store->getBlock() != branch.thenBlock() ||
      differs.getPredicate() != arith::CmpIPredicate::ne || !differs.getRhs().getDefiningOp<RankOp>() ||
      differs.getLhs() != store.getTo() || !isa<ForallOp>(branch->getParentOp()))
    return false;
  // Once in a launch.
  auto tasks = cast<ForallOp>(branch->getParentOp());
  if (!isa<RoleOp>(tasks->getParentOp()) || !isa<ProgramOp>(tasks->getParentOfType<KernelOp>()->getParentOp()))
    return false;
  // Nobody may take what a signal before the tile publishes for known with it.
  bool signalsElse = false;
  tasks.walk([&](Operation *op) { signalsElse |= isa<SignalOp, ArriveOp>(op) && op != signal; });
  if (signalsElse)
    return false;
  SmallVector<OpFoldResult> given = coordinates(store), taken = coordinates(load);
  if (given.size() < 3 || taken.size() != given.size() || !llvm::is_contained(tasks.getIndices(), store.getTo()))
    return false;
  // Slots of two tasks are two: all coordinates of a task are among those of its slot.
  auto isNamed = [&](Value index) { return index == store.getTo() || llvm::is_contained(given, OpFoldResult(index)); };
  auto from = dyn_cast<Value>(given.front());
  return from && from.getDefiningOp<RankOp>() && llvm::all_of(tasks.getIndices(), isNamed) &&
         areEqual(ArrayRef(given).drop_front(), ArrayRef(taken).drop_front()) &&
         isFromEachOther(dyn_cast<Value>(taken.front()));
}

/// (rank + i) mod W for i from 1 to W - 1.
bool Slots::isFromEachOther(Value source) {
  int64_t world = *alloc->getParentOfType<ProgramOp>().getWorld();
  auto loop = cast<scf::ForOp>(load->getParentOp());
  auto wrapped = source ? source.getDefiningOp<arith::RemUIOp>() : arith::RemUIOp();
  auto sum = wrapped ? wrapped.getLhs().getDefiningOp<arith::AddIOp>() : arith::AddIOp();
  return sum && getConstantIntValue(wrapped.getRhs()) == world && sum.getLhs().getDefiningOp<RankOp>() &&
         sum.getRhs() == loop.getInductionVar() && getConstantIntValue(loop.getLowerBound()) == 1 &&
         getConstantIntValue(loop.getUpperBound()) == world && getConstantIntValue(loop.getStep()) == 1;
}

/// Whether nobody counts on the signals for anything else: who raises one has done with what it has read, which others
/// may then write. Nothing that the kernel reads is written by another rank.
bool Slots::orderOnlyTiles() {
  llvm::DenseSet<Value> foreign;
  auto program = alloc->getParentOfType<ProgramOp>();
  program.walk([&](AccessOpInterface access) {
    if (access.writesBuffer() && access.getAccessRank() && access.getOperation() != store.getOperation())
      foreign.insert(viewedBuffer(access.getAccessedBuffer()));
  });
  WalkResult result = store->getParentOfType<KernelOp>().walk([&](AccessOpInterface access) {
    bool isRead = access.readsBuffer() && foreign.contains(viewedBuffer(access.getAccessedBuffer()));
    return isRead ? WalkResult::interrupt() : WalkResult::advance();
  });
  return !result.wasInterrupted();
}

/// Whether each workgroup has one task at most. Then all that a signal takes, to publish, to arrive and to be seen, is
/// time in which nothing else is done; with more tasks others are worked on meanwhile.
bool Slots::isSmall() {
  int64_t count = 1;
  for (AffineExpr bound : cast<ForallOp>(branch->getParentOp()).getBounds()->getResults()) {
    auto constant = dyn_cast<AffineConstantExpr>(bound);
    if (!constant || (count *= constant.getValue()) > units)
      return false;
  }
  return true;
}

void Slots::rewrite() {
  alloc.setPersistent(true);
  OpBuilder builder(store);
  PostOp::create(builder, store.getLoc(), store.getValue(), store.getBuffer(), store.getIndices(), store.getTo(),
                 signal.getSignals(), signal.getIndices());
  builder.setInsertionPoint(load);
  SmallVector<Value> named;
  for (OpFoldResult index : ArrayRef(coordinates(load)).drop_back())
    named.push_back(getValueOrCreateConstantIndexOp(builder, load.getLoc(), index));
  auto taken = ReceiveOp::create(builder, load.getLoc(), load.getType(), load.getBuffer(), load.getIndices(),
                                 signal.getSignals(), named);
  waited.erase();
  load.replaceAllUsesWith(taken.getResult());
  load.erase();
  signal.erase();
  store.erase();
}

class Post : public tilec::impl::PostBase<Post> {
public:
  using PostBase::PostBase;

  void runOnOperation() override {
    ProgramOp program = getOperation();
    FailureOr<Target> target = programTarget(program, this->target);
    if (failed(target))
      return signalPassFailure();
    // Whoever has a word knows that its rank has begun the launch, and stores into that rank's buffers: what kernels
    // before have stored there must not come later. Where the end of a kernel leaves that in the caches of chiplets, it
    // may.
    if (target->chiplets > 1)
      return;
    for (AllocOp alloc : llvm::make_early_inc_range(program.getBody().getOps<AllocOp>())) {
      Slots slots(alloc, target->units());
      if (!slots.match())
        continue;
      slots.rewrite();
      ++numBuffers;
    }
  }
};

} // namespace
