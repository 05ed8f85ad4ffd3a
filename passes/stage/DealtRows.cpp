// Looks for what makes waves meet. Changes nothing.
#include "passes/stage/DealtRows.h"
#include "dialect/Combination.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// The only loop over tasks of a kernel, which all workgroups share; null where there is more to do.
static ForallOp soleTasks(KernelOp kernel) {
  auto roles = kernel.getBody().getOps<RoleOp>();
  if (!llvm::hasSingleElement(roles))
    return {};
  RoleOp role = *roles.begin();
  auto tasks = role.getBody().getOps<ForallOp>();
  bool isSole = role.getTurn() == Turn::Each && !role.getWorkgroups() && llvm::hasSingleElement(tasks);
  return isSole ? *tasks.begin() : ForallOp();
}

bool tilec::areRowsDealt(KernelOp kernel, const Target &target) {
  ForallOp tasks = target.stridedRows && kernel.getWaves().value_or(1) > 1 ? soleTasks(kernel) : ForallOp();
  if (!tasks)
    return false;
  bool reduces = false, meets = false;
  kernel.walk([&](Operation *op) {
    reduces |= isCooperative(op) && tasks->isAncestor(op);
    meets |= scratchOf(op) || op->hasTrait<Synchronizes>() || isa<BarrierOp, ArriveOp, DotOp>(op);
  });
  return reduces && !meets;
}
