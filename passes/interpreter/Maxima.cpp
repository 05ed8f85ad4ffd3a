// Differences from maxima, whose operands' errors are correlated.
#include "passes/interpreter/Limits.h"
#include "passes/interpreter/RealFunctions.h"

#include "dialect/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::interpreter;

namespace {

/// Of each element: how great the greatest of the others in its maximum can be, at most and at least; -inf without one.
struct Rivals {
  std::vector<double> most, least;

  explicit Rivals(int64_t count) : most(count, -infinity), least(count, -infinity) {}
  void join(int64_t i, double value, double error) {
    if (std::isnan(value))
      return;
    most[i] = std::max(most[i], value + error);
    least[i] = std::max(least[i], value - error);
  }
};

/// The lines of a tile along one dimension.
struct Lines {
  int64_t dim, stride, size;

  Lines(ArrayRef<int64_t> shape, int64_t dim) : dim(dim), stride(count(shape.drop_front(dim + 1))), size(shape[dim]) {}
  int64_t of(int64_t element) const { return element / (stride * size) * stride + element % stride; }
};

class MaximumOf {
public:
  MaximumOf(mlir::Value tile, const Elements &elements, Lookup valueOf)
      : rivals(elements.size()), outside(elements.size(), -infinity), tile(tile), elements(elements), valueOf(valueOf) {
  }

  /// Whether `maximum` covers the tile; collects the rivals.
  bool covers(mlir::Value maximum);
  /// Whether every line has an element that none of another tile exceeds: the maximum is that line's own.
  bool winsEveryLine() const;

  Rivals rivals;
  std::vector<double> outside; ///< of each element, how great rivals from other tiles can be at most
  std::optional<int64_t> line; ///< the dimension along which the tile's own elements are rivals

private:
  bool coversLines(mlir::Value maximum, const Lines &lines);
  template <typename Covers, typename At>
  bool coversOne(Operation *op, Covers covers, At at);
  void joinLines(const Lines &lines);

  mlir::Value tile;
  const Elements &elements;
  Lookup valueOf;
};

} // namespace

/// A maximum of two, of which one covers the tile; the other's element `at(i)` is a rival of element i.
template <typename Covers, typename At>
bool MaximumOf::coversOne(Operation *op, Covers covers, At at) {
  for (unsigned one : {0, 1}) {
    const Elements *other = valueOf(op->getOperand(1 - one));
    if (!other || !covers(op->getOperand(one)))
      continue;
    for (int64_t i = 0, n = elements.size(); i < n; ++i) {
      double value = other->real[at(i)], error = other->errorAt(at(i));
      rivals.join(i, value, error);
      outside[i] = std::isnan(value) ? infinity : std::max(outside[i], value + error);
    }
    return true;
  }
  return false;
}

bool MaximumOf::covers(mlir::Value maximum) {
  if (maximum == tile)
    return true;
  Operation *op = maximum.getDefiningOp();
  if (isa_and_nonnull<arith::MaximumFOp>(op))
    return coversOne(op, [this](mlir::Value value) { return covers(value); }, [](int64_t i) { return i; });
  auto broadcast = dyn_cast_if_present<BroadcastOp>(op);
  int64_t rank = static_cast<int64_t>(elements.shape.size());
  if (!broadcast || static_cast<int64_t>(broadcast.getDims().size()) + 1 != rank)
    return false;
  // The dimension that the broadcast adds; the others stand in their order.
  int64_t added = rank - 1;
  for (auto [i, dim] : llvm::enumerate(broadcast.getDims())) {
    if (dim != static_cast<int64_t>(i) && added == rank - 1)
      added = static_cast<int64_t>(i);
    if (dim != static_cast<int64_t>(i) + (static_cast<int64_t>(i) >= added))
      return false;
  }
  return coversLines(broadcast.getOperand(), Lines(elements.shape, added));
}

bool MaximumOf::coversLines(mlir::Value maximum, const Lines &lines) {
  Operation *op = maximum.getDefiningOp();
  if (isa_and_nonnull<arith::MaximumFOp>(op))
    return coversOne(
        op, [&](mlir::Value value) { return coversLines(value, lines); }, [&](int64_t i) { return lines.of(i); });
  auto reduce = dyn_cast_if_present<ReduceOp>(op);
  if (!reduce || reduce.getOperand() != tile || reduce.getKind() != Reduction::Maximum ||
      static_cast<int64_t>(reduce.getDim()) != lines.dim)
    return false;
  joinLines(lines);
  line = lines.dim;
  return true;
}

bool MaximumOf::winsEveryLine() const {
  if (!line)
    return false;
  Lines lines(elements.shape, *line);
  std::vector<bool> wins(lines.size ? elements.size() / lines.size : 0, false);
  for (int64_t i = 0, n = elements.size(); i < n; ++i)
    if (elements.real[i] - elements.errorAt(i) >= outside[i])
      wins[lines.of(i)] = true;
  return llvm::all_of(wins, [](bool one) { return one; });
}

/// Of every line the greatest of all but one.
void MaximumOf::joinLines(const Lines &lines) {
  if (lines.size == 0)
    return;
  for (int64_t line = 0, n = elements.size() / lines.size; line < n; ++line) {
    int64_t start = line / lines.stride * lines.stride * lines.size + line % lines.stride;
    // The greatest two, of both ends.
    double most[2] = {-infinity, -infinity}, least[2] = {-infinity, -infinity};
    auto add = [](double (&best)[2], double value) {
      if (value > best[0])
        best[1] = std::exchange(best[0], value);
      else if (value > best[1])
        best[1] = value;
    };
    for (int64_t k = 0; k < lines.size; ++k) {
      int64_t i = start + k * lines.stride;
      add(most, elements.real[i] + elements.errorAt(i));
      add(least, elements.real[i] - elements.errorAt(i));
    }
    for (int64_t k = 0; k < lines.size; ++k) {
      int64_t i = start + k * lines.stride;
      bool isMost = elements.real[i] + elements.errorAt(i) == most[0],
           isLeast = elements.real[i] - elements.errorAt(i) == least[0];
      rivals.most[i] = std::max(rivals.most[i], most[isMost]);
      rivals.least[i] = std::max(rivals.least[i], least[isLeast]);
    }
  }
}

double tilec::interpreter::unroundedBy(mlir::Value value, const Elements &elements, int64_t i, Lookup valueOf) {
  Operation *op = value.getDefiningOp();
  if (auto select = dyn_cast_if_present<arith::SelectOp>(op)) {
    const Elements *condition = valueOf(select.getCondition());
    int64_t at = condition && !condition->shape.empty() ? i : 0;
    if (condition && condition->errorAt(at) == 0)
      return unroundedBy(condition->whole[at] ? select.getTrueValue() : select.getFalseValue(), elements, i, valueOf);
    return std::max(unroundedBy(select.getTrueValue(), elements, i, valueOf),
                    unroundedBy(select.getFalseValue(), elements, i, valueOf));
  }
  bool mayBeProduct = isa_and_nonnull<arith::MulFOp, arith::NegFOp, BroadcastOp, ReshapeOp, TransposeOp, ConvertOp>(op);
  double size = std::abs(elements.real[i]) + elements.errorAt(i);
  if (!mayBeProduct || !std::isfinite(size) || size == 0)
    return 0;
  return 2 * elements.format.unit() * size + (elements.format.bits == 64 ? 0 : tinyF32);
}

std::optional<Elements> tilec::interpreter::differenceFromMaximum(Operation *op, Lookup valueOf) {
  auto subtraction = dyn_cast<arith::SubFOp>(op);
  const Elements *x = subtraction ? valueOf(subtraction.getLhs()) : nullptr;
  const Elements *maximum = subtraction ? valueOf(subtraction.getRhs()) : nullptr;
  if (!x || !maximum || x->shape != maximum->shape)
    return std::nullopt;
  MaximumOf covering(subtraction.getLhs(), *x, valueOf);
  if (!covering.covers(subtraction.getRhs()))
    return std::nullopt;
  Elements result(x->format, x->shape);
  double most = 0, least = 0;
  for (int64_t i = 0, n = x->size(); i < n; ++i) {
    double value = x->real[i] - maximum->real[i], error = x->errorAt(i);
    double low = std::min(0.0, x->real[i] - error - covering.rivals.most[i]);
    double high = std::min(0.0, x->real[i] + error - covering.rivals.least[i]);
    double slack = unroundedBy(subtraction.getLhs(), *x, i, valueOf), spread = std::max(high - value, value - low);
    // Infinities have no difference.
    if (std::isnan(spread) || !std::isfinite(value))
      spread = error + maximum->errorAt(i);
    Real out = finish(x->format, value, std::max(spread, 0.0) + slack);
    result.real[i] = out.value;
    result.setError(i, out.error);
    most = std::max(most, slack);
    least = std::isnan(out.value) ? least : std::min(least, out.value - out.error);
  }
  result.limits = {least, most};
  if (x->format.bits < 32)
    result.limits = {x->format.round(least), x->format.round(most)};
  if (covering.winsEveryLine()) {
    result.peakDim = *covering.line;
    result.peak = x->format.bits < 32 ? x->format.round(-most) : -most;
  }
  return result;
}
