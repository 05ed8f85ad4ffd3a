// Turns tile.matmul into a tile loop. Part of `expand`.
#include "dialect/Accumulation.h"
#include "dialect/Products.h"
#include "passes/expand/Expansion.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace {
/// Operands of a task: all of them, or what is the task's part of a split depth.
struct Operands {
  Value lhs;
  SmallVector<Value> rhs;
  Value steps; ///< tiles along the depth of a part; null where it is all of it
};

/// A tile of a matmul's grid: of all of the result, or of every rank's shard by itself, so that no tile crosses shards.
struct Place {
  Shard shard;
  Value base; ///< first row or column of the shard of this task; null without shards
  Value rowTile, colTile;
  SmallVector<Value> matrix = {}; ///< which of the products, of several side by side

  Value baseOf(unsigned dim) const { return shard.dim == dim ? base : Value(); }
};
} // namespace

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

static Type accumulatorOf(MatmulOp op) {
  return tile::accumulatorOf(cast<MemRefType>(op.getLhs().getType()).getElementType());
}

static Value stepsOf(OpBuilder &builder, Location loc, AffineExpr depth, int64_t step) {
  Location steps = NameLoc::get(builder.getStringAttr("steps"), loc);
  return materializeExtent(builder, steps, simplifyAffineExpr(depth.ceilDiv(step), 0, 64));
}

/// The loop over the contracted dimension; one accumulator for each right-hand side, of the transposed tile where
/// operands are swapped.
static SmallVector<Value> accumulate(Expansion &expansion, OpBuilder &builder, MatmulOp op, const Operands &operands,
                                     const Place &place, ArrayRef<int64_t> tiles) {
  Location loc = op.getLoc();
  Type accumulator = accumulatorOf(op);
  SmallVector<Value> zeros;
  for ([[maybe_unused]] Value rhs : op.getRhs())
    zeros.push_back(op.getSwapped() ? expansion.zero(builder, loc, {tiles[1], tiles[0]}, accumulator)
                                    : expansion.zero(builder, loc, {tiles[0], tiles[1]}, accumulator));
  Value begin = arith::ConstantIndexOp::create(builder, loc, 0), step = arith::ConstantIndexOp::create(builder, loc, 1);
  Value end = operands.steps ? operands.steps : stepsOf(builder, loc, shapeOf(op.getLhs()).back(), tiles[2]);
  auto loop = scf::ForOp::create(builder, loc, begin, end, step, zeros);
  loop.getInductionVar().setLoc(NameLoc::get(builder.getStringAttr("k"), loc));
  OpBuilder body = OpBuilder::atBlockBegin(loop.getBody());
  Value k = loop.getInductionVar();
  // A matrix alone is that of all products.
  auto indicesOf = [&](Value buffer, Value first, Value second) {
    bool isAlone = cast<MemRefType>(buffer.getType()).getRank() == 2;
    SmallVector<Value> indices = isAlone ? SmallVector<Value>() : place.matrix;
    indices.append({first, second});
    return indices;
  };
  Value left = expansion.load(body, loc, operands.lhs, indicesOf(operands.lhs, place.rowTile, k), {tiles[0], tiles[2]});
  SmallVector<Value> sums;
  for (auto [rhs, transposed, sum] : llvm::zip(operands.rhs, op.getTransposed(), loop.getRegionIterArgs())) {
    Value right = transposed ? expansion.load(body, loc, rhs, indicesOf(rhs, place.colTile, k), {tiles[1], tiles[2]})
                             : expansion.load(body, loc, rhs, indicesOf(rhs, k, place.colTile), {tiles[2], tiles[1]});
    Value first = op.getSwapped() ? right : left, second = op.getSwapped() ? left : right;
    sums.push_back(
        DotOp::create(body, loc, sum.getType(), first, second, sum, transposed, op.getAccumulateAttr(), StringAttr()));
  }
  scf::YieldOp::create(body, loc, sums);
  if (!op.getSwapped())
    return SmallVector<Value>(loop.getResults());
  auto turned = RankedTensorType::get({tiles[0], tiles[1]}, accumulator);
  return llvm::map_to_vector(loop.getResults(), [&](Value sum) -> Value {
    return TransposeOp::create(builder, loc, turned, sum, ArrayRef<int64_t>{1, 0});
  });
}

/// The author's epilogue on the accumulators, or a cast.
static Value finish(Expansion &expansion, OpBuilder &builder, MatmulOp op, ValueRange sums, const Place &place,
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
  unsigned leading = leadingDims(op);
  for (auto [argument, number] : llvm::zip(epilogue.getArguments().take_front(leading), place.matrix))
    mapping.map(argument, number);
  mapping.map(epilogue.getArgument(leading), offset(place.rowTile, tiles[0], place.baseOf(0)));
  mapping.map(epilogue.getArgument(leading + 1), offset(place.colTile, tiles[1], place.baseOf(1)));
  for (auto [argument, sum] : llvm::zip(epilogueTiles(op), sums))
    mapping.map(argument, sum);
  for (Operation &inner : epilogue.without_terminator())
    builder.clone(inner, mapping);
  return mapping.lookup(cast<YieldOp>(epilogue.getTerminator()).getValue());
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
  Value steps = stepsOf(builder, loc, shapeOf(op.getLhs()).back(), depthOfTile);
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

namespace {

/// A product whose tiles several tasks make, each with a part of the depth: they leave their sums in scratch, which
/// other tasks add up, in the order of the parts.
class SplitMatmul {
public:
  SplitMatmul(Expansion &expansion, MatmulOp op, ArrayRef<int64_t> tiles)
      : expansion(expansion), op(op), tiles(tiles), parts(static_cast<int64_t>(*op.getSplit())), loc(op.getLoc()),
        shape(shapeOf(op.getDestination())), depth(shapeOf(op.getLhs())[1]) {}

  void expand() {
    OpBuilder builder(op);
    SmallVector<Value> sums = llvm::map_to_vector(op.getRhs(), [&](Value) { return scratch(builder); });
    multiply(builder, sums);
    add(builder, sums);
    op.erase();
  }

private:
  AffineExpr constant(int64_t value) { return getAffineConstantExpr(value, op.getContext()); }
  SmallVector<AffineExpr> grid() { return {shape[0].ceilDiv(tiles[0]), shape[1].ceilDiv(tiles[1])}; }

  /// The sums of all parts.
  Value scratch(OpBuilder &builder) {
    SmallVector<AffineExpr> extents{constant(parts), shape[0], shape[1]};
    auto [map, operands] = extentOperands(op->getBlock(), extents);
    SmallVector<int64_t> sizes = llvm::map_to_vector(extents, [](AffineExpr expr) {
      auto known = dyn_cast<AffineConstantExpr>(expr);
      return known && known.getValue() ? known.getValue() : ShapedType::kDynamic;
    });
    Location named = NameLoc::get(builder.getStringAttr("parts"), loc);
    return AllocOp::create(builder, named, MemRefType::get(sizes, accumulatorOf(op)), operands, AffineMapAttr::get(map),
                           builder.getArrayAttr({}), /*persistent=*/UnitAttr(), builder.getI64IntegerAttr(1));
  }

  /// Columns of the left operand in a part, whole tiles but for the last one.
  AffineExpr partDepth() { return simplifyAffineExpr(depth.ceilDiv(tiles[2]).ceilDiv(parts) * tiles[2], 0, 64); }

  /// A part's columns (or rows) of an operand: those from `first` on, as many as there are, up to `size`.
  Value part(OpBuilder &builder, Value buffer, unsigned dim, Value first, OpFoldResult size) {
    SmallVector<OpFoldResult> offsets(2, builder.getIndexAttr(0)), sizes;
    for (AffineExpr extent : shapeOf(buffer))
      sizes.push_back(expansion.fold(builder, loc, extent));
    offsets[dim] = first;
    sizes[dim] = size;
    return expansion.view(builder, loc, buffer, offsets, sizes);
  }

  Operands operandsOf(OpBuilder &builder, Value number) {
    Value most = materializeExtent(builder, loc, partDepth());
    Value first = arith::MulIOp::create(builder, loc, number, most);
    OpFoldResult size = expansion.fold(builder, loc, partDepth());
    AffineExpr rest = simplifyAffineExpr(depth - partDepth() * parts, 0, 64);
    Value steps;
    if (auto known = dyn_cast<AffineConstantExpr>(rest); known && known.getValue() == 0) {
      steps = stepsOf(builder, loc, partDepth(), tiles[2]);
    } else {
      // The last parts may have fewer, or none.
      Value all = materializeExtent(builder, loc, depth), zero = arith::ConstantIndexOp::create(builder, loc, 0);
      first = arith::MinSIOp::create(builder, loc, first, all);
      Value left = arith::SubIOp::create(builder, loc, all, first);
      Value some = arith::MaxSIOp::create(builder, loc, arith::MinSIOp::create(builder, loc, most, left), zero);
      Value step = arith::ConstantIndexOp::create(builder, loc, tiles[2]);
      Location named = NameLoc::get(builder.getStringAttr("steps"), loc);
      steps = arith::CeilDivSIOp::create(builder, named, some, step);
      size = some;
    }
    Operands operands{part(builder, op.getLhs(), 1, first, size), {}, steps};
    for (auto [rhs, transposed] : llvm::zip(op.getRhs(), op.getTransposed()))
      operands.rhs.push_back(part(builder, rhs, transposed ? 1 : 0, first, size));
    return operands;
  }

  void multiply(OpBuilder &builder, ArrayRef<Value> into) {
    SmallVector<AffineExpr> bounds{constant(parts)};
    llvm::append_range(bounds, grid());
    ForallOp forall = expansion.forall(builder, loc, bounds, {"part", "m", "n"});
    OpBuilder body = OpBuilder::atBlockBegin(&forall.getBody().front());
    auto indices = forall.getIndices();
    SmallVector<Value> sums =
        accumulate(expansion, body, op, operandsOf(body, indices[0]), {{}, {}, indices[1], indices[2]}, tiles);
    for (auto [sum, buffer] : llvm::zip(sums, into))
      expansion.store(body, loc, sum, buffer, indices);
  }

  Value addOf(OpBuilder &builder, Value a, Value b) {
    return accumulatorOf(op).isInteger() ? arith::AddIOp::create(builder, loc, a, b).getResult()
                                         : arith::AddFOp::create(builder, loc, a, b).getResult();
  }

  void add(OpBuilder &builder, ArrayRef<Value> from) {
    ForallOp forall = expansion.forall(builder, loc, grid(), {"m", "n"});
    OpBuilder body = OpBuilder::atBlockBegin(&forall.getBody().front());
    auto indices = forall.getIndices();
    SmallVector<int64_t> sides{tiles[0], tiles[1]};
    Value first = arith::ConstantIndexOp::create(body, loc, 0), one = arith::ConstantIndexOp::create(body, loc, 1),
          end = arith::ConstantIndexOp::create(body, loc, parts);
    SmallVector<Value> none =
        llvm::map_to_vector(from, [&](Value) { return expansion.zero(body, loc, sides, accumulatorOf(op)); });
    // One part after the other: registers hold no more than two.
    auto loop = scf::ForOp::create(body, loc, first, end, one, none);
    loop.getInductionVar().setLoc(NameLoc::get(body.getStringAttr("part"), loc));
    OpBuilder inner = OpBuilder::atBlockBegin(loop.getBody());
    SmallVector<Value> sums;
    for (auto [buffer, sum] : llvm::zip(from, loop.getRegionIterArgs()))
      sums.push_back(addOf(
          inner, sum, expansion.load(inner, loc, buffer, {loop.getInductionVar(), indices[0], indices[1]}, sides)));
    scf::YieldOp::create(inner, loc, sums);
    sums.assign(loop.result_begin(), loop.result_end());
    Value out = finish(expansion, body, op, sums, {{}, {}, indices[0], indices[1]}, tiles);
    expansion.store(body, loc, out, op.getDestination(), indices);
  }

  Expansion &expansion;
  MatmulOp op;
  ArrayRef<int64_t> tiles;
  int64_t parts;
  Location loc;
  SmallVector<AffineExpr> shape;
  AffineExpr depth;
};

} // namespace

void tilec::expandMatmul(Expansion &expansion, MatmulOp op) {
  Location loc = op.getLoc();
  OpBuilder builder(op);
  SmallVector<int64_t> tiles =
      llvm::map_to_vector(*op.getTiles(), [](Attribute size) { return cast<IntegerAttr>(size).getInt(); });
  if (op.getSplit())
    return SplitMatmul(expansion, op, tiles).expand();
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
  OpBuilder body = OpBuilder::atBlockBegin(&forall.getBody().front());
  auto indices = forall.getIndices();
  Place place{shard, {}, indices[indices.size() - 2], indices.back()};
  for (BlockArgument number : indices.take_front(leading))
    place.matrix.push_back(number);
  if (shard)
    place.base = arith::MulIOp::create(body, loc, forall.getIndices()[0], materializeExtent(body, loc, shard.size));
  Operands operands{viewOfShard(expansion, body, loc, op.getLhs(), place, 0, 0), {}, Value()};
  for (auto [rhs, transposed] : llvm::zip(op.getRhs(), op.getTransposed()))
    operands.rhs.push_back(viewOfShard(expansion, body, loc, rhs, place, transposed ? 0 : 1, 1));
  Value left = op.getRows() ? rowsLeft(body, op, place, tiles[0]) : Value();
  if (left)
    operands.steps = stepsIfAny(body, op, left, tiles[2]);
  SmallVector<Value> sums = accumulate(expansion, body, op, operands, place, tiles);
  Value out = finish(expansion, body, op, sums, place, tiles);
  SmallVector<Value> at(place.matrix);
  at.append({place.rowTile, place.colTile});
  Value result = viewOfShard(expansion, body, loc, op.getDestination(), place, shard.dim, shard.dim);
  if (left)
    storeUsed(body, op, out, result, left, at);
  else
    expansion.store(body, loc, out, result, at);
  op.erase();
}
