// Counts a task as it will be printed: elementwise operations are one loop over registers, so that only loads,
// reductions and loops hold whole tiles.
#include "passes/analysis/TaskCost.h"
#include "dialect/Combination.h"
#include "dialect/Limits.h"

#include "passes/analysis/AssumedExtents.h"
#include "passes/analysis/IndexForm.h"
#include "passes/machine/BlockedLayout.h"
#include "passes/machine/LoopCost.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace {

bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

class TaskCounter {
public:
  TaskCounter(ForallOp forall, const Target &target)
      : forall(forall), target(target), waves(kUsualThreads / target.waveLanes),
        instructions(target.instructions.task) {
    forall.walk([&](LoadOp load) {
      RankedTensorType type = load.getType();
      if (type.getRank() == 2 && (!widest || type.getNumElements() > widest.getNumElements()))
        widest = type;
    });
    if (widest)
      rows = layoutOf(widest);
  }

  double clocks() {
    countBlock(forall.getBody().front(), 1);
    double tasks = assumedTasks(forall), units = double(target.units());
    int64_t perLane = kTextRegisters + registers, held = std::max<int64_t>(1, resident(perLane));
    // What does not fit goes to memory and back.
    double spilled = double(std::max<int64_t>(0, perLane - target.mostRegisters) * kUsualThreads * 4) * 2;
    double perClock = target.memoryGbPerSecond * target.reached.memory * 1e3 / double(target.clockMhz) / units;
    double again = double(held) * units * againBytes <= double(target.lastCache.bytes) / 2 ? 0.5 : 1;
    double memory = (bytes + spilled + again * againBytes) / perClock;
    double issue = instructions / double(target.simdsPerUnit) * double(waves) * target.times.issueClocks;
    double delay = latency + target.times.loadClocks + 2 * target.times.barrierClocks;
    double task = clocksBetweenTasks(memory, issue, delay, held);
    // The last tasks of a unit may be fewer than it holds.
    return std::ceil(tasks / (units * double(held))) * double(held) * task;
  }

private:
  LinearLayout layoutOf(RankedTensorType type) const {
    int64_t elementBytes = std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
    return blockedLayout(type.getShape(), {waves, target.waveLanes}, elementBytes, kAccessBytes);
  }

  /// Mean value analysis of a unit: `held` workgroups queue for memory and for the units that compute, and then are
  /// away for `delay`. One that comes finds what those before it have left.
  static double clocksBetweenTasks(double memory, double issue, double delay, int64_t held) {
    double atMemory = 0, atIssue = 0, between = 0;
    for (int64_t number = 1; number <= held; ++number) {
      double inMemory = memory * (1 + atMemory), inIssue = issue * (1 + atIssue);
      between = (delay + inMemory + inIssue) / double(number);
      atMemory = inMemory / between;
      atIssue = inIssue / between;
    }
    return between;
  }

  /// Workgroups that a unit holds.
  int64_t resident(int64_t perLane) const {
    int64_t wavesPerSimd = std::max<int64_t>(1, waves / target.simdsPerUnit);
    return target.wavesPerSimd(std::min(perLane, target.mostRegisters)) / wavesPerSimd;
  }

  /// Elements of a lane. A tile of one dimension lies as the rows or the columns of the largest one do.
  int64_t elementsPerLane(RankedTensorType type) const {
    if (type.getRank() == 1 && widest) {
      int64_t size = type.getDimSize(0);
      for (unsigned dim : {1u, 0u})
        if (size == widest.getDimSize(dim)) {
          int64_t count = 1;
          for (const LinearLayout::Point &basis : rows->bases(LinearLayout::kRegister))
            count *= basis[dim] ? 2 : 1;
          return count;
        }
    }
    return llvm::divideCeil(type.getNumElements(), kUsualThreads);
  }
  int64_t registersOf(Value value) const {
    auto type = cast<RankedTensorType>(value.getType());
    return llvm::divideCeil(elementsPerLane(type) * std::max<int64_t>(8, type.getElementTypeBitWidth()), 32);
  }

  void countBlock(Block &block, double times) {
    bool loading = false;
    for (Operation &op : block) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        hold(op);
        std::optional<AffineExpr> trips = mostTrips(loop);
        countBlock(*loop.getBody(),
                   times * assumedValue(trips.value_or(AffineExpr()), forall->getParentOfType<ProgramOp>()));
        loading = false;
      } else if (op.getNumRegions()) {
        for (Region &region : op.getRegions())
          for (Block &inner : region)
            countBlock(inner, times);
      } else if (removedDim(&op)) {
        hold(op);
        // That of an element's place reduces twice.
        countReduction(op, times * op.getNumResults());
      } else if (auto scan = dyn_cast<ScanOp>(op)) {
        hold(op);
        countScan(scan, times);
      } else if (auto access = dyn_cast<AccessOpInterface>(op)) {
        countAccess(access, times);
        // Loads of a block are on their way together: `stage` moves them.
        latency += access.readsBuffer() && !loading ? times * target.times.loadClocks : 0;
        loading |= access.readsBuffer();
        hold(op);
      } else if (op.getNumResults() == 1 && isTile(op.getResult(0))) {
        bool function = isa<math::MathDialect>(op.getDialect()) && !isa<math::FmaOp, math::AbsFOp>(op);
        bool light = isa<SplatOp, BroadcastOp, arith::ConstantOp>(op);
        double each = function || isa<arith::DivFOp>(op) ? target.instructions.function : light ? 0 : 1;
        instructions += times * each * double(elementsPerLane(cast<RankedTensorType>(op.getResult(0).getType())));
      }
    }
  }

  void countAccess(AccessOpInterface access, double times) {
    double elements = 1,
           elementBytes = cast<MemRefType>(access.getAccessedBuffer().getType()).getElementTypeBitWidth() / 8.0;
    for (int64_t size : access.getMovedShape())
      elements *= double(size);
    Value tile = access->getNumResults() && isTile(access->getResult(0)) ? access->getResult(0) : access->getOperand(0);
    double perLane = isTile(tile) ? double(elementsPerLane(cast<RankedTensorType>(tile.getType()))) : 1;
    instructions += times * target.instructions.access * std::max(1.0, perLane * elementBytes / double(kAccessBytes));
    // What every task loads stays in the cache of the unit.
    if (!access.getEachDim() && llvm::none_of(access.getAccessIndices(), [&](Value index) { return isOfTask(index); }))
      return;
    double moved = times * elements * elementBytes;
    if (access.writesBuffer() || loaded.insert(access.getAccessedBuffer()).second)
      bytes += moved;
    else
      againBytes += moved;
  }

  bool isOfTask(Value index) {
    return llvm::any_of(IndexForm::of(index).terms, [&](auto &term) {
      auto argument = dyn_cast<BlockArgument>(term.first);
      auto *owner = argument ? argument.getOwner()->getParentOp() : nullptr;
      return !owner || owner == forall;
    });
  }

  /// Lanes exchange what they have; waves along the dimension meet twice.
  void countReduction(Operation &reduce, double times) {
    auto type = cast<RankedTensorType>(reduce.getOperand(0).getType());
    LinearLayout layout = layoutOf(type);
    const uint64_t dim = *removedDim(&reduce);
    double steps = 0, results = double(elementsPerLane(cast<RankedTensorType>(reduce.getResult(0).getType())));
    bool crosses = false;
    for (const LinearLayout::Point &basis : layout.bases(LinearLayout::kLane))
      steps += basis[dim] ? 1 : 0;
    for (const LinearLayout::Point &basis : layout.bases(LinearLayout::kWave))
      crosses |= basis[dim] != 0;
    instructions += times * (double(elementsPerLane(type)) + target.instructions.exchange * steps * results);
    latency += times * (target.times.exchangeClocks * steps + (crosses ? 2 * target.times.barrierClocks : 0));
  }

  /// Each bit of the coordinate is a step, of all elements: results, and totals beside them.
  void countScan(ScanOp scan, double times) {
    LinearLayout layout = layoutOf(scan.getType());
    double lanes = 0, others = 0, each = double(elementsPerLane(scan.getType()));
    bool crosses = false;
    for (const LinearLayout::Point &basis : layout.bases(LinearLayout::kLane))
      lanes += basis[scan.getDim()] ? 1 : 0;
    for (const LinearLayout::Point &basis : layout.bases(LinearLayout::kRegister))
      others += basis[scan.getDim()] ? 1 : 0;
    for (const LinearLayout::Point &basis : layout.bases(LinearLayout::kWave))
      crosses |= basis[scan.getDim()] != 0;
    instructions += times * each * (others + 2 * target.instructions.exchange * lanes);
    latency += times * (target.times.exchangeClocks * lanes + (crosses ? 2 * target.times.barrierClocks : 0));
  }

  /// Registers of the tiles that are needed behind an operation and were made before it, or by it.
  void hold(Operation &op) {
    int64_t held = 0;
    for (Operation *block = &op; block != forall; block = block->getParentOp())
      for (Operation &before : *block->getBlock()) {
        if (&before == block)
          break;
        for (Value value : before.getResults())
          held += isTile(value) && isNeededAfter(value, *block) ? registersOf(value) : 0;
      }
    for (Value value : op.getResults())
      held += isTile(value) ? registersOf(value) : 0;
    registers = std::max(registers, held);
  }
  /// A constant is made where it is used, and so is a broadcast tile.
  static bool isNeededAfter(Value value, Operation &op) {
    if (isa_and_nonnull<SplatOp, BroadcastOp, arith::ConstantOp>(value.getDefiningOp()))
      return false;
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      Operation *place = op.getBlock()->findAncestorOpInBlock(*user);
      return place && (op.isBeforeInBlock(place) || (place == &op && op.getNumRegions()));
    });
  }

  ForallOp forall;
  const Target &target;
  int64_t waves;
  RankedTensorType widest;
  std::optional<LinearLayout> rows;
  DenseSet<Value> loaded;
  double bytes = 0, againBytes = 0, latency = 0;
  double instructions; ///< of a wave
  int64_t registers = 0;
};

} // namespace

double tilec::taskClocks(ForallOp forall, const Target &target) { return TaskCounter(forall, target).clocks(); }
