// Changes nothing. Tile types are static.
#include "passes/analysis/RowWaves.h"

#include "passes/analysis/StreamedProduct.h"
#include "passes/machine/LoopCost.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// Elements of the tiles that the loop around a product carries beside it: where no product of the loop is carried
/// itself, both are in registers at once.
static int64_t carriedBeside(DotOp product) {
  auto loop = dyn_cast<scf::ForOp>(product->getParentOp());
  if (!loop || !llvm::all_of(loop.getOps<DotOp>(), [](DotOp dot) { return isZeroTile(dot.getAcc()); }))
    return 0;
  int64_t elements = 0;
  for (Type type : loop.getResultTypes())
    if (auto tile = dyn_cast<RankedTensorType>(type))
      elements += tile.getNumElements();
  return elements;
}

int64_t tilec::largestSums(Operation *within, const Target &target) {
  int64_t largest = 0;
  within->walk([&](DotOp dot) {
    int64_t sums = dot.getType().getNumElements(), beside = carriedBeside(dot);
    // Those for whom a producer fills slots have registers of its own (`target.producer`). More than two waves on a
    // SIMD have no more registers in all.
    if (target.producer.waves || !holdSums(2 * target.simdsPerUnit, sums + beside, target))
      beside = 0;
    largest = std::max(largest, sums + beside);
  });
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
    largest = std::max(largest, largestSums(loop, target));
  return llvm::all_of(loops, [&](ForallOp loop) {
    int64_t sums = largestSums(loop, target), usual = usualWaves(sums, target);
    int64_t own = rowWaves(loop, usual, sums, target);
    return own == usual || holdSums(own, largest, target);
  });
}
