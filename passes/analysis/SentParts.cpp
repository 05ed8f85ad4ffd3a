// Asks for the pattern, and who uses a buffer. Changes nothing.
#include "passes/analysis/SentParts.h"
#include "passes/analysis/RankLoop.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

bool tilec::sendsByEngine(ProgramOp program) {
  PatternAttr pattern = program.getPatternAttr();
  return pattern && pattern.getKind() == PatternKind::Sequential && pattern.getRemote() == Remote::CopyEngine &&
         program.getWorld().value_or(1) > 1;
}

/// Whether all that uses a buffer, by views too, is within an operation.
static bool isUsedWithin(Value buffer, Operation *op) {
  return llvm::all_of(buffer.getUsers(), [&](Operation *user) {
    return op->isProperAncestor(user) || (isa<memref::SubViewOp>(user) && isUsedWithin(user->getResult(0), op));
  });
}

bool tilec::isOfAllTasks(Value value, ForallOp tasks) {
  if (!tasks->isAncestor(value.getParentBlock()->getParentOp()))
    return true;
  Operation *op = value.getDefiningOp();
  return op && op->getNumRegions() == 0 && isPure(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isOfAllTasks(operand, tasks); });
}

/// Whether a branch is taken by the tasks of this rank's part alone: `shard == rank`, where `shard` is the first index.
static bool isOwnPart(Block *block, ForallOp tasks) {
  auto branch = dyn_cast<scf::IfOp>(block->getParentOp());
  auto compare = branch ? branch.getCondition().getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
  if (!compare || branch->getParentOp() != tasks || compare.getLhs() != tasks.getIndices().front() ||
      !compare.getRhs().getDefiningOp<RankOp>())
    return false;
  return compare.getPredicate() == (block == branch.thenBlock() ? arith::CmpIPredicate::eq : arith::CmpIPredicate::ne);
}

/// A loop over ranks that does nothing but store what the task has made before.
static bool storesAlone(StoreOp store, scf::ForOp ranks) {
  auto isBefore = [&](Value value) { return !ranks->isAncestor(value.getParentBlock()->getParentOp()); };
  return store->getBlock() == ranks.getBody() && ranks.getNumResults() == 0 && isBefore(store.getValue()) &&
         llvm::all_of(store.getAfter(), isBefore) && (!store.getToken() || store.getToken().use_empty()) &&
         llvm::all_of(*ranks.getBody(), [&](Operation &op) { return &op == store || isMemoryEffectFree(&op); });
}

bool tilec::isGathered(StoreOp store) {
  auto tasks = store->getParentOfType<ForallOp>();
  auto type = cast<RankedTensorType>(store.getValue().getType());
  auto ranks = tasks && store.getTo()
                   ? loopOverRanks(store.getTo(), store->getParentOfType<ProgramOp>().getWorld().value_or(1))
                   : scf::ForOp();
  if (!ranks || store.getAt() || !storesAlone(store, ranks))
    return false;
  const bool isPart = isOwnPart(ranks->getBlock(), tasks);
  if ((!isPart && ranks->getParentOp() != tasks) || type.getRank() < 1 || type.getRank() > 2 ||
      tasks.getGridRank() != static_cast<unsigned>(type.getRank()) + isPart ||
      cast<MemRefType>(store.getBuffer().getType()).getRank() != type.getRank() ||
      !llvm::equal(store.getIndices(), tasks.getIndices().take_back(type.getRank())))
    return false;
  Value root = store.getBuffer();
  while (auto view = root.getDefiningOp<memref::SubViewOp>())
    root = view.getSource();
  auto alloc = root.getDefiningOp<AllocOp>();
  return !(alloc && (alloc.getPersistent() || alloc.getCopies() > 1)) && isOfAllTasks(store.getBuffer(), tasks) &&
         isUsedWithin(root, tasks);
}

LogicalResult tilec::reportNothingSent(ProgramOp program) {
  return program.emitOpError() << "has nothing that the copy engine could send in pattern 'sequential-copy-engine': "
                                  "expected a product whose tasks store parts of a sum to the ranks that own them, as "
                                  "'tile.reduce_scatter' of bf16 behind 'tile.matmul' makes them, or tiles to all "
                                  "ranks, which nothing else of the program reads, as 'tile.all_gather' behind it does";
}
