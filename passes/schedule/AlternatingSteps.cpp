// Steps of a ring's loop whose waves do one thing at a time: half of them compute while the others read and copy.
#include "passes/schedule/RingLoop.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::schedule;

/// A step reads its slot and fills the one that the step before has read; behind a meeting it multiplies. The second
/// half of the waves is one meeting behind: it reads while the first half multiplies. Two meetings lie between any
/// access and the next one to its slot, so that each half has come to one. Products go first where both halves could
/// issue: who reads waits for LDS anyhow.
void RingLoop::alternate(OpBuilder &builder, StepsOp steps, Value last) {
  Location loc = where;
  auto carried = steps.getCarried();
  Value before = arith::AddIOp::create(builder, loc, steps.getSlot(), index(builder, slots - 1));
  Value filled = arith::RemSIOp::create(builder, named("filled", loc), before, index(builder, slots));
  Value ahead = tileAhead(builder, steps, last);
  IRMapping mapping;
  for (auto [position, mine] : llvm::zip(sums, carried))
    mapping.map(loop.getRegionIterArg(position), mine);
  for (auto [read, value] : llvm::zip(reads, readAll(builder, steps.getSlot())))
    mapping.map(read.getResult(), value);
  SmallVector<Value> fetched;
  if (copied)
    copyAll(builder, ahead, filled);
  for (auto [operand, mine] : llvm::zip(operands, carried.drop_front(sums.size()))) {
    operand.deposit(builder, mine, filled);
    fetched.push_back(operand.fetch(builder, ahead));
  }
  if (copied) {
    // The slot of the next step has to be full, those behind it may still be on their way.
    AwaitOp::create(builder, loc, IntegerAttr());
    MeetOp::create(builder, loc);
  } else {
    BarrierOp::create(builder, loc);
  }
  PriorityOp::create(builder, loc, /*level=*/1);
  auto places = PlacesOp::create(builder, loc, ValueRange(carried.take_front(sums.size())).getTypes());
  OpBuilder inner = OpBuilder::atBlockBegin(&places.getBody().emplaceBlock());
  PlacedOp::create(inner, loc, multiplyAll(inner, mapping));
  PriorityOp::create(builder, loc, /*level=*/0);
  MeetOp::create(builder, loc);
  SmallVector<Value> next(places.getResults());
  llvm::append_range(next, fetched);
  NextOp::create(builder, loc, next);
}
