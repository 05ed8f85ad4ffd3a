// Extents of buffers as expressions, compared by evaluation.
#include "dialect/Relations.h"
#include "dialect/Conditions.h"
#include "dialect/Tile.h"

using namespace mlir;
using namespace tilec::tile;

static AffineExpr argumentExtent(ProgramOp program, BlockArgument argument, unsigned dim) {
  int64_t buffer = static_cast<int64_t>(argument.getArgNumber()) - static_cast<int64_t>(program.getNumExtents());
  if (buffer < 0 || buffer >= static_cast<int64_t>(program.getShapes().size()))
    return {};
  auto map = cast<AffineMapAttr>(program.getShapes()[buffer]).getValue();
  return dim < map.getNumResults() ? map.getResult(dim) : AffineExpr();
}

static AffineExpr allocExtent(ProgramOp program, AllocOp alloc, unsigned dim) {
  MLIRContext *context = alloc.getContext();
  if (!alloc.getParams().empty() || dim >= alloc.getSizes().getNumResults())
    return {};
  SmallVector<AffineExpr> symbols{getAffineSymbolExpr(0, context)};
  for (Value operand : alloc.getExtents()) {
    auto extent = dyn_cast<BlockArgument>(operand);
    std::optional<int64_t> constant = getConstantIntValue(operand);
    if (constant)
      symbols.push_back(getAffineConstantExpr(*constant, context));
    else if (extent && extent.getOwner() == &program.getBody().front())
      symbols.push_back(getAffineSymbolExpr(1 + extent.getArgNumber(), context));
    else
      return {};
  }
  return alloc.getSizes().getResult(dim).replaceSymbols(symbols);
}

/// Sums and products nest as deep as the author wrote them; deeper ones are not known.
static constexpr unsigned maxScalarDepth = 32;

/// Whether a remainder is the modulus of what cannot be negative, by a number that is known or by that of the ranks.
static bool isModulo(AffineExpr dividend, AffineExpr divisor) {
  auto constant = dyn_cast<AffineConstantExpr>(divisor);
  bool isPositive = constant ? constant.getValue() > 0 : divisor == getAffineSymbolExpr(0, divisor.getContext());
  bool isNatural = true;
  dividend.walk([&](AffineExpr part) {
    auto number = dyn_cast<AffineConstantExpr>(part);
    isNatural &= !number || number.getValue() >= 0;
  });
  return isPositive && isNatural;
}

static AffineExpr scalarOf(Value value, unsigned depth) {
  MLIRContext *context = value.getContext();
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return getAffineConstantExpr(*constant, context);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    bool isExtent = isa<ProgramOp>(argument.getOwner()->getParentOp());
    return isExtent ? getAffineSymbolExpr(1 + argument.getArgNumber(), context) : AffineExpr();
  }
  Operation *op = value.getDefiningOp();
  if (isa<RankOp>(op))
    return getAffineDimExpr(0, context);
  if (isa<WorldSizeOp>(op))
    return getAffineSymbolExpr(0, context);
  auto extent = dyn_cast<ExtentOp>(op);
  if (depth == maxScalarDepth || (extent && !extent.getParams().empty()) ||
      (!extent && !isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::RemUIOp, arith::RemSIOp>(op)))
    return {};
  SmallVector<AffineExpr> operands;
  for (Value operand : op->getOperands())
    if (!operands.emplace_back(scalarOf(operand, depth + 1)))
      return {};
  if (extent) {
    operands.insert(operands.begin(), getAffineSymbolExpr(0, context));
    return llvm::any_of(operands, [](AffineExpr it) { return it.isFunctionOfDim(0); })
               ? AffineExpr()
               : extent.getSizes().getResult(0).replaceSymbols(operands);
  }
  if (isa<arith::RemUIOp, arith::RemSIOp>(op))
    return isModulo(operands[0], operands[1]) ? operands[0] % operands[1] : AffineExpr();
  if (isa<arith::MulIOp>(op))
    return operands[0].isFunctionOfDim(0) && operands[1].isFunctionOfDim(0) ? AffineExpr() : operands[0] * operands[1];
  return isa<arith::AddIOp>(op) ? operands[0] + operands[1] : operands[0] - operands[1];
}

AffineExpr tilec::tile::getScalar(OpFoldResult value, MLIRContext *context) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return getAffineConstantExpr(*constant, context);
  return isa<Value>(value) ? scalarOf(cast<Value>(value), 0) : AffineExpr();
}

static AffineExpr viewExtent(memref::SubViewOp view, unsigned dim) {
  llvm::SmallBitVector dropped = view.getDroppedDims();
  for (auto [i, size] : llvm::enumerate(view.getMixedSizes()))
    if (!dropped.test(i) && dim-- == 0) {
      AffineExpr extent = getScalar(size, view.getContext());
      return extent && !extent.isFunctionOfDim(0) ? extent : AffineExpr();
    }
  return {};
}

AffineExpr tilec::tile::getExtent(Value buffer, unsigned dim) {
  if (auto argument = dyn_cast<BlockArgument>(buffer)) {
    auto program = dyn_cast_or_null<ProgramOp>(argument.getOwner()->getParentOp());
    return program ? argumentExtent(program, argument, dim) : AffineExpr();
  }
  if (auto alloc = buffer.getDefiningOp<AllocOp>())
    if (auto program = alloc->getParentOfType<ProgramOp>())
      return allocExtent(program, alloc, dim);
  if (auto view = buffer.getDefiningOp<memref::SubViewOp>())
    return viewExtent(view, dim);
  auto type = cast<MemRefType>(buffer.getType());
  if (type.isDynamicDim(dim))
    return {};
  return getAffineConstantExpr(type.getDimSize(dim), buffer.getContext());
}

bool tilec::tile::nameOtherExtents(ProgramOp program, AffineExpr a, AffineExpr b) {
  for (unsigned i = 1; i <= program.getNumExtents(); ++i)
    if (a.isFunctionOfSymbol(i) != b.isFunctionOfSymbol(i))
      return true;
  return false;
}

namespace {
/// A world and extents that a launch may have.
struct Sample {
  int64_t world;
  SmallVector<int64_t> extents;
};
} // namespace

/// Extent i is base + step * i: equal for step 0, distinct otherwise.
static SmallVector<Sample> samplesOf(ProgramOp program, ArrayRef<std::pair<int64_t, int64_t>> lines) {
  SmallVector<int64_t> worlds{2, 3, 4, 5, 6, 7, 8, 12, 16, 32, 64};
  if (program.getWorld())
    worlds = {static_cast<int64_t>(*program.getWorld())};
  SmallVector<Sample> samples;
  for (int64_t world : worlds)
    for (auto [base, step] : lines) {
      Sample &sample = samples.emplace_back(Sample{world, {}});
      for (unsigned i = 1; i <= program.getNumExtents(); ++i)
        sample.extents.push_back(std::max<int64_t>(1, base + step * i));
      makeLaunchable(program, world, sample.extents, [](unsigned) { return false; });
      if (!satisfies(program, world, sample.extents))
        samples.pop_back();
    }
  return samples;
}

static constexpr std::pair<int64_t, int64_t> commonLines[] = {{1, 0}, {2, 0},   {64, 0},   {4096, 0},
                                                              {0, 1}, {96, 32}, {1000, -7}};

bool tilec::tile::contradict(ProgramOp program, AffineExpr a, AffineExpr b) {
  if (!a || !b || a == b)
    return false;
  bool others = nameOtherExtents(program, a, b), differ = false;
  for (const Sample &sample : samplesOf(program, commonLines)) {
    std::optional<int64_t> x = valueOf(a, sample.world, sample.extents), y = valueOf(b, sample.world, sample.extents);
    if (!others && (!x || !y || *x == *y))
      return false;
    differ |= x && y && *x != *y;
  }
  return differ;
}

/// Calls back for every rank of every sample, until it says no; an expression may then depend on the rank.
static bool holdsOnRanks(ProgramOp program, llvm::function_ref<bool(const Sample &, AffineExpr rank)> holds,
                         bool everyRank) {
  constexpr std::pair<int64_t, int64_t> lines[] = {{1, 0}, {64, 0}, {96, 32}, {1000, 7}};
  SmallVector<Sample> samples = samplesOf(program, lines);
  for (const Sample &sample : samples) {
    // The first ranks and the last show a factor; those between would repeat them.
    bool some = false, all = true;
    for (int64_t rank = 0; rank < sample.world; ++rank) {
      if (rank > 2 && rank + 1 < sample.world)
        continue;
      bool here = holds(sample, getAffineConstantExpr(rank, program.getContext()));
      some |= here;
      all &= here;
    }
    if (!(everyRank ? all : some))
      return false;
  }
  return !samples.empty();
}

bool tilec::tile::alwaysEqual(ProgramOp program, AffineExpr a, AffineExpr b) {
  if (!a || !b || a == b)
    return a && b;
  return holdsOnRanks(
      program,
      [&](const Sample &sample, AffineExpr rank) {
        std::optional<int64_t> x = valueOf(a.replaceDims(rank), sample.world, sample.extents),
                               y = valueOf(b.replaceDims(rank), sample.world, sample.extents);
        return x && y && *x == *y;
      },
      /*everyRank=*/true);
}

bool tilec::tile::alwaysMeet(ProgramOp program, ArrayRef<Interval> a, ArrayRef<Interval> b) {
  return holdsOnRanks(
      program,
      [&](const Sample &sample, AffineExpr rank) {
        auto at = [&](AffineExpr it) {
          return it ? valueOf(it.replaceDims(rank), sample.world, sample.extents) : std::nullopt;
        };
        return llvm::all_of_zip(a, b, [&](const Interval &left, const Interval &right) {
          std::optional<int64_t> x = at(left.first), y = at(right.first), m = at(left.size), n = at(right.size);
          return x && y && m && n && *x < *y + *n && *y < *x + *m;
        });
      },
      /*everyRank=*/false);
}

std::optional<SmallVector<int64_t>> tilec::tile::findUnlikeExtents(ProgramOp program, AffineExpr a, AffineExpr b) {
  if (!a || !b || a == b || !program.getWorld() || nameOtherExtents(program, a, b))
    return std::nullopt;
  constexpr std::pair<int64_t, int64_t> lines[] = {{1, 0},  {2, 0},   {3, 0},    {5, 0}, {7, 0},     {9, 0},
                                                   {16, 0}, {100, 0}, {4096, 0}, {5, 6}, {65537, 0}, {1000003, 7}};
  for (const Sample &sample : samplesOf(program, lines)) {
    std::optional<int64_t> x = valueOf(a, sample.world, sample.extents), y = valueOf(b, sample.world, sample.extents);
    if (x && y && *x != *y)
      return sample.extents;
  }
  return std::nullopt;
}

/// As the author would write it; `tight` asks for parentheses around what is no single name or number.
static void write(ProgramOp program, AffineExpr expr, bool tight, llvm::raw_ostream &stream) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    stream << constant.getValue();
  } else if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    unsigned position = symbol.getPosition();
    if (position == 0)
      stream << "W";
    else if (auto name = dyn_cast<NameLoc>(program.getExtents()[position - 1].getLoc()))
      stream << "%" << name.getName().getValue();
    else
      stream << "extent " << position - 1;
  } else if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr)) {
    bool sum = binary.getKind() == AffineExprKind::Add;
    auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
    stream << (tight ? "(" : "");
    write(program, binary.getLHS(), !sum, stream);
    if (sum && constant && constant.getValue() < 0) {
      stream << " - " << -static_cast<uint64_t>(constant.getValue());
    } else {
      stream << (sum                                            ? " + "
                 : binary.getKind() == AffineExprKind::Mul      ? " * "
                 : binary.getKind() == AffineExprKind::CeilDiv  ? " ceildiv "
                 : binary.getKind() == AffineExprKind::FloorDiv ? " floordiv "
                                                                : " mod ");
      write(program, binary.getRHS(), !sum, stream);
    }
    stream << (tight ? ")" : "");
  }
}

std::string tilec::tile::describeExtent(ProgramOp program, AffineExpr expr) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  write(program, expr, /*tight=*/false, stream);
  return text;
}
