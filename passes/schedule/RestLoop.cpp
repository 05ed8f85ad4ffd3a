// The branch before a loop that takes its whole steps from it.
#include "passes/schedule/RestLoop.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::schedule;

void tilec::schedule::leaveRest(scf::ForOp loop, Location loc, MutableArrayRef<RingOperand> operands,
                                MutableArrayRef<SteppedLoad> beside, Value first, RunRing run) {
  OpBuilder builder(loop);
  Value whole = wholeSteps(builder, loc, operands, beside, first, loop.getUpperBound());
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value any = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, whole, zero);
  auto guard = scf::IfOp::create(builder, loc, TypeRange(ValueRange(loop.getInitArgs())), any, /*withElseRegion=*/true);
  OpBuilder inner = guard.getThenBodyBuilder();
  scf::YieldOp::create(inner, loc, run(inner, whole));
  OpBuilder otherwise = guard.getElseBodyBuilder();
  scf::YieldOp::create(otherwise, loc, loop.getInitArgs());
  loop.getInitArgsMutable().assign(guard.getResults());
  loop.setLowerBound(whole);
  TileDialect::RestAttrHelper(loop.getContext()).setAttr(loop, builder.getUnitAttr());
}
