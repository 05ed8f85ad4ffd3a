// The slots of rings in a kernel's LDS: who fills and reads them, and in which order steps come to them.
#include "dialect/Limits.h"
#include "passes/checker/SharedExecution.h"

using namespace mlir;
using namespace tilec;

namespace tilec {

/// A slot whose number is not known may be any of its ring.
std::vector<SharedAccess> SharedExecution::slotAccess(Operation *op, hip::SlotOp slot, const SharedState &state) {
  auto ring = slot ? slot.getRing().getDefiningOp<hip::RingOp>() : hip::RingOp();
  if (!ring) {
    op->emitOpError() << "works on a value that is no 'hip.slot' of a 'hip.ring'";
    failed = true;
    return {};
  }
  hip::SharedType type = ring.getType().getTile();
  int64_t bytes = bytesOf(type), begin = ring.getOffset(), end = begin + int64_t(ring.getSlots()) * bytes;
  fitsLds(ring, begin, end);
  std::optional<int64_t> number = state.numberOf(slot.getNumber());
  if (!number)
    return {{op, type.getAsOpaquePointer(), begin, end}};
  if (*number < 0 || *number >= int64_t(ring.getSlots())) {
    failed = true;
    if (reported.insert(op).second)
      op->emitOpError() << "works on slot " << *number << ", expected one of " << ring.getSlots();
  }
  return {{op, type.getAsOpaquePointer(), begin + *number * bytes, begin + (*number + 1) * bytes}};
}

void SharedExecution::runActivities(Operation *op, SharedState &state) {
  auto number = [&](Value value) { return state.numberOf(value); };
  if (isa<hip::InOrderOp, hip::PlacesOp>(op))
    for (Value activity : op->getOperands())
      perform(op, activity, state);
  if (auto hold = dyn_cast<hip::HoldOp>(op))
    return registers.declare(hold, state.held);
  if (auto take = dyn_cast<hip::TakeOp>(op))
    return registers.take(op, take.getHeld(), number, state.held);
  if (auto put = dyn_cast<hip::PutOp>(op))
    return registers.put(op, put.getHeld(), number, state.held);
  if (auto read = dyn_cast<hip::ReadSlotOp>(op)) {
    std::vector<SharedAccess> slot = slotAccess(op, read.getSlot().getDefiningOp<hip::SlotOp>(), state);
    load(state, slot);
    return useSlot(state, slot);
  }
  if (auto places = dyn_cast<hip::PlacesOp>(op))
    return registers.perform(places, number, state.held);
  for (Value activity : op->getOperands())
    if (Operation *done = activity.getDefiningOp())
      registers.perform(done, number, state.held);
}

/// Of the last two copies a wave issues one, with as many accesses as both have here: neither is complete before as
/// many are.
static void joinLastCopies(SharedState &state) {
  if (state.copies.size() < 2)
    return; // what was wrong has been reported
  SharedCopy &second = state.copies.back(), &first = *std::prev(state.copies.end(), 2);
  first.accesses += second.accesses;
  second.accesses = 0;
}

/// What an activity does to LDS.
void SharedExecution::perform(Operation *by, Value activity, SharedState &state) {
  Operation *op = activity.getDefiningOp();
  auto slotOf = [](Value slot) { return slot.getDefiningOp<hip::SlotOp>(); };
  if (auto turns = dyn_cast_or_null<hip::InTurnOp>(op)) {
    for (Value inner : turns.getActivities())
      perform(op, inner, state);
  } else if (auto reading = dyn_cast_or_null<hip::ReadingOp>(op)) {
    std::vector<SharedAccess> slot = slotAccess(op, slotOf(reading.getSlot()), state);
    load(state, slot);
    useSlot(state, slot);
  } else if (auto depositing = dyn_cast_or_null<hip::DepositingOp>(op)) {
    store(state, slotAccess(op, slotOf(depositing.getSlot()), state));
  } else if (auto refilling = dyn_cast_or_null<hip::RefillingOp>(op)) {
    store(state, slotAccess(op, slotOf(refilling.getSlot()), state));
  } else if (auto halves = dyn_cast_or_null<hip::ByHalvesOp>(op)) {
    perform(op, halves.getFirst(), state);
    perform(op, halves.getSecond(), state);
    joinLastCopies(state);
  } else if (auto copying = dyn_cast_or_null<hip::CopyingOp>(op)) {
    copy(state, slotAccess(op, slotOf(copying.getSlot()), state));
    if (copying.getFeed().getDefiningOp<hip::MappedFeedOp>() && reported.insert(op).second) {
      failed = true;
      op->emitOpError() << "is the copy engine's, expected it in a 'hip.fill'";
    }
  } else if (!isa_and_nonnull<hip::FetchingOp, hip::MultiplyingOp>(op)) {
    failed = true;
    if (reported.insert(by).second)
      by->emitOpError() << "performs a value that is no activity, expected the result of one such as 'hip.reading'";
  }
}

void SharedExecution::copy(SharedState &state, ArrayRef<SharedAccess> accesses) {
  store(state, accesses);
  for (const SharedAccess &access : accesses) {
    state.stores.erase(access);
    state.unfenced.erase(access);
    // One of the same that is in flight has been reported; without end, copies that nobody awaits would pile up.
    std::erase_if(state.copies, [&](const SharedCopy &other) { return other.access.key() == access.key(); });
    state.copies.push_back({access, (access.end - access.first) / (tile::kAccessBytes * int64_t(kernel.getThreads()))});
  }
}

/// Whether a number of steps is surely a multiple of so many: from how it is computed on this path. 2^32, at which
/// numbers wrap, is one too.
static bool isMultiple(Value value, int64_t of, const SharedState &state) {
  if (std::optional<int64_t> number = state.numberOf(value))
    return *number % of == 0;
  auto operandIs = [&](Operation *op, unsigned number) { return isMultiple(op->getOperand(number), of, state); };
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto select = dyn_cast<arith::SelectOp>(op))
    if (std::optional<int64_t> condition = state.numberOf(select.getCondition()))
      return operandIs(op, *condition ? 1 : 2);
  if (isa<arith::MulIOp>(op))
    return operandIs(op, 0) || operandIs(op, 1);
  if (isa<arith::SelectOp>(op))
    return operandIs(op, 1) && operandIs(op, 2);
  return isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp>(op) && operandIs(op, 0) && operandIs(op, 1);
}

/// What may stand in steps whose halves alternate: there a barrier is none for memory or signals, as the halves come to
/// it at different steps of theirs.
static bool canAlternate(Operation *op) {
  return isMemoryEffectFree(op) || isa<hip::BarrierOp, hip::MeetOp, hip::AwaitCopiesOp, hip::PriorityOp, hip::PlacesOp,
                                       hip::InOrderOp, hip::HoldOp, hip::TakeOp, hip::PutOp, hip::ReadSlotOp>(op);
}

/// Reports what may not, once for the steps.
bool SharedExecution::canAllAlternate(hip::StepsOp steps) {
  WalkResult walked = steps.getBody().walk([&](Operation *op) {
    if (canAlternate(op))
      return WalkResult::advance();
    failed = true;
    if (reported.insert(op).second)
      op->emitOpError() << "stands in steps whose halves of waves alternate, expected products, accesses to rings and "
                           "registers, and their waits and meetings alone";
    return WalkResult::interrupt();
  });
  return !walked.wasInterrupted();
}

/// The slots of steps that do not begin at 0 are those behind the steps before: the text begins with the first of them.
void SharedExecution::beginSteps(hip::StepsOp op, const SharedState &state) {
  Value from = op.getFrom();
  if (!from || state.numberOf(from) == 0)
    return;
  bool follows = state.end.step == from.getAsOpaquePointer();
  if (follows && state.end.slot == 0)
    return;
  failed = true;
  if (!reported.insert(op).second)
    return;
  InFlightDiagnostic diagnostic = op.emitOpError();
  if (follows)
    diagnostic << "begins with slot 0, expected slot " << state.end.slot << ", with which the steps before it end";
  else
    diagnostic << "begins at a step that is not known to be the one behind the steps before it";
}

/// Any number of steps, their slots in turn, until no step brings a new state. Behind a number of them that is a
/// multiple of the slots comes the first slot again.
SharedExecution::States SharedExecution::runSteps(hip::StepsOp op, const SharedState &state) {
  beginSteps(op, state);
  if (op.getAlternating() && !canAllAlternate(op))
    return {state};
  bool inRounds = isMultiple(op.getCount(), op.getSlots(), state);
  auto ended = [&](SharedState state, int64_t slot) {
    state.end = {op.getCount().getAsOpaquePointer(), slot};
    return state;
  };
  std::map<int64_t, States> seen;
  SharedState begin = state;
  begin.apart = op.getAlternating().has_value();
  std::vector<std::pair<int64_t, SharedState>> work{{0, begin}};
  States result{ended(begin, 0)};
  while (!work.empty()) {
    auto [slot, entry] = std::move(work.back());
    work.pop_back();
    if (!seen[slot].insert(entry))
      continue;
    entry.setNumber(op.getSlot(), slot);
    for (SharedState after : runBlock(op.getBody().front(), {entry})) {
      after.forget(&op.getBody().front());
      after.setNumber(op.getSlot(), std::nullopt);
      int64_t following = (slot + 1) % int64_t(op.getSlots());
      if (!inRounds || following == 0)
        result.insert(ended(after, following));
      work.push_back({following, after});
    }
  }
  return op.getAlternating() ? together(std::move(result)) : result;
}

/// The first half meets once more, where the second half comes to the last meeting of the steps: what came before that
/// is settled for all, and what came behind it needs a meeting as ever.
SharedExecution::States SharedExecution::together(States states) {
  States joined;
  while (!states.empty()) {
    SharedState state = states.take();
    auto hasMet = [](const SharedAccess &access) { return access.reached == SharedAccess::Reached::MetOnce; };
    std::erase_if(state.loads, hasMet);
    std::erase_if(state.stores, hasMet);
    state.apart = false;
    joined.insert(std::move(state));
  }
  return joined;
}

/// A step that reads what an earlier step has read multiplies a tile twice, and leaves another out.
void SharedExecution::useSlot(SharedState &state, ArrayRef<SharedAccess> accesses) {
  for (const SharedAccess &access : accesses) {
    // A tile that lay there before the ring did has filled no slot.
    bool isFilled = llvm::any_of(state.contents, [&](const SharedAccess &other) {
      return other.isSameTile(access) && !isa<hip::SharedStoreOp>(other.op);
    });
    bool isFirst = state.used.insert(access).second;
    if (isFilled && isFirst)
      continue;
    failed = true;
    if (!reported.insert(access.op).second)
      continue;
    access.op->emitOpError() << (isFilled ? "reads a slot again that nothing has filled since"
                                          : "reads a slot that nothing has filled");
  }
}

} // namespace tilec
