// Changes nothing. Tile types are static.
#include "passes/analysis/RowWaves.h"

#include "passes/analysis/StreamedProduct.h"
#include "passes/machine/LoopCost.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

int64_t tilec::largestSums(Operation *within) {
  int64_t largest = 0;
  within->walk([&](DotOp dot) { largest = std::max(largest, dot.getType().getNumElements()); });
  return largest;
}

int64_t tilec::rowWaves(Operation *within, int64_t waves, int64_t sums, const Target &target) {
  within->walk([&](DotOp product) {
    auto loop = dyn_cast<scf::ForOp>(product->getParentOp());
    auto isOfStep = [&](Operation *op) { return op && op->getBlock() == product->getBlock(); };
    auto read = product.getRhs().getDefiningOp<LoadOp>();
    Operation *left = product.getLhs().getDefiningOp();
    if (!loop || !isOfStep(read) || !isOfStep(left) || isa<LoadOp>(left) || !isMappedByRows(read, target))
      return;
    std::optional<StreamTiling> tiling = chooseStreamTiling(target.matrix, problemOf(product, waves));
    int64_t beside = tiling ? std::max<int64_t>(1, tiling->registers.wavesN) : 1;
    if (holdSums(waves / beside, sums, target))
      waves /= beside;
  });
  return waves;
}

/// As `partition` begins with.
static int64_t usualWaves(int64_t sums, const Target &target) {
  return std::max(std::max<int64_t>(kUsualThreads / target.waveLanes, 1), sums ? productWaves(sums, target) : 0);
}

bool tilec::haveWavesInCommon(ArrayRef<ForallOp> loops, const Target &target) {
  int64_t largest = 0;
  for (ForallOp loop : loops)
    largest = std::max(largest, largestSums(loop));
  return llvm::all_of(loops, [&](ForallOp loop) {
    int64_t sums = largestSums(loop), usual = usualWaves(sums, target);
    int64_t own = rowWaves(loop, usual, sums, target);
    return own == usual || holdSums(own, largest, target);
  });
}
