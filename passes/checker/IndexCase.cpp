// Reads index arithmetic of the kernel form. Quotients become variables between two inequalities, minima and other
// alternatives become choices.
#include "passes/checker/IndexCase.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

namespace {

/// Beyond this no coefficient is computed with: what has it counts as no affine function.
constexpr int64_t kLargest = int64_t(1) << 40;

} // namespace

Linear Linear::variable(unsigned number) {
  Linear made;
  made.coefficients.assign(number + 1, 0);
  made.coefficients.back() = 1;
  return made;
}

bool Linear::isConstant() const {
  return llvm::all_of(coefficients, [](int64_t factor) { return factor == 0; });
}

bool Linear::operator==(const Linear &other) const {
  return (*this - other).isConstant() && constant == other.constant;
}

Linear Linear::operator+(const Linear &other) const {
  Linear sum = *this;
  sum.constant += other.constant;
  sum.coefficients.resize(std::max(coefficients.size(), other.coefficients.size()), 0);
  for (auto [i, factor] : llvm::enumerate(other.coefficients))
    sum.coefficients[i] += factor;
  return sum;
}

Linear Linear::operator-(const Linear &other) const { return *this + other * -1; }

Linear Linear::operator*(int64_t factor) const {
  Linear product = *this;
  product.constant *= factor;
  for (int64_t &coefficient : product.coefficients)
    coefficient *= factor;
  return product;
}

bool Linear::isLarge() const {
  auto large = [](int64_t number) { return number > kLargest || number < -kLargest; };
  return large(constant) || llvm::any_of(coefficients, large);
}

IndexCase::IndexCase(tile::ProgramOp program, Choices &choices, Products products)
    : program(program), choices(choices), world(program.getWorld().value_or(1)), numExtents(program.getNumExtents()),
      isFormal(products == Products::Formal), ranges(program) {
  for (BlockArgument extent : program.getExtents())
    values[extent] = fresh({0, std::nullopt});
}

void IndexCase::beginOtherTask(bool onThisRank) {
  llvm::DenseMap<Value, Linear> kept;
  for (BlockArgument extent : program.getExtents())
    kept[extent] = values[extent];
  values = std::move(kept);
  if (onThisRank)
    return;
  rank.reset();
  given.clear();
}

Linear IndexCase::thisRank() {
  if (!rank)
    rank = fresh({0, world - 1});
  return *rank;
}

//===-- variables
//-----------------------------------------------------------------------------------------------------===//

Linear IndexCase::fresh(Range range) {
  Linear made = Linear::variable(variables.size());
  variables.push_back(range);
  if (range.low)
    assumeNonNegative(made - Linear(*range.low));
  if (range.high)
    assumeNonNegative(Linear(*range.high) - made);
  return made;
}

Linear IndexCase::opaque() {
  exact = false;
  return fresh({});
}

Linear IndexCase::between(const Linear &low, const Linear &high) {
  Linear number = fresh({rangeOf(low).low, rangeOf(high).high});
  assumeNonNegative(number - low);
  assumeNonNegative(high - number);
  return number;
}

IndexCase::Range IndexCase::rangeOf(const Linear &value) const {
  Range range{value.constant, value.constant};
  for (auto [i, factor] : llvm::enumerate(value.coefficients)) {
    if (factor == 0)
      continue;
    Range of = variables[i];
    if (factor < 0)
      std::swap(of.low, of.high);
    auto add = [&, factor = factor](std::optional<int64_t> &sum, std::optional<int64_t> term) {
      int64_t product;
      if (!sum || !term || llvm::MulOverflow(*term, factor, product) || llvm::AddOverflow(*sum, product, *sum))
        sum.reset();
    };
    add(range.low, of.low);
    add(range.high, of.high);
  }
  return range;
}

bool IndexCase::isNonNegative(const Linear &value) const {
  std::optional<int64_t> low = rangeOf(value).low;
  return low && *low >= 0;
}

presburger::IntegerPolyhedron IndexCase::constraints() const {
  presburger::IntegerPolyhedron set(presburger::PresburgerSpace::getSetSpace(variables.size()));
  for (const Linear &value : inequalities) {
    SmallVector<int64_t, 8> row(value.coefficients);
    row.resize(variables.size(), 0);
    row.push_back(value.constant);
    set.addInequality(row);
  }
  return set;
}

//===-- arithmetic
//----------------------------------------------------------------------------------------------------===//

void IndexCase::equate(const Linear &left, const Linear &right) {
  assumeNonNegative(left - right);
  assumeNonNegative(right - left);
}

Linear IndexCase::floorDivide(const Linear &left, const Linear &right) {
  if (!right.isConstant() && isNonNegative(left) && isNonNegative(right))
    return divideByExtents(left, right);
  if (!right.isConstant() || right.constant <= 0 || right.isLarge() || left.isLarge())
    return opaque();
  int64_t divisor = right.constant;
  if (divisor == 1)
    return left;
  if (left.isConstant())
    return Linear(llvm::divideFloorSigned(left.constant, divisor));
  for (const Quotient &known : quotients)
    if (known.divisor == divisor && known.dividend == left)
      return known.value;
  Range range = rangeOf(left);
  auto divide = [&](std::optional<int64_t> number) {
    return number ? std::optional<int64_t>(llvm::divideFloorSigned(*number, divisor)) : std::nullopt;
  };
  Linear quotient = fresh({divide(range.low), divide(range.high)});
  assumeNonNegative(left - quotient * divisor);
  assumeNonNegative(quotient * divisor + Linear(divisor - 1) - left);
  quotients.push_back({left, divisor, quotient});
  return quotient;
}

/// Towards zero, as the text divides.
Linear IndexCase::truncatingDivide(const Linear &left, const Linear &right) {
  if (isNonNegative(left) || !right.isConstant() || right.constant <= 0)
    return floorDivide(left, right);
  if (choices.choose(2) == 0) {
    assumeNonNegative(left);
    return floorDivide(left, right);
  }
  assumeNonNegative(Linear(-1) - left);
  return floorDivide(left + Linear(right.constant - 1), right);
}

Linear IndexCase::lesser(const Linear &left, const Linear &right, bool least) {
  // Of two that are known to be in order nothing has to be chosen.
  if (isNonNegative(right - left))
    return least ? left : right;
  if (isNonNegative(left - right))
    return least ? right : left;
  bool leftIsLess = choices.choose(2) == 0;
  assumeNonNegative(leftIsLess ? right - left : left - right - Linear(1));
  return leftIsLess == least ? left : right;
}

Linear IndexCase::expression(AffineExpr expr, ArrayRef<Linear> symbols) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return Linear(number.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbol.getPosition() < symbols.size() ? symbols[symbol.getPosition()] : opaque();
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return opaque();
  Linear left = expression(binary.getLHS(), symbols), right = expression(binary.getRHS(), symbols);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return left + right;
  case AffineExprKind::Mul:
    return multiply(left, right);
  case AffineExprKind::FloorDiv:
    return floorDivide(left, right);
  case AffineExprKind::CeilDiv:
    return floorDivide(left + right - Linear(1), right);
  default:
    return left - multiply(right, floorDivide(left, right));
  }
}

SmallVector<Linear> IndexCase::expressions(AffineMap map, ValueRange operands) {
  SmallVector<Linear> symbols{Linear(world)};
  for (Value operand : operands)
    symbols.push_back(valueOf(operand));
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) { return expression(expr, symbols); });
}

//===-- values
//--------------------------------------------------------------------------------------------------------===//

Linear IndexCase::valueOf(Value value) {
  if (auto known = values.find(value); known != values.end())
    return known->second;
  Linear made = evaluate(value);
  values[value] = made;
  return made;
}

Linear IndexCase::valueOf(OpFoldResult value) {
  if (auto number = dyn_cast<Attribute>(value))
    return Linear(cast<IntegerAttr>(number).getInt());
  return valueOf(cast<Value>(value));
}

SmallVector<Linear> IndexCase::sizesOf(Value buffer) {
  if (auto alloc = buffer.getDefiningOp<tile::AllocOp>())
    return expressions(alloc.getSizes(), alloc.getExtents());
  if (auto view = buffer.getDefiningOp<memref::SubViewOp>()) {
    SmallVector<Linear> sizes;
    llvm::SmallBitVector dropped = view.getDroppedDims();
    for (auto [d, size] : llvm::enumerate(view.getMixedSizes()))
      if (!dropped[d])
        sizes.push_back(valueOf(size));
    return sizes;
  }
  auto argument = cast<BlockArgument>(buffer);
  Attribute shape = program.getShapes()[argument.getArgNumber() - program.getNumExtents()];
  SmallVector<Value> extents(program.getExtents());
  return expressions(cast<AffineMapAttr>(shape).getValue(), extents);
}

/// Numbers that are what arithmetic makes of them: an index that does not fit an int is an error, and of 64 bits
/// `fitsWide` asks. Narrower integers may wrap.
static bool isExactType(Type type) { return type.isIndex() || type.isInteger(64); }

/// A narrower one is a number where at no extents it wraps.
bool IndexCase::isNumber(Value value) { return isExactType(value.getType()) || ranges.isExact(value); }

/// Whether a number remains what it is where it is converted to one of these.
bool IndexCase::isReadThrough(Operation *cast) {
  if (!isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(cast) ||
      !isNumber(cast->getOperand(0)))
    return false;
  if (!isa<arith::IndexCastUIOp, arith::ExtUIOp>(cast))
    return true;
  IndexRanges::Known range = ranges.of(cast->getOperand(0));
  return range && range->isNonNegative();
}

Linear IndexCase::evaluate(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)) && number.isSignedIntN(64))
    return Linear(number.getSExtValue());
  if (!isNumber(value))
    return opaque();
  if (auto argument = dyn_cast<BlockArgument>(value))
    return indexOf(argument);
  return evaluateOp(value.getDefiningOp());
}

Linear IndexCase::indexOf(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent))
    return argument == loop.getInductionVar() ? iterationOf(loop) : opaque();
  auto tasks = dyn_cast<tile::ForallOp>(parent);
  if (!tasks)
    return opaque();
  unsigned dim = argument.getArgNumber();
  Linear bound;
  if (std::optional<AffineMap> bounds = tasks.getBounds()) {
    bound = expressions(bounds->getSubMap({dim}), tasks.getExtents()).front();
  } else {
    auto tile = dyn_cast<IntegerAttr>((*tasks.getTiles())[dim]);
    if (!tile)
      return opaque();
    Linear size = sizesOf(tasks.getBuffer())[dim];
    bound = floorDivide(size + Linear(tile.getInt() - 1), Linear(tile.getInt()));
  }
  std::optional<int64_t> most = rangeOf(bound).high;
  Linear index = fresh({0, most ? std::optional<int64_t>(*most - 1) : std::nullopt});
  assumeNonNegative(bound - index - Linear(1));
  return index;
}

Linear IndexCase::iterationOf(scf::ForOp loop) {
  Linear begin = valueOf(loop.getLowerBound()), end = valueOf(loop.getUpperBound()), step = valueOf(loop.getStep());
  if (step.isConstant() && step.constant < 1)
    return opaque();
  std::optional<int64_t> first = rangeOf(begin).low, last = rangeOf(end).high;
  Linear index = fresh({first, last ? std::optional<int64_t>(*last - 1) : std::nullopt});
  assumeNonNegative(index - begin);
  assumeNonNegative(end - index - Linear(1));
  if (!step.isConstant())
    exact = false;
  else if (step.constant > 1)
    equate(index - begin, fresh({0, std::nullopt}) * step.constant);
  return index;
}

/// Any index up to the bound. A launch gives a rank one number, so that tasks of the rank have the same.
Linear IndexCase::clampedNumber(tile::ClampOp clamp) {
  Linear most = valueOf(clamp.getUpto());
  Value number = clamp.getNumber();
  if (!isa<BlockArgument>(number) || !isOfExtents(most))
    return between(Linear(0), most);
  for (const Given &known : given)
    if (known.number == number && known.most == most)
      return known.value;
  given.push_back({number, most, between(Linear(0), most)});
  return given.back().value;
}

Linear IndexCase::evaluateOp(Operation *op) {
  if (isa<tile::RankOp>(op))
    return thisRank();
  if (isa<tile::WorldSizeOp>(op))
    return Linear(world);
  if (auto extent = dyn_cast<tile::ExtentOp>(op))
    return expressions(extent.getSizes(), extent.getExtents()).front();
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    std::optional<int64_t> position = dim.getConstantIndex();
    SmallVector<Linear> sizes = position ? sizesOf(dim.getSource()) : SmallVector<Linear>();
    return position && *position < int64_t(sizes.size()) ? sizes[*position] : opaque();
  }
  ofData |= isa<tile::ReadOp, tile::ClampOp>(op);
  if (auto read = dyn_cast<tile::ReadOp>(op)) {
    Linear most = valueOf(read.getUpto());
    return between(Linear(0), most);
  }
  if (auto clamp = dyn_cast<tile::ClampOp>(op))
    return clampedNumber(clamp);
  if (auto chosen = dyn_cast<arith::SelectOp>(op)) {
    bool holds = choices.choose(2) == 0;
    assume(chosen.getCondition(), holds);
    return valueOf(holds ? chosen.getTrueValue() : chosen.getFalseValue());
  }
  if (isReadThrough(op))
    return valueOf(op->getOperand(0));
  return op->getNumOperands() == 2 && llvm::all_of(op->getOperands(), [&](Value operand) { return isNumber(operand); })
             ? evaluateBinary(op)
             : opaque();
}

/// What an unsigned operation takes for more than any int. Of indices AllExtents asks, of others nobody.
bool IndexCase::mayWrap(Operation *op) {
  auto compare = dyn_cast<arith::CmpIOp>(op);
  const bool isUnsigned =
      compare ? arith::CmpIPredicate::ult <= compare.getPredicate()
              : isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp, arith::MaxUIOp, arith::MinUIOp>(op);
  return isUnsigned && !op->getOperand(0).getType().isIndex() &&
         !llvm::all_of(op->getOperands(), [&](Value operand) { return isNonNegative(valueOf(operand)); });
}

/// Bits of a number's magnitude at most; 64 where that is not known.
static unsigned bitsOf(Value value, DenseMap<Value, unsigned> &known, unsigned depth = 0) {
  constexpr unsigned kDeepest = 64, kUnknown = 64, kInt = 31;
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.abs().getActiveBits();
  if (value.getType().isIndex())
    return kInt;
  if (value.getType().isSignlessInteger() && value.getType().getIntOrFloatBitWidth() <= 32)
    return value.getType().getIntOrFloatBitWidth();
  Operation *op = value.getDefiningOp();
  if (!op || depth == kDeepest)
    return kUnknown;
  if (auto found = known.find(value); found != known.end())
    return found->second;
  SmallVector<unsigned> bits =
      llvm::map_to_vector(op->getOperands(), [&](Value operand) { return bitsOf(operand, known, depth + 1); });
  unsigned all =
      llvm::TypeSwitch<Operation *, unsigned>(op)
          .Case<arith::IndexCastOp, arith::ExtSIOp, arith::ExtUIOp, arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp,
                arith::CeilDivSIOp, arith::CeilDivUIOp, arith::RemSIOp, arith::RemUIOp>([&](auto) { return bits[0]; })
          .Case<arith::MinSIOp, arith::MinUIOp, arith::MaxSIOp, arith::MaxUIOp>(
              [&](auto) { return std::max(bits[0], bits[1]); })
          .Case<arith::SelectOp>([&](auto) { return std::max(bits[1], bits[2]); })
          .Case<arith::AddIOp, arith::SubIOp>([&](auto) { return std::max(bits[0], bits[1]) + 1; })
          .Case<arith::MulIOp>([&](auto) { return bits[0] + bits[1]; })
          .Default([](Operation *) { return kUnknown; });
  return known[value] = std::min(all, kUnknown);
}

/// Whether 64 bits hold what arithmetic makes of indices: a product of two does, that of four may not.
bool IndexCase::fitsWide(Operation *op) {
  return !op->getResult(0).getType().isInteger(64) || bitsOf(op->getResult(0), bits) < 64;
}

Linear IndexCase::evaluateBinary(Operation *op) {
  if (mayWrap(op) || !fitsWide(op))
    return opaque();
  Linear left = valueOf(op->getOperand(0)), right = valueOf(op->getOperand(1));
  return llvm::TypeSwitch<Operation *, Linear>(op)
      .Case<arith::AddIOp>([&](auto) { return left + right; })
      .Case<arith::SubIOp>([&](auto) { return left - right; })
      .Case<arith::MulIOp>([&](auto) { return multiply(left, right); })
      .Case<arith::FloorDivSIOp>([&](auto) { return floorDivide(left, right); })
      .Case<arith::CeilDivSIOp>([&](auto) { return floorDivide(left + right - Linear(1), right); })
      .Case<arith::DivSIOp, arith::DivUIOp>([&](auto) { return truncatingDivide(left, right); })
      .Case<arith::CeilDivUIOp>([&](auto) { return truncatingDivide(left + right - Linear(1), right); })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) { return left - multiply(right, truncatingDivide(left, right)); })
      .Case<arith::MinSIOp, arith::MinUIOp>([&](auto) { return lesser(left, right, true); })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([&](auto) { return lesser(left, right, false); })
      .Default([&](Operation *) { return opaque(); });
}

//===-- conditions
//----------------------------------------------------------------------------------------------------===//

void IndexCase::compare(arith::CmpIPredicate predicate, const Linear &left, const Linear &right) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return equate(left, right);
  case arith::CmpIPredicate::ne:
    return assumeNonNegative((choices.choose(2) == 0 ? right - left : left - right) - Linear(1));
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    return assumeNonNegative(right - left - Linear(1));
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    return assumeNonNegative(right - left);
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    return assumeNonNegative(left - right - Linear(1));
  default:
    return assumeNonNegative(left - right);
  }
}

void IndexCase::assume(Value condition, bool holds) {
  APInt number;
  Operation *op = condition.getDefiningOp();
  if (matchPattern(condition, m_ConstantInt(&number))) {
    if (number.isZero() == holds)
      assumeNonNegative(Linear(-1));
    return;
  }
  if (auto cmp = dyn_cast_or_null<arith::CmpIOp>(op);
      cmp && isNumber(cmp.getLhs()) && isNumber(cmp.getRhs()) && !mayWrap(cmp))
    return compare(holds ? cmp.getPredicate() : arith::invertPredicate(cmp.getPredicate()), valueOf(cmp.getLhs()),
                   valueOf(cmp.getRhs()));
  // Both operands decide: each of a conjunction that holds, one of them otherwise.
  if (isa_and_nonnull<arith::AndIOp, arith::OrIOp>(op)) {
    if (isa<arith::AndIOp>(op) != holds)
      return assume(op->getOperand(choices.choose(2)), holds);
    assume(op->getOperand(0), holds);
    return assume(op->getOperand(1), holds);
  }
  // Any of those that arrive may be the last.
  if (isa_and_nonnull<tile::ArriveOp>(op))
    return;
  exact = false;
}

void IndexCase::assumeReached(Operation *op) {
  for (Operation *inner = op, *outer = op->getParentOp(); outer && outer != program; outer = outer->getParentOp()) {
    if (auto branch = dyn_cast<scf::IfOp>(outer))
      assume(branch.getCondition(), inner->getParentRegion() == &branch.getThenRegion());
    else if (auto loop = dyn_cast<scf::ForOp>(outer))
      valueOf(loop.getInductionVar());
    else if (auto tasks = dyn_cast<tile::ForallOp>(outer))
      for (BlockArgument index : tasks.getIndices())
        valueOf(index);
    inner = outer;
  }
}
