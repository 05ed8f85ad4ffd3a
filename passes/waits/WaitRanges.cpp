// Which tasks a reader waits for: the inverse of a writer's footprint. A superset is right, since every task of a
// statement signals in every launch; ranges are clamped to the grid.
//
// In dimension d the writer's task (p, c) on rank p covers [S p + T c + a, S p + T c + a + s), clipped to its view; the
// reader wants [lo, hi). Then c runs from floor((lo - S p - a - s) / T) + 1 to ceil((hi - S p - a) / T), and p likewise
// from the view.
#include "passes/waits/Synchronization.h"
#include "passes/waits/ViewWalk.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace {

AffineExpr simplify(AffineExpr expr) { return simplifyAffineExpr(expr, 0, 64); }

/// Half-open interval of one dimension.
struct Interval {
  IndexForm low, high;
};

/// form / divisor when every part divides.
std::optional<IndexForm> divide(const IndexForm &form, int64_t divisor) {
  MLIRContext *context = form.constant.getContext();
  auto exact = [&](AffineExpr expr) -> AffineExpr {
    if (expr.getLargestKnownDivisor() % divisor != 0 &&
        !(isa<AffineConstantExpr>(expr) && cast<AffineConstantExpr>(expr).getValue() == 0))
      return {};
    return simplify(expr.floorDiv(divisor));
  };
  IndexForm result = IndexForm::of(0, context);
  if (!(result.constant = exact(form.constant)))
    return std::nullopt;
  for (auto [variable, factor] : form.terms) {
    AffineExpr part = exact(factor);
    if (!part)
      return std::nullopt;
    result.terms.push_back({variable, part});
  }
  return result;
}

/// What helps to wait for a value does not have its name.
Location withoutName(Location loc) {
  while (auto name = dyn_cast<NameLoc>(loc))
    loc = name.getChildLoc();
  return loc;
}

class RangeSolver {
public:
  RangeSolver(Synchronizer &sync, Statement &reader, const Footprint &later, Statement &writer,
              const Footprint &earlier, const Completion &completion, std::optional<StepDistance> distance)
      : sync(sync), reader(reader), later(later), writer(writer), earlier(earlier), completion(completion),
        distance(distance), anchor(anchorOf(later.op)), loc(withoutName(later.op->getLoc())), builder(anchor) {}

  Value emit(GranularityAttr granularity, Hearing &hearing) {
    sources = completion.byRank ? sourceLoop(reader, later, earlier, sync) : std::nullopt;
    group = groupPasses(granularity, reader, later, writer, earlier, sync);
    if (Value token = group ? emitInLoop(hearing) : Value())
      return token;
    group.reset();
    anchor = anchorOf(later.op);
    builder.setInsertionPoint(anchor);
    return emitBox(hearing);
  }

private:
  /// With the loads of the loop; null, and nothing emitted, when every iteration would wait for the same.
  Value emitInLoop(Hearing &hearing) {
    scf::ForOp loop = group->loop;
    Block &body = *loop.getBody();
    anchor = firstAccessIn(loop);
    builder.setInsertionPoint(anchor);
    Operation *before = anchor->getPrevNode();
    auto first = [&] { return before ? before->getNextNode() : &body.front(); };
    scf::IfOp guard;
    if (!group->isEveryPass()) {
      guard = sync.guardWait(builder, loc, *group);
      builder = guard.getThenBodyBuilder();
    }
    Value token = emitBox(hearing);
    if (guard)
      scf::YieldOp::create(builder, loc, token);
    if (!waitDependsOn(loop.getInductionVar(), first(), anchor)) {
      if (guard)
        sync.dropGuard(guard);
      for (Operation *op = anchor->getPrevNode(); op != before;) {
        Operation *previous = op->getPrevNode();
        op->erase();
        op = previous;
      }
      return {};
    }
    if (guard)
      hoistInvariants(loop, guard.getThenRegion().front(), guard.thenYield());
    hoistInvariants(loop, body, anchor);
    return guard ? guard.getResult(0) : token;
  }

  Value emitBox(Hearing &hearing) {
    hearing = {};
    zero = constant(0);
    wanted.clear();
    covered.clear();
    for (size_t d = 0; d < later.first.size(); ++d) {
      wanted.push_back(intervalOf(later, d));
      covered.push_back(intervalOf(earlier, d));
    }
    if (!completion.byRank)
      return wait({}, {}, {});
    std::optional<IndexForm> one = soleRank();
    if (one) {
      hearing.from = isRankIndex(*one) ? Hearing::From::Together : Hearing::From::Some;
      noteEmptyWaits(hearing);
      if (completion.amongOthers)
        return waitForOther(one->materialize(builder, loc), *one);
      return wait(one->materialize(builder, loc), constant(1), *one);
    }
    if (sources && !completion.amongOthers) {
      hearing.from = Hearing::From::Each;
      noteEmptyWaits(hearing);
      return waitRankByRank(zero, constant(sync.world()));
    }
    auto [first, end] = rankRange(hearing);
    noteEmptyWaits(hearing);
    bool coupled = llvm::any_of(completion.kept, [&](unsigned position) { return dependsOnRank(position); });
    if (!coupled && !completion.amongOthers)
      return wait(first, countOf(first, end), std::nullopt);
    return waitRankByRank(first, end);
  }

  /// Waits go before the operation of the task that holds the access: after whatever its index is computed from.
  Operation *anchorOf(Operation *op) {
    while (op->getParentOp() != reader.forall)
      op = op->getParentOp();
    return op;
  }

  /// Calls a number that this solver has computed what it is, for the reader of the text.
  Value named(Value value, const Twine &name) {
    Operation *op = value.getDefiningOp();
    if (op && isa<arith::ArithDialect, tile::TileDialect>(op->getDialect()) && !isa<arith::ConstantOp>(op) &&
        !isa<NameLoc>(op->getLoc()))
      op->setLoc(NameLoc::get(builder.getStringAttr(name), loc));
    return value;
  }

  /// What elements of dimension `d` are called.
  std::string dimension(unsigned d, bool plural = false) const {
    size_t rank = later.first.size();
    if (rank > 2)
      return "dim" + std::to_string(d);
    std::string name = rank == 1 ? "element" : d == 0 ? "row" : "column";
    return plural ? name + "s" : name;
  }

  std::string indexName(unsigned position) {
    auto name = dyn_cast<NameLoc>(writer.forall.getIndices()[position].getLoc());
    return name ? name.getName().str() : "tile" + std::to_string(position);
  }

  /// The first wanted element of dimension `d`, or the one past the last, counted from `origin`.
  Value position(unsigned d, bool end, const IndexForm &origin) {
    std::string name = dimension(d) + (end ? "_end" : "");
    Value absolute = named((end ? wanted[d].high : wanted[d].low).materialize(builder, loc), name);
    if (origin.isConstant() && origin == IndexForm::of(0, builder.getContext()))
      return absolute;
    Value start = named(origin.materialize(builder, loc), "shard_" + dimension(d));
    return named(builder.createOrFold<arith::SubIOp>(loc, absolute, start), name + "_in_shard");
  }

  /// Numbers that move out of the loop are variables.
  Value namedOutside(Value value, const Twine &name) {
    return group && !group->isEveryPass() ? named(value, name) : value;
  }

  Value constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

  /// Where data says which elements, all of the view.
  Interval intervalOf(const Footprint &access, size_t d) {
    if (access.whole != d)
      return widen(access.first[d], IndexForm::of(access.size[d], builder.getContext()));
    return widen(access.clipFirst[d], access.clipSize[d]);
  }

  /// Bounds of a form over all iterations of the loops that the wait stands before, and over its group of iterations.
  Interval widen(const IndexForm &form, const IndexForm &size) {
    MLIRContext *context = form.constant.getContext();
    Interval interval{form, form + size};
    bool changed = true;
    while (changed) {
      changed = false;
      for (auto [variable, factor] : IndexForm(interval.low).terms) {
        auto argument = dyn_cast<BlockArgument>(variable);
        auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
        if (!loop || argument != loop.getInductionVar() || loop->isProperAncestor(anchor))
          continue;
        IndexForm first = IndexForm::of(loop.getLowerBound()),
                  last = IndexForm::above(loop.getUpperBound()) - IndexForm::of(1, context);
        bool falls = isNonNegative(simplify(-factor));
        if (!falls && !isNonNegative(factor))
          continue; // the variable stays, and makes the dimension useless
        if (falls)
          std::swap(first, last);
        interval.low = interval.low.substitute(variable, first);
        interval.high = interval.high.substitute(variable, last);
        changed = true;
        break;
      }
    }
    widenOverGroup(interval);
    return interval;
  }

  /// The wait stands in the first iteration of its group: the others read further on.
  void widenOverGroup(Interval &interval) {
    if (!group || group->isEveryPass())
      return;
    Value variable = group->loop.getInductionVar();
    AffineExpr ahead = simplify((group->passes - 1) * group->step);
    if (AffineExpr factor = interval.high.coefficient(variable); factor && isNonNegative(factor))
      interval.high = interval.high + IndexForm::of(simplify(factor * ahead));
    if (AffineExpr factor = interval.low.coefficient(variable); factor && isNonNegative(simplify(-factor)))
      interval.low = interval.low + IndexForm::of(simplify(factor * ahead));
  }

  /// True when every variable of a form may be used before the access.
  bool available(const IndexForm &form) {
    return llvm::all_of(form.terms, [&](const auto &term) {
      if (auto argument = dyn_cast<BlockArgument>(term.first))
        return argument.getOwner() == builder.getBlock() ||
               argument.getOwner()->getParentOp()->isProperAncestor(anchor);
      Operation *def = term.first.getDefiningOp();
      Operation *in = def->getBlock()->findAncestorOpInBlock(*anchor);
      return in && def->isBeforeInBlock(in);
    });
  }

  /// The rank variable of the writer's side: this rank's number there, which is another's here.
  Value rankVariable() { return sync.rank(); }

  /// Unknowns of the writer in a form: rank and tile indices. Other variables make the dimension useless.
  bool solvable(const IndexForm &form) {
    return llvm::all_of(form.terms, [&](const auto &term) {
      auto argument = dyn_cast<BlockArgument>(term.first);
      return term.first == rankVariable() || (argument && argument.getOwner()->getParentOp() == writer.forall);
    });
  }

  /// The dimension in which index `position` of the writer moves its footprint.
  std::optional<unsigned> dimensionOf(unsigned position) {
    Value index = writer.forall.getIndices()[position];
    for (unsigned d = 0; d < covered.size(); ++d) {
      const IndexForm &low = covered[d].low;
      auto factor = dyn_cast_or_null<AffineConstantExpr>(low.coefficient(index));
      if (!factor || factor.getValue() <= 0 || !solvable(low))
        continue;
      IndexForm rest = low.without(index).without(rankVariable());
      if (rest.isConstant() && available(wanted[d].low) && available(wanted[d].high))
        return d;
    }
    return std::nullopt;
  }

  /// True when an index of the writer is the step of the loop that the reader is in, too.
  bool isSharedStep(unsigned position) const { return distance && position == 0; }

  bool dependsOnRank(unsigned position) {
    if (isSharedStep(position))
      return false;
    auto d = dimensionOf(position);
    return d && covered[*d].low.coefficient(rankVariable());
  }

  /// The one rank whose tasks matter, when the access says so: the rank loaded from, or the block of the view.
  std::optional<IndexForm> soleRank() {
    // The rank that the first iteration of several reads from is not the only one.
    auto moves = [&](const IndexForm &form) {
      return group && !group->isEveryPass() && form.coefficient(group->loop.getInductionVar());
    };
    if (sources && sources->loop->isAncestor(anchor) && group && group->isEveryPass())
      return IndexForm::of(sources->loop.getInductionVar());
    if (!earlier.rank && later.rank) {
      IndexForm form = IndexForm::of(later.rank);
      return available(form) && !moves(form) ? std::optional(form) : std::nullopt;
    }
    for (unsigned d = 0; d < covered.size(); ++d) {
      AffineExpr stride = earlier.clipFirst[d].coefficient(rankVariable());
      // Views of different ranks that overlap do not say whose element it is.
      if (!stride || !isNonNegative(IndexForm::of(stride) - earlier.clipSize[d]))
        continue;
      for (auto [variable, factor] : later.clipFirst[d].terms) {
        IndexForm by = IndexForm::of(variable);
        if (factor == stride && earlier.clipFirst[d].substitute(rankVariable(), by) == later.clipFirst[d] &&
            earlier.clipSize[d] == later.clipSize[d] && isRank(variable) && available(by) && !moves(by))
          return by;
      }
    }
    return std::nullopt;
  }

  /// True when a value is known to be less than the number of ranks.
  bool isRank(Value value) {
    auto atMost = [&](OpFoldResult bound) { return getConstantIntValue(bound).value_or(INT64_MAX) <= sync.world(); };
    if (value == sync.rank())
      return true;
    if (auto remainder = value.getDefiningOp<arith::RemUIOp>())
      return atMost(remainder.getRhs());
    auto argument = dyn_cast<BlockArgument>(value);
    Operation *owner = argument ? argument.getOwner()->getParentOp() : nullptr;
    if (auto loop = dyn_cast_or_null<scf::ForOp>(owner))
      return argument == loop.getInductionVar() && atMost(loop.getUpperBound());
    if (owner != reader.forall)
      return false;
    auto bounds = overExtents(*reader.forall.getBounds(), reader.forall.getExtents(), sync.world());
    auto bound = bounds ? dyn_cast<AffineConstantExpr>((*bounds)[argument.getArgNumber()]) : AffineConstantExpr();
    return bound && bound.getValue() <= sync.world();
  }

  /// True when a rank is an index of the reader's tile loop, or of a loop of its task, that takes every rank.
  bool isRankIndex(const IndexForm &form) {
    if (form.terms.size() != 1)
      return false;
    auto argument = dyn_cast<BlockArgument>(form.terms.front().first);
    if (argument && group && argument == group->loop.getInductionVar())
      return loopOverRanks(argument, sync.world()) && group->loop->getParentOp() == reader.forall;
    if (!argument || argument.getOwner()->getParentOp() != reader.forall)
      return false;
    auto bounds = overExtents(*reader.forall.getBounds(), reader.forall.getExtents(), sync.world());
    return bounds && (*bounds)[argument.getArgNumber()] == getAffineConstantExpr(sync.world(), builder.getContext());
  }

  /// Ranks whose views meet the wanted interval.
  std::pair<Value, Value> rankRange(Hearing &hearing) {
    Value first = zero, end = constant(sync.world());
    for (unsigned d = 0; d < covered.size(); ++d) {
      AffineExpr stride = earlier.clipFirst[d].coefficient(rankVariable());
      IndexForm origin = earlier.clipFirst[d].without(rankVariable());
      if (!stride || !isNonNegative(stride) || !origin.isConstant() || !earlier.clipSize[d].isConstant() ||
          !available(wanted[d].low) || !available(wanted[d].high))
        continue;
      Value step = named(atLeastOne(materializeExtent(builder, loc, stride)), "shard_" + dimension(d, /*plural=*/true));
      Value from = position(d, /*end=*/false, origin), to = position(d, /*end=*/true, origin);
      first = firstBlock(wanted[d].low - origin, from, earlier.clipSize[d], IndexForm::of(stride), step);
      named(first, "first_source");
      Value high = builder.createOrFold<arith::CeilDivSIOp>(loc, to, step);
      end = named(builder.createOrFold<arith::MinSIOp>(loc, high, end), "end_source");
      bool each = (getConstantIntValue(first) == 0 && getConstantIntValue(end) == sync.world()) ||
                  (!group && readsWholeDimension(d) && isWholeDimension(later, d));
      hearing.from = each ? Hearing::From::Each : tasksWalk(d) ? Hearing::From::Together : Hearing::From::Some;
      return {first, end};
    }
    hearing.from = Hearing::From::Each;
    return {first, end};
  }

  /// True when the view of an access is all of the buffer along dimension `d`.
  bool isWholeDimension(const Footprint &access, unsigned d) {
    AffineExpr extent = shapeOf(access.root)[d];
    return extent && access.clipSize[d] == IndexForm::of(extent) &&
           access.clipFirst[d] == IndexForm::of(0, builder.getContext());
  }

  /// True when the waits of the reader's tasks, taken together, meet every tile of the buffer along dimension `d`: one
  /// index of its tile loop, or a loop of each task, walks it from end to end.
  bool tasksWalk(unsigned d) { return isWholeDimension(later, d) && walksView(reader, later, d, sync.world()); }

  /// Which boxes of tasks may be empty: those of reads beside the reader's view, of reads that another statement
  /// writes for, and of reads beyond what the writer's tasks reach.
  void noteEmptyWaits(Hearing &hearing) {
    for (unsigned position : completion.kept) {
      auto d = isSharedStep(position) ? std::nullopt : dimensionOf(position);
      if (!d || dependsOnRank(position))
        continue;
      if (!staysInside(*d))
        hearing.beside.push_back(*d);
      bool same = later.clipFirst[*d] == earlier.clipFirst[*d] && later.clipSize[*d] == earlier.clipSize[*d];
      if (!same && !isWholeDimension(earlier, *d) && hearing.from == Hearing::From::Each)
        hearing.from = Hearing::From::Together;
      if (!walksView(writer, earlier, *d, sync.world()))
        hearing.from = std::min(hearing.from, tasksWalk(*d) ? Hearing::From::Together : Hearing::From::Some);
    }
  }

  /// True when no task of the reader lies beside its view in dimension `d`.
  bool staysInside(unsigned d) {
    return wanted[d].low == later.clipFirst[d] || walksView(reader, later, d, sync.world());
  }

  Value atLeastOne(Value value) {
    return getConstantIntValue(value) ? value : builder.createOrFold<arith::MaxSIOp>(loc, value, constant(1));
  }

  Value countOf(Value first, Value end) {
    auto low = getConstantIntValue(first), high = getConstantIntValue(end);
    if (low && high)
      return constant(*high - *low);
    return builder.createOrFold<arith::SubIOp>(loc, end, first);
  }

  Value boundOf(unsigned position) {
    auto bounds = overExtents(*writer.forall.getBounds(), writer.forall.getExtents(), sync.world());
    return namedOutside(materializeExtent(builder, loc, (*bounds)[position]), indexName(position) + "_tiles");
  }

  /// The first block of `size` elements, one every `step`, that reaches past `begin`, whose value is `from`; 0 at
  /// least.
  Value firstBlock(const IndexForm &begin, Value from, const IndexForm &size, const IndexForm &step, Value stepValue) {
    // Blocks side by side: floor((x - s) / s) + 1 is floor(x / s).
    bool dense = size == step;
    if (dense && isNonNegative(begin))
      return builder.createOrFold<arith::DivSIOp>(loc, from, stepValue);
    if (!dense)
      from = (begin - size).materialize(builder, loc);
    Value block = builder.createOrFold<arith::FloorDivSIOp>(loc, from, stepValue);
    if (!dense)
      block = builder.createOrFold<arith::AddIOp>(loc, block, constant(1));
    return builder.createOrFold<arith::MaxSIOp>(loc, block, zero);
  }

  /// True when a loop inside the task walks dimension `d` of the reader's view from one end to the other.
  bool readsWholeDimension(unsigned d) {
    if (!(wanted[d].low == later.clipFirst[d]) || !later.clipSize[d].isConstant())
      return false;
    IndexForm length = wanted[d].high - wanted[d].low;
    AffineExpr rounded = simplify(later.clipSize[d].constant.ceilDiv(later.size[d]) * later.size[d]);
    return length == IndexForm::of(rounded) || length == later.clipSize[d];
  }

  /// The step so many before the reader's, or all up to it; none before the first.
  std::pair<Value, Value> stepRange() {
    Value step = reader.step();
    auto before = [&](int64_t steps) -> Value {
      if (steps == 0)
        return step;
      Value moved = builder.createOrFold<arith::SubIOp>(loc, step, constant(steps));
      return builder.createOrFold<arith::MaxSIOp>(loc, moved, zero);
    };
    auto behind = [&](int64_t steps) {
      return steps ? before(steps - 1) : builder.createOrFold<arith::AddIOp>(loc, step, constant(1));
    };
    Value end = behind(distance->steps);
    if (distance->reach == StepDistance::Reach::Every)
      return {zero, end};
    return {named(before(distance->steps), "earlier_" + indexName(0)), end};
  }

  /// First and past-the-last value of index `position`, for producing rank `producer` where the footprint depends on
  /// it.
  std::pair<Value, Value> indexRange(unsigned position, std::optional<IndexForm> producer) {
    if (isSharedStep(position))
      return stepRange();
    Value bound = boundOf(position);
    auto d = dimensionOf(position);
    if (!d)
      return {zero, bound};
    Value index = writer.forall.getIndices()[position];
    int64_t step = cast<AffineConstantExpr>(covered[*d].low.coefficient(index)).getValue();
    IndexForm origin = covered[*d].low.without(index);
    // What this rank itself has done is written in terms of its own number, as the wish is.
    if (origin.coefficient(rankVariable()) && completion.audience != Audience::Self) {
      if (!producer)
        return {zero, bound};
      origin = origin.substitute(rankVariable(), *producer);
    }
    if (readsWholeDimension(*d) && later.clipFirst[*d] == earlier.clipFirst[*d] &&
        later.clipSize[*d] == earlier.clipSize[*d])
      return {zero, bound};
    IndexForm size = covered[*d].high - covered[*d].low;
    IndexForm before = wanted[*d].low - origin, past = wanted[*d].high - origin;
    auto width = dyn_cast<AffineConstantExpr>(size.constant);
    std::optional<IndexForm> exact =
        width && size.isConstant() && width.getValue() <= step ? divide(before, step) : std::nullopt;
    Value first, stride = constant(step);
    if (exact) {
      first = exact->materialize(builder, loc);
      if (!isNonNegative(*exact))
        first = builder.createOrFold<arith::MaxSIOp>(loc, first, zero);
    } else {
      first = firstBlock(before, this->position(*d, /*end=*/false, origin), size,
                         IndexForm::of(step, builder.getContext()), stride);
    }
    named(first, "first_" + indexName(position));
    std::optional<IndexForm> exactEnd = divide(past, step);
    Value end = exactEnd
                    ? exactEnd->materialize(builder, loc)
                    : builder.createOrFold<arith::CeilDivSIOp>(loc, this->position(*d, /*end=*/true, origin), stride);
    // One task that certainly exists needs no clamp: the reader's own index has the writer's bound.
    if (exact && exactEnd && sameBound(*exact, position) &&
        (*exactEnd - *exact) == IndexForm::of(1, builder.getContext()))
      return {first, end};
    end = builder.createOrFold<arith::MinSIOp>(loc, end, bound);
    if (auto low = getConstantIntValue(first), high = getConstantIntValue(end); low && high && *low >= *high)
      return {zero, zero}; // what is read lies behind all that is written, at any extent
    return {first, named(end, "end_" + indexName(position))};
  }

  /// True when a form is a tile index of the reader with the same bound as the writer's index.
  bool sameBound(const IndexForm &form, unsigned position) {
    if (form.terms.size() != 1 || !(form == IndexForm::of(form.terms.front().first)))
      return false;
    auto argument = dyn_cast<BlockArgument>(form.terms.front().first);
    if (!argument || argument.getOwner()->getParentOp() != reader.forall)
      return false;
    auto mine = overExtents(*reader.forall.getBounds(), reader.forall.getExtents(), sync.world());
    auto theirs = overExtents(*writer.forall.getBounds(), writer.forall.getExtents(), sync.world());
    return mine && theirs && (*mine)[argument.getArgNumber()] == (*theirs)[position];
  }

  /// The wait itself; `producer` is the rank as a form, for ranges that depend on it.
  Value wait(Value firstRank, Value countRanks, std::optional<IndexForm> producer) {
    SmallVector<Value> indices, counts;
    if (completion.byRank) {
      indices.push_back(firstRank);
      counts.push_back(countRanks);
    }
    for (unsigned position : completion.kept) {
      auto [first, end] = indexRange(position, producer);
      indices.push_back(first);
      counts.push_back(namedOutside(countOf(first, end), indexName(position) + "_count"));
    }
    if (llvm::all_of(counts, [](Value count) { return getConstantIntValue(count) == 1; }))
      counts.clear();
    Scope scope = completion.audience == Audience::Self ? Scope::Agent : Scope::System;
    auto wait = WaitOp::create(builder, loc, TokenType::get(builder.getContext()), scope,
                               SignalsOp(completion.grid).getResult(), indices, counts, 0);
    TileDialect::CommentAttrHelper(builder.getContext()).setAttr(wait, builder.getStringAttr(comment()));
    return wait;
  }

  /// Which wait protects what, for the reader of the generated text.
  std::string comment() {
    std::string text;
    if (auto name = dyn_cast<NameLoc>(later.root.getLoc()))
      text = name.getName().str() + ": ";
    text += later.writes && !earlier.writes ? "read by role " : "written by role ";
    return text + writer.role.getSymName().str();
  }

  /// Rows of a shard are numbered from its own start: one wait for each producing rank.
  Value waitRankByRank(Value first, Value end) {
    Value none = JoinOp::create(builder, loc, TokenType::get(builder.getContext()), ValueRange());
    auto loop = scf::ForOp::create(builder, loc, first, end, constant(1), none);
    loop.getInductionVar().setLoc(NameLoc::get(builder.getStringAttr("source"), loc));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    IndexForm source = IndexForm::of(loop.getInductionVar());
    if (sources) {
      unsigned d = sources->dim;
      IndexForm first = later.first[d].substitute(sources->loop.getInductionVar(), source);
      wanted[d] = {first, first + IndexForm::of(later.size[d], builder.getContext())};
    }
    Value token = completion.amongOthers ? waitForOther(loop.getInductionVar(), source)
                                         : wait(loop.getInductionVar(), constant(1), source);
    Value joined = JoinOp::create(builder, loc, token.getType(), ValueRange{loop.getRegionIterArg(0), token});
    scf::YieldOp::create(builder, loc, joined);
    return loop.getResult(0);
  }

  /// The wait for a rank that tells nothing where it is this one: its own tasks write to others alone.
  Value waitForOther(Value source, const IndexForm &producer) {
    Value other = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, source, sync.rank());
    auto type = TokenType::get(builder.getContext());
    auto guard = scf::IfOp::create(builder, loc, type, other, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard insertion(builder);
    builder.setInsertionPointToStart(guard.thenBlock());
    scf::YieldOp::create(builder, loc, wait(source, constant(1), producer));
    builder.setInsertionPointToStart(guard.elseBlock());
    scf::YieldOp::create(builder, loc, JoinOp::create(builder, loc, type, ValueRange()).getResult());
    return guard.getResult(0);
  }

  Synchronizer &sync;
  Statement &reader;
  const Footprint &later;
  Statement &writer;
  const Footprint &earlier;
  const Completion &completion;
  std::optional<StepDistance> distance; ///< of statements in one loop
  Operation *anchor;                    ///< the operation that the wait stands before
  std::optional<PassGroup> group;       ///< of the loop that the wait stands in, when it does
  std::optional<SourceLoop> sources;    ///< a loop whose iterations read one rank's elements each
  Location loc;
  OpBuilder builder;
  Value zero;
  SmallVector<Interval> wanted, covered;
};

} // namespace

Value tilec::awaitFootprint(Synchronizer &sync, Statement &reader, const Footprint &later, Statement &writer,
                            const Footprint &earlier, const Completion &completion, GranularityAttr granularity,
                            std::optional<StepDistance> distance, Hearing &hearing) {
  return RangeSolver(sync, reader, later, writer, earlier, completion, distance).emit(granularity, hearing);
}
