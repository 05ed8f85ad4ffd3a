// Extents at which a quotient or remainder of the program becomes 0, or stops being it.
#include "passes/checker/TurningPoints.h"
#include "passes/analysis/IndexForm.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

namespace {

constexpr int64_t kLargest = 65536;

/// Calls visit(expression over the extents) for sizes, bounds and the ends of loops.
template <typename Visit>
void forEachExpression(tile::ProgramOp program, Visit &&visit) {
  const int64_t world = program.getWorld().value_or(1);
  program->walk([&](Operation *op) {
    for (StringRef name : {"sizes", "bounds"})
      if (auto map = op->getAttrOfType<AffineMapAttr>(name)) {
        // Symbol 0 is W.
        unsigned symbols = std::max(map.getValue().getNumSymbols(), 1u) - 1;
        if (symbols > op->getNumOperands())
          continue;
        if (auto expressions = overExtents(map.getValue(), op->getOperands().take_front(symbols), world))
          llvm::for_each(*expressions, visit);
      }
    if (auto loop = dyn_cast<scf::ForOp>(op))
      visit(IndexForm::of(loop.getUpperBound()).constant);
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

} // namespace

SmallVector<TurningPoint> checker::findTurningPoints(tile::ProgramOp program, ArrayRef<int64_t> values, size_t most) {
  SmallVector<TurningPoint> points;
  llvm::DenseSet<AffineExpr> seen;
  auto consider = [&](AffineExpr part) {
    if (part.getKind() != AffineExprKind::FloorDiv && part.getKind() != AffineExprKind::Mod)
      return;
    std::optional<unsigned> symbol = soleSymbol(part);
    if (!symbol || *symbol >= program.getNumExtents() || !seen.insert(part).second)
      return;
    auto isZero = [&](int64_t extent) { return valueAt(part, extent) == 0; };
    bool zero = llvm::any_of(values, isZero), other = !llvm::all_of(values, isZero);
    for (int64_t extent = 1; extent <= kLargest && !(zero && other) && points.size() < most; ++extent) {
      bool isHere = isZero(extent);
      if (isHere ? zero : other)
        continue;
      (isHere ? zero : other) = true;
      TurningPoint point{*symbol, extent};
      if (!llvm::is_contained(points, point))
        points.push_back(point);
    }
  };
  forEachExpression(program, [&](AffineExpr expression) { expression.walk(consider); });
  return points;
}
