// `lower`: results that the next task stores (`schedule` defers them).
#include "dialect/Deferred.h"
#include "passes/analysis/LayoutConversion.h"
#include "passes/lower/Lower.h"

using namespace mlir;
using namespace tilec;

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
  auto type = hip::HeldType::get(builder.getContext(), defer.getValue().getType(), 1);
  deferred = hip::DeferredOp::create(builder, named(loc, "deferred"), type, *scratch, *to, defer.getStoredAttr(),
                                     builder.getI64IntegerAttr(vectorOf(cast<RankedTensorType>(defer.getStored()))));
  loc = at;
  return success();
}

/// What the last task has left, behind the tasks.
void KernelLowering::storeLeft(hip::TasksOp tasks) {
  if (!deferred)
    return;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(tasks);
  auto sides = hip::IfProducesOp::create(builder, tasks.getLoc(), waveRole);
  sides.getProduces().emplaceBlock();
  builder.setInsertionPointToEnd(&sides.getConsumes().emplaceBlock());
  hip::StoreDeferredOp::create(builder, tasks.getLoc(), deferred, Value(), IntegerAttr());
  deferred = {};
}

LogicalResult KernelLowering::lowerDeferredOp(Operation *op) {
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
