// Linear forms of index values.
#include "passes/analysis/IndexForm.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

ProgramOp tilec::programOf(Value value) {
  Operation *owner = value.getParentBlock()->getParentOp();
  auto program = dyn_cast<ProgramOp>(owner);
  return program ? program : owner->getParentOfType<ProgramOp>();
}

static AffineExpr simplify(AffineExpr expr) { return simplifyAffineExpr(expr, 0, 64); }

static bool isZero(AffineExpr expr) {
  auto constant = dyn_cast<AffineConstantExpr>(expr);
  return constant && constant.getValue() == 0;
}

IndexForm IndexForm::of(int64_t constant, MLIRContext *context) {
  return {{}, getAffineConstantExpr(constant, context)};
}

IndexForm IndexForm::of(OpFoldResult value, MLIRContext *context) {
  if (auto attribute = dyn_cast<Attribute>(value))
    return of(cast<IntegerAttr>(attribute).getInt(), context);
  return of(cast<Value>(value));
}

using KnownForms = DenseMap<Value, IndexForm>;

/// An expression list whose operands have a form in `known`.
static std::optional<SmallVector<AffineExpr>> overKnown(AffineMap map, ValueRange operands, int64_t world,
                                                        const KnownForms &known) {
  SmallVector<AffineExpr> symbols{getAffineConstantExpr(world, map.getContext())};
  for (Value operand : operands) {
    const IndexForm &form = known.at(operand);
    if (!form.isConstant())
      return std::nullopt;
    symbols.push_back(form.constant);
  }
  if (symbols.size() < map.getNumSymbols())
    return std::nullopt;
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : map.getResults())
    results.push_back(simplify(expr.replaceSymbols(symbols)));
  return results;
}

/// Which numbers of fewer than 32 bits are what they were made of; null where no cast is read through.
using IsExact = FormsThroughCasts::IsExact;

/// What converts one integer into another that has room for it.
static bool isCast(Operation *op, const IsExact *isExact) {
  if (!isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
    return false;
  Value made = op->getResult(0);
  return made.getType().isIndex() || made.getType().getIntOrFloatBitWidth() >= 32 || (isExact && (*isExact)(made));
}

/// An index as 64 bits, or back: an index that does not fit an int is an error, so nothing is lost.
static bool isWideCast(Operation *op) {
  return isa_and_nonnull<arith::IndexCastOp>(op) &&
         (op->getResult(0).getType().isInteger(64) || op->getOperand(0).getType().isInteger(64));
}

/// Whether it can be computed from indices alone.
static bool isOfIndices(const IndexForm &form) {
  return llvm::all_of(form.terms, [](const auto &term) { return term.first.getType().isIndex(); });
}

/// The form of a value whose operands have one in `known`; of a converted one that has, the same.
static IndexForm formOf(Value value, const KnownForms &known, const IsExact *throughCasts) {
  MLIRContext *context = value.getContext();
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return IndexForm::of(*constant, context);
  IndexForm variable{{{value, getAffineConstantExpr(1, context)}}, getAffineConstantExpr(0, context)};
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto program = dyn_cast<ProgramOp>(argument.getOwner()->getParentOp());
    bool isExtent = program && argument.getArgNumber() < program.getNumExtents();
    return isExtent ? IndexForm::of(getAffineSymbolExpr(argument.getArgNumber(), context)) : variable;
  }
  Operation *op = value.getDefiningOp();
  if (auto extent = dyn_cast<ExtentOp>(op)) {
    int64_t world = programOf(value).getWorld().value_or(0);
    auto exprs = overKnown(extent.getSizes(), extent.getExtents(), world, known);
    return exprs ? IndexForm::of(exprs->front()) : variable;
  }
  if (isCast(op, throughCasts) && known.contains(op->getOperand(0))) {
    const IndexForm &form = known.at(op->getOperand(0));
    return throughCasts || isOfIndices(form) ? form : variable;
  }
  if (auto add = dyn_cast<arith::AddIOp>(op))
    return known.at(add.getLhs()) + known.at(add.getRhs());
  if (auto sub = dyn_cast<arith::SubIOp>(op))
    return known.at(sub.getLhs()) - known.at(sub.getRhs());
  if (auto mul = dyn_cast<arith::MulIOp>(op)) {
    const IndexForm &lhs = known.at(mul.getLhs()), &rhs = known.at(mul.getRhs());
    if (rhs.isConstant())
      return lhs * rhs.constant;
    if (lhs.isConstant())
      return rhs * lhs.constant;
  }
  return variable;
}

/// Adds the forms of a value and of all that it is made of, operands before what uses them and each once: a chain may
/// be longer than the stack is deep, and a sum of a value with itself doubles the paths to what is below.
static void addForms(Value value, KnownForms &known, const IsExact *throughCasts) {
  SmallVector<Value> pending{value};
  while (!pending.empty()) {
    Value next = pending.back();
    Operation *op = next.getDefiningOp();
    if (isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp, ExtentOp>(op) ||
        (throughCasts ? isCast(op, throughCasts) : isWideCast(op))) {
      auto operands = op->getOperands();
      auto unknown = llvm::find_if(operands, [&](Value operand) { return !known.contains(operand); });
      if (unknown != operands.end()) {
        pending.push_back(*unknown);
        continue;
      }
    }
    // Before the entry is made: making it moves the others.
    IndexForm form = formOf(next, known, throughCasts);
    known[next] = std::move(form);
    pending.pop_back();
  }
}

IndexForm IndexForm::of(Value value) {
  KnownForms known;
  addForms(value, known, /*throughCasts=*/nullptr);
  return known.at(value);
}

const IndexForm &FormsThroughCasts::of(Value value) {
  if (!known.contains(value))
    addForms(value, known, &isExact);
  return known.find(value)->second;
}

IndexForm IndexForm::above(Value value) {
  if (auto least = value.getDefiningOp<arith::MinSIOp>())
    for (Value operand : least->getOperands())
      if (std::optional<int64_t> constant = getConstantIntValue(operand))
        return of(*constant, value.getContext());
  return of(value);
}

std::optional<AffineExpr> tilec::mostTrips(scf::ForOp loop) {
  SmallVector<Value> ends{loop.getUpperBound()};
  if (Operation *least = ends.front().getDefiningOp(); isa_and_nonnull<arith::MinSIOp, arith::MinUIOp>(least))
    llvm::append_range(ends, least->getOperands());
  IndexForm begin = IndexForm::of(loop.getLowerBound());
  std::optional<AffineExpr> trips;
  for (Value end : ends)
    if (IndexForm length = IndexForm::of(end) - begin;
        length.isConstant() && (!trips || isa<AffineConstantExpr>(length.constant)))
      trips = length.constant;
  return trips;
}

IndexForm IndexForm::operator+(const IndexForm &other) const {
  IndexForm sum = *this;
  sum.constant = simplify(sum.constant + other.constant);
  for (auto [variable, factor] : other.terms) {
    auto *it = llvm::find_if(sum.terms, [v = variable](const auto &term) { return term.first == v; });
    if (it == sum.terms.end())
      sum.terms.push_back({variable, factor});
    else
      it->second = simplify(it->second + factor);
  }
  llvm::erase_if(sum.terms, [](const auto &term) { return isZero(term.second); });
  return sum;
}

IndexForm IndexForm::operator*(AffineExpr factor) const {
  IndexForm product = *this;
  product.constant = simplify(product.constant * factor);
  for (auto &term : product.terms)
    term.second = simplify(term.second * factor);
  llvm::erase_if(product.terms, [](const auto &term) { return isZero(term.second); });
  return product;
}

IndexForm IndexForm::operator-(const IndexForm &other) const {
  return *this + other * getAffineConstantExpr(-1, constant.getContext());
}

bool IndexForm::operator==(const IndexForm &other) const {
  IndexForm difference = *this - other;
  return difference.isConstant() && isZero(difference.constant);
}

AffineExpr IndexForm::coefficient(Value variable) const {
  for (auto [candidate, factor] : terms)
    if (candidate == variable)
      return factor;
  return {};
}

IndexForm IndexForm::without(Value variable) const {
  IndexForm rest = *this;
  llvm::erase_if(rest.terms, [&](const auto &term) { return term.first == variable; });
  return rest;
}

IndexForm IndexForm::substitute(Value variable, const IndexForm &by) const {
  AffineExpr factor = coefficient(variable);
  return factor ? without(variable) + by * factor : *this;
}

//===-- emission
//----------------------------------------------------------------------------------------------------===//

std::pair<AffineMap, SmallVector<Value>> tilec::extentOperands(Block *programBody, ArrayRef<AffineExpr> exprs) {
  MLIRContext *context = exprs.empty() ? programBody->getParentOp()->getContext() : exprs.front().getContext();
  unsigned numExtents = cast<ProgramOp>(programBody->getParentOp()).getNumExtents();
  SmallVector<AffineExpr> symbols(numExtents, getAffineConstantExpr(0, context));
  SmallVector<Value> operands;
  for (unsigned i = 0; i < numExtents; ++i) {
    if (llvm::none_of(exprs, [&](AffineExpr expr) { return expr.isFunctionOfSymbol(i); }))
      continue;
    operands.push_back(programBody->getArgument(i));
    symbols[i] = getAffineSymbolExpr(operands.size(), context);
  }
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : exprs)
    results.push_back(expr.replaceSymbols(symbols));
  return {AffineMap::get(0, 1 + operands.size(), results, context), operands};
}

Value tilec::materializeExtent(OpBuilder &builder, Location loc, AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return arith::ConstantIndexOp::create(builder, loc, constant.getValue());
  Operation *parent = builder.getInsertionBlock()->getParentOp();
  auto program = isa<ProgramOp>(parent) ? cast<ProgramOp>(parent) : parent->getParentOfType<ProgramOp>();
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return program.getBody().getArgument(symbol.getPosition());
  auto [map, operands] = extentOperands(&program.getBody().front(), expr);
  return ExtentOp::create(builder, loc, builder.getIndexType(), operands, AffineMapAttr::get(map),
                          builder.getArrayAttr({}));
}

/// The positive part of `-expr`, where an expression is a negative constant or carries a negative factor.
static AffineExpr negated(AffineExpr expr) {
  auto product = dyn_cast<AffineBinaryOpExpr>(expr);
  auto factor =
      dyn_cast<AffineConstantExpr>(product && product.getKind() == AffineExprKind::Mul ? product.getRHS() : expr);
  return factor && factor.getValue() < 0 ? simplify(expr * -1) : AffineExpr();
}

bool tilec::isNonNegative(AffineExpr expr) {
  bool negative = false;
  expr.walk([&](AffineExpr part) {
    auto constant = dyn_cast<AffineConstantExpr>(part);
    negative |= constant && constant.getValue() < 0;
  });
  return !negative;
}

/// How far a value is followed that is no linear form.
constexpr unsigned kDeepest = 8;

static bool isNonNegative(const IndexForm &form, unsigned depth);

/// True when a variable of a form is known not to be negative.
static bool isNonNegative(Value variable, unsigned depth) {
  if (depth == 0)
    return false;
  auto all = [&](ValueRange values) {
    return llvm::all_of(values, [&](Value value) { return isNonNegative(IndexForm::of(value), depth - 1); });
  };
  if (auto argument = dyn_cast<BlockArgument>(variable)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop ? argument == loop.getInductionVar() && all(loop.getLowerBound()) : true;
  }
  Operation *op = variable.getDefiningOp();
  // An unsigned operation has no negative operand: that is an error of its own.
  if (isa<RankOp, WorldSizeOp, ReadOp, ClampOp, ExtentOp, arith::DivUIOp, arith::CeilDivUIOp, arith::RemUIOp,
          arith::MinUIOp, arith::MaxUIOp>(op))
    return true;
  if (isa<arith::MinSIOp, arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp, arith::MulIOp>(op) || isWideCast(op))
    return all(op->getOperands());
  if (isa<arith::MaxSIOp>(op))
    return llvm::any_of(op->getOperands(), [&](Value operand) { return all(operand); });
  if (isa<arith::RemSIOp>(op))
    return all(op->getOperand(0));
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return all({select.getTrueValue(), select.getFalseValue()});
  return false;
}

static bool isNonNegative(const IndexForm &form, unsigned depth) {
  return isNonNegative(form.constant) && llvm::all_of(form.terms, [&](const auto &term) {
           return isNonNegative(term.second) && isNonNegative(term.first, depth);
         });
}

bool tilec::isNonNegative(const IndexForm &form) { return ::isNonNegative(form, kDeepest); }

Value IndexForm::materialize(OpBuilder &builder, Location loc) const {
  Value sum;
  // Added first, subtracted after: a reader expects `m * 128 - r * M`.
  auto accumulate = [&](Value variable, AffineExpr factor, bool subtract) {
    auto one = dyn_cast<AffineConstantExpr>(factor);
    Value term = variable;
    if (!variable)
      term = materializeExtent(builder, loc, factor);
    else if (!one || one.getValue() != 1)
      term = arith::MulIOp::create(builder, loc, variable, materializeExtent(builder, loc, factor));
    if (subtract && !sum)
      sum = arith::ConstantIndexOp::create(builder, loc, 0);
    sum = !sum       ? term
          : subtract ? arith::SubIOp::create(builder, loc, sum, term).getResult()
                     : arith::AddIOp::create(builder, loc, sum, term).getResult();
  };
  for (bool subtract : {false, true}) {
    for (auto [variable, factor] : terms) {
      AffineExpr opposite = negated(factor);
      if (subtract == static_cast<bool>(opposite))
        accumulate(variable, opposite ? opposite : factor, subtract);
    }
    AffineExpr opposite = negated(constant);
    if (!isZero(constant) && subtract == static_cast<bool>(opposite))
      accumulate({}, opposite ? opposite : constant, subtract);
  }
  return sum ? sum : materializeExtent(builder, loc, constant);
}

//===-- shapes
//------------------------------------------------------------------------------------------------------===//

std::optional<SmallVector<AffineExpr>> tilec::overExtents(AffineMap map, ValueRange operands, int64_t world) {
  KnownForms known;
  for (Value operand : operands)
    addForms(operand, known, /*throughCasts=*/nullptr);
  return overKnown(map, operands, world, known);
}

SmallVector<AffineExpr> tilec::shapeOf(Value buffer) {
  MLIRContext *context = buffer.getContext();
  auto type = cast<MemRefType>(buffer.getType());
  ProgramOp program = programOf(buffer);
  int64_t world = program.getWorld().value_or(0);
  SmallVector<AffineExpr> shape(type.getRank());
  if (auto argument = dyn_cast<BlockArgument>(buffer); argument && argument.getOwner()->getParentOp() == program) {
    auto map = cast<AffineMapAttr>(program.getShapes()[argument.getArgNumber() - program.getNumExtents()]).getValue();
    SmallVector<Value> extents(program.getExtents());
    if (auto exprs = overExtents(map, extents, world))
      return *exprs;
  } else if (auto alloc = buffer.getDefiningOp<AllocOp>()) {
    if (auto exprs = overExtents(alloc.getSizes(), alloc.getExtents(), world))
      return *exprs;
  } else if (auto view = buffer.getDefiningOp<memref::SubViewOp>()) {
    llvm::SmallBitVector dropped = view.getDroppedDims();
    unsigned result = 0;
    for (auto [i, size] : llvm::enumerate(view.getMixedSizes())) {
      if (dropped.test(i))
        continue;
      IndexForm form = IndexForm::of(size, context);
      if (form.isConstant())
        shape[result] = form.constant;
      ++result;
    }
    return shape;
  }
  for (auto [i, size] : llvm::enumerate(type.getShape()))
    if (!ShapedType::isDynamic(size))
      shape[i] = getAffineConstantExpr(size, context);
  return shape;
}
