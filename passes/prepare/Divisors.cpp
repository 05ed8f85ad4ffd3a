// Ranges of indices by MLIR's analysis, with what it cannot know: extents, and what the runtime counts, are not
// negative.
#include "passes/prepare/Divisors.h"

#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilec;
using dataflow::IntegerRangeAnalysis;
using dataflow::IntegerValueRangeLattice;

namespace {

/// What counts something fits an int of the text.
ConstantIntRanges countRange() {
  return ConstantIntRanges::fromSigned(APInt(64, 0), APInt(64, std::numeric_limits<int32_t>::max()));
}

class CountRanges : public IntegerRangeAnalysis {
public:
  using IntegerRangeAnalysis::IntegerRangeAnalysis;

  void setToEntryState(IntegerValueRangeLattice *lattice) override {
    auto argument = dyn_cast<BlockArgument>(lattice->getAnchor());
    if (argument && isa<hip::HipDialect>(argument.getOwner()->getParentOp()->getDialect()))
      join(lattice, argument.getType());
    else
      IntegerRangeAnalysis::setToEntryState(lattice);
  }

  LogicalResult visitOperation(Operation *op, ArrayRef<const IntegerValueRangeLattice *> operands,
                               ArrayRef<IntegerValueRangeLattice *> results) override {
    if (!isa<hip::HipDialect>(op->getDialect()))
      return IntegerRangeAnalysis::visitOperation(op, operands, results);
    for (IntegerValueRangeLattice *result : results)
      join(result, result->getAnchor().getType());
    return success();
  }

private:
  void join(IntegerValueRangeLattice *lattice, Type type) {
    if (type.isIndex())
      propagateIfChanged(lattice, lattice->join(IntegerValueRange(countRange())));
    else
      IntegerRangeAnalysis::setToEntryState(lattice);
  }
};

} // namespace

void tilec::markPositiveDivisors(Operation *function) {
  SmallVector<Operation *> divisions;
  function->walk([&](Operation *op) {
    // An index that is divided unsigned is not negative.
    if (isa<arith::CeilDivUIOp>(op))
      op->setAttr(hip::HipDialect::positiveDivisorAttr, UnitAttr::get(op->getContext()));
    else if (isa<arith::CeilDivSIOp, arith::FloorDivSIOp>(op))
      divisions.push_back(op);
  });
  if (divisions.empty())
    return;
  DataFlowSolver solver;
  solver.load<dataflow::DeadCodeAnalysis>();
  solver.load<dataflow::SparseConstantPropagation>();
  solver.load<CountRanges>();
  if (failed(solver.initializeAndRun(function)))
    return;
  for (Operation *op : divisions)
    if (succeeded(dataflow::staticallyNonNegative(solver, op->getOperand(1))))
      op->setAttr(hip::HipDialect::positiveDivisorAttr, UnitAttr::get(op->getContext()));
}
