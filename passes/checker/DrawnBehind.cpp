// Follows operands back, and the loops and branches around them.
#include "passes/checker/DrawnBehind.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilec;

/// As messages call it.
static std::string nameOf(tile::ClampOp clamp) {
  auto name = dyn_cast<NameLoc>(clamp.getNumber().getLoc());
  return name ? "%" + name.getName().str() : "a number of the launch";
}

SmallVector<std::string> checker::drawnBehind(ArrayRef<Operation *> ops) {
  llvm::SetVector<Operation *> reached(ops.begin(), ops.end());
  SmallVector<std::string> names;
  auto add = [&](std::string name) {
    if (!llvm::is_contained(names, name))
      names.push_back(std::move(name));
  };
  for (size_t i = 0; i < reached.size(); ++i) {
    Operation *op = reached[i];
    if (auto clamp = dyn_cast<tile::ClampOp>(op))
      add(nameOf(clamp));
    if (isa<tile::ReadOp>(op))
      add("data");
    for (Value operand : op->getOperands())
      // What a tile holds moves no access.
      if (Operation *from = operand.getDefiningOp(); from && !isa<RankedTensorType>(operand.getType()))
        reached.insert(from);
    if (Operation *around = op->getParentOp(); around && !isa<tile::ProgramOp>(around))
      reached.insert(around);
  }
  return names;
}

SmallVector<Operation *> checker::clampedNumbers(tile::ProgramOp program) {
  SmallVector<Operation *> numbers;
  program.walk([&](tile::ClampOp clamp) { numbers.push_back(clamp); });
  return numbers;
}
