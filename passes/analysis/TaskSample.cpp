// Folds the arithmetic of a task, for the indices of some.
#include "passes/analysis/TaskSample.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

TaskSample::TaskSample(ForallOp tasks, ArrayRef<int64_t> grid) : tasks(tasks) {
  constexpr int64_t kMost = 32;
  int64_t all = 1;
  for (int64_t size : grid)
    all *= std::max<int64_t>(0, size);
  Builder builder(tasks.getContext());
  for (int64_t i = 0, count = std::min(all, kMost); i < count; ++i) {
    int64_t number = i * all / count;
    Numbers &indices = sample.emplace_back();
    for (unsigned dim = grid.size(); dim-- > 0; number /= grid[dim])
      indices[tasks.getIndices()[dim]] = builder.getIndexAttr(number % grid[dim]);
  }
}

/// The number that a value is where some are known; null where it is not.
static Attribute numberOf(Value value, llvm::DenseMap<Value, Attribute> &known) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Attribute number;
  if (matchPattern(value, m_Constant(&number)))
    return known[value] = number;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() || op->getNumResults() != 1 || !isMemoryEffectFree(op))
    return {};
  SmallVector<Attribute> operands =
      llvm::map_to_vector(op->getOperands(), [&](Value operand) { return numberOf(operand, known); });
  // With all of them known, folding changes nothing in place.
  SmallVector<OpFoldResult> folded;
  if (llvm::is_contained(operands, Attribute()) || failed(op->fold(operands, folded)) || folded.empty())
    return {};
  auto operand = dyn_cast<Value>(folded.front());
  return known[value] = operand ? numberOf(operand, known) : cast<Attribute>(folded.front());
}

static std::optional<int64_t> integerOf(Value value, llvm::DenseMap<Value, Attribute> &known) {
  auto number = dyn_cast_or_null<IntegerAttr>(numberOf(value, known));
  return number ? std::optional(number.getValue().getSExtValue()) : std::nullopt;
}

std::optional<double> TaskSample::passes(scf::ForOp loop) const {
  double sum = 0;
  for (Numbers numbers : sample) {
    auto from = integerOf(loop.getLowerBound(), numbers), to = integerOf(loop.getUpperBound(), numbers),
         step = integerOf(loop.getStep(), numbers);
    if (!from || !to || !step || *step <= 0)
      return std::nullopt;
    sum += static_cast<double>(std::max<int64_t>(0, llvm::divideCeilSigned(*to - *from, *step)));
  }
  return sample.empty() ? std::nullopt : std::optional(sum / static_cast<double>(sample.size()));
}

double TaskSample::shareOf(Operation *op) const {
  double passing = 0;
  for (Numbers numbers : sample) {
    bool passes = true;
    for (Operation *inner = op; inner != tasks; inner = inner->getParentOp())
      if (auto branch = dyn_cast<scf::IfOp>(inner->getParentOp())) {
        std::optional<int64_t> holds = integerOf(branch.getCondition(), numbers);
        passes &= !holds || (*holds != 0) == branch.getThenRegion().isAncestor(inner->getParentRegion());
      }
    passing += passes;
  }
  return sample.empty() ? 1 : passing / static_cast<double>(sample.size());
}
