// Follows an index to what it is made of.
#include "passes/prepare/Divisors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilec;

/// Whether an index counts something: an extent, a task, or a sum or product of such.
static bool isNeverNegative(Value value, int depth = 0) {
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return *number >= 0;
  if (!value.getType().isIndex() || depth == 8)
    return false;
  auto operandIs = [&](Value operand) { return isNeverNegative(operand, depth + 1); };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return !loop || (argument == loop.getInductionVar() && operandIs(loop.getLowerBound()));
  }
  Operation *op = value.getDefiningOp();
  if (isa<arith::MaxSIOp>(op))
    return llvm::any_of(op->getOperands(), operandIs);
  return isa<hip::HipDialect>(op->getDialect()) ||
         (isa<arith::AddIOp, arith::MulIOp, arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp, arith::RemSIOp,
              arith::MinSIOp>(op) &&
          llvm::all_of(op->getOperands(), operandIs));
}

void tilec::markPositiveDivisors(Operation *function) {
  function->walk([](Operation *op) {
    // An index that is divided unsigned is not negative.
    bool unsignedOne = isa<arith::CeilDivUIOp>(op);
    if (unsignedOne || (isa<arith::CeilDivSIOp, arith::FloorDivSIOp>(op) && isNeverNegative(op->getOperand(1))))
      op->setAttr(hip::HipDialect::positiveDivisorAttr, UnitAttr::get(op->getContext()));
  });
}
