// Looks at each operation of the wave. Shares no code with the pass that makes them.
#include "passes/checker/Senders.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

bool checker::isSenders(Operation *op) {
  auto group = op->getParentOfType<hip::GroupOp>();
  return group && group.isSender();
}

/// Pieces are counted in words that no other operation has.
static LogicalResult checkRelay(hip::RelayOp relay) {
  if (!relay.getIfPossible())
    return relay.emitOpError() << "moves what a copy engine can alone, expected 'if_possible': nobody does the rest";
  for (Operation *user : relay.getFull().getUsers())
    if (user != relay) {
      InFlightDiagnostic diagnostic = relay.emitOpError() << "counts pieces in words of others, expected words of its "
                                                             "own";
      diagnostic.attachNote(user->getLoc()) << "they are used here";
      return diagnostic;
    }
  return success();
}

static LogicalResult checkOp(Operation *op) {
  if (auto relay = dyn_cast<hip::RelayOp>(op))
    return checkRelay(relay);
  if (auto tasks = dyn_cast<hip::TasksOp>(op))
    return tasks.getTickets() ? tasks.emitOpError() << "is told of its tasks, expected that the wave draws them"
                              : success();
  if (isa<hip::ArriveOp>(op))
    return op->emitOpError() << "stands in what a wave sends by itself, expected it at the end of a task";
  auto wait = dyn_cast<hip::WaitOp>(op);
  auto raising = dyn_cast<hip::RaisingOpInterface>(op);
  if (wait || raising) {
    bool isByWave = wait ? wait.getParticipants() == tile::Participants::Wave : raising.isByWave();
    return isByWave ? success() : op->emitOpError() << "is one wave's of a producer, expected it by wave";
  }
  bool isAround = isa<hip::RoleOp, scf::IfOp, scf::ForOp>(op) || op->hasTrait<OpTrait::IsTerminator>();
  bool isFree = op->getNumRegions() == 0 && (isMemoryEffectFree(op) || op->hasTrait<hip::RecordsOnly>());
  if (isAround || isFree)
    return success();
  return op->emitOpError() << "stands in what a wave sends by itself, expected waits, relays and signals";
}

LogicalResult checker::checkSender(hip::GroupOp group) {
  if (!group.walk([](hip::RelayOp) { return WalkResult::interrupt(); }).wasInterrupted())
    return group.emitOpError() << "moves nothing, expected a 'hip.relay' in what a wave sends";
  WalkResult result = group.getBody().walk<WalkOrder::PreOrder>(
      [](Operation *op) { return failed(checkOp(op)) ? WalkResult::interrupt() : WalkResult::advance(); });
  return failure(result.wasInterrupted());
}
