// A loop around several statements becomes as many loops side by side: their roles run at the same time, and `waits`
// orders their steps.
#include "passes/fuse/StepLoops.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

ForallOp tilec::statementIn(Operation &op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop || loop.getBody()->getOps<ForallOp>().empty())
    return {};
  return *loop.getBody()->getOps<ForallOp>().begin();
}

/// The number of steps over the extents; null where it is no expression over them.
static AffineExpr stepsOf(scf::ForOp loop) {
  IndexForm length = IndexForm::of(loop.getUpperBound()) - IndexForm::of(loop.getLowerBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!length.isConstant() || !IndexForm::of(loop.getLowerBound()).isConstant() || !step)
    return {};
  return simplifyAffineExpr(length.constant.ceilDiv(*step), 0, 64);
}

/// The value of the loop's variable in iteration `step` of a loop from 0 in steps of 1.
static Value variableAt(OpBuilder &builder, scf::ForOp loop, Value step) {
  Location loc = loop.getInductionVar().getLoc();
  bool isStep = getConstantIntValue(loop.getStep()) == 1, isFromZero = getConstantIntValue(loop.getLowerBound()) == 0;
  Value value = isStep ? step : arith::MulIOp::create(builder, loc, step, loop.getStep()).getResult();
  return isFromZero ? value : arith::AddIOp::create(builder, loc, value, loop.getLowerBound()).getResult();
}

/// One statement of a loop with what the loop computes for it.
static void splitOff(scf::ForOp loop, ForallOp statement, Value steps) {
  OpBuilder builder(loop);
  Location loc = statement.getLoc();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
  auto own = scf::ForOp::create(builder, loc, zero, steps, one);
  own.getInductionVar().setLoc(loop.getInductionVar().getLoc());
  IRMapping mapping;
  auto copy = cast<ForallOp>(builder.clone(*statement, mapping));
  copy->moveBefore(own.getBody()->getTerminator());
  // The copy still names what the loop computes.
  builder.setInsertionPointToStart(&copy.getBody().front());
  mapping.map(loop.getInductionVar(), variableAt(builder, loop, own.getInductionVar()));
  SmallVector<Operation *> made;
  for (Operation &op : loop.getBody()->without_terminator())
    if (!isa<ForallOp>(op))
      made.push_back(builder.clone(op, mapping));
  copy.walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (Value inside = mapping.lookupOrNull(operand.get()))
        operand.set(inside);
  });
  for (Operation *op : llvm::reverse(made))
    if (isOpTriviallyDead(op))
      op->erase();
}

/// A program of such loops alone keeps a statement without tasks: its launch does nothing.
static void replaceByNothing(scf::ForOp loop) {
  bool isAlone = llvm::all_of(*loop->getBlock(), [&](Operation &op) {
    return &op == loop.getOperation() || !(isa<ForallOp>(op) || statementIn(op));
  });
  OpBuilder builder(loop);
  // The symbol is the world.
  AffineMap none = AffineMap::get(/*dimCount=*/0, /*symbolCount=*/1, builder.getAffineConstantExpr(0));
  if (isAlone)
    ForallOp::create(builder, loop.getLoc(), none, ValueRange());
  loop.erase();
}

LogicalResult tilec::splitStepLoops(ProgramOp program) {
  SmallVector<scf::ForOp> loops;
  for (scf::ForOp loop : program.getBody().getOps<scf::ForOp>())
    if (!loop.getBody()->getOps<ForallOp>().empty())
      loops.push_back(loop);
  for (scf::ForOp loop : loops) {
    AffineExpr count = stepsOf(loop);
    if (!count)
      return loop.emitOpError() << "around statements has bounds that are no expressions over the extents, expected "
                                   "constants, extents or a 'tile.extent'";
    // Bounds that are constants may leave no step: a grid of signals has none of so few.
    auto known = dyn_cast<AffineConstantExpr>(count);
    if (known && known.getValue() <= 0) {
      replaceByNothing(loop);
      continue;
    }
    OpBuilder builder(loop);
    auto [map, operands] = extentOperands(&program.getBody().front(), count);
    Value steps = ExtentOp::create(builder, NameLoc::get(builder.getStringAttr("steps"), loop.getLoc()),
                                   builder.getIndexType(), operands, AffineMapAttr::get(map), builder.getArrayAttr({}));
    for (ForallOp statement : loop.getBody()->getOps<ForallOp>())
      splitOff(loop, statement, steps);
    loop.erase();
  }
  return success();
}
