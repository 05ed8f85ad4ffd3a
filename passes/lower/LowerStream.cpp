// `lower`: slots that a copy engine fills and products of what lies there (`schedule` made them).
#include "passes/analysis/LayoutConversion.h"
#include "passes/lower/Lower.h"

#include "mlir/Dialect/UB/IR/UBOps.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tilec;

/// The kernel's argument that describes the buffer of a copy to the engine; the launcher makes it.
Value KernelLowering::mapOf(const MappedMatrix &matrix, hip::SharedType tile) {
  for (const MappedBuffer &known : maps)
    if (known.matrix.isOfSameRow(matrix) && known.tile == tile)
      return known.argument;
  auto type = hip::TensorMapType::get(builder.getContext(), tile);
  Value argument = kernel.getBody().front().addArgument(type, named(loc, nameOf(matrix.root.getLoc()) + "_map"));
  SmallVector<bool> restricted(kernel.getRestricted());
  restricted.push_back(false);
  kernel.setRestricted(restricted);
  maps.push_back({matrix, tile, argument});
  return argument;
}

/// Whether anything but products, and who waits for them, uses sums: they do not stay where products write them.
static bool isComputedWith(Value sums) {
  return llvm::any_of(sums.getUses(), [](OpOperand &use) {
    if (auto dot = dyn_cast<tile::DotAsyncOp>(use.getOwner()))
      return use.get() != dot.getAcc();
    return !isa<tile::NextOp, tile::AwaitProductsOp>(use.getOwner());
  });
}

/// Which of the matrices of a map it is: of scratch that has copies, this launch's. Null where the map is of one.
Value KernelLowering::numberOf(const MappedMatrix &matrix) {
  if (matrix.count)
    return valueOf(matrix.number);
  auto alloc = matrix.root.getDefiningOp<tile::AllocOp>();
  if (!alloc || alloc.getCopies() == 1)
    return {};
  Value &number = copyNumbers[alloc];
  if (!number)
    number = hip::CopyNumberOp::create(entry, named(alloc.getLoc(), nameOf(alloc.getLoc()) + "_copy"),
                                       entry.getIndexType(), launch, alloc.getCopiesAttr());
  return number;
}

FailureOr<Value> KernelLowering::mappedFeedOf(tile::CopyAsyncOp copy) {
  FailureOr<Value> view = accessView(copy), ring = ringOf(copy.getRing());
  OperandRange indices = copy.getIndices();
  SmallVector<int64_t> sizes = copy.getTileShape();
  SmallVector<Value> start = llvm::map_to_vector(indices.drop_back(2), [&](Value index) { return valueOf(index); });
  llvm::append_range(start, feedStart(indices.take_back(2), sizes, copy.getByRows()));
  if (failed(view) || failed(ring) || start.size() != indices.size() || llvm::is_contained(start, Value()))
    return failure();
  std::optional<MappedMatrix> matrix = mappedMatrix(copy.getBuffer());
  if (!matrix)
    return copy.emitOpError() << "fills slots from a view that the copy engine does not know, expected an argument, "
                                 "scratch, or one of the matrices that such a buffer is made of";
  hip::SharedType tile = cast<hip::RingType>(ring->getType()).getTile();
  tile = copy.getHalved() ? hip::halfOf(tile) : tile;
  return hip::MappedFeedOp::create(builder, named(loc, nameOf(rootOf(copy.getBuffer()).getLoc()) + "_feed"),
                                   hip::DirectFeedType::get(builder.getContext(), tile), *view, start,
                                   mapOf(*matrix, tile), numberOf(*matrix), copy.getByRows())
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
                                                   static_cast<uint64_t>(consumers), source.getPairs())
                                  .getResult());
  return success();
}

/// A run of the last dimension, where the step finds it.
FailureOr<Value> KernelLowering::copyingRun(tile::CopyAsyncOp copy) {
  FailureOr<Value> view = accessView(copy), ring = ringOf(copy.getRing());
  Value slot = valueOf(copy.getSlot());
  SmallVector<Value> start = startOf(copy);
  if (failed(view) || failed(ring) || !slot || llvm::is_contained(start, Value()))
    return failure();
  return hip::CopyingRunOp::create(builder, loc, activity(), slotOf(*ring, slot), *view, start).getResult();
}

/// The copies of a step, as one filling of its slot.
LogicalResult KernelLowering::lowerFills(tile::StreamOp op, ArrayRef<Value> feeds, bool alone, bool byWave) {
  SmallVector<Value> activities;
  Value full, slot;
  for (Operation &inner : op.getFills().front().without_terminator()) {
    loc = unnamed(inner.getLoc());
    auto copy = dyn_cast<tile::CopyAsyncOp>(inner);
    if (!copy) {
      if (failed(lowerOp(&inner)))
        return failure();
      keepNames(&inner);
      continue;
    }
    FailureOr<Value> made = copy.copiesRuns() ? copyingRun(copy) : copying(copy, feeds[activities.size()]);
    full = valueOf(copy.getFull());
    slot = valueOf(copy.getSlot());
    if (failed(made) || !full || !slot)
      return failure();
    activities.push_back(*made);
  }
  hip::FillOp::create(builder, loc, full, slot, activities, alone, byWave, inTurn);
  return success();
}

LogicalResult KernelLowering::lowerStream(tile::StreamOp op) {
  Value count = valueOf(op.getCount());
  SmallVector<Value> feeds;
  for (Operation &inner : op.getFills().front().without_terminator()) {
    auto copy = dyn_cast<tile::CopyAsyncOp>(inner);
    if (!copy && (isPure(&inner) || isa<scf::IfOp, tile::WaitOp>(inner)))
      continue; // computes which tile it is, or waits for it
    if (!copy || !copy.getFull())
      return inner.emitOpError() << "stands where slots are filled, expected copies that say so to a 'tile.full'";
    // What decides where a run lies is the step's.
    FailureOr<Value> feed = copy.copiesRuns() ? ringOf(copy.getRing()) : mappedFeedOf(copy);
    if (failed(feed))
      return failure();
    feeds.push_back(*feed);
  }
  if (!count || feeds.empty())
    return count ? LogicalResult(op.emitOpError() << "fills nothing") : failure();
  SmallVector<Value> carried;
  for (auto [init, argument] : llvm::zip(op.getInits(), op.getCarried())) {
    bool isUndefined = init.getDefiningOp<ub::PoisonOp>();
    Value value = isUndefined ? Value() : valueOf(init);
    if (!value && !isUndefined)
      return failure();
    auto type = hip::HeldType::get(builder.getContext(), cast<RankedTensorType>(init.getType()), 1);
    StringRef name = isUndefined ? nameOf(argument.getLoc()) : "acc";
    carried.push_back(hip::HoldOp::create(builder, named(loc, name.empty() ? "sums" : name), type, value));
  }
  OpBuilder::InsertionGuard guard(builder);
  llvm::SaveAndRestore turns(inTurn, op.getInTurn());
  if (op.getEmpty()) {
    if (failed(lowerProduced(op, count, feeds)))
      return failure();
    auto consume = hip::ConsumeOp::create(builder, loc, count, op.getSlots(), inTurn);
    bindBody(op.getUses(), consume.getBody());
    if (failed(lowerUses(op, carried)))
      return failure();
    builder.setInsertionPointAfter(consume);
    leaveUses(op, carried);
    return success();
  }
  auto stream = hip::StreamOp::create(builder, loc, count, op.getSlots(), op.getAhead());
  bindBody(op.getFills(), stream.getFills());
  if (failed(lowerFills(op, feeds, /*alone=*/false, /*byWave=*/false)))
    return failure();
  bindBody(op.getUses(), stream.getUses());
  if (failed(lowerUses(op, carried)))
    return failure();
  builder.setInsertionPointAfter(stream);
  leaveUses(op, carried);
  return success();
}

/// Makes the block of a body that gets a slot and a step, and goes on there.
void KernelLowering::bindBody(Region &from, Region &to) {
  Block &body = to.emplaceBlock();
  mapping.map(from.getArgument(1), body.addArgument(builder.getIndexType(), named(loc, "slot")));
  mapping.map(from.getArgument(0), body.addArgument(builder.getIndexType(), from.getArgument(0).getLoc()));
  builder.setInsertionPointToEnd(&body);
}

/// What steps leave in the registers that they share.
void KernelLowering::leaveUses(tile::StreamOp op, ArrayRef<Value> carried) {
  for (auto [result, value] : llvm::zip(op.getResults(), carried)) {
    held[result] = value;
    if (isComputedWith(result))
      mapping.map(result, hip::TakeOp::create(builder, named(loc, "sums"), result.getType(), value));
  }
}

/// What a step computes with its slots, and what it leaves in the registers that steps share.
LogicalResult KernelLowering::lowerUses(tile::StreamOp op, ArrayRef<Value> carried) {
  Block &body = op.getUses().front();
  for (auto [argument, value] : llvm::zip(op.getCarried(), carried)) {
    held[argument] = value;
    if (isComputedWith(argument))
      mapping.map(argument, hip::TakeOp::create(builder, argument.getLoc(), argument.getType(), value));
  }
  for (Operation &inner : body.without_terminator()) {
    loc = unnamed(inner.getLoc());
    if (failed(lowerOp(&inner)))
      return failure();
    keepNames(&inner);
  }
  return lowerNext(cast<tile::NextOp>(body.getTerminator()), carried);
}

/// The registers of the sums that a product begins with: those of the stream, where the step hands them on and has no
/// other use for what they hold.
Value KernelLowering::sumsOf(tile::DotAsyncOp op, bool begins) {
  auto stream = dyn_cast<tile::StreamOp>(op->getParentOp());
  Value result = op.getResult();
  while (stream) {
    auto next = llvm::find_if(result.getUses(), [](OpOperand &use) { return isa<tile::NextOp>(use.getOwner()); });
    if (next != result.use_end()) {
      BlockArgument argument = stream.getCarried()[next->getOperandNumber()];
      bool isOver = llvm::all_of(argument.getUsers(), [&](Operation *user) {
        return user->getBlock() == op->getBlock() && user->isBeforeInBlock(op);
      });
      if (isOver && !begins)
        return hip::PutOp::create(builder, loc, held.lookup(argument), valueOf(op.getAcc())).getHeld();
      break;
    }
    auto await = llvm::find_if(result.getUsers(), [](Operation *user) { return isa<tile::AwaitProductsOp>(user); });
    if (await == result.user_end())
      break;
    result = (*await)->getResult(0);
  }
  auto type = hip::HeldType::get(builder.getContext(), cast<RankedTensorType>(op.getType()), 1);
  Value init = begins ? Value() : valueOf(op.getAcc());
  StringRef name = nameOf(op.getLoc());
  return hip::HoldOp::create(builder, named(loc, name.empty() ? "sums" : name), type, init);
}

LogicalResult KernelLowering::lowerDotAsync(tile::DotAsyncOp op) {
  FailureOr<Value> b = ringOf(op.getRhs());
  Value slotB = valueOf(op.getRhsSlot()), a;
  if (failed(b) || !slotB)
    return failure();
  if (op.getLhsSlot()) {
    FailureOr<Value> ring = ringOf(op.getLhs());
    Value slot = valueOf(op.getLhsSlot());
    a = succeeded(ring) && slot ? slotOf(*ring, slot) : Value();
  } else {
    a = valueOf(op.getLhs());
  }
  Value acc = held.lookup(op.getAcc());
  bool begins = op.getReplaces() || (!acc && isZeroTile(op.getAcc()) && !op.getPromoted());
  if (isComputedWith(op.getResult()))
    return op.emitOpError() << "makes sums that are used before a 'tile.await_products'";
  if (!acc && !begins && !valueOf(op.getAcc()))
    return failure();
  if (!acc)
    acc = sumsOf(op, begins);
  if (!a)
    return failure();
  held[op.getResult()] = acc;
  hip::MultiplyAsyncOp::create(builder, loc, acc, a, slotOf(*b, slotB), op.getInstructionAttr(), op.getTranspose(),
                               begins, op.getPromoted(), op.getLhsTransposed());
  return success();
}

/// Registers that steps write before they read them have no value to begin with.
LogicalResult KernelLowering::lowerUndefined(Operation *op) {
  if (llvm::all_of(op->getUsers(), llvm::IsaPred<tile::StreamOp>))
    return success();
  return op->emitOpError() << "is used as a value, expected registers that a 'tile.stream' carries";
}

LogicalResult KernelLowering::lowerAwaitProducts(tile::AwaitProductsOp op) {
  Value acc = held.lookup(op.getSums());
  if (!acc)
    return op.emitOpError() << "waits for sums that no 'tile.dot_async' makes";
  bool isGivenBack = op.getLeft() == 0 || isComputedWith(op.getResult());
  hip::AwaitProductsOp::create(builder, loc, isGivenBack ? ValueRange(acc) : ValueRange(), op.getLeft());
  held[op.getResult()] = acc;
  if (isComputedWith(op.getResult()))
    mapping.map(op.getResult(), hip::TakeOp::create(builder, named(loc, "sums"), op.getType(), acc).getResult());
  return success();
}

LogicalResult KernelLowering::lowerStreamOp(Operation *op) {
  if (isa<tile::MappedOp>(op)) {
    mapping.map(op->getResult(0), isMapped);
    return success();
  }
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
    hip::FenceAsyncOp::create(builder, loc, /*acquired=*/false);
    return success();
  }
  auto await = cast<tile::AwaitFullOp>(op);
  Value full = valueOf(await.getFull()), slot = valueOf(await.getSlot());
  if (!full || !slot)
    return failure();
  hip::AwaitFullOp::create(builder, loc, full, slot, inTurn);
  return success();
}
