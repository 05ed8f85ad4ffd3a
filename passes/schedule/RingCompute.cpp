// A loop whose steps compute with their products, through slots that waves fill. Each product finds its operands in
// registers: they are read under the product before it, those of the first under the last one of the step before.
// Behind the meeting in front of the last product nobody reads the step's slot, which is filled again under that
// product.
#include "passes/schedule/RingLoop.h"

#include "passes/schedule/Producer.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::schedule;

double RingLoop::matrixClocks(int64_t waves, const Target &target) {
  double clocks = 0;
  for (DotOp product : products)
    for (const MatrixInstructionInfo &info : target.matrix) {
      if (info.name != *product.getInstruction() || info.readsShared())
        continue;
      int64_t depth = product.getLhs().getType().getDimSize(product.getLhsTransposed() ? 0 : 1);
      double times = double(product.getType().getNumElements() * depth) / double(info.m * info.n * info.k);
      clocks += times * double(info.cycles) / double(std::min(target.simdsPerUnit, waves));
      break;
    }
  return clocks;
}

int64_t RingLoop::computingRegisters(bool copied) {
  int64_t registers = 0, product = 0, late = 0;
  for (Type type : loop.getResultTypes())
    registers += registersOf(type);
  for (DotOp dot : products)
    product = std::max(product, registersOf(dot.getType()));
  // Those of the first product are read while the last one takes its own.
  for (SharedLoadOp read : reads) {
    bool isEarly = firstUse(read) == 0;
    registers += isEarly ? 2 * registersOf(read.getType()) : 0;
    late = std::max(late, isEarly ? 0 : registersOf(read.getType()));
  }
  for (RingOperand &operand : operands)
    registers += copied ? 0 : registersOf(operand.load.getType());
  return registers + product + late;
}

/// Loads that are made ahead, and whose tiles fetches can take.
void RingLoop::takeStepped() {
  llvm::erase_if(early, [&](Operation *op) {
    auto load = dyn_cast<LoadOp>(op);
    auto known = load ? SteppedLoad::of(load, loop.getInductionVar()) : std::nullopt;
    if (!known || !isInvariant(load.getBuffer()) || !isInvariant(load.getFrom()) ||
        !isInvariant(load.getIndices()[known->byRows ? 1 : 0]))
      return false;
    stepped.push_back(*known);
    return true;
  });
}

/// The first product that multiplies what is read.
size_t RingLoop::firstUse(SharedLoadOp read) {
  auto uses = [&](DotOp product) {
    return product.getLhs() == read.getResult() || product.getRhs() == read.getResult();
  };
  return llvm::find_if(products, uses) - products.begin();
}

/// Reads for a product, from a slot.
SmallVector<Value> RingLoop::readFor(OpBuilder &builder, size_t product, Value slot) {
  SmallVector<Value> tiles;
  for (SharedLoadOp read : reads)
    if (firstUse(read) == product)
      tiles.push_back(operandOf(read).read(builder, read, slot));
  return tiles;
}

/// Says where the reads for a product have put their tiles; returns what follows these.
ValueRange RingLoop::mapReads(size_t product, ValueRange tiles, IRMapping &mapping) {
  for (SharedLoadOp read : reads)
    if (firstUse(read) == product) {
      mapping.map(read.getResult(), tiles.front());
      tiles = tiles.drop_front();
    }
  return tiles;
}

/// The last product: under it the first operands of the next step are read, and the slot of this one is filled again.
/// Returns what the next step finds in registers.
SmallVector<Value> RingLoop::multiplyLast(OpBuilder &builder, StepsOp steps, IRMapping &mapping, Value last,
                                          ValueRange fetched) {
  Value behind = arith::AddIOp::create(builder, where, steps.getStep(), index(builder, 1));
  Value following = arith::MinSIOp::create(builder, named("following", where), behind, last);
  SmallVector<Value> left = copied ? SmallVector<Value>() : loadAhead(builder, following);
  if (copied) {
    AwaitOp::create(builder, where, IntegerAttr());
    MeetOp::create(builder, where);
  } else {
    BarrierOp::create(builder, where);
  }
  // Behind the wait for copies, which would wait for these loads too, and before copies that they would wait for.
  if (copied)
    left = loadAhead(builder, following);
  Value slot = arith::AddIOp::create(builder, where, steps.getSlot(), index(builder, 1));
  Value next = arith::RemSIOp::create(builder, named("next", where), slot, index(builder, slots));
  Value ahead = tileAhead(builder, steps, last);
  DotOp product = products.back();
  auto make = [&](OpBuilder &inner) { return multiply(inner, product, mapping); };
  SmallVector<Value> made = multiplyMeanwhile(builder, product.getLoc(), make, [&](OpBuilder &places) {
    SmallVector<Value> tiles = readFor(places, 0, next);
    if (copied)
      copyAll(places, ahead, steps.getSlot());
    else
      for (auto [operand, mine] : llvm::zip(operands, fetched)) {
        operand.deposit(places, mine, steps.getSlot());
        tiles.push_back(operand.fetch(places, ahead));
      }
    return tiles;
  });
  mapping.map(product.getResult(), made.front());
  llvm::append_range(left, ArrayRef(made).drop_front());
  return left;
}

/// A product before the last, under which the operands of the one behind it are read.
void RingLoop::multiplyBefore(OpBuilder &builder, size_t number, Value slot, IRMapping &mapping) {
  DotOp product = products[number];
  auto make = [&](OpBuilder &inner) { return multiply(inner, product, mapping); };
  SmallVector<Value> made = multiplyMeanwhile(builder, product.getLoc(), make,
                                              [&](OpBuilder &places) { return readFor(places, number + 1, slot); });
  mapping.map(product.getResult(), made.front());
  mapReads(number + 1, ValueRange(made).drop_front(), mapping);
}

/// What a step carries: what the loop does, then tiles that are loaded ahead, operands that are read ahead, and, where
/// copies pass registers, what has been fetched.
void RingLoop::computeStep(OpBuilder &builder, StepsOp steps, Value last) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), steps.getStep());
  ValueRange mine = steps.getCarried();
  for (Value argument : loop.getRegionIterArgs()) {
    mapping.map(argument, mine.front());
    mine = mine.drop_front();
  }
  for (Operation *op : early)
    if (isa<LoadOp>(op)) {
      mapping.map(op->getResult(0), mine.front());
      mine = mine.drop_front();
    }
  for (SteppedLoad &load : stepped) {
    mapping.map(load.load.getResult(), load.shape(builder, mine.front()));
    mine = mine.drop_front();
  }
  mine = mapReads(0, mine, mapping);
  SmallVector<Value> left;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto product = llvm::find(products, dyn_cast<DotOp>(op)); product != products.end()) {
      if (*product == products.back())
        left = multiplyLast(builder, steps, mapping, last, mine);
      else
        multiplyBefore(builder, product - products.begin(), steps.getSlot(), mapping);
    } else if (isNumber(&op) || (llvm::is_contained(computed, &op) && !mapping.contains(op.getResult(0)))) {
      builder.clone(op, mapping);
    }
  }
  SmallVector<Value> results =
      llvm::map_to_vector(loop.getYieldedValues(), [&](Value value) { return mapping.lookupOrDefault(value); });
  llvm::append_range(results, left);
  NextOp::create(builder, where, results);
}

/// Tiles beside the slots, which a step computes with.
SmallVector<Value> RingLoop::loadAhead(OpBuilder &builder, Value step) {
  SmallVector<Value> tiles = loadEarly(builder, step);
  for (SteppedLoad &load : stepped)
    tiles.push_back(load.fetch(builder, step));
  return tiles;
}

/// Fills the slots, reads the first operands, and runs the steps. Returns what the loop carries.
SmallVector<Value> RingLoop::runComputing(OpBuilder &builder, Value whole) {
  Location loc = where;
  BarrierOp::create(builder, loc);
  Value last = arith::SubIOp::create(builder, named("last", loc), whole, index(builder, 1));
  SmallVector<Value> inits(loop.getInitArgs());
  llvm::append_range(inits, loadAhead(builder, index(builder, 0)));
  SmallVector<Value> fetched = fillSlots(builder, last);
  llvm::append_range(inits, readFor(builder, 0, index(builder, 0)));
  llvm::append_range(inits, fetched);
  auto steps = StepsOp::create(builder, loc, ValueRange(inits).getTypes(), /*from=*/Value(), whole,
                               static_cast<uint64_t>(slots), /*alternating=*/false, inits);
  Block &body = steps.getBody().emplaceBlock();
  body.addArgument(builder.getIndexType(), loop.getInductionVar().getLoc());
  body.addArgument(builder.getIndexType(), named("slot", loc));
  for (BlockArgument argument : loop.getRegionIterArgs())
    body.addArgument(argument.getType(), argument.getLoc());
  for (Value init : ArrayRef(inits).drop_front(sums.size()))
    body.addArgument(init.getType(), init.getLoc());
  OpBuilder inner = OpBuilder::atBlockBegin(&body);
  computeStep(inner, steps, last);
  // What was copied for nothing lands before anything else lies there.
  if (copied)
    AwaitOp::create(builder, loc, builder.getI64IntegerAttr(0));
  return SmallVector<Value>(steps.getResults().take_front(sums.size()));
}
