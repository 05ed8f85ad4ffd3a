// Recognises such scratch by its accesses.
#include "passes/post/Slots.h"

#include "dialect/HeldTile.h"
#include "passes/analysis/Footprint.h"
#include "passes/analysis/LayoutConversion.h"
#include "passes/analysis/ViewedBuffer.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

bool tilec::areEqual(ArrayRef<OpFoldResult> a, ArrayRef<OpFoldResult> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           auto [left, right] = pair;
           return isEqualConstantIntOrValue(left, right);
         });
}

SmallVector<OpFoldResult> Slots::coordinates(AccessOpInterface access) {
  SmallVector<OpFoldResult> indices(access.getAccessIndices().begin(), access.getAccessIndices().end());
  auto view = access.getAccessedBuffer().getDefiningOp<memref::SubViewOp>();
  if (!view)
    return indices;
  llvm::SmallBitVector dropped = view.getDroppedDims();
  SmallVector<OpFoldResult> all;
  size_t next = 0;
  for (auto [d, offset, stride] : llvm::enumerate(view.getMixedOffsets(), view.getMixedStrides())) {
    if (getConstantIntValue(stride) != 1 || (!dropped.test(d) && getConstantIntValue(offset) != 0))
      return {};
    all.push_back(dropped.test(d) ? offset : indices[next++]);
  }
  return all;
}

bool Slots::matchBuffer(int64_t copies) {
  auto type = alloc.getResult().getType();
  if (alloc.getPersistent() || static_cast<int64_t>(alloc.getCopies()) != copies ||
      !isa<FloatType>(type.getElementType()))
    return false;
  for (Operation *user : alloc.getResult().getUsers()) {
    auto view = dyn_cast<memref::SubViewOp>(user);
    if (view ? !llvm::all_of(view->getUsers(), [&](Operation *op) { return matchAccess(op); }) : !matchAccess(user))
      return false;
  }
  return store && load && load.getType() == tile();
}

/// One store and one load of all that a slot has.
bool Slots::matchAccess(Operation *op) {
  auto isWhole = [&](auto access, RankedTensorType tile) {
    return !access.getAt() && tile.getRank() == 1 &&
           tile.getDimSize(0) == alloc.getResult().getType().getShape().back() &&
           getConstantIntValue(access.getIndices().back()) == 0;
  };
  if (auto given = dyn_cast<StoreOp>(op);
      given && !store && given.getTo() && isWhole(given, given.getValue().getType()))
    store = given;
  else if (auto taken = dyn_cast<LoadOp>(op);
           taken && !load && !taken.getFrom() && !taken.getOtherwise() && isWhole(taken, taken.getType()))
    load = taken;
  else
    return false;
  return true;
}

/// The signal is called as the slot is, and each element of a slot has one thread.
bool Slots::matchSlot(OperandRange named) {
  SmallVector<OpFoldResult> slot = coordinates(store), names(named.begin(), named.end());
  std::optional<LinearLayout> layout = layoutOf(tile());
  return slot.size() >= 3 && areEqual(ArrayRef(slot).drop_back(), names) && layout && layout->isBijective() &&
         vectorOf(tile()) * tile().getElementTypeBitWidth() >= 32;
}

/// Nobody else names the signals, and what comes behind the waits needs no more than the tiles.
bool Slots::matchWaits() {
  SmallVector<WaitOp> waits;
  for (Operation *user : signal.getSignals().getUsers()) {
    auto wait = dyn_cast<WaitOp>(user);
    if (user == signal)
      continue;
    if (!wait || wait.getLag() || !load->getParentOfType<ForallOp>()->isProperAncestor(wait))
      return false;
    waits.push_back(wait);
  }
  return !waits.empty() && waited.follow(waits) && llvm::is_contained(waited.accesses, load) &&
         llvm::all_of(waited.accesses, [&](Operation *op) {
           // A store of what was added up comes behind the tiles by what it stores.
           return op == load || isa<StoreOp>(op);
         });
}

/// Whether nobody counts on the signals for anything else: who raises one has done with what it has read, which others
/// may then write. Nothing that the kernel reads is written by another rank.
bool Slots::orderOnlyTiles() {
  llvm::DenseSet<Value> foreign;
  auto program = alloc->getParentOfType<ProgramOp>();
  program.walk([&](AccessOpInterface access) {
    if (access.writesBuffer() && access.getAccessRank() && access.getOperation() != store.getOperation())
      foreign.insert(viewedBuffer(access.getAccessedBuffer()));
  });
  WalkResult result = store->getParentOfType<KernelOp>().walk([&](AccessOpInterface access) {
    bool isRead = access.readsBuffer() && foreign.contains(viewedBuffer(access.getAccessedBuffer()));
    return isRead ? WalkResult::interrupt() : WalkResult::advance();
  });
  return !result.wasInterrupted();
}

bool Slots::isEachOther(Value rank, scf::ForOp loop) {
  auto wrapped = rank ? rank.getDefiningOp<arith::RemUIOp>() : arith::RemUIOp();
  auto sum = wrapped ? wrapped.getLhs().getDefiningOp<arith::AddIOp>() : arith::AddIOp();
  return sum && getConstantIntValue(wrapped.getRhs()) == world() && sum.getLhs().getDefiningOp<RankOp>() &&
         sum.getRhs() == loop.getInductionVar() && getConstantIntValue(loop.getLowerBound()) == 1 &&
         getConstantIntValue(loop.getUpperBound()) == world() && getConstantIntValue(loop.getStep()) == 1;
}

/// Whether each workgroup has one task at most. Then all that a signal takes, to publish, to arrive and to be seen, is
/// time in which nothing else is done; with more tasks others are worked on meanwhile.
bool Slots::isSmall(ForallOp tasks) {
  int64_t count = 1;
  for (AffineExpr bound : tasks.getBounds()->getResults()) {
    auto constant = dyn_cast<AffineConstantExpr>(bound);
    if (!constant || (count *= constant.getValue()) > target.units())
      return false;
  }
  return true;
}

/// Whether a thread has registers for the tiles of all other ranks at once, beside its sums.
bool Slots::fitRegisters() {
  int64_t others = alloc.getResult().getType().getShape().front() - 1;
  int64_t elements = int64_t(1) << hip::HeldTile(tile()).registers.size();
  return others * elements * tile().getElementTypeBitWidth() <= target.receivedBytes * 8;
}

SmallVector<Value> Slots::placeOf(LoadOp load, Operation *before) {
  OpBuilder builder(before);
  SmallVector<Value> place;
  for (OpFoldResult index : coordinates(load))
    if (std::optional<int64_t> known = getConstantIntValue(index))
      place.push_back(arith::ConstantIndexOp::create(builder, load.getLoc(), *known));
    else
      place.push_back(cast<Value>(index));
  return place;
}
