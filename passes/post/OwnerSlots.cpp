// Sums of two shots: their owner takes what the other ranks have multiplied for it.
#include "passes/post/Slots.h"

#include "passes/analysis/ViewedBuffer.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace {

class OwnerSlots : public Slots {
public:
  using Slots::Slots;

  bool match();
  void rewrite();

private:
  bool matchSignal();
  bool matchBranch();
  void receiveEach();
  void receiveTogether();

  scf::IfOp branch; ///< tasks of other ranks' parts store, those of this rank's load
};

} // namespace

/// The store is published by one signal, which publishes nothing else.
bool OwnerSlots::matchSignal() {
  if (!store.getToken() || !store.getToken().hasOneUse())
    return false;
  signal = dyn_cast<SignalOp>(*store.getToken().user_begin());
  return signal && signal.getPublishes().size() == 1 && signal->getBlock() == store->getBlock() &&
         signal.getTo() == store.getTo() && signal.getScope() == Scope::System && matchSlot(signal.getIndices());
}

/// Tasks of another rank's part store it there; those of this rank's part load what each of the others has stored.
bool OwnerSlots::matchBranch() {
  branch = dyn_cast<scf::IfOp>(store->getParentOp());
  auto differs = branch ? branch.getCondition().getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
  auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
  if (!differs || !loop || loop->getBlock() != branch.elseBlock() || store->getBlock() != branch.thenBlock() ||
      differs.getPredicate() != arith::CmpIPredicate::ne || !differs.getRhs().getDefiningOp<RankOp>() ||
      differs.getLhs() != store.getTo() || !isa<ForallOp>(branch->getParentOp()))
    return false;
  // Once in a launch.
  auto tasks = cast<ForallOp>(branch->getParentOp());
  if (!isa<RoleOp>(tasks->getParentOp()) || !isa<ProgramOp>(tasks->getParentOfType<KernelOp>()->getParentOp()))
    return false;
  // Nobody may take what a signal before the tile publishes for known with it.
  bool signalsElse = false;
  tasks.walk([&](Operation *op) { signalsElse |= isa<SignalOp, ArriveOp>(op) && op != signal; });
  if (signalsElse)
    return false;
  SmallVector<OpFoldResult> given = coordinates(store), taken = coordinates(load);
  if (given.size() < 3 || taken.size() != given.size() || !llvm::is_contained(tasks.getIndices(), store.getTo()))
    return false;
  // Slots of two tasks are two: all coordinates of a task are among those of its slot.
  auto isNamed = [&](Value index) { return index == store.getTo() || llvm::is_contained(given, OpFoldResult(index)); };
  auto from = dyn_cast<Value>(given.front());
  return from && from.getDefiningOp<RankOp>() && llvm::all_of(tasks.getIndices(), isNamed) &&
         areEqual(ArrayRef(given).drop_front(), ArrayRef(taken).drop_front()) &&
         isEachOther(dyn_cast<Value>(taken.front()), loop);
}

bool OwnerSlots::match() {
  return matchBuffer(/*copies=*/1) && matchSignal() && matchBranch() && matchWaits() && orderOnlyTiles() &&
         isSmall(cast<ForallOp>(branch->getParentOp()));
}

/// In place of the load: the tile of the loop's source.
void OwnerSlots::receiveEach() {
  SmallVector<Value> place = placeOf(load, load);
  OpBuilder builder(load);
  auto taken = ReceiveOp::create(builder, load.getLoc(), load.getType(), alloc.getResult(), place, signal.getSignals(),
                                 ArrayRef(place).drop_front().drop_back());
  load.replaceAllUsesWith(taken.getResult());
  load.erase();
}

/// In place of the loop's loads: the tiles of all other ranks in one go, as each costs a way to memory and back.
void OwnerSlots::receiveTogether() {
  auto loop = cast<scf::ForOp>(load->getParentOp());
  SmallVector<Value> place = placeOf(load, loop);
  OpBuilder builder(loop);
  place.front() = arith::ConstantIndexOp::create(builder, load.getLoc(), 0);
  SmallVector<Type> types(world() - 1, tile());
  auto taken = ReceiveAllOp::create(builder, load.getLoc(), types, alloc.getResult(), place, /*own=*/Value(),
                                    signal.getSignals(), ArrayRef(place).drop_front().drop_back());
  Block *block = loop->getBlock();
  if (failed(loopUnrollFull(loop)))
    llvm_unreachable("isEachOther has seen how often it runs");
  SmallVector<LoadOp> loads;
  for (LoadOp each : block->getOps<LoadOp>())
    if (viewedBuffer(each.getBuffer()) == alloc.getResult())
      loads.push_back(each);
  for (auto [each, one] : llvm::zip_equal(loads, taken.getTiles())) {
    each.replaceAllUsesWith(one);
    each.erase();
  }
}

void OwnerSlots::rewrite() {
  alloc.setPersistent(true);
  OpBuilder builder(store);
  PostOp::create(builder, store.getLoc(), store.getValue(), store.getBuffer(), store.getIndices(), store.getTo(),
                 signal.getSignals(), signal.getIndices());
  waited.erase();
  world() > 2 && fitRegisters() ? receiveTogether() : receiveEach();
  signal.erase();
  store.erase();
}

bool tilec::postToOwner(AllocOp alloc, const Target &target) {
  OwnerSlots slots(alloc, target);
  if (!slots.match())
    return false;
  slots.rewrite();
  return true;
}
