// A device compiler cannot do this: loads are printed in order, and keep it.
#include "passes/stage/EarlyLoads.h"
#include "dialect/Combination.h"

#include "passes/analysis/LayoutConversion.h"
#include "passes/machine/LoopCost.h"
#include "passes/machine/TileBox.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace {

/// The loads of one block. `place`: the last of those that are issued first.
class EarlyLoads {
public:
  EarlyLoads(Block &block, int64_t most) : block(block), most(most) {}

  unsigned run() {
    unsigned moved = 0;
    bool reduced = false;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto load = dyn_cast<LoadOp>(op);
      if (!place) {
        place = load;
      } else if (!isQuiet(op)) {
        place = nullptr;
        reduced = false;
      } else if (isCooperative(&op)) {
        reduced = true;
      } else if (load && !reduced) {
        place = load;
      } else if (load && move(load)) {
        ++moved;
      }
    }
    return moved;
  }

private:
  static bool isQuiet(Operation &op) {
    return op.getNumRegions() == 0 && (isPure(&op) || isa<LoadOp>(op) || isCooperative(&op));
  }

  bool move(LoadOp load) {
    llvm::SmallSetVector<Operation *, 8> slice;
    SmallVector<Operation *> work{load};
    while (!work.empty()) {
      Operation *op = work.pop_back_val();
      if (!op || op->getBlock() != &block || op->isBeforeInBlock(place) || op == place)
        continue;
      if (op != load && (!isPure(op) || llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>)))
        return false;
      slice.insert(op);
      for (Value operand : op->getOperands())
        work.push_back(operand.getDefiningOp());
    }
    if (kTextRegisters + mostHeld(load) > most)
      return false;
    SmallVector<Operation *> ordered(slice.begin(), slice.end());
    llvm::sort(ordered, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    for (Operation *op : ordered) {
      op->moveAfter(place);
      place = op;
    }
    return true;
  }

  /// Registers of the tiles that reductions between the place and the load would find, the load's among them.
  int64_t mostHeld(LoadOp load) {
    int64_t result = 0;
    for (Operation *op = place; op != load; op = op->getNextNode())
      if (isCooperative(op))
        result = std::max(result, heldAt(op));
    return result + registersHeld(load.getType());
  }
  int64_t heldAt(Operation *at) {
    int64_t held = 0;
    for (Operation *op = &block.front(); op != at; op = op->getNextNode())
      for (Value value : op->getResults())
        if (!isa<SplatOp, BroadcastOp, arith::ConstantOp>(op) && isUsedBehind(value, at))
          held += registersHeld(value.getType());
    return held;
  }
  bool isUsedBehind(Value value, Operation *at) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      Operation *ancestor = block.findAncestorOpInBlock(*user);
      return !ancestor || at->isBeforeInBlock(ancestor);
    });
  }

  Block &block;
  int64_t most;
  Operation *place = nullptr;
};

} // namespace

unsigned tilec::issueLoadsEarly(KernelOp kernel, const Target &target) {
  int64_t wavesPerSimd = llvm::divideCeil(static_cast<int64_t>(*kernel.getWaves()), target.simdsPerUnit);
  int64_t most = std::min(target.registersPerLane / (2 * wavesPerSimd), target.mostRegisters);
  unsigned moved = 0;
  kernel.walk([&](Block *block) { moved += EarlyLoads(*block, most).run(); });
  return moved;
}
