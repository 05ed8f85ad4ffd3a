// Tiles whose words show that they have come.
#include "passes/analysis/LayoutConversion.h"
#include "passes/lower/Lower.h"

using namespace mlir;
using namespace tilec;

Value KernelLowering::rankOfKernel() {
  if (!rank)
    rank = hip::RankOp::create(entry, named(loc, "rank"), entry.getIndexType(), context);
  return rank;
}

LogicalResult KernelLowering::lowerPosted(Operation *op) {
  if (auto post = dyn_cast<tile::PostOp>(op))
    return lowerPost(post);
  auto receive = dyn_cast<tile::ReceiveOp>(op);
  return receive ? lowerReceive(receive) : lowerReceiveAll(cast<tile::ReceiveAllOp>(op));
}

LogicalResult KernelLowering::lowerPost(tile::PostOp post) {
  FailureOr<Value> grid = gridOf(post, post.getSignals()), view = accessView(post);
  auto index = valuesOf(post.getSignal());
  if (failed(grid) || failed(view) || failed(index))
    return failure();
  Value value = valueOf(post.getValue()), to = valueOf(post.getTo());
  if (!value || !to || failed(requireLayout(post, value.getType())))
    return failure();
  hip::PostOp::create(builder, loc, *grid, *index, to, value, *view, startOf(post),
                      vectorOf(cast<RankedTensorType>(value.getType())));
  return success();
}

LogicalResult KernelLowering::lowerReceive(tile::ReceiveOp receive) {
  FailureOr<Value> grid = gridOf(receive, receive.getSignals()), view = accessView(receive);
  auto index = valuesOf(receive.getSignal());
  if (failed(grid) || failed(view) || failed(index) || failed(requireLayout(receive, receive.getTileType())))
    return failure();
  SmallVector<Value> start = startOf(receive);
  auto lowered = hip::ReceiveOp::create(builder, locationOfTile(receive.getBuffer()), receive.getType(), launch, *grid,
                                        start.front(), *index, *view, ArrayRef(start).drop_front(),
                                        vectorOf(receive.getTileType()));
  mapping.map(receive.getResult(), lowered.getResult());
  return success();
}

LogicalResult KernelLowering::lowerReceiveAll(tile::ReceiveAllOp receive) {
  FailureOr<Value> grid = gridOf(receive, receive.getSignals()), view = accessView(receive);
  auto index = valuesOf(receive.getSignal());
  RankedTensorType tile = receive.getTileType();
  Value own = receive.getOwn() ? valueOf(receive.getOwn()) : Value();
  if (failed(grid) || failed(view) || failed(index) || failed(requireLayout(receive, tile)) ||
      (receive.getOwn() && !own))
    return failure();
  SmallVector<Value> start = startOf(receive);
  int64_t count = receive.getTiles().size(), world = own ? count : count + 1;
  auto type = hip::TilesType::get(builder.getContext(), count, tile);
  Location at = named(loc, "received");
  auto others = ArrayRef(start).drop_front();
  Value rank = rankOfKernel();
  Value tiles = own ? hip::ReceiveAllOp::create(builder, at, type, launch, *grid, rank, *index, own, *view, others,
                                                world, vectorOf(tile))
                          .getResult()
                    : hip::ReceiveOthersOp::create(builder, at, type, launch, *grid, rank, *index, *view, others, world,
                                                   vectorOf(tile))
                          .getResult();
  for (auto [number, result] : llvm::enumerate(receive.getTiles()))
    mapping.map(result, hip::TileOfOp::create(builder, loc, tile, tiles, number).getResult());
  return success();
}
