// Follows the launcher from operation to operation; evaluates nothing.
#include "passes/checker/BesideStructure.h"
#include "dialect/Limits.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

static hip::KernelOp kernelOf(tile::ProgramOp program, hip::LaunchKernelOp launch) {
  return dyn_cast_or_null<hip::KernelOp>(SymbolTable::lookupSymbolIn(program, launch.getKernel()));
}

static hip::LaunchKernelOp launchOf(tile::ProgramOp program, hip::KernelOp kernel) {
  for (auto launcher : program.getBody().getOps<hip::LauncherOp>())
    for (auto launch : launcher.getBody().getOps<hip::LaunchKernelOp>())
      if (launch.getKernel() == kernel.getSymName())
        return launch;
  return {};
}

bool checker::runTogether(tile::ProgramOp program, hip::KernelOp one, hip::KernelOp other) {
  if (one == other)
    return true;
  hip::LaunchKernelOp first = launchOf(program, one), second = launchOf(program, other);
  return first && second && first.getBeside() && first.getBeside() == second.getBeside();
}

namespace {

class BesideOrder {
public:
  explicit BesideOrder(tile::ProgramOp program) : program(program) {}

  LogicalResult visit(Operation *op) {
    if (auto begins = dyn_cast<hip::BesideOp>(op)) {
      if (beside)
        return op->emitOpError() << "begins before the kernels of another one have joined, expected "
                                    "'hip.join_beside' before";
      beside = begins;
      return success();
    }
    if (auto launch = dyn_cast<hip::LaunchKernelOp>(op))
      return visitLaunch(launch);
    if (auto await = dyn_cast<hip::AwaitBesideOp>(op)) {
      if (await.getBeside() != open() || !aside || awaited)
        return op->emitOpError() << "waits for no kernel of another stream, expected it behind the one 'aside'";
      awaited = true;
    }
    if (auto join = dyn_cast<hip::JoinBesideOp>(op)) {
      if (join.getBeside() != open() || !other)
        return op->emitOpError() << "joins no two kernels, expected it behind both";
      beside = hip::BesideOp();
      aside = other = awaited = false;
      queues.clear();
    }
    return success();
  }

  LogicalResult end() {
    if (beside)
      return beside.emitOpError() << "never joins, expected 'hip.join_beside' behind two kernels";
    return success();
  }

private:
  Value open() { return beside ? beside.getResult() : Value(); }

  LogicalResult visitLaunch(hip::LaunchKernelOp launch) {
    hip::KernelOp kernel = kernelOf(program, launch);
    bool isNext = launch.getAside() ? !aside : awaited && !other;
    if (launch.getBeside() != open() || (beside && !isNext) || (!beside && launch.getAside()))
      return launch.emitOpError() << "is launched out of turn, expected a kernel 'aside', 'hip.await_beside', and the "
                                     "one beside it";
    if (!kernel) // checkLauncher's to say
      return success();
    (launch.getAside() ? aside : other) = beside != nullptr;
    return failure(failed(checkEntry(launch, kernel)) || failed(checkNumbers(launch, kernel)) ||
                   failed(checkQueues(kernel)));
  }

  /// The words of tickets are the launch's.
  LogicalResult checkQueues(hip::KernelOp kernel) {
    if (!beside)
      return success();
    for (hip::GroupOp group : kernel.getGroups())
      if (std::optional<uint64_t> queue = group.getQueue();
          queue && !queues.insert({*queue, kernel}).second && queues[*queue] != kernel)
        return group.emitOpError() << "draws from queue " << *queue
                                   << ", expected one that no other kernel of the launch has";
    return success();
  }

  /// Whoever is one of two says so as it enters.
  LogicalResult checkEntry(hip::LaunchKernelOp launch, hip::KernelOp kernel) {
    for (Operation &op : kernel.getBody().front()) {
      if (!op.hasTrait<hip::Enters>())
        continue;
      auto enter = dyn_cast<hip::EnterBesideOp>(op);
      int64_t before = !beside || launch.getAside() ? 0 : int64_t(beside.getOwn());
      auto all = enter ? dyn_cast<BlockArgument>(enter.getAll()) : BlockArgument();
      bool knowsAll = all && kernel.getSources()[all.getArgNumber()] == hip::KernelOp::kAll;
      if (bool(enter) == bool(beside) && (!enter || (int64_t(enter.getBefore()) == before && knowsAll)))
        continue;
      return op.emitOpError() << "does not enter the launch as its kernel is launched, expected "
                              << (beside ? "'hip.enter_beside' behind " + std::to_string(before) + " workgroups"
                                         : std::string("'hip.enter'"));
    }
    return success();
  }

  LogicalResult checkNumbers(hip::LaunchKernelOp launch, hip::KernelOp kernel) {
    if (kernel.getBeside() != launch.getAside())
      return launch.emitOpError() << "is launched " << (launch.getAside() ? "aside" : "in the stream of the launch")
                                  << ", expected what '" << kernel.getSymName() << "' says";
    if (!beside)
      return success();
    int64_t own = kernel.getOwnWorkgroups(), most = kernel.getMostWorkgroups().value_or(tile::kMostWorkgroups);
    bool fits = launch.getAside() ? own == int64_t(beside.getOwn()) : own == 0 && most == int64_t(beside.getMost());
    if (!fits || launch.getPairs() || launch.getAlone())
      return launch.emitOpError() << "has other workgroups than its stream begins with, expected those of its groups "
                                     "aside, and at most as many as its kernel wants beside them";
    return success();
  }

  tile::ProgramOp program;
  hip::BesideOp beside; ///< whose kernels have not joined
  bool aside = false, awaited = false, other = false;
  llvm::DenseMap<uint64_t, hip::KernelOp> queues; ///< that its kernels draw from
};

} // namespace

LogicalResult checker::checkBeside(tile::ProgramOp program, hip::LauncherOp launcher) {
  BesideOrder order(program);
  for (Operation &op : launcher.getBody().front())
    if (failed(order.visit(&op)))
      return failure();
  return order.end();
}
