// Operations are equal where their operands are, or stand for each other.
#include "passes/analysis/SameProduct.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

bool SameProduct::areEqual(Operation *mine, Operation *its) {
  return OperationEquivalence::isEquivalentTo(
      mine, its, [&](Value a, Value b) { return success(areEqual(a, b)); }, [&](Value a, Value b) { same[a] = b; },
      OperationEquivalence::IgnoreLocations);
}

bool SameProduct::areEqual(Value mine, Value its) {
  if (mine == its)
    return true;
  if (auto known = same.find(mine); known != same.end())
    return known->second == its;
  Operation *a = mine.getDefiningOp(), *b = its.getDefiningOp();
  bool areResults =
      a && b && isPure(a) && cast<OpResult>(mine).getResultNumber() == cast<OpResult>(its).getResultNumber();
  return areResults && areEqual(a, b);
}

scf::ForOp tilec::productIn(Block &block) {
  scf::ForOp product;
  for (scf::ForOp loop : block.getOps<scf::ForOp>())
    if (!product && !loop.getBody()->getOps<DotOp>().empty())
      product = loop;
  return product;
}

bool tilec::multiplyAlike(ForallOp before, ForallOp later) {
  if (!before.getBounds() || before.getBounds() != later.getBounds() || before.getExtents() != later.getExtents())
    return false;
  scf::ForOp product = productIn(before.getBody().front()), again = productIn(later.getBody().front());
  SameProduct same;
  for (auto [mine, its] : llvm::zip(before.getIndices(), later.getIndices()))
    same.assume(mine, its);
  return product && again && same.areEqual(product, again);
}
