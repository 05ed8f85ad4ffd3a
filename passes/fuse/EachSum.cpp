// A product whose tasks store to slots at all ranks, and the statement that adds the slots of a rank on each.
#include "passes/fuse/EachSum.h"
#include "passes/analysis/RankLoop.h"
#include "passes/fuse/SlotSum.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace {

class EachSum : public SlotSum {
public:
  using SlotSum::SlotSum;

  bool match(int64_t units);
  void rewrite();

private:
  bool matchProduct();
  bool isSmall(int64_t units);
  Value ownPart(OpBuilder &builder, ForallOp made);
  Value addAll(OpBuilder &builder, ForallOp made, Value own);

  scf::ForOp sending; ///< over the ranks, from the next one on
};

} // namespace

/// Tiles of all ranks, as they are stored, which threads hold at once: more are no small product any more.
static constexpr int64_t kMostBytes = 32768;

bool EachSum::matchProduct() {
  bool multiplies = false, isSimple = true;
  product.walk([&](Operation *op) {
    multiplies |= isa<DotOp>(op);
    if (auto store = dyn_cast<StoreOp>(op); store && !sent)
      sent = store;
    else if (op != product)
      isSimple &= isMemoryEffectFree(op) || isa<LoadOp, scf::ForOp>(op);
  });
  if (!multiplies || !isSimple || !sent || !sent.getTo() || product.getIndices().size() != 2 || !matchSlots() ||
      boundsOf(product).empty())
    return false;
  sending = dyn_cast<scf::ForOp>(sent->getParentOp());
  return sending && sending == loopOverRanks(sent.getTo(), world()) && sending->getParentOp() == product &&
         sending.getNumResults() == 0 && sending.isDefinedOutsideOfLoop(sent.getValue()) &&
         getConstantIntValue(sending.getLowerBound()) == 1;
}

bool EachSum::isSmall(int64_t units) {
  int64_t tasks = 1, bytes = world() * sent.getValue().getType().getElementTypeBitWidth() / 8;
  for (AffineExpr bound : boundsOf(product)) {
    auto constant = dyn_cast<AffineConstantExpr>(bound);
    if (!constant || (tasks *= constant.getValue()) > units)
      return false;
  }
  return bytes * large[0] * large[1] <= kMostBytes;
}

bool EachSum::match(int64_t units) {
  return product->getBlock() == sum->getBlock() && product->isBeforeInBlock(sum) && matchProduct() && matchSum() &&
         usesSlotsAlone() && loop.getInitArgs().front().getDefiningOp<SplatOp>() && isSmall(units);
}

/// What the product's task makes, as it would have been stored.
Value EachSum::ownPart(OpBuilder &builder, ForallOp made) {
  IRMapping mapping;
  for (auto [index, mine] : llvm::zip(product.getIndices(), made.getIndices()))
    mapping.map(index, mine);
  for (Operation &op : product.getBody().front())
    if (&op != sending)
      builder.clone(op, mapping);
  return mapping.lookup(sent.getValue());
}

/// As the slots of all ranks are added up, but for the slot of this one, in whose place is its part.
Value EachSum::addAll(OpBuilder &builder, ForallOp made, Value own) {
  IRMapping mapping;
  for (auto [index, mine] : llvm::zip(sum.getIndices(), made.getIndices()))
    mapping.map(index, mine);
  cloneGrown(builder, *loop.getInitArgs().front().getDefiningOp(), mapping);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1),
        all = arith::ConstantIndexOp::create(builder, loc, world());
  auto every = scf::ForOp::create(builder, loop.getLoc(), zero, all, one, mapping.lookup(loop.getInitArgs().front()));
  every.getInductionVar().setLoc(loop.getInductionVar().getLoc());
  OpBuilder inner = OpBuilder::atBlockBegin(every.getBody());
  mapping.map(loop.getInductionVar(), every.getInductionVar());
  mapping.map(loop.getRegionIterArg(0), every.getRegionIterArg(0));
  Location named = NameLoc::get(builder.getStringAttr("is_other"), loc);
  Value other = arith::CmpIOp::create(inner, named, arith::CmpIPredicate::ne, every.getInductionVar(), rank);
  auto choice = scf::IfOp::create(inner, loc, TypeRange(own.getType()), other, /*withElseRegion=*/true);
  OpBuilder taking = choice.getThenBodyBuilder(), having = choice.getElseBodyBuilder();
  for (Operation &op : *loop.getBody()) {
    bool isView = isa<memref::SubViewOp>(op) && op.getResult(0) == slot.getBuffer();
    cloneGrown(isView || &op == slot ? taking : inner, op, mapping);
    if (&op != slot)
      continue;
    scf::YieldOp::create(taking, loc, mapping.lookup(slot.getResult()));
    scf::YieldOp::create(having, loc, own);
    mapping.map(slot.getResult(), choice.getResult(0));
  }
  return every.getResult(0);
}

void EachSum::rewrite() {
  SmallVector<Location> names;
  for (BlockArgument index : product.getIndices())
    names.push_back(index.getLoc());
  rewriteSum(*product.getBounds(), product.getExtents(), names, [&](OpBuilder &body, ForallOp made) {
    Value own = ownPart(body, made);
    return addAll(body, made, own);
  });
  OpBuilder builder(sending);
  sending.setUpperBound(arith::ConstantIndexOp::create(builder, sending.getLoc(), world()));
}

bool tilec::sumOnEach(ForallOp product, ForallOp sum, int64_t units) {
  EachSum each(product, sum);
  if (!each.match(units))
    return false;
  each.rewrite();
  return true;
}
