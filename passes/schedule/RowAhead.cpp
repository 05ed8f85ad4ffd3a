// Steps of a loop over rows that begin in the step before: the first product of a step is issued before the rest of the
// step in front of it, so that matrix units work while that computes with what its own first product has made. What
// follows from the first product alone is done behind the rest, under its products. Attention: scores of the next keys
// under the weights of these, their maxima under weights times values. RowOverlap is the same of products that are
// awaited: there the last product runs on.
#include "passes/schedule/RowLoop.h"

#include "passes/analysis/LayoutConversion.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::schedule;

/// What an operation uses, with what is inside of it.
static SmallVector<Value> usedBy(Operation *op) {
  SmallVector<Value> used;
  op->walk([&](Operation *inner) { llvm::append_range(used, inner->getOperands()); });
  return used;
}

/// Registers of a lane for a tile.
static int64_t tileRegisters(Value value) {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  std::optional<LinearLayout> layout = tile ? layoutOf(tile) : std::nullopt;
  if (!layout)
    return 0;
  int64_t bits = tile.getElementType().getIntOrFloatBitWidth();
  return llvm::divideCeil((int64_t(1) << layout->bases(LinearLayout::kRegister).size()) * bits, 32);
}

/// Adds the operations of the loop that `value` is made of. False where that is more than the first product, what is
/// reduced from it, and the carried values that `own` has: whatever is as large as the product stays with its step.
bool RowLoop::addEarly(Value value, ArrayRef<unsigned> own, llvm::SmallPtrSetImpl<Operation *> &early) {
  SmallVector<Value> work{value};
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (argument.getOwner() == loop.getBody() && argument != loop.getInductionVar() &&
          !llvm::is_contained(own, argument.getArgNumber() - loop.getNumInductionVars()))
        return false;
      continue;
    }
    Operation *op = loop.getBody()->findAncestorOpInBlock(*next.getDefiningOp());
    if (!op || early.contains(op))
      continue;
    bool isLarge = llvm::any_of(op->getResults(), [&](Value result) {
      return tileRegisters(result) >= tileRegisters(ahead->first.getResult());
    });
    if (isa<DotOp, SharedLoadOp>(op) || isLarge)
      return false;
    early.insert(op);
    llvm::append_range(work, usedBy(op));
  }
  return true;
}

/// Carried values that the first product and they themselves lead to: as many as there are.
SmallVector<unsigned> RowLoop::ownOf(const llvm::SmallPtrSetImpl<Operation *> &first) {
  SmallVector<unsigned> own = llvm::to_vector(llvm::seq<unsigned>(0, loop.getNumRegionIterArgs()));
  auto isOwn = [&](unsigned position) {
    llvm::SmallPtrSet<Operation *, 16> early(first.begin(), first.end());
    return addEarly(loop.getYieldedValues()[position], own, early);
  };
  while (true) {
    SmallVector<unsigned> left = llvm::filter_to_vector(own, isOwn);
    if (left.size() == own.size())
      return own;
    own = left;
  }
}

/// What the rest of a step, or the next step, has of what was done before: first the carried values as they were.
void RowLoop::findHanded() {
  llvm::SmallPtrSet<Operation *, 16> follows;
  llvm::SmallSetVector<Value, 8> handed;
  for (unsigned position : ahead->own)
    handed.insert(loop.getRegionIterArg(position));
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (!ahead->early.contains(&op))
      continue;
    bool isMade = &op == ahead->first || llvm::any_of(usedBy(&op), [&](Value used) {
      return handed.contains(used) || (used.getDefiningOp() && follows.contains(used.getDefiningOp()));
    });
    if (!isMade)
      continue;
    follows.insert(&op);
    for (Value result : op.getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !ahead->early.contains(loop.getBody()->findAncestorOpInBlock(*user));
          }))
        handed.insert(result);
  }
  ahead->follows.insert(follows.begin(), follows.end());
  ahead->handed = handed.takeVector();
}

/// What a lane holds while the first product of a step runs beside the rest of another.
int64_t RowLoop::registersAhead() {
  int64_t registers = tileRegisters(ahead->first.getResult());
  for (auto [position, argument] : llvm::enumerate(loop.getRegionIterArgs()))
    registers += llvm::is_contained(ahead->own, position) ? 0 : tileRegisters(argument);
  for (Value value : ahead->handed)
    registers += tileRegisters(value);
  for (Value operand : {ahead->first.getLhs(), ahead->first.getRhs()})
    registers += isInvariant(operand) ? tileRegisters(operand) : 0;
  for (RingOperand &operand : operands) {
    registers += copied ? 0 : tileRegisters(operand.load.getResult());
    for (SharedLoadOp read : operand.reads)
      registers += tileRegisters(read.getResult());
  }
  return registers;
}

/// The first product adds to nothing that a step leaves, and nothing else reads what it reads.
bool RowLoop::matchAhead(const Target &target, int64_t waves) {
  auto products = llvm::to_vector(loop.getBody()->getOps<DotOp>());
  if (slots < 2 || products.size() < 2 || !products.front().getInstruction() || !isInvariant(products.front().getAcc()))
    return false;
  ahead.emplace();
  ahead->first = products.front();
  ahead->early.insert(ahead->first);
  for (Value operand : {ahead->first.getLhs(), ahead->first.getRhs()}) {
    auto read = operand.getDefiningOp<SharedLoadOp>();
    if (isInvariant(operand))
      continue;
    if (!read || read->getBlock() != loop.getBody() || !read->hasOneUse() ||
        operandOf(read.getBuffer())->reads.size() != 1)
      return false;
    ahead->early.insert(read);
  }
  if (ahead->early.size() == 1 || ahead->early.size() > operands.size())
    return false;
  ahead->own = ownOf(ahead->early);
  for (unsigned position : ahead->own)
    addEarly(loop.getYieldedValues()[position], ahead->own, ahead->early);
  findHanded();
  // What only the last step leaves would be handed on for nothing.
  bool isUsed = llvm::all_of(ahead->own, [&](unsigned position) {
    return llvm::any_of(loop.getRegionIterArg(position).getUsers(), [&](Operation *user) {
      return !ahead->follows.contains(loop.getBody()->findAncestorOpInBlock(*user));
    });
  });
  if (!isUsed)
    return false;
  int64_t wavesPerSimd = llvm::divideCeil(waves, target.simdsPerUnit);
  return double(registersAhead() * wavesPerSimd) <= target.reached.ahead * double(target.registersPerLane);
}

bool RowLoop::isEarly(RingOperand &operand) { return ahead->early.contains(operand.reads.front()); }

/// Reads, and the product with accesses in its places. Returns what the accesses leave in registers.
SmallVector<Value> RowLoop::begin(OpBuilder &builder, Value slot, IRMapping &mapping, MakeAccesses accesses) {
  for (RingOperand &operand : operands)
    if (isEarly(operand))
      mapping.map(operand.reads.front().getResult(), operand.read(builder, operand.reads.front(), slot));
  SmallVector<Value> made = multiply(builder, ahead->first, mapping, accesses);
  mapping.map(ahead->first.getResult(), made.front());
  return SmallVector<Value>(ArrayRef(made).drop_front());
}

/// What follows from the first product alone. Returns what it hands on.
SmallVector<Value> RowLoop::goOn(OpBuilder &builder, IRMapping &mapping) {
  for (Operation &op : loop.getBody()->without_terminator())
    if (ahead->early.contains(&op) && !isa<DotOp, SharedLoadOp>(op))
      builder.clone(op, mapping);
  return llvm::map_to_vector(ahead->handed, [&](Value value) { return mapping.lookupOrDefault(value); });
}

/// The rest of a step. Returns what it leaves of the carried values that are not the first product's own.
SmallVector<Value> RowLoop::finish(OpBuilder &builder, Value slot, IRMapping &mapping) {
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isFilling(op) || ahead->follows.contains(&op))
      continue;
    auto read = dyn_cast<SharedLoadOp>(op);
    if (!read)
      builder.clone(op, mapping);
    else if (!ahead->early.contains(&op))
      mapping.map(read.getResult(), operandOf(read.getBuffer())->read(builder, read, slot));
  }
  SmallVector<Value> left;
  for (auto [position, value] : llvm::enumerate(loop.getYieldedValues()))
    if (!llvm::is_contained(ahead->own, position))
      left.push_back(mapping.lookupOrDefault(value));
  return left;
}

/// The step whose tile is on its way during `step`. Slots of the first product's operands are free a step earlier, as
/// it has read them in the step before.
Value RowLoop::laterStep(OpBuilder &builder, bool early, Value step, Value last) {
  int64_t most = slots - (early ? 0 : 1) + (copied ? 0 : 1);
  Value behind = arith::AddIOp::create(builder, where, step, index(builder, most));
  return arith::MinSIOp::create(builder, named("ahead", where), behind, last);
}

/// From registers to a slot, and fetched again; or past them.
Value RowLoop::refill(OpBuilder &builder, RingOperand &operand, Value later, Value slot, Value fetched) {
  if (copied) {
    operand.copy(builder, later, slot);
    return Value();
  }
  operand.deposit(builder, fetched, slot);
  return operand.fetch(builder, later);
}

void RowLoop::stepAhead(OpBuilder &builder, StepsOp steps, Value last) {
  Location loc = where;
  if (copied) {
    AwaitOp::create(builder, loc, IntegerAttr());
    MeetOp::create(builder, loc);
  } else {
    BarrierOp::create(builder, loc);
  }
  auto slotBehind = [&](int64_t count, StringRef name) -> Value {
    Value sum = arith::AddIOp::create(builder, loc, steps.getSlot(), index(builder, count));
    return arith::RemSIOp::create(builder, named(name, loc), sum, index(builder, slots));
  };
  Value next = slotBehind(slots - 1, "next"), following = slots == 2 ? next : slotBehind(1, "following");
  auto late = steps.getCarried().take_front(loop.getNumRegionIterArgs() - ahead->own.size());
  auto handed = steps.getCarried().drop_front(late.size()).take_front(ahead->handed.size());
  auto fetched = steps.getCarried().drop_front(late.size() + handed.size());
  IRMapping mapping, behind;
  mapping.map(loop.getInductionVar(), steps.getStep());
  unsigned number = 0;
  for (auto [position, argument] : llvm::enumerate(loop.getRegionIterArgs()))
    if (!llvm::is_contained(ahead->own, position))
      mapping.map(argument, late[number++]);
  for (auto [value, mine] : llvm::zip(ahead->handed, handed))
    mapping.map(value, mine);
  Value after = arith::AddIOp::create(builder, named("after", loc), steps.getStep(), index(builder, 1));
  behind.map(loop.getInductionVar(), after);
  for (unsigned position : ahead->own)
    behind.map(loop.getRegionIterArg(position), mapping.lookupOrDefault(loop.getYieldedValues()[position]));
  Value laterEarly = laterStep(builder, /*early=*/true, steps.getStep(), last);
  Value laterOther = laterStep(builder, /*early=*/false, steps.getStep(), last);
  SmallVector<Value> refetched = begin(builder, following, behind, [&](OpBuilder &places) {
    SmallVector<Value> left;
    for (auto [i, operand] : llvm::enumerate(operands)) {
      bool early = isEarly(operand);
      if (Value value = refill(places, operand, early ? laterEarly : laterOther, early ? steps.getSlot() : next,
                               copied ? Value() : Value(fetched[i])))
        left.push_back(value);
    }
    return left;
  });
  SmallVector<Value> results = finish(builder, steps.getSlot(), mapping);
  llvm::append_range(results, goOn(builder, behind));
  llvm::append_range(results, refetched);
  NextOp::create(builder, loc, results);
}

/// Slots as the first step finds them; returns what registers hold for those it fills.
SmallVector<Value> RowLoop::fillFirst(OpBuilder &builder, Value last) {
  Location loc = where;
  auto at = [&](int64_t step) {
    Value number = index(builder, step);
    return step ? noLater(builder, loc, number, last) : number;
  };
  SmallVector<Value> fetched(operands.size());
  for (auto [operand, value] : llvm::zip(operands, fetched))
    value = copied ? Value() : operand.fetch(builder, at(0));
  // In the order of the steps that would have done it.
  for (int64_t slot = 0; slot < slots; ++slot)
    for (auto [operand, value] : llvm::zip(operands, fetched)) {
      int64_t number = isEarly(operand) ? slot : slot - 1;
      if (number < 0)
        continue;
      if (copied) {
        operand.copy(builder, at(number), index(builder, number));
        continue;
      }
      operand.deposit(builder, value, index(builder, number));
      value = operand.fetch(builder, at(number + 1));
    }
  if (!copied) {
    BarrierOp::create(builder, loc);
    return fetched;
  }
  AwaitOp::create(builder, loc, IntegerAttr());
  MeetOp::create(builder, loc);
  return {};
}

/// The first product of the first step stands before the steps; the last step begins one that nobody finishes.
SmallVector<Value> RowLoop::runAhead(OpBuilder &builder, Value whole) {
  Location loc = where;
  BarrierOp::create(builder, loc);
  Value last = arith::SubIOp::create(builder, named("last", loc), whole, index(builder, 1));
  SmallVector<Value> fetched = fillFirst(builder, last), inits;
  IRMapping first;
  first.map(loop.getInductionVar(), index(builder, 0));
  for (auto [position, init] : llvm::enumerate(loop.getInitArgs())) {
    if (llvm::is_contained(ahead->own, position))
      first.map(loop.getRegionIterArg(position), init);
    else
      inits.push_back(init);
  }
  begin(builder, index(builder, 0), first, nullptr);
  size_t late = inits.size();
  llvm::append_range(inits, goOn(builder, first));
  SmallVector<Location> places;
  for (auto [position, argument] : llvm::enumerate(loop.getRegionIterArgs()))
    if (!llvm::is_contained(ahead->own, position))
      places.push_back(argument.getLoc());
  for (Value value : ahead->handed)
    places.push_back(value.getLoc());
  llvm::append_range(inits, fetched);
  for (Value value : fetched)
    places.push_back(value.getLoc());
  StepsOp steps = createSteps(builder, whole, inits, places);
  OpBuilder inner = OpBuilder::atBlockBegin(&steps.getBody().front());
  stepAhead(inner, steps, last);
  // What was copied for nothing lands before anything else lies there.
  if (copied)
    AwaitOp::create(builder, loc, builder.getI64IntegerAttr(0));
  SmallVector<Value> results;
  unsigned number = 0;
  for (unsigned position = 0; position < loop.getNumRegionIterArgs(); ++position) {
    auto own = llvm::find(ahead->own, position);
    results.push_back(own == ahead->own.end() ? steps.getResult(number++)
                                              : steps.getResult(late + (own - ahead->own.begin())));
  }
  return results;
}
