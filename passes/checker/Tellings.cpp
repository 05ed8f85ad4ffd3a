// Compares the two sides of a task. Shares no code with the pass that makes them.
#include "passes/checker/Tellings.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

hip::TellOp checker::toldAt(hip::HandOnOp op) {
  auto sides = dyn_cast<hip::IfProducesOp>(op->getParentOp());
  if (!sides || op->getBlock() != &sides.getConsumes().front())
    return {};
  auto handed = sides.getConsumes().getOps<hip::HandOnOp>();
  auto told = sides.getProduces().getOps<hip::TellOp>();
  auto place = llvm::find(handed, op);
  auto number = std::distance(handed.begin(), place);
  return number < std::distance(told.begin(), told.end()) ? *std::next(told.begin(), number) : hip::TellOp();
}

/// The words of a relay are those of relays of this wave alone.
static LogicalResult checkToldRelay(hip::RelayOp relay) {
  for (Operation *user : relay.getFull().getUsers())
    if (!isa<hip::RelayOp>(user) || !user->getParentOfType<hip::TellOp>()) {
      InFlightDiagnostic diagnostic = relay.emitOpError() << "counts pieces in words of others, expected words of its "
                                                             "own";
      diagnostic.attachNote(user->getLoc()) << "they are used here";
      return diagnostic;
    }
  return success();
}

/// Whether the wave does only what one wave can: it sends on and publishes for itself, and no memory changes otherwise.
static LogicalResult checkBody(Block &block) {
  for (Operation &op : block) {
    auto signal = dyn_cast<hip::RaisingOpInterface>(op);
    bool isAround = isa<scf::IfOp, scf::ForOp>(op);
    if (signal && !signal.isByWave())
      return op.emitOpError() << "is one wave's of a producer, expected it by wave";
    auto relay = dyn_cast<hip::RelayOp>(op);
    if (relay && failed(checkToldRelay(relay)))
      return failure();
    if (isa<hip::ArriveOp>(op))
      return op.emitOpError() << "stands in what a wave tells, expected it at the end of a task";
    if (!signal && !isAround && !relay && !op.hasTrait<OpTrait::IsTerminator>() && !op.hasTrait<hip::RecordsOnly>() &&
        (op.getNumRegions() || !isMemoryEffectFree(&op)))
      return op.emitOpError() << "stands in what a wave of a producer tells, expected signals and relays";
    for (Region &region : op.getRegions())
      if (!region.empty() && failed(checkBody(region.front())))
        return failure();
  }
  return success();
}

/// The words belong to all consumers of a kernel, and to no other wave than the one that tells.
static LogicalResult checkWords(Value telling, hip::ByRoleOp roles) {
  auto words = telling.getDefiningOp<hip::TellingOp>();
  if (!words || words.getConsumers() != roles.getConsumers())
    return roles.emitOpError() << "has " << roles.getConsumers()
                               << " consumers, expected that all of them hand on what is told";
  for (Operation *user : telling.getUsers())
    if (!roles->isAncestor(user))
      return user->emitOpError() << "hands on beside waves that part, expected it among them";
  return success();
}

/// Words for each kind of telling would be another wave's: there is one that tells.
static LogicalResult checkOnce(hip::TellingOp words) {
  for (auto other : words->getParentOfType<hip::KernelOp>().getBody().getOps<hip::TellingOp>())
    if (other != words) {
      InFlightDiagnostic diagnostic = words.emitOpError() << "stands beside another one, expected one of a kernel";
      diagnostic.attachNote(other.getLoc()) << "the other one is here";
      return diagnostic;
    }
  return success();
}

/// A signal of consumers says nothing of what the wave still does.
static LogicalResult checkBehind(hip::HandOnOp hand) {
  hip::TellOp told = toldAt(hand);
  if (!told || !told.walk([](hip::RelayOp) { return WalkResult::interrupt(); }).wasInterrupted())
    return success();
  for (Operation *next = hand->getNextNode(); next; next = next->getNextNode()) {
    WalkResult result = next->walk([&](Operation *op) {
      if (!isa<hip::RaisingOpInterface>(op))
        return WalkResult::advance();
      InFlightDiagnostic diagnostic = op->emitOpError() << "comes behind what a wave may still send on, expected that "
                                                           "the wave signals";
      diagnostic.attachNote(told.getLoc()) << "it is sent on here";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return failure();
  }
  return success();
}

LogicalResult checker::checkTellings(hip::IfProducesOp op) {
  auto roles = op->getParentOfType<hip::ByRoleOp>();
  WalkResult result = op->walk([&](Operation *inner) {
    auto hand = dyn_cast<hip::HandOnOp>(inner);
    auto tell = dyn_cast<hip::TellOp>(inner);
    if (!hand && !tell)
      return WalkResult::advance();
    Region &side = hand ? op.getConsumes() : op.getProduces();
    if (inner->getBlock() != &side.front()) {
      inner->emitOpError() << "stands in a loop or a branch, or on the other side, expected it among what "
                           << (hand ? "consumers" : "producers") << " do once in a task";
      return WalkResult::interrupt();
    }
    Value telling = inner->getOperand(0);
    if (failed(checkWords(telling, roles)) || failed(checkOnce(telling.getDefiningOp<hip::TellingOp>())) ||
        (tell && failed(checkBody(tell.getBody().front()))))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  int64_t handed = llvm::range_size(op.getConsumes().getOps<hip::HandOnOp>());
  int64_t told = llvm::range_size(op.getProduces().getOps<hip::TellOp>());
  if (handed != told)
    return op.emitOpError() << "has " << handed << " 'hip.hand_on' and " << told << " 'hip.tell', expected as many";
  return success(llvm::all_of(op.getConsumes().getOps<hip::HandOnOp>(),
                              [](hip::HandOnOp hand) { return succeeded(checkBehind(hand)); }));
}

LogicalResult checker::checkTold(const ProgramCode &program, size_t first) {
  ArrayRef<AccessSite> all = ArrayRef(program.accesses).drop_front(first);
  auto rootOf = [&](const AccessSite &site) { return program.views[site.view].root; };
  for (auto [place, told] : llvm::enumerate(all)) {
    if (!told.isTold)
      continue;
    for (const AccessSite &behind : all.drop_front(place + 1)) {
      if (behind.isTold || rootOf(behind) != rootOf(told) || (!behind.writes && !told.writes))
        continue;
      InFlightDiagnostic diagnostic =
          behind.op->emitOpError() << "touches what a wave may still send on, expected that consumers have done with "
                                      "it when they hand it on";
      diagnostic.attachNote(told.op->getLoc()) << "it is sent on here";
      return diagnostic;
    }
  }
  return success();
}
