// Where in a reader's loop a wait stands, and how its token reaches the iterations that do not wait. What it waits for
// is decided in WaitRanges.cpp.
#include "passes/waits/Synchronization.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// The outermost loop of the task whose iterations read other elements.
static scf::ForOp loopThatMoves(const Footprint &access, Operation *task) {
  scf::ForOp found;
  for (Operation *parent = access.op->getParentOp(); parent != task; parent = parent->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!loop)
      continue;
    Value variable = loop.getInductionVar();
    for (auto [first, clip] : llvm::zip(access.first, access.clipFirst))
      if (first.coefficient(variable) || clip.coefficient(variable))
        found = loop;
  }
  return found;
}

/// Elements of `tiles` tiles of the writer in dimension `d`, along the tile index that moves its footprint there; at
/// least what one of its tasks covers. None without such an index.
static std::optional<int64_t> widthOf(int64_t tiles, Statement &writer, const Footprint &access, unsigned d) {
  for (BlockArgument index : writer.forall.getIndices())
    if (auto factor = dyn_cast_or_null<AffineConstantExpr>(access.first[d].coefficient(index));
        factor && factor.getValue() > 0)
      return std::max(factor.getValue(), tiles * access.size[d]);
  return std::nullopt;
}

/// The greatest value of a form over the reader's tile indices. None where it depends on something else.
static std::optional<AffineExpr> greatest(const IndexForm &form, Statement &reader, int64_t world) {
  auto bounds = overExtents(*reader.forall.getBounds(), reader.forall.getExtents(), world);
  AffineExpr all = form.constant;
  for (auto [variable, factor] : form.terms) {
    auto index = dyn_cast<BlockArgument>(variable);
    if (!bounds || !index || index.getOwner()->getParentOp() != reader.forall || !isNonNegative(factor))
      return std::nullopt;
    all = all + factor * ((*bounds)[index.getArgNumber()] - 1);
  }
  return simplifyAffineExpr(all, 0, 64);
}

std::optional<SourceLoop> tilec::sourceLoop(Statement &reader, const Footprint &later, const Footprint &earlier,
                                            const Synchronizer &sync) {
  for (Operation *parent = later.op->getParentOp(); parent != reader.forall; parent = parent->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!loop || loopOverRanks(loop.getInductionVar(), sync.world()) != loop)
      continue;
    for (unsigned d = 0; d < later.first.size(); ++d) {
      AffineExpr stride = earlier.clipFirst[d].coefficient(sync.rank());
      if (!stride || later.whole == d || later.first[d].coefficient(loop.getInductionVar()) != stride)
        continue;
      IndexForm rest = later.first[d].without(loop.getInductionVar()) - earlier.clipFirst[d].without(sync.rank());
      IndexForm size = IndexForm::of(later.size[d], loop.getContext());
      std::optional<AffineExpr> most = greatest(rest, reader, sync.world());
      bool inside = most && isNonNegative(rest) && isNonNegative(IndexForm::of(stride) - earlier.clipSize[d]) &&
                    isNonNegative(earlier.clipSize[d] - IndexForm::of(*most) - size);
      bool all = IndexForm::of(stride) == size; // of all views: one box
      if (inside && !all)
        return SourceLoop{loop, d};
    }
  }
  return std::nullopt;
}

std::optional<PassGroup> tilec::groupPasses(GranularityAttr granularity, Statement &reader, const Footprint &later,
                                            Statement &writer, const Footprint &earlier, const Synchronizer &sync) {
  scf::ForOp loop = loopThatMoves(later, reader.forall);
  if (!loop || !later.reads || later.writes || granularity.getCoverage() == Coverage::Task ||
      granularity.getCoverage() == Coverage::Statement)
    return std::nullopt;
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!step || *step < 1)
    return std::nullopt;
  if (auto sources = sourceLoop(reader, later, earlier, sync); sources && sources->loop == loop)
    return PassGroup{loop, getAffineConstantExpr(1, loop.getContext()), *step};
  bool byShard = granularity.getCoverage() == Coverage::Shard;
  AffineExpr passes;
  for (unsigned d = 0; d < later.first.size(); ++d) {
    AffineExpr factor = later.first[d].coefficient(loop.getInductionVar());
    auto constant = dyn_cast_or_null<AffineConstantExpr>(factor);
    if (!factor || (constant && constant.getValue() <= 0))
      continue;
    // A factor that is an extent: each iteration reads another shard.
    passes = getAffineConstantExpr(byShard ? 1 : granularity.getTiles(), loop.getContext());
    if (!constant)
      break;
    int64_t advance = constant.getValue() * *step;
    if (AffineExpr shard = earlier.clipFirst[d].coefficient(sync.rank()); byShard)
      passes = shard ? simplifyAffineExpr(shard.ceilDiv(advance), 0, 64) : AffineExpr();
    else if (std::optional<int64_t> width = widthOf(granularity.getTiles(), writer, earlier, d))
      passes = getAffineConstantExpr(llvm::divideCeil(*width, advance), loop.getContext());
    break;
  }
  if (!passes)
    return std::nullopt;
  auto count = dyn_cast<AffineConstantExpr>(passes);
  IndexForm length = IndexForm::of(loop.getUpperBound()) - IndexForm::of(loop.getLowerBound());
  auto trips = dyn_cast<AffineConstantExpr>(length.constant);
  if (count && trips && length.isConstant() && count.getValue() * *step >= trips.getValue())
    return std::nullopt; // one wait for the whole loop: it stands before it
  return PassGroup{loop, passes, *step};
}

Operation *tilec::firstAccessIn(scf::ForOp loop) {
  for (Operation &op : *loop.getBody()) {
    bool accesses = op.walk([](AccessOpInterface) { return WalkResult::interrupt(); }).wasInterrupted();
    if (accesses)
      return &op;
  }
  return loop.getBody()->getTerminator();
}

Value Synchronizer::startsGroup(OpBuilder &builder, Location loc, const PassGroup &group) {
  scf::ForOp loop = group.loop;
  Value pass = loop.getInductionVar(), lower = loop.getLowerBound();
  if (getConstantIntValue(lower) != 0)
    pass = arith::SubIOp::create(builder, loc, pass, lower);
  Value period = materializeExtent(builder, loc, group.passes * group.step);
  Value within = arith::RemSIOp::create(builder, loc, pass, period);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, within, zero);
}

scf::IfOp Synchronizer::guardWait(OpBuilder &builder, Location loc, const PassGroup &group) {
  Type token = TokenType::get(builder.getContext());
  Value starts = startsGroup(builder, loc, group);
  auto guard = scf::IfOp::create(builder, loc, token, starts, /*withElseRegion=*/true);
  OpBuilder otherwise = guard.getElseBodyBuilder();
  scf::YieldOp::create(otherwise, loc, JoinOp::create(otherwise, loc, token, ValueRange()).getResult());
  guards.push_back(guard);
  return guard;
}

void Synchronizer::dropGuard(scf::IfOp guard) {
  llvm::erase(guards, guard);
  guard.erase();
}

void Synchronizer::carryTokens() {
  for (scf::IfOp guard : guards) {
    auto loop = cast<scf::ForOp>(guard->getParentOp());
    IRRewriter rewriter(loop);
    Location index = loop.getInductionVar().getLoc();
    Value none = JoinOp::create(rewriter, loop.getLoc(), guard.getResult(0).getType(), ValueRange());
    NewYieldValuesFn yields = [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
      return SmallVector<Value>{guard.getResult(0)};
    };
    auto rebuilt = cast<LoopLikeOpInterface>(loop.getOperation())
                       .replaceWithAdditionalYields(rewriter, none, /*replaceInitOperandUsesInLoop=*/false, yields);
    loop = cast<scf::ForOp>(rebuilt->getOperation());
    loop.getInductionVar().setLoc(index);
    Operation *placeholder = guard.elseYield().getOperand(0).getDefiningOp();
    guard.elseYield().setOperand(0, loop.getRegionIterArgs().back());
    placeholder->erase();
  }
  guards.clear();
}

/// Adds the results of an operation whose operands, or whose nested operations' operands, hold one of `values`.
static void follow(Operation *op, DenseSet<Value> &values, bool &reachesWait) {
  bool reached = llvm::any_of(op->getOperands(), [&](Value operand) { return values.contains(operand); });
  if (auto loop = dyn_cast<scf::ForOp>(op); loop && reached)
    values.insert(loop.getInductionVar());
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      follow(&inner, values, reachesWait);
  if (!reached)
    return;
  reachesWait |= isa<WaitOp>(op);
  values.insert(op->result_begin(), op->result_end());
}

bool tilec::waitDependsOn(Value variable, Operation *first, Operation *end) {
  DenseSet<Value> values{variable};
  bool reachesWait = false;
  for (Operation *op = first; op != end; op = op->getNextNode()) {
    // The guard's own condition says when to wait, not for what.
    if (auto guard = dyn_cast<scf::IfOp>(op))
      for (Operation &inner : guard.getThenRegion().getOps())
        follow(&inner, values, reachesWait);
    else
      follow(op, values, reachesWait);
  }
  return reachesWait;
}

void tilec::hoistInvariants(scf::ForOp loop, Block &block, Operation *end) {
  SmallVector<Operation *> all;
  for (Operation *op = &block.front(); op != end; op = op->getNextNode())
    op->walk<WalkOrder::PreOrder>([&](Operation *inner) { all.push_back(inner); });
  for (Operation *op : all) {
    bool invariant =
        isPure(op) && op->getNumRegions() == 0 && !op->hasTrait<OpTrait::IsTerminator>() &&
        llvm::all_of(op->getOperands(), [&](Value operand) { return loop.isDefinedOutsideOfLoop(operand); });
    // Tokens say where they are; numbers do not.
    if (invariant && !isa<JoinOp>(op))
      op->moveBefore(loop);
  }
}
