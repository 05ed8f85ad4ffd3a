// What may stand where in a program: verification of the body as a whole, after each op has been verified.
#include "dialect/Agreement.h"
#include "dialect/Conflicts.h"
#include "dialect/Scalars.h"
#include "dialect/Tile.h"

using namespace mlir;
using namespace tilec::tile;

/// True inside of whatever a workgroup executes: a task, a role, an epilogue.
static bool inTask(Operation *op) {
  return op->getParentOfType<ForallOp>() || op->getParentOfType<RoleOp>() || op->getParentOfType<MatmulOp>();
}

/// Buffers are named, never chosen or carried: a footprint must be the footprint of one buffer. Views are made by
/// `memref.subview` alone, the one that footprints are read through.
static LogicalResult verifyBufferFlow(Operation *op) {
  if (isa<TileDialect>(op->getDialect()) || isa<memref::SubViewOp>(op))
    return success();
  for (Type type : op->getResultTypes()) {
    if (!isa<BaseMemRefType>(type))
      continue;
    if (isa<scf::SCFDialect>(op->getDialect()) || isa<arith::SelectOp>(op))
      return op->emitOpError() << "chooses or carries a buffer of type " << type
                               << ", expected an index into a leading dimension";
    return op->emitOpError() << "makes a view of type " << type << ", expected 'memref.subview'";
  }
  return success();
}

/// The part of upstream's dialects that belongs to the language.
static LogicalResult verifyVocabulary(Operation *op) {
  if (isa<memref::MemRefDialect>(op->getDialect()) && !isMemoryEffectFree(op))
    return op->emitOpError() << "accesses memory, expected 'tile.load', 'tile.store', 'tile.atomic' or 'tile.alloc'";
  if (isa<scf::SCFDialect>(op->getDialect()) && !isa<scf::ForOp, scf::IfOp, scf::YieldOp>(op))
    return op->emitOpError() << "is not part of the language, expected 'scf.for' or 'scf.if'";
  return success();
}

/// Tile values made by arith, math and scf obey what AnyTile says of the dialect's own.
static LogicalResult verifyTileValues(Operation *op) {
  for (Type type : op->getResultTypes()) {
    auto tile = dyn_cast<TensorType>(type);
    if (!tile)
      continue;
    if (!inTask(op))
      return op->emitOpError()
             << "computes a tile outside of a task, expected a 'tile.forall', a 'tile.role' or an epilogue";
    if (!tile.hasRank() || !isTileElement(tile.getElementType()))
      return op->emitOpError() << "computes " << type << ", which is no tile";
    if (failed(verifyTileSizes(op, tile)))
      return failure();
  }
  return success();
}

static LogicalResult verifyPlace(Operation *op) {
  if (inTask(op))
    return success();
  if (isa<AccessOpInterface>(op))
    return op->emitOpError()
           << "accesses memory outside of a task, expected a 'tile.forall', a 'tile.role' or an epilogue";
  if (isa<SignalOp, WaitOp, BarrierOp, SharedLoadOp, SharedStoreOp>(op))
    return op->emitOpError() << "expected a 'tile.role' around it";
  return success();
}

/// A loop around statements: its steps follow each other as statements do, on every rank alike.
static LogicalResult verifySteps(scf::ForOp loop) {
  SmallVector<ForallOp> statements(loop.getBody()->getOps<ForallOp>());
  if (statements.empty())
    return success();
  if (loop.getNumResults())
    return loop.emitOpError() << "around statements carries a value from step to step, expected a buffer with a "
                                 "leading dimension that steps take in turn";
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (step && *step >= 1)
    return success();
  InFlightDiagnostic diagnostic = loop.emitOpError() << "around statements has a step ";
  if (step)
    return diagnostic << "of " << *step << ", expected at least 1";
  return diagnostic << "that is no literal, expected a constant of at least 1";
}

LogicalResult ProgramOp::verifyRegions() {
  WalkResult result = getBody().walk<WalkOrder::PreOrder>([](Operation *op) {
    // What `lower` has made obeys the exit dialect's rules instead.
    if (op->hasTrait<OpTrait::IsIsolatedFromAbove>())
      return WalkResult::skip();
    bool holds = succeeded(verifyKnownAttributes(op)) && succeeded(verifyBufferFlow(op)) &&
                 succeeded(verifyVocabulary(op)) && succeeded(verifyTileValues(op)) && succeeded(verifyPlace(op));
    return holds ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (result.wasInterrupted() || failed(verifyScalars(*this)))
    return failure();
  for (scf::ForOp loop : getBody().getOps<scf::ForOp>())
    if (failed(verifySteps(loop)))
      return failure();
  WalkResult statements = getBody().walk<WalkOrder::PreOrder>([](Operation *op) {
    auto statement = dyn_cast<ForallOp>(op);
    if (!statement)
      return isa<scf::ForOp>(op) ? WalkResult::advance() : WalkResult::skip();
    bool holds = succeeded(verifyConflicts(statement)) && succeeded(verifyAgreement(statement));
    return holds ? WalkResult::skip() : WalkResult::interrupt();
  });
  if (statements.wasInterrupted())
    return failure();
  for (MatmulOp product : getBody().getOps<MatmulOp>())
    if (failed(verifyAgreement(product)))
      return failure();
  return success();
}
