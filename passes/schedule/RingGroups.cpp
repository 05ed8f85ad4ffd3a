// Waits in a loop through rings: they stand between groups of steps, before the first copy of what they wait for.
//
// A step copies for one that is `ahead` behind it. So the steps of which none copies from group g + 1 or a later one
// run without a wait, and then the wait of g + 1 comes. The slots stay full meanwhile. As slots are constants of the
// text, each run of steps but the last ends at a multiple of their number, with some steps of its group left for the
// next.
#include "passes/schedule/RingLoop.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::schedule;

SmallVector<Value> RingLoop::tokens() {
  return llvm::map_to_vector(waited, [](auto &entry) { return entry.second; });
}

/// From here on copies come after these.
void RingLoop::setTokens(ValueRange tokens) {
  for (auto [entry, token] : llvm::zip(waits, tokens))
    waited[entry.first] = token;
  for (RingOperand &operand : operands)
    operand.after = llvm::map_to_vector(operand.load.getAfter(), [&](Value token) {
      auto known = waited.find(token);
      return known == waited.end() ? token : known->second;
    });
}

/// Groups with steps before `whole`; nothing where the loop does not wait.
Value RingLoop::countGroups(OpBuilder &builder, Value whole) {
  return waits.empty() ? Value() : arith::CeilDivSIOp::create(builder, named("groups", where), whole, period);
}

/// What the loop does at the first step of a group, for its waits.
void RingLoop::waitFor(OpBuilder &builder, Value group) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), builder.createOrFold<arith::MulIOp>(where, group, period));
  SmallVector<Operation *> made;
  for (Operation &op : loop.getBody()->without_terminator())
    if (op.getNumRegions() == 0 && isMemoryEffectFree(&op) &&
        llvm::all_of(op.getResultTypes(), [](Type type) { return type.isIntOrIndex(); }))
      made.push_back(builder.clone(op, mapping));
  SmallVector<Value> tokens;
  for (auto [token, guard] : waits) {
    for (Operation &op : guard.thenBlock()->without_terminator())
      made.push_back(builder.clone(op, mapping));
    tokens.push_back(mapping.lookupOrDefault(guard.thenYield().getOperand(0)));
  }
  for (Operation *op : llvm::reverse(made))
    if (isOpTriviallyDead(op))
      op->erase();
  setTokens(tokens);
}

/// What the loop does for its waits at a step, which `mapping` knows. The token of a step that does not wait orders
/// nothing by itself, where `mapping` knows none that is carried: who fills the slots has waited before.
void RingLoop::cloneWaits(OpBuilder &builder, IRMapping &mapping) {
  if (waits.empty())
    return;
  SmallVector<Operation *> made;
  for (Operation &op : loop.getBody()->without_terminator())
    if (op.getNumRegions() == 0 && isMemoryEffectFree(&op) &&
        llvm::all_of(op.getResultTypes(), [](Type type) { return type.isIntOrIndex(); }))
      made.push_back(builder.clone(op, mapping));
  for (auto [token, guard] : waits) {
    Value carried = guard.elseYield().getOperand(0);
    if (!mapping.contains(carried))
      mapping.map(carried, JoinOp::create(builder, where, token.getType(), ValueRange()).getResult());
    builder.clone(*guard, mapping);
  }
  for (Operation *op : llvm::reverse(made))
    if (isOpTriviallyDead(op))
      op->erase();
}

/// Waits for the groups from which the slots are filled; returns their number.
Value RingLoop::waitFirst(OpBuilder &builder, Value groups) {
  if (waits.empty())
    return Value();
  Value zero = index(builder, 0), one = index(builder, 1);
  std::optional<int64_t> known = getConstantIntValue(period);
  if (known && *known >= ahead()) {
    waitFor(builder, zero);
    return one;
  }
  Value most = builder.createOrFold<arith::CeilDivSIOp>(where, index(builder, ahead()), period);
  Value first = builder.createOrFold<arith::MinSIOp>(named("first_groups", where), most, groups);
  Type type = TokenType::get(builder.getContext());
  SmallVector<Value> none(waits.size(), JoinOp::create(builder, where, type, ValueRange()));
  auto each = scf::ForOp::create(builder, where, zero, first, one, none);
  each.getInductionVar().setLoc(named("group", where));
  OpBuilder inner = OpBuilder::atBlockBegin(each.getBody());
  waitFor(inner, each.getInductionVar());
  SmallVector<Value> all;
  for (auto [before, token] : llvm::zip(each.getRegionIterArgs(), tokens()))
    all.push_back(JoinOp::create(inner, where, type, ValueRange{before, token}));
  scf::YieldOp::create(inner, where, all);
  setTokens(each.getResults());
  return first;
}

/// The step up to which nothing is copied from a group: a multiple of the slots.
Value RingLoop::endOf(OpBuilder &builder, Value group) {
  Value begin = builder.createOrFold<arith::MulIOp>(named("group_begin", where), group, period);
  if (std::optional<int64_t> known = getConstantIntValue(period); known && *known % slots == 0)
    return arith::SubIOp::create(builder, where, begin,
                                 index(builder, static_cast<int64_t>(llvm::alignTo(ahead(), slots))));
  Value count = index(builder, slots);
  Value before = arith::SubIOp::create(builder, where, begin, index(builder, ahead()));
  return arith::MulIOp::create(builder, where, arith::DivSIOp::create(builder, where, before, count), count);
}

/// All steps; returns what is left in registers.
SmallVector<Value> RingLoop::runGroups(OpBuilder &builder, Value whole, Value last, ValueRange inits, Value groups,
                                       Value first) {
  Location loc = where;
  Value zero = index(builder, 0), one = index(builder, 1);
  SmallVector<Value> carried(inits);
  carried.push_back(zero);
  llvm::append_range(carried, tokens());
  Value begun = builder.createOrFold<arith::SubIOp>(loc, first, one);
  auto outer = scf::ForOp::create(builder, loc, begun, groups, one, carried);
  outer.getInductionVar().setLoc(named("group", loc));
  for (auto [argument, init] : llvm::zip(outer.getRegionIterArgs(), carried))
    argument.setLoc(init == zero ? named("begin", loc) : init.getLoc());
  auto arguments = outer.getRegionIterArgs();
  OpBuilder inner = OpBuilder::atBlockBegin(outer.getBody());
  setTokens(arguments.drop_front(inits.size() + 1));
  Value following = arith::AddIOp::create(inner, named("following", loc), outer.getInductionVar(), one);
  Value more = arith::CmpIOp::create(inner, named("more", loc), arith::CmpIPredicate::slt, following, groups);
  Value end = arith::SelectOp::create(inner, named("end", loc), more, endOf(inner, following), whole);
  SmallVector<Value> results =
      runSteps(inner, arguments[inits.size()], end, last, ValueRange(arguments.take_front(inits.size())));
  SmallVector<Value> before = tokens();
  auto guard = scf::IfOp::create(inner, loc, TypeRange(ValueRange(before)), more, /*withElseRegion=*/true);
  OpBuilder then = guard.getThenBodyBuilder(), otherwise = guard.getElseBodyBuilder();
  waitFor(then, following);
  scf::YieldOp::create(then, loc, tokens());
  scf::YieldOp::create(otherwise, loc, before);
  results.push_back(end);
  llvm::append_range(results, guard.getResults());
  scf::YieldOp::create(inner, loc, results);
  setTokens(outer.getResults().drop_front(inits.size() + 1));
  return SmallVector<Value>(outer.getResults().take_front(inits.size()));
}
