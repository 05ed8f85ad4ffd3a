// The rewritten loop: slots are filled, steps multiply and copy ahead, and the loop that was there runs the rest.
#include "passes/schedule/RingLoop.h"
#include "passes/schedule/RestLoop.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::schedule;

Value RingLoop::index(OpBuilder &builder, int64_t value) {
  return arith::ConstantIndexOp::create(builder, where, value);
}

RingOperand &RingLoop::operandOf(SharedLoadOp read) {
  return *llvm::find_if(operands, [&](RingOperand &operand) { return llvm::is_contained(operand.reads, read); });
}

DenseMap<Operation *, int64_t> RingLoop::copies(int64_t slots) {
  DenseMap<Operation *, int64_t> copies;
  for (RingOperand &operand : operands) {
    // Slots in panels may be wider than the tile.
    int64_t tile = operand.load.getType().getNumElements(), slot = operand.laid ? operand.laid.getNumElements() : tile;
    copies[operand.store.getBuffer().getDefiningOp()] = llvm::divideCeil(slots * slot, tile);
  }
  return copies;
}

bool RingLoop::layDown(const SharedMemory &memory, int64_t waves) {
  bool isDirect = llvm::all_of(operands, [&](RingOperand &operand) {
    if (operand.isDirect(memory, waves))
      return true;
    operand.byRows = operand.isAcross();
    return operand.layDown(memory, waves);
  });
  if (!isDirect)
    pickUp();
  return isDirect;
}

/// No operand of such a loop takes rows but those that were to be laid down.
void RingLoop::pickUp() {
  for (RingOperand &operand : operands) {
    operand.byRows = false;
    operand.laid = {};
  }
}

int64_t RingLoop::copiesPerStep(const SharedMemory &memory, int64_t waves) {
  int64_t copies = 0;
  for (RingOperand &operand : operands)
    copies += operand.copyAccesses(memory, waves);
  return copies;
}

/// The tile along the depth that a step takes.
Value RingLoop::tileOf(OpBuilder &builder, Value step) {
  return first ? builder.createOrFold<arith::AddIOp>(named("at", where), first, step) : step;
}

SmallVector<Value> RingLoop::fetchAll(OpBuilder &builder, Value tile) {
  return llvm::map_to_vector(operands, [&](RingOperand &operand) { return operand.fetch(builder, tile); });
}

SmallVector<Value> RingLoop::readAll(OpBuilder &builder, Value slot) {
  return llvm::map_to_vector(reads, [&](SharedLoadOp read) { return operandOf(read).read(builder, read, slot); });
}

void RingLoop::depositAll(OpBuilder &builder, ValueRange fetched, Value slot) {
  for (auto [operand, value] : llvm::zip(operands, fetched))
    operand.deposit(builder, value, slot);
}

void RingLoop::copyAll(OpBuilder &builder, Value tile, Value slot) {
  for (RingOperand &operand : operands)
    operand.copy(builder, tile, slot);
}

/// The product of the loop, of what the step has in registers.
Value RingLoop::multiply(OpBuilder &builder, DotOp product, IRMapping &mapping) {
  auto made = cast<DotOp>(builder.clone(*product, mapping));
  if (operandOf(product.getLhs().getDefiningOp<SharedLoadOp>()).isAcross())
    made.setLhsTransposed(false);
  if (operandOf(product.getRhs().getDefiningOp<SharedLoadOp>()).isAcross())
    made.setTranspose(true);
  return made;
}

/// All of them; the sums that they leave, for the loop's own.
SmallVector<Value> RingLoop::multiplyAll(OpBuilder &builder, IRMapping &mapping) {
  for (DotOp product : products)
    multiply(builder, product, mapping);
  return llvm::map_to_vector(sums,
                             [&](unsigned position) { return mapping.lookup(loop.getYieldedValues()[position]); });
}

/// What a step fetches or copies: the last tile again where there is none behind. Registers hold one step more than the
/// slots.
Value RingLoop::tileAhead(OpBuilder &builder, StepsOp steps, Value last) {
  Value behind = arith::AddIOp::create(builder, where, steps.getStep(), index(builder, ahead()));
  return tileOf(builder, arith::MinSIOp::create(builder, named("ahead", where), behind, last));
}

/// Products of what the step before has read; meanwhile accesses for the steps ahead.
void RingLoop::places(OpBuilder &builder, StepsOp steps, Value last) {
  Location loc = where;
  auto carried = steps.getCarried();
  Value one = index(builder, 1), count = index(builder, slots);
  Value following = arith::AddIOp::create(builder, loc, steps.getSlot(), one);
  Value next = arith::RemSIOp::create(builder, named("next", loc), following, count);
  Value fetched = tileAhead(builder, steps, last);
  auto places = PlacesOp::create(builder, loc, steps.getResultTypes());
  OpBuilder inner = OpBuilder::atBlockBegin(&places.getBody().emplaceBlock());
  IRMapping mapping;
  for (auto [position, mine] : llvm::zip(sums, carried))
    mapping.map(loop.getRegionIterArg(position), mine);
  for (auto [read, mine] : llvm::zip(reads, carried.drop_front(sums.size())))
    mapping.map(read.getResult(), mine);
  SmallVector<Value> results = multiplyAll(inner, mapping);
  llvm::append_range(results, readAll(inner, next));
  if (copied)
    copyAll(inner, fetched, steps.getSlot());
  // Each operand's registers go to LDS before they are fetched into again.
  for (auto [operand, mine] : llvm::zip(operands, carried.drop_front(sums.size() + reads.size()))) {
    operand.deposit(inner, mine, steps.getSlot());
    results.push_back(operand.fetch(inner, fetched));
  }
  PlacedOp::create(inner, loc, results);
  NextOp::create(builder, loc, places.getResults());
}

/// Fills the slots, so that the first of them can be read; returns what is fetched for the step behind them.
SmallVector<Value> RingLoop::fillSlots(OpBuilder &builder, Value last) {
  Location loc = where;
  if (copied) {
    for (int64_t slot = 0; slot < numFilled(); ++slot) {
      Value number = index(builder, slot);
      copyAll(builder, tileOf(builder, slot ? noLater(builder, loc, number, last) : number), number);
    }
    AwaitOp::create(builder, loc, IntegerAttr());
    MeetOp::create(builder, loc);
    return {};
  }
  SmallVector<Value> fetched = fetchAll(builder, tileOf(builder, index(builder, 0)));
  for (int64_t slot = 0; slot < numFilled(); ++slot) {
    depositAll(builder, fetched, index(builder, slot));
    fetched = fetchAll(builder, tileOf(builder, noLater(builder, loc, index(builder, slot + 1), last)));
  }
  BarrierOp::create(builder, loc);
  return fetched;
}

/// Steps `from` (0 where it is null) to `count` - 1.
SmallVector<Value> RingLoop::runSteps(OpBuilder &builder, Value from, Value count, Value last, ValueRange inits) {
  Location loc = where;
  auto steps =
      StepsOp::create(builder, loc, inits.getTypes(), from, count, static_cast<uint64_t>(slots), alternates, inits);
  Block &body = steps.getBody().emplaceBlock();
  body.addArgument(builder.getIndexType(), loop.getInductionVar().getLoc());
  body.addArgument(builder.getIndexType(), named("slot", loc));
  for (unsigned position : sums)
    body.addArgument(inits[body.getNumArguments() - 2].getType(), loop.getRegionIterArg(position).getLoc());
  for (Value init : inits.drop_front(sums.size()))
    body.addArgument(init.getType(), init.getLoc());
  OpBuilder inner = OpBuilder::atBlockBegin(&body);
  if (alternates) {
    alternate(inner, steps, last);
    return steps.getResults();
  }
  if (copied) {
    // Of the steps whose copies are on their way, the next one's have to be there; those behind it may stay.
    AwaitOp::create(inner, loc, IntegerAttr());
    MeetOp::create(inner, loc);
  } else {
    BarrierOp::create(inner, loc);
  }
  places(inner, steps, last);
  return steps.getResults();
}

/// Fills the slots, reads the first operands, and runs the steps. Returns what the loop carries.
SmallVector<Value> RingLoop::runRing(OpBuilder &builder, Value whole) {
  Location loc = where;
  BarrierOp::create(builder, loc);
  Value last = arith::SubIOp::create(builder, named("last", loc), whole, index(builder, 1));
  Value groups = countGroups(builder, whole), first = waitFirst(builder, groups);
  SmallVector<Value> fetched = fillSlots(builder, last);
  SmallVector<Value> inits =
      llvm::map_to_vector(sums, [&](unsigned position) { return Value(loop.getInitArgs()[position]); });
  if (!alternates)
    llvm::append_range(inits, readAll(builder, index(builder, 0)));
  llvm::append_range(inits, fetched);
  SmallVector<Value> left = waits.empty() ? runSteps(builder, Value(), whole, last, inits)
                                          : runGroups(builder, whole, last, inits, groups, first);
  // What was copied for nothing lands before anything else lies there.
  if (copied)
    AwaitOp::create(builder, loc, builder.getI64IntegerAttr(0));
  SmallVector<Value> results(loop.getNumRegionIterArgs());
  for (auto [position, value] : llvm::zip(sums, left))
    results[position] = value;
  for (auto [position, yielded] : llvm::enumerate(loop.getYieldedValues()))
    if (auto token = waited.find(yielded); token != waited.end())
      results[position] = token->second;
  return results;
}

void RingLoop::rewrite(int64_t slots, bool copied, bool alternates) {
  this->slots = slots;
  this->alternates = alternates;
  this->copied = copied;
  // Beside the buffers of the loop, which still runs the rest: then the rings are empty.
  OpBuilder before(loop);
  for (RingOperand &operand : operands) {
    operand.declareRing(slots);
    operand.declareMatrix(before);
  }
  if (computes())
    findEarly();
  takeStepped();
  leaveRest(loop, where, operands, stepped, first, [&](OpBuilder &builder, Value whole) {
    return computes() ? runComputing(builder, whole) : runRing(builder, whole);
  });
}
