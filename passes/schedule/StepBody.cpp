// Asks operations what they touch.
#include "passes/schedule/StepBody.h"
#include "dialect/Combination.h"
#include "dialect/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

bool schedule::isNumber(Operation *op) {
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) && op->getNumResults() > 0 &&
         llvm::all_of(op->getResultTypes(), [](Type type) { return type.isIntOrIndex(); });
}

bool schedule::isComputed(Operation *op) {
  if (isCooperative(op))
    return !scratchOf(op);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return llvm::all_of(branch->getRegions(), [](Region &region) {
      return region.empty() ||
             llvm::all_of(region.front().without_terminator(), [](Operation &inner) { return isComputed(&inner); });
    });
  return op->getNumRegions() == 0 && isPure(op);
}

SmallVector<Value> schedule::multiplyMeanwhile(OpBuilder &builder, Location loc,
                                               llvm::function_ref<Value(OpBuilder &)> multiply, MakeAccesses accesses) {
  // Its results are those of what stands in it.
  auto bare = PlacesOp::create(builder, loc, TypeRange());
  OpBuilder inner = OpBuilder::atBlockBegin(&bare.getBody().emplaceBlock());
  SmallVector<Value> made{multiply(inner)};
  llvm::append_range(made, accesses(inner));
  PlacedOp::create(inner, loc, made);
  auto places = PlacesOp::create(builder, loc, TypeRange(ValueRange(made)));
  places.getBody().takeBody(bare.getBody());
  bare.erase();
  return SmallVector<Value>(places.getResults());
}
