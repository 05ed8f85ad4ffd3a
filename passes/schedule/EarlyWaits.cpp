// Clones what makes tokens. Decides nothing about who waits.
#include "passes/schedule/EarlyWaits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

static bool ordersNothing(Value token) {
  auto join = token.getDefiningOp<JoinOp>();
  return join && join.getTokens().empty();
}

bool schedule::onlyWaits(Value token) {
  if (auto join = token.getDefiningOp<JoinOp>())
    return llvm::all_of(join.getTokens(), onlyWaits);
  Operation *made = token.getDefiningOp();
  if (auto loop = dyn_cast_or_null<scf::ForOp>(made); loop && !llvm::all_of(loop.getInitArgs(), ordersNothing))
    return false;
  bool waits = isa_and_nonnull<WaitOp, scf::ForOp, scf::IfOp>(made);
  if (waits)
    made->walk(
        [&](Operation *inner) { waits &= isa<WaitOp, scf::ForOp, scf::IfOp>(inner) || isMemoryEffectFree(inner); });
  return waits;
}

Value schedule::waitAgain(OpBuilder &builder, Value token) {
  if (auto join = token.getDefiningOp<JoinOp>()) {
    SmallVector<Value> tokens =
        llvm::map_to_vector(join.getTokens(), [&](Value part) { return waitAgain(builder, part); });
    return JoinOp::create(builder, join.getLoc(), token.getType(), tokens);
  }
  return builder.clone(*token.getDefiningOp())->getResult(cast<OpResult>(token).getResultNumber());
}

void schedule::waitOnFirstStep(OpBuilder &builder, Location where, StreamOp stream, ArrayRef<Value> tokens,
                               IRMapping &mapping) {
  if (tokens.empty())
    return;
  Value zero = arith::ConstantIndexOp::create(builder, where, 0), step = stream.getFills().getArgument(0);
  Value isFirst = arith::CmpIOp::create(builder, where, arith::CmpIPredicate::eq, step, zero);
  auto first = scf::IfOp::create(builder, where, TypeRange(ValueRange(tokens)), isFirst, /*withElseRegion=*/true);
  OpBuilder then = first.getThenBodyBuilder(), otherwise = first.getElseBodyBuilder();
  SmallVector<Value> made, none;
  for (auto [token, result] : llvm::zip(tokens, first.getResults())) {
    made.push_back(waitAgain(then, token));
    none.push_back(JoinOp::create(otherwise, where, token.getType(), ValueRange()));
    mapping.map(token, result);
  }
  scf::YieldOp::create(then, where, made);
  scf::YieldOp::create(otherwise, where, none);
  first.walk([](WaitOp wait) { wait.setParticipants(Participants::Wave); });
}

void schedule::eraseUnused(ArrayRef<Value> tokens) {
  llvm::SetVector<Operation *> left;
  for (Value token : tokens)
    left.insert(token.getDefiningOp());
  while (!left.empty()) {
    Operation *made = left.pop_back_val();
    if (!made->use_empty())
      continue;
    if (auto join = dyn_cast<JoinOp>(made))
      for (Value token : join.getTokens())
        left.insert(token.getDefiningOp());
    made->erase();
  }
}
