// Slots that a copy engine fills, and products that read them: the part of SharedExecution for what happens while the
// waves go on.
#include "passes/checker/RoleSides.h"
#include "passes/checker/SharedExecution.h"

#include "tilec/constants.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;

namespace tilec {

bool SharedExecution::isWords(Operation *words, Operation *op, int64_t begin, int64_t bytes, int64_t first,
                              int64_t end) {
  if (words == op || first >= begin + bytes || begin >= end)
    return false;
  failed = true;
  if (!reported.insert(op).second)
    return true;
  InFlightDiagnostic diagnostic = op->emitOpError()
                                  << "lies at bytes " << first << " to " << end << " of LDS, expected none of " << begin
                                  << " to " << begin + bytes << ", which "
                                  << (isTurn(words)              ? "waves keep for what they rearrange"
                                      : isa<hip::RelayOp>(words) ? "a wave of the producer keeps for what it sends on"
                                                                 : "say what is full or empty");
  bool isDone = isTurn(words) || isa<hip::RelayOp>(words);
  diagnostic.attachNote(words->getLoc()) << (isDone ? "they do it here" : "they are declared here");
  return true;
}

/// Nobody else's accesses may reach the words of a kernel, or what waves keep for what they rearrange.
bool SharedExecution::avoidsWords(Operation *op, int64_t first, int64_t end) {
  bool avoids = true;
  for (Operation *words : slotWords)
    llvm::TypeSwitch<Operation *>(words)
        .Case<hip::FullOp, hip::EmptyOp>([&](auto known) {
          avoids &= !isWords(known, op, known.getOffset(), slot_word_bytes * int64_t(known.getSlots()), first, end);
        })
        .Case([&](hip::RelayOp known) {
          avoids &= !isWords(known, op, known.getOffset(), endOf(known) - int64_t(known.getOffset()), first, end);
        })
        .Case([&](hip::TellingOp known) {
          avoids &= !isWords(known, op, known.getOffset(), telling_words_lds, first, end);
        })
        .Case([&](hip::TicketsOp known) {
          // The tickets themselves lie where those of other kernels do.
          avoids &= !isWords(known, op, 0, broadcast_lds, first, end) &&
                    !isWords(known, op, known.getOffset(), ticket_words_lds, first, end);
        });
  if (isTurn(op))
    return avoids;
  // Those who load and store by themselves may share bytes with a tile that is turned: `turn` asks for barriers.
  bool meets = isa<hip::SharedStoreOp, hip::SharedLoadOp>(op);
  for (Operation *kept : turns)
    if (std::optional<int64_t> place = placeOf(kept); place && !(meets && isa<hip::RearrangeOp>(kept)))
      avoids &= !isWords(kept, op, *place, scratchBytesOf(kept), first, end);
  return avoids;
}

/// What copies may still write.
void SharedExecution::avoidCopies(const SharedState &state, const SharedAccess &access, const Twine &what) {
  for (const SharedCopy &other : state.copies)
    if (access.overlaps(other.access))
      report(access.op, what + " that a copy may still fill", other.access, "the copy");
  for (const SharedFill &other : state.fills)
    if (access.overlaps(other.access))
      report(access.op, what + " that a copy may still fill", other.access, "the copy");
}

/// And what products may still read.
void SharedExecution::avoidPending(const SharedState &state, const SharedAccess &access, const Twine &what) {
  avoidCopies(state, access, what);
  for (const PendingProduct &product : state.products)
    for (const SharedAccess &other : product.reads)
      if (access.overlaps(other))
        report(access.op, what + " that a product may still read", other, "the product");
}

bool SharedExecution::runStreamOp(Operation *op, SharedState &state) {
  if (auto full = dyn_cast<hip::FullOp>(op)) {
    int64_t begin = full.getOffset();
    fitsLds(op, begin, begin + slot_word_bytes * static_cast<int64_t>(full.getSlots()));
  } else if (auto fence = dyn_cast<hip::FenceAsyncOp>(op)) {
    if (!fence.getAcquired())
      state.unfenced.clear();
  } else if (auto filled = dyn_cast<hip::FillOp>(op)) {
    fill(filled, state);
  } else if (auto await = dyn_cast<hip::AwaitFullOp>(op)) {
    awaitFull(await, state);
  } else if (auto product = dyn_cast<hip::MultiplyAsyncOp>(op)) {
    multiply(product, state);
  } else if (auto await = dyn_cast<hip::AwaitProductsOp>(op)) {
    awaitProducts(await, state);
  } else {
    return false;
  }
  return true;
}

/// One thread has the engine write: all reads and stores of the slot are over, for all threads.
void SharedExecution::fill(hip::FillOp op, SharedState &state) {
  std::optional<int64_t> slot = state.numberOf(op.getSlot());
  if (op.getAlone() && reported.insert(op).second) {
    failed = true;
    op.emitOpError() << "is one thread's alone, expected it in a 'hip.produce'";
  }
  for (Value activity : op.getActivities()) {
    Operation *copying = activity.getDefiningOp();
    hip::SlotOp filled = filledBy(activity);
    if (!filled || !slot) {
      failed = true;
      if (reported.insert(op).second)
        op.emitOpError() << (filled ? "fills a slot whose number is not known"
                                    : "performs what is no copy of a 'hip.mapped_feed', and no 'hip.copying_run'");
      return;
    }
    for (const SharedAccess &access : slotAccess(copying, filled, state)) {
      for (const SharedAccess &other : state.loads)
        if (access.overlaps(other))
          report(copying, "overwrites LDS without a barrier after a load of it", other, "the load");
      for (const SharedAccess &other : state.stores)
        if (access.overlaps(other))
          report(copying, "overwrites LDS without a barrier after another store", other, "the other store");
      for (const SharedAccess &other : state.unfenced)
        if (access.overlaps(other))
          report(copying, "overwrites LDS without a 'hip.fence_async' after a store of threads", other, "the store");
      avoidPending(state, access, "overwrites LDS");
      auto overlaps = [&](const SharedAccess &other) { return access.overlaps(other); };
      std::erase_if(state.contents, overlaps);
      std::erase_if(state.used, overlaps);
      state.fills.insert({access, op.getFull().getDefiningOp(), *slot, op->getParentOp()});
    }
  }
}

void SharedExecution::awaitFull(hip::AwaitFullOp op, SharedState &state) {
  std::optional<int64_t> slot = state.numberOf(op.getSlot());
  auto uses = dyn_cast<hip::ConsumeOp>(op->getParentOp());
  Operation *by = uses ? checker::produceOf(uses) : hip::ProduceOp();
  bool isFilled = false;
  std::erase_if(state.fills, [&](const SharedFill &other) {
    if (!slot || other.full != op.getFull().getDefiningOp() || other.slot != *slot)
      return false;
    // Both sides go through the loops of a task in one order: what has landed is what this one's copies brought.
    if (!by || other.by == by)
      state.contents.insert(other.access);
    return isFilled = true;
  });
  if (isFilled)
    return;
  failed = true;
  if (reported.insert(op).second)
    op.emitOpError() << (slot ? "waits for a slot that nothing fills" : "waits for a slot whose number is not known");
}

void SharedExecution::multiply(hip::MultiplyAsyncOp op, SharedState &state) {
  PendingProduct product{{}, op.getAcc().getDefiningOp()};
  for (Value operand : {op.getA(), Value(op.getB())}) {
    if (!isa<hip::SlotType>(operand.getType()))
      continue;
    for (const SharedAccess &access : slotAccess(op, operand.getDefiningOp<hip::SlotOp>(), state)) {
      load(state, {access});
      state.loads.erase(access);
      useSlot(state, {access});
      product.reads.push_back(access);
    }
  }
  if (op.getPromoted())
    complete(product, state);
  else
    state.products.push_back(product);
  registers.multiply(op, [&](Value value) { return state.numberOf(value); }, state.held);
}

/// Its reads are over for the waves that waited; others may overwrite the slots when they have met.
void SharedExecution::complete(const PendingProduct &product, SharedState &state) {
  for (SharedAccess access : product.reads) {
    access.reached = SharedAccess::Reached::Complete;
    state.loads.insert(access);
  }
}

void SharedExecution::awaitProducts(hip::AwaitProductsOp op, SharedState &state) {
  while (state.products.size() > op.getLeft()) {
    complete(state.products.front(), state);
    state.products.erase(state.products.begin());
  }
  for (Value sums : op.getSums())
    if (llvm::any_of(state.products, [&](const PendingProduct &left) { return left.sums == sums.getDefiningOp(); })) {
      failed = true;
      if (reported.insert(op).second)
        op.emitOpError() << "gives back sums that one of the " << static_cast<int64_t>(op.getLeft())
                         << " products that are left may still write";
    }
  registers.complete(op, op.getSums(), [&](Value value) { return state.numberOf(value); }, state.held);
}

SharedExecution::States SharedExecution::runRegion(Region &region, int64_t step, int64_t slots, const States &states) {
  Value slot = region.getArgument(0);
  States entered, left;
  for (SharedState state : states) {
    state.setNumber(slot, step % slots);
    entered.insert(std::move(state));
  }
  for (SharedState state : runBlock(region.front(), entered)) {
    region.walk([&](Operation *inner) {
      for (Value value : inner->getResults())
        state.setNumber(value, std::nullopt);
    });
    state.setNumber(slot, std::nullopt);
    left.insert(std::move(state));
  }
  return left;
}

/// Whether a step is the first is known, and nothing else of its number: then the steps of the second round stand for
/// all that follow.
void SharedExecution::compareStep(arith::CmpIOp op, SharedState &state) {
  std::optional<int64_t> bound = getConstantIntValue(op.getRhs());
  if (!current.first || op.getLhs() != current.first || bound != 0)
    return;
  constexpr unsigned kBits = 64;
  bool holds = arith::applyCmpPredicate(op.getPredicate(), llvm::APInt(kBits, static_cast<uint64_t>(current.second)),
                                        llvm::APInt(kBits, 0));
  state.setNumber(op, holds);
}

/// All numbers of steps up to three rounds of the slots, one by one. States that come again a round later stand for all
/// others: nothing but the slot of a step is known inside, and whether it is the first.
SharedExecution::States SharedExecution::runStream(hip::StreamOp op, const SharedState &state) {
  int64_t slots = op.getSlots(), ahead = op.getAhead();
  States result;
  if (mlir::failed(checker::checkFences(op.getFills().front()))) {
    failed = true;
    return {};
  }
  for (int64_t count = checker::isMoreThanNone(op.getCount(), op); count <= 3 * slots; ++count) {
    States states{state};
    std::vector<States> begins;
    for (int64_t step = 0; step < std::min(ahead, count); ++step)
      states = runRegion(op.getFills(), step, slots, states);
    for (int64_t step = 0; step < count; ++step) {
      begins.push_back(states);
      current = {op.getUses().getArgument(1), step};
      states = runRegion(op.getUses(), step, slots, states);
      current = {};
      if (step + ahead < count)
        states = runRegion(op.getFills(), step + ahead, slots, states);
    }
    if (failed)
      return {};
    if (count == 3 * slots && begins[slots - 1] != begins[2 * slots - 1]) {
      failed = true;
      op.emitOpError() << "does not come to the same state again after " << slots << " steps";
      return {};
    }
    result.merge(std::move(states));
  }
  return result;
}

} // namespace tilec
