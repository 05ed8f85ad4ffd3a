// Evaluates quotients, remainders and comparisons of one extent at the usual values and looks for others.
#include "passes/checker/TurningPoints.h"
#include "dialect/Limits.h"
#include "passes/analysis/IndexForm.h"
#include "passes/checker/IndexRange.h"
#include "passes/checker/TileSides.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

namespace {

constexpr int64_t kLargest = 65536;
/// Quotients of quotients are evaluated at one extent after the other.
constexpr int64_t kNested = 8192;
constexpr size_t kMostPoints = 4;
/// Tasks that a constant in their indices may reach in a sample.
constexpr uint64_t kMostDistance = 2048;
/// Of one sample that makes several extents long, as far as divisors tell.
constexpr uint64_t kFewTasks = 512;

/// A value of the extent at this position.
struct TurningPoint {
  unsigned extent = 0;
  int64_t value = 0;
  Operation *cause = nullptr;
  bool operator==(const TurningPoint &other) const { return extent == other.extent && value == other.value; }
};

/// Forms through integers of 32 and 64 bits, and through narrower ones that hold what they are made of at all extents.
class Forms : public FormsThroughCasts {
public:
  explicit Forms(tile::ProgramOp program)
      : FormsThroughCasts([this](Value value) { return ranges.isExact(value); }), ranges(program) {}

  /// Indices, and numbers that may be made from them.
  bool countTasks(ValueRange values) {
    return llvm::all_of(values, [&](Value value) {
      Type type = value.getType();
      return type.isIndex() || type.isInteger(32) || type.isInteger(64) || (type.isInteger() && ranges.isExact(value));
    });
  }

private:
  IndexRanges ranges;
};

/// Calls visit(operation, expression over the extents) for sizes, bounds, the ends of loops and what is divided.
template <typename Visit>
void forEachExpression(tile::ProgramOp program, Forms &forms, Visit &&visit) {
  const int64_t world = program.getWorld().value_or(1);
  program->walk([&](Operation *op) {
    for (StringRef name : {"sizes", "bounds"})
      if (auto map = op->getAttrOfType<AffineMapAttr>(name)) {
        // Symbol 0 is W.
        unsigned symbols = std::max(map.getValue().getNumSymbols(), 1u) - 1;
        if (symbols > op->getNumOperands())
          continue;
        if (auto expressions = overExtents(map.getValue(), op->getOperands().take_front(symbols), world))
          llvm::for_each(*expressions, [&](AffineExpr expression) { visit(op, expression); });
      }
    if (auto loop = dyn_cast<scf::ForOp>(op))
      visit(op, IndexForm::of(loop.getUpperBound()).constant);
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
            arith::CeilDivUIOp>(op) &&
        forms.countTasks(op->getResult(0)))
      visit(op, forms.of(op->getResult(0)).constant);
  });
}

/// The value of an expression of one symbol; wraps, and is 0 where it has none.
int64_t valueAt(AffineExpr expression, int64_t extent) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return constant.getValue();
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary)
    return extent;
  const int64_t left = valueAt(binary.getLHS(), extent), right = valueAt(binary.getRHS(), extent);
  switch (expression.getKind()) {
  case AffineExprKind::Add:
    return int64_t(uint64_t(left) + uint64_t(right));
  case AffineExprKind::Mul:
    return int64_t(uint64_t(left) * uint64_t(right));
  case AffineExprKind::Mod:
    return right > 0 ? llvm::mod(left, right) : 0;
  case AffineExprKind::FloorDiv:
    return right > 0 ? llvm::divideFloorSigned(left, right) : 0;
  case AffineExprKind::CeilDiv:
    return right > 0 ? llvm::divideCeilSigned(left, right) : 0;
  default:
    return 0;
  }
}

/// The only symbol of an expression; none when it has several, or none.
std::optional<unsigned> soleSymbol(AffineExpr expression) {
  std::optional<unsigned> sole;
  bool several = false;
  expression.walk([&](AffineExpr part) {
    if (auto symbol = dyn_cast<AffineSymbolExpr>(part)) {
      several |= sole && *sole != symbol.getPosition();
      sole = symbol.getPosition();
    }
  });
  return several ? std::nullopt : sole;
}

bool isQuotient(AffineExpr part) {
  return part.getKind() == AffineExprKind::FloorDiv || part.getKind() == AffineExprKind::CeilDiv;
}

/// factor * extent + offset
struct Line {
  int64_t factor, offset;
  /// The least extent at which it is `value` or more, if it grows.
  int64_t reaches(int64_t value) const { return llvm::divideCeilSigned(value - offset, factor); }
};

/// None of an expression of one symbol that is no line in it.
std::optional<Line> lineOf(AffineExpr expression) {
  bool isLine = true;
  expression.walk([&](AffineExpr part) { isLine &= !isQuotient(part) && part.getKind() != AffineExprKind::Mod; });
  const int64_t offset = valueAt(expression, 0), factor = valueAt(expression, 1) - offset;
  return isLine && factor != 0 ? std::optional<Line>({factor, offset}) : std::nullopt;
}

/// The dividend at which a quotient by a constant is `value` for the first time.
int64_t dividendFor(AffineBinaryOpExpr quotient, int64_t value) {
  int64_t divisor = cast<AffineConstantExpr>(quotient.getRHS()).getValue();
  return quotient.getKind() == AffineExprKind::FloorDiv ? value * divisor : (value - 1) * divisor + 1;
}

bool isByConstant(AffineExpr part) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(part);
  auto divisor = binary ? dyn_cast<AffineConstantExpr>(binary.getRHS()) : AffineConstantExpr();
  return divisor && divisor.getValue() > 0;
}

/// Whether a branch holds what the checker looks at.
bool decidesAccesses(scf::IfOp branch) {
  return branch
      .walk([](Operation *op) {
        return isa<tile::AccessOpInterface, tile::WaitOp, tile::SignalOp, tile::TakeCountedOp, tile::ArriveOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether it holds waits and nothing else that the checker looks at.
bool decidesWaitsAlone(scf::IfOp branch) {
  return branch.walk([](tile::WaitOp) { return WalkResult::interrupt(); }).wasInterrupted() &&
         !branch
              .walk([](Operation *op) {
                return isa<tile::AccessOpInterface, tile::SignalOp, tile::ArriveOp>(op) ? WalkResult::interrupt()
                                                                                        : WalkResult::advance();
              })
              .wasInterrupted();
}

class TurnFinder {
public:
  TurnFinder(tile::ProgramOp program, Forms &forms, ArrayRef<UsualValues> values)
      : program(program), forms(forms), values(values) {
    longest.assign(program.getNumExtents(), 0);
    finest.assign(program.getNumExtents(), kLargest);
    lengthened.assign(program.getNumExtents(), nullptr);
  }

  /// Three tiles of each divisor that the usual values do not have.
  void visitLength(AffineExpr part) {
    std::optional<unsigned> symbol = soleSymbol(part);
    if (!isQuotient(part) || !isByConstant(part) || !symbol || *symbol >= longest.size())
      return;
    auto quotient = cast<AffineBinaryOpExpr>(part);
    finest[*symbol] = std::min(finest[*symbol], cast<AffineConstantExpr>(quotient.getRHS()).getValue());
    lengthen(part, *symbol, 3);
  }

  /// As many tasks, or iterations, as a constant in their indices reaches: 51 for `%i + 50`, `%i < 50` and `%i floordiv
  /// 50`. Of loops over one extent: of others the usual samples are all there is.
  void visitIndex(Operation *op) {
    std::optional<IndexForm> form = formOf(op);
    auto constant = form ? dyn_cast<AffineConstantExpr>(form->constant) : AffineConstantExpr();
    if (!constant)
      return;
    for (auto [variable, coefficient] : form->terms)
      if (auto factor = dyn_cast<AffineConstantExpr>(coefficient); factor && factor.getValue() != 0)
        if (AffineExpr bound = boundOf(variable))
          reach(bound,
                llvm::divideCeil(llvm::AbsoluteValue(constant.getValue()), llvm::AbsoluteValue(factor.getValue())));
  }

  /// Both outcomes of what decides whether accesses, waits and signals are made. Where that is not known to be in some
  /// sample, nothing is claimed beyond them.
  void visitCondition(Value condition) {
    Operation *op = throughCasts(condition).getDefiningOp();
    if (isa_and_nonnull<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::SelectOp>(op)) {
      for (Value operand : op->getOperands())
        visitCondition(operand);
      return;
    }
    if (isa_and_nonnull<arith::ConstantOp>(op))
      return;
    // Of several that arrive one is the last: a launch with tasks has both outcomes, where as many arrive in all.
    if (auto arrive = dyn_cast_or_null<tile::ArriveOp>(op)) {
      if (!getConstantIntValue(arrive.getCount()))
        miss(kUndecided);
      return;
    }
    auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
    if (!compare || !forms.countTasks(compare->getOperands()))
      return miss(kUndecided);
    for (const Turning &turning : turningsOf(compare))
      visitTasks(turning);
  }

  void visitTurn(AffineExpr part) {
    bool byConstant = isByConstant(part);
    if (isQuotient(part)) {
      auto quotient = cast<AffineBinaryOpExpr>(part);
      SmallVector<int64_t> where = upTo(kNested);
      if (std::optional<Line> dividend = byConstant ? lineOf(quotient.getLHS()) : std::nullopt)
        where = around({dividend->reaches(1), dividend->reaches(dividendFor(quotient, 1))});
      turn(arith::CmpIPredicate::sle, part, where);
    } else if (part.getKind() == AffineExprKind::Mod && byConstant) {
      int64_t divisor = cast<AffineConstantExpr>(cast<AffineBinaryOpExpr>(part).getRHS()).getValue();
      if (divisor > kNested)
        miss(kFar);
      turn(arith::CmpIPredicate::eq, part, upTo(std::min(divisor, kNested)));
    }
  }

  /// Launches in which a loop has no iteration and in which it has one, also where its end is made of several parts
  /// (`%M mod 9 + %M mod 13`, `%M - 5000`).
  void visitEnd(AffineExpr end) {
    if (soleSymbol(end))
      turnWithZero(arith::CmpIPredicate::sle, end);
  }

  /// Both outcomes of a comparison of extents.
  void visitComparison(arith::CmpIOp compare) {
    if (!forms.countTasks(compare->getOperands()))
      return;
    for (const Turning &turning : turningsOf(compare))
      if (turning.form.isConstant() && soleSymbol(turning.form.constant))
        turnWithZero(turning.predicate, turning.form.constant);
  }

  /// One sample with all of them where that has few tasks, else one for each.
  void addLengths(SmallVectorImpl<SmallVector<int64_t, 4>> &samples, SmallVectorImpl<Operation *> &causes) const {
    uint64_t tasks = 1;
    for (auto [extent, divisor] : llvm::zip(longest, finest))
      tasks = llvm::SaturatingMultiply<uint64_t>(tasks, llvm::divideCeil(std::max<int64_t>(extent, 1), divisor));
    if (llvm::none_of(longest, [](int64_t extent) { return extent > 0; }))
      return;
    UsualSamples::Sample others;
    for (const UsualValues &value : values)
      others.push_back(value.shortest());
    UsualSamples::Sample together = others;
    for (auto [i, extent] : llvm::enumerate(longest))
      if (extent && tasks <= kFewTasks) {
        together[i] = extent;
      } else if (extent) {
        samples.emplace_back(others)[i] = extent;
        causes.push_back(lengthened[i]);
      }
    if (tasks <= kFewTasks) {
      samples.push_back(together);
      causes.push_back(lengthened[llvm::max_element(longest) - longest.begin()]);
    }
  }

  SmallVector<TurningPoint> points;
  std::optional<Unseen> unseen; ///< what turns beyond the extents that were tried
  Operation *visited = nullptr; ///< the operation that is looked at

private:
  static constexpr StringRef
      kUndecided = "it is not known at which extents this condition has another outcome",
      kUnawaited = "it is not known at all extents in which tasks and iterations this is waited for",
      kFar = "a quotient, a remainder or a comparison of an extent first has another result above 65536";

  /// The condition that a number of more bits was made of, where that is all it was made of.
  static Value throughCasts(Value condition) {
    Value source = condition;
    while (Operation *op = source.getDefiningOp()) {
      if (!isa<arith::ExtUIOp, arith::ExtSIOp, arith::TruncIOp>(op))
        break;
      source = op->getOperand(0);
    }
    return source.getType().isInteger(1) ? source : condition;
  }

  /// The first reason is enough. A branch around waits alone was made with them: the author wrote no such condition,
  /// and of waits that an author writes no reason is told.
  void miss(StringRef why) {
    auto branch = dyn_cast_or_null<scf::IfOp>(visited);
    if (!unseen)
      unseen = Unseen{why == kUndecided && branch && decidesWaitsAlone(branch) ? kUnawaited : why, visited};
  }

  /// How often the loop of an index runs; null for values that are none, or bounds that are no extents.
  AffineExpr boundOf(Value variable) {
    auto index = dyn_cast<BlockArgument>(variable);
    SmallVector<AffineExpr> bounds =
        index ? loopBounds(index.getOwner()->getParentOp(), program.getWorld().value_or(1)) : SmallVector<AffineExpr>();
    // Of a loop that carries values the index is the first argument.
    return index && index.getArgNumber() < bounds.size() ? bounds[index.getArgNumber()] : AffineExpr();
  }

  /// What the end of a loop that some tasks leave out is chosen by: as many iterations as extents say, or none.
  static arith::SelectOp chosenEnd(Value index) {
    auto argument = dyn_cast<BlockArgument>(index);
    auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
    bool counts = loop && index == loop.getInductionVar() && getConstantIntValue(loop.getLowerBound()) == 0 &&
                  getConstantIntValue(loop.getStep()) == 1;
    auto end = counts ? loop.getUpperBound().getDefiningOp<arith::SelectOp>() : arith::SelectOp();
    return end && getConstantIntValue(end.getFalseValue()) == 0 ? end : arith::SelectOp();
  }

  /// Iterations up to the number `last` of a loop with this bound. Of bounds over several extents the usual samples are
  /// all there is.
  void reach(AffineExpr bound, uint64_t last) {
    std::optional<unsigned> symbol = soleSymbol(bound);
    if (last <= 2 || !symbol || *symbol >= longest.size())
      return;
    if (last < kMostDistance)
      lengthen(bound, *symbol, last + 1);
    else
      miss("a constant in the index of a task reaches over more than 2048 tasks");
  }

  /// Whether a loop ends at the number of ranks or before, as one over those that have a part of a tile. Of a greater
  /// constant the usual samples may not come near.
  bool endsByRanks(Value index) {
    auto argument = dyn_cast<BlockArgument>(index);
    auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
    Operation *end = loop && index == loop.getInductionVar() ? loop.getUpperBound().getDefiningOp() : nullptr;
    return isa_and_nonnull<arith::MinSIOp, arith::MinUIOp>(end) && llvm::any_of(end->getOperands(), [&](Value value) {
             return getConstantIntValue(value).value_or(kLargest) <= int64_t(program.getWorld().value_or(1));
           });
  }

  /// The value `last` of what a condition compares: an index, the rank, or a quotient, remainder or extremum of such.
  void reachBy(Value variable, uint64_t last) {
    Operation *op = variable.getDefiningOp();
    if (isa_and_nonnull<tile::RankOp>(op) || (last <= 2 && endsByRanks(variable)))
      return;
    if (AffineExpr bound = boundOf(variable)) {
      // How far a loop over several extents goes in the usual samples is not known.
      if (last > 2 && !isa<AffineConstantExpr>(bound) && !soleSymbol(bound))
        miss(kUndecided);
      return reach(bound, last);
    }
    if (arith::SelectOp end = chosenEnd(variable)) {
      visitCondition(end.getCondition());
      const IndexForm count = forms.of(end.getTrueValue());
      return count.isConstant() && soleSymbol(count.constant) ? reach(count.constant, last) : miss(kUndecided);
    }
    if (isa_and_nonnull<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp>(op)) {
      for (Value operand : op->getOperands())
        reachByForm(operand, last);
      return;
    }
    std::optional<int64_t> divisor = isa_and_nonnull<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
                                                     arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op)
                                         ? getConstantIntValue(op->getOperand(1))
                                         : std::nullopt;
    if (!divisor || *divisor <= 0 || *divisor > int64_t(kMostDistance))
      return miss(kUndecided);
    const bool isRemainder = isa<arith::RemSIOp, arith::RemUIOp>(op);
    reachByForm(op->getOperand(0), isRemainder ? *divisor : (last + 1) * *divisor);
  }

  void reachByForm(Value value, uint64_t last) {
    IndexForm form = forms.of(value);
    auto constant = dyn_cast<AffineConstantExpr>(form.constant);
    if (!constant && !form.isConstant())
      miss(kUndecided);
    for (auto [variable, coefficient] : form.terms) {
      auto factor = dyn_cast<AffineConstantExpr>(coefficient);
      if (factor && factor.getValue() != 0)
        reachBy(variable, llvm::divideCeil(last + (constant ? llvm::AbsoluteValue(constant.getValue()) : 0),
                                           llvm::AbsoluteValue(factor.getValue())));
      else
        miss(kUndecided);
    }
  }

  /// A number whose comparison with 0 decides.
  struct Turning {
    arith::CmpIPredicate predicate;
    IndexForm form;
  };

  static arith::CmpIPredicate withSign(arith::CmpIPredicate predicate) {
    switch (predicate) {
    case arith::CmpIPredicate::ult:
      return arith::CmpIPredicate::slt;
    case arith::CmpIPredicate::ule:
      return arith::CmpIPredicate::sle;
    case arith::CmpIPredicate::ugt:
      return arith::CmpIPredicate::sgt;
    case arith::CmpIPredicate::uge:
      return arith::CmpIPredicate::sge;
    default:
      return predicate;
    }
  }

  /// The difference, with a sign: an index that is compared without one is not negative, which is an error. Of narrower
  /// numbers, which may be (`%i - 100 < 50` without a sign holds from 100 to 149), what each side's sign is too.
  SmallVector<Turning> turningsOf(arith::CmpIOp compare) {
    const arith::CmpIPredicate predicate = withSign(compare.getPredicate());
    const IndexForm left = forms.of(compare.getLhs()), right = forms.of(compare.getRhs());
    SmallVector<Turning> turnings{{predicate, left - right}};
    if (predicate != compare.getPredicate() && !compare.getLhs().getType().isIndex())
      turnings.append({{arith::CmpIPredicate::slt, left}, {arith::CmpIPredicate::slt, right}});
    return turnings;
  }

  /// Tasks with both outcomes of a condition.
  void visitTasks(const Turning &turning) {
    auto constant = dyn_cast<AffineConstantExpr>(turning.form.constant);
    for (auto [variable, coefficient] : turning.form.terms) {
      auto factor = dyn_cast<AffineConstantExpr>(coefficient);
      const uint64_t distance = constant ? llvm::AbsoluteValue(constant.getValue()) : 0;
      if (!factor || factor.getValue() == 0)
        miss(kUndecided);
      else
        reachBy(variable, llvm::divideCeil(distance, llvm::AbsoluteValue(factor.getValue())));
    }
    if (!constant && !turning.form.isConstant())
      visitEnds(turning);
  }

  /// Of a condition that compares indices with extents: the outcomes in the first and last iterations.
  void visitEnds(const Turning &turning) {
    SmallVector<AffineExpr> ends{turning.form.constant};
    for (auto [variable, coefficient] : turning.form.terms) {
      AffineExpr bound = boundOf(variable);
      if (!bound)
        continue; // a rank, or what was tried for itself
      for (AffineExpr end : SmallVector<AffineExpr>(ends))
        ends.push_back(end + coefficient * (bound - 1));
    }
    for (AffineExpr end : ends) {
      AffineExpr difference = simplifyAffineExpr(end, 0, program.getNumExtents());
      if (soleSymbol(difference))
        turnWithZero(turning.predicate, difference);
    }
  }

  void turnWithZero(arith::CmpIPredicate predicate, AffineExpr difference) {
    std::optional<Line> line = lineOf(difference);
    turn(predicate, difference, line ? around({line->reaches(0), line->reaches(1)}) : upTo(kNested));
  }

  /// An index that is moved by its constant, or turns where it is 0: a sum, a difference of what is compared, what is
  /// divided beside its divisor.
  std::optional<IndexForm> formOf(Operation *op) {
    if (op->getNumOperands() != 2 || !forms.countTasks(op->getOperand(0)))
      return std::nullopt;
    if (isa<arith::AddIOp, arith::SubIOp>(op))
      return forms.of(op->getResult(0));
    const IndexForm left = forms.of(op->getOperand(0)), right = forms.of(op->getOperand(1));
    if (isa<arith::CmpIOp, arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp>(op))
      return left - right;
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
            arith::CeilDivUIOp>(op) &&
        right.isConstant())
      return left - right;
    return std::nullopt;
  }

  /// A sample in which `part`, of one extent, is `least` or more, if it is in none of the usual ones.
  void lengthen(AffineExpr part, unsigned symbol, int64_t least) {
    auto isLong = [&](int64_t extent) { return valueAt(part, extent) >= least; };
    if (values[symbol].anyOf(isLong) || !seenLengths.insert({part, least}).second)
      return;
    auto quotient = isByConstant(part) ? dyn_cast<AffineBinaryOpExpr>(part) : AffineBinaryOpExpr(nullptr);
    const bool isDivided = isQuotient(part) && quotient;
    std::optional<int64_t> extent;
    if (std::optional<Line> line = lineOf(isDivided ? quotient.getLHS() : part)) {
      if (line->factor > 0)
        extent = line->reaches(isDivided ? dividendFor(quotient, least) : least);
    } else {
      for (int64_t next = 1; !extent && next <= kNested; ++next)
        if (isLong(next))
          extent = next;
    }
    if (extent && *extent <= kLargest) {
      if (*extent > longest[symbol])
        lengthened[symbol] = visited;
      longest[symbol] = std::max(longest[symbol], *extent);
    } else if (isLong(tile::kLargestExtent))
      miss(kFar);
  }

  static SmallVector<int64_t> upTo(int64_t last) {
    return llvm::to_vector(llvm::seq_inclusive<int64_t>(1, std::max<int64_t>(last, 1)));
  }

  /// Extents beside those at which something happens, and the least.
  static SmallVector<int64_t> around(ArrayRef<int64_t> places) {
    SmallVector<int64_t> all{1};
    for (int64_t place : places)
      for (int64_t extent = place - 1; extent <= place + 1; ++extent)
        if (extent > 0 && extent <= kLargest)
          all.push_back(extent);
    llvm::sort(all);
    return all;
  }

  /// The first extent of `where` at which the comparison of `part` with 0 has the outcome that it has at none of the
  /// usual values.
  void turn(arith::CmpIPredicate predicate, AffineExpr part, ArrayRef<int64_t> where) {
    std::optional<unsigned> symbol = soleSymbol(part);
    if (!symbol || *symbol >= longest.size() || !seenTurns.insert({part, unsigned(predicate)}).second)
      return;
    auto isOff = [&](int64_t extent) {
      return arith::applyCmpPredicate(predicate, APInt(64, valueAt(part, extent), true), APInt(64, 0));
    };
    auto isOn = [&](int64_t extent) { return !isOff(extent); };
    const int64_t length = longest[*symbol];
    bool off = values[*symbol].anyOf(isOff) || (length && isOff(length)),
         on = values[*symbol].anyOf(isOn) || (length && isOn(length));
    for (int64_t extent : where) {
      bool isHere = isOff(extent);
      if (isHere ? off : on)
        continue;
      (isHere ? off : on) = true;
      if (points.size() >= kMostPoints) {
        miss("more than four quotients, remainders and comparisons of extents have results that no sample shows");
        continue;
      }
      TurningPoint point{*symbol, extent, visited};
      if (!llvm::is_contained(points, point))
        points.push_back(point);
    }
    if (!(isOff(tile::kLargestExtent) ? off : on))
      miss(kFar);
  }

  tile::ProgramOp program;
  Forms &forms;
  ArrayRef<UsualValues> values;            ///< [extent]
  SmallVector<int64_t, 4> longest, finest; ///< per extent: for so many tiles, or 0; the least divisor
  SmallVector<Operation *, 4> lengthened;  ///< per extent: what asks for the longest
  llvm::DenseSet<std::pair<AffineExpr, int64_t>> seenLengths;
  llvm::DenseSet<std::pair<AffineExpr, unsigned>> seenTurns; ///< with the predicate
};

} // namespace

std::optional<Unseen> checker::addTurningPoints(tile::ProgramOp program, ArrayRef<UsualValues> values,
                                                SmallVectorImpl<SmallVector<int64_t, 4>> &samples,
                                                SmallVectorImpl<Operation *> &causes) {
  Forms forms(program);
  TurnFinder finder(program, forms, values);
  forEachExpression(program, forms, [&](Operation *op, AffineExpr expression) {
    finder.visited = op;
    expression.walk([&](AffineExpr part) { finder.visitLength(part); });
  });
  program.walk([&](Operation *op) {
    finder.visited = op;
    finder.visitIndex(op);
  });
  forEachExpression(program, forms, [&](Operation *op, AffineExpr expression) {
    finder.visited = op;
    expression.walk([&](AffineExpr part) { finder.visitTurn(part); });
    finder.visitEnd(expression);
  });
  program.walk([&](arith::CmpIOp compare) {
    finder.visited = compare;
    finder.visitComparison(compare);
  });
  program.walk([&](scf::IfOp branch) {
    finder.visited = branch;
    if (decidesAccesses(branch))
      finder.visitCondition(branch.getCondition());
  });
  finder.addLengths(samples, causes);
  for (TurningPoint point : finder.points) {
    auto &sample = samples.emplace_back();
    for (const UsualValues &value : values)
      sample.push_back(value.each.front());
    sample[point.extent] = point.value;
    causes.push_back(point.cause);
  }
  return finder.unseen;
}
