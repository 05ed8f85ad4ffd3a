// Walks what tasks leave to others. Shares no code with the pass that defers.
#include "passes/checker/DeferredStores.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

/// Where waves part, and in the groups and roles there, each workgroup comes by once.
static bool runsOnce(Operation *parent) { return isa<hip::ByRoleOp, hip::GroupOp, hip::RoleOp>(parent); }

bool checker::storesLeft(hip::IfProducesOp op) {
  auto isLeft = [](Operation &inner) {
    auto store = dyn_cast<hip::StoreDeferredOp>(inner);
    return isa<hip::AwaitStoresOp>(inner) || (store && !store.getSlot());
  };
  return runsOnce(op->getParentOp()) && op.getProduces().front().empty() &&
         llvm::all_of(op.getConsumes().front(), isLeft);
}

/// Whether all that registers hold is stored somewhere in a range of operations.
static bool storesAll(Value deferred, llvm::iterator_range<Block::iterator> range) {
  return llvm::any_of(range, [&](Operation &op) {
    auto store = dyn_cast<hip::StoreDeferredOp>(op);
    return store && store.getDeferred() == deferred && !store.getSlot();
  });
}

/// What a consumer does in a range of operations; null where that is nothing.
static Operation *effectIn(llvm::iterator_range<Block::iterator> range) {
  for (Operation &op : range)
    if (!isMemoryEffectFree(&op) && !op.hasTrait<hip::RecordsOnly>())
      return &op;
  return nullptr;
}

/// Behind it, no access of the task may take what it leaves for stored. `deferred`: the registers that it fills; null
/// of what is stored at once.
static LogicalResult checkLast(Operation *op, Value deferred) {
  bool isStored = !deferred;
  Operation *place = op, *around = op->getParentOp();
  for (;; place = around, around = around->getParentOp()) {
    Block *block = place->getBlock();
    if (Operation *behind = effectIn({std::next(place->getIterator()), block->end()})) {
      InFlightDiagnostic diagnostic = op->emitOpError() << "is followed by what its task does, expected it last";
      diagnostic.attachNote(behind->getLoc()) << "this comes behind";
      return diagnostic;
    }
    isStored |= deferred && storesAll(deferred, {block->begin(), place->getIterator()});
    if (!isa<scf::IfOp>(around))
      break;
  }
  auto sides = dyn_cast<hip::IfProducesOp>(around);
  if (!sides || place->getBlock() != &sides.getConsumes().front() || !isa<hip::TasksOp>(sides->getParentOp()))
    return op->emitOpError() << "stands in a loop, or outside of tasks, expected it among what consumers do once in a "
                                "task";
  if (isStored)
    return success();
  return op->emitOpError() << "fills registers that may hold what the task before has left, expected a "
                              "'hip.store_deferred' of all of it before";
}

/// Whether all that is left is stored behind the tasks.
static bool isStoredBehind(Value deferred, hip::TasksOp tasks) {
  for (Operation &op : llvm::make_range(std::next(tasks->getIterator()), tasks->getBlock()->end()))
    if (auto sides = dyn_cast<hip::IfProducesOp>(op);
        sides && storesLeft(sides) && storesAll(deferred, sides.getConsumes().front()))
      return true;
  return false;
}

/// Whether nobody ends before what the copy engine stores is there: behind the tasks, and what the last one has left.
static bool isAwaited(hip::TasksOp tasks) {
  for (Operation &op : llvm::make_range(std::next(tasks->getIterator()), tasks->getBlock()->end())) {
    // Its tasks may access the buffer, too.
    if (isa<hip::TasksOp>(op))
      return false;
    auto sides = dyn_cast<hip::IfProducesOp>(op);
    if (sides && storesLeft(sides) && !sides.getConsumes().front().empty() &&
        isa<hip::AwaitStoresOp>(sides.getConsumes().front().back()))
      return true;
  }
  return false;
}

/// Whether a task that does one of two operations leaves out the other.
static bool areApart(Operation *a, Operation *b) {
  for (auto branch = a->getParentOfType<scf::IfOp>(); branch; branch = branch->getParentOfType<scf::IfOp>())
    if (branch->isProperAncestor(b))
      return branch.getThenRegion().isAncestor(a->getParentRegion()) !=
             branch.getThenRegion().isAncestor(b->getParentRegion());
  return false;
}

/// The copy engine is behind what threads have done by no meeting of theirs: its store is the only access of the task
/// to the buffer. It is complete before the kernel ends.
static LogicalResult checkAsync(Operation *op, Operation *self, Value view) {
  auto tasks = op->getParentOfType<hip::TasksOp>();
  auto plain = view.getDefiningOp<hip::ViewOp>();
  SmallVector<Operation *> accesses;
  for (Operation *known : plain ? plain.getPointer().getUsers() : Value(view).getUsers()) {
    if (isa<hip::ViewOp, hip::ViewAtOp>(known))
      llvm::append_range(accesses, known->getUsers());
    else
      accesses.push_back(known);
  }
  for (Operation *access : accesses) {
    if (access == op || access == self || !tasks->isAncestor(access) || isMemoryEffectFree(access) ||
        areApart(op, access))
      continue;
    InFlightDiagnostic diagnostic =
        op->emitOpError() << "has the copy engine store to what its task accesses elsewhere, expected no other access";
    diagnostic.attachNote(access->getLoc()) << "the other access";
    return diagnostic;
  }
  if (isAwaited(tasks))
    return success();
  return op->emitOpError()
         << "may not be complete when its threads end, expected a 'hip.await_stores' behind the tasks";
}

static LogicalResult checkStore(hip::StoreAsyncOp op) {
  if (failed(checkLast(op, /*deferred=*/Value())))
    return failure();
  return checkAsync(op, /*self=*/nullptr, op.getView());
}

static LogicalResult checkRegisters(hip::DeferredOp op) {
  if (!runsOnce(op->getParentOp()))
    return op.emitOpError() << "stands in a task or a branch, expected it before the tasks";
  hip::DeferOp defer;
  for (Operation *user : op.getResult().getUsers()) {
    auto next = dyn_cast<hip::DeferOp>(user);
    if (next && defer)
      return next.emitOpError() << "fills registers that the task has filled before, expected one 'hip.defer' of them";
    defer = next ? next : defer;
  }
  if (!defer)
    return success();
  if (failed(checkLast(defer, op.getResult())))
    return failure();
  if (isStoredBehind(op.getResult(), defer->getParentOfType<hip::TasksOp>()))
    return op.getMap() ? checkAsync(defer, op, op.getView()) : success();
  InFlightDiagnostic diagnostic = op.emitOpError() << "may hold what the last task has left, expected a "
                                                      "'hip.store_deferred' of all of it behind the tasks";
  diagnostic.attachNote(defer.getLoc()) << "it is left here";
  return diagnostic;
}

LogicalResult checker::checkDeferred(hip::ByRoleOp op) {
  WalkResult result = op.walk([&](Operation *inner) {
    auto deferred = dyn_cast<hip::DeferredOp>(inner);
    auto store = dyn_cast<hip::StoreAsyncOp>(inner);
    if ((deferred && failed(checkRegisters(deferred))) || (store && failed(checkStore(store))))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
