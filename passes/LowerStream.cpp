// `lower`: slots that a copy engine fills and products of what lies there (`schedule` made them).
#include "passes/Lower.h"
#include "passes/analysis/LayoutConversion.h"

using namespace mlir;
using namespace tilec;

/// The kernel's argument that describes the buffer of a copy to the engine; the launcher makes it.
Value KernelLowering::mapOf(Value buffer, hip::SharedType tile) {
  for (const MappedBuffer &known : maps)
    if (known.buffer == buffer && known.tile == tile)
      return known.argument;
  auto type = hip::TensorMapType::get(builder.getContext(), tile);
  Value argument = kernel.getBody().front().addArgument(type, named(loc, nameOf(buffer.getLoc()) + "_map"));
  SmallVector<bool> restricted(kernel.getRestricted());
  restricted.push_back(false);
  kernel.setRestricted(restricted);
  maps.push_back({buffer, tile, argument});
  return argument;
}

FailureOr<Value> KernelLowering::mappedFeedOf(tile::CopyAsyncOp copy) {
  FailureOr<Value> view = accessView(copy), ring = ringOf(copy.getRing());
  Value row = multiply(valueOf(copy.getIndices()[0]), cast<MemRefType>(copy.getRing().getType()).getDimSize(1));
  if (failed(view) || failed(ring) || !row)
    return failure();
  hip::SharedType tile = cast<hip::RingType>(ring->getType()).getTile();
  return hip::MappedFeedOp::create(builder, named(loc, nameOf(rootOf(copy.getBuffer()).getLoc()) + "_feed"),
                                   hip::DirectFeedType::get(builder.getContext(), tile), *view,
                                   ValueRange{row, constant(0)}, mapOf(copy.getBuffer(), tile))
      .getResult();
}

LogicalResult KernelLowering::lowerFull(tile::FullOp op) {
  if (!op.getOffset())
    return op.emitOpError() << "has no offset in LDS";
  auto type = hip::FullType::get(builder.getContext(), op.getSlots());
  mapping.map(op.getResult(),
              hip::FullOp::create(entry, named(loc, "full"), type, op.getSlots(), *op.getOffset()).getResult());
  return success();
}

LogicalResult KernelLowering::lowerEmpty(tile::EmptyOp op) {
  if (!op.getOffset())
    return op.emitOpError() << "has no offset in LDS";
  if (!consumers)
    return op.emitOpError() << "stands in a kernel without a producer, expected '#tile.producer' there";
  auto type = hip::EmptyType::get(builder.getContext(), op.getSlots());
  mapping.map(op.getResult(), hip::EmptyOp::create(entry, named(loc, "empty"), type, op.getSlots(), *op.getOffset(),
                                                   static_cast<uint64_t>(consumers))
                                  .getResult());
  return success();
}

/// The copies of a step, as one filling of its slot.
LogicalResult KernelLowering::lowerFills(tile::StreamOp op, ArrayRef<Value> feeds, bool alone) {
  SmallVector<Value> activities;
  Value full, slot;
  for (auto [copy, feed] : llvm::zip(op.getFills().getOps<tile::CopyAsyncOp>(), feeds)) {
    loc = unnamed(copy.getLoc());
    FailureOr<Value> made = copying(copy, feed);
    full = valueOf(copy.getFull());
    slot = valueOf(copy.getSlot());
    if (failed(made) || !full || !slot)
      return failure();
    activities.push_back(*made);
  }
  hip::FillOp::create(builder, loc, full, slot, activities, alone);
  return success();
}

LogicalResult KernelLowering::lowerStream(tile::StreamOp op) {
  Value count = valueOf(op.getCount());
  SmallVector<Value> feeds;
  for (Operation &inner : op.getFills().front().without_terminator()) {
    auto copy = dyn_cast<tile::CopyAsyncOp>(inner);
    if (!copy || !copy.getFull())
      return inner.emitOpError() << "stands where slots are filled, expected copies that say so to a 'tile.full'";
    FailureOr<Value> feed = mappedFeedOf(copy);
    if (failed(feed))
      return failure();
    feeds.push_back(*feed);
  }
  if (!count || feeds.empty())
    return count ? LogicalResult(op.emitOpError() << "fills nothing") : failure();
  SmallVector<Value> carried;
  for (Value init : op.getInits()) {
    Value value = valueOf(init);
    if (!value)
      return failure();
    auto type = hip::HeldType::get(builder.getContext(), cast<RankedTensorType>(init.getType()), 1);
    carried.push_back(hip::HoldOp::create(builder, named(loc, "acc"), type, value));
  }
  OpBuilder::InsertionGuard guard(builder);
  if (op.getEmpty()) {
    if (failed(lowerProduced(op, count, feeds)))
      return failure();
    auto consume = hip::ConsumeOp::create(builder, loc, count, op.getSlots());
    bindBody(op.getUses(), consume.getBody());
    return lowerUses(op, carried);
  }
  auto stream = hip::StreamOp::create(builder, loc, count, op.getSlots(), op.getAhead());
  bindBody(op.getFills(), stream.getFills());
  if (failed(lowerFills(op, feeds, /*alone=*/false)))
    return failure();
  bindBody(op.getUses(), stream.getUses());
  return lowerUses(op, carried);
}

/// Makes the block of a body that gets a slot and a step, and goes on there.
void KernelLowering::bindBody(Region &from, Region &to) {
  Block &body = to.emplaceBlock();
  mapping.map(from.getArgument(1), body.addArgument(builder.getIndexType(), named(loc, "slot")));
  mapping.map(from.getArgument(0), body.addArgument(builder.getIndexType(), from.getArgument(0).getLoc()));
  builder.setInsertionPointToEnd(&body);
}

LogicalResult KernelLowering::lowerUses(tile::StreamOp op, ArrayRef<Value> carried) {
  for (auto [argument, result, value] : llvm::zip(op.getCarried(), op.getResults(), carried)) {
    held[argument] = value;
    held[result] = value;
  }
  for (Operation &inner : op.getUses().front().without_terminator()) {
    loc = unnamed(inner.getLoc());
    if (failed(lowerOp(&inner)))
      return failure();
  }
  return success();
}

LogicalResult KernelLowering::lowerDotAsync(tile::DotAsyncOp op) {
  FailureOr<Value> a = ringOf(op.getLhs()), b = ringOf(op.getRhs());
  Value slotA = valueOf(op.getLhsSlot()), slotB = valueOf(op.getRhsSlot()), acc = held.lookup(op.getAcc());
  if (failed(a) || failed(b) || !slotA || !slotB)
    return failure();
  if (!acc)
    return op.emitOpError() << "adds to sums that no 'tile.stream' carries";
  held[op.getResult()] = acc;
  hip::MultiplyAsyncOp::create(builder, loc, acc, slotOf(*a, slotA), slotOf(*b, slotB), op.getInstructionAttr(),
                               op.getTranspose());
  return success();
}

LogicalResult KernelLowering::lowerAwaitProducts(tile::AwaitProductsOp op) {
  Value acc = held.lookup(op.getSums());
  if (!acc)
    return op.emitOpError() << "waits for sums that no 'tile.dot_async' makes";
  hip::AwaitProductsOp::create(builder, loc, op.getLeft() ? ValueRange() : ValueRange(acc), op.getLeft());
  held[op.getResult()] = acc;
  bool isTaken = llvm::any_of(op->getUsers(), [](Operation *user) {
    return !isa<tile::NextOp, tile::DotAsyncOp, tile::AwaitProductsOp>(user);
  });
  if (isTaken)
    mapping.map(op.getResult(), hip::TakeOp::create(builder, named(loc, "sums"), op.getType(), acc).getResult());
  return success();
}

LogicalResult KernelLowering::lowerStreamOp(Operation *op) {
  if (auto full = dyn_cast<tile::FullOp>(op))
    return lowerFull(full);
  if (auto empty = dyn_cast<tile::EmptyOp>(op))
    return lowerEmpty(empty);
  if (auto release = dyn_cast<tile::ReleaseOp>(op)) {
    Value empty = valueOf(release.getEmpty()), step = valueOf(release.getStep());
    if (!empty || !step)
      return failure();
    hip::ReleaseStepOp::create(builder, loc, empty, step);
    return success();
  }
  if (auto stream = dyn_cast<tile::StreamOp>(op))
    return lowerStream(stream);
  if (auto dot = dyn_cast<tile::DotAsyncOp>(op))
    return lowerDotAsync(dot);
  if (auto await = dyn_cast<tile::AwaitProductsOp>(op))
    return lowerAwaitProducts(await);
  if (isa<tile::FenceAsyncOp>(op)) {
    hip::FenceAsyncOp::create(builder, loc);
    return success();
  }
  auto await = cast<tile::AwaitFullOp>(op);
  Value full = valueOf(await.getFull()), slot = valueOf(await.getSlot());
  if (!full || !slot)
    return failure();
  hip::AwaitFullOp::create(builder, loc, full, slot);
  return success();
}
