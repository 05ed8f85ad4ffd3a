// `lower`: results that are stored while the waves go on (`schedule` makes them so).
#include "dialect/Deferred.h"
#include "dialect/HeldTile.h"
#include "passes/analysis/LayoutConversion.h"
#include "passes/lower/Lower.h"

using namespace mlir;
using namespace tilec;

/// The map by which the copy engine stores a tile to a buffer, from what each wave has of a part of it in LDS.
FailureOr<Value> KernelLowering::storeMapOf(Operation *op, Value buffer, Value tile, Value scratch) {
  std::optional<MappedMatrix> matrix = mappedMatrix(buffer);
  auto alloc = rootOf(buffer).getDefiningOp<tile::AllocOp>();
  if (!matrix || matrix->count || (alloc && alloc.getCopies() > 1))
    return op->emitOpError() << "stores to a view that the copy engine does not know, expected an argument, or scratch "
                                "of one copy";
  hip::SharedType box = hip::boxOfWave(cast<RankedTensorType>(tile.getType()), hip::sharedOf(scratch.getType()));
  return mapOf(*matrix, box);
}

/// The registers stand before the tasks, and so do the view and the bytes of LDS through which they are stored.
LogicalResult KernelLowering::declareDeferred(tile::ForallOp forall) {
  deferred = {};
  tile::DeferOp defer;
  forall.walk([&](tile::DeferOp op) { defer = op; });
  if (!defer)
    return success();
  if (!consumers)
    return defer.emitOpError() << "stands in a kernel without a producer, expected '#tile.producer' there";
  Operation *view = defer.getBuffer().getDefiningOp();
  if (view && forall->isAncestor(view))
    return defer.emitOpError() << "stores to a view that its task makes, expected one that all tasks share";
  OpBuilder::InsertionGuard guard(builder);
  Location at = loc;
  loc = unnamed(defer.getLoc());
  FailureOr<Value> to = accessView(cast<tile::AccessOpInterface>(*defer)),
                   scratch = sharedTile(defer, defer.getScratch(), /*copy=*/Value());
  if (failed(to) || failed(scratch))
    return failure();
  Value map;
  if (defer.getAsync()) {
    FailureOr<Value> made = storeMapOf(defer, defer.getBuffer(), defer.getValue(), *scratch);
    if (failed(made))
      return failure();
    map = *made;
    hasAsyncStores = true;
  }
  auto type = hip::HeldType::get(builder.getContext(), defer.getValue().getType(), 1);
  deferred = hip::DeferredOp::create(builder, named(loc, "deferred"), type, *scratch, *to, map, defer.getStoredAttr(),
                                     builder.getI64IntegerAttr(vectorOf(cast<RankedTensorType>(defer.getStored()))));
  loc = at;
  return success();
}

/// What the last task has left, behind the tasks; and nobody ends before what the copy engine stores is there.
void KernelLowering::storeLeft(hip::TasksOp tasks) {
  if (!deferred && !hasAsyncStores)
    return;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(tasks);
  auto sides = hip::IfProducesOp::create(builder, tasks.getLoc(), waveRole);
  sides.getProduces().emplaceBlock();
  builder.setInsertionPointToEnd(&sides.getConsumes().emplaceBlock());
  if (deferred)
    hip::StoreDeferredOp::create(builder, tasks.getLoc(), deferred, Value(), IntegerAttr());
  if (hasAsyncStores)
    hip::AwaitStoresOp::create(builder, tasks.getLoc());
  deferred = {};
  hasAsyncStores = false;
}

LogicalResult KernelLowering::lowerStoreAsync(Operation *operation) {
  auto op = cast<tile::StoreAsyncOp>(operation);
  if (!consumers)
    return op.emitOpError() << "stands in a kernel without a producer, expected '#tile.producer' there";
  Value value = valueOf(op.getValue());
  auto parts = cast<MemRefType>(op.getScratch().getType());
  bool areSeveral = parts.getRank() == 3;
  FailureOr<Value> to = accessView(cast<tile::AccessOpInterface>(*op)),
                   scratch = sharedTile(op, op.getScratch(), /*copy=*/Value(), /*ofFirst=*/areSeveral);
  if (!value || failed(to) || failed(scratch))
    return failure();
  FailureOr<Value> map = storeMapOf(op, op.getBuffer(), op.getValue(), *scratch);
  if (failed(map))
    return failure();
  hip::StoreAsyncOp::create(builder, loc, value, *scratch, *to, startOf(cast<tile::AccessOpInterface>(*op)), *map,
                            op.getStoredAttr(),
                            builder.getI64IntegerAttr(vectorOf(cast<RankedTensorType>(op.getStored()))),
                            builder.getI64IntegerAttr(areSeveral ? parts.getDimSize(0) : 1));
  hasAsyncStores = true;
  return success();
}

LogicalResult KernelLowering::lowerDeferredOp(Operation *op) {
  if (isa<tile::StoreAsyncOp>(op))
    return lowerStoreAsync(op);
  if (auto defer = dyn_cast<tile::DeferOp>(op)) {
    Value value = valueOf(defer.getValue());
    if (!value)
      return failure();
    hip::DeferOp::create(builder, loc, deferred, value, startOf(cast<tile::AccessOpInterface>(op)));
    return success();
  }
  auto store = cast<tile::StoreDeferredOp>(op);
  auto stream = dyn_cast<tile::StreamOp>(op->getParentOp());
  Value slot = store.getSlot() ? valueOf(store.getSlot()) : Value();
  if (store.getSlot() && !slot)
    return failure();
  hip::StoreDeferredOp::create(builder, loc, deferred, slot, slot ? stream.getSlotsAttr() : IntegerAttr());
  return success();
}
