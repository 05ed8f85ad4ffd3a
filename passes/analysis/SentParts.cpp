// Asks for the pattern. Changes nothing.
#include "passes/analysis/SentParts.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

bool tilec::sendsByEngine(ProgramOp program) {
  PatternAttr pattern = program.getPatternAttr();
  return pattern && pattern.getKind() == PatternKind::Sequential && pattern.getRemote() == Remote::CopyEngine &&
         program.getWorld().value_or(1) > 1;
}

LogicalResult tilec::reportNothingSent(ProgramOp program) {
  return program.emitOpError() << "has nothing that the copy engine could send in pattern 'sequential-copy-engine': "
                                  "expected parts of a sum that the tasks of its product add at the rank that owns "
                                  "them, as 'tile.reduce_scatter' of bf16 behind 'tile.matmul' makes them";
}
