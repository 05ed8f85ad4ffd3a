// The statement that adds the slots of a rank, and its tasks with tiles as a product has them.
#include "passes/fuse/SlotSum.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

SmallVector<AffineExpr> SlotSum::boundsOf(ForallOp forall) {
  auto bounds = forall.getBounds() ? overExtents(*forall.getBounds(), forall.getExtents(), world()) : std::nullopt;
  return bounds ? *bounds : SmallVector<AffineExpr>();
}

/// Whether an access is of the tile of its task in one slot, all of which is its view.
bool SlotSum::isTileOfSlot(AccessOpInterface access, Value slot) {
  Footprint footprint = Footprint::of(access);
  if (footprint.root != slots || access.hasElementOffsets() || footprint.first.size() != 3)
    return false;
  MLIRContext *context = access.getContext();
  SmallVector<AffineExpr> shape = shapeOf(slots);
  IndexForm zero = IndexForm::of(0, context);
  bool isWhole = footprint.clipFirst[0] == IndexForm::of(slot) && footprint.first[0] == footprint.clipFirst[0];
  for (unsigned d : {1u, 2u})
    isWhole &= footprint.clipFirst[d] == zero && shape[d] && footprint.clipSize[d] == IndexForm::of(shape[d]);
  auto forall = access->getParentOfType<ForallOp>();
  return isWhole && llvm::equal(access.getAccessIndices(), forall.getIndices().take_back(2));
}

/// Whether an operation does to a tile of any size what it does to one of this.
bool SlotSum::isPiecewise(Operation *op) {
  bool isElementwise = isa<arith::ArithDialect>(op->getDialect()) && op->getNumRegions() == 0;
  return isElementwise || isa<memref::SubViewOp, scf::YieldOp>(op);
}

/// The loop adds tile after tile of the slots, in the order of the ranks, to what changes nothing.
bool SlotSum::matchLoop(Block &body) {
  for (Operation &op : body)
    if (auto candidate = dyn_cast<scf::ForOp>(op); candidate && candidate.getNumResults() == 1 && !loop)
      loop = candidate;
  if (!loop || getConstantIntValue(loop.getLowerBound()) != 0 || getConstantIntValue(loop.getStep()) != 1 ||
      getConstantIntValue(loop.getUpperBound()) != world() || !isa<RankedTensorType>(loop.getResult(0).getType()))
    return false;
  for (Operation &op : *loop.getBody()) {
    auto load = dyn_cast<LoadOp>(op);
    if (load && !slot && !load.getFrom() && !load.getOtherwise() &&
        isTileOfSlot(cast<AccessOpInterface>(op), loop.getInductionVar()))
      slot = load;
    else if (!isPiecewise(&op))
      return false;
  }
  // A tile of a slot is in registers beside the sums: one as wide as they are spills where the sums take half of them.
  auto sums = cast<RankedTensorType>(loop.getResult(0).getType());
  if (slot && slot.getType().getElementTypeBitWidth() >= sums.getElementTypeBitWidth())
    return false;
  // What is carried has one use: the sum of it and what the slot holds.
  Value sum = loop.getYieldedValues().front();
  return slot && loop.getRegionIterArg(0).hasOneUse() && sum.getDefiningOp() == *loop.getRegionIterArg(0).user_begin();
}

/// Every task adds its tile of all slots, and stores it, wherever.
bool SlotSum::matchSum() {
  if (sum.getIndices().size() != 2 || !matchLoop(sum.getBody().front()))
    return false;
  small = slot.getType().getShape();
  if (small.size() != 2)
    return false;
  bool isKnown = true;
  sum.walk([&](Operation *op) {
    if (op == sum || loop->isAncestor(op))
      return;
    auto store = dyn_cast<StoreOp>(op);
    bool stores = store && !store.getAt() && llvm::equal(store.getIndices(), sum.getIndices());
    isKnown &= stores || isPiecewise(op) || isa<SplatOp>(op) || (isa<scf::ForOp>(op) && op->getNumResults() == 0);
  });
  // Indices name tiles of the slots and of what is stored, and are no numbers otherwise.
  for (BlockArgument index : sum.getIndices())
    isKnown &= llvm::all_of(index.getUsers(), llvm::IsaPred<LoadOp, StoreOp>);
  SmallVector<AffineExpr> all = boundsOf(product), mine = boundsOf(sum), shape = shapeOf(slots);
  isKnown &= all.size() >= 2 && mine.size() == 2;
  for (unsigned d : {0u, 1u})
    isKnown = isKnown && all[all.size() - 2 + d] == simplifyAffineExpr(shape[d + 1].ceilDiv(large[d]), 0, 64) &&
              mine[d] == simplifyAffineExpr(shape[d + 1].ceilDiv(small[d]), 0, 64);
  return isKnown;
}

bool SlotSum::usesSlotsAlone() {
  for (const Footprint &access : footprintsIn(programOf(slots)))
    if (access.root == slots && access.op != sent && access.op != slot)
      return false;
  return true;
}

/// The type with the product's tile in place of the sum's.
Type SlotSum::grown(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile && tile.getShape() == small ? RankedTensorType::get(large, tile.getElementType()) : type;
}

void SlotSum::cloneGrown(OpBuilder &builder, Operation &op, IRMapping &mapping) {
  if (auto splat = dyn_cast<SplatOp>(op)) {
    auto type = cast<RankedTensorType>(grown(splat.getType()));
    if (!splat->use_empty())
      mapping.map(splat.getResult(),
                  SplatOp::create(builder, op.getLoc(), type,
                                  splat.getOperand() ? mapping.lookupOrDefault(splat.getOperand()) : Value(),
                                  splat.getLiteralAttr(), builder.getI64ArrayAttr(type.getShape())));
    return;
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (auto dense = dyn_cast<SplatElementsAttr>(constant.getValue())) {
      auto type = cast<ShapedType>(grown(dense.getType()));
      mapping.map(constant.getResult(),
                  arith::ConstantOp::create(builder, op.getLoc(),
                                            DenseElementsAttr::get(type, dense.getSplatValue<Attribute>())));
      return;
    }
  if (auto load = dyn_cast<LoadOp>(op)) {
    SmallVector<Attribute> sizes =
        llvm::map_to_vector(large, [&](int64_t size) -> Attribute { return builder.getI64IntegerAttr(size); });
    SmallVector<Value> indices =
        llvm::map_to_vector(load.getIndices(), [&](Value index) { return mapping.lookupOrDefault(index); });
    mapping.map(load.getResult(), LoadOp::create(builder, op.getLoc(), cast<RankedTensorType>(grown(load.getType())),
                                                 mapping.lookupOrDefault(load.getBuffer()), indices, /*from=*/Value(),
                                                 /*otherwise=*/Value(), /*after=*/ValueRange(),
                                                 builder.getArrayAttr(sizes), /*at=*/false));
    return;
  }
  Operation *made = builder.clone(op, mapping);
  made->walk([&](Operation *inner) {
    for (Value result : inner->getResults())
      result.setType(grown(result.getType()));
  });
}

bool SlotSum::findRank() {
  for (RankOp op : programOf(slots).getBody().getOps<RankOp>())
    rank = op;
  return rank != nullptr;
}

/// Scratch that nothing keeps, of one tile of the product for each of its tasks.
bool SlotSum::matchSlots() {
  slots = Footprint::of(cast<AccessOpInterface>(sent.getOperation())).root;
  auto alloc = slots.getDefiningOp<AllocOp>();
  large = sent.getValue().getType().getShape();
  return alloc && !alloc.getPersistent() && large.size() == 2 && findRank() &&
         isTileOfSlot(cast<AccessOpInterface>(sent.getOperation()), rank);
}

/// As it is added up.
Value SlotSum::widened(OpBuilder &builder, Value part) {
  Type type = grown(loop.getResult(0).getType());
  if (part.getType() == type)
    return part;
  return isa<FloatType>(cast<RankedTensorType>(type).getElementType())
             ? arith::ExtFOp::create(builder, loc, type, part).getResult()
             : arith::ExtSIOp::create(builder, loc, type, part).getResult();
}

/// The statement with the product's tasks: `add` makes the sum of a task.
void SlotSum::rewriteSum(AffineMap bounds, ValueRange extents, ArrayRef<Location> names,
                         llvm::function_ref<Value(OpBuilder &, ForallOp)> add) {
  OpBuilder builder(sum);
  auto made = ForallOp::create(builder, loc, bounds, extents);
  made.setScheduleAttr(product.getScheduleAttr());
  for (auto [index, name] : llvm::zip(made.getIndices(), names))
    index.setLoc(name);
  OpBuilder body = OpBuilder::atBlockBegin(&made.getBody().front());
  IRMapping mapping;
  for (auto [index, mine] : llvm::zip(sum.getIndices(), made.getIndices()))
    mapping.map(index, mine);
  for (Operation &op : sum.getBody().front()) {
    if (&op == loop)
      mapping.map(loop.getResult(0), add(body, made));
    else if (op.getResults().empty() || !llvm::is_contained(loop.getInitArgs(), op.getResult(0)))
      cloneGrown(body, op, mapping);
  }
  sum.erase();
}
