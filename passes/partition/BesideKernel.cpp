// Moves roles between kernels. Changes none of them: signals and waits stay as they were derived for one kernel, whose
// launch the two are.
#include "passes/partition/BesideKernel.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// With a name that no kernel of the program has.
static KernelOp createKernel(OpBuilder &builder, KernelOp of, StringRef suffix) {
  auto kernels = of->getParentOfType<ProgramOp>().getBody().getOps<KernelOp>();
  std::string name = (of.getSymName() + suffix).str(), unique = name;
  for (unsigned number = 2; llvm::any_of(kernels, [&](KernelOp other) { return other.getSymName() == unique; });
       ++number)
    unique = name + "_" + std::to_string(number);
  auto made = KernelOp::create(builder, of.getLoc(), unique);
  made.setProgressAttr(of.getProgressAttr());
  return made;
}

int64_t tilec::workgroupsBeside(KernelOp beside) {
  int64_t own = 0;
  for (RoleOp role : beside.getBody().getOps<RoleOp>())
    own += static_cast<int64_t>(role.getWorkgroups().value_or(0));
  return own;
}

/// Those of the kernel beside, who come first and may wait for the other's tasks, and one that does these. With `any`
/// the host asks for no more than these, whatever the extents are.
void tilec::requireBeside(KernelOp beside) {
  auto behind = cast<KernelOp>(beside->getNextNode());
  std::optional<Progress> progress = behind.getProgress();
  beside.setProgressAttr(behind.getProgressAttr());
  if (!progress || *progress == Progress::Any)
    return;
  int64_t least =
      std::max<int64_t>(static_cast<int64_t>(behind.getResident().value_or(1)), workgroupsBeside(beside) + 1);
  for (KernelOp kernel : {beside, behind})
    kernel.setResident(least);
}

static void split(KernelOp kernel) {
  kernel.setApart(false);
  OpBuilder before(kernel), after(kernel->getContext());
  after.setInsertionPointAfter(kernel);
  KernelOp beside = createKernel(before, kernel, "_beside"), end;
  beside.setBeside(true);
  for (RoleOp role : llvm::make_early_inc_range(kernel.getBody().getOps<RoleOp>())) {
    if (role.getTurn() == Turn::Last && !end)
      end = createKernel(after, kernel, "_end");
    if (role.getTurn() == Turn::Last)
      role->moveBefore(&end.getBody().front(), end.getBody().front().end());
    else if (role.getTurn() == Turn::First || role.getWorkgroups())
      role->moveBefore(&beside.getBody().front(), beside.getBody().front().end());
  }
  if (end && end.getProgress())
    end.setProgress(Progress::Any);
  requireBeside(beside);
}

void tilec::splitApart(ProgramOp program) {
  for (KernelOp kernel : llvm::to_vector(program.getBody().getOps<KernelOp>()))
    if (kernel.getApart())
      split(kernel);
}
