// A step takes its loads, and what it computes beside them where a copy engine fetches, else behind them. Loads of one
// step are on their way together.
#include "passes/analysis/RoundCost.h"
#include "dialect/Limits.h"

#include "passes/analysis/AssumedExtents.h"
#include "passes/analysis/IndexForm.h"
#include "passes/analysis/LayoutConversion.h"
#include "passes/analysis/StreamedProduct.h"
#include "passes/machine/LoopCost.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace {

class RoundCounter {
public:
  RoundCounter(ForallOp tasks, const Target &target) : tasks(tasks), target(target) {}

  double clocks(double units) {
    double all = assumedTasks(tasks), whole = std::floor(all / units);
    double last = all - whole * units;
    return whole * roundClocks(units) + (last > 0 ? roundClocks(last) : 0);
  }

private:
  /// Of tasks that so many units do at once, which share what memory gives.
  double roundClocks(double units) { return aside() + blockClocks(tasks.getBody().front(), units); }

  /// Of a task beside its loops: what it begins with comes, what it leaves goes where others see it, and it learns
  /// whether these have come before.
  double aside() {
    bool leaves = false;
    tasks.walk([&](StoreOp store) { leaves |= store.getBuffer().getDefiningOp<AllocOp>() != nullptr; });
    double seen =
        leaves ? (target.times.releaseMicroseconds + target.times.flagMicroseconds) * double(target.clockMhz) : 0;
    return 2 * target.times.loadClocks + 4 * target.times.barrierClocks + seen;
  }

  double blockClocks(Block &block, double units) {
    double clocks = 0;
    for (Operation &op : block)
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        AffineExpr trips = mostTrips(loop).value_or(AffineExpr());
        double number = assumedValue(trips, tasks->getParentOfType<ProgramOp>());
        // What a loop of few iterations loads is on its way together (`pipeline`).
        bool isUnrolled = isa_and_nonnull<AffineConstantExpr>(trips) && number <= double(kUnrolledIterations) &&
                          IndexForm::of(loop.getLowerBound()).isConstant() && llvm::all_of(*loop.getBody(), mayGoAhead);
        double ways = isUnrolled ? std::min(1.0, number) : number;
        clocks += number * stepClocks(loop, units) + (isFetched(loop) ? 0 : ways * latencyOf(loop));
      }
    return clocks;
  }

  /// Of operations beside which `pipeline` has the loads of several iterations in flight.
  static bool mayGoAhead(Operation &op) {
    return op.getNumRegions() == 0 && !isa<DotOp>(op) && (isa<LoadOp>(op) || isMemoryEffectFree(&op));
  }

  /// What other tasks leave comes while they keep memory busy.
  double latencyOf(scf::ForOp loop) {
    bool others = llvm::any_of(loop.getBody()->getOps<LoadOp>(),
                               [](LoadOp load) { return load.getBuffer().getDefiningOp<AllocOp>() != nullptr; });
    return others ? target.times.missedClocks : target.times.loadClocks;
  }

  /// Of a step, but for what it waits until loads come where nobody fetches them ahead.
  double stepClocks(scf::ForOp loop, double units) {
    double bytes = 0, instructions = 0, meetings = target.times.stepClocks;
    for (Operation &op : loop.getBody()->without_terminator()) {
      meetings += isa<ReduceOp>(op) ? 2 * target.times.exchangeClocks : 0;
      if (auto load = dyn_cast<LoadOp>(op))
        bytes += double(load.getType().getNumElements()) * double(bytesOf(load.getType().getElementType()));
      else if (auto tile = op.getNumResults() == 1 ? dyn_cast<RankedTensorType>(op.getResult(0).getType()) : nullptr)
        instructions += instructionsOf(op) * double(tile.getNumElements()) / double(target.waveLanes);
    }
    double perClock = target.memoryGbPerSecond * target.reached.memory * 1e3 / double(target.clockMhz);
    double port = target.vectorCache.bytesPerClock > 0 ? bytes / target.vectorCache.bytesPerClock : 0;
    double memory = std::max(bytes / (perClock / units), port);
    double issue = instructions / double(target.simdsPerUnit) * target.times.issueClocks;
    return isFetched(loop) ? fetchedClocks(memory, bytes, meetings + issue + matrixClocks(loop))
                           : meetings + memory + issue;
  }

  /// Of a step whose rows go through two slots. One is empty until the step before has computed, and its bytes come
  /// through the unit's own port. Where that takes about as long as all units' bytes take from memory, neither is
  /// reached: as the root of the sum of fourth powers, which fits decoding by 96 and by 132 of 132 units of an H200.
  double fetchedClocks(double memory, double bytes, double computing) {
    double port = target.vectorCache.bytesPerClock > 0 ? bytes / target.vectorCache.bytesPerClock : 0;
    double refill = std::max(port, (target.times.missedClocks + port + computing) / 2);
    return std::max(std::pow(std::pow(memory, 4) + std::pow(refill, 4), 0.25), computing);
  }

  /// Of the products of a step that read slots.
  double matrixClocks(scf::ForOp loop) {
    double clocks = 0;
    for (DotOp product : loop.getBody()->getOps<DotOp>()) {
      std::optional<StreamTiling> tiling = chooseStreamTiling(target.matrix, problemOf(product, kGroupWaves));
      auto info =
          llvm::find_if(target.matrix, [&](const auto &one) { return tiling && one.name == tiling->instruction; });
      if (info == target.matrix.end())
        continue;
      double products = double(product.getType().getNumElements()) * double(product.depth());
      clocks += products / double(info->m * info->n * info->k) * double(info->cycles) / double(target.simdsPerUnit);
    }
    return clocks;
  }

  double instructionsOf(Operation &op) {
    if (isa<SplatOp, BroadcastOp, arith::ConstantOp, DotOp>(op))
      return 0;
    bool function = isa<math::MathDialect>(op.getDialect()) && !isa<math::FmaOp, math::AbsFOp>(op);
    return function || isa<arith::DivFOp>(op) ? target.instructions.function : 1;
  }

  /// Whether a copy engine fetches what the loop multiplies, for matrix units that read it where it lies.
  bool isFetched(scf::ForOp loop) {
    auto products = loop.getBody()->getOps<DotOp>();
    return !products.empty() && target.producer.waves > 0 && llvm::all_of(products, [&](DotOp product) {
      auto load = product.getRhs().getDefiningOp<LoadOp>();
      return load && isMappedByRows(load, target) && chooseStreamTiling(target.matrix, problemOf(product, kGroupWaves));
    });
  }

  ForallOp tasks;
  const Target &target;
};

} // namespace

double tilec::roundClocks(ForallOp tasks, const Target &target, int64_t units) {
  return RoundCounter(tasks, target).clocks(double(std::min<int64_t>(units, target.units())));
}
