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

SmallVector<hip::ProduceOp> checker::producersOf(Value empty) {
  SmallVector<hip::ProduceOp> found;
  for (Operation *user : empty.getUsers()) {
    if (!isa<hip::AwaitEmptyOp>(user))
      continue;
    auto produce = dyn_cast<hip::ProduceOp>(user->getParentOp());
    if (!produce || (!found.empty() && found.front()->getBlock() != produce->getBlock()))
      return {};
    if (!llvm::is_contained(found, produce))
      found.push_back(produce);
  }
  llvm::sort(found, [](hip::ProduceOp a, hip::ProduceOp b) { return a->isBeforeInBlock(b); });
  return found;
}

/// What consumers do with slots in a task, in the order of the text.
static SmallVector<hip::ConsumeOp> usesOf(hip::IfProducesOp sides) {
  SmallVector<hip::ConsumeOp> uses;
  sides.getConsumes().walk([&](hip::ConsumeOp use) { uses.push_back(use); });
  return uses;
}

hip::ConsumeOp checker::consumeOf(hip::ProduceOp op) {
  auto sides = dyn_cast<hip::IfProducesOp>(op->getParentOp());
  if (!sides)
    return {};
  auto fills = llvm::to_vector(sides.getProduces().getOps<hip::ProduceOp>());
  SmallVector<hip::ConsumeOp> uses = usesOf(sides);
  size_t number = llvm::find(fills, op) - fills.begin();
  return number < uses.size() ? uses[number] : hip::ConsumeOp();
}

hip::ProduceOp checker::produceOf(hip::ConsumeOp op) {
  auto sides = op->getParentOfType<hip::IfProducesOp>();
  if (!sides)
    return {};
  auto fills = llvm::to_vector(sides.getProduces().getOps<hip::ProduceOp>());
  SmallVector<hip::ConsumeOp> uses = usesOf(sides);
  size_t number = llvm::find(uses, op) - uses.begin();
  return number < fills.size() ? fills[number] : hip::ProduceOp();
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

/// Several loops of a task may fill the same slots one after the other: then each thread keeps account of both words of
/// a slot for all of them.
static LogicalResult checkShared(hip::ProduceOp op, Value empty, Value full) {
  SmallVector<hip::ProduceOp> sharing = checker::producersOf(empty);
  if (!llvm::is_contained(sharing, op))
    return op.emitOpError() << "has words that others await, too, expected the loops of producers of one task alone";
  for (Operation *user : full.getUsers()) {
    auto fill = dyn_cast<hip::FillOp>(user);
    auto other = fill ? dyn_cast<hip::ProduceOp>(fill->getParentOp()) : hip::ProduceOp();
    if (fill && !llvm::is_contained(sharing, other))
      return op.emitOpError() << "fills slots that others fill, too, expected that all await the same words before";
  }
  for (hip::ProduceOp other : sharing) {
    hip::FillOp fill = checker::fillOf(other);
    if (fill && fill.getFull() == full && other.getSlots() == op.getSlots() && other.getByWave() == op.getByWave())
      continue;
    InFlightDiagnostic diagnostic = op.emitOpError()
                                    << "shares its words with another loop, expected that both fill as many slots, "
                                       "say so by the same words, and both by a wave or both by one thread";
    diagnostic.attachNote(other.getLoc()) << "the other loop is here";
    return diagnostic;
  }
  return success();
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
  return checkShared(op, awaited.getEmpty(), fill.getFull());
}

/// Whether a branch is for more than 0 of a number alone.
static bool asksForSome(scf::IfOp branch, Value number) {
  auto compare = branch.getCondition().getDefiningOp<arith::CmpIOp>();
  return compare && compare.getPredicate() == arith::CmpIPredicate::sgt && compare.getLhs() == number &&
         getConstantIntValue(compare.getRhs()) == 0;
}

/// Whether a branch is taken in one way wherever there are so many steps, if there are any: it asks for their number,
/// or for what has decided it.
static bool isTaken(scf::IfOp branch, bool then, Value count) {
  if (then && asksForSome(branch, count))
    return true;
  auto select = count.getDefiningOp<arith::SelectOp>();
  return select && select.getCondition() == branch.getCondition() &&
         getConstantIntValue(then ? select.getFalseValue() : select.getTrueValue()) == 0;
}

/// Whether the uses run whenever there is a step.
static bool alwaysRuns(hip::ConsumeOp op, Block &side) {
  if (op->getBlock() == &side)
    return true;
  auto branch = dyn_cast<scf::IfOp>(op->getParentOp());
  return branch && branch->getBlock() == &side && isTaken(branch, op->getBlock() == branch.thenBlock(), op.getCount());
}

/// Whether the uses await what the producer fills, and no other words.
static bool awaits(hip::ConsumeOp consume, Value full) {
  bool isOnly = true, isAny = false;
  consume.getBody().walk([&](hip::AwaitFullOp await) {
    isAny |= await->getParentOp() == consume;
    isOnly &= await.getFull() == full && await->getParentOp() == consume;
  });
  return isAny && isOnly;
}

/// Whether each wait for what fills the words stands in uses of slots.
static bool isAwaitedInUses(Value full) {
  return llvm::all_of(full.getUsers(), [](Operation *user) {
    return !isa<hip::AwaitFullOp>(user) || isa<hip::ConsumeOp>(user->getParentOp());
  });
}

static LogicalResult checkPair(hip::ProduceOp produce, hip::ConsumeOp consume, hip::IfProducesOp sides) {
  auto refuse = [&](const Twine &why) {
    InFlightDiagnostic diagnostic = consume.emitOpError() << why;
    diagnostic.attachNote(produce.getLoc()) << "the producer is here";
    return diagnostic;
  };
  Value full = fillOf(produce).getFull();
  if (!awaits(consume, full) || !isAwaitedInUses(full))
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
  SmallVector<hip::ConsumeOp> consumed = usesOf(op);
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

bool checker::isMoreThanNone(Value number, Operation *op) {
  for (auto branch = op->getParentOfType<scf::IfOp>(); branch; branch = branch->getParentOfType<scf::IfOp>())
    if (asksForSome(branch, number) && branch.getThenRegion().isAncestor(op->getParentRegion()))
      return true;
  return false;
}
