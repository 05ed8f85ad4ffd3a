// Follows the text; evaluates nothing.
#include "passes/checker/TallyStructure.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

/// The operations of a kind that name a grid.
template <class Op>
static SmallVector<Op> usersOf(Value grid) {
  SmallVector<Op> all;
  for (Operation *user : grid.getUsers())
    if (auto op = dyn_cast<Op>(user))
      all.push_back(op);
  return all;
}

/// As many have begun before a tally as count in its task.
static LogicalResult checkPair(hip::TallyOp tally, ArrayRef<hip::TallyOp> tallies, ArrayRef<hip::JoinTallyOp> joins) {
  if (!isa<hip::TasksOp>(tally->getParentOp()))
    return tally.emitOpError() << "counts in a loop or branch, or outside of tasks, expected it in the body of tasks";
  auto count = [&](auto ops) {
    return llvm::count_if(ops, [&](auto op) {
      return op->getBlock() == tally->getBlock() && (isa<hip::TallyOp>(op) || op->isBeforeInBlock(tally));
    });
  };
  int64_t before = count(joins), all = count(tallies);
  if (before == all)
    return success();
  return tally.emitOpError() << "counts a task that has begun " << before << " times, expected as many "
                             << "'hip.join_tally' of its grid before it in the body of the tasks as count there";
}

static LogicalResult checkGrid(hip::KernelOp kernel, Value grid) {
  auto tallies = usersOf<hip::TallyOp>(grid);
  auto joins = usersOf<hip::JoinTallyOp>(grid);
  auto renewals = usersOf<hip::RenewTallyOp>(grid);
  for (hip::TallyOp tally : tallies)
    if (failed(checkPair(tally, tallies, joins)))
      return failure();
  if (joins.size() > tallies.size())
    return joins.back().emitOpError()
           << "begins a task that never counts, expected a 'hip.tally' of its grid behind it";
  if (tallies.empty() && renewals.empty())
    return success();
  if (renewals.size() != 1) {
    InFlightDiagnostic diagnostic =
        grid.getDefiningOp()->emitOpError()
        << "is made ready for the next launch " << renewals.size()
        << " times, expected one 'hip.renew_tally' in a kernel whose tasks count by chiplet";
    if (!tallies.empty())
      diagnostic.attachNote(tallies.front().getLoc()) << "they count here";
    return diagnostic;
  }
  if (renewals.front()->getParentOp() == kernel)
    return success();
  return renewals.front().emitOpError() << "stands in a group, expected it before the groups of the kernel: whoever "
                                           "comes first does it, whatever its tasks are";
}

LogicalResult checker::checkTallies(hip::KernelOp kernel) {
  WalkResult result = kernel.walk([&](hip::SignalsOp grid) {
    return failed(checkGrid(kernel, grid.getResult())) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
