// Both workgroups of a pair do the same steps: what says how many, and which part of the operand a step copies, is the
// same in tasks 2 n and 2 n + 1.
#include "passes/schedule/Pairs.h"

#include "passes/analysis/IndexForm.h"
#include "passes/analysis/LayoutConversion.h"
#include "passes/schedule/Tasks.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// Tasks 2 n and 2 n + 1 are tiles of one column of tiles.
static bool areRowsInPairs(ForallOp tasks) {
  ArrayAttr order = tasks.getOrderAttr();
  auto grouped = order && order.size() == 1 ? dyn_cast<GroupedAttr>(order[0]) : GroupedAttr();
  SmallVector<std::optional<int64_t>> along = schedule::tasksAlong(tasks);
  return grouped && grouped.getHeight() % 2 == 0 && along.size() == 2 && along[0] && along[1] && *along[0] % 2 == 0;
}

/// Whether a value is the same in both tasks of a pair.
static bool isShared(Value value, ForallOp tasks, Block &steps) {
  if (!tasks->isAncestor(value.getParentBlock()->getParentOp()))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == &steps || value == tasks.getIndices()[1];
  Operation *op = value.getDefiningOp();
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isShared(operand, tasks, steps); });
}

/// The copy that brings the same to both; null where there is none, or the steps differ.
static CopyAsyncOp sharedCopy(StreamOp stream, ForallOp tasks) {
  Block &steps = stream.getFills().front();
  for (Operation *parent = stream; parent != tasks; parent = parent->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(parent);
    if (parent != stream && !(branch && isShared(branch.getCondition(), tasks, steps)))
      return {};
  }
  if (!stream.getEmpty() || !isShared(stream.getCount(), tasks, steps))
    return {};
  for (auto copy : steps.getOps<CopyAsyncOp>()) {
    constexpr int64_t kRows = 16; // of both halves, each of whole swizzles
    auto ring = cast<MemRefType>(copy.getRing().getType());
    bool isPlain = copy.getFull() && !copy.getReadOnce() && !copy.getByRows() &&
                   cast<SharedAttr>(ring.getMemorySpace()).getPanel() == 0 && !copy.copiesRuns() && !copy.getFrom() &&
                   copy.getAfter().empty() && cast<MemRefType>(copy.getBuffer().getType()).getRank() == 2;
    if (isPlain && ring.getDimSize(1) % kRows == 0 &&
        llvm::all_of(copy.getIndices(), [&](Value index) { return isShared(index, tasks, steps); }))
      return copy;
  }
  return {};
}

/// Whether rows are known to begin within a sector of the cache, so that copies ask for all of them twice.
static bool beginsWithinSectors(CopyAsyncOp copy, const Target &target) {
  auto columns = dyn_cast_or_null<AffineConstantExpr>(shapeOf(copy.getBuffer()).back());
  int64_t sector = target.chipletCache.sectorBytes;
  return columns && sector > 0 &&
         columns.getValue() * bytesOf(cast<MemRefType>(copy.getBuffer().getType()).getElementType()) % sector != 0;
}

bool schedule::copyInPairs(KernelOp kernel, const Target &target, std::optional<bool> given) {
  SmallVector<ForallOp> all;
  kernel.walk([&](ForallOp tasks) { all.push_back(tasks); });
  auto before = dyn_cast_or_null<KernelOp>(kernel->getPrevNode());
  bool isOpen = !kernel.getBeside() && !(before && before.getBeside()) && target.producer.together >= 2 &&
                kernel.getProducer() && kernel.getDealing() == Dealing::Strided && !kernel.getMostWorkgroups() &&
                all.size() == 1 && areRowsInPairs(all.front());
  if (!isOpen)
    return false;
  SmallVector<StreamOp> streams;
  kernel.walk([&](StreamOp stream) { streams.push_back(stream); });
  CopyAsyncOp copy = streams.size() == 1 ? sharedCopy(streams.front(), all.front()) : CopyAsyncOp();
  if (!copy || !given.value_or(beginsWithinSectors(copy, target)))
    return false;
  copy.setHalved(true);
  kernel.setPairs(true);
  return true;
}
