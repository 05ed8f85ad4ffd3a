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

using Slot = std::pair<Value, int64_t>; ///< of a ring
using Ages = llvm::DenseMap<Slot, int64_t>;

/// Of two paths the one that issued less counts; a slot that one of them has filled may be full.
void merge(Ages &ages, const Ages &others) {
  for (auto [slot, age] : others) {
    auto [known, isNew] = ages.try_emplace(slot, age);
    known->second = std::min(known->second, age);
  }
}

/// Where a wave may stand when it comes to an operation.
struct Place {
  Ages ages; ///< accesses that it has issued since a slot was filled
  /// What may have been the last wait, if that has no count of its own, and how old slots were there.
  llvm::MapVector<AwaitOp, Ages> waits;
  /// Behind steps, whose last turn of the slots may be a part of one: ages are those behind whole turns, which other
  /// steps go on from.
  bool isBehindSteps = false;

  void join(const Place &other) {
    merge(ages, other.ages);
    isBehindSteps |= other.isBehindSteps;
    for (const auto &[await, landed] : other.waits)
      merge(waits[await], landed);
  }
};

/// Goes through a role as a wave does, with slots that are numbers. Steps repeat themselves once all slots have been
/// filled again, so it takes none, and twice as many of them as there are slots; of what else repeats none, and two.
class SlotAges {
public:
  SlotAges(KernelOp kernel, const SharedMemory &memory)
      : threads(static_cast<int64_t>(kernel.getWaves().value_or(1)) * memory.lanes) {}

  void visit(Region &region) {
    for (Block &block : region)
      for (Operation &op : block)
        visit(&op);
  }

  /// What the waits that have no count may leave: nothing where nothing is read behind them that a copy has filled.
  llvm::MapVector<AwaitOp, std::optional<int64_t>> left;
  /// The first that fills a slot whose number does not follow from that of a step.
  CopyAsyncOp unknown;

private:
  void visit(Operation *op) {
    if (auto copy = dyn_cast<CopyAsyncOp>(op))
      return fill(copy);
    if (auto await = dyn_cast<AwaitOp>(op))
      return waitAt(await);
    if (auto load = dyn_cast<SharedLoadOp>(op))
      return read(load);
    if (auto steps = dyn_cast<StepsOp>(op))
      return visitSteps(steps);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return visitBranch(branch);
    if (isa<LoopLikeOpInterface, ForallOp>(op))
      return visitLoop(op);
    // Roles leave nothing in flight for each other.
    if (isa<RoleOp>(op))
      place = Place();
    for (Region &region : op->getRegions())
      visit(region);
  }

  /// Behind steps, and before others that go on from them, nothing is left; nor so deep in loops that these are not
  /// gone through twice.
  void waitAt(AwaitOp await) {
    place.waits.clear();
    const bool isBehindSteps = place.isBehindSteps && !await->getParentOfType<StepsOp>();
    if (await.getLeft() == uint64_t(0) || isBehindSteps)
      place.isBehindSteps = false;
    if (await.getLeft())
      return;
    left.try_emplace(await);
    if (isBehindSteps || depth > kDeepest)
      left[await] = 0;
    else
      place.waits[await] = place.ages;
  }

  void visitSteps(StepsOp steps) {
    if (place.isBehindSteps && !steps.getFrom())
      for (auto &[slot, age] : place.ages)
        age = 0;
    const Place before = place;
    auto slots = static_cast<int64_t>(steps.getSlots());
    for (int64_t step = 0; step < 2 * slots; ++step) {
      known[steps.getSlot()] = step % slots;
      visit(steps.getBody());
    }
    place.join(before);
    place.isBehindSteps = true;
  }

  /// Loops deep inside of others have one iteration, as each level doubles what is gone through.
  void visitLoop(Operation *loop) {
    const Place before = place;
    ++depth;
    for (int times = depth > kDeepest ? 1 : 2; times > 0; --times)
      for (Region &region : loop->getRegions())
        visit(region);
    --depth;
    place.join(before);
  }

  void visitBranch(scf::IfOp branch) {
    const Place before = place;
    visit(branch.getThenRegion());
    const Place taken = std::exchange(place, before);
    visit(branch.getElseRegion());
    place.join(taken);
  }

  void fill(CopyAsyncOp copy) {
    // Who awaits what an engine copies looks at a word of the slot.
    if (copy.getFull())
      return;
    std::optional<int64_t> slot = evaluate(copy.getSlot());
    auto ring = cast<MemRefType>(copy.getRing().getType());
    const int64_t accesses = sharedBytes(ring) / ring.getDimSize(0) / (threads * kDirectBytes);
    for (auto &[other, age] : place.ages)
      age += accesses;
    if (slot)
      place.ages[{copy.getRing(), *slot}] = 0;
    else if (!unknown)
      unknown = copy;
  }

  void read(SharedLoadOp load) {
    if (!load.getCopy())
      return;
    std::optional<int64_t> slot = evaluate(load.getCopy());
    const bool isBehindSteps = place.isBehindSteps && !load->getParentOfType<StepsOp>();
    for (const auto &[await, landed] : place.waits)
      for (auto [filled, age] : landed)
        if (filled.first == load.getBuffer() && (!slot || filled.second == *slot))
          left[await] = isBehindSteps ? 0 : std::min(left[await].value_or(age), age);
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

  static constexpr int kDeepest = 6;

  int64_t threads;
  int depth = 0; ///< loops around
  Place place;
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
      auto isOpen = [](AwaitOp await) { return await.getLeft() ? WalkResult::advance() : WalkResult::interrupt(); };
      if (!kernel.walk(isOpen).wasInterrupted())
        continue;
      SlotAges ages(kernel, target->lds);
      ages.visit(kernel.getBody());
      if (ages.unknown && !ages.left.empty()) {
        ages.unknown.emitOpError()
            << "fills a slot whose number does not follow from that of a step, expected one that "
               "does: else no wait for it can be counted";
        return signalPassFailure();
      }
      for (auto [await, left] : ages.left) {
        await.setLeft(std::min<uint64_t>(static_cast<uint64_t>(left.value_or(0)), kMostInFlight - 1));
        ++numCounted;
      }
    }
  }
};

} // namespace
