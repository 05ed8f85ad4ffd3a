// Two roles that multiply the same way become one loop over tasks: of a product whose tasks serve the other ranks, and
// of what multiplies this rank's part of it, or all of it again, and then does something else. Adds no synchronisation,
// takes none away.
#include "passes/Passes.h"
#include "passes/analysis/SameProduct.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace tilec {
#define GEN_PASS_DEF_MERGE
#include "passes/Passes.h.inc"
} // namespace tilec

namespace {

/// The tasks of `others` but those of this rank, which come last and do nothing; and the tasks of `own`, one for each
/// of these.
class Pair {
public:
  Pair(RoleOp others, RoleOp own) : othersRole(others), ownRole(own) {}

  bool match();
  void merge();

private:
  bool matchRoles();
  bool matchOrder();
  bool matchGuards();
  bool matchProducts();
  bool isHoistable(Operation &op);
  void moveSignals();

  RoleOp othersRole, ownRole;
  ForallOp others, own;
  scf::IfOp guard;   ///< around what tasks do for other ranks
  scf::IfOp signals; ///< with the same condition, behind that; null: there is none
  scf::ForOp product, ownProduct;
  SameProduct same; ///< of the tasks of this rank's part, what `own` has for a value
};

/// Tasks that serve the other ranks, and tasks that multiply the same again, and wait for what those of the other ranks
/// with their indices have told.
class Again {
public:
  Again(RoleOp firstRole, RoleOp laterRole) : firstRole(firstRole), laterRole(laterRole) {}

  bool match();
  void merge();

private:
  bool matchWaits();
  bool raisesBefore(Value signals);

  RoleOp firstRole, laterRole;
  ForallOp first, later;
  scf::ForOp product, again;
};

} // namespace

/// The one loop over tasks of a role, where nothing else of it has an effect.
static ForallOp onlyTasks(RoleOp role, bool alone) {
  ForallOp tasks;
  for (Operation &op : role.getBody().front()) {
    auto forall = dyn_cast<ForallOp>(op);
    if (forall && tasks)
      return {};
    if (!forall && alone && !isPure(&op))
      return {};
    tasks = forall ? forall : tasks;
  }
  return tasks;
}

/// Whether all workgroups do the tasks of a role.
static bool isOfPool(RoleOp role) { return role.getTurn() == Turn::Each && !role.getWorkgroups(); }

bool Pair::matchRoles() {
  if (!isOfPool(othersRole) || !isOfPool(ownRole))
    return false;
  others = onlyTasks(othersRole, /*alone=*/false);
  own = onlyTasks(ownRole, /*alone=*/true);
  if (!others || !own || !others.getBounds() || !own.getBounds() || others.getExtents() != own.getExtents())
    return false;
  return others.getBounds()->getResults().drop_front() == own.getBounds()->getResults();
}

/// The tasks of this rank are the last of `others`, and come as those of `own` do.
bool Pair::matchOrder() {
  auto steps = others.getOrderAttr(), mine = own.getOrderAttr();
  if (!steps || !mine || steps.empty())
    return false;
  auto first = dyn_cast<RankFirstAttr>(steps.getValue().back());
  return first && first.getDim() == 0 && first.getAhead() == 1 && !first.getBackward() &&
         steps.getValue().drop_back() == mine.getValue();
}

bool Pair::matchGuards() {
  for (Operation &op : others.getBody().front()) {
    auto branch = dyn_cast<scf::IfOp>(op);
    if (!branch && isPure(&op))
      continue;
    if (!branch || signals)
      return false;
    (guard ? signals : guard) = branch;
  }
  auto compare = guard ? guard.getCondition().getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::ne ||
      compare.getLhs() != others.getIndices().front() || !compare.getRhs().getDefiningOp<RankOp>())
    return false;
  auto noEffects = [](Block *block) {
    return !block || llvm::all_of(*block, [](Operation &op) { return isPure(&op); });
  };
  same.assume(others.getIndices().front(), compare.getRhs());
  return noEffects(guard.elseBlock()) && (!signals || (signals.getCondition() == guard.getCondition() &&
                                                       signals.getNumResults() == 0 && !signals.elseBlock()));
}

/// Whether the tasks that did nothing may do an operation too: it only reads what this rank has, behind nothing.
bool Pair::isHoistable(Operation &op) {
  if (isPure(&op))
    return true;
  auto load = dyn_cast<LoadOp>(op);
  if (load)
    return !load.getFrom() && load.getAfter().empty();
  return op.getNumRegions() && !isa<WaitOp, SignalOp, StoreOp>(op) &&
         llvm::all_of(op.getRegions(), [&](Region &region) {
           return llvm::all_of(region.getOps(), [&](Operation &inner) { return isHoistable(inner); });
         });
}

bool Pair::matchProducts() {
  product = productIn(*guard.thenBlock());
  ownProduct = productIn(own.getBody().front());
  if (!product || !ownProduct)
    return false;
  for (auto [index, mine] : llvm::zip(others.getIndices().drop_front(), own.getIndices()))
    same.assume(index, mine);
  for (Operation &op : *guard.thenBlock()) {
    if (!isHoistable(op))
      return false;
    if (&op == product)
      break;
  }
  return same.areEqual(product, ownProduct);
}

/// Whether tasks of a role count by chiplet: each of its loop's does, which all tasks of two loops would not.
static bool talliesByChiplet(RoleOp role) {
  return role
      .walk([](SignalOp signal) {
        auto grid = signal.getSignals().getDefiningOp<SignalsOp>();
        return grid && grid.getByChiplet() ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool Pair::match() {
  return !talliesByChiplet(ownRole) && matchRoles() && matchOrder() && matchGuards() && matchProducts();
}

/// What tells of the stores stands behind them in the same branch.
void Pair::moveSignals() {
  Operation *end = guard.thenBlock()->getTerminator();
  for (auto [result, yielded] : llvm::zip(guard.getResults(), end->getOperands()))
    result.replaceAllUsesWith(yielded);
  if (signals)
    for (Operation &op : llvm::make_early_inc_range(signals.thenBlock()->without_terminator()))
      op.moveBefore(end);
}

void Pair::merge() {
  OpBuilder builder(guard);
  for (Operation &op : llvm::make_early_inc_range(*guard.thenBlock())) {
    bool isLast = &op == product;
    op.moveBefore(guard);
    if (isLast)
      break;
  }
  moveSignals();
  auto merged = scf::IfOp::create(builder, guard.getLoc(), guard.getCondition(), /*withElseRegion=*/true);
  Operation *then = merged.thenBlock()->getTerminator();
  for (Operation &op : llvm::make_early_inc_range(guard.thenBlock()->without_terminator()))
    op.moveBefore(then);
  builder.setInsertionPoint(merged.elseBlock()->getTerminator());
  IRMapping mapping;
  mapping.map(own.getIndices(), others.getIndices().drop_front());
  mapping.map(ownProduct.getResults(), product.getResults());
  for (Operation &op : own.getBody().front())
    if (&op != ownProduct)
      builder.clone(op, mapping);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*merged.elseBlock())))
    if (isOpTriviallyDead(&op))
      op.erase();
  if (signals)
    signals.erase();
  guard.erase();
  // What stands before the tasks of the later role is pure.
  for (Operation &op : llvm::make_early_inc_range(ownRole.getBody().front()))
    if (&op != own)
      op.moveBefore(others);
  ownRole.erase();
}

/// Whether each task of the earlier role raises a signal, on every rank, that its rank and its indices name.
bool Again::raisesBefore(Value signals) {
  bool raises = false;
  first.walk([&](SignalOp signal) {
    OperandRange index = signal.getIndices();
    raises |= signal.getSignals() == signals && !index.empty() && index.front().getDefiningOp<RankOp>() &&
              llvm::equal(index.drop_front(), first.getIndices());
  });
  return raises;
}

/// A task waits behind its product, and for tasks with its indices alone. Those have raised their signals before they
/// wait themselves: of the first task that has not, whoever has it has done all before it, and it waits for nobody.
bool Again::matchWaits() {
  WalkResult result = later.walk([&](WaitOp wait) {
    OperandRange index = wait.getIndices();
    bool isOfTask = wait->getBlock() == again->getBlock() && again->isBeforeInBlock(wait) && !wait.getLag() &&
                    !index.empty() && llvm::equal(index.drop_front(), later.getIndices()) &&
                    llvm::all_of(wait.getCounts().drop_front(), [](Value n) { return getConstantIntValue(n) == 1; });
    return isOfTask && raisesBefore(wait.getSignals()) ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

bool Again::match() {
  if (!isOfPool(firstRole) || !isOfPool(laterRole))
    return false;
  first = onlyTasks(firstRole, /*alone=*/true);
  later = onlyTasks(laterRole, /*alone=*/true);
  if (!first || !later || first.getOrderAttr() != later.getOrderAttr() || !multiplyAlike(first, later))
    return false;
  product = productIn(first.getBody().front());
  again = productIn(later.getBody().front());
  bool waitsFirst = false, writesBefore = false;
  first.walk([&](Operation *op) { waitsFirst |= isa<WaitOp, ArriveOp>(op); });
  for (Operation &op : later.getBody().front()) {
    if (&op == again)
      break;
    writesBefore |= !isMemoryEffectFree(&op);
  }
  return !waitsFirst && !writesBefore && matchWaits();
}

void Again::merge() {
  Block &task = first.getBody().front();
  OpBuilder builder = OpBuilder::atBlockEnd(&task);
  IRMapping mapping;
  mapping.map(later.getIndices(), first.getIndices());
  mapping.map(again.getResults(), product.getResults());
  for (Operation &op : later.getBody().front())
    if (&op != again)
      builder.clone(op, mapping);
  // What the later task made of the product is what the earlier one has made of it.
  IRRewriter rewriter(first);
  DominanceInfo dominance(first);
  eliminateCommonSubExpressions(rewriter, dominance, first);
  for (Operation &op : llvm::make_early_inc_range(laterRole.getBody().front()))
    if (&op != later)
      op.moveBefore(first);
  laterRole.erase();
}

namespace {

class Merge : public tilec::impl::MergeBase<Merge> {
  static bool join(RoleOp before, RoleOp role) {
    if (Pair pair(before, role); pair.match())
      return pair.merge(), true;
    if (Again again(before, role); again.match())
      return again.merge(), true;
    return false;
  }

public:
  using MergeBase::MergeBase;

  void runOnOperation() override {
    for (KernelOp kernel : getOperation().getBody().getOps<KernelOp>()) {
      RoleOp before;
      for (RoleOp role : llvm::make_early_inc_range(kernel.getBody().getOps<RoleOp>())) {
        if (!before || !join(before, role))
          before = role;
        else
          ++merged;
      }
    }
  }
};

} // namespace
