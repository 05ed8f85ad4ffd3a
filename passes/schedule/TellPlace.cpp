// Follows an operation out of its branches.
#include "passes/schedule/TellPlace.h"
#include "passes/analysis/SenderRole.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::schedule;

bool schedule::hasTeller(KernelOp kernel) {
  ProducerAttr producer = kernel.getProducerAttr();
  return producer && producer.getWaves() > kFillingWaves && !hasSender(kernel);
}

/// Whether a branch does nothing that others see behind an operation.
static bool isLast(Operation *op) {
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
    if (!next->hasTrait<OpTrait::IsTerminator>() && (next->getNumRegions() || !isPure(next)))
      return false;
  return true;
}

std::optional<TellPlace> TellPlace::behind(Operation *op) {
  SmallVector<Guard> guards;
  while (auto branch = dyn_cast<scf::IfOp>(op->getParentOp())) {
    // Which of several tasks is the last one that one alone knows, at the end of its task.
    if (!isLast(op) || branch.getCondition().getDefiningOp<ArriveOp>())
      return std::nullopt;
    guards.push_back({branch.getCondition(), op->getBlock() == branch.elseBlock()});
    op = branch;
  }
  TellPlace place(op);
  place.guards = guards;
  bool isReached = isa<ForallOp>(op->getParentOp()) &&
                   llvm::all_of(guards, [&](Guard guard) { return place.reaches(guard.condition); });
  return isReached ? std::optional(place) : std::nullopt;
}

OpBuilder TellPlace::begin(Location loc) {
  OpBuilder behind(outer);
  behind.setInsertionPointAfter(outer);
  auto told = TellOp::create(behind, loc);
  OpBuilder builder = OpBuilder::atBlockBegin(&told.getBody().emplaceBlock());
  for (Guard guard : llvm::reverse(guards)) {
    Value condition = bring(builder, guard.condition);
    if (guard.otherwise) {
      Value truth = arith::ConstantIntOp::create(builder, loc, builder.getI1Type(), 1);
      condition = arith::XOrIOp::create(builder, loc, condition, truth);
    }
    auto branch = scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  return builder;
}
