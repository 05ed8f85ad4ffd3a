// A product whose tasks store to slots at all ranks, each for the rank that owns its part, and the statement that adds
// the slots of a rank.
#include "passes/fuse/OwnerSum.h"
#include "passes/fuse/SlotSum.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace {

class OwnerSum : public SlotSum {
public:
  using SlotSum::SlotSum;

  bool match();
  void rewrite();

private:
  bool matchProduct();
  Value ownPart(OpBuilder &builder, ForallOp made);
  Value addOthers(OpBuilder &builder, ForallOp made, Value own);
  void guardProduct();
};

} // namespace

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
      sent.getTo() != product.getIndices().front() || !matchSlots())
    return false;
  return !boundsOf(product).empty() && boundsOf(product).front() == getAffineConstantExpr(world(), sent.getContext());
}

bool OwnerSum::match() {
  return product->getBlock() == sum->getBlock() && product->isBeforeInBlock(sum) && matchProduct() && matchSum() &&
         usesSlotsAlone();
}

/// What the product's task makes of this rank's part, as it would have been stored.
Value OwnerSum::ownPart(OpBuilder &builder, ForallOp made) {
  IRMapping mapping;
  mapping.map(product.getIndices().front(), rank);
  for (auto [index, mine] : llvm::zip(product.getIndices().drop_front(), made.getIndices()))
    mapping.map(index, mine);
  for (Operation &op : product.getBody().front())
    if (&op != sent && !llvm::is_contained(op.getResults(), sent.getBuffer()))
      builder.clone(op, mapping);
  return mapping.lookup(sent.getValue());
}

/// The part and what the slots of the other ranks hold, from the next rank on.
Value OwnerSum::addOthers(OpBuilder &builder, ForallOp made, Value own) {
  own = widened(builder, own);
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
  AffineMap map = *product.getBounds();
  auto dropped = AffineMap::get(map.getNumDims(), map.getNumSymbols(), map.getResults().drop_front(), map.getContext());
  SmallVector<Location> names;
  for (BlockArgument index : product.getIndices().drop_front())
    names.push_back(index.getLoc());
  rewriteSum(dropped, product.getExtents(), names,
             [&](OpBuilder &body, ForallOp made) { return addOthers(body, made, ownPart(body, made)); });
  guardProduct();
}

bool tilec::sumAtOwner(ForallOp product, ForallOp sum) {
  OwnerSum owner(product, sum);
  if (!owner.match())
    return false;
  owner.rewrite();
  return true;
}
