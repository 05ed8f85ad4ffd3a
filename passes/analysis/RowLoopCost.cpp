// Counts the tiles of a step. No layouts yet: a tile of a product is shared out to all lanes, what it reads from LDS is
// whole in each wave.
#include "passes/analysis/RowLoopCost.h"

#include "dialect/Combination.h"
#include "dialect/Limits.h"
#include "passes/machine/LoopCost.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace {

RankedTensorType tileOf(Value value) { return cast<RankedTensorType>(value.getType()); }

double bytesOf(RankedTensorType tile) {
  return double(tile.getNumElements()) * double(std::max(8u, tile.getElementTypeBitWidth())) / 8;
}

class RowLoopCounter {
public:
  RowLoopCounter(scf::ForOp loop, const Target &target)
      : loop(loop), target(target), products(llvm::to_vector(loop.getBody()->getOps<DotOp>())) {
    RankedTensorType scores = tileOf(products.front().getAcc());
    waves = productWaves(scores.getNumElements(), target);
    lanes = double(waves * target.waveLanes);
  }

  /// Nothing where LDS has no room.
  std::optional<double> clocks() {
    double matrix = 0, read = 0, moved = 0, added = 0;
    for (DotOp product : products) {
      RankedTensorType left = tileOf(product.getLhs());
      matrix += double(tileOf(product.getAcc()).getNumElements()) * double(product.depth()) * clocksPerProduct(left);
      if (!isLoaded(product.getRhs()))
        continue;
      read += double(waves) * bytesOf(tileOf(product.getRhs()));
      moved += bytesOf(tileOf(product.getRhs()));
    }
    for (Operation &op : loop.getBody()->without_terminator())
      added += instructionsOf(op);
    if (kRingSlots * moved > double(target.lds.bytes) || matrix == 0)
      return std::nullopt;
    double lds = (read + moved) / double(target.lds.banks * target.lds.bankBytes);
    double accesses = (read + moved) / double(waves) / double(target.waveLanes * kAccessBytes);
    double perInstruction = target.times.issueClocks * double(llvm::divideCeil(waves, target.simdsPerUnit));
    double issue = (added + target.instructions.stepAccess * accesses) * perInstruction;
    double step = runsAhead() ? std::max({matrix, lds, issue}) : std::max(matrix, lds) + issue;
    return (step + target.times.stepClocks) / double(tileOf(products.front().getAcc()).getNumElements());
  }

private:
  /// Loaded by the loop, at each step.
  bool isLoaded(Value tile) {
    auto load = tile.getDefiningOp<LoadOp>();
    return load && load->getBlock() == loop.getBody();
  }

  /// Registers of a lane for a tile that all share out, or that each wave has.
  double shared(Value tile) const { return bytesOf(tileOf(tile)) / lanes / 4; }
  double whole(Value tile) const { return shared(tile) * double(waves); }

  /// Whether the first product of the next step has room beside this step.
  bool runsAhead() {
    double registers = 2 * shared(products.front().getAcc());
    for (BlockArgument argument : loop.getRegionIterArgs())
      if (isMatrix(argument.getType()))
        registers += shared(argument);
    for (DotOp product : products) {
      if (loop.isDefinedOutsideOfLoop(product.getLhs()))
        registers += shared(product.getLhs());
      if (isLoaded(product.getRhs()))
        registers += whole(product.getRhs()) + (target.lds.copiesDirectly() ? 0 : shared(product.getRhs()));
    }
    double perSimd = double(llvm::divideCeil(waves, target.simdsPerUnit));
    return registers * perSimd <= target.reached.registers * double(target.registersPerLane);
  }

  double clocksPerProduct(RankedTensorType operand) const {
    std::string element;
    llvm::raw_string_ostream(element) << operand.getElementType();
    double rate = 0;
    for (const MatrixInstructionInfo &info : target.matrix)
      if (llvm::is_contained(info.operands, element) && !info.readsShared() && !info.fast)
        rate = std::max(rate, double(info.m * info.n * info.k) / double(info.cycles));
    return rate > 0 ? 1 / (rate * double(std::min(target.simdsPerUnit, waves))) : 0;
  }

  static bool isMatrix(Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile && tile.getRank() == 2;
  }

  /// Of a wave. What has few elements, or is made where it is used, costs nothing.
  double instructionsOf(Operation &op) const {
    auto elements = [&](Value value) { return double(tileOf(value).getNumElements()) / lanes; };
    if (removedDim(&op))
      return target.instructions.element * elements(op.getOperand(0)) + target.instructions.reduction;
    bool isFree = isa<DotOp, LoadOp, SplatOp, BroadcastOp, arith::ConstantOp>(op);
    if (op.getNumResults() != 1 || !isMatrix(op.getResult(0).getType()) || isFree)
      return 0;
    return (isa<math::MathDialect>(op.getDialect()) ? 1 : target.instructions.element) * elements(op.getResult(0));
  }

  scf::ForOp loop;
  const Target &target;
  SmallVector<DotOp> products;
  int64_t waves = 1;
  double lanes = 1;
};

} // namespace

static scf::ForOp rowLoopOf(ForallOp tasks) {
  for (scf::ForOp loop : tasks.getBody().front().getOps<scf::ForOp>())
    if (llvm::range_size(loop.getBody()->getOps<DotOp>()) > 1)
      return loop;
  return {};
}

bool tilec::hasRowLoop(ForallOp tasks) { return rowLoopOf(tasks) != nullptr; }

std::optional<double> tilec::rowLoopClocks(ForallOp tasks, const Target &target) {
  scf::ForOp loop = rowLoopOf(tasks);
  return loop ? RowLoopCounter(loop, target).clocks() : std::nullopt;
}
