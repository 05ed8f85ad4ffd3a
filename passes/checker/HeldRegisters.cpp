// Follows which registers of a kernel hold a tile that nothing has used yet. Shares no code with the passes that place
// activities.
#include "passes/checker/HeldRegisters.h"

using namespace mlir;
using namespace tilec;

namespace {

/// The registers that an activity works on.
struct Uses {
  SmallVector<Value> takes, puts;
};

Uses usesOf(Operation *activity) {
  return llvm::TypeSwitch<Operation *, Uses>(activity)
      .Case([](hip::ReadingOp op) { return Uses{{}, {op.getTo()}}; })
      .Case([](hip::FetchingOp op) { return Uses{{}, {op.getTo()}}; })
      .Case([](hip::DepositingOp op) { return Uses{{op.getFrom()}, {}}; })
      .Case([](hip::RefillingOp op) { return Uses{{op.getRegisters()}, {op.getRegisters()}}; })
      .Case([](hip::MultiplyingOp op) { return Uses{{op.getA(), op.getB(), op.getAcc()}, {op.getAcc()}}; })
      .Case([](hip::InTurnOp op) {
        Uses all;
        for (Value inner : op.getActivities())
          if (Operation *def = inner.getDefiningOp()) {
            Uses uses = usesOf(def);
            llvm::append_range(all.takes, uses.takes);
            llvm::append_range(all.puts, uses.puts);
          }
        return all;
      })
      .Default([](Operation *) { return Uses(); });
}

} // namespace

InFlightDiagnostic HeldRegisters::report(Operation *op) {
  failed = true;
  reported.insert(op);
  return op->emitOpError();
}

HeldRegisters::Key HeldRegisters::keyOf(Operation *op, Value held, NumberOf numberOf) {
  if (auto hold = held.getDefiningOp<hip::HoldOp>())
    return HeldTiles::key_type(hold, 0);
  auto at = held.getDefiningOp<hip::HeldAtOp>();
  auto hold = at ? at.getHeld().getDefiningOp<hip::HoldOp>() : hip::HoldOp();
  std::optional<int64_t> number = hold ? numberOf(at.getNumber()) : std::nullopt;
  int64_t count = hold ? hold.getType().getCount() : 0;
  if (number && *number >= 0 && *number < count)
    return HeldTiles::key_type(hold, *number);
  if (reported.contains(op))
    return std::nullopt;
  if (!hold)
    report(op) << "works on registers that no 'hip.hold' declares";
  else if (number)
    report(op) << "works on tile " << *number << " of a 'hip.hold', expected one of " << count;
  else
    report(op) << "works on a tile of a 'hip.hold' whose number is not known, expected a constant or one of the slot";
  return std::nullopt;
}

void HeldRegisters::declare(hip::HoldOp hold, HeldTiles &tiles) const {
  for (int64_t number = 0, count = hold.getType().getCount(); number < count; ++number)
    tiles.erase({hold, number});
  if (hold.getInit())
    tiles[{hold, 0}] = HeldTile::Filled;
}

void HeldRegisters::leave(Block &block, HeldTiles &tiles) {
  std::erase_if(tiles, [&](const auto &entry) { return entry.first.first->getBlock() == &block; });
}

void HeldRegisters::take(Operation *op, Value held, NumberOf numberOf, HeldTiles &tiles) {
  Key key = keyOf(op, held, numberOf);
  if (!key)
    return;
  auto found = tiles.find(*key);
  if (found != tiles.end() && found->second == HeldTile::Pending && !reported.contains(op))
    report(op) << "uses sums that a product may still write, expected a 'hip.await_products' that leaves none";
  if (found != tiles.end()) {
    found->second = HeldTile::Taken;
    return;
  }
  if (reported.contains(op))
    return;
  InFlightDiagnostic diagnostic = report(op) << "uses registers that nothing has filled";
  diagnostic.attachNote(key->first->getLoc()) << "they are declared here";
}

void HeldRegisters::multiply(hip::MultiplyAsyncOp op, NumberOf numberOf, HeldTiles &tiles) {
  Value held = op.getAcc();
  Key key = keyOf(op, held, numberOf);
  if (!key)
    return;
  auto found = tiles.find(*key);
  if ((found == tiles.end() && !op.getBegins()) || op.getPromoted()) {
    take(op, held, numberOf, tiles);
    if (op.getPromoted())
      put(op, held, numberOf, tiles);
    return;
  }
  if (op.getBegins() && found != tiles.end() && found->second != HeldTile::Taken)
    put(op, held, numberOf, tiles);
  tiles[*key] = HeldTile::Pending;
}

void HeldRegisters::complete(Operation *op, ValueRange sums, NumberOf numberOf, HeldTiles &tiles) {
  for (Value held : sums)
    if (Key key = keyOf(op, held, numberOf))
      if (auto found = tiles.find(*key); found != tiles.end() && found->second == HeldTile::Pending)
        found->second = HeldTile::Filled;
}

void HeldRegisters::put(Operation *op, Value held, NumberOf numberOf, HeldTiles &tiles) {
  Key key = keyOf(op, held, numberOf);
  if (!key)
    return;
  auto [entry, isNew] = tiles.try_emplace(*key, HeldTile::Filled);
  if (!isNew && entry->second == HeldTile::Filled && !reported.contains(op)) {
    InFlightDiagnostic diagnostic = report(op) << "fills registers again before anything has used what they hold";
    diagnostic.attachNote(key->first->getLoc()) << "they are declared here";
  }
  entry->second = HeldTile::Filled;
}

void HeldRegisters::perform(Operation *activity, NumberOf numberOf, HeldTiles &tiles) {
  if (auto turns = dyn_cast<hip::InTurnOp>(activity)) {
    for (Value inner : turns.getActivities())
      if (Operation *def = inner.getDefiningOp())
        perform(def, numberOf, tiles);
    return;
  }
  Uses uses = usesOf(activity);
  for (Value held : uses.takes)
    take(activity, held, numberOf, tiles);
  for (Value held : uses.puts)
    put(activity, held, numberOf, tiles);
}

/// The products go on while the accesses happen: where exactly is a matter of their numbers.
void HeldRegisters::perform(hip::PlacesOp places, NumberOf numberOf, HeldTiles &tiles) {
  Operation *products = places.getProducts().getDefiningOp();
  if (!products)
    return;
  std::map<HeldTiles::key_type, Operation *> filled;
  for (Value activity : places.getActivities()) {
    Operation *op = activity.getDefiningOp();
    for (Value held : op ? usesOf(op).puts : SmallVector<Value>())
      if (Key key = keyOf(op, held, numberOf))
        filled[*key] = op;
  }
  for (Value held : usesOf(products).takes) {
    Key key = keyOf(places, held, numberOf);
    auto found = key ? filled.find(*key) : filled.end();
    if (found == filled.end() || reported.contains(places))
      continue;
    InFlightDiagnostic diagnostic = report(places) << "multiplies registers that one of its accesses fills meanwhile";
    diagnostic.attachNote(found->second->getLoc()) << "the access is here";
  }
  perform(products, numberOf, tiles);
  for (Value activity : places.getActivities())
    if (Operation *op = activity.getDefiningOp())
      perform(op, numberOf, tiles);
}
