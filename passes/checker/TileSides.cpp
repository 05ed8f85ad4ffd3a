// Follows indices back to the loops that they come from.
#include "passes/checker/TileSides.h"
#include "passes/analysis/IndexForm.h"

#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

SmallVector<AffineExpr> checker::loopBounds(Operation *op, int64_t world) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    IndexForm upper = IndexForm::of(loop.getUpperBound());
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    if (!upper.isConstant())
      return {};
    return {step && *step > 1 ? upper.constant.ceilDiv(*step) : upper.constant};
  }
  auto tasks = dyn_cast<tile::ForallOp>(op);
  if (!tasks)
    return {};
  if (tasks.getBounds())
    return overExtents(*tasks.getBounds(), tasks.getExtents(), world).value_or(SmallVector<AffineExpr>());
  SmallVector<AffineExpr> bounds;
  for (auto [size, tile] : llvm::zip(shapeOf(tasks.getBuffer()), *tasks.getTiles())) {
    auto side = dyn_cast<IntegerAttr>(tile);
    if (!side || !size)
      return {};
    bounds.push_back(size.ceilDiv(side.getInt()));
  }
  return bounds;
}

namespace {

/// Calls `visit(symbol, divisor, multiple)` for the extents of an expression: by what it divides them, 1 where it does
/// not, and by what it multiplies them before.
void forEachDivisor(AffineExpr expression, llvm::function_ref<void(unsigned, int64_t, int64_t)> visit,
                    int64_t divisor = 1, int64_t multiple = 1) {
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return visit(symbol.getPosition(), divisor, multiple);
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary)
    return;
  auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
  const int64_t constant = by ? std::max<int64_t>(by.getValue(), 1) : 1;
  const AffineExprKind kind = binary.getKind();
  if (kind == AffineExprKind::CeilDiv || kind == AffineExprKind::FloorDiv)
    forEachDivisor(binary.getLHS(), visit, llvm::SaturatingMultiply<uint64_t>(divisor, constant), 1);
  else
    forEachDivisor(binary.getLHS(), visit, divisor,
                   kind == AffineExprKind::Add   ? multiple
                   : kind == AffineExprKind::Mul ? llvm::SaturatingMultiply<uint64_t>(multiple, constant)
                                                 : 1);
  forEachDivisor(binary.getRHS(), visit, divisor, kind == AffineExprKind::Add ? multiple : 1);
}

class SideFinder {
public:
  explicit SideFinder(tile::ProgramOp program) : program(program), world(program.getWorld().value_or(1)) {
    constexpr int64_t most = std::numeric_limits<int64_t>::max();
    sides.resize(program.getNumExtents(), {most, 1, most});
    for (BlockArgument extent : program.getExtents())
      add(extent, llvm::SmallBitVector(sides.size()).set(extent.getArgNumber()));
  }

  SmallVector<TileSides> run() {
    program.walk<WalkOrder::PreOrder>([&](Operation *op) { visit(op); });
    for (Attribute shape : program.getShapes())
      for (AffineExpr size : overExtents(cast<AffineMapAttr>(shape).getValue(), program.getExtents(), world)
                                 .value_or(SmallVector<AffineExpr>()))
        noteMultiples(size);
    for (auto [extent, side] : llvm::zip(program.getExtents(), sides)) {
      side.finest = std::min(side.finest, side.greatest);
      if (llvm::any_of(extent.getUses(), [](OpOperand &use) { return !isSymbol(use); }))
        side.multiple = 1;
    }
    return sides;
  }

private:
  using Extents = llvm::SmallBitVector;

  void add(Value value, const Extents &extents) { known[value] = extents; }

  /// Whether maps of the operation alone use an operand.
  static bool isSymbol(OpOperand &use) {
    return llvm::any_of(use.getOwner()->getAttrs(), [&](NamedAttribute attribute) {
      auto map = dyn_cast<AffineMapAttr>(attribute.getValue());
      return map && use.getOperandNumber() + 1 < map.getValue().getNumSymbols();
    });
  }

  void noteMultiples(AffineExpr expression) {
    forEachDivisor(expression, [&](unsigned extent, int64_t, int64_t multiple) {
      sides[extent].multiple = std::min(sides[extent].multiple, multiple);
    });
  }

  /// The extents on which the range of a value depends. Operations are visited in order, so that operands are known;
  /// what loops carry and branches yield is taken to depend on all.
  Extents extentsOf(Value value) const {
    if (auto it = known.find(value); it != known.end())
      return it->second;
    return Extents(sides.size(), isa<BlockArgument>(value) || value.getDefiningOp()->getNumRegions());
  }

  Extents extentsOf(ValueRange values) const {
    Extents all(sides.size());
    for (Value value : values)
      if (value.getType().isIntOrIndex())
        all |= extentsOf(value);
    return all;
  }

  Extents symbolsOf(AffineExpr expression) const {
    Extents all(sides.size());
    forEachDivisor(expression, [&](unsigned extent, int64_t, int64_t) { all.set(extent); });
    return all;
  }

  void reach(const Extents &extents, int64_t side) {
    for (unsigned extent : extents.set_bits())
      sides[extent].greatest = std::max(sides[extent].greatest, side);
  }

  void visit(Operation *op) {
    visitBounds(op);
    if (auto access = dyn_cast<tile::AccessOpInterface>(op))
      visitAccess(access);
    for (NamedAttribute attribute : op->getAttrs())
      if (auto map = dyn_cast<AffineMapAttr>(attribute.getValue()))
        visitExpressions(op, map.getValue());
    if (op->getNumResults() != 1 || op->getNumRegions() || !op->getResult(0).getType().isIntOrIndex())
      return;
    Extents extents = extentsOf(op->getOperands());
    if (auto extent = dyn_cast<tile::ExtentOp>(op))
      extents |= symbolsOf(IndexForm::of(extent.getResult()).constant);
    add(op->getResult(0), extents);
    // A factor is the side of a tile, which an access names, or the step of an index, which moves with it.
    if (!isa<arith::MulIOp>(op))
      for (Value operand : op->getOperands())
        if (std::optional<int64_t> constant = getConstantIntValue(operand))
          reach(extents, std::abs(std::max(*constant, -std::numeric_limits<int64_t>::max())));
  }

  /// The indices of a loop depend on its bounds.
  void visitBounds(Operation *op) {
    SmallVector<AffineExpr> bounds = loopBounds(op, world);
    for (AffineExpr bound : bounds)
      forEachDivisor(bound, [&](unsigned extent, int64_t side, int64_t) {
        sides[extent].finest = std::min(sides[extent].finest, side);
        sides[extent].greatest = std::max(sides[extent].greatest, side);
      });
    if (auto loop = dyn_cast<scf::ForOp>(op))
      add(loop.getInductionVar(), extentsOf(ValueRange{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}));
    if (auto tasks = dyn_cast<tile::ForallOp>(op))
      for (auto [index, bound] : llvm::zip(tasks.getBody().getArguments(), bounds))
        add(index, symbolsOf(bound));
  }

  void visitAccess(tile::AccessOpInterface access) {
    SmallVector<AffineExpr> sizes = shapeOf(access.getAccessedBuffer());
    for (auto [dim, index, side, size] : llvm::enumerate(access.getAccessIndices(), access.getMovedShape(), sizes)) {
      Extents from = access.isEach(dim) ? Extents(sides.size()) : extentsOf(index);
      reach(size ? from |= symbolsOf(size) : Extents(sides.size(), true), side);
    }
  }

  /// Divisors, and what is added to extents.
  void visitExpressions(Operation *op, AffineMap map) {
    unsigned symbols = std::max(map.getNumSymbols(), 1u) - 1;
    if (symbols > op->getNumOperands())
      return;
    auto expressions = overExtents(map, op->getOperands().take_front(symbols), world);
    for (AffineExpr expression : expressions.value_or(SmallVector<AffineExpr>())) {
      Extents extents = symbolsOf(expression);
      noteMultiples(expression);
      forEachDivisor(expression, [&](unsigned extent, int64_t side, int64_t) {
        sides[extent].greatest = std::max(sides[extent].greatest, side);
      });
      expression.walk([&](AffineExpr part) {
        auto sum = dyn_cast<AffineBinaryOpExpr>(part);
        auto constant = sum ? dyn_cast<AffineConstantExpr>(sum.getRHS()) : AffineConstantExpr();
        if (constant && sum.getKind() != AffineExprKind::Mul)
          reach(extents, std::abs(constant.getValue()));
      });
    }
  }

  tile::ProgramOp program;
  int64_t world;
  SmallVector<TileSides> sides;
  llvm::DenseMap<Value, Extents> known;
};

} // namespace

SmallVector<TileSides> checker::tileSides(tile::ProgramOp program) { return SideFinder(program).run(); }
