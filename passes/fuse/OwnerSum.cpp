// A product whose tasks store to slots at all ranks, and the statement that adds the slots of a rank.
#include "passes/fuse/OwnerSum.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace {

class OwnerSum {
public:
  OwnerSum(ForallOp product, ForallOp sum) : product(product), sum(sum), loc(sum.getLoc()) {}

  bool match();
  void rewrite();

private:
  bool matchProduct();
  bool matchSum();
  bool matchLoop(Block &body);
  bool isTileOfSlot(AccessOpInterface access, Value slot);
  bool isPiecewise(Operation *op);
  bool usesSlotsAlone();
  int64_t world() { return *programOf(slots).getWorld(); }
  SmallVector<AffineExpr> boundsOf(ForallOp forall);
  Type grown(Type type);
  void cloneGrown(OpBuilder &builder, Operation &op, IRMapping &mapping);
  Value ownPart(OpBuilder &builder);
  Value addOthers(OpBuilder &builder, Value own);
  void guardProduct();

  ForallOp product, sum;
  Location loc;
  Value slots, rank;
  StoreOp sent;                   ///< the one store of the product
  scf::ForOp loop;                ///< over the slots
  LoadOp slot;                    ///< of the loop
  ArrayRef<int64_t> small, large; ///< tiles of the sum, and of the product
};

} // namespace

SmallVector<AffineExpr> OwnerSum::boundsOf(ForallOp forall) {
  auto bounds = forall.getBounds() ? overExtents(*forall.getBounds(), forall.getExtents(), world()) : std::nullopt;
  return bounds ? *bounds : SmallVector<AffineExpr>();
}

/// Whether an access is of the tile of its task in one slot, all of which is its view.
bool OwnerSum::isTileOfSlot(AccessOpInterface access, Value slot) {
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

bool OwnerSum::matchProduct() {
  bool multiplies = false, isSimple = true;
  product.walk([&](Operation *op) {
    multiplies |= isa<DotOp>(op);
    auto access = dyn_cast<AccessOpInterface>(op);
    if (auto store = dyn_cast<StoreOp>(op); store && !sent && store->getParentOp() == product)
      sent = store;
    else if (op != product)
      isSimple &= isMemoryEffectFree(op) || isa<LoadOp>(op) || (!access && isa<scf::ForOp>(op));
  });
  if (!multiplies || !isSimple || !sent || product.getIndices().size() != 3 ||
      sent.getTo() != product.getIndices().front())
    return false;
  slots = Footprint::of(cast<AccessOpInterface>(sent.getOperation())).root;
  auto alloc = slots.getDefiningOp<AllocOp>();
  large = sent.getValue().getType().getShape();
  if (!alloc || alloc.getPersistent() || large.size() != 2 || boundsOf(product).empty() ||
      boundsOf(product).front() != getAffineConstantExpr(world(), sent.getContext()))
    return false;
  for (RankOp op : programOf(slots).getBody().getOps<RankOp>())
    rank = op;
  return rank && isTileOfSlot(cast<AccessOpInterface>(sent.getOperation()), rank);
}

/// Whether an operation does to a tile of any size what it does to one of this.
bool OwnerSum::isPiecewise(Operation *op) {
  bool isElementwise = isa<arith::ArithDialect>(op->getDialect()) && op->getNumRegions() == 0;
  return isElementwise || isa<memref::SubViewOp, scf::YieldOp>(op);
}

/// The loop adds tile after tile of the slots, in the order of the ranks, to what changes nothing.
bool OwnerSum::matchLoop(Block &body) {
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
bool OwnerSum::matchSum() {
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
  for (unsigned d : {0u, 1u}) {
    isKnown &= all.size() == 3 && mine.size() == 2;
    isKnown = isKnown && all[d + 1] == simplifyAffineExpr(shape[d + 1].ceilDiv(large[d]), 0, 64) &&
              mine[d] == simplifyAffineExpr(shape[d + 1].ceilDiv(small[d]), 0, 64);
  }
  return isKnown;
}

bool OwnerSum::usesSlotsAlone() {
  for (const Footprint &access : footprintsIn(programOf(slots)))
    if (access.root == slots && access.op != sent && access.op != slot)
      return false;
  return true;
}

bool OwnerSum::match() {
  return product->getBlock() == sum->getBlock() && product->isBeforeInBlock(sum) && matchProduct() && matchSum() &&
         usesSlotsAlone();
}

/// The type with the product's tile in place of the sum's.
Type OwnerSum::grown(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile && tile.getShape() == small ? RankedTensorType::get(large, tile.getElementType()) : type;
}

void OwnerSum::cloneGrown(OpBuilder &builder, Operation &op, IRMapping &mapping) {
  if (auto splat = dyn_cast<SplatOp>(op); splat && splat->use_empty())
    return;
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

/// What the product's task makes of this rank's part, as it would have been stored.
Value OwnerSum::ownPart(OpBuilder &builder) {
  IRMapping mapping;
  mapping.map(product.getIndices().front(), rank);
  auto made = cast<ForallOp>(builder.getInsertionBlock()->getParentOp());
  for (auto [index, mine] : llvm::zip(product.getIndices().drop_front(), made.getIndices()))
    mapping.map(index, mine);
  for (Operation &op : product.getBody().front())
    if (&op != sent && !llvm::is_contained(op.getResults(), sent.getBuffer()))
      builder.clone(op, mapping);
  return mapping.lookup(sent.getValue());
}

/// The part and what the slots of the other ranks hold, from the next rank on.
Value OwnerSum::addOthers(OpBuilder &builder, Value own) {
  Type type = grown(loop.getResult(0).getType());
  if (own.getType() != type)
    own = isa<FloatType>(cast<RankedTensorType>(type).getElementType())
              ? arith::ExtFOp::create(builder, loc, type, own).getResult()
              : arith::ExtSIOp::create(builder, loc, type, own).getResult();
  Value one = arith::ConstantIndexOp::create(builder, loc, 1),
        all = arith::ConstantIndexOp::create(builder, loc, world());
  auto others = scf::ForOp::create(builder, loop.getLoc(), one, all, one, own);
  others.getInductionVar().setLoc(NameLoc::get(builder.getStringAttr("other"), loc));
  OpBuilder inner = OpBuilder::atBlockBegin(others.getBody());
  Location named = NameLoc::get(builder.getStringAttr("source"), loc);
  Value ahead = arith::AddIOp::create(inner, loc, rank, others.getInductionVar());
  Value source = arith::RemUIOp::create(inner, named, ahead, all);
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), source);
  mapping.map(loop.getRegionIterArg(0), others.getRegionIterArg(0));
  auto made = others->getParentOfType<ForallOp>();
  for (auto [index, mine] : llvm::zip(sum.getIndices(), made.getIndices()))
    mapping.map(index, mine);
  for (Operation &op : *loop.getBody())
    cloneGrown(inner, op, mapping);
  return others.getResult(0);
}

/// The tasks of this rank's part do nothing.
void OwnerSum::guardProduct() {
  Block &task = product.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&task);
  Location named = NameLoc::get(builder.getStringAttr("is_other"), product.getLoc());
  Value other = arith::CmpIOp::create(builder, named, arith::CmpIPredicate::ne, product.getIndices().front(), rank);
  auto guard = scf::IfOp::create(builder, product.getLoc(), other, /*withElseRegion=*/false);
  while (Operation *op = guard->getNextNode())
    op->moveBefore(guard.thenBlock()->getTerminator());
}

void OwnerSum::rewrite() {
  OpBuilder builder(sum);
  AffineMap map = *product.getBounds();
  auto dropped = AffineMap::get(map.getNumDims(), map.getNumSymbols(), map.getResults().drop_front(), map.getContext());
  auto made = ForallOp::create(builder, loc, dropped, product.getExtents());
  for (auto [index, named] : llvm::zip(made.getIndices(), product.getIndices().drop_front()))
    index.setLoc(named.getLoc());
  OpBuilder body = OpBuilder::atBlockBegin(&made.getBody().front());
  IRMapping mapping;
  for (auto [index, mine] : llvm::zip(sum.getIndices(), made.getIndices()))
    mapping.map(index, mine);
  Value own = ownPart(body);
  for (Operation &op : sum.getBody().front()) {
    if (&op == loop)
      mapping.map(loop.getResult(0), addOthers(body, own));
    else if (op.getResults().empty() || !llvm::is_contained(loop.getInitArgs(), op.getResult(0)))
      cloneGrown(body, op, mapping);
  }
  sum.erase();
  guardProduct();
}

bool tilec::sumAtOwner(ForallOp product, ForallOp sum) {
  OwnerSum owner(product, sum);
  if (!owner.match())
    return false;
  owner.rewrite();
  return true;
}
