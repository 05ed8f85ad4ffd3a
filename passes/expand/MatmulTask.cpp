// The task of a tile of a product, with the author's epilogue. Part of `expand`.
#include "passes/expand/MatmulTask.h"

#include "dialect/Accumulation.h"
#include "dialect/Products.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

Type tilec::sumTypeOf(MatmulOp op) {
  return tile::accumulatorOf(cast<MemRefType>(op.getLhs().getType()).getElementType());
}

Value tilec::tilesAlong(OpBuilder &builder, Location loc, AffineExpr depth, int64_t step) {
  Location steps = NameLoc::get(builder.getStringAttr("steps"), loc);
  return materializeExtent(builder, steps, simplifyAffineExpr(depth.ceilDiv(step), 0, 64));
}

SmallVector<Value> tilec::multiplyTile(Expansion &expansion, OpBuilder &builder, MatmulOp op, const Operands &operands,
                                       const Place &place, ArrayRef<int64_t> tiles) {
  Location loc = op.getLoc();
  Type accumulator = sumTypeOf(op);
  SmallVector<Value> zeros;
  for ([[maybe_unused]] Value rhs : op.getRhs())
    zeros.push_back(op.getSwapped() ? expansion.zero(builder, loc, {tiles[1], tiles[0]}, accumulator)
                                    : expansion.zero(builder, loc, {tiles[0], tiles[1]}, accumulator));
  Value begin = arith::ConstantIndexOp::create(builder, loc, 0), step = arith::ConstantIndexOp::create(builder, loc, 1);
  Value end = operands.steps ? operands.steps : tilesAlong(builder, loc, shapeOf(op.getLhs())[op.depthDim()], tiles[2]);
  auto loop = scf::ForOp::create(builder, loc, begin, end, step, zeros);
  loop.getInductionVar().setLoc(NameLoc::get(builder.getStringAttr("k"), loc));
  OpBuilder body = OpBuilder::atBlockBegin(loop.getBody());
  Value k = loop.getInductionVar();
  if (operands.first)
    k = arith::AddIOp::create(body, loc, operands.first, k);
  // A matrix alone is that of all products.
  auto indicesOf = [&](Value buffer, Value first, Value second) {
    bool isAlone = cast<MemRefType>(buffer.getType()).getRank() == 2;
    SmallVector<Value> indices = isAlone ? SmallVector<Value>() : place.matrix;
    indices.append({first, second});
    return indices;
  };
  bool runsDown = op.getLhsTransposed();
  Value left =
      runsDown
          ? expansion.load(body, loc, operands.lhs, indicesOf(operands.lhs, k, place.rowTile), {tiles[2], tiles[0]})
          : expansion.load(body, loc, operands.lhs, indicesOf(operands.lhs, place.rowTile, k), {tiles[0], tiles[2]});
  SmallVector<Value> sums;
  for (auto [rhs, transposed, sum] : llvm::zip(operands.rhs, op.getTransposed(), loop.getRegionIterArgs())) {
    Value right = transposed ? expansion.load(body, loc, rhs, indicesOf(rhs, place.colTile, k), {tiles[1], tiles[2]})
                             : expansion.load(body, loc, rhs, indicesOf(rhs, k, place.colTile), {tiles[2], tiles[1]});
    // What has K columns is `transpose` as a right operand, and is not as a left one.
    Value first = op.getSwapped() ? right : left, second = op.getSwapped() ? left : right;
    bool firstTurned = op.getSwapped() ? !transposed : runsDown,
         secondTurned = op.getSwapped() ? !runsDown : transposed;
    sums.push_back(DotOp::create(body, loc, sum.getType(), first, second, sum, secondTurned, op.getAccumulateAttr(),
                                 StringAttr(), firstTurned));
  }
  scf::YieldOp::create(body, loc, sums);
  if (!op.getSwapped())
    return SmallVector<Value>(loop.getResults());
  auto turned = RankedTensorType::get({tiles[0], tiles[1]}, accumulator);
  return llvm::map_to_vector(loop.getResults(), [&](Value sum) -> Value {
    return TransposeOp::create(builder, loc, turned, sum, ArrayRef<int64_t>{1, 0});
  });
}

/// Of an operation on elements, that has got a piece of the tile that the epilogue says.
static void takeShape(Operation *op, ArrayRef<int64_t> shape) {
  for (OpResult result : op->getResults())
    if (auto tile = dyn_cast<RankedTensorType>(result.getType()))
      result.setType(RankedTensorType::get(shape, tile.getElementType(), tile.getEncoding()));
}

Value tilec::finishTile(Expansion &expansion, OpBuilder &builder, MatmulOp op, ValueRange sums, const Place &place,
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
  bool isPiece = tiles[1] != cast<IntegerAttr>((*op.getTiles())[1]).getInt();
  for (Operation &inner : epilogue.without_terminator()) {
    Operation *made = builder.clone(inner, mapping);
    if (isPiece)
      takeShape(made, tiles.take_front(2));
  }
  return mapping.lookup(cast<YieldOp>(epilogue.getTerminator()).getValue());
}

/// Whether the epilogue does the same to each element, so that it may have any part of a tile.
static bool isElementwise(MatmulOp op) {
  return op.getEpilogue().empty() || llvm::all_of(op.getEpilogue().front().without_terminator(), [](Operation &inner) {
           return OpTrait::hasElementwiseMappableTraits(&inner) &&
                  llvm::all_of(inner.getOperandTypes(), llvm::IsaPred<RankedTensorType>);
         });
}

/// Elements of sums that a workgroup of usual size holds in a quarter of its registers.
static constexpr int64_t kHeldElements = 16384;
/// Parts that are loaded all at once, so that none waits for another's way from the cache.
static constexpr int64_t kMostAtOnce = 8;

/// Parts of a sum that are in registers at the same time.
static int64_t partsAtOnce(MatmulOp op) {
  auto parts = static_cast<int64_t>(*op.getSplit()), sides = static_cast<int64_t>(op.getRhs().size());
  return sides * (parts <= kMostAtOnce ? parts : 2);
}

/// In how many pieces the columns of a tile are added up, so that registers hold what is loaded at once.
static int64_t piecesOf(MatmulOp op, ArrayRef<int64_t> tiles) {
  constexpr int64_t kLeastColumns = 32;
  int64_t pieces = 1, held = tiles[0] * tiles[1] * partsAtOnce(op);
  auto isEven = [&](int64_t count) { return tiles[1] % (8 * count) == 0 && tiles[1] / count >= kLeastColumns; };
  while (isElementwise(op) && held / pieces > kHeldElements && isEven(2 * pieces))
    pieces *= 2;
  return pieces;
}

namespace {
/// Sums of a tile, or of a piece of it, over the parts of its depth, in their order.
class PartSums {
public:
  PartSums(Expansion &expansion, MatmulOp op, ArrayRef<Value> from, ValueRange at, ArrayRef<int64_t> sides, Value after)
      : expansion(expansion), op(op), from(from), at(at), sides(sides), after(after),
        parts(static_cast<int64_t>(*op.getSplit())), loc(op.getLoc()), element(sumTypeOf(op)) {}

  SmallVector<Value> add(OpBuilder &builder) {
    bool fits = sides[0] * sides[1] * partsAtOnce(op) <= kHeldElements;
    return fits && parts <= kMostAtOnce ? addAtOnce(builder) : addInTurn(builder);
  }

private:
  Value constant(OpBuilder &builder, int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

  Value load(OpBuilder &builder, Value buffer, Value part) {
    SmallVector<Value> indices{part};
    llvm::append_range(indices, at);
    Value loaded = expansion.load(builder, loc, buffer, indices, sides);
    if (after)
      loaded.getDefiningOp<LoadOp>().getAfterMutable().append(after);
    return loaded;
  }

  Value sum(OpBuilder &builder, Value left, Value right) {
    return element.isInteger() ? arith::AddIOp::create(builder, loc, left, right).getResult()
                               : arith::AddFOp::create(builder, loc, left, right).getResult();
  }

  /// All loads stand before the first sum.
  SmallVector<Value> addAtOnce(OpBuilder &builder) {
    SmallVector<SmallVector<Value>> loaded;
    for (Value buffer : from) {
      SmallVector<Value> &ofBuffer = loaded.emplace_back();
      for (int64_t part = 0; part < parts; ++part)
        ofBuffer.push_back(load(builder, buffer, constant(builder, part)));
    }
    return llvm::map_to_vector(loaded, [&](ArrayRef<Value> ofBuffer) {
      Value all = ofBuffer.front();
      for (Value part : ofBuffer.drop_front())
        all = sum(builder, all, part);
      return all;
    });
  }

  /// One part after the other: registers hold no more than two.
  SmallVector<Value> addInTurn(OpBuilder &builder) {
    SmallVector<Value> none =
        llvm::map_to_vector(from, [&](Value) { return expansion.zero(builder, loc, sides, element); });
    auto loop =
        scf::ForOp::create(builder, loc, constant(builder, 0), constant(builder, parts), constant(builder, 1), none);
    loop.getInductionVar().setLoc(NameLoc::get(builder.getStringAttr("part"), loc));
    OpBuilder inner = OpBuilder::atBlockBegin(loop.getBody());
    SmallVector<Value> sums;
    for (auto [buffer, before] : llvm::zip(from, loop.getRegionIterArgs()))
      sums.push_back(sum(inner, before, load(inner, buffer, loop.getInductionVar())));
    scf::YieldOp::create(inner, loc, sums);
    return SmallVector<Value>(loop.getResults());
  }

  Expansion &expansion;
  MatmulOp op;
  ArrayRef<Value> from;
  ValueRange at;
  ArrayRef<int64_t> sides;
  Value after;
  int64_t parts;
  Location loc;
  Type element;
};
} // namespace

void tilec::mergeParts(Expansion &expansion, OpBuilder &builder, MatmulOp op, ArrayRef<Value> from, ValueRange at,
                       const Place &place, ArrayRef<int64_t> tiles, Value after) {
  Location loc = op.getLoc();
  int64_t pieces = piecesOf(op, tiles);
  SmallVector<int64_t> sizes{tiles[0], tiles[1] / pieces, tiles[2]};
  auto merge = [&](OpBuilder &inner, ValueRange indices, const Place &piece) {
    SmallVector<Value> sums = PartSums(expansion, op, from, indices, ArrayRef(sizes).take_front(2), after).add(inner);
    Value out = finishTile(expansion, inner, op, sums, piece, sizes);
    expansion.store(inner, loc, out, op.getDestination(), {piece.rowTile, piece.colTile});
  };
  if (pieces == 1)
    return merge(builder, at, place);
  Value count = arith::ConstantIndexOp::create(builder, loc, pieces);
  auto loop = scf::ForOp::create(builder, loc, arith::ConstantIndexOp::create(builder, loc, 0), count,
                                 arith::ConstantIndexOp::create(builder, loc, 1));
  loop.getInductionVar().setLoc(NameLoc::get(builder.getStringAttr("piece"), loc));
  OpBuilder inner = OpBuilder::atBlockBegin(loop.getBody());
  auto pieceIn = [&](Value column) -> Value {
    return inner.createOrFold<arith::AddIOp>(loc, inner.createOrFold<arith::MulIOp>(loc, column, count),
                                             loop.getInductionVar());
  };
  SmallVector<Value> indices(at);
  indices.back() = pieceIn(indices.back());
  Place piece = place;
  piece.colTile = pieceIn(place.colTile);
  merge(inner, indices, piece);
}
