// Looks at loads, stores and signals of a kernel. Changes nothing.
#include "passes/analysis/SenderRole.h"

#include "passes/analysis/LayoutConversion.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// Whether rows of so many bytes are neither too short for the links nor too long.
static bool hasRowsToSend(int64_t bytes, const Target &target) {
  return target.besideGbPerSecond > 0 && bytes >= target.besideLeastRowBytes && bytes <= target.besideMostRowBytes;
}

/// How often the loop around a load runs at most; 1 without one, nothing where that is not known.
static std::optional<int64_t> mostParts(LoadOp load) {
  auto loop = load->getParentOfType<scf::ForOp>();
  if (!loop)
    return 1;
  Value end = loop.getUpperBound();
  if (std::optional<int64_t> number = getConstantIntValue(end))
    return number;
  Operation *least = end.getDefiningOp();
  std::optional<int64_t> most;
  if (isa_and_nonnull<arith::MinSIOp>(least))
    for (Value operand : least->getOperands())
      most = most ? most : getConstantIntValue(operand);
  return most;
}

/// One load, whose tile one store takes to another rank.
static bool movesRows(ForallOp tasks, const Target &target) {
  LoadOp load;
  StoreOp store;
  unsigned accesses = 0;
  tasks.walk([&](AccessOpInterface access) {
    ++accesses;
    if (auto found = dyn_cast<LoadOp>(access.getOperation()))
      load = found;
    if (auto found = dyn_cast<StoreOp>(access.getOperation()))
      store = found;
  });
  if (accesses != 2 || !load || !store || !store.getTo() || store.getValue() != load.getResult() ||
      load.getType().getRank() != 2)
    return false;
  std::optional<int64_t> parts = mostParts(load);
  int64_t bytes = parts ? *parts * load.getType().getDimSize(1) * bytesOf(load.getType().getElementType()) : 0;
  return hasRowsToSend(bytes, target);
}

bool tilec::canBeSentBeside(RoleOp role, const Target &target) {
  if (!role.getWorkgroups() || role.getEngine() || target.producer.waves < 2 ||
      role->getParentOfType<KernelOp>().getApart())
    return false;
  auto loops = role.getBody().front().getOps<ForallOp>();
  if (!llvm::hasSingleElement(loops) || !movesRows(*loops.begin(), target))
    return false;
  bool multiplies = false, isAlone = true;
  for (RoleOp other : role->getParentOfType<KernelOp>().getBody().getOps<RoleOp>()) {
    if (other == role || other.getTurn() != Turn::Each)
      continue;
    // A wave that sends does not tell, and comes before what waits for it.
    isAlone &= !other.getWorkgroups() && role->isBeforeInBlock(other);
    other.walk([&](Operation *op) {
      multiplies |= isa<DotOp, DotAsyncOp>(op);
      isAlone &= !isa<SignalOp>(op);
    });
  }
  return multiplies && isAlone;
}

int64_t tilec::rowsSentBeside(ArrayRef<AffineExpr> region, Type element, int64_t rows, int64_t columns,
                              const Target &target) {
  auto all = region.size() == 2 ? dyn_cast<AffineConstantExpr>(region[0]) : AffineConstantExpr();
  auto width = region.size() == 2 ? dyn_cast<AffineConstantExpr>(region[1]) : AffineConstantExpr();
  if (!hasRowsToSend(columns * bytesOf(element), target) || !all || !width)
    return rows;
  int64_t groups = llvm::divideCeil(width.getValue(), columns), wanted = 2 * target.units();
  // Half as many rows where that comes nearer.
  while (rows > target.besideLeastRows && 3 * (all.getValue() / rows * groups) < 2 * wanted)
    rows /= 2;
  return rows;
}

bool tilec::hasSender(KernelOp kernel) {
  return llvm::any_of(kernel.getBody().getOps<RoleOp>(), [](RoleOp role) { return role.getBeside(); });
}
