// Joins, loops and branches hand tokens on.
#include "passes/post/TokenFlow.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

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
