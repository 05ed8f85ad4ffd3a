// Walks from the branch to what stands before it in the task.
#include "passes/checker/LastArrivals.h"
#include "dialect/Hip.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

/// The tasks of which an operation is done once at most: it stands in their body, or in branches there, also on the
/// consumers' side of a producer. Null of others.
static Operation *tasksAround(Operation *op) {
  Operation *inner = op, *around = op->getParentOp();
  for (; isa<scf::IfOp, hip::IfProducesOp>(around); inner = around, around = around->getParentOp())
    if (auto sides = dyn_cast<hip::IfProducesOp>(around);
        sides && !sides.getConsumes().isAncestor(inner->getParentRegion()))
      return nullptr;
  return isa<tile::ForallOp, hip::TasksOp>(around) ? around : nullptr;
}

/// What has an effect behind an operation among those beside it, but for a branch; null where nothing has.
static Operation *effectBehind(Operation *op, Operation *branch) {
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
    if (next != branch && !isMemoryEffectFree(next) && !next->hasTrait<hip::RecordsOnly>() &&
        !next->hasTrait<OpTrait::IsTerminator>())
      return next;
  return nullptr;
}

/// The same in the rest of the task.
static Operation *effectInTask(Operation *op, Operation *branch, Operation *tasks) {
  Operation *behind = effectBehind(op, branch);
  for (op = op->getParentOp(); !behind && op != tasks; op = op->getParentOp())
    behind = effectBehind(op, nullptr);
  return behind;
}

FailureOr<scf::IfOp> checker::branchOfLast(Operation *arrive, Value last) {
  auto fail = [&](Operation *at, StringRef expected) {
    InFlightDiagnostic diagnostic = arrive->emitOpError() << expected;
    if (at)
      diagnostic.attachNote(at->getLoc()) << "because of this";
    return failure();
  };
  auto branch = last.hasOneUse() ? dyn_cast<scf::IfOp>(*last.user_begin()) : scf::IfOp();
  if (!branch || branch->getBlock() != arrive->getBlock() || branch.getNumResults() || branch.elseBlock())
    return fail(branch, "expected one branch without results and 'else' that asks who is last");
  Operation *tasks = tasksAround(arrive);
  if (!tasks)
    return fail(nullptr, "stands in a loop, or is a producer's, expected it at the end of a task");
  if (Operation *behind = effectInTask(arrive, branch, tasks))
    return fail(behind, "expected nothing but the branch for the last at the end of the task");
  return branch;
}

/// Whether a value is one number, which the checker computes.
static bool isNumber(Value value) { return value.getType().isIntOrIndex(); }

FailureOr<SmallVector<Value>> checker::numbersOfLast(Operation *arrive, scf::IfOp branch) {
  Operation *tasks = tasksAround(arrive);
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(branch.getThenRegion(), used);
  SmallVector<Value> numbers;
  for (size_t at = 0; at < used.size(); ++at) { // grows
    Value value = used[at];
    Operation *op = value.getDefiningOp();
    if (op == arrive || !tasks->getRegion(0).isAncestor(value.getParentRegion()))
      continue;
    if (isNumber(value)) {
      numbers.push_back(value);
      continue;
    }
    if (op && isMemoryEffectFree(op) && op->getNumRegions() == 0) {
      used.insert(op->operand_begin(), op->operand_end());
      continue;
    }
    InFlightDiagnostic diagnostic = arrive->emitOpError()
                                    << "is the last of several tasks with a branch that uses what its own task has "
                                       "made, expected it to read from memory what all of them have stored";
    diagnostic.attachNote(op ? op->getLoc() : value.getLoc()) << "it is made here";
    return diagnostic;
  }
  return numbers;
}

LogicalResult checker::checkGridsOfArrivals(const ProgramCode &program) {
  for (const ArrivalSite &arrival : program.arrivals)
    for (const SyncSite &site : program.syncs) {
      if (site.counted || site.grid != program.syncs[arrival.signal].grid)
        continue;
      InFlightDiagnostic diagnostic = arrival.op->emitOpError()
                                      << "counts in words that something else uses, expected a grid of signals for "
                                         "arrivals alone";
      diagnostic.attachNote(site.op->getLoc()) << "the other use is here";
      return diagnostic;
    }
  return success();
}

/// What memory gives, which another execution finds changed, or a launch, all tasks the same.
static bool isRead(Operation *op) { return isa<tile::ReadOp, hip::NumberOp>(op); }
static bool isGiven(Operation *op) { return isa<tile::ClampOp, hip::ClampOp>(op); }

/// Whether numbers are made of what such operations give, also by way of loops and branches.
static bool areMadeOf(ValueRange numbers, function_ref<bool(Operation *)> isData) {
  llvm::SetVector<Value> parts(numbers.begin(), numbers.end());
  for (size_t at = 0; at < parts.size(); ++at) { // grows
    Value part = parts[at];
    // What a loop carries or counts is of the loop.
    Operation *op = part.getDefiningOp();
    if (!op && !isa<LoopLikeOpInterface>(op = part.getParentBlock()->getParentOp()))
      continue;
    WalkResult walked = op->walk([&](Operation *inner) {
      parts.insert(inner->operand_begin(), inner->operand_end());
      return isData(inner) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (walked.wasInterrupted())
      return true;
  }
  return false;
}

/// What decides whether a task arrives at all.
static SmallVector<Value> conditionsOf(Operation *arrive) {
  SmallVector<Value> conditions;
  for (auto branch = arrive->getParentOfType<scf::IfOp>(); branch; branch = branch->getParentOfType<scf::IfOp>())
    conditions.push_back(branch.getCondition());
  return conditions;
}

LogicalResult checker::checkArrivalNumbers(Operation *arrive, Value count, ValueRange word, ValueRange used) {
  auto isData = [](Operation *op) { return isRead(op) || isGiven(op); };
  auto isArrival = [](Operation *op) { return isa<tile::ArriveOp, hip::ArriveOp>(op); };
  SmallVector<Value> tasks = conditionsOf(arrive);
  if (areMadeOf(tasks, isArrival))
    return arrive->emitOpError() << "is done by the last of several tasks alone, expected it where a task arrives that "
                                    "follows from its number";
  tasks.push_back(count);
  if (areMadeOf(tasks, isData))
    return arrive->emitOpError()
           << "is one of a number of tasks that is data, expected one that follows from the extents";
  if (areMadeOf(word, isData))
    return arrive->emitOpError() << "arrives at a word that data names, expected one that follows from its task";
  if (areMadeOf(used, isRead))
    return arrive->emitOpError() << "is the last of several tasks with a branch that uses a number which its own task "
                                    "has read, expected the branch to read it";
  return success();
}
