// Asks what stands in the way of waves that only fill slots.
#include "passes/schedule/Producer.h"
#include "passes/analysis/LayoutConversion.h"
#include "passes/stage/TaskBarriers.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// Registers are given away and taken in steps of so many, and a lane has at most `kMostRegisters`.
static constexpr int64_t kRegisterStep = 8, kMostRegisters = 255;

/// Registers that a lane may have when so many waves share them.
static int64_t shareOf(int64_t pool, int64_t waves) {
  return std::min(pool / waves, kMostRegisters) / kRegisterStep * kRegisterStep;
}

/// Registers of 32 bits that a lane has for a tile.
static int64_t registersOf(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? llvm::divideCeil(layoutOf(tile)->inputSize(LinearLayout::kRegister) * bytesOf(tile.getElementType()), 4)
              : 0;
}

/// Those for the tiles that a loop carries, and that its products make of each step and read from registers.
static int64_t sumsOf(scf::ForOp loop) {
  int64_t registers = 0;
  for (BlockArgument argument : loop.getRegionIterArgs())
    registers += registersOf(argument.getType());
  for (DotOp product : loop.getBody()->getOps<DotOp>()) {
    if (!llvm::is_contained(loop.getYieldedValues(), product.getResult()))
      registers += registersOf(product.getType());
    auto read = product.getLhs().getDefiningOp<SharedLoadOp>();
    if (!read || read->getBlock() != loop.getBody())
      registers += registersOf(product.getLhs().getType());
  }
  return registers;
}

/// The only loop over tasks of a kernel whose other roles move no tiles; null where there are more.
static ForallOp onlyTasks(KernelOp kernel) {
  ForallOp tasks;
  for (RoleOp role : kernel.getBody().getOps<RoleOp>()) {
    if (role.getWorkgroups())
      return {};
    for (Operation &op : role.getBody().front()) {
      auto forall = dyn_cast<ForallOp>(op);
      if (forall && tasks)
        return {};
      tasks = forall ? forall : tasks;
      bool movesTiles = !forall && op.walk([](Operation *inner) {
                                       return llvm::any_of(inner->getResultTypes(), llvm::IsaPred<RankedTensorType>)
                                                  ? WalkResult::interrupt()
                                                  : WalkResult::advance();
                                     }).wasInterrupted();
      if (movesTiles)
        return {};
    }
  }
  return tasks;
}

/// Whether all waves of a workgroup meet in what the library does for an operation.
static bool meetsInLibrary(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  return isa<WaitOp, SignalOp>(op) || (reduce && reduce.getScratch());
}

ProducerAttr schedule::producerFor(scf::ForOp loop, ArrayRef<Value> copied, const Target &target) {
  auto kernel = loop->getParentOfType<KernelOp>();
  ForallOp tasks = onlyTasks(kernel);
  if (!target.producer.waves || kernel.getProducer() || !tasks || loop->getParentOp() != tasks)
    return {};
  bool isAlone = true;
  tasks.walk([&](Operation *op) { isAlone &= !meetsInLibrary(op); });
  kernel.walk([&](AccessOpInterface access) {
    isAlone &= !access.writesBuffer() || !llvm::is_contained(copied, viewedBuffer(access.getAccessedBuffer()));
  });
  if (!isAlone)
    return {};
  int64_t waves = static_cast<int64_t>(kernel.getWaves().value_or(1)), all = waves + target.producer.waves;
  int64_t pool = target.registersPerLane * target.simdsPerUnit, even = shareOf(pool, all);
  // Where sums and what they are rounded to fit an equal share, nothing is given away.
  if (even == shareOf(pool, 1) || sumsOf(loop) * 3 / 2 <= even)
    return ProducerAttr::get(loop.getContext(), target.producer.waves, 0, 0);
  int64_t own = shareOf(even * all - target.producer.registers * target.producer.waves, waves);
  // Fewer than without a producer would spill sums that were chosen for those.
  if (own < shareOf(pool, waves) * 9 / 10)
    return {};
  return ProducerAttr::get(loop.getContext(), target.producer.waves, target.producer.registers, own);
}
