// Two roles that multiply the same way become one loop over tasks: of a product whose tasks serve the other ranks, and
// of what multiplies this rank's part of it and then does something else. Adds no synchronisation, takes none away.
#include "passes/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

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
  bool areEqual(Value a, Value b);
  bool areEqual(Operation *a, Operation *b);
  void moveSignals();

  RoleOp othersRole, ownRole;
  ForallOp others, own;
  scf::IfOp guard;   ///< around what tasks do for other ranks
  scf::IfOp signals; ///< with the same condition, behind that; null: there is none
  scf::ForOp product, ownProduct;
  DenseMap<Value, Value> same; ///< of the tasks of this rank's part, what `own` has for a value
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

bool Pair::matchRoles() {
  if (othersRole.getTurn() != Turn::Each || ownRole.getTurn() != Turn::Each || othersRole.getWorkgroups() ||
      ownRole.getWorkgroups())
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
  same[others.getIndices().front()] = compare.getRhs();
  return noEffects(guard.elseBlock()) && (!signals || (signals.getCondition() == guard.getCondition() &&
                                                       signals.getNumResults() == 0 && !signals.elseBlock()));
}

static scf::ForOp productIn(Block &block) {
  scf::ForOp product;
  for (scf::ForOp loop : block.getOps<scf::ForOp>())
    if (!product && !loop.getBody()->getOps<DotOp>().empty())
      product = loop;
  return product;
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

bool Pair::areEqual(Operation *a, Operation *b) {
  return OperationEquivalence::isEquivalentTo(
      a, b, [&](Value mine, Value its) { return success(areEqual(mine, its)); },
      [&](Value mine, Value its) { same[mine] = its; }, OperationEquivalence::IgnoreLocations);
}

/// Whether `a` of a task of `others` for this rank is `b` of the task of `own`.
bool Pair::areEqual(Value a, Value b) {
  if (a == b)
    return true;
  if (auto known = same.find(a); known != same.end())
    return known->second == b;
  Operation *mine = a.getDefiningOp(), *its = b.getDefiningOp();
  bool areResults =
      mine && its && isPure(mine) && cast<OpResult>(a).getResultNumber() == cast<OpResult>(b).getResultNumber();
  return areResults && areEqual(mine, its);
}

bool Pair::matchProducts() {
  product = productIn(*guard.thenBlock());
  ownProduct = productIn(own.getBody().front());
  if (!product || !ownProduct)
    return false;
  for (auto [index, mine] : llvm::zip(others.getIndices().drop_front(), own.getIndices()))
    same[index] = mine;
  for (Operation &op : *guard.thenBlock()) {
    if (!isHoistable(op))
      return false;
    if (&op == product)
      break;
  }
  return areEqual(product, ownProduct);
}

bool Pair::match() { return matchRoles() && matchOrder() && matchGuards() && matchProducts(); }

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

namespace {

class Merge : public tilec::impl::MergeBase<Merge> {
public:
  using MergeBase::MergeBase;

  void runOnOperation() override {
    for (KernelOp kernel : getOperation().getBody().getOps<KernelOp>()) {
      RoleOp before;
      for (RoleOp role : llvm::make_early_inc_range(kernel.getBody().getOps<RoleOp>())) {
        Pair pair(before, role);
        if (!before || !pair.match()) {
          before = role;
          continue;
        }
        pair.merge();
        ++merged;
      }
    }
  }
};

} // namespace
