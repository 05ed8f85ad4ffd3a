// Both forms have constant bounds and a step of 1.
#include "passes/analysis/RankLoop.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// The index of a loop of `world` iterations; its first one is put into `first`.
static scf::ForOp loopOf(Value index, int64_t world, int64_t &first) {
  auto argument = dyn_cast_or_null<BlockArgument>(index);
  auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
  if (!loop || index != loop.getInductionVar() || getConstantIntValue(loop.getStep()) != 1)
    return {};
  std::optional<int64_t> begin = getConstantIntValue(loop.getLowerBound()),
                         end = getConstantIntValue(loop.getUpperBound());
  if (!begin || !end || *end - *begin != world)
    return {};
  first = *begin;
  return loop;
}

scf::ForOp tilec::loopOverRanks(Value rank, int64_t world) {
  int64_t first = 0;
  if (scf::ForOp loop = loopOf(rank, world, first))
    return first == 0 ? loop : scf::ForOp();
  auto within = rank ? rank.getDefiningOp<arith::RemUIOp>() : arith::RemUIOp();
  auto ahead = within ? within.getLhs().getDefiningOp<arith::AddIOp>() : arith::AddIOp();
  if (!ahead || getConstantIntValue(within.getRhs()) != world || !ahead.getLhs().getDefiningOp<RankOp>())
    return {};
  return loopOf(ahead.getRhs(), world, first);
}
