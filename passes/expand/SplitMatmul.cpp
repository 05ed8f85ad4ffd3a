// Products whose tiles several tasks share, each with a part of the depth. Part of `expand`.
#include "passes/expand/MatmulTask.h"

#include "dialect/Products.h"
#include "dialect/Schedules.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// Scratch of so many elements, of the type of a product's sums.
static Value sumsOfParts(OpBuilder &builder, MatmulOp op, ArrayRef<AffineExpr> extents) {
  auto [map, operands] = extentOperands(op->getBlock(), extents);
  SmallVector<int64_t> sizes = llvm::map_to_vector(extents, [](AffineExpr expr) {
    auto known = dyn_cast<AffineConstantExpr>(expr);
    return known && known.getValue() ? known.getValue() : ShapedType::kDynamic;
  });
  Location named = NameLoc::get(builder.getStringAttr("parts"), op.getLoc());
  return AllocOp::create(builder, named, MemRefType::get(sizes, sumTypeOf(op)), operands, AffineMapAttr::get(map),
                         builder.getArrayAttr({}), /*persistent=*/UnitAttr(), builder.getI64IntegerAttr(1));
}

static std::optional<int64_t> constantOf(AffineExpr expr) {
  auto known = dyn_cast<AffineConstantExpr>(expr);
  return known ? std::optional(known.getValue()) : std::nullopt;
}

namespace {

/// A product of which all tiles are shared: tasks leave their sums in scratch, which other tasks add up, in the order
/// of the parts.
class SplitMatmul {
public:
  SplitMatmul(Expansion &expansion, MatmulOp op, ArrayRef<int64_t> tiles)
      : expansion(expansion), op(op), tiles(tiles), parts(static_cast<int64_t>(*op.getSplit())), loc(op.getLoc()),
        shape(shapeOf(op.getDestination())), depth(shapeOf(op.getLhs())[op.depthDim()]) {}

  void expand() {
    OpBuilder builder(op);
    SmallVector<AffineExpr> extents{constant(parts), shape[0], shape[1]};
    SmallVector<Value> sums =
        llvm::map_to_vector(op.getRhs(), [&](Value) { return sumsOfParts(builder, op, extents); });
    multiply(builder, sums);
    add(builder, sums);
    op.erase();
  }

private:
  AffineExpr constant(int64_t value) { return getAffineConstantExpr(value, op.getContext()); }
  SmallVector<AffineExpr> grid() { return {shape[0].ceilDiv(tiles[0]), shape[1].ceilDiv(tiles[1])}; }

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
      steps = tilesAlong(builder, loc, partDepth(), tiles[2]);
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
    Operands operands{part(builder, op.getLhs(), op.depthDim(), first, size), {}, steps};
    for (auto [rhs, transposed] : llvm::zip(op.getRhs(), op.getTransposed()))
      operands.rhs.push_back(part(builder, rhs, transposed ? 1 : 0, first, size));
    return operands;
  }

  void multiply(OpBuilder &builder, ArrayRef<Value> into) {
    SmallVector<AffineExpr> bounds{constant(parts)};
    llvm::append_range(bounds, grid());
    ForallOp forall = expansion.forall(builder, loc, bounds, {"part", "m", "n"});
    forall.setScheduleAttr(withDone(op.getScheduleAttr(), ScheduleKey::Depth));
    OpBuilder body = OpBuilder::atBlockBegin(&forall.getBody().front());
    auto indices = forall.getIndices();
    SmallVector<Value> sums =
        multiplyTile(expansion, body, op, operandsOf(body, indices[0]), {{}, {}, indices[1], indices[2]}, tiles);
    for (auto [sum, buffer] : llvm::zip(sums, into))
      expansion.store(body, loc, sum, buffer, indices);
  }

  void add(OpBuilder &builder, ArrayRef<Value> from) {
    ForallOp forall = expansion.forall(builder, loc, grid(), {"m", "n"});
    OpBuilder body = OpBuilder::atBlockBegin(&forall.getBody().front());
    auto indices = forall.getIndices();
    mergeParts(expansion, body, op, from, SmallVector<Value>(indices), {{}, {}, indices[0], indices[1]}, tiles);
  }

  Expansion &expansion;
  MatmulOp op;
  ArrayRef<int64_t> tiles;
  int64_t parts;
  Location loc;
  SmallVector<AffineExpr> shape;
  AffineExpr depth;
};

/// A product of which the tiles behind the first so many are shared, as many as there are workgroups for one round
/// less: tasks are numbered, those of whole tiles first, then all first parts, all second ones and so on. Whichever
/// task of a tile comes last adds its parts up, in their order.
class SplitLastTiles {
public:
  SplitLastTiles(Expansion &expansion, MatmulOp op, ArrayRef<int64_t> tiles)
      : expansion(expansion), op(op), tiles(tiles), parts(static_cast<int64_t>(*op.getSplit())),
        whole(static_cast<int64_t>(*op.getBehind())), loc(op.getLoc()), depth(shapeOf(op.getLhs())[op.depthDim()]) {}

  LogicalResult expand() {
    if (failed(countTiles()))
      return failure();
    OpBuilder builder(op);
    auto constants = llvm::map_to_vector<4>(ArrayRef<int64_t>{parts, rows * columns - whole, tiles[0], tiles[1]},
                                            [&](int64_t size) { return getAffineConstantExpr(size, op.getContext()); });
    sums = llvm::map_to_vector(op.getRhs(), [&](Value) { return sumsOfParts(builder, op, constants); });
    Location named = NameLoc::get(builder.getStringAttr("arrivals"), loc);
    auto [map, operands] = extentOperands(op->getBlock(), constants[1]);
    arrivals = SignalsOp::create(builder, named, SignalsType::get(op.getContext(), 1), operands, map,
                                 builder.getArrayAttr({}), HandshakeAttr(), /*counted=*/false, /*by_chiplet=*/false);
    AffineExpr all = getAffineConstantExpr(whole + parts * (rows * columns - whole), op.getContext());
    ForallOp forall = expansion.forall(builder, loc, {all}, {"number"});
    forall.setScheduleAttr(withDone(op.getScheduleAttr(), ScheduleKey::Depth));
    OpBuilder body = OpBuilder::atBlockBegin(&forall.getBody().front());
    task(body, forall.getIndices()[0]);
    op.erase();
    return success();
  }

private:
  /// Rows of tiles in a window: those that run at once read the same columns, and not too many rows.
  static constexpr int64_t kWindow = 16;

  LogicalResult countTiles() {
    SmallVector<AffineExpr> shape = shapeOf(op.getDestination());
    std::optional<int64_t> height = constantOf(simplifyAffineExpr(shape[0].ceilDiv(tiles[0]), 0, 64));
    std::optional<int64_t> width = constantOf(simplifyAffineExpr(shape[1].ceilDiv(tiles[1]), 0, 64));
    if (!height || !width)
      return op.emitOpError() << "splits the tiles behind " << whole
                              << " of a number that is known at launch alone, expected extents that are given, or a "
                                 "'split' of all tiles";
    rows = *height;
    columns = *width;
    if (whole >= rows * columns)
      return op.emitOpError() << "splits the tiles behind " << whole << ", expected fewer than the " << rows * columns
                              << " that there are";
    if (Operation *other = statementBeside(op)) {
      InFlightDiagnostic diagnostic = op.emitOpError() << "splits its last tiles, expected a 'split' of all of them "
                                                          "beside other statements: no pass finds what these wait for";
      diagnostic.attachNote(other->getLoc()) << "because of this";
      return diagnostic;
    }
    return success();
  }

  Value constant(OpBuilder &builder, int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
  Location named(OpBuilder &builder, StringRef name) { return NameLoc::get(builder.getStringAttr(name), loc); }

  /// The tile of a number, in windows of rows.
  Place placeOf(OpBuilder &builder, Value tile) {
    int64_t window = std::min(kWindow, rows);
    Value ofWindow = constant(builder, window * columns);
    Value before =
        arith::MulIOp::create(builder, named(builder, "first_row"),
                              arith::DivSIOp::create(builder, loc, tile, ofWindow), constant(builder, window));
    Value within = arith::RemSIOp::create(builder, named(builder, "within"), tile, ofWindow);
    Value height = constant(builder, window);
    if (rows % window != 0)
      height = arith::MinSIOp::create(builder, named(builder, "height"), height,
                                      arith::SubIOp::create(builder, loc, constant(builder, rows), before));
    Value column = arith::DivSIOp::create(builder, named(builder, "n"), within, height);
    Value row = arith::RemSIOp::create(builder, loc, within, height);
    return {{}, {}, arith::AddIOp::create(builder, named(builder, "m"), before, row), column};
  }

  /// Steps of a part: as many for each, the last ones fewer or none.
  Operands operandsOf(OpBuilder &builder, Value isPart, Value part) {
    Value all = tilesAlong(builder, loc, depth, tiles[2]);
    Value each = materializeExtent(builder, loc, simplifyAffineExpr(depth.ceilDiv(tiles[2]).ceilDiv(parts), 0, 64));
    Value first =
        arith::MinSIOp::create(builder, named(builder, "first"), arith::MulIOp::create(builder, loc, part, each), all);
    Value left = arith::SubIOp::create(builder, loc, all, first);
    Value some = arith::MinSIOp::create(builder, loc, each, left);
    Value steps = arith::SelectOp::create(builder, named(builder, "steps"), isPart, some, all);
    return {op.getLhs(), SmallVector<Value>(op.getRhs()), steps, first};
  }

  void task(OpBuilder &builder, Value number) {
    Value most = constant(builder, whole), zero = constant(builder, 0);
    Value shared = constant(builder, rows * columns - whole);
    Value isPart = arith::CmpIOp::create(builder, named(builder, "is_part"), arith::CmpIPredicate::sge, number, most);
    Value behind = arith::MaxSIOp::create(builder, named(builder, "behind"),
                                          arith::SubIOp::create(builder, loc, number, most), zero);
    Value part = arith::DivSIOp::create(builder, named(builder, "part"), behind, shared);
    Value last = arith::RemSIOp::create(builder, named(builder, "shared_tile"), behind, shared);
    Value tile = arith::SelectOp::create(builder, named(builder, "tile"), isPart,
                                         arith::AddIOp::create(builder, loc, last, most), number);
    Place place = placeOf(builder, tile);
    SmallVector<Value> made = multiplyTile(expansion, builder, op, operandsOf(builder, isPart, part), place, tiles);
    auto branch = scf::IfOp::create(builder, loc, isPart, /*withElseRegion=*/true);
    OpBuilder shares = branch.getThenBodyBuilder(), finishes = branch.getElseBodyBuilder();
    leave(shares, made, part, last, place);
    Value out = finishTile(expansion, finishes, op, made, place, tiles);
    expansion.store(finishes, loc, out, op.getDestination(), {place.rowTile, place.colTile});
  }

  /// Stores a part's sums; the last task of a tile adds all of them up.
  void leave(OpBuilder &builder, ArrayRef<Value> made, Value part, Value tile, const Place &place) {
    Value zero = constant(builder, 0);
    SmallVector<Value> stored;
    for (auto [sum, buffer] : llvm::zip(made, sums))
      stored.push_back(StoreOp::create(builder, loc, TokenType::get(op.getContext()), sum, buffer,
                                       ValueRange{part, tile, zero, zero}, /*to=*/Value(), /*after=*/ValueRange(),
                                       /*at=*/false)
                           .getToken());
    auto arrive = ArriveOp::create(builder, named(builder, "last"), arrivals, tile, constant(builder, parts), stored);
    auto branch = scf::IfOp::create(builder, loc, arrive.getLast());
    OpBuilder inner = branch.getThenBodyBuilder();
    mergeParts(expansion, inner, op, sums, {tile, zero, zero}, place, tiles, arrive.getToken());
  }

  Expansion &expansion;
  MatmulOp op;
  ArrayRef<int64_t> tiles;
  int64_t parts, whole, rows = 0, columns = 0;
  Location loc;
  AffineExpr depth;
  SmallVector<Value> sums; ///< scratch for the parts of each right-hand side's sums
  Value arrivals;
};

} // namespace

LogicalResult tilec::expandSplit(Expansion &expansion, MatmulOp op, ArrayRef<int64_t> tiles) {
  if (op.getBehind())
    return SplitLastTiles(expansion, op, tiles).expand();
  SplitMatmul(expansion, op, tiles).expand();
  return success();
}
