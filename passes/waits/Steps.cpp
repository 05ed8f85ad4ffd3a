// Which steps of a loop around statements touch the same elements. Buffers that steps take in turn have a dimension
// whose index is a step modulo a number, or a step.
//
// Only the last such step has to be waited for. Let a task touch an element that others have touched d, d + p, d + 2p
// .. steps before. One of the two accesses writes; its task of p steps before wrote the same element, and was waited
// for: by itself p steps later, and, where it is the later access, it had waited for those before it. That chain leads
// to all steps before the last one. It needs that what the writing task touches does not depend on the step in other
// dimensions.
#include "passes/waits/Steps.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// An order that the author gave a statement is one of the tasks of a step: the steps stay as they are. What deals
/// tasks out by their number would mix them.
static ArrayAttr orderInSteps(ArrayAttr order) {
  SmallVector<Attribute> kept;
  for (Attribute part : order) {
    if (auto rankFirst = dyn_cast<RankFirstAttr>(part))
      kept.push_back(RankFirstAttr::get(order.getContext(), rankFirst.getDim() + 1, rankFirst.getAhead(),
                                        rankFirst.getBackward()));
    else if (isa<GroupedAttr, DiagonalAttr>(part))
      kept.push_back(part);
    else if (auto permuted = dyn_cast<PermutedAttr>(part)) {
      SmallVector<int64_t> dims{0};
      for (int64_t dim : permuted.getDims())
        dims.push_back(dim + 1);
      kept.push_back(PermutedAttr::get(order.getContext(), dims));
    }
  }
  return ArrayAttr::get(order.getContext(), kept);
}

FailureOr<StepCounts> tilec::flattenSteps(ProgramOp program) {
  StepCounts counts;
  SmallVector<scf::ForOp> loops;
  program.walk([&](ForallOp forall) {
    if (auto loop = dyn_cast<scf::ForOp>(forall->getParentOp()))
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops) {
    auto forall = *loop.getBody()->getOps<ForallOp>().begin();
    int64_t world = program.getWorld().value_or(1);
    auto grid = overExtents(*forall.getBounds(), forall.getExtents(), world);
    if (!grid)
      return forall.emitOpError() << "is repeated by steps and has a bound that is no expression over the extents, "
                                     "expected constants, extents or a 'tile.extent'";
    BlockArgument step =
        forall.getBody().front().insertArgument(0u, loop.getInductionVar().getType(), loop.getInductionVar().getLoc());
    loop.getInductionVar().replaceAllUsesWith(step);
    SmallVector<AffineExpr> bounds{IndexForm::of(loop.getUpperBound()).constant};
    llvm::append_range(bounds, *grid);
    auto [map, operands] = extentOperands(&program.getBody().front(), bounds);
    forall.getExtentsMutable().assign(operands);
    forall.setBounds(map);
    forall.setSteps(true);
    if (forall.getOrderAttr())
      forall.setOrderAttr(orderInSteps(forall.getOrderAttr()));
    counts[forall] = loop.getUpperBound();
    forall->moveBefore(loop);
    loop.erase();
  }
  return counts;
}

std::optional<int64_t> tilec::neighbourShift(Value value, Value rank, int64_t world) {
  if (!value || value == rank)
    return 0;
  auto remainder = value.getDefiningOp<arith::RemUIOp>();
  if (!remainder || getConstantIntValue(remainder.getRhs()) != world)
    return std::nullopt;
  IndexForm moved = IndexForm::of(remainder.getLhs()) - IndexForm::of(rank);
  auto shift = dyn_cast<AffineConstantExpr>(moved.constant);
  return moved.isConstant() && shift ? std::optional(shift.getValue()) : std::nullopt;
}

/// True when a value is computed from another.
static bool isMadeOf(Value value, Value source) {
  SmallVector<Value> pending{value};
  DenseSet<Value> seen;
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    if (next == source)
      return true;
    if (!seen.insert(next).second)
      continue;
    if (Operation *op = next.getDefiningOp())
      op->walk([&](Operation *inner) { llvm::append_range(pending, inner->getOperands()); });
    else if (auto loop = dyn_cast<scf::ForOp>(next.getParentBlock()->getParentOp()))
      llvm::append_range(pending, loop->getOperands());
  }
  return false;
}

static bool isMadeOf(const IndexForm &form, Value source) {
  return llvm::any_of(form.terms, [&](const auto &term) { return isMadeOf(term.first, source); });
}

bool tilec::takesTurns(const Footprint &access, unsigned d, Value step) {
  return isMadeOf(access.first[d], step) || isMadeOf(access.clipFirst[d], step) || isMadeOf(access.clipSize[d], step);
}

namespace {

/// Which of a dimension's places a step takes: factor * step + rest, modulo a number where `modulus` is not 0.
struct StepPlace {
  int64_t factor = 0, modulus = 0;
  IndexForm rest;
  AffineExpr unit; ///< elements of a place

  bool isComparableWith(const StepPlace &other) const {
    return factor == other.factor && modulus == other.modulus && unit == other.unit;
  }
};

/// The place of a form that is `unit` times an index.
std::optional<StepPlace> placeOf(const IndexForm &form, AffineExpr unit, Value step) {
  StepPlace place;
  place.unit = unit;
  IndexForm index = form;
  if (form.terms.size() == 1 && form.terms.front().second == unit &&
      form.constant == getAffineConstantExpr(0, unit.getContext())) {
    Value taken = form.terms.front().first;
    index = IndexForm::of(taken);
    Operation *op = taken.getDefiningOp();
    if (isa_and_nonnull<arith::RemUIOp, arith::RemSIOp>(op)) {
      place.modulus = getConstantIntValue(op->getOperand(1)).value_or(0);
      if (place.modulus < 1)
        return std::nullopt;
      index = IndexForm::of(op->getOperand(0));
    }
  } else if (unit != getAffineConstantExpr(1, unit.getContext())) {
    return std::nullopt;
  }
  auto factor = dyn_cast_or_null<AffineConstantExpr>(index.coefficient(step));
  place.rest = index.without(step);
  if (!factor || isMadeOf(place.rest, step))
    return std::nullopt;
  place.factor = factor.getValue();
  return place;
}

/// True when a form is the same in all tasks of a step, on one rank.
bool isSameInTasks(const IndexForm &form, Value step) {
  Operation *tasks = step.getParentBlock()->getParentOp();
  return llvm::none_of(form.terms, [&](auto term) {
    Operation *op = term.first.getDefiningOp();
    return tasks->isAncestor(op ? op : term.first.getParentBlock()->getParentOp());
  });
}

/// The place that an access takes in a dimension, by the view that it clips to or by its index.
std::optional<StepPlace> placeIn(const Footprint &access, unsigned d, Value step) {
  MLIRContext *context = step.getContext();
  if (!isMadeOf(access.clipFirst[d], step))
    return placeOf(access.first[d], getAffineConstantExpr(access.size[d], context), step);
  if (isMadeOf(access.first[d] - access.clipFirst[d], step) || !access.clipSize[d].isConstant())
    return std::nullopt;
  return placeOf(access.clipFirst[d], access.clipSize[d].constant, step);
}

/// The least number of steps, at least `least`, after which `later` takes the place that `earlier` took.
StepDistance between(const StepPlace &earlier, const StepPlace &later, int64_t difference, int64_t least) {
  constexpr int64_t most = 4096;
  if (earlier.modulus > most)
    return {StepDistance::Reach::Every, least};
  int64_t end = earlier.modulus ? least + earlier.modulus : std::max(least, std::abs(difference) + 1);
  for (int64_t steps = least; steps < end; ++steps) {
    int64_t apart = earlier.factor * steps - difference;
    if (earlier.modulus ? apart % earlier.modulus == 0 : apart == 0)
      return {StepDistance::Reach::Exact, steps};
  }
  return {StepDistance::Reach::Never, 0};
}

/// True when no two steps, at least `least` apart, touch the same place of some dimension, whatever ranks their tasks
/// are on: the place follows from the step, constants and extents alone.
bool areApart(const Footprint &earlier, Value writer, const Footprint &later, Value reader, int64_t least) {
  for (unsigned d = 0; d < earlier.first.size(); ++d) {
    if (!takesTurns(earlier, d, writer) || !takesTurns(later, d, reader))
      continue;
    std::optional<StepPlace> from = placeIn(earlier, d, writer), to = placeIn(later, d, reader);
    if (!from || !to || !from->isComparableWith(*to) || from->modulus || !from->rest.isConstant() ||
        !to->rest.isConstant())
      continue;
    auto difference = dyn_cast<AffineConstantExpr>((from->rest - to->rest).constant);
    if (difference && between(*from, *to, difference.getValue(), least).reach == StepDistance::Reach::Never)
      return true;
  }
  return false;
}

} // namespace

StepDistance tilec::stepsBetween(const Footprint &earlier, Value writer, const Footprint &later, Value reader,
                                 Value rank, int64_t world, int64_t least) {
  StepDistance every{StepDistance::Reach::Every, least};
  if (!earlier.exact || !later.exact)
    return every;
  if (areApart(earlier, writer, later, reader, least))
    return {StepDistance::Reach::Never, 0};
  std::optional<int64_t> toEarlier = neighbourShift(earlier.rank, rank, world),
                         toLater = neighbourShift(later.rank, rank, world);
  if (!toEarlier || !toLater)
    return every;
  // Of the two, one that writes: its elements in all other dimensions are those of every step.
  bool isByEarlier = earlier.writes;
  std::optional<unsigned> turning;
  for (unsigned d = 0; d < earlier.first.size(); ++d) {
    if (!(isByEarlier ? takesTurns(earlier, d, writer) : takesTurns(later, d, reader)))
      continue;
    if (turning)
      return every;
    turning = d;
  }
  if (!turning)
    return {StepDistance::Reach::Exact, least};
  std::optional<StepPlace> from = placeIn(earlier, *turning, writer), to = placeIn(later, *turning, reader);
  if (!from || !to || !from->isComparableWith(*to) || !isSameInTasks(from->rest, writer) ||
      !isSameInTasks(to->rest, reader))
    return every;
  // The rank of the earlier task is this one's number and a constant, modulo the world.
  int64_t shift = *toLater - *toEarlier;
  AffineExpr byRank = from->rest.coefficient(rank);
  auto factor = dyn_cast_or_null<AffineConstantExpr>(byRank);
  if (byRank && shift % world != 0 && (!factor || !from->modulus || world % from->modulus != 0))
    return every;
  // Other values of the place may be others on that rank.
  if (shift % world != 0 && !from->rest.without(rank).isConstant())
    return every;
  IndexForm apart = from->rest - to->rest;
  if (factor && shift % world != 0)
    apart = apart + IndexForm::of(factor.getValue() * shift, rank.getContext());
  auto difference = dyn_cast<AffineConstantExpr>(apart.constant);
  if (!apart.isConstant() || !difference)
    return every;
  return between(*from, *to, difference.getValue(), least);
}
