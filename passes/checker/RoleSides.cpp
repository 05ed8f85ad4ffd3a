// Walks the two sides of a task and compares their steps. Shares no code with the passes that it checks.
#include "passes/checker/RoleSides.h"
#include "passes/checker/DeferredStores.h"
#include "passes/checker/Relays.h"
#include "passes/checker/Senders.h"
#include "passes/checker/Tellings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

hip::FillOp checker::fillOf(hip::ProduceOp op) {
  auto fills = op.getBody().getOps<hip::FillOp>();
  return llvm::hasSingleElement(fills) ? *fills.begin() : hip::FillOp();
}

hip::ProduceOp checker::producerOf(Value empty) {
  hip::ProduceOp found;
  for (Operation *user : empty.getUsers()) {
    auto await = dyn_cast<hip::AwaitEmptyOp>(user);
    if (!await)
      continue;
    auto produce = dyn_cast<hip::ProduceOp>(await->getParentOp());
    if (!produce || (found && found != produce))
      return {};
    found = produce;
  }
  return found;
}

/// The uses whose first operation awaits what the producer fills.
hip::ConsumeOp checker::consumeOf(hip::ProduceOp op) {
  hip::ConsumeOp found;
  hip::FillOp fill = fillOf(op);
  if (!fill)
    return {};
  for (Operation *user : fill.getFull().getUsers()) {
    if (!isa<hip::AwaitFullOp>(user))
      continue;
    auto consume = dyn_cast<hip::ConsumeOp>(user->getParentOp());
    if (!consume || (found && found != consume))
      return {};
    found = consume;
  }
  return found;
}

/// Whether nothing that waves see of each other changes.
bool checker::isFree(Operation *op) { return isMemoryEffectFree(op) || op->hasTrait<hip::RecordsOnly>(); }

/// Follows the last wait that no fence has followed on some path.
static LogicalResult followFences(Block &block, Operation *&unfenced) {
  for (Operation &op : block) {
    auto fence = dyn_cast<hip::FenceAsyncOp>(op);
    if (isa<hip::WaitOp>(op))
      unfenced = &op;
    else if (fence && fence.getAcquired())
      unfenced = nullptr;
    if (isa<hip::FillOp>(op) && unfenced)
      break;
    // A loop may have no pass.
    auto branch = dyn_cast<scf::IfOp>(op);
    Operation *before = unfenced, *after = branch && !branch.getElseRegion().empty() ? nullptr : before;
    for (Region &region : op.getRegions()) {
      unfenced = before;
      if (!region.empty() && failed(followFences(region.front(), unfenced)))
        return failure();
      after = unfenced ? unfenced : after;
    }
    unfenced = after;
  }
  if (!unfenced || isa<scf::IfOp, scf::ForOp>(block.getParentOp()))
    return success();
  return unfenced->emitOpError() << "waits for what copies read, expected a 'hip.fence_async' of what was acquired "
                                    "before they are asked for";
}

LogicalResult checker::checkFences(Block &fills) {
  Operation *unfenced = nullptr;
  return followFences(fills, unfenced);
}

/// Whether an operation of a producer's step only waits, before it fills.
static bool onlyWaits(Operation *op) {
  if (isa<scf::IfOp, scf::ForOp>(op))
    return llvm::all_of(op->getRegions(), [](Region &region) {
      return llvm::all_of(region.getOps(), [](Operation &inner) { return onlyWaits(&inner); });
    });
  auto fence = dyn_cast<hip::FenceAsyncOp>(op);
  return isa<hip::WaitOp>(op) || (fence && fence.getAcquired()) ||
         (op->getNumRegions() == 0 && (isFree(op) || op->hasTrait<OpTrait::IsTerminator>()));
}

/// A wave waits together, and one of its threads fills; one alone waits for nothing.
static LogicalResult checkFill(hip::ProduceOp op, hip::FillOp fill) {
  bool waits = op.getBody().walk([](hip::WaitOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (waits && !op.getByWave())
    return op.emitOpError() << "waits by one thread alone, expected that its wave does";
  if (fill.getAlone() == op.getByWave() || fill.getByWave() != op.getByWave() || fill.getSlot() != op.getSlot())
    return fill.emitOpError() << "fills another slot than that of its step, or by more than one thread";
  return checker::checkFences(op.getBody().front());
}

static LogicalResult checkProduced(hip::ProduceOp op) {
  hip::FillOp fill = fillOf(op);
  if (!fill)
    return op.emitOpError() << "fills nothing, expected one 'hip.fill'";
  hip::AwaitEmptyOp awaited;
  for (Operation &inner : op.getBody().front()) {
    auto await = dyn_cast<hip::AwaitEmptyOp>(inner);
    if (await && !awaited && await->isBeforeInBlock(fill) && await.getSlot() == op.getSlot())
      awaited = await;
    else if (&inner != fill && !(onlyWaits(&inner) && inner.isBeforeInBlock(fill)) && !isFree(&inner))
      return inner.emitOpError() << "stands in a producer's step, expected one 'hip.await_empty' of its slot and one "
                                    "'hip.fill' behind it there";
  }
  if (!awaited)
    return op.emitOpError() << "fills slots that it has not found empty, expected a 'hip.await_empty' before";
  if (failed(checkFill(op, fill)))
    return failure();
  if (producerOf(awaited.getEmpty()) != op)
    return op.emitOpError() << "shares its words with another producer, expected words of its own";
  return success();
}

/// Whether the uses run whenever there is a step: where `count > 0` at most guards them.
static bool alwaysRuns(hip::ConsumeOp op, Block &side) {
  Operation *parent = op->getParentOp();
  if (op->getBlock() == &side)
    return true;
  auto branch = dyn_cast<scf::IfOp>(parent);
  if (!branch || branch->getBlock() != &side || op->getBlock() != branch.thenBlock())
    return false;
  auto compare = branch.getCondition().getDefiningOp<arith::CmpIOp>();
  return compare && compare.getPredicate() == arith::CmpIPredicate::sgt && compare.getLhs() == op.getCount() &&
         getConstantIntValue(compare.getRhs()) == 0;
}

static LogicalResult checkPair(hip::ProduceOp produce, hip::ConsumeOp consume, hip::IfProducesOp sides) {
  auto refuse = [&](const Twine &why) {
    InFlightDiagnostic diagnostic = consume.emitOpError() << why;
    diagnostic.attachNote(produce.getLoc()) << "the producer is here";
    return diagnostic;
  };
  if (consumeOf(produce) != consume)
    return refuse("does not await what its producer fills, or not alone, expected one 'hip.await_full' of its slots");
  if (produce.getCount() != consume.getCount() || produce.getSlots() != consume.getSlots())
    return refuse("has other steps or slots than its producer");
  if (!alwaysRuns(consume, sides.getConsumes().front()))
    return refuse("stands in a loop or a branch that its producer does not take");
  auto empty = (*produce.getBody().getOps<hip::AwaitEmptyOp>().begin()).getEmpty().getDefiningOp<hip::EmptyOp>();
  auto roles = sides->getParentOfType<hip::ByRoleOp>();
  if (!empty || empty.getWaves() != roles.getConsumers())
    return refuse("is done by " + Twine(roles.getConsumers()) + " waves, expected that all of them release a slot");
  return success();
}

/// Barriers of a loop over tasks are those of consumers alone, and nothing is done there outside of the two sides.
static LogicalResult checkMeetings(hip::TasksOp tasks, hip::IfProducesOp op, hip::ByRoleOp roles) {
  WalkResult result = tasks.walk([&](Operation *inner) {
    auto meeting = dyn_cast<hip::MeetingOpInterface>(inner);
    bool ofConsumers = meeting && meeting.getWaves() == roles.getConsumers();
    bool isInside = op.getConsumes().isAncestor(inner->getParentRegion());
    if ((hip::holdsBarrier(inner) || isa<hip::MeetOp>(inner)) && !(ofConsumers && isInside)) {
      inner->emitOpError() << "lets all waves of the workgroup meet, expected the " << roles.getConsumers()
                           << " consumers alone";
      return WalkResult::interrupt();
    }
    // Whether a number may be read ahead of its task ExitProgram says.
    if (!op->isProperAncestor(inner) && inner != op && inner != tasks && !isFree(inner) && !isa<hip::NumberOp>(inner)) {
      inner->emitOpError() << "is done by producers and consumers, expected it on one side of a 'hip.if_produces'";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// What stands beside loops over tasks all waves do together: the producer has what they waited for, before it copies.
static LogicalResult checkTogether(hip::ByRoleOp roles) {
  WalkResult result = roles.walk<WalkOrder::PreOrder>([&](Operation *op) {
    // Registers are no place where waves see each other, and what is left in them consumers store alone.
    auto left = dyn_cast<hip::IfProducesOp>(op);
    auto group = dyn_cast<hip::GroupOp>(op);
    if (isa<hip::TasksOp, hip::DeferredOp>(op) || (left && storesLeft(left)) || (group && group.isSender()))
      return WalkResult::skip();
    bool isAllowed = isa<hip::ByRoleOp, hip::GroupOp, hip::RoleOp, scf::IfOp, scf::ForOp, hip::WaitOp, hip::SignalOp,
                         hip::PublishOp, hip::SetOp, hip::BarrierOp>(op) ||
                     isFree(op) || op->hasTrait<OpTrait::IsTerminator>();
    auto meeting = dyn_cast<hip::MeetingOpInterface>(op);
    if (isAllowed && !(meeting && meeting.getWaves()))
      return WalkResult::advance();
    op->emitOpError() << "stands beside the tasks of waves that part, expected waits and signals of all of them there";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult checkSides(hip::IfProducesOp op) {
  SmallVector<hip::ProduceOp> produced;
  for (Operation &inner : op.getProduces().front()) {
    auto produce = dyn_cast<hip::ProduceOp>(inner);
    auto mine = dyn_cast<hip::ByProducerOp>(inner);
    if (mine && failed(checkByProducer(mine, op)))
      return failure();
    if (!produce && !mine && !isa<hip::TellOp>(inner) && !isFree(&inner))
      return inner.emitOpError() << "is done by a producer, expected 'hip.produce', 'hip.by_producer' or 'hip.tell' "
                                    "alone there";
    if (produce && failed(checkProduced(produce)))
      return failure();
    if (produce)
      produced.push_back(produce);
  }
  SmallVector<hip::ConsumeOp> consumed;
  op.getConsumes().walk([&](hip::ConsumeOp consume) { consumed.push_back(consume); });
  if (produced.size() != consumed.size())
    return op.emitOpError() << "has " << produced.size() << " 'hip.produce' and " << consumed.size()
                            << " 'hip.consume', expected as many";
  for (auto [produce, consume] : llvm::zip(produced, consumed))
    if (failed(checkPair(produce, consume, op)))
      return failure();
  return checkTellings(op);
}

LogicalResult checker::checkRoles(hip::ByRoleOp op) {
  if (failed(checkTogether(op)))
    return failure();
  SmallVector<hip::TasksOp> loops;
  op.walk([&](hip::TasksOp tasks) { loops.push_back(tasks); });
  for (auto group : op.getBody().getOps<hip::GroupOp>())
    if (group.isSender() && failed(checkSender(group)))
      return failure();
  for (hip::TasksOp tasks : loops) {
    if (tasks.getGroup().isSender())
      continue;
    SmallVector<hip::IfProducesOp> sides;
    tasks.walk([&](hip::IfProducesOp inner) { sides.push_back(inner); });
    if (sides.size() != 1 || sides.front()->getParentOp() != tasks)
      return tasks.emitOpError() << "has " << sides.size() << " 'hip.if_produces', expected one, in each task";
    if (failed(checkMeetings(tasks, sides.front(), op)) || failed(checkSides(sides.front())))
      return failure();
  }
  return checkDeferred(op);
}
