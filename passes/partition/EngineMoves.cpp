// Rewrites tasks of copy engines. Adds no signals: those of the tasks stay.
#include "passes/partition/EngineMoves.h"
#include "passes/analysis/Contains.h"
#include "passes/schedule/Remade.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace {

/// The one load of a task, whose tile the one store takes; with the loop over tiles of a row and the branch that may
/// stand around the two.
struct Moved {
  LoadOp load;
  StoreOp store;
  scf::ForOp loop;
  scf::IfOp guard;
  Operation *outer = nullptr; ///< what of these stands in the task itself
};

} // namespace

static std::optional<Moved> findMoved(ForallOp tasks) {
  Moved moved;
  unsigned accesses = 0;
  tasks.walk([&](AccessOpInterface access) {
    ++accesses;
    if (auto load = dyn_cast<LoadOp>(access.getOperation()))
      moved.load = load;
    if (auto store = dyn_cast<StoreOp>(access.getOperation()))
      moved.store = store;
  });
  if (accesses != 2 || !moved.load || !moved.store || moved.store.getValue() != moved.load.getResult() ||
      moved.load->getBlock() != moved.store->getBlock() || !moved.store.getTo() || moved.load.getFrom() ||
      moved.load.getAt() || moved.store.getAt() || moved.load.getOtherwise() ||
      !llvm::equal(moved.load.getIndices(), moved.store.getIndices()))
    return std::nullopt;
  moved.outer = moved.load;
  for (Operation *parent = moved.load->getParentOp(); parent != tasks; parent = parent->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(parent);
    auto guard = dyn_cast<scf::IfOp>(parent);
    bool counts = loop && !moved.loop && getConstantIntValue(loop.getLowerBound()) == 0 &&
                  getConstantIntValue(loop.getStep()) == 1;
    if (!counts && (!guard || moved.guard))
      return std::nullopt;
    (counts ? (Operation *&)moved.loop : (Operation *&)moved.guard) = parent;
    moved.outer = parent;
  }
  return moved;
}

/// Whether all that the move takes can be made in front of what it replaces.
static bool canMove(const Moved &moved, schedule::Remade &outside) {
  LoadOp load = moved.load;
  StoreOp store = moved.store;
  SmallVector<Value> needed{load.getBuffer(), store.getBuffer(), store.getTo()};
  llvm::append_range(needed, load.getIndices().drop_back(moved.loop ? 1 : 0));
  if (scf::ForOp loop = moved.loop) {
    if (load.getIndices().back() != loop.getInductionVar())
      return false;
    needed.push_back(loop.getUpperBound());
  }
  if (scf::IfOp guard = moved.guard)
    needed.push_back(guard.getCondition());
  return llvm::all_of(needed,
                      [&](Value value) { return value.getDefiningOp() != moved.outer && outside.reaches(value); });
}

/// One move for the tiles of a task, in the branch that they stood in.
static void move(const Moved &moved, schedule::Remade &outside) {
  LoadOp load = moved.load;
  StoreOp store = moved.store;
  Location loc = load.getLoc();
  OpBuilder builder(moved.outer);
  auto bring = [&](Value value) { return outside.bring(builder, value); };
  SmallVector<Value> indices;
  for (Value index : load.getIndices().drop_back(moved.loop ? 1 : 0))
    indices.push_back(bring(index));
  if (moved.loop)
    indices.push_back(arith::ConstantIndexOp::create(builder, loc, 0));
  Value parts = moved.loop ? bring(scf::ForOp(moved.loop).getUpperBound())
                           : arith::ConstantIndexOp::create(builder, loc, 1).getResult();
  Value from = bring(load.getBuffer()), into = bring(store.getBuffer()), to = bring(store.getTo());
  Type token = TokenType::get(load.getContext());
  SmallVector<Value> after;
  for (Value each : llvm::concat<Value>(SmallVector<Value>(load.getAfter()), SmallVector<Value>(store.getAfter())))
    if (!outside.isInside(each) && !llvm::is_contained(after, each))
      after.push_back(each);
  auto make = [&](OpBuilder &at) -> Value {
    return MoveOp::create(at, loc, token, from, into, indices, load.getType().getShape(), parts, to, after);
  };
  Value done;
  if (scf::IfOp guard = moved.guard) {
    auto branch = scf::IfOp::create(builder, loc, token, bring(guard.getCondition()), /*withElseRegion=*/true);
    OpBuilder inner = OpBuilder::atBlockBegin(branch.thenBlock()), other = OpBuilder::atBlockBegin(branch.elseBlock());
    scf::YieldOp::create(inner, loc, make(inner));
    scf::YieldOp::create(other, loc, JoinOp::create(other, loc, token, ValueRange()).getResult());
    done = branch.getResult(0);
  } else {
    done = make(builder);
  }
  for (Value result : moved.outer->getResults())
    result.replaceAllUsesWith(done);
  if (moved.outer == load.getOperation() && store.getToken())
    store.getToken().replaceAllUsesWith(done);
}

static LogicalResult moveTiles(ForallOp tasks) {
  std::optional<Moved> moved = findMoved(tasks);
  if (!moved)
    return tasks.emitOpError()
           << "is the copy engine's, expected one load of this rank's memory whose tile is stored at "
              "the same indices to another rank";
  schedule::Remade outside(moved->outer);
  if (!canMove(*moved, outside))
    return tasks.emitOpError() << "is the copy engine's, expected tiles of one row whose place is known before";
  move(*moved, outside);
  if (moved->outer == moved->load.getOperation())
    moved->store.erase();
  moved->outer->erase();
  return success();
}

/// Something is done once per launch before the engine begins: its signals are copies of a word that is written there.
static void requireGate(KernelOp kernel) {
  auto before = dyn_cast_or_null<KernelOp>(kernel->getPrevNode());
  bool hasFirst = before && llvm::any_of(before.getBody().getOps<RoleOp>(),
                                         [](RoleOp role) { return role.getTurn() == Turn::First; });
  if (hasFirst)
    return;
  OpBuilder builder(kernel);
  auto gate = KernelOp::create(builder, kernel.getLoc(), (kernel.getSymName() + "_gate").str());
  OpBuilder inner = OpBuilder::atBlockBegin(&gate.getBody().front());
  auto enter = RoleOp::create(inner, kernel.getLoc(), inner.getStringAttr("enter"),
                              TurnAttr::get(builder.getContext(), Turn::First), IntegerAttr());
  enter.getBody().emplaceBlock();
}

static LogicalResult splitEngine(KernelOp kernel, ArrayRef<RoleOp> engines) {
  // Who counts for the engine writes that word, too.
  if (!llvm::all_of(engines, [](RoleOp role) { return contains<TakeCountedOp>(role); }))
    requireGate(kernel);
  OpBuilder builder(kernel);
  auto beside = KernelOp::create(builder, kernel.getLoc(), (kernel.getSymName() + "_copies").str());
  beside.setEngine(true);
  Block &body = beside.getBody().front();
  for (RoleOp role : engines) {
    for (ForallOp tasks : role.getBody().getOps<ForallOp>())
      if (failed(moveTiles(tasks)))
        return failure();
    role->moveBefore(&body, body.end());
  }
  return success();
}

LogicalResult tilec::splitEngines(ProgramOp program) {
  for (KernelOp kernel : llvm::make_early_inc_range(program.getBody().getOps<KernelOp>())) {
    SmallVector<RoleOp> engines;
    for (RoleOp role : kernel.getBody().getOps<RoleOp>())
      if (role.getEngine() && !kernel.getEngine())
        engines.push_back(role);
    if (!engines.empty() && failed(splitEngine(kernel, engines)))
      return failure();
  }
  return success();
}
