// Follows operands back, and the loops and branches around them.
#include "passes/checker/DrawnBehind.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilec;

/// Which argument of the program this number is.
static std::optional<int64_t> numberOf(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto program = argument ? dyn_cast<tile::ProgramOp>(argument.getOwner()->getParentOp()) : tile::ProgramOp();
  if (!program || isa<ShapedType>(value.getType()) || argument.getArgNumber() < program.getNumExtents())
    return std::nullopt;
  return argument.getArgNumber() - program.getNumExtents();
}

checker::DrawnBehind checker::findDrawnBehind(ArrayRef<Operation *> ops) {
  llvm::SetVector<Operation *> reached(ops.begin(), ops.end());
  DrawnBehind drawn;
  for (size_t i = 0; i < reached.size(); ++i) {
    Operation *op = reached[i];
    drawn.data |= isa<tile::ReadOp>(op);
    for (Value operand : op->getOperands())
      // What a tile holds moves no access.
      if (Operation *from = operand.getDefiningOp(); from && !isa<RankedTensorType>(operand.getType()))
        reached.insert(from);
      else if (std::optional<int64_t> number = numberOf(operand);
               number && !llvm::is_contained(drawn.arguments, *number))
        drawn.arguments.push_back(*number);
    if (Operation *around = op->getParentOp(); around && !isa<tile::ProgramOp>(around))
      reached.insert(around);
  }
  return drawn;
}

SmallVector<std::string> checker::namesOf(tile::ProgramOp program, const DrawnBehind &drawn) {
  SmallVector<std::string> names;
  for (int64_t number : drawn.arguments) {
    auto name = dyn_cast<NameLoc>(program.getArguments()[number].getLoc());
    names.push_back(name ? "%" + name.getName().str() : "argument " + std::to_string(number));
  }
  if (drawn.data)
    names.push_back("data");
  return names;
}

SmallVector<Operation *> checker::clampedNumbers(tile::ProgramOp program) {
  SmallVector<Operation *> numbers;
  program.walk([&](tile::ClampOp clamp) { numbers.push_back(clamp); });
  return numbers;
}
