// Compares the waits of a kernel's only tile loop with its signals, grid by grid.
#include "passes/checker/DealtTasks.h"
#include "dialect/Hip.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

/// The tile loop whose tasks are dealt out; null where they are drawn, in order. More than one loop, or more than one
/// group of workgroups, is always drawn.
static tile::ForallOp dealtLoop(tile::KernelOp kernel, const KernelCode &code) {
  if (kernel.getDealing() != tile::Dealing::Strided || code.workgroups.size() != 1)
    return {};
  tile::ForallOp sole;
  for (const RoleCode &role : code.roles) {
    if (role.turn != tile::Turn::Each || !role.forall)
      continue;
    if (sole)
      return {};
    sole = role.forall;
  }
  return sole;
}

void tilec::checker::checkDealtTasks(const ProgramCode &program, Findings &findings) {
  for (const KernelCode &kernel : program.kernels) {
    tile::ForallOp tasks = dealtLoop(kernel.op, kernel);
    if (!tasks)
      continue;
    for (const SyncSite &wait : program.syncs)
      for (const SyncSite &signal : program.syncs) {
        if (wait.signal || wait.counted || !signal.signal || wait.grid != signal.grid ||
            !tasks->isProperAncestor(wait.op) || !tasks->isProperAncestor(signal.op))
          continue;
        findings.report("dealt", wait.op, nullptr, [&](InFlightDiagnostic &diagnostic) {
          diagnostic << "waits for a task that another workgroup may have behind this one, since the tasks of this "
                        "kernel are dealt out by number: expected the dealing 'ticketed'";
          diagnostic.attachNote(signal.op->getLoc()) << "the signal is here";
        });
      }
  }
}

LogicalResult checker::checkDealtTasks(const ProgramCode &program) {
  for (const SyncSite &wait : program.syncs)
    for (const SyncSite &signal : program.syncs) {
      auto tasks = wait.op->getParentOfType<hip::TasksOp>();
      if (!tasks || tasks.getGroup().getDealing() != tile::Dealing::Strided || wait.signal || wait.counted ||
          !signal.signal || signal.grid != wait.grid || signal.op->getParentOfType<hip::TasksOp>() != tasks)
        continue;
      InFlightDiagnostic diagnostic = wait.op->emitOpError()
                                      << "waits for a task that another workgroup may have behind this one, expected "
                                         "the dealing 'ticketed', whose tickets come in order";
      diagnostic.attachNote(signal.op->getLoc()) << "the signal is here";
      return diagnostic;
    }
  return success();
}
