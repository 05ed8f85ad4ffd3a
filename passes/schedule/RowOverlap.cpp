// Steps of a streamed loop over rows that overlap: the last product of a step is issued behind the first one of the
// next step, and runs while that step computes with what its first product has made. Attention: weights times values
// under the softmax of the next scores.
#include "passes/schedule/RowLoop.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::schedule;

/// The loop has two products. The first depends on nothing that a step leaves; the sums of the second are handed on,
/// and what a step does with them before is done with nothing else.
bool RowLoop::matchOverlap() {
  SmallVector<DotOp> products(loop.getBody()->getOps<DotOp>());
  if (products.size() != 2 || instructions.size() != 2 || operands.size() != 2 || operands[0].reads.size() != 1 ||
      operands[1].reads.size() != 1)
    return false;
  overlap.emplace(Overlap{products[0], products[1], 0, {}});
  DotOp scores = overlap->scores, sums = overlap->sums;
  auto yielded = llvm::find(loop.getYieldedValues(), sums.getResult());
  if (!isInvariant(scores.getLhs()) || !isInvariant(scores.getAcc()) || isInvariant(sums.getLhs()) ||
      !sums->hasOneUse() || yielded == loop.getYieldedValues().end())
    return false;
  overlap->position = yielded - loop.getYieldedValues().begin();
  // From the sums of the step before to those that the product adds to.
  SmallVector<Value> work{loop.getRegionIterArg(overlap->position)};
  while (!work.empty())
    for (OpOperand &use : work.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (user == sums && use.get() == sums.getAcc())
        continue;
      if (user->getBlock() != loop.getBody() || isa<scf::YieldOp, DotOp>(user) || user->getNumResults() != 1)
        return false;
      if (overlap->late.insert(user).second)
        work.push_back(user->getResult(0));
    }
  Operation *last = sums.getAcc().getDefiningOp();
  return sums.getAcc() == loop.getRegionIterArg(overlap->position) || (last && overlap->late.contains(last));
}

/// Values of the loop as a step finds them. The sums are those that the product of the step before adds to.
IRMapping RowLoop::mapStep(OpBuilder &builder, StreamOp stream) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), numberOf(builder, stream.getUses().getArgument(0)));
  for (auto [argument, mine] : llvm::zip(loop.getRegionIterArgs(), stream.getCarried()))
    mapping.map(argument, mine);
  return mapping;
}

/// All but what is done with the sums.
void RowLoop::computeUntilSums(OpBuilder &builder, IRMapping &mapping) {
  for (Operation &op : loop.getBody()->without_terminator())
    if (!isFilling(op) && !isa<SharedLoadOp>(op) && !overlap->late.contains(&op) && !instructions.contains(&op))
      builder.clone(op, mapping);
}

/// What the step does with the sums before its own product, which is the next step's to issue.
void RowLoop::yieldStep(OpBuilder &builder, Value sums, IRMapping &mapping) {
  mapping.map(loop.getRegionIterArg(overlap->position), sums);
  for (Operation &op : loop.getBody()->without_terminator())
    if (overlap->late.contains(&op))
      builder.clone(op, mapping);
  SmallVector<Value> values =
      llvm::map_to_vector(loop.getYieldedValues(), [&](Value value) { return mapping.lookupOrDefault(value); });
  values[overlap->position] = mapping.lookupOrDefault(overlap->sums.getAcc());
  values.push_back(mapping.lookupOrDefault(overlap->sums.getLhs()));
  scf::YieldOp::create(builder, where, values);
}

/// No step before has left a product.
void RowLoop::firstStep(OpBuilder &builder, StreamOp stream) {
  IRMapping mapping = mapStep(builder, stream);
  DotOp scores = overlap->scores;
  Value made = issue(builder, scores, stream.getUses().getArgument(1), mapping);
  mapping.map(scores.getResult(),
              AwaitProductsOp::create(builder, scores.getLoc(), made, /*left=*/static_cast<uint64_t>(0)));
  computeUntilSums(builder, mapping);
  yieldStep(builder, stream.getCarried()[overlap->position], mapping);
}

/// The product of the step before: weights that were handed on, of what has come with this step.
static void mapBefore(IRMapping &mapping, DotOp sums, StreamOp stream, unsigned position) {
  mapping.map(sums.getLhs(), stream.getCarried().back());
  mapping.map(sums.getAcc(), stream.getCarried()[position]);
}

void RowLoop::innerStep(OpBuilder &builder, StreamOp stream) {
  IRMapping mapping = mapStep(builder, stream), before = mapping;
  DotOp scores = overlap->scores, sums = overlap->sums;
  Value slot = stream.getUses().getArgument(1);
  mapBefore(before, sums, stream, overlap->position);
  Value made = issue(builder, scores, slot, mapping), added = issue(builder, sums, slot, before);
  mapping.map(scores.getResult(),
              AwaitProductsOp::create(builder, scores.getLoc(), made, /*left=*/static_cast<uint64_t>(1)));
  computeUntilSums(builder, mapping);
  yieldStep(builder, AwaitProductsOp::create(builder, sums.getLoc(), added, /*left=*/static_cast<uint64_t>(0)),
            mapping);
}

/// Behind the last step: the product that it has left.
void RowLoop::lastStep(OpBuilder &builder, StreamOp stream) {
  IRMapping before;
  DotOp sums = overlap->sums;
  mapBefore(before, sums, stream, overlap->position);
  Value added = issue(builder, sums, stream.getUses().getArgument(1), before);
  SmallVector<Value> values(stream.getCarried());
  values[overlap->position] = AwaitProductsOp::create(builder, sums.getLoc(), added, /*left=*/static_cast<uint64_t>(0));
  scf::YieldOp::create(builder, where, values);
}

/// One step more than the loop has: its first issues no product for a step before, and behind its last one there is
/// none to begin.
void RowLoop::useInTurn(OpBuilder &builder, StreamOp stream, Value steps) {
  Value step = stream.getUses().getArgument(0);
  TypeRange types = stream.getResultTypes();
  Value isFirst = arith::CmpIOp::create(builder, where, arith::CmpIPredicate::eq, step, index(builder, 0));
  auto first = scf::IfOp::create(builder, where, types, isFirst, /*withElseRegion=*/true);
  OpBuilder inner = first.getThenBodyBuilder();
  firstStep(inner, stream);
  inner = first.getElseBodyBuilder();
  Value isLast = arith::CmpIOp::create(inner, where, arith::CmpIPredicate::eq, step, steps);
  auto last = scf::IfOp::create(inner, where, types, isLast, /*withElseRegion=*/true);
  scf::YieldOp::create(inner, where, last.getResults());
  inner = last.getThenBodyBuilder();
  lastStep(inner, stream);
  inner = last.getElseBodyBuilder();
  innerStep(inner, stream);
  leaveSlot(builder, stream);
  NextOp::create(builder, where, first.getResults());
}
