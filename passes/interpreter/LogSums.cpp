// Sums of exponentials that are rescaled when their maximum grows, as an online softmax keeps them. The sum and the
// maximum are uncertain, and much of that cancels in the logarithm of what they stand for.
#include "passes/interpreter/Limits.h"

#include "dialect/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::interpreter;

/// exp(x - maximum), with x; null when it is none.
static std::pair<mlir::Value, arith::SubFOp> shifted(mlir::Value value) {
  Operation *exponential = value.getDefiningOp();
  if (!isa_and_nonnull<math::ExpOp, math::Exp2Op>(exponential))
    return {};
  auto difference = exponential->getOperand(0).getDefiningOp<arith::SubFOp>();
  return {difference ? difference.getLhs() : mlir::Value(), difference};
}

/// The difference in `term`, where that is exp(other - maximum), or the sum along a line of exp(x - maximum) whose
/// greatest x is `other`.
static arith::SubFOp differenceIn(mlir::Value term, mlir::Value other, arith::MaximumFOp maximum) {
  if (auto [x, difference] = shifted(term); x && x == other && difference.getRhs() == maximum.getResult())
    return difference;
  auto sum = term.getDefiningOp<ReduceOp>();
  auto greatest = other.getDefiningOp<ReduceOp>();
  if (!sum || !greatest || sum.getKind() != Reduction::Add || greatest.getKind() != Reduction::Maximum ||
      sum.getDim() != greatest.getDim())
    return {};
  auto [x, difference] = shifted(sum.getOperand());
  auto repeated = difference ? difference.getRhs().getDefiningOp<BroadcastOp>() : BroadcastOp();
  bool matches = repeated && x == greatest.getOperand() && repeated.getOperand() == maximum.getResult() &&
                 llvm::is_sorted(repeated.getDims()) &&
                 !llvm::is_contained(repeated.getDims(), static_cast<int64_t>(sum.getDim()));
  return matches ? difference : arith::SubFOp();
}

namespace {
/// `sum * exp(before - maximum) + the sum of exp(x - maximum)`, where maximum = max(before, the greatest x).
struct RescaledSum {
  mlir::Value sum, before;
  arith::MaximumFOp maximum;
  arith::SubFOp difference; ///< x - maximum
  Operation *exponential;   ///< exp of that
  ReduceOp lines;           ///< its sum along a line; null where x has one element for each of the sum
};
} // namespace

static std::optional<RescaledSum> rescaledSum(Operation *op) {
  if (!isa<arith::AddFOp>(op))
    return std::nullopt;
  for (unsigned one : {0, 1})
    for (unsigned factor : {0, 1}) {
      auto product = op->getOperand(one).getDefiningOp<arith::MulFOp>();
      auto [before, difference] =
          product ? shifted(product->getOperand(factor)) : std::pair<mlir::Value, arith::SubFOp>();
      auto maximum = difference ? difference.getRhs().getDefiningOp<arith::MaximumFOp>() : arith::MaximumFOp();
      if (!maximum || (maximum.getLhs() != before && maximum.getRhs() != before))
        continue;
      mlir::Value other = maximum.getLhs() == before ? maximum.getRhs() : maximum.getLhs(),
                  term = op->getOperand(1 - one);
      // The powers of one sum have one base.
      arith::SubFOp own = differenceIn(term, other, maximum);
      if (!own)
        continue;
      auto reduce = term.getDefiningOp<ReduceOp>();
      Operation *exponential = reduce ? reduce.getOperand().getDefiningOp() : term.getDefiningOp();
      if (exponential->getName() != product->getOperand(factor).getDefiningOp()->getName())
        continue;
      return RescaledSum{product->getOperand(1 - factor), before, maximum, own, exponential, reduce};
    }
  return std::nullopt;
}

double tilec::interpreter::leastRescaledSum(Operation *op, Lookup valueOf) {
  std::optional<RescaledSum> found = rescaledSum(op);
  const Elements *sum = found ? valueOf(found->sum) : nullptr, *inside = found ? valueOf(found->difference) : nullptr;
  if (!sum || !inside || !(sum->limits.low > 0))
    return -infinity;
  double slack = std::max(0.0, inside->limits.high);
  return std::min(sum->limits.low, std::exp(-slack)) * (1 - 64 * unitF32);
}

/// How far log(sum) + before can be off at element i; nothing where that is not known. A sum that is 0 adds nothing.
static std::optional<double> errorBefore(const Elements &sum, const SharedElements &before, bool isBinary, int64_t i) {
  const bool isExact = sum.errorAt(i) == 0;
  if (isExact && sum.real[i] == 0)
    return 0;
  if (sum.logSum && sum.logSum->maximum == before && sum.logSum->isBinary == isBinary && !sum.logSum->isLogarithm)
    return sum.logSum->error[i];
  return isExact && before->errorAt(i) == 0 ? std::optional(0.0) : std::nullopt;
}

/// Of each element of the sum, the greatest error of an x that entered it.
static std::vector<double> errorsOfTerms(RescaledSum found, const Elements &x, int64_t elements, Lookup valueOf) {
  ReduceOp lines = found.lines;
  const int64_t dim = lines ? static_cast<int64_t>(lines.getDim()) : 0, size = lines ? x.shape[dim] : 1;
  const int64_t stride = lines ? count(ArrayRef(x.shape).drop_front(dim + 1)) : 1;
  std::vector<double> result(elements, 0);
  for (int64_t i = 0, n = x.size(); i < n; ++i) {
    double &most = result[i / (stride * size) * stride + i % stride];
    most = std::max(most, x.errorAt(i) + unroundedBy(found.difference.getLhs(), x, i, valueOf));
  }
  return result;
}

/// log(s) + maximum is log(exp(log(sum) + before) + the sum of exp(x)): it moves by no more than the greatest of the
/// errors of log(sum) + before and of x. What an implementation rounds are the terms of s, which are positive: exp by 3
/// units in the last place, products and sums by one each, and u |d| in a difference d, of which d exp(-d) < 0.4
/// remains.
static std::shared_ptr<LogSum> startLogSum(RescaledSum found, SharedLookup valueOf, const Elements &result) {
  auto plain = [&](mlir::Value value) -> const Elements * { return valueOf(value).get(); };
  SharedElements sum = valueOf(found.sum), before = valueOf(found.before), x = valueOf(found.difference.getLhs());
  auto started = std::make_shared<LogSum>();
  started->maximum = valueOf(found.maximum.getResult());
  if (!sum || !before || !x || !started->maximum || result.format.bits != 32 || x->size() == 0)
    return nullptr;
  started->isBinary = isa<math::Exp2Op>(found.exponential);
  started->error = errorsOfTerms(found, *x, result.size(), plain);
  const double u = result.format.unit(), terms = static_cast<double>(x->size()) / static_cast<double>(result.size());
  for (int64_t i = 0, n = result.size(); i < n; ++i) {
    std::optional<double> carried = errorBefore(*sum, before, started->isBinary, i);
    double least = std::max(result.limits.low, result.real[i] - result.errorAt(i));
    if (!carried || !(least > 0))
      return nullptr;
    double weights = terms + std::abs(sum->real[i]) + sum->errorAt(i);
    double rounded = gamma(terms + 12, u) + 2 * (0.4 * u * weights + (terms + 1) * tinyF32) / least;
    if (!(rounded < 0.5))
      return nullptr;
    started->error[i] = std::max(started->error[i], *carried) + 2 * rounded * (started->isBinary ? 1.5 : 1);
  }
  return started;
}

/// The error of log(s) + maximum, where that is less than those of both.
static void boundLogarithm(const Elements &logarithm, Elements &result) {
  if (result.isExact())
    return;
  const double u = result.format.unit();
  for (int64_t i = 0, n = result.size(); i < n; ++i) {
    double of = std::abs(logarithm.real[i]) + logarithm.errorAt(i), error = logarithm.logSum->error[i] + 6 * u * of;
    error += 2 * u * (std::abs(result.real[i]) + error) + tinyF32;
    if (error < result.error[i])
      result.error[i] = error;
  }
}

void tilec::interpreter::followLogSum(Operation *op, SharedLookup valueOf, Elements &result) {
  if (std::optional<RescaledSum> found = rescaledSum(op)) {
    result.logSum = startLogSum(*found, valueOf, result);
    return;
  }
  if (!isa<arith::AddFOp, arith::MaximumFOp, math::LogOp, math::Log2Op>(op))
    return;
  for (unsigned one = 0; one < op->getNumOperands(); ++one) {
    SharedElements tagged = valueOf(op->getOperand(one));
    SharedElements other = op->getNumOperands() == 2 ? valueOf(op->getOperand(1 - one)) : SharedElements();
    if (!tagged || !tagged->logSum)
      continue;
    const LogSum &known = *tagged->logSum;
    if (isa<arith::AddFOp>(op) && known.isLogarithm && known.maximum == other)
      return boundLogarithm(*tagged, result);
    if (isa<arith::MaximumFOp>(op) && !known.isLogarithm && other && other->limits.high <= tagged->limits.low)
      result.logSum = tagged->logSum;
    if ((isa<math::LogOp>(op) && !known.isBinary && !known.isLogarithm) ||
        (isa<math::Log2Op>(op) && known.isBinary && !known.isLogarithm)) {
      auto logarithm = std::make_shared<LogSum>(known);
      logarithm->isLogarithm = true;
      result.logSum = std::move(logarithm);
    }
  }
}
