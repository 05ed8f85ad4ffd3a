// Follows the numbers that a launch gives through the operations that use them.
#include "dialect/Scalars.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace tilec::tile;

bool tilec::tile::isScalarArgument(Type type) {
  return type.isF32() || type.isF64() || type.isSignlessInteger(32) || type.isSignlessInteger(64);
}

namespace {

/// What depends on one number.
class Followed {
public:
  explicit Followed(BlockArgument scalar) : scalar(scalar) { add(scalar); }

  LogicalResult run() {
    while (!work.empty())
      for (OpOperand &use : work.pop_back_val().getUses())
        if (failed(follow(use)))
          return failure();
    return success();
  }

private:
  void add(Value value) {
    // A tile is data, as what memory holds is.
    if (!isa<ShapedType>(value.getType()) && seen.insert(value.getAsOpaquePointer()).second)
      work.push_back(value);
  }

  LogicalResult refuse(Operation *op, StringRef what) {
    auto name = dyn_cast<NameLoc>(scalar.getLoc());
    std::string spelled = name ? "'%" + name.getName().str() + "'" : "a number";
    bool isInteger = scalar.getType().isSignlessInteger();
    InFlightDiagnostic diagnostic =
        op->emitOpError() << what << " depends on " << spelled << ", which a launch gives and nothing bounds, expected "
                          << (isInteger ? "the result of a 'tile.clamp' of it" : "an integer in a 'tile.clamp'");
    diagnostic.attachNote(scalar.getLoc()) << "the argument is declared here";
    return diagnostic;
  }

  LogicalResult follow(OpOperand &use) {
    Operation *op = use.getOwner();
    // What a fragment makes of a number is looked at where it has taken the place of the call.
    if (isa<ClampOp, CallOp>(op))
      return success();
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      unsigned number = use.getOperandNumber();
      if (number < loop.getNumControlOperands())
        return refuse(op, "bound of a loop");
      add(loop.getRegionIterArg(number - loop.getNumControlOperands()));
      add(loop.getResult(number - loop.getNumControlOperands()));
      return success();
    }
    if (isa<scf::IfOp>(op))
      return refuse(op, "condition");
    if (isa<scf::YieldOp>(op)) {
      add(op->getParentOp()->getResult(use.getOperandNumber()));
      if (auto loop = dyn_cast<scf::ForOp>(op->getParentOp()))
        add(loop.getRegionIterArg(use.getOperandNumber()));
      return success();
    }
    for (Value result : op->getResults()) {
      if (result.getType().isIndex())
        return refuse(op, "index");
      add(result);
    }
    return success();
  }

  BlockArgument scalar;
  SmallVector<Value> work;
  llvm::SmallPtrSet<const void *, 8> seen;
};

} // namespace

LogicalResult tilec::tile::verifyScalars(ProgramOp program) {
  for (BlockArgument scalar : program.getScalars())
    if (failed(Followed(scalar).run()))
      return failure();
  return success();
}
