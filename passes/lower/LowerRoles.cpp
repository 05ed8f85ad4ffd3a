// `lower`: waves of a workgroup that do different work. What stands in the loops over tasks of a kernel with a producer
// is done by consumers, but for the filling of slots.
#include "passes/lower/Lower.h"
#include "tilec/constants.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilec;

/// The words by which a producer tells of its tasks, where it draws them; else null.
Value KernelLowering::ticketWords() {
  if (!tickets && consumers && source.getDealing() == tile::Dealing::Ticketed)
    tickets = hip::TicketsOp::create(entry, named(loc, "tickets"), hip::TicketsType::get(builder.getContext()),
                                     broadcast_lds, consumers);
  return tickets;
}

/// The waves part once: around the one loop over tasks, or around all groups that have some.
void KernelLowering::beginRoles() {
  tile::ProducerAttr producer = source.getProducerAttr();
  if (!producer || waveRole)
    return;
  // Where nothing is produced, producers just draw the tasks.
  bool fills = source.walk([](tile::StreamOp) { return WalkResult::interrupt(); }).wasInterrupted();
  auto registers = producer.getRegisters() && fills
                       ? builder.getDenseI64ArrayAttr({producer.getRegisters(), producer.getConsumers()})
                       : DenseI64ArrayAttr();
  auto roles = hip::ByRoleOp::create(builder, loc, static_cast<uint64_t>(consumers), registers);
  Block &body = roles.getBody().emplaceBlock();
  builder.setInsertionPointToEnd(&body);
  waveRole = body.addArgument(hip::WaveRoleType::get(builder.getContext()), named(loc, "role"));
}

/// Stands beside the uses until the roles are split.
LogicalResult KernelLowering::lowerProduced(tile::StreamOp op, Value count, ArrayRef<Value> feeds) {
  OpBuilder::InsertionGuard guard(builder);
  bool waits = op.getFills().walk([](tile::WaitOp) { return WalkResult::interrupt(); }).wasInterrupted();
  auto produce = hip::ProduceOp::create(builder, loc, count, op.getSlots(), /*by_wave=*/waits);
  bindBody(op.getFills(), produce.getBody());
  Value empty = valueOf(op.getEmpty());
  if (!empty)
    return failure();
  hip::AwaitEmptyOp::create(builder, loc, empty, produce.getSlot());
  return lowerFills(op, feeds, /*alone=*/!waits, /*byWave=*/waits);
}

/// What operations need of those in a block, with what these need.
static llvm::SetVector<Operation *> sliceIn(Block &block, ArrayRef<hip::ProduceOp> ops) {
  llvm::SetVector<Operation *> slice;
  llvm::SetVector<Value> needed;
  for (hip::ProduceOp op : ops) {
    getUsedValuesDefinedAbove(op->getRegions(), needed);
    needed.insert(op.getCount());
  }
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) { return block.findAncestorOpInBlock(*op) != nullptr; };
  for (Value value : needed)
    if (Operation *def = value.getDefiningOp(); def && options.filter(def))
      (void)getBackwardSlice(value, &slice, options);
  return topologicalSort(slice);
}

LogicalResult KernelLowering::splitRoles(hip::TasksOp tasks) {
  Block &body = tasks.getBody().front();
  SmallVector<hip::ProduceOp> produced;
  tasks.walk([&](hip::ProduceOp op) { produced.push_back(op); });
  llvm::SetVector<Operation *> shared = sliceIn(body, produced);
  if (!llvm::all_of(shared, isMemoryEffectFree))
    llvm_unreachable("places of copies are made of extents and indices");
  SmallVector<Operation *> consumed;
  for (Operation &op : body)
    if (!shared.contains(&op))
      consumed.push_back(&op);
  builder.setInsertionPointToEnd(&body);
  auto split = hip::IfProducesOp::create(builder, tasks.getLoc(), waveRole);
  for (Operation *op : shared)
    op->moveBefore(split);
  Block &produces = split.getProduces().emplaceBlock(), &consumes = split.getConsumes().emplaceBlock();
  for (Operation *op : consumed)
    op->moveBefore(&consumes, consumes.end());
  for (hip::ProduceOp op : produced)
    op->moveBefore(&produces, produces.end());
  return success();
}
