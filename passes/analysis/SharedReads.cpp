// A walk back from what loads are given to the indices of the grid.
#include "passes/analysis/SharedReads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace {

/// Collects the indices of a grid that values depend on. The index of a loop stands for where the loop begins.
class GridUse {
public:
  explicit GridUse(ForallOp forall) : forall(forall), dims(forall.getGridRank()), bare(forall.getGridRank()) {}

  void add(Value value) {
    if (!seen.insert(value).second)
      return;
    if (auto argument = dyn_cast<BlockArgument>(value))
      return addArgument(argument);
    Operation *op = value.getDefiningOp();
    if (!forall->isProperAncestor(op) || addQuotient(op))
      return;
    for (Value operand : op->getOperands())
      add(operand);
  }

  llvm::SmallBitVector getDims() const { return dims; }
  /// The divisor by which alone a dimension is used; 1 where it is used itself as well.
  int64_t groupOf(unsigned dim) const { return bare[dim] ? 1 : groups.lookup_or(dim, 1); }

private:
  void addArgument(BlockArgument argument) {
    Operation *owner = argument.getOwner()->getParentOp();
    if (owner == forall) {
      dims.set(argument.getArgNumber());
      bare.set(argument.getArgNumber());
    } else if (auto loop = dyn_cast<scf::ForOp>(owner)) {
      add(argument == loop.getInductionVar() ? loop.getLowerBound() : loop.getTiedLoopInit(argument)->get());
    }
  }

  /// An index of the grid that is divided by a constant.
  bool addQuotient(Operation *op) {
    APInt divisor;
    if (!isa<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(op) ||
        !matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) || !divisor.isStrictlyPositive())
      return false;
    auto index = dyn_cast<BlockArgument>(op->getOperand(0));
    if (!index || index.getOwner()->getParentOp() != forall)
      return false;
    unsigned dim = index.getArgNumber();
    dims.set(dim);
    auto [known, isNew] = groups.try_emplace(dim, divisor.getSExtValue());
    if (!isNew && known->second != divisor.getSExtValue())
      bare.set(dim);
    return true;
  }

  ForallOp forall;
  llvm::SmallBitVector dims, bare;
  llvm::DenseMap<unsigned, int64_t> groups;
  llvm::DenseSet<Value> seen;
};

} // namespace

SharedReads SharedReads::of(ForallOp forall) {
  unsigned rank = forall.getGridRank();
  SharedReads reads;
  reads.shared.resize(rank);
  GridUse all(forall), ends(forall);
  forall.walk([&](scf::ForOp loop) {
    ends.add(loop.getUpperBound());
    loop.walk([&](Operation *op) {
      if (!isa<LoadOp, GatherOp>(op))
        return;
      GridUse one(forall);
      for (Value operand : op->getOperands()) {
        one.add(operand);
        all.add(operand);
      }
      reads.shared |= one.getDims().flip();
    });
  });
  reads.dims = all.getDims();
  reads.isUneven = ends.getDims().any();
  if (rank >= 2)
    reads.group = all.groupOf(rank - 2);
  return reads;
}

SmallVector<int64_t> SharedReads::headFirst() const {
  SmallVector<int64_t> order;
  for (bool isHead : {true, false})
    for (unsigned dim = 0; dim < dims.size(); ++dim)
      if (dims.test(dim) == isHead)
        order.push_back(dim);
  return order;
}
