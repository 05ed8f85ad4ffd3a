// Turns tile.matmul into a tile loop. Part of `expand`.
#include "dialect/Accumulation.h"
#include "dialect/Products.h"
#include "dialect/Schedules.h"
#include "passes/expand/MatmulTask.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// The part of a buffer that the shard of a task cuts from its dimension `dim`, which is dimension `of` of the result.
static Value viewOfShard(Expansion &expansion, OpBuilder &builder, Location loc, Value buffer, const Place &place,
                         unsigned dim, unsigned of) {
  if (!place.shard || place.shard.dim != of)
    return buffer;
  SmallVector<OpFoldResult> offsets(2, builder.getIndexAttr(0)), sizes;
  for (AffineExpr extent : shapeOf(buffer))
    sizes.push_back(expansion.fold(builder, loc, extent));
  offsets[dim] = place.base;
  sizes[dim] = expansion.fold(builder, loc, place.shard.size);
  return expansion.view(builder, loc, buffer, offsets, sizes);
}

/// Where rows in use are data: how many of them lie in the tile of a task and behind it, 0 or less where none does.
static Value rowsLeft(OpBuilder &builder, MatmulOp op, const Place &place, int64_t rowsOfTile) {
  Location loc = op.getLoc();
  auto named = [&](StringRef name) { return NameLoc::get(builder.getStringAttr(name), loc); };
  Value all = materializeExtent(builder, loc, shapeOf(op.getDestination())[leadingDims(op)]);
  SmallVector<Value> number(place.matrix);
  if (number.empty())
    number.push_back(arith::ConstantIndexOp::create(builder, loc, 0));
  Value count =
      ReadOp::create(builder, named("count"), builder.getIndexType(), op.getRows(), number, all, ValueRange());
  Value size = arith::ConstantIndexOp::create(builder, loc, rowsOfTile);
  Value before = arith::MulIOp::create(builder, loc, place.rowTile, size);
  if (Value base = place.baseOf(0))
    before = arith::AddIOp::create(builder, loc, base, before);
  return arith::SubIOp::create(builder, named("left"), count, before);
}

/// Steps of a task that has a row in use; none of others.
static Value stepsIfAny(OpBuilder &builder, MatmulOp op, Value left, int64_t depthOfTile) {
  Location loc = op.getLoc();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value any = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, left, zero);
  Value steps = tilesAlong(builder, loc, shapeOf(op.getLhs())[op.depthDim()], depthOfTile);
  return arith::SelectOp::create(builder, NameLoc::get(builder.getStringAttr("steps"), loc), any, steps, zero);
}

/// Stores the rows in use of a tile: a scatter to the places that a store would write, so that whoever asks what is
/// written takes it for a number of rows that is data.
static void storeUsed(OpBuilder &builder, MatmulOp op, Value tile, Value into, Value left, SmallVector<Value> indices) {
  Location loc = op.getLoc();
  unsigned dim = leadingDims(op);
  int64_t size = cast<RankedTensorType>(tile.getType()).getDimSize(0);
  auto type = RankedTensorType::get({size}, builder.getI32Type());
  ArrayAttr shape = builder.getI64ArrayAttr({size});
  auto splat = [&](Value number) -> Value {
    Value narrow = arith::IndexCastOp::create(builder, number.getLoc(), builder.getI32Type(), number);
    return SplatOp::create(builder, loc, type, narrow, TypedAttr(), shape);
  };
  Value number = IotaOp::create(builder, loc, type, 0, shape);
  Value step = arith::ConstantIndexOp::create(builder, loc, size);
  Value first = arith::MulIOp::create(builder, NameLoc::get(builder.getStringAttr("first"), loc), indices[dim], step);
  Value row = arith::AddIOp::create(builder, loc, splat(first), number);
  Value used = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, number, splat(left));
  Value none = SplatOp::create(builder, loc, type, Value(), builder.getI32IntegerAttr(-1), shape);
  indices[dim] = arith::SelectOp::create(builder, NameLoc::get(builder.getStringAttr("row"), loc), used, row, none);
  ScatterOp::create(builder, loc, /*token=*/Type(), tile, into, indices, /*to=*/Value(), /*after=*/ValueRange(), dim,
                    /*at=*/false);
}

LogicalResult tilec::expandMatmul(Expansion &expansion, MatmulOp op) {
  Location loc = op.getLoc();
  OpBuilder builder(op);
  SmallVector<int64_t> tiles =
      llvm::map_to_vector(*op.getTiles(), [](Attribute size) { return cast<IntegerAttr>(size).getInt(); });
  if (op.getSplit())
    return expandSplit(expansion, op, tiles);
  SmallVector<AffineExpr> shape = shapeOf(op.getDestination());
  Shard shard = expansion.shardOf(op);
  unsigned leading = leadingDims(op);
  SmallVector<AffineExpr> bounds(ArrayRef(shape).take_front(leading));
  SmallVector<StringRef> names(leading, "matrix");
  if (shard) {
    bounds.push_back(getAffineConstantExpr(expansion.world(), op.getContext()));
    names.push_back("shard");
  }
  for (unsigned dim : {0u, 1u})
    bounds.push_back((shard && shard.dim == dim ? shard.size : shape[leading + dim]).ceilDiv(tiles[dim]));
  names.append({"m", "n"});
  ForallOp forall = expansion.forall(builder, loc, bounds, names);
  forall.setScheduleAttr(withDone(op.getScheduleAttr(), ScheduleKey::Depth));
  OpBuilder body = OpBuilder::atBlockBegin(&forall.getBody().front());
  auto indices = forall.getIndices();
  Place place{shard, {}, indices[indices.size() - 2], indices.back()};
  for (BlockArgument number : indices.take_front(leading))
    place.matrix.push_back(number);
  if (shard)
    place.base = arith::MulIOp::create(body, loc, forall.getIndices()[0], materializeExtent(body, loc, shard.size));
  Operands operands{viewOfShard(expansion, body, loc, op.getLhs(), place, op.rowDim() - leading, 0), {}, Value()};
  for (auto [rhs, transposed] : llvm::zip(op.getRhs(), op.getTransposed()))
    operands.rhs.push_back(viewOfShard(expansion, body, loc, rhs, place, transposed ? 0 : 1, 1));
  Value left = op.getRows() ? rowsLeft(body, op, place, tiles[0]) : Value();
  if (left)
    operands.steps = stepsIfAny(body, op, left, tiles[2]);
  SmallVector<Value> sums = multiplyTile(expansion, body, op, operands, place, tiles);
  Value out = finishTile(expansion, body, op, sums, place, tiles);
  SmallVector<Value> at(place.matrix);
  at.append({place.rowTile, place.colTile});
  Value result = viewOfShard(expansion, body, loc, op.getDestination(), place, shard.dim, shard.dim);
  if (left)
    storeUsed(body, op, out, result, left, at);
  else
    expansion.store(body, loc, out, result, at);
  op.erase();
  return success();
}
