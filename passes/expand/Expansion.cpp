// Builders of tile loops for `expand`.
#include "passes/expand/Expansion.h"
#include "dialect/Products.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// One tile.rank at the head of the program replaces all, so that the rank is one variable of every linear form.
static Value uniqueRank(ProgramOp program) {
  SmallVector<RankOp> ranks;
  program.walk([&](RankOp op) { ranks.push_back(op); });
  OpBuilder builder = OpBuilder::atBlockBegin(&program.getBody().front());
  auto rank =
      RankOp::create(builder, NameLoc::get(builder.getStringAttr("rank"), program.getLoc()), builder.getIndexType());
  for (RankOp op : ranks) {
    op.replaceAllUsesWith(rank.getResult());
    op.erase();
  }
  return rank;
}

/// The parts of a result that is reduced in two shots: one block of it for each rank. Blocks of rows, unless blocks of
/// columns have an eighth fewer tasks at least: of few rows each rank would have less than a tile, and every task reads
/// the operand on the right for all of them. None where ranks have no equal blocks.
static Shard blockOf(MatmulOp op, int64_t world) {
  SmallVector<AffineExpr> shape = shapeOf(op.getDestination());
  std::optional<ArrayAttr> tiles = op.getTiles();
  Shard best;
  std::optional<int64_t> fewest;
  for (unsigned dim : {0u, 1u}) {
    if (simplifyAffineExpr(shape[dim] % world, 0, 64) != getAffineConstantExpr(0, op.getContext()))
      continue;
    AffineExpr block = simplifyAffineExpr(shape[dim].floorDiv(world), 0, 64),
               tasks = getAffineConstantExpr(1, op.getContext());
    for (unsigned d : {0u, 1u})
      tasks = tasks * (d == dim ? block : shape[d]).ceilDiv(::cast<IntegerAttr>((*tiles)[d]).getInt());
    auto known = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(tasks, 0, 64));
    if (best && !(known && fewest && 8 * known.getValue() <= 7 * *fewest))
      continue;
    best = {block, dim};
    fewest = known ? std::optional(known.getValue()) : std::nullopt;
  }
  return best;
}

/// Grids of products whose left side is gathered by pull, or whose result is scattered from registers, follow the
/// shards: each tile then has one owner.
static Shard shardNeededBy(MatmulOp op, PatternAttr pattern, int64_t world) {
  // Of matrices side by side a shard is some of the products, not some of their rows.
  if (pattern.getKind() == PatternKind::Bulk || world == 1 || leadingDims(op))
    return {};
  for (Operation *user : op.getLhs().getUsers())
    if (auto gather = dyn_cast<CollectiveOpInterface>(user);
        gather && gather.getDestination() == op.getLhs() && gather.getPartsDim() == op.rowDim() &&
        !gather.hasPartsInSource() && pattern.getRemote() == Remote::Pull)
      return {shapeOf(gather.getSource())[op.rowDim()]};
  if (pattern.getKind() != PatternKind::Sequential || pattern.getRemote() == Remote::Pull)
    return {};
  for (Operation *user : op.getDestination().getUsers()) {
    // The first shot of two scatters.
    auto scatter = dyn_cast<CollectiveOpInterface>(user);
    if (scatter && scatter.reduces() && !scatter.getPartsDim() && scatter.getSource() == op.getDestination() &&
        pattern.getShots() == Shots::Two)
      if (Shard block = blockOf(op, world))
        return block;
    if (!scatter || scatter.getPartsDim() != 0 || !scatter.hasPartsInSource() ||
        scatter.getSource() != op.getDestination())
      continue;
    if (!scatter.hasPartsInDestination())
      return {shapeOf(scatter.getDestination())[0]};
    return {simplifyAffineExpr(shapeOf(scatter.getSource())[0].floorDiv(world), 0, 64)};
  }
  return {};
}

Expansion::Expansion(ProgramOp program, PatternAttr pattern)
    : program(program), pattern(pattern), numRanks(*program.getWorld()), rankValue(uniqueRank(program)) {
  program.walk([&](MatmulOp op) {
    if (Shard shard = shardNeededBy(op, pattern, numRanks))
      shards[op] = scattered[op.getDestination()] = shard;
  });
}

ForallOp Expansion::forall(OpBuilder &builder, Location loc, ArrayRef<AffineExpr> bounds, ArrayRef<StringRef> names) {
  SmallVector<AffineExpr> simple =
      llvm::map_to_vector(bounds, [](AffineExpr bound) { return simplifyAffineExpr(bound, 0, 64); });
  auto [map, operands] = extentOperands(&program.getBody().front(), simple);
  auto forall = ForallOp::create(builder, loc, map, operands);
  for (auto [index, name] : llvm::zip(forall.getIndices(), names))
    index.setLoc(NameLoc::get(builder.getStringAttr(name), loc));
  return forall;
}

static ArrayAttr tileAttr(Builder &builder, ArrayRef<int64_t> tile) {
  return builder.getArrayAttr(
      llvm::map_to_vector(tile, [&](int64_t size) -> Attribute { return builder.getI64IntegerAttr(size); }));
}

Value Expansion::load(OpBuilder &builder, Location loc, Value buffer, ValueRange indices, ArrayRef<int64_t> tile,
                      Value from) {
  auto type = RankedTensorType::get(tile, ::cast<MemRefType>(buffer.getType()).getElementType());
  return LoadOp::create(builder, loc, type, buffer, indices, from, /*otherwise=*/Value(), /*after=*/ValueRange(),
                        tileAttr(builder, tile), /*at=*/false);
}

void Expansion::store(OpBuilder &builder, Location loc, Value value, Value buffer, ValueRange indices, Value to) {
  StoreOp::create(builder, loc, /*token=*/Type(), value, buffer, indices, to, /*after=*/ValueRange(), /*at=*/false);
}

Value Expansion::zero(OpBuilder &builder, Location loc, ArrayRef<int64_t> tile, Type element) {
  return SplatOp::create(builder, loc, RankedTensorType::get(tile, element), /*operand=*/Value(),
                         ::cast<TypedAttr>(builder.getZeroAttr(element)), tileAttr(builder, tile));
}

Value Expansion::cast(OpBuilder &builder, Location loc, Value tile, Type element) {
  auto type = ::cast<RankedTensorType>(tile.getType());
  Type from = type.getElementType();
  auto as = [&](Type to) { return RankedTensorType::get(type.getShape(), to); };
  if (from == element)
    return tile;
  if (::isa<FloatType>(from) && ::isa<FloatType>(element)) {
    unsigned width = from.getIntOrFloatBitWidth(), wanted = element.getIntOrFloatBitWidth();
    if (width < wanted)
      return arith::ExtFOp::create(builder, loc, as(element), tile);
    if (width > wanted)
      return arith::TruncFOp::create(builder, loc, as(element), tile);
    Value wide = arith::ExtFOp::create(builder, loc, as(builder.getF32Type()), tile);
    return arith::TruncFOp::create(builder, loc, as(element), wide);
  }
  if (::isa<IntegerType>(from) && ::isa<FloatType>(element))
    return arith::SIToFPOp::create(builder, loc, as(element), tile);
  if (::isa<FloatType>(from))
    return arith::FPToSIOp::create(builder, loc, as(element), tile);
  if (from.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth())
    return arith::ExtSIOp::create(builder, loc, as(element), tile);
  return arith::TruncIOp::create(builder, loc, as(element), tile);
}

OpFoldResult Expansion::fold(OpBuilder &builder, Location loc, AffineExpr expr) {
  AffineExpr simple = simplifyAffineExpr(expr, 0, 64);
  if (auto constant = dyn_cast<AffineConstantExpr>(simple))
    return builder.getIndexAttr(constant.getValue());
  return materializeExtent(builder, loc, simple);
}

Value Expansion::view(OpBuilder &builder, Location loc, Value buffer, ArrayRef<OpFoldResult> offsets,
                      ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> strides(offsets.size(), builder.getIndexAttr(1));
  return memref::SubViewOp::create(builder, loc, buffer, offsets, sizes, strides);
}

Value Expansion::block(OpBuilder &builder, Location loc, Value buffer, unsigned dim, Value index, AffineExpr size) {
  SmallVector<AffineExpr> shape = shapeOf(buffer);
  SmallVector<OpFoldResult> offsets(shape.size(), builder.getIndexAttr(0)), sizes;
  for (auto [i, extent] : llvm::enumerate(shape))
    sizes.push_back(fold(builder, loc, i == dim ? size : extent));
  offsets[dim] = arith::MulIOp::create(builder, loc, index, materializeExtent(builder, loc, size)).getResult();
  return view(builder, loc, buffer, offsets, sizes);
}

/// What a view is computed from, operands before what uses them.
static llvm::SetVector<Operation *> sliceOf(Value buffer) {
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  (void)getBackwardSlice(buffer, &slice, options);
  return slice;
}

bool Expansion::dependsOnRank(Value buffer) {
  return numRanks > 1 && sliceOf(buffer).contains(rankValue.getDefiningOp());
}

Value Expansion::onRank(OpBuilder &builder, Value buffer, Value peer) {
  if (!dependsOnRank(buffer))
    return buffer;
  IRMapping mapping;
  mapping.map(rankValue, peer);
  for (Operation *op : sliceOf(buffer))
    if (isPure(op) && llvm::any_of(op->getOperands(), [&](Value operand) { return mapping.contains(operand); }))
      builder.clone(*op, mapping);
  return mapping.lookupOrDefault(buffer);
}
