// Looks at the operations around a relay. Shares no code with the passes that it checks.
#include "passes/checker/Relays.h"
#include "passes/checker/RoleSides.h"
#include "tilec/constants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

/// The operations of a producer's wave, those that signal in a branch as if they stood beside it.
static SmallVector<Operation *> operationsOf(hip::ByProducerOp op) {
  SmallVector<Operation *> all;
  for (Operation &inner : op.getBody().front()) {
    auto branch = dyn_cast<scf::IfOp>(inner);
    bool signals = branch && branch.getNumResults() == 0 && branch.getElseRegion().empty() &&
                   llvm::all_of(branch.thenBlock()->without_terminator(),
                                [](Operation &guarded) { return isa<hip::SignalOp>(guarded) || isFree(&guarded); });
    if (!signals) {
      all.push_back(&inner);
      continue;
    }
    for (Operation &guarded : branch.thenBlock()->without_terminator())
      all.push_back(&guarded);
  }
  return all;
}

/// Waits, one relay, signals: all of the one wave.
static LogicalResult checkOrder(hip::ByProducerOp op) {
  hip::RelayOp relay;
  for (Operation *step : operationsOf(op)) {
    Operation &inner = *step;
    auto wait = dyn_cast<hip::WaitOp>(inner);
    auto signal = dyn_cast<hip::SignalOp>(inner);
    auto participants = wait ? wait.getParticipants() : signal ? signal.getParticipants() : std::nullopt;
    if ((wait || signal) && participants != tile::Participants::Wave)
      return inner.emitOpError() << "is one wave's of a producer, expected it by wave";
    bool inOrder = wait ? !relay : signal ? bool(relay) : isa<hip::RelayOp>(inner) ? !relay : isFree(&inner);
    if (!inOrder)
      return inner.emitOpError() << "stands in what one wave of a producer does, expected its waits, one 'hip.relay', "
                                    "and its signals behind that";
    if (auto moves = dyn_cast<hip::RelayOp>(inner))
      relay = moves;
  }
  return relay ? success() : op.emitOpError() << "moves nothing, expected one 'hip.relay'";
}

/// Whether a condition is that another one does not hold.
static bool isOtherwise(Value condition, Value of) {
  auto turned = condition.getDefiningOp<arith::XOrIOp>();
  return turned && turned.getLhs() == of && getConstantIntValue(turned.getRhs()).value_or(0) != 0;
}

/// Consumers do the task where the wave does not.
static LogicalResult checkOtherwise(hip::ByProducerOp op, hip::IfProducesOp sides) {
  for (Operation &inner : sides.getConsumes().front()) {
    auto branch = dyn_cast<scf::IfOp>(inner);
    if (isFree(&inner) ||
        (branch && branch.getElseRegion().empty() && isOtherwise(branch.getCondition(), op.getWhen())))
      continue;
    InFlightDiagnostic diagnostic = inner.emitOpError()
                                    << "is done by consumers of a task that a producer does, expected it where the "
                                       "producer does not";
    diagnostic.attachNote(op.getLoc()) << "the producer does it here";
    return diagnostic;
  }
  return success();
}

/// Bytes of LDS with the words that an operation declares; none: it declares none.
static std::pair<int64_t, int64_t> wordsOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::pair<int64_t, int64_t>>(op)
      .Case<hip::FullOp, hip::EmptyOp>([](auto words) {
        int64_t first = words.getOffset();
        return std::pair(first, first + slot_word_bytes * int64_t(words.getSlots()));
      })
      .Case([](hip::TellingOp words) {
        return std::pair<int64_t, int64_t>(words.getOffset(), int64_t(words.getOffset()) + telling_words_lds);
      })
      .Case([](hip::TicketsOp words) {
        return std::pair<int64_t, int64_t>(0, int64_t(words.getOffset()) + ticket_words_lds);
      })
      .Default([](Operation *) { return std::pair<int64_t, int64_t>(0, 0); });
}

static bool usesLds(Operation *op) {
  return !isa<hip::RelayOp>(op) && !isFree(op) && llvm::any_of(op->getOperandTypes(), [](Type type) {
    return isa<hip::SharedType, hip::SlotType, hip::RingType, hip::FullType, hip::EmptyType, hip::ActivityType>(type);
  });
}

/// Nobody has used LDS before, and no words lie where pieces pass.
static LogicalResult checkLds(hip::RelayOp relay) {
  auto kernel = relay->getParentOfType<hip::KernelOp>();
  int64_t first = relay.getOffset(),
          end = first + int64_t(relay.getSlotBytes()) * int64_t(relay.getFull().getType().getSlots());
  if (first < broadcast_lds || end > static_cast<int64_t>(kernel.getSharedBytes()))
    return relay.emitOpError() << "goes through bytes " << first << " to " << end
                               << " of LDS, expected them behind the " << broadcast_lds << " of the library and within "
                               << kernel.getSharedBytes();
  bool isBehind = false;
  WalkResult result = kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    isBehind |= op == relay;
    auto [words, wordsEnd] = wordsOf(op);
    bool overlaps = words < end && first < wordsEnd, isEarly = !isBehind && usesLds(op);
    bool isShared = op != relay && llvm::is_contained(op->getOperands(), relay.getFull());
    if (!overlaps && !isEarly && !isShared)
      return WalkResult::advance();
    InFlightDiagnostic diagnostic = relay.emitOpError();
    if (overlaps)
      diagnostic << "goes through bytes " << first << " to " << end << " of LDS, expected none with words of others";
    else
      diagnostic << "comes behind another use of " << (isShared ? "its words" : "LDS") << ", expected none before it";
    diagnostic.attachNote(op->getLoc()) << (overlaps ? "they are declared here" : "the other use is here");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult checker::checkByProducer(hip::ByProducerOp op, hip::IfProducesOp sides) {
  auto tasks = sides->getParentOfType<hip::TasksOp>();
  if (!tasks || !tasks.getTickets())
    return op.emitOpError() << "is in no loop whose tasks the producer draws, expected one: others could use LDS that "
                               "it moves through";
  if (failed(checkOrder(op)) || failed(checkOtherwise(op, sides)))
    return failure();
  return checkLds(*op.getBody().getOps<hip::RelayOp>().begin());
}
