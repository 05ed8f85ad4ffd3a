// Compares the loads of each kernel with the stores of all.
#include "passes/checker/LiveMemory.h"
#include "passes/checker/BesideStructure.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

/// An argument of its own, or an alloc in a workspace that is.
static bool isRestricted(const ExitMemory &memory, hip::KernelOp kernel, Value root) {
  for (auto [argument, restricted] : llvm::zip(kernel.getBody().front().getArguments(), kernel.getRestricted()))
    if (restricted &&
        (memory.argumentOf(argument) == root || (!isa<BlockArgument>(root) && memory.isWorkspace(argument))))
      return true;
  return false;
}

LogicalResult checker::checkLiveMemory(const ProgramCode &program, const ExitMemory &memory) {
  for (const AccessSite &load : program.accesses) {
    // What the copy engine reads no compiler moves.
    if (!load.reads || isa<hip::MoveOp>(load.op))
      continue;
    uint32_t root = program.views[load.view].root;
    auto kernel = load.op->getParentOfType<hip::KernelOp>();
    if (!isa<hip::PlainLoadOp, hip::GatherOp>(load.op) && !isRestricted(memory, kernel, program.roots[root].value))
      continue;
    // Another rank runs any kernel of the program meanwhile, and so does its application write its arguments.
    const AccessSite *store = nullptr;
    for (const AccessSite &other : program.accesses)
      if (other.writes && program.views[other.view].root == root && !store &&
          (load.rank >= 0 || other.rank >= 0 ||
           runTogether(program.op, other.op->getParentOfType<hip::KernelOp>(), kernel)))
        store = &other;
    if (!store && load.rank < 0)
      continue;
    InFlightDiagnostic diagnostic = load.op->emitOpError()
                                    << "may be moved over a wait, but others write here while the kernel runs: "
                                       "expected 'hip.load_live' and no restricted pointer";
    if (store)
      diagnostic.attachNote(store->op->getLoc()) << "the store is here";
    return diagnostic;
  }
  return success();
}

LogicalResult checker::checkReadAhead(const ProgramCode &program, size_t first) {
  ArrayRef<AccessSite> sites = ArrayRef(program.accesses).drop_front(first);
  auto rootOf = [&](const AccessSite &site) { return program.views[site.view].root; };
  for (const AccessSite &number : sites) {
    auto tasks = number.op->getParentOfType<hip::TasksOp>();
    bool isShared = isa<hip::NumberOp>(number.op) && tasks && !number.op->getParentOfType<hip::IfProducesOp>() &&
                    llvm::any_of(tasks.getBody().getOps(), llvm::IsaPred<hip::IfProducesOp>);
    const auto *written =
        llvm::find_if(sites, [&](const AccessSite &site) { return site.writes && rootOf(site) == rootOf(number); });
    if (!isShared || written == sites.end())
      continue;
    InFlightDiagnostic diagnostic = number.op->emitOpError() << "is read by producers and consumers, expected that "
                                                                "nothing in the kernel writes the buffer";
    diagnostic.attachNote(written->op->getLoc()) << "it is written here";
    return diagnostic;
  }
  return success();
}
