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

  double clocks() {
    double rounds = std::ceil(assumedTasks(tasks) / double(target.units()));
    return rounds * (aside() + blockClocks(tasks.getBody().front()));
  }

private:
  /// Of a task beside its loops: what it begins with comes, what it leaves goes where others see it.
  double aside() {
    bool leaves = false;
    tasks.walk([&](StoreOp store) { leaves |= store.getBuffer().getDefiningOp<AllocOp>() != nullptr; });
    double seen = leaves ? target.times.releaseMicroseconds * double(target.clockMhz) : 0;
    return 2 * target.times.loadClocks + 4 * target.times.barrierClocks + seen;
  }

  double blockClocks(Block &block) {
    double clocks = 0;
    for (Operation &op : block)
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        std::optional<AffineExpr> trips = mostTrips(loop);
        clocks += assumedValue(trips.value_or(AffineExpr()), tasks->getParentOfType<ProgramOp>()) * stepClocks(loop);
      }
    return clocks;
  }

  double stepClocks(scf::ForOp loop) {
    double bytes = 0, instructions = 0, meetings = target.times.stepClocks, latency = target.times.loadClocks;
    for (Operation &op : loop.getBody()->without_terminator()) {
      meetings += isa<ReduceOp>(op) ? 2 * target.times.exchangeClocks : 0;
      if (auto load = dyn_cast<LoadOp>(op)) {
        bytes += double(load.getType().getNumElements()) * double(bytesOf(load.getType().getElementType()));
        // What other tasks leave comes while they keep memory busy.
        if (load.getBuffer().getDefiningOp<AllocOp>())
          latency = target.times.missedClocks;
      } else if (auto tile = op.getNumResults() == 1 ? dyn_cast<RankedTensorType>(op.getResult(0).getType()) : nullptr)
        instructions += instructionsOf(op) * double(tile.getNumElements()) / double(target.waveLanes);
    }
    double perClock = target.memoryGbPerSecond * target.reached.memory * 1e3 / double(target.clockMhz);
    double memory = bytes / (perClock / double(target.units()));
    double issue = instructions / double(target.simdsPerUnit) * target.times.issueClocks;
    return meetings + (isFetched(loop) ? std::max(memory, issue) : memory + issue + latency);
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

double tilec::roundClocks(ForallOp tasks, const Target &target) { return RoundCounter(tasks, target).clocks(); }
