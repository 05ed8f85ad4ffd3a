// Asks operations what they touch.
#include "passes/schedule/StepBody.h"
#include "dialect/Combination.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

bool schedule::isNumber(Operation *op) {
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) && op->getNumResults() > 0 &&
         llvm::all_of(op->getResultTypes(), [](Type type) { return type.isIntOrIndex(); });
}

bool schedule::isComputed(Operation *op) {
  if (isCooperative(op))
    return !scratchOf(op);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return llvm::all_of(branch->getRegions(), [](Region &region) {
      return region.empty() ||
             llvm::all_of(region.front().without_terminator(), [](Operation &inner) { return isComputed(&inner); });
    });
  return op->getNumRegions() == 0 && isPure(op);
}
