// Says how many accesses the waits for copies past the registers may leave: from what is read behind each of them, and
// from what was issued since that was filled. `check` proves the same of the text, and shares nothing with this.
#include "passes/Passes.h"
#include "passes/ProgramTarget.h"
#include "passes/stage/SharedPlan.h"

#include "dialect/Limits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace tilec {
#define GEN_PASS_DEF_COUNT
#include "passes/Passes.h.inc"
} // namespace tilec

namespace {

/// Goes through a kernel as a wave does, with slots that are numbers. Steps repeat themselves once all slots have been
/// filled again, so it takes twice as many of them as there are slots, and twice what else repeats.
class SlotAges {
public:
  SlotAges(KernelOp kernel, const SharedMemory &memory)
      : threads(static_cast<int64_t>(kernel.getWaves().value_or(1)) * memory.lanes) {}

  LogicalResult visit(Region &region) {
    for (Block &block : region)
      for (Operation &op : block)
        if (failed(visit(&op)))
          return failure();
    return success();
  }

  /// What the waits that have no count may leave: nothing where nothing is read behind them that a copy has filled.
  llvm::MapVector<AwaitOp, std::optional<int64_t>> left;

private:
  using Slot = std::pair<Value, int64_t>; ///< of a ring
  using Ages = llvm::DenseMap<Slot, int64_t>;

  LogicalResult visit(Operation *op) {
    if (auto copy = dyn_cast<CopyAsyncOp>(op))
      return fill(copy);
    if (auto await = dyn_cast<AwaitOp>(op)) {
      current = await.getLeft() ? AwaitOp() : await;
      landed = ages;
      if (current)
        left.try_emplace(current);
      return success();
    }
    if (auto load = dyn_cast<SharedLoadOp>(op))
      return read(load);
    if (auto steps = dyn_cast<StepsOp>(op))
      return visitSteps(steps);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return visitBranch(branch);
    for (int times = isa<LoopLikeOpInterface, ForallOp>(op) ? 2 : 1; times > 0; --times)
      for (Region &region : op->getRegions())
        if (failed(visit(region)))
          return failure();
    return success();
  }

  LogicalResult visitSteps(StepsOp steps) {
    auto slots = static_cast<int64_t>(steps.getSlots());
    for (int64_t step = 0; step < 2 * slots; ++step) {
      known[steps.getSlot()] = step % slots;
      if (failed(visit(steps.getBody())))
        return failure();
    }
    return success();
  }

  /// Behind a branch a slot is as old as on the path that issued least.
  LogicalResult visitBranch(scf::IfOp branch) {
    const Ages before = ages;
    if (failed(visit(branch.getThenRegion())))
      return failure();
    Ages taken = std::exchange(ages, before);
    if (failed(visit(branch.getElseRegion())))
      return failure();
    for (auto [slot, age] : taken) {
      auto [known, isNew] = ages.try_emplace(slot, age);
      known->second = std::min(known->second, age);
    }
    return success();
  }

  LogicalResult fill(CopyAsyncOp copy) {
    // Who awaits what an engine copies looks at a word of the slot.
    if (copy.getFull())
      return success();
    std::optional<int64_t> slot = evaluate(copy.getSlot());
    if (!slot)
      return copy.emitOpError()
             << "fills a slot whose number does not follow from that of a step, expected one that does: "
                "else no wait for it can be counted";
    auto ring = cast<MemRefType>(copy.getRing().getType());
    const int64_t accesses = sharedBytes(ring) / ring.getDimSize(0) / (threads * kDirectBytes);
    for (auto &[other, age] : ages)
      age += accesses;
    ages[{copy.getRing(), *slot}] = 0;
    return success();
  }

  LogicalResult read(SharedLoadOp load) {
    if (!current || !load.getCopy())
      return success();
    std::optional<int64_t> slot = evaluate(load.getCopy());
    for (auto [filled, age] : landed)
      if (filled.first == load.getBuffer() && (!slot || filled.second == *slot)) {
        std::optional<int64_t> &least = left[current];
        least = std::min(least.value_or(age), age);
      }
    return success();
  }

  /// Sums, products and rests of slots and constants.
  std::optional<int64_t> evaluate(Value value) const {
    if (std::optional<int64_t> constant = getConstantIntValue(value))
      return constant;
    if (auto slot = known.find(value); slot != known.end())
      return slot->second;
    Operation *op = value.getDefiningOp();
    if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::RemSIOp>(op))
      return std::nullopt;
    std::optional<int64_t> a = evaluate(op->getOperand(0)), b = evaluate(op->getOperand(1));
    if (!a || !b)
      return std::nullopt;
    if (isa<arith::AddIOp>(op))
      return *a + *b;
    if (isa<arith::SubIOp>(op))
      return *a - *b;
    if (isa<arith::MulIOp>(op))
      return *a * *b;
    return *b > 0 ? std::optional(*a % *b) : std::nullopt;
  }

  int64_t threads;
  Ages ages;                            ///< accesses that a wave has issued since a slot was filled
  Ages landed;                          ///< the same at the last wait
  AwaitOp current;                      ///< that wait, if it has no count of its own
  llvm::DenseMap<Value, int64_t> known; ///< numbers of slots
};

class Count : public tilec::impl::CountBase<Count> {
public:
  using CountBase::CountBase;

  void runOnOperation() override {
    ProgramOp program = getOperation();
    FailureOr<Target> target = programTarget(program, this->target);
    if (failed(target))
      return signalPassFailure();
    for (KernelOp kernel : program.getBody().getOps<KernelOp>()) {
      SlotAges ages(kernel, target->lds);
      if (failed(ages.visit(kernel.getBody())))
        return signalPassFailure();
      for (auto [await, left] : ages.left) {
        await.setLeft(std::min<uint64_t>(static_cast<uint64_t>(left.value_or(0)), kMostInFlight - 1));
        ++numCounted;
      }
    }
  }
};

} // namespace
