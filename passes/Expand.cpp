// Collectives, matmul and derived bounds become tile loops with written bounds. Fuses nothing, adds no synchronisation.
#include "dialect/Relations.h"
#include "passes/Passes.h"
#include "passes/analysis/SentParts.h"
#include "passes/expand/Expansion.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace tilec {
#define GEN_PASS_DEF_EXPAND
#include "passes/Passes.h.inc"
} // namespace tilec

namespace {

class Expand : public tilec::impl::ExpandBase<Expand> {
public:
  using ExpandBase::ExpandBase;

  void runOnOperation() override {
    ProgramOp program = getOperation();
    if (!program.getWorld()) {
      program.emitError() << "world is not known: run tile-specialize first";
      return signalPassFailure();
    }
    Expansion expansion(program, program.getPattern().value_or(PatternAttr::getDefault(&getContext())));
    program.setPatternAttr(expansion.getPattern());
    for (Operation &op : llvm::make_early_inc_range(program.getBody().front())) {
      if (auto matmul = dyn_cast<MatmulOp>(op)) {
        if (failed(verifyExtentsAgree(matmul)) || failed(expandMatmul(expansion, matmul)))
          return signalPassFailure();
        ++statements;
      } else if (auto collective = dyn_cast<CollectiveOpInterface>(op)) {
        if (failed(verifyExtentsAgree(collective)) || failed(expandCollective(expansion, collective)))
          return signalPassFailure();
        ++statements;
      }
    }
    if (failed(requireEngine(program)))
      return signalPassFailure();
    program.walk([](ArgReduceOp reduce) { expandArgReduce(reduce); });
    // Those of statements, and of kernels that an expert wrote.
    WalkResult written = program.walk([&](ForallOp forall) {
      return WalkResult(failure(failed(writeBounds(forall)) || failed(requireNarrow(forall))));
    });
    if (written.wasInterrupted() || failed(requireNarrow(program)))
      signalPassFailure();
  }

private:
  /// Tasks and elements of a dimension are counted in 32 bits. What launches make of extents is the runtime's to
  /// refuse.
  static constexpr int64_t kMostCounted = std::numeric_limits<int32_t>::max();

  static LogicalResult requireNarrow(ForallOp forall) {
    auto bounds =
        overExtents(*forall.getBounds(), forall.getExtents(), *forall->getParentOfType<ProgramOp>().getWorld());
    uint64_t tasks = 1;
    for (AffineExpr bound : bounds.value_or(SmallVector<AffineExpr>()))
      if (auto constant = dyn_cast<AffineConstantExpr>(bound); constant && constant.getValue() > 0)
        tasks = llvm::SaturatingMultiply<uint64_t>(tasks, constant.getValue());
    if (tasks > uint64_t(kMostCounted))
      return forall.emitOpError() << "has more tasks than " << kMostCounted;
    return success();
  }

  static LogicalResult requireNarrow(ProgramOp program) {
    SmallVector<Value> buffers = llvm::to_vector_of<Value>(program.getBuffers());
    for (AllocOp alloc : program.getBody().getOps<AllocOp>())
      buffers.push_back(alloc);
    for (Value buffer : buffers)
      for (auto [d, size] : llvm::enumerate(cast<MemRefType>(buffer.getType()).getShape()))
        if (!ShapedType::isDynamic(size) && size > kMostCounted)
          return emitError(buffer.getLoc())
                 << "dimension " << d << " has " << size << " elements, expected at most " << kMostCounted;
    return success();
  }

  /// A pattern for the copy engine has something for it.
  static LogicalResult requireEngine(ProgramOp program) {
    WalkResult found = program.walk([](Operation *op) {
      auto statement = dyn_cast<ForallOp>(op);
      auto role = dyn_cast<RoleOp>(op);
      return WalkResult(failure((statement && statement.getEngine()) || (role && role.getEngine())));
    });
    // What tasks send by it, `send` finds.
    if (program.getPattern()->getRemote() != Remote::CopyEngine || *program.getWorld() == 1 || found.wasInterrupted() ||
        sendsByEngine(program))
      return success();
    return program.emitOpError()
           << "has nothing that the copy engine could do: it copies arguments that nothing before has written to other "
              "ranks, in pattern 'specialized-copy-engine', and sends what tasks store, in 'sequential-copy-engine'";
  }

  /// A grid without dimensions is one task: signals are counted along the dimensions of grids.
  static LogicalResult giveADimension(ForallOp forall) {
    if (forall.getGridRank() > 0)
      return success();
    Builder builder(forall.getContext());
    forall.setBounds(AffineMap::get(0, forall.getBounds()->getNumSymbols(), builder.getAffineConstantExpr(1)));
    forall.getBody().addArgument(builder.getIndexType(), NameLoc::get(builder.getStringAttr("i"), forall.getLoc()));
    return success();
  }

  /// `over %c tiles [..]` becomes `in [ceildiv ..]`.
  LogicalResult writeBounds(ForallOp forall) {
    if (!forall.getBuffer())
      return giveADimension(forall);
    SmallVector<AffineExpr> bounds;
    for (auto [size, tile] : llvm::zip(shapeOf(forall.getBuffer()), *forall.getTiles())) {
      if (!size)
        return forall.emitOpError() << "goes over a view whose size in dimension " << bounds.size()
                                    << " is no expression over the extents, expected bounds 'in [..]'";
      bounds.push_back(simplifyAffineExpr(size.ceilDiv(cast<IntegerAttr>(tile).getInt()), 0, 64));
    }
    auto [map, operands] = extentOperands(&getOperation().getBody().front(), bounds);
    forall.getBufferMutable().clear();
    forall.removeTilesAttr();
    forall.getExtentsMutable().assign(operands);
    forall.setBounds(map);
    return success();
  }
};

} // namespace
