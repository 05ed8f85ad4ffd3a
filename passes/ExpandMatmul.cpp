// Turns tile.matmul into a tile loop. Part of `expand`.
#include "passes/Expansion.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// Rows of a matmul's grid: all rows, or the rows of every rank's shard by themselves, so that no tile crosses shards.
namespace {
struct Rows {
  AffineExpr shard; ///< rows of a shard; null when the grid is not aligned to shards
  Value base;       ///< first row of the shard of this task; null without shards
  Value rowTile, colTile;
};
} // namespace

static Value viewOfRows(Expansion &expansion, OpBuilder &builder, Location loc, Value buffer, const Rows &rows) {
  if (!rows.shard)
    return buffer;
  SmallVector<AffineExpr> shape = shapeOf(buffer);
  return expansion.view(builder, loc, buffer, {rows.base, builder.getIndexAttr(0)},
                        {expansion.fold(builder, loc, rows.shard), expansion.fold(builder, loc, shape[1])});
}

/// The loop over the contracted dimension; one accumulator for each right-hand side.
static SmallVector<Value> accumulate(Expansion &expansion, OpBuilder &builder, MatmulOp op, Value lhs, const Rows &rows,
                                     ArrayRef<int64_t> tiles) {
  Location loc = op.getLoc();
  Type element = cast<MemRefType>(lhs.getType()).getElementType();
  Type accumulator = element.isInteger() ? Type(builder.getI32Type())
                     : element.isF64()   ? element
                                         : builder.getF32Type();
  SmallVector<Value> zeros;
  for ([[maybe_unused]] Value rhs : op.getRhs())
    zeros.push_back(expansion.zero(builder, loc, {tiles[0], tiles[1]}, accumulator));
  Value begin = arith::ConstantIndexOp::create(builder, loc, 0), step = arith::ConstantIndexOp::create(builder, loc, 1);
  AffineExpr depth = shapeOf(op.getLhs())[1].ceilDiv(tiles[2]);
  Location steps = NameLoc::get(builder.getStringAttr("steps"), loc);
  Value end = materializeExtent(builder, steps, simplifyAffineExpr(depth, 0, 64));
  auto loop = scf::ForOp::create(builder, loc, begin, end, step, zeros);
  loop.getInductionVar().setLoc(NameLoc::get(builder.getStringAttr("k"), loc));
  OpBuilder body = OpBuilder::atBlockBegin(loop.getBody());
  Value k = loop.getInductionVar();
  Value left = expansion.load(body, loc, lhs, {rows.rowTile, k}, {tiles[0], tiles[2]});
  SmallVector<Value> sums;
  for (auto [rhs, transposed, sum] : llvm::zip(op.getRhs(), op.getTransposed(), loop.getRegionIterArgs())) {
    Value right = transposed ? expansion.load(body, loc, rhs, {rows.colTile, k}, {tiles[1], tiles[2]})
                             : expansion.load(body, loc, rhs, {k, rows.colTile}, {tiles[2], tiles[1]});
    sums.push_back(
        DotOp::create(body, loc, sum.getType(), left, right, sum, transposed, AccumulationAttr(), StringAttr()));
  }
  scf::YieldOp::create(body, loc, sums);
  return SmallVector<Value>(loop.getResults());
}

/// The author's epilogue on the accumulators, or a cast.
static Value finish(Expansion &expansion, OpBuilder &builder, MatmulOp op, ValueRange sums, const Rows &rows,
                    ArrayRef<int64_t> tiles) {
  Location loc = op.getLoc();
  if (op.getEpilogue().empty())
    return expansion.cast(builder, loc, sums.front(), cast<MemRefType>(op.getDestination().getType()).getElementType());
  auto offset = [&](Value index, int64_t size, Value base) -> Value {
    Value factor = arith::ConstantIndexOp::create(builder, loc, size);
    Value first = arith::MulIOp::create(builder, loc, index, factor);
    return base ? arith::AddIOp::create(builder, loc, base, first).getResult() : first;
  };
  Block &epilogue = op.getEpilogue().front();
  IRMapping mapping;
  mapping.map(epilogue.getArgument(0), offset(rows.rowTile, tiles[0], rows.base));
  mapping.map(epilogue.getArgument(1), offset(rows.colTile, tiles[1], {}));
  for (auto [argument, sum] : llvm::zip(epilogue.getArguments().drop_front(2), sums))
    mapping.map(argument, sum);
  for (Operation &inner : epilogue.without_terminator())
    builder.clone(inner, mapping);
  return mapping.lookup(cast<YieldOp>(epilogue.getTerminator()).getValue());
}

void tilec::expandMatmul(Expansion &expansion, MatmulOp op) {
  Location loc = op.getLoc();
  OpBuilder builder(op);
  SmallVector<int64_t> tiles =
      llvm::map_to_vector(*op.getTiles(), [](Attribute size) { return cast<IntegerAttr>(size).getInt(); });
  SmallVector<AffineExpr> shape = shapeOf(op.getDestination());
  AffineExpr shard = expansion.shardOf(op);
  SmallVector<AffineExpr> bounds;
  if (shard)
    bounds.push_back(getAffineConstantExpr(expansion.world(), op.getContext()));
  bounds.push_back((shard ? shard : shape[0]).ceilDiv(tiles[0]));
  bounds.push_back(shape[1].ceilDiv(tiles[1]));
  ForallOp forall = shard ? expansion.forall(builder, loc, bounds, {"shard", "m", "n"})
                          : expansion.forall(builder, loc, bounds, {"m", "n"});
  OpBuilder body = OpBuilder::atBlockBegin(&forall.getBody().front());
  Rows rows{shard, {}, forall.getIndices()[shard ? 1 : 0], forall.getIndices()[shard ? 2 : 1]};
  if (shard)
    rows.base = arith::MulIOp::create(body, loc, forall.getIndices()[0], materializeExtent(body, loc, shard));
  Value lhs = viewOfRows(expansion, body, loc, op.getLhs(), rows);
  SmallVector<Value> sums = accumulate(expansion, body, op, lhs, rows, tiles);
  Value out = finish(expansion, body, op, sums, rows, tiles);
  expansion.store(body, loc, out, viewOfRows(expansion, body, loc, op.getDestination(), rows),
                  {rows.rowTile, rows.colTile});
  op.erase();
}
