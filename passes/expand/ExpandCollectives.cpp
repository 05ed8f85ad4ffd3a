// Turns collectives into tile loops with loads from and stores to other ranks. Part of `expand`.
#include "dialect/Accumulation.h"
#include "dialect/Aliasing.h"
#include "passes/expand/EngineCopy.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace {

bool isSymmetric(Value buffer) {
  return isa_and_nonnull<SymmetricAttr>(cast<MemRefType>(buffer.getType()).getMemorySpace());
}

MemRefType inSymmetric(MemRefType type) {
  return MemRefType::get(type.getShape(), type.getElementType(), type.getLayout(),
                         SymmetricAttr::get(type.getContext()));
}

/// Tile of a data-moving task when the author gave none: 16 KiB of bf16, rows long enough for full cache lines.
SmallVector<int64_t> tileOf(std::optional<ArrayAttr> tiles, int64_t rank) {
  if (tiles)
    return llvm::map_to_vector(*tiles, [](Attribute size) { return cast<IntegerAttr>(size).getInt(); });
  SmallVector<int64_t> shape(rank, 1);
  shape[rank - 1] = rank == 1 ? 1024 : 128;
  if (rank > 1)
    shape[rank - 2] = 64;
  return shape;
}

/// Moves data from `source` to `destination`, either of which may be the end that another rank's copy is addressed at.
class Mover {
public:
  Mover(Expansion &expansion, Operation *op, Value source, Value destination, ArrayRef<int64_t> tile)
      : expansion(expansion), op(op), loc(op->getLoc()), source(source), destination(destination), tile(tile) {}

  /// True when owners store to peers, false when consumers load from them. Fails when neither end is symmetric, or not
  /// the one that the pattern needs.
  FailureOr<bool> pushes() {
    auto remote = expansion.getPattern().getRemote();
    bool push =
        remote == Remote::Push || remote == Remote::CopyEngine || (remote == Remote::Any && isSymmetric(destination));
    Value addressed = push ? destination : source;
    if (expansion.world() == 1 || isSymmetric(addressed))
      return push;
    if (remote == Remote::Any && !isSymmetric(destination)) {
      InFlightDiagnostic diagnostic = op->emitOpError()
                                      << "exchanges data of ranks, but neither its source nor its destination is in "
                                         "#tile.symmetric memory, expected one that is";
      diagnostic.attachNote(destination.getLoc())
          << "as in " << Type(inSymmetric(cast<MemRefType>(destination.getType()))) << ", declared here";
      return diagnostic;
    }
    InFlightDiagnostic diagnostic = op->emitOpError()
                                    << "cannot be expanded to " << (push ? "push" : "pull") << ": its "
                                    << (push ? "destination" : "source") << " is not in #tile.symmetric memory";
    diagnostic.attachNote(addressed.getLoc()) << "the buffer is declared here";
    return diagnostic;
  }

  /// Tile counts of a region of this shape.
  SmallVector<AffineExpr> grid(ArrayRef<AffineExpr> shape) {
    SmallVector<AffineExpr> counts;
    for (auto [size, step] : llvm::zip(shape, tile))
      counts.push_back(size.ceilDiv(step));
    return counts;
  }

  /// Source and destination, the one that lies on the peer as the peer sees it.
  std::pair<Value, Value> ends(OpBuilder &body, bool push, Value peer) {
    return {push ? source : expansion.onRank(body, source, peer),
            push ? expansion.onRank(body, destination, peer) : destination};
  }

  using Ends = llvm::function_ref<std::pair<Value, Value>(OpBuilder &, Value peer)>;

  /// Leaves the copies to the copy engine where the pattern says so and it can make them. Without tiles of the author's
  /// it moves as much in one go as `engineTile` says.
  bool chooseEngine(bool push, ArrayRef<AffineExpr> region, std::optional<ArrayAttr> tiles) {
    PatternAttr pattern = expansion.getPattern();
    byEngine = push && expansion.world() > 1 && pattern.getRemote() == Remote::CopyEngine &&
               pattern.getKind() == PatternKind::Specialized && canCopyByEngine(op, source, destination);
    if (byEngine && !tiles)
      tile = engineTile(region, cast<MemRefType>(source.getType()).getElementType(), expansion.world() - 1);
    return byEngine;
  }

  /// For every peer and tile: copies from the source end to the destination end; `ends` makes both views for a peer.
  /// Without `self`, what a rank would copy onto itself is left out.
  void copyForEveryPeer(ArrayRef<AffineExpr> region, bool push, Ends endsFor, bool self = true) {
    SmallVector<AffineExpr> bounds = grid(region);
    bounds.insert(bounds.begin(), getAffineConstantExpr(expansion.world(), op->getContext()));
    OpBuilder builder(op);
    ForallOp forall = expansion.forall(builder, loc, bounds, {"peer", "i", "j", "l"});
    if (byEngine)
      giveToEngine(forall);
    OpBuilder body = OpBuilder::atBlockBegin(&forall.getBody().front());
    Value peer = forall.getIndices()[0];
    auto [from, to] = endsFor(body, peer);
    if (!self) {
      Location named = NameLoc::get(body.getStringAttr("is_other"), loc);
      Value other = arith::CmpIOp::create(body, named, arith::CmpIPredicate::ne, peer, expansion.rank());
      auto guard = scf::IfOp::create(body, loc, other, /*withElseRegion=*/false);
      body.setInsertionPointToStart(guard.thenBlock());
    }
    copyTile(body, from, to, forall.getIndices().drop_front(), push, peer);
  }

  /// The same on this rank alone, for every block.
  void copyForEveryBlock(ArrayRef<AffineExpr> region, Ends endsFor) {
    SmallVector<AffineExpr> bounds = grid(region);
    bounds.insert(bounds.begin(), getAffineConstantExpr(expansion.world(), op->getContext()));
    OpBuilder builder(op);
    ForallOp forall = expansion.forall(builder, loc, bounds, {"block", "i", "j", "l"});
    OpBuilder body = OpBuilder::atBlockBegin(&forall.getBody().front());
    auto [from, to] = endsFor(body, forall.getIndices()[0]);
    Value value = expansion.load(body, loc, from, forall.getIndices().drop_front(), tile);
    expansion.store(body, loc, value, to, forall.getIndices().drop_front());
  }

  void copyTile(OpBuilder &body, Value from, Value to, ValueRange indices, bool push, Value peer) {
    Value remote = expansion.peer(peer);
    Value value = expansion.load(body, loc, from, indices, tile, push ? Value() : remote);
    expansion.store(body, loc, value, to, indices, push ? remote : Value());
  }

  /// Symmetric scratch of this shape.
  Value scratch(OpBuilder &builder, ArrayRef<AffineExpr> shape, Type element, StringRef name) {
    auto [map, operands] = extentOperands(op->getBlock(), shape);
    // An extent of 0 stays open in the type: a view of a type without elements would have to lie outside of it.
    SmallVector<int64_t> sizes = llvm::map_to_vector(shape, [](AffineExpr expr) {
      auto constant = dyn_cast<AffineConstantExpr>(expr);
      return constant && constant.getValue() ? constant.getValue() : ShapedType::kDynamic;
    });
    auto type = MemRefType::get(sizes, element, MemRefLayoutAttrInterface(), SymmetricAttr::get(op->getContext()));
    return AllocOp::create(builder, NameLoc::get(builder.getStringAttr(name), loc), type, operands,
                           AffineMapAttr::get(map), builder.getArrayAttr({}), /*persistent=*/UnitAttr(),
                           builder.getI64IntegerAttr(1));
  }

  /// Scratch with one slot for each source rank, each the shape of `region`.
  Value slots(OpBuilder &builder, ArrayRef<AffineExpr> region) {
    SmallVector<AffineExpr> shape{getAffineConstantExpr(expansion.world(), op->getContext())};
    shape.append(region.begin(), region.end());
    return scratch(builder, shape, cast<MemRefType>(source.getType()).getElementType(), "slots");
  }

  /// Slot of a rank: the slots without their leading dimension.
  Value slot(OpBuilder &builder, Value slots, Value index) {
    SmallVector<AffineExpr> shape = shapeOf(slots);
    auto type = cast<MemRefType>(slots.getType());
    SmallVector<OpFoldResult> offsets(shape.size(), builder.getIndexAttr(0)), sizes,
        strides(shape.size(), builder.getIndexAttr(1));
    for (AffineExpr extent : shape)
      sizes.push_back(expansion.fold(builder, loc, extent));
    offsets[0] = index;
    sizes[0] = builder.getIndexAttr(1);
    SmallVector<int64_t> kept;
    for (OpFoldResult size : ArrayRef(sizes).drop_front())
      kept.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
    auto reduced = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(kept, type, offsets, sizes, strides));
    return memref::SubViewOp::create(builder, loc, reduced, slots, offsets, sizes, strides);
  }

  /// What passes through slots may be pushed into them, whatever the destination.
  FailureOr<bool> pushesIntoSlots() {
    auto remote = expansion.getPattern().getRemote();
    if (remote == Remote::Push || remote == Remote::CopyEngine || (remote == Remote::Any && !isSymmetric(source)))
      return true;
    if (remote == Remote::Any)
      return expansion.getPattern().getKind() != PatternKind::Bulk;
    if (expansion.world() == 1 || isSymmetric(source))
      return false;
    InFlightDiagnostic diagnostic = op->emitOpError()
                                    << "cannot be expanded to pull: its source is not in #tile.symmetric memory";
    diagnostic.attachNote(source.getLoc()) << "the buffer is declared here";
    return diagnostic;
  }

protected:
  Expansion &expansion;
  Operation *op;
  Location loc;
  Value source, destination;
  SmallVector<int64_t> tile;
  bool byEngine = false; ///< the copy engine copies for every peer
};

/// Collectives that combine: they add, or take the greatest or least.
class Reducer : public Mover {
public:
  Reducer(Expansion &expansion, Operation *op, Value source, Value destination, ArrayRef<int64_t> tile, Reduction kind)
      : Mover(expansion, op, source, destination, tile), kind(kind) {}

  /// Where one end has integers of 64 bits, so many count.
  Type accumulator() {
    Type from = cast<MemRefType>(source.getType()).getElementType(),
         into = cast<MemRefType>(destination.getType()).getElementType();
    return accumulatorOf(into.isInteger(64) ? into : from);
  }

  /// What changes nothing that is combined with it.
  Value neutral(OpBuilder &body, Type type) {
    if (kind == Reduction::Add)
      return expansion.zero(body, loc, tile, type);
    bool greatest = kind == Reduction::Maximum;
    Attribute none;
    if (auto real = dyn_cast<FloatType>(type))
      none = FloatAttr::get(type, APFloat::getInf(real.getFloatSemantics(), /*Negative=*/greatest));
    else
      none = IntegerAttr::get(type, greatest ? APInt::getSignedMinValue(type.getIntOrFloatBitWidth())
                                             : APInt::getSignedMaxValue(type.getIntOrFloatBitWidth()));
    return arith::ConstantOp::create(body, loc, DenseElementsAttr::get(RankedTensorType::get(tile, type), none));
  }

  Value combined(OpBuilder &body, Value a, Value b) {
    bool isFloat = isa<FloatType>(cast<RankedTensorType>(a.getType()).getElementType());
    if (kind == Reduction::Maximum)
      return isFloat ? arith::MaximumFOp::create(body, loc, a, b).getResult()
                     : arith::MaxSIOp::create(body, loc, a, b).getResult();
    if (kind == Reduction::Minimum)
      return isFloat ? arith::MinimumFOp::create(body, loc, a, b).getResult()
                     : arith::MinSIOp::create(body, loc, a, b).getResult();
    return isFloat ? arith::AddFOp::create(body, loc, a, b).getResult()
                   : arith::AddIOp::create(body, loc, a, b).getResult();
  }

  /// The tiles that `term` loads, combined over ranks 0..W-1 in that order; cast to the destination's element type.
  Value sum(OpBuilder &body, llvm::function_ref<Value(OpBuilder &, Value rank)> term) {
    Type type = accumulator();
    Value zero = neutral(body, type);
    Value begin = arith::ConstantIndexOp::create(body, loc, 0), step = arith::ConstantIndexOp::create(body, loc, 1);
    Value end = arith::ConstantIndexOp::create(body, loc, expansion.world());
    auto loop = scf::ForOp::create(body, loc, begin, end, step, ValueRange{zero});
    loop.getInductionVar().setLoc(NameLoc::get(body.getStringAttr("source"), loc));
    OpBuilder inner = OpBuilder::atBlockBegin(loop.getBody());
    Value value = expansion.cast(inner, loc, term(inner, loop.getInductionVar()), type);
    Value carried = loop.getRegionIterArg(0);
    scf::YieldOp::create(inner, loc, combined(inner, carried, value));
    return expansion.cast(body, loc, loop.getResult(0), cast<MemRefType>(destination.getType()).getElementType());
  }

  /// Every owner adds its region, which `regionOf` takes from a rank's source; with `ownsRegion`, no peer reads it.
  void reduceByPull(ArrayRef<AffineExpr> region, bool ownsRegion,
                    llvm::function_ref<Value(OpBuilder &, Value source)> regionOf) {
    OpBuilder builder(op);
    // In place a rank would overwrite what its peers still read.
    Value sums = isInPlace(cast<CollectiveOpInterface>(op)) && !ownsRegion
                     ? scratch(builder, region, cast<MemRefType>(destination.getType()).getElementType(), "reduced")
                     : destination;
    ForallOp forall = expansion.forall(builder, loc, grid(region), {"i", "j", "l"});
    OpBuilder body = OpBuilder::atBlockBegin(&forall.getBody().front());
    // One view for all ranks where they agree on it.
    Value term = expansion.dependsOnRank(source) ? Value() : regionOf(body, source);
    Value out = sum(body, [&](OpBuilder &inner, Value rank) {
      Value from = term ? term : regionOf(inner, expansion.onRank(inner, source, rank));
      return expansion.load(inner, loc, from, forall.getIndices(), tile, expansion.peer(rank));
    });
    expansion.store(body, loc, out, sums, forall.getIndices());
    if (sums == destination)
      return;
    ForallOp copy = expansion.forall(builder, loc, grid(region), {"i", "j", "l"});
    OpBuilder back = OpBuilder::atBlockBegin(&copy.getBody().front());
    expansion.store(back, loc, expansion.load(back, loc, sums, copy.getIndices(), tile), destination,
                    copy.getIndices());
  }

  /// Every rank puts what rank r needs into its slot there; then every owner adds its slots.
  void reduceByPush(ArrayRef<AffineExpr> region, llvm::function_ref<Value(OpBuilder &, Value peer)> termFor,
                    Value sums = {}) {
    OpBuilder builder(op);
    sums = sums ? sums : destination;
    Value inbox = slots(builder, region);
    copyForEveryPeer(region, /*push=*/true, [&](OpBuilder &body, Value peer) {
      Value term = termFor(body, peer);
      return std::make_pair(term, slot(body, inbox, expansion.rank()));
    });
    ForallOp forall = expansion.forall(builder, loc, grid(region), {"i", "j", "l"});
    OpBuilder body = OpBuilder::atBlockBegin(&forall.getBody().front());
    Value out = sum(body, [&](OpBuilder &inner, Value rank) {
      return expansion.load(inner, loc, slot(inner, inbox, rank), forall.getIndices(), tile);
    });
    expansion.store(body, loc, out, sums, forall.getIndices());
  }

private:
  Reduction kind;
};

LogicalResult expandAllGather(Expansion &expansion, AllGatherOp op) {
  Mover mover(expansion, op, op.getSource(), op.getDestination(),
              tileOf(op.getTiles(), op.getSource().getType().getRank()));
  FailureOr<bool> push = mover.pushes();
  if (failed(push))
    return failure();
  SmallVector<AffineExpr> region = shapeOf(op.getSource());
  AffineExpr size = region[op.getDim()];
  mover.chooseEngine(*push, region, op.getTiles());
  auto endsFor = [&](OpBuilder &body, Value peer) -> std::pair<Value, Value> {
    Value index = *push ? expansion.rank() : peer;
    auto [from, into] = mover.ends(body, *push, peer);
    return {from, expansion.block(body, op.getLoc(), into, op.getDim(), index, size)};
  };
  // In place a rank's own part already lies where it belongs.
  mover.copyForEveryPeer(region, *push, endsFor, /*self=*/!isInPlace(op));
  return success();
}

/// In place: blocks are exchanged into slots, since a peer may still want what lies where they belong.
LogicalResult exchangeInPlace(Expansion &expansion, AllToAllOp op, ArrayRef<AffineExpr> region) {
  Mover mover(expansion, op, op.getSource(), op.getDestination(), tileOf(op.getTiles(), region.size()));
  FailureOr<bool> push = mover.pushesIntoSlots();
  if (failed(push))
    return failure();
  OpBuilder builder(op);
  Value slots = mover.slots(builder, region);
  auto block = [&](OpBuilder &body, Value buffer, Value index) {
    return expansion.block(body, op.getLoc(), buffer, op.getDim(), index, region[op.getDim()]);
  };
  mover.copyForEveryPeer(region, *push, [&](OpBuilder &body, Value peer) {
    Value from = *push ? peer : expansion.rank(), into = *push ? expansion.rank() : peer;
    return std::make_pair(block(body, mover.ends(body, *push, peer).first, from), mover.slot(body, slots, into));
  });
  mover.copyForEveryBlock(region, [&](OpBuilder &body, Value index) {
    return std::make_pair(mover.slot(body, slots, index), block(body, op.getDestination(), index));
  });
  return success();
}

LogicalResult expandAllToAll(Expansion &expansion, AllToAllOp op) {
  SmallVector<AffineExpr> region = shapeOf(op.getSource());
  region[op.getDim()] = simplifyAffineExpr(region[op.getDim()].floorDiv(expansion.world()), 0, 64);
  if (isInPlace(op))
    return exchangeInPlace(expansion, op, region);
  Mover mover(expansion, op, op.getSource(), op.getDestination(), tileOf(op.getTiles(), region.size()));
  FailureOr<bool> push = mover.pushes();
  if (failed(push))
    return failure();
  mover.chooseEngine(*push, region, op.getTiles());
  mover.copyForEveryPeer(region, *push, [&](OpBuilder &body, Value peer) -> std::pair<Value, Value> {
    Value from = *push ? peer : expansion.rank(), into = *push ? expansion.rank() : peer;
    auto [given, received] = mover.ends(body, *push, peer);
    return {expansion.block(body, op.getLoc(), given, op.getDim(), from, region[op.getDim()]),
            expansion.block(body, op.getLoc(), received, op.getDim(), into, region[op.getDim()])};
  });
  return success();
}

LogicalResult expandReduceScatter(Expansion &expansion, ReduceScatterOp op) {
  Reducer reducer(expansion, op, op.getSource(), op.getDestination(),
                  tileOf(op.getTiles(), op.getSource().getType().getRank()), op.combination());
  FailureOr<bool> push = reducer.pushesIntoSlots();
  if (failed(push))
    return failure();
  SmallVector<AffineExpr> region = shapeOf(op.getDestination());
  auto blockFor = [&](OpBuilder &body, Value source, Value owner) {
    return expansion.block(body, op.getLoc(), source, op.getDim(), owner, region[op.getDim()]);
  };
  if (*push)
    reducer.reduceByPush(region, [&](OpBuilder &body, Value peer) { return blockFor(body, op.getSource(), peer); });
  else
    reducer.reduceByPull(region, /*ownsRegion=*/true,
                         [&](OpBuilder &body, Value source) { return blockFor(body, source, expansion.rank()); });
  return success();
}

/// Two shots: rank r adds the tiles whose row index is r modulo W, or, of a product, the r-th of W blocks of rows or
/// columns that are scattered as they are made; then it stores them to everybody.
class TwoShot : public Reducer {
public:
  using Reducer::Reducer;

  LogicalResult expand() {
    bool push = expansion.getPattern().getRemote() != Remote::Pull;
    if (expansion.world() > 1 && (!isSymmetric(source) || (push && !isSymmetric(destination)))) {
      InFlightDiagnostic diagnostic = op->emitOpError() << "cannot be expanded to two shots: its "
                                                        << (isSymmetric(source) ? "destination" : "source")
                                                        << " is not in #tile.symmetric memory";
      diagnostic.attachNote((isSymmetric(source) ? destination : source).getLoc()) << "the buffer is declared here";
      return diagnostic;
    }
    if (Shard shard = push ? expansion.shardOf(source) : Shard()) {
      scatterBlocks(shard);
      return success();
    }
    SmallVector<AffineExpr> counts = grid(shapeOf(destination));
    counts[0] = counts[0].ceilDiv(expansion.world());
    // The sums lie in scratch of their own: gathering in place would read and write a rank's own tiles at once.
    OpBuilder builder(op);
    reduced =
        scratch(builder, shapeOf(destination), cast<MemRefType>(destination.getType()).getElementType(), "reduced");
    reduceOwnTiles(counts);
    gatherTiles(counts, push);
    return success();
  }

private:
  void scatterBlocks(const Shard &shard) {
    SmallVector<AffineExpr> region = shapeOf(destination);
    region[shard.dim] = shard.size;
    OpBuilder builder(op);
    Value sums = scratch(builder, region, cast<MemRefType>(destination.getType()).getElementType(), "reduced");
    auto blockOf = [&](OpBuilder &body, Value buffer, Value owner) {
      return expansion.block(body, loc, buffer, shard.dim, owner, shard.size);
    };
    reduceByPush(region, [&](OpBuilder &body, Value peer) { return blockOf(body, source, peer); }, sums);
    copyForEveryPeer(region, /*push=*/true, [&](OpBuilder &body, Value peer) {
      return std::make_pair(sums, blockOf(body, expansion.onRank(body, destination, peer), expansion.rank()));
    });
  }

  /// Tile coordinates of the q-th tile row that `owner` adds.
  SmallVector<Value> coordinates(OpBuilder &body, ValueRange indices, Value owner) {
    SmallVector<Value> result(indices);
    Value world = arith::ConstantIndexOp::create(body, loc, expansion.world());
    result[0] = arith::AddIOp::create(body, loc, arith::MulIOp::create(body, loc, indices[0], world), owner);
    return result;
  }

  void reduceOwnTiles(ArrayRef<AffineExpr> counts) {
    OpBuilder builder(op);
    ForallOp forall = expansion.forall(builder, loc, counts, {"i", "j", "l"});
    OpBuilder body = OpBuilder::atBlockBegin(&forall.getBody().front());
    SmallVector<Value> own = coordinates(body, forall.getIndices(), expansion.rank());
    Value out = sum(body, [&](OpBuilder &inner, Value rank) {
      Value from = expansion.onRank(inner, source, rank);
      return expansion.load(inner, loc, from, own, tile, expansion.peer(rank));
    });
    expansion.store(body, loc, out, reduced, own);
  }

  void gatherTiles(ArrayRef<AffineExpr> counts, bool push) {
    SmallVector<AffineExpr> bounds{getAffineConstantExpr(expansion.world(), op->getContext())};
    bounds.append(counts.begin(), counts.end());
    OpBuilder builder(op);
    ForallOp forall = expansion.forall(builder, loc, bounds, {"peer", "i", "j", "l"});
    OpBuilder body = OpBuilder::atBlockBegin(&forall.getBody().front());
    Value peer = forall.getIndices()[0];
    SmallVector<Value> tiles = coordinates(body, forall.getIndices().drop_front(), push ? expansion.rank() : peer);
    copyTile(body, reduced, push ? expansion.onRank(body, destination, peer) : destination, tiles, push, peer);
  }

  Value reduced;
};

LogicalResult expandAllReduce(Expansion &expansion, AllReduceOp op) {
  SmallVector<int64_t> tile = tileOf(op.getTiles(), op.getSource().getType().getRank());
  if (expansion.getPattern().getShots() == Shots::Two)
    return TwoShot(expansion, op, op.getSource(), op.getDestination(), tile, op.combination()).expand();
  Reducer reducer(expansion, op, op.getSource(), op.getDestination(), tile, op.combination());
  FailureOr<bool> push = reducer.pushesIntoSlots();
  if (failed(push))
    return failure();
  SmallVector<AffineExpr> region = shapeOf(op.getDestination());
  if (*push)
    reducer.reduceByPush(region, [&](OpBuilder &, Value) { return op.getSource(); });
  else
    reducer.reduceByPull(region, /*ownsRegion=*/false, [&](OpBuilder &, Value source) { return source; });
  return success();
}

LogicalResult expandShift(Expansion &expansion, ShiftOp op) {
  Mover mover(expansion, op, op.getSource(), op.getDestination(),
              tileOf(op.getTiles(), op.getSource().getType().getRank()));
  FailureOr<bool> push = mover.pushes();
  if (failed(push))
    return failure();
  OpBuilder builder(op);
  int64_t world = expansion.world(), by = ((static_cast<int64_t>(op.getBy()) % world) + world) % world;
  Value distance = arith::ConstantIndexOp::create(builder, op.getLoc(), *push ? by : world - by);
  Value ahead = arith::AddIOp::create(builder, op.getLoc(), expansion.rank(), distance);
  Value peer =
      arith::RemUIOp::create(builder, op.getLoc(), ahead, arith::ConstantIndexOp::create(builder, op.getLoc(), world));
  bool byEngine = mover.chooseEngine(*push, shapeOf(op.getSource()), op.getTiles());
  ForallOp forall = expansion.forall(builder, op.getLoc(), mover.grid(shapeOf(op.getSource())), {"i", "j", "l"});
  if (byEngine)
    giveToEngine(forall);
  OpBuilder body = OpBuilder::atBlockBegin(&forall.getBody().front());
  auto [from, into] = mover.ends(body, *push, peer);
  mover.copyTile(body, from, into, forall.getIndices(), *push, peer);
  return success();
}

} // namespace

LogicalResult tilec::expandCollective(Expansion &expansion, CollectiveOpInterface op) {
  LogicalResult result = llvm::TypeSwitch<Operation *, LogicalResult>(op)
                             .Case([&](AllGatherOp gather) { return expandAllGather(expansion, gather); })
                             .Case([&](AllToAllOp exchange) { return expandAllToAll(expansion, exchange); })
                             .Case([&](ReduceScatterOp scatter) { return expandReduceScatter(expansion, scatter); })
                             .Case([&](AllReduceOp reduce) { return expandAllReduce(expansion, reduce); })
                             .Case([&](ShiftOp shift) { return expandShift(expansion, shift); })
                             .Default([](Operation *other) { return other->emitOpError() << "has no expansion"; });
  if (succeeded(result))
    op->erase();
  return result;
}
