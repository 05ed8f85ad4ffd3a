// Whether tasks of a tile loop wait for those above them and to their left.
#include "passes/analysis/Wavefront.h"

#include "passes/analysis/IndexForm.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// The operand of max(x, constant) that is no constant: the first row has none above it and waits for itself, or for
/// nothing.
static Value withoutLeast(Value value) {
  if (auto greatest = value.getDefiningOp<arith::MaxSIOp>()) {
    if (getConstantIntValue(greatest.getRhs()))
      return greatest.getLhs();
    if (getConstantIntValue(greatest.getLhs()))
      return greatest.getRhs();
  }
  return value;
}

/// By how much a value lies before an index: 1 of m - 1.
static std::optional<int64_t> distanceBefore(Value value, BlockArgument index) {
  IndexForm form = IndexForm::of(withoutLeast(value));
  if (form.coefficient(index) != getAffineConstantExpr(1, value.getContext()) || !form.without(index).isConstant())
    return std::nullopt;
  auto constant = dyn_cast<AffineConstantExpr>(form.constant);
  return constant ? std::optional(-constant.getValue()) : std::nullopt;
}

/// Whether a grid of signals has a flag for each task of a loop, which the task raises.
static bool isFlagOfTasks(Value signals, ForallOp forall) {
  return llvm::all_of(signals.getUsers(), [&](Operation *user) {
    auto signal = dyn_cast<SignalOp>(user);
    return !signal || (signal->getParentOfType<ForallOp>() == forall &&
                       llvm::equal(ValueRange(signal.getIndices()), ValueRange(forall.getIndices())));
  });
}

/// Whether a task waits for one flag at most.
static bool isOfOne(WaitOp wait) {
  return llvm::all_of(wait.getCounts(), [](Value count) {
    auto most = dyn_cast<AffineConstantExpr>(IndexForm::above(count).constant);
    return IndexForm::above(count).isConstant() && most && most.getValue() <= 1;
  });
}

/// Whether `wait` is for a loop of the same kernel that comes before `forall` in the text.
static bool isForEarlierLoop(WaitOp wait, ForallOp forall) {
  return llvm::all_of(wait.getSignals().getUsers(), [&](Operation *user) {
    auto signal = dyn_cast<SignalOp>(user);
    if (!signal)
      return true;
    auto from = signal->getParentOfType<RoleOp>(), own = forall->getParentOfType<RoleOp>();
    return from && from != own && from->getBlock() == own->getBlock() && from->isBeforeInBlock(own);
  });
}

Wavefront Wavefront::of(ForallOp forall) {
  Wavefront found;
  size_t rank = forall.getGridRank();
  if (rank < 2)
    return found;
  found.fits = true;
  forall.walk([&](WaitOp wait) {
    if (isForEarlierLoop(wait, forall))
      return;
    SmallVector<int64_t> before;
    if (wait.getIndices().size() == rank && isFlagOfTasks(wait.getSignals(), forall) && isOfOne(wait))
      for (auto [value, index] : llvm::zip(wait.getIndices(), forall.getIndices()))
        before.push_back(distanceBefore(value, index).value_or(-1));
    if (before.empty() || before[rank - 1] < 0 || before[rank - 2] < 0 || before[rank - 1] + before[rank - 2] == 0 ||
        llvm::any_of(ArrayRef(before).drop_back(2), [](int64_t distance) { return distance != 0; })) {
      found.fits = false;
      return;
    }
    found.above |= before[rank - 1] == 0;
    found.left |= before[rank - 2] == 0;
  });
  return found;
}
