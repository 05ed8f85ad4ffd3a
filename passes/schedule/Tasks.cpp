// Reads extents and accesses. Changes nothing.
#include "passes/schedule/Tasks.h"

#include "passes/analysis/ViewedBuffer.h"
#include "passes/analysis/Workspace.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

SmallVector<std::optional<int64_t>> schedule::tasksAlong(ForallOp tasks) {
  SmallVector<std::optional<int64_t>> all(tasks.getGridRank());
  auto program = tasks->getParentOfType<ProgramOp>();
  if (!tasks.getBounds() || tasks.getExtents().size() + 1 != tasks.getBounds()->getNumSymbols())
    return all;
  SmallVector<AffineExpr> bounds = extentExpressions(program, *tasks.getBounds(), tasks.getExtents());
  for (auto [bound, known] : llvm::zip(bounds, all))
    if (auto constant = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(bound, 0, program.getNumExtents())))
      known = constant.getValue();
  return all;
}

std::optional<int64_t> schedule::numTasks(ForallOp tasks) {
  int64_t number = 1;
  for (std::optional<int64_t> along : tasksAlong(tasks))
    if (!along || llvm::MulOverflow(number, *along, number))
      return std::nullopt;
  return number;
}

std::optional<int64_t> schedule::numTasks(KernelOp kernel) {
  int64_t all = 0;
  bool isKnown = true;
  kernel.walk([&](ForallOp tasks) {
    std::optional<int64_t> number = numTasks(tasks);
    isKnown &= number && !llvm::AddOverflow(all, *number, all);
  });
  return isKnown ? std::optional(all) : std::nullopt;
}

bool schedule::hasOneTaskEach(KernelOp kernel, const Target &target) {
  std::optional<int64_t> all = numTasks(kernel);
  return all && *all <= target.units();
}

/// Whether nobody but a load reads its buffer.
static bool isOnlyReader(LoadOp load) {
  Value buffer = viewedBuffer(load.getBuffer());
  bool isOnly = true;
  load->getParentOfType<ProgramOp>().walk([&](AccessOpInterface access) {
    isOnly &= access == load || !access.readsBuffer() || viewedBuffer(access.getAccessedBuffer()) != buffer;
  });
  return isOnly;
}

/// Whether tasks with other numbers along an index have other iterations of a loop: from that number times a share on,
/// and no more than a share.
static bool sharesIterations(scf::ForOp loop, Value index) {
  auto begin = loop.getLowerBound().getDefiningOp<arith::MulIOp>();
  if (!begin || !llvm::is_contained(begin->getOperands(), index))
    return false;
  OpFoldResult share = getAsOpFoldResult(begin.getLhs() == index ? begin.getRhs() : begin.getLhs());
  auto isNext = [&](Value value) {
    auto sum = value.getDefiningOp<arith::AddIOp>();
    return sum && llvm::is_contained(sum->getOperands(), begin.getResult()) &&
           llvm::any_of(sum->getOperands(),
                        [&](Value operand) { return isEqualConstantIntOrValue(getAsOpFoldResult(operand), share); });
  };
  Value end = loop.getUpperBound();
  Operation *least = end.getDefiningOp();
  return isNext(end) ||
         (isa_and_nonnull<arith::MinUIOp, arith::MinSIOp>(least) && llvm::any_of(least->getOperands(), isNext));
}

bool schedule::isReadOnce(LoadOp load, ForallOp tasks, scf::ForOp rows) {
  Region *viewed = load.getBuffer().getParentRegion();
  bool isOnce = isa<RoleOp>(tasks->getParentOp());
  if (!isOnce || load.getFrom() || load.getAt() || tasks.getBody().isAncestor(viewed))
    return false;
  for (auto [index, along] : llvm::zip(tasks.getIndices(), tasksAlong(tasks)))
    if (along != 1 && !llvm::is_contained(load.getIndices(), index) && !(rows && sharesIterations(rows, index)))
      return false;
  return isOnlyReader(load);
}
