// Clones what is pure, once for each place.
#include "passes/schedule/Remade.h"

#include "dialect/Tile.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::schedule;

bool Remade::reaches(Value value) const {
  if (!isInside(value))
    return true;
  Operation *op = value.getDefiningOp();
  return op && op->getNumRegions() == 0 && isPure(op) && !isa<tile::TokenType>(value.getType()) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return reaches(operand); });
}

Value Remade::bring(OpBuilder &builder, Value value) {
  if (!value || !isInside(value))
    return value;
  if (Value known = made.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    made.map(operand, bring(builder, operand));
  builder.clone(*op, made);
  return made.lookup(value);
}
