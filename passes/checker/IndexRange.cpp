// Interval arithmetic whose ends are expressions. Of several ends a range keeps all: expressions have no maximum.
#include "passes/checker/IndexRange.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

using Known = IndexRanges::Known;
using Ends = IndexRange::Ends;

/// A range with more ends is taken for unknown.
static constexpr size_t kMostEnds = 8;

//===-- ends
//----------------------------------------------------------------------------------------------------------===//

bool tilec::checker::isNonNegative(AffineExpr expression) {
  if (auto number = dyn_cast<AffineConstantExpr>(expression))
    return number.getValue() >= 0;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  return !binary || (isNonNegative(binary.getLHS()) && isNonNegative(binary.getRHS()));
}

bool IndexRange::isNonNegative() const { return llvm::all_of(low, checker::isNonNegative); }

std::optional<int64_t> IndexRange::number() const {
  auto least = low.size() == 1 ? dyn_cast<AffineConstantExpr>(low.front()) : AffineConstantExpr();
  return least && high.size() == 1 && high.front() == least ? std::optional(least.getValue()) : std::nullopt;
}

std::optional<std::pair<int64_t, int64_t>> tilec::checker::valuesOf(AffineExpr expression) {
  if (auto number = dyn_cast<AffineConstantExpr>(expression))
    return std::pair(number.getValue(), number.getValue());
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary)
    return std::pair<int64_t, int64_t>(0, std::numeric_limits<int32_t>::max());
  auto left = valuesOf(binary.getLHS()), right = left ? valuesOf(binary.getRHS()) : std::nullopt;
  if (!right)
    return std::nullopt;
  int64_t low, high, ends[4];
  switch (expression.getKind()) {
  case AffineExprKind::Add:
    if (llvm::AddOverflow(left->first, right->first, low) || llvm::AddOverflow(left->second, right->second, high))
      return std::nullopt;
    return std::pair(low, high);
  case AffineExprKind::Mul: {
    if (llvm::MulOverflow(left->first, right->first, ends[0]) ||
        llvm::MulOverflow(left->first, right->second, ends[1]) ||
        llvm::MulOverflow(left->second, right->first, ends[2]) ||
        llvm::MulOverflow(left->second, right->second, ends[3]))
      return std::nullopt;
    auto [least, most] = std::minmax_element(std::begin(ends), std::end(ends));
    return std::pair(*least, *most);
  }
  case AffineExprKind::Mod:
    return std::pair<int64_t, int64_t>(0, right->second);
  default: // by 1 at least
    return std::pair(std::min<int64_t>(left->first, 0), std::max<int64_t>(left->second, 0));
  }
}

static void addEnd(Ends &ends, AffineExpr end, bool isHigh) {
  auto isCovered = [&](AffineExpr by, AffineExpr of) { return isNonNegative(isHigh ? by - of : of - by); };
  if (llvm::any_of(ends, [&](AffineExpr known) { return isCovered(known, end); }))
    return;
  llvm::erase_if(ends, [&](AffineExpr known) { return isCovered(end, known); });
  ends.push_back(end);
}

static Known made(ArrayRef<AffineExpr> low, ArrayRef<AffineExpr> high) {
  IndexRange range;
  for (AffineExpr end : low)
    addEnd(range.low, end, false);
  for (AffineExpr end : high)
    addEnd(range.high, end, true);
  return range.low.size() > kMostEnds || range.high.size() > kMostEnds ? Known() : Known(range);
}

static Known unionOf(const Known &a, const Known &b) {
  if (!a || !b)
    return {};
  Ends low(a->low), high(a->high);
  low.append(b->low);
  high.append(b->high);
  return made(low, high);
}

template <typename Combine>
static Ends combined(const Ends &a, const Ends &b, Combine combine) {
  Ends result;
  for (AffineExpr left : a)
    for (AffineExpr right : b)
      result.push_back(combine(left, right));
  return result;
}

template <typename Map>
static Ends mapped(const Ends &ends, Map map) {
  return Ends(llvm::map_range(ends, map));
}

static Known negated(const Known &range) {
  auto negate = [](AffineExpr end) { return -end; };
  return range ? made(mapped(range->high, negate), mapped(range->low, negate)) : Known();
}

static Known sum(const Known &a, const Known &b) {
  auto add = [](AffineExpr left, AffineExpr right) { return left + right; };
  return a && b ? made(combined(a->low, b->low, add), combined(a->high, b->high, add)) : Known();
}

static Known product(const Known &a, const Known &b) {
  if (!a || !b)
    return {};
  auto multiply = [](AffineExpr left, AffineExpr right) { return left * right; };
  if (a->isNonNegative() && b->isNonNegative())
    return made(combined(a->low, b->low, multiply), combined(a->high, b->high, multiply));
  Ends all;
  for (const Ends *left : {&a->low, &a->high})
    for (const Ends *right : {&b->low, &b->high})
      all.append(combined(*left, *right, multiply));
  return made(all, all);
}

/// Steps to compute an expression: of two bounds that both hold the simpler one is taken.
static unsigned costOf(const Ends &ends) {
  unsigned cost = 0;
  for (AffineExpr end : ends)
    end.walk([&](AffineExpr part) { cost += isa<AffineConstantExpr>(part) ? 1 : isa<AffineSymbolExpr>(part) ? 2 : 4; });
  return cost;
}

static const Ends &simpler(const Ends &a, const Ends &b) { return costOf(b) < costOf(a) ? b : a; }

static Ends withZero(Ends ends, MLIRContext *context) {
  ends.push_back(getAffineConstantExpr(0, context));
  return ends;
}

/// By 1 at least where the divisor is not negative; no guard divides by an extent, which may be 0.
static Known quotient(const Known &a, const Known &b, bool roundsUp, MLIRContext *context) {
  if (!a || !b)
    return {};
  std::optional<int64_t> divisor = b->number();
  if (a->isNonNegative() && divisor && *divisor > 0) {
    auto divide = [&](AffineExpr end) { return roundsUp ? end.ceilDiv(*divisor) : end.floorDiv(*divisor); };
    return made(mapped(a->low, divide), mapped(a->high, divide));
  }
  if (b->isNonNegative())
    return made(withZero(a->low, context), withZero(a->high, context));
  Known away = unionOf(a, negated(a));
  return away ? made(withZero(away->low, context), withZero(away->high, context)) : Known();
}

/// It has the sign of the dividend, or that of the divisor where `floors`.
static Known remainder(const Known &a, const Known &b, bool floors, MLIRContext *context) {
  AffineExpr zero = getAffineConstantExpr(0, context);
  auto lessOne = [](AffineExpr end) { return end - 1; };
  if (!a)
    return b && b->isNonNegative() && floors ? made({zero}, mapped(b->high, lessOne)) : Known();
  if (b && b->isNonNegative() && (floors || a->isNonNegative())) {
    const Ends below = mapped(b->high, lessOne);
    return made({zero}, a->isNonNegative() ? simpler(a->high, below) : below);
  }
  return floors ? Known() : made(withZero(a->low, context), withZero(a->high, context));
}

//===-- values
//--------------------------------------------------------------------------------------------------------===//

Known IndexRanges::between(int64_t low, int64_t high) {
  return made({getAffineConstantExpr(low, program.getContext())}, {getAffineConstantExpr(high, program.getContext())});
}

Known IndexRanges::point(int64_t value) { return between(value, value); }

/// What integers of a type hold.
Known IndexRanges::anyOf(Type type) {
  if (!type.isSignlessInteger() || type.getIntOrFloatBitWidth() > 32)
    return {};
  unsigned width = type.getIntOrFloatBitWidth();
  return between(llvm::minIntN(width), llvm::maxIntN(width));
}

static bool fits(const IndexRange &range, unsigned width) {
  auto isHeld = [&](AffineExpr end) {
    auto values = valuesOf(end);
    return values && llvm::isIntN(width, values->first) && llvm::isIntN(width, values->second);
  };
  return llvm::all_of(range.low, isHeld) && llvm::all_of(range.high, isHeld);
}

/// The same where the type holds all of it: narrower integers wrap, and so do those of 64 bits.
Known IndexRanges::fitted(Known range, Type type) {
  if (!range || type.isIndex())
    return range;
  if (!type.isSignlessInteger() || type.getIntOrFloatBitWidth() > 64)
    return {};
  return fits(*range, type.getIntOrFloatBitWidth()) ? range : anyOf(type);
}

bool IndexRanges::isExact(Value value) {
  if (value.getType().isIndex() || matchPattern(value, m_Constant()))
    return true;
  if (auto known = exact.find(value); known != exact.end())
    return known->second;
  const bool is = hasBits(value);
  return exact[value] = is;
}

bool IndexRanges::hasBits(Value value) {
  Operation *op = value.getDefiningOp();
  Type type = value.getType();
  if (!op || !type.isSignlessInteger() || type.isInteger(1) || type.getIntOrFloatBitWidth() > 64)
    return false;
  const bool isUnsigned = isa<arith::ExtUIOp, arith::IndexCastUIOp, arith::DivUIOp, arith::CeilDivUIOp, arith::RemUIOp,
                              arith::MinUIOp, arith::MaxUIOp>(op);
  if (!isUnsigned &&
      !isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp, arith::AddIOp, arith::SubIOp, arith::MulIOp,
           arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp, arith::RemSIOp, arith::MinSIOp, arith::MaxSIOp>(op))
    return false;
  for (Value operand : op->getOperands()) {
    const Known range = of(operand);
    if (!isExact(operand) || (isUnsigned && !(range && range->isNonNegative())))
      return false;
  }
  const Known made = compute(value);
  return made && fits(*made, type.getIntOrFloatBitWidth());
}

Known IndexRanges::of(Value value) {
  if (auto known = ranges.find(value); known != ranges.end())
    return known->second;
  Known range = fitted(compute(value), value.getType());
  if (!range)
    range = anyOf(value.getType());
  ranges[value] = range;
  return range;
}

Known IndexRanges::compute(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)) && number.isSignedIntN(64))
    return point(number.getSExtValue());
  if (auto argument = dyn_cast<BlockArgument>(value))
    return ofArgument(argument);
  if (isa<scf::IfOp, scf::ForOp>(value.getDefiningOp()))
    return ofStructure(cast<OpResult>(value));
  return computeOp(value.getDefiningOp());
}

/// Of values that a branch or a loop makes.
Known IndexRanges::ofStructure(OpResult value) {
  unsigned number = value.getResultNumber();
  if (auto branch = dyn_cast<scf::IfOp>(value.getOwner()))
    return unionOf(of(branch.thenYield().getOperand(number)), of(branch.elseYield().getOperand(number)));
  auto loop = cast<scf::ForOp>(value.getOwner());
  return unionOf(of(loop.getInitArgs()[number]), of(loop.getYieldedValues()[number]));
}

Known IndexRanges::ofArgument(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (parent == program && argument.getArgNumber() < program.getNumExtents()) {
    AffineExpr extent = getAffineSymbolExpr(1 + argument.getArgNumber(), program.getContext());
    return made({extent}, {extent});
  }
  if (auto tasks = dyn_cast<tile::ForallOp>(parent))
    return ofTask(tasks, argument.getArgNumber());
  auto loop = dyn_cast<scf::ForOp>(parent);
  if (!loop)
    return {};
  if (argument != loop.getInductionVar())
    return ofCarried(loop, argument.getArgNumber() - 1);
  Known first = of(loop.getLowerBound()), end = of(loop.getUpperBound());
  return first && end ? made(first->low, mapped(end->high, [](AffineExpr size) { return size - 1; })) : Known();
}

Known IndexRanges::behind(scf::ForOp loop) { return sum(of(loop.getInductionVar()), of(loop.getStep())); }

Known IndexRanges::ofTask(tile::ForallOp tasks, unsigned dim) {
  Known size;
  if (std::optional<AffineMap> bounds = tasks.getBounds())
    size = ofExpression(bounds->getResult(dim), tasks.getExtents());
  else if (auto tile = dyn_cast<IntegerAttr>((*tasks.getTiles())[dim]))
    size = quotient(ofSize(tasks.getBuffer(), dim), point(tile.getInt()), true, program.getContext());
  if (!size)
    return {};
  return made({getAffineConstantExpr(0, program.getContext())},
              mapped(size->high, [](AffineExpr end) { return end - 1; }));
}

/// What an iteration hands on is what it was given with something added, or has a bound of its own.
Known IndexRanges::ofCarried(scf::ForOp loop, unsigned number) {
  BlockArgument carried = loop.getRegionIterArg(number);
  Value yielded = loop.getYieldedValues()[number];
  Known initial = of(loop.getInitArgs()[number]);
  if (yielded == carried)
    return initial;
  // What follows from not knowing it is forgotten again.
  llvm::DenseMap<Value, Known> before = ranges;
  ranges[carried] = Known();
  Known next = of(yielded), added;
  if (Operation *op = yielded.getDefiningOp(); !next && isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op)) {
    if (op->getOperand(0) == carried)
      added = isa<arith::AddIOp>(op) ? of(op->getOperand(1)) : negated(of(op->getOperand(1)));
    else if (isa<arith::AddIOp>(op) && op->getOperand(1) == carried)
      added = of(op->getOperand(0));
  }
  ranges = std::move(before);
  if (next)
    return unionOf(initial, next);
  Known first = of(loop.getLowerBound()), end = of(loop.getUpperBound()), step = of(loop.getStep());
  Known times = first && end ? sum(end, negated(first)) : Known();
  if (!times || !added || !step || !step->isNonNegative())
    return {};
  if (std::optional<int64_t> by = step->number(); by && *by > 1)
    times = made(times->low, mapped(times->high, [&](AffineExpr count) { return count.ceilDiv(*by); }));
  // Never less than none.
  if (times)
    times = made({getAffineConstantExpr(0, program.getContext())}, times->high);
  Known all = product(times, added);
  return all ? unionOf(initial, sum(initial, all)) : Known();
}

Known IndexRanges::ofSize(Value buffer, unsigned dim) {
  if (auto alloc = buffer.getDefiningOp<tile::AllocOp>())
    return ofExpression(alloc.getSizes().getResult(dim), alloc.getExtents());
  if (auto view = buffer.getDefiningOp<memref::SubViewOp>()) {
    if (view.getDroppedDims().any())
      return {};
    OpFoldResult size = view.getMixedSizes()[dim];
    auto number = dyn_cast<Attribute>(size);
    return number ? point(cast<IntegerAttr>(number).getInt()) : of(cast<Value>(size));
  }
  auto argument = dyn_cast<BlockArgument>(buffer);
  if (!argument || argument.getOwner()->getParentOp() != program)
    return {};
  auto shape = cast<AffineMapAttr>(program.getShapes()[argument.getArgNumber() - program.getNumExtents()]);
  return ofExpression(shape.getValue().getResult(dim), program.getExtents());
}

Known IndexRanges::ofExpression(AffineExpr expression, ValueRange operands, Visit visit) {
  if (auto number = dyn_cast<AffineConstantExpr>(expression))
    return point(number.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression)) {
    if (symbol.getPosition() == 0)
      return point(program.getWorld().value_or(1));
    return symbol.getPosition() <= operands.size() ? of(operands[symbol.getPosition() - 1]) : Known();
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary)
    return {};
  MLIRContext *context = program.getContext();
  Known left = ofExpression(binary.getLHS(), operands, visit), right = ofExpression(binary.getRHS(), operands, visit);
  Known result;
  switch (expression.getKind()) {
  case AffineExprKind::Add:
    visit(result = sum(left, right));
    return result;
  case AffineExprKind::Mul:
    visit(result = product(left, right));
    return result;
  case AffineExprKind::CeilDiv: // by an addition first
    visit(sum(left, sum(right, point(-1))));
    return quotient(left, right, true, context);
  case AffineExprKind::FloorDiv:
    return quotient(left, right, false, context);
  default:
    return remainder(left, right, /*floors=*/true, context);
  }
}

//===-- operations
//----------------------------------------------------------------------------------------------------===//

Known IndexRanges::ofCast(Operation *op) {
  Value operand = op->getOperand(0);
  Known range = of(operand);
  if (!isa<arith::ExtUIOp, arith::IndexCastUIOp>(op) || (range && range->isNonNegative()))
    return range;
  unsigned width = operand.getType().isIndex() ? 64 : operand.getType().getIntOrFloatBitWidth();
  return width < 64 ? between(0, static_cast<int64_t>(llvm::maxUIntN(width))) : Known();
}

Known IndexRanges::computeOp(Operation *op) {
  AffineExpr zero = getAffineConstantExpr(0, program.getContext());
  if (isa<tile::RankOp>(op))
    return between(0, program.getWorld().value_or(1) - 1);
  if (isa<tile::WorldSizeOp>(op))
    return point(program.getWorld().value_or(1));
  if (auto extent = dyn_cast<tile::ExtentOp>(op))
    return ofExpression(extent.getSizes().getResult(0), extent.getExtents());
  if (auto dim = dyn_cast<memref::DimOp>(op))
    return dim.getConstantIndex() ? ofSize(dim.getSource(), *dim.getConstantIndex()) : Known();
  if (isa<tile::ReadOp, tile::ClampOp>(op)) {
    Known most = of(isa<tile::ReadOp>(op) ? cast<tile::ReadOp>(op).getUpto() : cast<tile::ClampOp>(op).getUpto());
    return most ? made({zero}, most->high) : Known();
  }
  if (auto chosen = dyn_cast<arith::SelectOp>(op))
    return unionOf(of(chosen.getTrueValue()), of(chosen.getFalseValue()));
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
    return ofCast(op);
  if (isa<arith::ArithDialect>(op->getDialect()) && op->getNumOperands() == 2 && op->getNumResults() == 1 &&
      (op->getResult(0).getType().isIndex() || op->getResult(0).getType().isSignlessInteger()))
    return computeBinary(op, of(op->getOperand(0)), of(op->getOperand(1)));
  return {};
}

static Known lesser(const Known &a, const Known &b, bool least) {
  if (!a || !b)
    return {};
  Known all = unionOf(a, b);
  if (!all)
    return {};
  return least ? made(all->low, simpler(a->high, b->high)) : made(simpler(a->low, b->low), all->high);
}

/// Of numbers that are not negative.
static Known ofBits(Operation *op, const Known &a, const Known &b, MLIRContext *context) {
  AffineExpr zero = getAffineConstantExpr(0, context);
  if (isa<arith::AndIOp>(op)) {
    bool isLeft = a && a->isNonNegative(), isRight = b && b->isNonNegative();
    if (isLeft || isRight)
      return made({zero}, isLeft && isRight ? simpler(a->high, b->high) : isLeft ? a->high : b->high);
    return {};
  }
  if (!a || !b || !a->isNonNegative() || !b->isNonNegative())
    return {};
  std::optional<int64_t> count = b->number();
  const bool isShort = count && *count < 31;
  if (isa<arith::OrIOp, arith::XOrIOp>(op))
    return sum(a, b) ? made({zero}, sum(a, b)->high) : Known();
  if (isa<arith::ShLIOp>(op))
    return isShort ? made(mapped(a->low, [&](AffineExpr end) { return end * (int64_t(1) << *count); }),
                          mapped(a->high, [&](AffineExpr end) { return end * (int64_t(1) << *count); }))
                   : Known();
  return isShort ? made({zero}, mapped(a->high, [&](AffineExpr end) { return end.floorDiv(int64_t(1) << *count); }))
                 : made({zero}, a->high);
}

/// Unsigned operations on indices are expected to be given nothing negative: AllExtents asks.
static Known asUnsigned(Operation *op, const Known &range, MLIRContext *context) {
  if (!range || range->isNonNegative() ||
      !isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp, arith::MaxUIOp, arith::MinUIOp, arith::ShRUIOp>(op))
    return range;
  if (!op->getOperand(0).getType().isIndex())
    return {};
  return made({getAffineConstantExpr(0, context)}, range->high);
}

Known IndexRanges::computeBinary(Operation *op, const Known &givenLeft, const Known &givenRight) {
  MLIRContext *context = program.getContext();
  Known a = asUnsigned(op, givenLeft, context), b = asUnsigned(op, givenRight, context);
  return llvm::TypeSwitch<Operation *, Known>(op)
      .Case<arith::AddIOp>([&](auto) { return sum(a, b); })
      .Case<arith::SubIOp>([&](auto) { return sum(a, negated(b)); })
      .Case<arith::MulIOp>([&](auto) { return product(a, b); })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>([&](auto) { return quotient(a, b, false, context); })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>([&](auto) { return quotient(a, b, true, context); })
      .Case<arith::RemSIOp>([&](auto) { return remainder(a, b, false, context); })
      .Case<arith::RemUIOp>([&](auto) { return remainder(a, b, op->getOperand(0).getType().isIndex(), context); })
      .Case<arith::MinSIOp, arith::MinUIOp>([&](auto) { return lesser(a, b, true); })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([&](auto) { return lesser(a, b, false); })
      .Case<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(
          [&](auto) { return ofBits(op, a, b, context); })
      .Default([](Operation *) { return Known(); });
}
