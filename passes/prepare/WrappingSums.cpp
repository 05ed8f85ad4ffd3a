// Ranges of the integers of a kernel by MLIR's analysis, with what it cannot know: how far an index goes, and what the
// elements of tiles are.
#include "passes/prepare/WrappingSums.h"

#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tilec;
using dataflow::IntegerRangeAnalysis;
using dataflow::IntegerValueRangeLattice;

namespace {

/// An index counts elements or tasks: it is far from the end of an int, and what adds the place in a tile to it stays
/// in one.
ConstantIntRanges indexRange() {
  constexpr int64_t end = 1 << 30;
  return ConstantIntRanges::fromSigned(APInt(64, -end, /*isSigned=*/true), APInt(64, end));
}

/// The range of a tile is that of its elements.
class ElementRanges : public IntegerRangeAnalysis {
public:
  using IntegerRangeAnalysis::IntegerRangeAnalysis;

  void setToEntryState(IntegerValueRangeLattice *lattice) override {
    if (lattice->getAnchor().getType().isIndex())
      join(lattice, indexRange());
    else
      IntegerRangeAnalysis::setToEntryState(lattice);
  }

  LogicalResult visitOperation(Operation *op, ArrayRef<const IntegerValueRangeLattice *> operands,
                               ArrayRef<IntegerValueRangeLattice *> results) override {
    if (auto iota = dyn_cast<hip::IotaOp>(op); iota && isInteger(iota.getType()))
      join(results.front(), coordinates(iota));
    else if (isa<hip::BroadcastOp, hip::SplatOp>(op))
      join(results.front(), operands.front()->getValue());
    else if (auto loop = dyn_cast<hip::ElementwiseOp>(op))
      join(results.front(),
           rangeOf(cast<hip::YieldOp>(loop.getBody().front().getTerminator()).getValue(), getProgramPointAfter(op)));
    else if (op->getNumResults() == 1 && op->getResult(0).getType().isIndex() &&
             !isa<arith::ConstantOp, arith::IndexCastOp>(op))
      join(results.front(), indexRange());
    else
      return IntegerRangeAnalysis::visitOperation(op, operands, results);
    return success();
  }

  void visitNonControlFlowArguments(Operation *op, const RegionSuccessor &successor,
                                    ArrayRef<IntegerValueRangeLattice *> arguments, unsigned first) override {
    auto loop = dyn_cast<hip::ElementwiseOp>(op);
    if (!loop)
      return IntegerRangeAnalysis::visitNonControlFlowArguments(op, successor, arguments, first);
    for (auto [element, operand] : llvm::zip(arguments, loop.getOperands()))
      join(element, rangeOf(operand, getProgramPointBefore(&loop.getBody().front())));
  }

private:
  static bool isInteger(Type type) { return getElementTypeOrSelf(type).isIntOrIndex(); }

  static ConstantIntRanges coordinates(hip::IotaOp iota) {
    auto tile = cast<RankedTensorType>(iota.getType());
    unsigned bits = ConstantIntRanges::getStorageBitwidth(tile.getElementType());
    return ConstantIntRanges::fromSigned(APInt(bits, 0), APInt(bits, tile.getDimSize(iota.getDim()) - 1));
  }

  /// The range of a value on which what is at `point` depends.
  IntegerValueRange rangeOf(Value value, ProgramPoint *point) { return getLatticeElementFor(point, value)->getValue(); }

  void join(IntegerValueRangeLattice *lattice, const IntegerValueRange &range) {
    propagateIfChanged(lattice, lattice->join(range));
  }
};

bool isSum(Operation *op) {
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return false;
  Type type = op->getResult(0).getType();
  return (type.isInteger(32) || type.isInteger(64)) &&
         !cast<arith::ArithIntegerOverflowFlagsInterface>(op).hasNoSignedWrap();
}

/// Whether a sum of numbers of these ranges may leave their type.
bool leavesType(Operation *op, const ConstantIntRanges &left, const ConstantIntRanges &right) {
  unsigned bits = left.smin().getBitWidth();
  auto wide = [&](const APInt &number) { return number.sext(2 * bits); };
  for (const APInt &a : {wide(left.smin()), wide(left.smax())})
    for (const APInt &b : {wide(right.smin()), wide(right.smax())})
      if (!(isa<arith::AddIOp>(op) ? a + b : isa<arith::SubIOp>(op) ? a - b : a * b).isSignedIntN(bits))
        return true;
  return false;
}

} // namespace

void tilec::markWrappingSums(hip::KernelOp kernel) {
  SmallVector<Operation *> sums;
  kernel.walk([&](Operation *op) {
    if (isSum(op))
      sums.push_back(op);
  });
  if (sums.empty())
    return;
  DataFlowSolver solver;
  solver.load<dataflow::DeadCodeAnalysis>();
  solver.load<dataflow::SparseConstantPropagation>();
  solver.load<ElementRanges>();
  bool solved = succeeded(solver.initializeAndRun(kernel));
  auto rangeOf = [&](Value value) {
    auto *state = solved ? solver.lookupState<IntegerValueRangeLattice>(value) : nullptr;
    return state && !state->getValue().isUninitialized() ? state->getValue().getValue()
                                                         : IntegerValueRange::getMaxRange(value).getValue();
  };
  for (Operation *op : sums)
    if (leavesType(op, rangeOf(op->getOperand(0)), rangeOf(op->getOperand(1))))
      op->setAttr(hip::HipDialect::wrapsAttr, UnitAttr::get(op->getContext()));
}
