// `lower`: waves of a workgroup that do different work. What stands in the loops over tasks of a kernel with a producer
// is done by consumers, but for the filling of slots.
#include "passes/analysis/Contains.h"
#include "passes/analysis/LayoutConversion.h"
#include "passes/analysis/SenderRole.h"
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
    tickets =
        hip::TicketsOp::create(entry, named(loc, "tickets"), hip::TicketsType::get(builder.getContext()), broadcast_lds,
                               consumers, hasSender(source) ? builder.getI64IntegerAttr(1) : IntegerAttr());
  return tickets;
}

/// The worker number behind a group, from that behind the group before: the pool has what `own` workgroups leave.
Value KernelLowering::endBehind(Value before, tile::RoleOp role, int64_t own) {
  Value size;
  if (role.getWorkgroups()) {
    size = constant(*role.getWorkgroups());
  } else {
    Value all = hip::WorkgroupsOp::create(builder, loc, builder.getIndexType(), launch);
    Value rest = arith::SubIOp::create(builder, loc, all, constant(own));
    size = arith::MaxSIOp::create(builder, loc, rest, constant(1));
  }
  return before ? builder.createOrFold<arith::AddIOp>(loc, before, size) : size;
}

/// The waves part once: around the one loop over tasks, or around all groups that have some.
void KernelLowering::beginRoles() {
  tile::ProducerAttr producer = source.getProducerAttr();
  if (!producer || waveRole)
    return;
  // Where nothing is produced, producers just draw the tasks.
  bool fills = contains<tile::StreamOp>(source);
  auto registers = producer.getRegisters() && fills
                       ? builder.getDenseI64ArrayAttr({producer.getRegisters(), producer.getConsumers()})
                       : DenseI64ArrayAttr();
  // Waves that give each other registers have those of a whole unit. ptxas does not know how many each begins with
  // where no product is asynchronous, unless it is told that there is one workgroup.
  kernel.setAlone(registers != nullptr);
  auto roles = hip::ByRoleOp::create(builder, loc, static_cast<uint64_t>(consumers), registers, hasSender(source));
  Block &body = roles.getBody().emplaceBlock();
  builder.setInsertionPointToEnd(&body);
  waveRole = body.addArgument(hip::WaveRoleType::get(builder.getContext()), named(loc, "role"));
}

/// Whether a wave fills the slots of these words together, as one of their streams waits for others: each lane keeps
/// account of the slots that it has filled.
static bool fillsByWave(Value empty) {
  return llvm::any_of(empty.getUsers(), [](Operation *user) {
    auto stream = dyn_cast<tile::StreamOp>(user);
    return stream && stream.getFills().walk([](tile::WaitOp) { return WalkResult::interrupt(); }).wasInterrupted();
  });
}

/// Stands beside the uses until the roles are split.
LogicalResult KernelLowering::lowerProduced(tile::StreamOp op, Value count, ArrayRef<Value> feeds) {
  OpBuilder::InsertionGuard guard(builder);
  bool waits = fillsByWave(op.getEmpty());
  auto produce = hip::ProduceOp::create(builder, loc, count, op.getSlots(), inTurn, /*by_wave=*/waits);
  bindBody(op.getFills(), produce.getBody());
  Value empty = valueOf(op.getEmpty());
  if (!empty)
    return failure();
  hip::AwaitEmptyOp::create(builder, loc, empty, produce.getSlot(), inTurn);
  return lowerFills(op, feeds, /*alone=*/!waits, /*byWave=*/waits);
}

/// What operations need of those in a block, with what these need.
static llvm::SetVector<Operation *> sliceIn(Block &block, ArrayRef<Operation *> ops) {
  llvm::SetVector<Operation *> slice;
  llvm::SetVector<Value> needed;
  for (Operation *op : ops) {
    getUsedValuesDefinedAbove(op->getRegions(), needed);
    needed.insert(op->operand_begin(), op->operand_end());
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

/// The views of a relay are its own: addresses of memory stay where it is.
LogicalResult KernelLowering::lowerRelay(tile::RelayOp op) {
  FailureOr<Value> from = bufferView(op.getFrom(), {});
  SmallVector<Value> ranks(op.getTo()), views;
  if (ranks.empty())
    ranks.push_back({});
  for (Value rank : ranks) {
    FailureOr<Value> into = bufferView(op.getInto(), rank);
    if (failed(into))
      return failure();
    views.push_back(*into);
  }
  Value full = valueOf(op.getFull()), parts = valueOf(op.getParts());
  auto buffer = op.getBuffer().getDefiningOp<tile::SharedBufferOp>();
  ArrayRef<int64_t> tile = op.getTile();
  Value row = multiply(valueOf(op.getIndices()[0]), tile[0]), column = multiply(valueOf(op.getIndices()[1]), tile[1]);
  Value columns = multiply(parts, tile[1]);
  if (failed(from) || !full || !row || !column || !columns)
    return failure();
  if (!buffer || !buffer.getOffset())
    return op.emitOpError() << "goes through a buffer without an offset in LDS";
  auto slots = cast<MemRefType>(op.getBuffer().getType());
  hip::RelayOp::create(builder, loc, full, *from, ValueRange{row, column}, columns, views, tile[0], tile[1],
                       static_cast<int64_t>(*buffer.getOffset()), slots.getDimSize(1) * bytesOf(slots.getElementType()),
                       op->getParentOfType<tile::RoleOp>().getBeside());
  return success();
}

/// The words lie behind those of tickets, as `planShared` has left them room.
LogicalResult KernelLowering::lowerTell(tile::TellOp op) {
  if (!consumers)
    return op.emitOpError() << "stands in a kernel without a producer, expected '#tile.producer' there";
  if (!telling)
    telling = hip::TellingOp::create(entry, named(loc, "telling"), hip::TellingType::get(builder.getContext()),
                                     broadcast_lds + ticket_words_lds, consumers);
  hip::HandOnOp::create(builder, loc, telling);
  auto lowered = hip::TellOp::create(builder, loc, telling);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&lowered.getBody().emplaceBlock());
  return lowerBlock(op.getBody().front());
}

/// The next task of a workgroup is as many behind as there are workgroups.
Value KernelLowering::lowerHasNext() {
  if (source.getDealing() != tile::Dealing::Strided)
    return arith::ConstantIntOp::create(builder, loc, builder.getI1Type(), 1);
  auto loop = cast<hip::TasksOp>(builder.getInsertionBlock()->getParentOp());
  Value tasks = arith::SubIOp::create(builder, loc, loop.getEnd(), loop.getBody().getArgument(0));
  Value all = hip::WorkgroupsOp::create(builder, loc, builder.getIndexType(), launch);
  return arith::CmpIOp::create(builder, named(loc, "has_next"), arith::CmpIPredicate::sgt, tasks, all);
}

LogicalResult KernelLowering::lowerRelayOp(Operation *op) {
  if (isa<tile::HasNextOp>(op)) {
    mapping.map(op->getResult(0), lowerHasNext());
    return success();
  }
  if (auto tell = dyn_cast<tile::TellOp>(op))
    return lowerTell(tell);
  if (auto relay = dyn_cast<tile::RelayOp>(op))
    return lowerRelay(relay);
  if (auto bulk = dyn_cast<tile::MovesInBulkOp>(op)) {
    FailureOr<Value> from = bufferView(bulk.getFrom(), {}), into = bufferView(bulk.getInto(), {});
    if (failed(from) || failed(into))
      return failure();
    mapping.map(bulk.getResult(),
                hip::MovesInBulkOp::create(builder, named(loc, "bulk"), builder.getI1Type(), *from, *into).getResult());
    return success();
  }
  auto mine = cast<tile::ByProducerOp>(op);
  Value when = valueOf(mine.getWhen());
  if (!when)
    return failure();
  auto lowered = hip::ByProducerOp::create(builder, loc, when);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&lowered.getBody().emplaceBlock());
  return lowerBlock(mine.getBody().front());
}

LogicalResult KernelLowering::splitRoles(hip::TasksOp tasks) {
  Block &body = tasks.getBody().front();
  SmallVector<Operation *> produced;
  tasks.walk([&](Operation *op) {
    if (isa<hip::ProduceOp, hip::ByProducerOp, hip::TellOp>(op))
      produced.push_back(op);
  });
  llvm::SetVector<Operation *> shared = sliceIn(body, produced);
  // `schedule` gives no producer to kernels that write the numbers their tasks read.
  if (!llvm::all_of(shared, [](Operation *op) { return isMemoryEffectFree(op) || isa<hip::NumberOp>(op); }))
    llvm_unreachable("places of copies are made of extents, indices and numbers that are read");
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
  for (Operation *op : produced)
    op->moveBefore(&produces, produces.end());
  return success();
}

/// The one loop over tasks of the one group of all workgroups; null of other kernels.
static hip::TasksOp onlyLoop(hip::KernelOp kernel) {
  SmallVector<hip::GroupOp> groups = kernel.getGroups();
  llvm::erase_if(groups, [](hip::GroupOp group) { return group.getTurn() != tile::Turn::Each; });
  if (groups.size() != 1 || groups.front().isConditional() || !groups.front().hasOneLoop())
    return hip::TasksOp();
  hip::TasksOp only;
  groups.front().walk([&](hip::TasksOp tasks) { only = tasks; });
  return only;
}

/// Where a producer draws.
void KernelLowering::numberTasks(hip::KernelOp kernel) {
  if (hip::TasksOp tasks = onlyLoop(kernel))
    tasks.setNumbered(tasks.getTickets() != nullptr);
}

/// Whoever draws the last ticket counts the launch where the last workgroup to leave has nothing else to do, and the
/// number of tasks is known at the entry.
void KernelLowering::countByTickets(hip::KernelOp kernel) {
  hip::TasksOp tasks = onlyLoop(kernel);
  auto enter = launch.getDefiningOp<hip::EnterOp>();
  hip::GroupOp last = kernel.getGroups().back();
  auto leave = dyn_cast<hip::LeaveOp>(last.getBody().front().front());
  if (!tasks || !enter || !leave || tasks.getGroup().getDealing() != tile::Dealing::Ticketed)
    return;
  llvm::SetVector<Operation *> number;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *op) { return op != kernel; };
  if (failed(getBackwardSlice(tasks.getEnd(), &number, options)) ||
      !llvm::all_of(number, [&](Operation *op) { return isMemoryEffectFree(op) && op->getNumRegions() == 0; }))
    return;
  for (Operation *op : number)
    op->moveBefore(enter);
  OpBuilder at(enter);
  Value counted =
      hip::EnterTasksOp::create(at, enter.getLoc(), launch.getType(), context, tasks.getEnd(), leave.getAdvance());
  launch.replaceAllUsesWith(counted);
  launch = counted;
  enter->erase();
  last->erase();
}
