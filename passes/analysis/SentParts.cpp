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

bool tilec::isGathered(StoreOp store) {
  auto tasks = store->getParentOfType<ForallOp>();
  auto program = store->getParentOfType<ProgramOp>();
  auto type = cast<RankedTensorType>(store.getValue().getType());
  if (!tasks || !store.getTo() || store.getAt() || !loopOverRanks(store.getTo(), program.getWorld().value_or(1)) ||
      type.getRank() < 1 || type.getRank() > 2 || type.getRank() > tasks.getGridRank() ||
      cast<MemRefType>(store.getBuffer().getType()).getRank() != type.getRank() ||
      !llvm::equal(store.getIndices(), tasks.getIndices().take_back(type.getRank())))
    return false;
  Value root = store.getBuffer();
  while (auto view = root.getDefiningOp<memref::SubViewOp>())
    root = view.getSource();
  auto alloc = root.getDefiningOp<AllocOp>();
  return !(alloc && alloc.getPersistent()) && isUsedWithin(root, tasks);
}

LogicalResult tilec::reportNothingSent(ProgramOp program) {
  return program.emitOpError() << "has nothing that the copy engine could send in pattern 'sequential-copy-engine': "
                                  "expected a product whose tasks store parts of a sum to the ranks that own them, as "
                                  "'tile.reduce_scatter' of bf16 behind 'tile.matmul' makes them, or tiles to all "
                                  "ranks, as 'tile.all_gather' behind it does";
}
