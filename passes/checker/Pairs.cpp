// By induction over the steps: both fill a slot for step n + slots when both have released it, and release it behind
// step n, which both filled. So neither is ahead of the other by more than its slots, and no wait is for what the other
// will not do, as long as no task waits for anything else. At the end both have released as often as either has filled:
// who waits for that ends behind all releases.
#include "passes/checker/Pairs.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilec;

namespace {

class PairedKernel {
public:
  explicit PairedKernel(hip::KernelOp kernel) : kernel(kernel) {}

  LogicalResult run() {
    if (failed(checkTasks()) || failed(checkMeetings()))
      return failure();
    WalkResult result = kernel.walk([&](Operation *op) {
      return failed(checkLoop(op)) || failed(checkCopy(op)) || failed(checkSilence(op)) ? WalkResult::interrupt()
                                                                                        : WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

private:
  /// Workgroups 2 n and 2 n + 1 have tasks 2 m and 2 m + 1.
  LogicalResult checkTasks() {
    SmallVector<hip::TasksOp> loops;
    kernel.walk([&](hip::TasksOp loop) { loops.push_back(loop); });
    if (loops.size() == 1)
      group = loops.front()->getParentOfType<hip::GroupOp>();
    bool isDealt = group && group.getDealing() == tile::Dealing::Strided && !group.getWorkgroups() &&
                   llvm::none_of(kernel.getGroups(), [](hip::GroupOp other) { return other.getWorkgroups(); });
    std::optional<int64_t> count = isDealt ? getConstantIntValue(loops.front().getEnd()) : std::nullopt;
    if (!count || *count % 2 != 0)
      return kernel.emitOpError() << "has pairs of workgroups, expected one loop over an even number of tasks that are "
                                     "dealt out by number";
    tasks = loops.front();
    return success();
  }

  LogicalResult checkMeetings() {
    SmallVector<hip::MeetPairOp> meetings(kernel.getBody().getOps<hip::MeetPairOp>());
    Operation *work = kernel.getBody().front().findAncestorOpInBlock(*group);
    bool isBefore = meetings.size() == 1 && meetings.front()->isBeforeInBlock(work);
    for (Operation &op : kernel.getBody().front())
      isBefore = isBefore && (!op.hasTrait<hip::MakesWords>() || op.isBeforeInBlock(meetings.front()));
    if (!isBefore)
      return kernel.emitOpError() << "has pairs of workgroups, expected a 'hip.meet_pair' behind the words that "
                                     "they make, before their tasks";
    SmallVector<hip::EndPairOp> ends(kernel.getBody().getOps<hip::EndPairOp>());
    for (auto empty : kernel.getBody().getOps<hip::EmptyOp>())
      if (llvm::count_if(ends, [&](hip::EndPairOp end) {
            return end.getEmpty() == empty && work->isBeforeInBlock(end) && isOfConsumers(end.getConsumers());
          }) != 1)
        return empty.emitOpError() << "has slots that the other workgroup of the pair may release when this one has "
                                      "ended, expected one 'hip.end_pair' of them behind the tasks, by who fills them";
    return success();
  }

  /// Whether who fills slots comes behind so many waves.
  bool isOfConsumers(uint64_t waves) {
    return !kernel
                .walk([&](hip::ByRoleOp roles) {
                  return uint64_t(roles.getConsumers()) == waves ? WalkResult::advance() : WalkResult::interrupt();
                })
                .wasInterrupted();
  }

  /// The same in tasks 2 m and 2 m + 1.
  bool isShared(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return argument.getOwner()->getParentOp() != tasks;
    Operation *op = value.getDefiningOp();
    if (auto coordinate = dyn_cast<hip::CoordinateOp>(op); coordinate && coordinate.getDim() == 1)
      if (auto order = coordinate.getCoordinates().getDefiningOp<hip::GroupedOp>(); order && isByColumns(order))
        return true;
    return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
           llvm::all_of(op->getOperands(), [&](Value operand) { return isShared(operand); });
  }

  /// Tasks go down an even number of rows, and down the next column behind them.
  bool isByColumns(hip::GroupedOp order) {
    std::optional<int64_t> rows = getConstantIntValue(order.getExtents().front());
    return order.getTask() == tasks.getBody().front().getArgument(0) && order.getExtents().size() == 2 && rows &&
           *rows % 2 == 0 && order.getHeight() % 2 == 0;
  }

  /// Neither workgroup goes on without the other, so a task that waited would wait for what only its neighbour hears,
  /// or tells behind it.
  LogicalResult checkSilence(Operation *op) {
    if (!op->hasTrait<hip::Synchronizes>() || !tasks->isAncestor(op))
      return success();
    InFlightDiagnostic diagnostic = op->emitOpError()
                                    << "waits or tells in a task of a pair of workgroups, neither of which goes on "
                                       "without the other, expected it before the tasks or behind them";
    diagnostic.attachNote(tasks.getLoc()) << "workgroups of a pair have these tasks two by two";
    return diagnostic;
  }

  LogicalResult refuse(Operation *op, StringRef what) {
    InFlightDiagnostic diagnostic = op->emitOpError()
                                    << what << " in the two tasks of a pair, expected the same in both";
    diagnostic.attachNote(tasks.getLoc()) << "workgroups of a pair have these tasks two by two";
    return diagnostic;
  }

  /// Steps that fill slots, or release them.
  LogicalResult checkLoop(Operation *op) {
    Value count = llvm::TypeSwitch<Operation *, Value>(op)
                      .Case<hip::ProduceOp, hip::ConsumeOp>([](auto loop) { return loop.getCount(); })
                      .Default(Value());
    if (!count)
      return success();
    bool isSame = isShared(count);
    for (Operation *parent = op->getParentOp(); parent != tasks; parent = parent->getParentOp()) {
      auto branch = dyn_cast<scf::IfOp>(parent);
      isSame &= branch ? isShared(branch.getCondition()) : !isa<scf::ForOp, scf::WhileOp>(parent);
    }
    return isSame ? success() : refuse(op, "may have another number of steps");
  }

  LogicalResult checkCopy(Operation *op) {
    if (auto empty = dyn_cast<hip::EmptyOp>(op))
      return empty.getOfPair()
                 ? success()
                 : empty.emitOpError() << "is released by one workgroup of a pair alone, expected 'of_pair'";
    auto copying = dyn_cast<hip::CopyingOp>(op);
    if (!copying || !copying.getHalved())
      return success();
    auto feed = copying.getFeed().getDefiningOp<hip::MappedFeedOp>();
    bool isSame = isShared(copying.getMoved()) && llvm::all_of(feed.getStart(), [&](Value at) { return isShared(at); });
    return isSame ? success() : refuse(copying, "may copy from another place");
  }

  hip::KernelOp kernel;
  hip::GroupOp group; ///< that of the tasks
  hip::TasksOp tasks;
};

} // namespace

/// What only workgroups of a pair do.
static bool isOfPair(Operation *op) {
  if (auto empty = dyn_cast<hip::EmptyOp>(op))
    return empty.getOfPair();
  auto copying = dyn_cast<hip::CopyingOp>(op);
  return isa<hip::MeetPairOp, hip::EndPairOp>(op) || (copying && copying.getHalved());
}

LogicalResult checker::checkPairs(hip::KernelOp kernel) {
  if (kernel.getPairs())
    return PairedKernel(kernel).run();
  WalkResult result = kernel.walk([&](Operation *op) {
    if (!isOfPair(op))
      return WalkResult::advance();
    op->emitOpError() << "is for a pair of workgroups, in a kernel whose workgroups are alone";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}
