// Which loops over rows run through rings, and their steps: what has been fetched goes to the slot that the step before
// has read, the rows behind are fetched, and the step computes what the loop did.
#include "passes/schedule/RowLoop.h"
#include "passes/schedule/RestLoop.h"
#include "passes/schedule/StepBody.h"

#include "passes/analysis/LayoutConversion.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::schedule;

Value RowLoop::index(OpBuilder &builder, int64_t value) {
  return arith::ConstantIndexOp::create(builder, where, value);
}

RingOperand *RowLoop::operandOf(Value buffer) {
  auto found = llvm::find_if(operands, [&](RingOperand &operand) { return operand.store.getBuffer() == buffer; });
  return found == operands.end() ? nullptr : found;
}

//===-- matching
//---------------------------------------------------------------------------------------------------===//

/// The rows of the tile are those of the step, its columns all that the buffer has, and nothing else of it depends on
/// the loop.
bool RowLoop::matchStore(SharedStoreOp store) {
  auto load = store.getValue().getDefiningOp<LoadOp>();
  if (!load || load->getBlock() != loop.getBody() || !load->hasOneUse() || store.getCopy())
    return false;
  auto buffer = cast<MemRefType>(load.getBuffer().getType());
  RankedTensorType tile = load.getType();
  if (load.getAt() || load.getOtherwise() || tile.getRank() != 2 || buffer.getRank() < 2 || !hasOneThreadEach(tile) ||
      !llvm::all_of(tile.getShape(), [](int64_t side) { return llvm::isPowerOf2_64(static_cast<uint64_t>(side)); }))
    return false;
  OperandRange indices = load.getIndices();
  size_t last = indices.size() - 1;
  if (indices[last - 1] != loop.getInductionVar() || getConstantIntValue(indices[last]) != 0 ||
      buffer.getDimSize(last) != tile.getDimSize(1))
    return false;
  if (!isInvariant(load.getBuffer()) || !isInvariant(load.getFrom()) ||
      !llvm::all_of(indices.drop_back(2), [&](Value value) { return isInvariant(value); }) ||
      !llvm::all_of(load.getAfter(), [&](Value token) { return isInvariant(token); }))
    return false;
  for (Operation *user : store.getBuffer().getUsers())
    if (!loop->isProperAncestor(user))
      return false;
  RingOperand operand{load, store, {}, SmallVector<Value>(load.getAfter()), {}};
  operand.byRows = true;
  if (!operands.empty() && operands.front().depth() != operand.depth())
    return false;
  operands.push_back(operand);
  return true;
}

bool RowLoop::matchRead(SharedLoadOp read) {
  RingOperand *operand = operandOf(read.getBuffer());
  if (!operand || read.getCopy())
    return false;
  operand->reads.push_back(read);
  return true;
}

bool RowLoop::matchBody() {
  unsigned barriers = 0;
  for (Operation &op : loop.getBody()->without_terminator()) {
    bool known = false;
    if (isa<BarrierOp>(op)) {
      known = ++barriers <= 2;
    } else if (auto store = dyn_cast<SharedStoreOp>(op)) {
      known = barriers == 1 && matchStore(store);
    } else if (auto read = dyn_cast<SharedLoadOp>(op)) {
      known = barriers == 2 && matchRead(read);
    } else {
      known = isa<LoadOp>(op) || isComputed(&op);
    }
    if (!known)
      return false;
  }
  auto loads = loop.getBody()->getOps<LoadOp>();
  return barriers == 2 && static_cast<size_t>(llvm::range_size(loads)) == operands.size();
}

bool RowLoop::match() {
  bool counts = getConstantIntValue(loop.getStep()) == 1;
  bool carriesTiles =
      llvm::all_of(loop.getInitArgs().getTypes(), [](Type type) { return isa<RankedTensorType>(type); });
  return counts && carriesTiles && loop.getNumRegionIterArgs() > 0 && matchBody() && !operands.empty() &&
         llvm::all_of(operands, [](RingOperand &operand) { return !operand.reads.empty(); });
}

bool RowLoop::beginsAtZero() { return getConstantIntValue(loop.getLowerBound()) == 0; }

DenseMap<Operation *, int64_t> RowLoop::copies(int64_t slots) {
  DenseMap<Operation *, int64_t> copies;
  for (RingOperand &operand : operands)
    copies[operand.store.getBuffer().getDefiningOp()] = slots;
  return copies;
}

//===-- rewriting
//--------------------------------------------------------------------------------------------------===//

/// A product, with accesses in its places where there are some. Returns its result, then what they leave.
SmallVector<Value> RowLoop::multiply(OpBuilder &builder, DotOp product, IRMapping &mapping, MakeAccesses accesses) {
  auto make = [&](OpBuilder &inner) { return inner.clone(*product, mapping)->getResult(0); };
  return accesses ? multiplyMeanwhile(builder, product.getLoc(), make, accesses) : SmallVector<Value>{make(builder)};
}

/// What the loop computes, with operands from the slot. `copies`: made in the places of the first product.
SmallVector<Value> RowLoop::clone(OpBuilder &builder, StepsOp steps, MakeAccesses copies) {
  auto products = llvm::make_filter_range(loop.getBody()->getOps<DotOp>(),
                                          [](DotOp product) { return product.getInstruction().has_value(); });
  DotOp first = copies && !products.empty() ? *products.begin() : DotOp();
  if (copies && !first)
    copies(builder);
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), steps.getStep());
  for (auto [argument, mine] : llvm::zip(loop.getRegionIterArgs(), steps.getCarried()))
    mapping.map(argument, mine);
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto read = dyn_cast<SharedLoadOp>(op))
      mapping.map(read.getResult(), operandOf(read.getBuffer())->read(builder, read, steps.getSlot()));
    else if (first && first == &op)
      mapping.map(first.getResult(), multiply(builder, first, mapping, copies).front());
    else if (!isFilling(op))
      builder.clone(op, mapping);
  }
  return llvm::map_to_vector(loop.getYieldedValues(), [&](Value value) { return mapping.lookupOrDefault(value); });
}

void RowLoop::step(OpBuilder &builder, StepsOp steps, Value last) {
  Location loc = where;
  BarrierOp::create(builder, loc);
  Value before = arith::AddIOp::create(builder, loc, steps.getSlot(), index(builder, slots - 1));
  Value next = arith::RemSIOp::create(builder, named("next", loc), before, index(builder, slots));
  Value behind = arith::AddIOp::create(builder, loc, steps.getStep(), index(builder, slots));
  Value ahead = arith::MinSIOp::create(builder, named("ahead", loc), behind, last);
  SmallVector<Value> fetched;
  for (auto [operand, mine] : llvm::zip(operands, steps.getCarried().drop_front(loop.getNumRegionIterArgs()))) {
    operand.deposit(builder, mine, next);
    fetched.push_back(operand.fetch(builder, ahead));
  }
  // A single slot is filled for this very step.
  if (slots == 1)
    BarrierOp::create(builder, loc);
  SmallVector<Value> results = clone(builder, steps);
  llvm::append_range(results, fetched);
  NextOp::create(builder, loc, results);
}

/// All slots but one are filled before the first step; registers hold what the last one gets.
SmallVector<Value> RowLoop::runRing(OpBuilder &builder, Value whole) {
  Location loc = where;
  BarrierOp::create(builder, loc);
  Value last = arith::SubIOp::create(builder, named("last", loc), whole, index(builder, 1));
  SmallVector<Value> inits(loop.getInitArgs());
  auto fetchAll = [&](Value step) {
    return llvm::map_to_vector(operands, [&](RingOperand &operand) { return operand.fetch(builder, step); });
  };
  SmallVector<Value> fetched = fetchAll(index(builder, 0));
  for (int64_t slot = 0; slot < slots - 1; ++slot) {
    for (auto [operand, value] : llvm::zip(operands, fetched))
      operand.deposit(builder, value, index(builder, slot));
    fetched = fetchAll(noLater(builder, loc, index(builder, slot + 1), last));
  }
  llvm::append_range(inits, fetched);
  StepsOp steps = createSteps(builder, whole, inits, placesOf(inits));
  OpBuilder inner = OpBuilder::atBlockBegin(&steps.getBody().front());
  step(inner, steps, last);
  return SmallVector<Value>(steps.getResults().take_front(loop.getNumRegionIterArgs()));
}

/// Copies pass no register: all slots but one are on their way before the first step. Each step waits for its own, and
/// fills the slot that the step before has read while it multiplies.
SmallVector<Value> RowLoop::runCopies(OpBuilder &builder, Value whole) {
  Location loc = where;
  BarrierOp::create(builder, loc);
  Value last = arith::SubIOp::create(builder, named("last", loc), whole, index(builder, 1));
  for (int64_t slot = 0; slot < slots - 1; ++slot) {
    Value number = index(builder, slot);
    copyAll(builder, slot ? noLater(builder, loc, number, last) : number, number);
  }
  StepsOp steps = createSteps(builder, whole, loop.getInitArgs(), placesOf(loop.getInitArgs()));
  OpBuilder inner = OpBuilder::atBlockBegin(&steps.getBody().front());
  AwaitOp::create(inner, loc, IntegerAttr());
  MeetOp::create(inner, loc);
  Value before = arith::AddIOp::create(inner, loc, steps.getSlot(), index(inner, slots - 1));
  Value next = arith::RemSIOp::create(inner, named("next", loc), before, index(inner, slots));
  Value behind = arith::AddIOp::create(inner, loc, steps.getStep(), index(inner, slots - 1));
  Value ahead = arith::MinSIOp::create(inner, named("ahead", loc), behind, last);
  NextOp::create(inner, loc, clone(inner, steps, [&](OpBuilder &places) {
                   copyAll(places, ahead, next);
                   return SmallVector<Value>();
                 }));
  // What was copied for nothing lands before anything else lies there.
  AwaitOp::create(builder, loc, builder.getI64IntegerAttr(0));
  return SmallVector<Value>(steps.getResults());
}

void RowLoop::copyAll(OpBuilder &builder, Value step, Value slot) {
  for (RingOperand &operand : operands)
    operand.copy(builder, step, slot);
}

/// Of what steps carry the first is what the loop does; the rest are tiles that have been fetched.
SmallVector<Location> RowLoop::placesOf(ValueRange inits) {
  auto places = llvm::map_to_vector(loop.getRegionIterArgs(), [](Value argument) { return argument.getLoc(); });
  for (Value value : inits.drop_front(places.size()))
    places.push_back(value.getLoc());
  return places;
}

StepsOp RowLoop::createSteps(OpBuilder &builder, Value whole, ValueRange inits, ArrayRef<Location> places) {
  auto steps = StepsOp::create(builder, where, inits.getTypes(), /*from=*/Value(), whole, static_cast<uint64_t>(slots),
                               /*alternating=*/false, inits);
  Block &body = steps.getBody().emplaceBlock();
  body.addArgument(builder.getIndexType(), loop.getInductionVar().getLoc());
  body.addArgument(builder.getIndexType(), named("slot", where));
  for (auto [value, place] : llvm::zip(inits, places))
    body.addArgument(value.getType(), place);
  return steps;
}

bool RowLoop::layDown(const SharedMemory &memory, int64_t waves, int64_t most) {
  int64_t copies = 0;
  for (RingOperand &operand : operands)
    copies = operand.layDown(memory, waves) ? copies + operand.copyAccesses(memory, waves) : most + 1;
  if (copies <= most)
    return true;
  for (RingOperand &operand : operands)
    operand.laid = {};
  return false;
}

void RowLoop::rewrite(int64_t slots, bool copied, int64_t waves, const Target &target) {
  this->slots = slots;
  this->copied = copied;
  bool beginsAhead = matchAhead(target, waves);
  OpBuilder builder(loop);
  for (RingOperand &operand : operands) {
    operand.declareRing(slots);
    operand.declareMatrix(builder);
  }
  leaveRest(loop, where, operands, /*beside=*/{}, /*first=*/Value(), [&](OpBuilder &inner, Value whole) {
    return beginsAhead ? runAhead(inner, whole) : copied ? runCopies(inner, whole) : runRing(inner, whole);
  });
}
