// Slots that a producer fills, and those who consume them: the part of SharedExecution for waves of different work.
#include "dialect/Deferred.h"
#include "passes/checker/RoleSides.h"
#include "passes/checker/SharedExecution.h"
#include "tilec/constants.h"

using namespace mlir;
using namespace tilec;

namespace tilec {

/// The slot that an activity of the engine fills; null where it is none.
hip::SlotOp SharedExecution::filledBy(Value activity) {
  if (auto run = activity.getDefiningOp<hip::CopyingRunOp>())
    return run.getSlot().getDefiningOp<hip::SlotOp>();
  auto copying = activity.getDefiningOp<hip::CopyingOp>();
  bool isMapped = copying && copying.getFeed().getDefiningOp<hip::MappedFeedOp>();
  return isMapped ? copying.getSlot().getDefiningOp<hip::SlotOp>() : hip::SlotOp();
}

/// The engine writes to a slot, at any time from now on.
void SharedExecution::put(hip::FillOp op, int64_t slot, SharedState &state) {
  SharedState known = state;
  known.setNumber(op.getSlot(), slot);
  for (Value activity : op.getActivities())
    if (hip::SlotOp filled = filledBy(activity))
      for (const SharedAccess &access : slotAccess(activity.getDefiningOp(), filled, known)) {
        for (const SharedFill &other : state.fills)
          if (other.by == op->getParentOp() && other.slot == slot && access.overlaps(other.access) &&
              other.access.op != access.op)
            report(access.op, "fills bytes of a slot that another copy of the step fills, too", other.access,
                   "the other copy");
        std::erase_if(state.contents, [&](const SharedAccess &other) { return access.overlaps(other); });
        std::erase_if(state.used, [&](const SharedAccess &other) { return access.overlaps(other); });
        state.fills.insert({access, op.getFull().getDefiningOp(), slot, op->getParentOp()});
      }
}

/// A producer may run ahead of everything: its slots are empty when the kernel begins.
void SharedExecution::beginFills(SharedState &state) {
  kernel.walk([&](hip::ProduceOp produce) {
    if (hip::FillOp fill = checker::fillOf(produce))
      for (int64_t slot = 0; slot < int64_t(produce.getSlots()); ++slot)
        put(fill, slot, state);
  });
}

/// What producers do is in the states from the start.
SharedExecution::States SharedExecution::runSides(hip::IfProducesOp op, const SharedState &state) {
  States states = runBlock(op.getConsumes().front(), {state});
  op.getProduces().walk([&](hip::ProduceOp produce) {
    Operation *full = checker::fillOf(produce).getFull().getDefiningOp();
    for (int64_t slot = 0; slot < int64_t(produce.getSlots()); ++slot)
      for (const SharedState &after : states) {
        bool isFilled =
            llvm::any_of(after.fills, [&](const SharedFill &fill) { return fill.full == full && fill.slot == slot; });
        if (isFilled || !reported.insert(produce).second)
          continue;
        failed = true;
        InFlightDiagnostic diagnostic = produce.emitOpError()
                                        << "fills slot " << slot << ", which a task has not released"
                                        << " at its end";
        diagnostic.attachNote(checker::consumeOf(produce).getLoc()) << "what it fills is used here";
      }
  });
  return states;
}

/// All numbers of steps up to three rounds, as of a stream whose slots are filled by those who use them. What follows
/// knows the slot of the step behind the last one, and whether there was one.
SharedExecution::States SharedExecution::runConsume(hip::ConsumeOp op, const SharedState &state) {
  int64_t slots = op.getSlots();
  std::optional<int64_t> known = state.numberOf(op.getCount());
  States result;
  for (int64_t count = 0; count <= 3 * slots && !failed; ++count) {
    if ((known && (*known == 0) != (count == 0)) || (count == 0 && checker::isMoreThanNone(op.getCount(), op)))
      continue;
    States states{state};
    std::vector<States> begins;
    for (int64_t number = 0; number < count; ++number) {
      begins.push_back(states);
      current = {op.getStep(), number};
      states = runRegion(op.getBody(), number, slots, states);
      current = {};
    }
    if (count == 3 * slots && !failed && begins[slots + 1] != begins[2 * slots + 1]) {
      failed = true;
      op.emitOpError() << "does not come to the same state again after " << slots << " steps";
    }
    for (SharedState after : states) {
      if (!known && count == 0)
        after.setNumber(op.getCount(), 0);
      after.end = {op.getCount().getAsOpaquePointer(), count % slots};
      result.insert(after);
    }
  }
  return result;
}

/// The slot of `k`, or of `k - 1`, inside of the uses, or behind them where k is their number. `isNone`: there is no
/// such step.
std::optional<int64_t> SharedExecution::releasedSlot(hip::ReleaseStepOp op, const SharedState &state, bool &isNone) {
  int64_t slots = cast<hip::EmptyType>(op.getEmpty().getType()).getSlots(), back = 0;
  Value number = op.getStep();
  if (auto before = number.getDefiningOp<arith::SubIOp>(); before && getConstantIntValue(before.getRhs()) == 1) {
    number = before.getLhs();
    back = 1;
  }
  if (number == current.first) {
    isNone = current.second < back;
    return (current.second - back + slots) % slots;
  }
  if (back == 0 || state.end.step != number.getAsOpaquePointer())
    return std::nullopt;
  isNone = state.numberOf(number) == 0;
  return (state.end.slot - back + slots) % slots;
}

/// A wave gives a slot back: what it did there is complete, and so others need not meet it. The producer writes at
/// once, whichever of its loops is next.
void SharedExecution::release(hip::ReleaseStepOp op, SharedState &state) {
  bool isNone = false;
  std::optional<int64_t> slot = releasedSlot(op, state, isNone);
  SmallVector<hip::ProduceOp> producers = checker::producersOf(op.getEmpty());
  auto refuse = [&](const Twine &why) {
    failed = true;
    if (reported.insert(op).second)
      op.emitOpError() << why;
  };
  if (!slot || producers.empty())
    return refuse(slot ? "releases slots that nobody fills"
                       : "releases the slot of a step that is not known to be this one or the one before");
  if (isNone)
    return;
  Operation *full = checker::fillOf(producers.front()).getFull().getDefiningOp();
  if (llvm::any_of(state.fills, [&](const SharedFill &other) { return other.full == full && other.slot == *slot; }))
    return refuse("releases slot " + Twine(*slot) + ", which has not been awaited since it was released");
  SharedState filled = state;
  for (hip::ProduceOp produce : producers)
    put(checker::fillOf(produce), *slot, filled);
  for (const SharedFill &written : filled.fills) {
    if (written.full != full || written.slot != *slot)
      continue;
    // What the wave has loaded comes before its release, which orders what stands before it (PTX ISA, mbarrier.arrive).
    for (const SharedAccess &other : state.stores)
      if (written.access.overlaps(other))
        report(op, "releases a slot that a store may still write", other, "the store");
    for (const PendingProduct &product : state.products)
      for (const SharedAccess &other : product.reads)
        if (written.access.overlaps(other))
          report(op, "releases a slot that a product may still read", other, "the product");
    std::erase_if(filled.loads, [&](const SharedAccess &other) { return written.access.overlaps(other); });
  }
  state = std::move(filled);
}

bool SharedExecution::isTurn(Operation *op) { return isa<hip::RearrangeOp, hip::DeferredOp, hip::StoreAsyncOp>(op); }

static Value scratchValueOf(Operation *turn) {
  return llvm::TypeSwitch<Operation *, Value>(turn).Case<hip::RearrangeOp, hip::DeferredOp, hip::StoreAsyncOp>(
      [](auto op) { return op.getScratch(); });
}

/// Whether the copy engine may still read the bytes when it is done. Whoever is next there waits for that, if it is of
/// this kind.
static bool isReadLater(Operation *turn) {
  auto deferred = dyn_cast<hip::DeferredOp>(turn);
  return isa<hip::StoreAsyncOp>(turn) || (deferred && deferred.getMap());
}

hip::SharedType SharedExecution::scratchOf(Operation *turn) {
  return cast<hip::SharedType>(scratchValueOf(turn).getType());
}

int64_t SharedExecution::scratchBytesOf(Operation *turn) {
  auto store = dyn_cast<hip::StoreAsyncOp>(turn);
  return bytesOf(scratchOf(turn)) * (store ? int64_t(store.getCopies()) : 1);
}

/// It is the same for all of the kernel: a number of the text.
std::optional<int64_t> SharedExecution::placeOf(Operation *turn) {
  auto shared = scratchValueOf(turn).getDefiningOp<hip::SharedOp>();
  return shared ? getConstantIntValue(shared.getOffset()) : std::nullopt;
}

/// A tile is turned as a store and a load by each wave of a part of its own.
void SharedExecution::turnAmong(SharedAccess turned, SharedState &state) {
  auto isOther = [&](const SharedAccess &other) { return other.overlaps(turned) && !isTurn(other.op); };
  for (const SharedAccess &other : state.loads)
    if (isOther(other))
      report(turned.op, "overwrites LDS without a barrier after a load of it", other, "the load");
  for (const SharedAccess &other : state.stores)
    if (isOther(other))
      report(turned.op, "overwrites LDS without a barrier after another store", other, "the other store");
  std::erase_if(state.contents, [&](const SharedAccess &other) { return turned.overlaps(other); });
  std::erase_if(state.used, [&](const SharedAccess &other) { return turned.overlaps(other); });
  state.loads.insert(turned);
  state.stores.insert(turned);
}

/// Its bytes are those of the waves that use them, each its own part: so nobody meets, and nobody else comes there but
/// by loads and stores that barriers keep apart from it.
/// Loads and stores of others are asked where they happen (avoidsWords), as their place may be a number that paths give
/// them.
void SharedExecution::turn(Operation *op, SharedState &state) {
  auto wavesOf = [](Operation *turn) {
    auto store = dyn_cast<hip::StoreAsyncOp>(turn);
    RankedTensorType type = hip::tileOf(store ? store.getValue().getType() : turn->getResult(0).getType());
    return cast<tile::LayoutAttr>(type.getEncoding()).getWaves();
  };
  std::optional<int64_t> first = placeOf(op);
  if (!first) {
    failed = true;
    if (reported.insert(op).second)
      op->emitOpError() << "goes through LDS whose place is not known";
    return;
  }
  int64_t end = *first + scratchBytesOf(op);
  fitsLds(op, *first, end);
  avoidPending(state, {op, nullptr, *first, end}, "overwrites LDS");
  if (isa<hip::RearrangeOp>(op))
    turnAmong({op, nullptr, *first, end}, state);
  kernel.walk([&](Operation *other) {
    int64_t begin = 0, bytes = 0;
    if (isTurn(other)) {
      std::optional<int64_t> place = placeOf(other);
      if (other == op || (place == first && scratchOf(other) == scratchOf(op) && wavesOf(other) == wavesOf(op) &&
                          isReadLater(other) == isReadLater(op)))
        return;
      begin = place.value_or(0);
      bytes = scratchBytesOf(other);
    } else if (auto ring = dyn_cast<hip::RingOp>(other)) {
      begin = ring.getOffset();
      bytes = int64_t(ring.getSlots()) * bytesOf(ring.getType().getTile());
    } else {
      return;
    }
    isWords(op, other, *first, end - *first, begin, begin + bytes);
  });
}

bool SharedExecution::runRoleOp(Operation *op, SharedState &state) {
  if (auto empty = dyn_cast<hip::EmptyOp>(op)) {
    fitsLds(op, empty.getOffset(), empty.getOffset() + slot_word_bytes * int64_t(empty.getSlots()));
  } else if (auto words = dyn_cast<hip::TicketsOp>(op)) {
    fitsLds(op, words.getOffset(), words.getOffset() + ticket_words_lds);
  } else if (auto words = dyn_cast<hip::TellingOp>(op)) {
    fitsLds(op, words.getOffset(), words.getOffset() + telling_words_lds);
  } else if (auto released = dyn_cast<hip::ReleaseStepOp>(op)) {
    release(released, state);
  } else if (isa<hip::RearrangeOp, hip::StoreAsyncOp>(op)) {
    turn(op, state);
  } else if (auto store = dyn_cast<hip::StoreDeferredOp>(op)) {
    turn(store.getDeferred().getDefiningOp(), state);
  } else {
    return false;
  }
  return true;
}

} // namespace tilec
