// The streamed loop whose steps compute under the products of the next one: products have registers of their own, and
// each begins as soon as the step has used what it made of the slot before. Matrix units have always one to go on with.
#include "passes/schedule/RingLoop.h"

#include "passes/schedule/StepBody.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::schedule;

/// What a value of a step is made of by the step alone, up to products and to tiles that are loaded ahead. `used`:
/// these products. False where that is more than numbers and arithmetic.
bool RingLoop::isMadeOf(Value value, llvm::DenseSet<Operation *> &made, llvm::SmallSetVector<Operation *, 4> &used) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody())
    return true;
  if (auto product = dyn_cast<DotOp>(op); product && llvm::is_contained(products, product)) {
    used.insert(op);
    return true;
  }
  if (made.contains(op) || (isa<LoadOp>(op) && llvm::is_contained(early, op)))
    return true;
  if (op->getNumRegions() || !isPure(op) ||
      !llvm::all_of(op->getOperands(), [&](Value operand) { return isMadeOf(operand, made, used); }))
    return false;
  made.insert(op);
  return true;
}

/// Whether each sum that steps hand on is made with one product, so that this has no more to do with the step then.
bool RingLoop::matchOverlap() {
  uses.assign(products.size(), {});
  for (auto [position, yielded] : llvm::enumerate(sumsOf(loop.getYieldedValues()))) {
    llvm::DenseSet<Operation *> made;
    llvm::SmallSetVector<Operation *, 4> used;
    if (!isMadeOf(yielded, made, used) || used.size() != 1)
      return false;
    ProductUse &mine = uses[llvm::find(products, cast<DotOp>(used.front())) - products.begin()];
    mine.positions.push_back(position);
    mine.made.insert(made.begin(), made.end());
  }
  return llvm::none_of(uses, [](const ProductUse &use) { return use.positions.empty(); });
}

/// What a step makes of the sums of a product, computed by the next step, or behind the loop.
SmallVector<Value> RingLoop::useProduct(OpBuilder &builder, size_t number, Value sums, IRMapping mapping) {
  mapping.map(products[number].getResult(), sums);
  for (Operation &op : loop.getBody()->without_terminator())
    if (uses[number].made.contains(&op))
      builder.clone(op, mapping);
  SmallVector<Value> yielded = sumsOf(loop.getYieldedValues());
  return llvm::map_to_vector(uses[number].positions,
                             [&](size_t position) { return mapping.lookupOrDefault(yielded[position]); });
}

/// Values of the loop as a step had them, from what steps carry: the sums before it, and what was loaded for it.
IRMapping RingLoop::mapStep(Value step, ValueRange carried) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), step);
  for (auto [argument, mine] : llvm::zip(sumsOf(loop.getRegionIterArgs()), carried))
    mapping.map(argument, mine);
  auto loads = llvm::make_filter_range(early, llvm::IsaPred<LoadOp>);
  for (auto [load, mine] : llvm::zip(loads, carried.drop_front(sums.size())))
    mapping.map(load->getResult(0), mine);
  return mapping;
}

/// A step begins its products, each behind what the step before has to compute with the last one in its registers. That
/// one's slot is free when the last of its products is over.
void RingLoop::overlapStep(OpBuilder &builder, StreamOp stream, Value full, const Target &target) {
  Block &body = stream.getUses().front();
  Value step = body.getArgument(0), before = stepBefore(builder, step);
  ValueRange carried = stream.getCarried(), beside = carried.drop_front(sums.size());
  Value hasBefore =
      arith::CmpIOp::create(builder, named("has_before", where), arith::CmpIPredicate::sgt, step, index(builder, 0));
  // Those that the loop begins with are overwritten before anything uses them.
  SmallVector<Value> results(carried), loaded = loadEarly(builder, step);
  llvm::copy(loaded, results.begin() + sums.size());
  IRMapping mapping = mapStep(before, carried);
  for (auto [number, product] : llvm::enumerate(products)) {
    size_t place = registers.lookup(product);
    SmallVector<Value> kept =
        llvm::map_to_vector(uses[number].positions, [&](size_t position) -> Value { return carried[position]; });
    auto guard = scf::IfOp::create(builder, where, TypeRange(ValueRange(kept)), hasBefore, /*withElseRegion=*/true);
    OpBuilder inner = guard.getThenBodyBuilder(), otherwise = guard.getElseBodyBuilder();
    Value made =
        AwaitProductsOp::create(inner, product.getLoc(), beside[place], static_cast<uint64_t>(products.size() - 1));
    scf::YieldOp::create(inner, where, useProduct(inner, number, made, mapping));
    scf::YieldOp::create(otherwise, where, kept);
    for (auto [position, sum] : llvm::zip(uses[number].positions, guard.getResults()))
      results[position] = sum;
    if (product == products.back())
      leaveSlot(builder, stream, before);
    if (number == 0)
      AwaitFullOp::create(builder, where, full, body.getArgument(1));
    results[sums.size() + place] =
        issue(builder, product, body.getArgument(1), beside[place], target, /*replaces=*/true);
  }
  NextOp::create(builder, where, results);
}

/// The sums of the loop behind its last step, which has left its products.
SmallVector<Value> RingLoop::finishOverlap(OpBuilder &builder, StreamOp stream, Value steps) {
  ValueRange carried = stream.getResults();
  Value last = stepBefore(builder, steps);
  IRMapping mapping = mapStep(last, carried);
  SmallVector<Value> results(carried.take_front(sums.size()));
  for (auto [number, product] : llvm::enumerate(products)) {
    Value made = AwaitProductsOp::create(builder, product.getLoc(), carried[sums.size() + registers.lookup(product)],
                                         static_cast<uint64_t>(products.size() - 1 - number));
    if (stream.getEmpty() && product == products.back())
      ReleaseOp::create(builder, where, stream.getEmpty(), last);
    for (auto [position, sum] : llvm::zip(uses[number].positions, useProduct(builder, number, made, mapping)))
      results[position] = sum;
  }
  return results;
}
