// Collectives, matmul and derived bounds become tile loops with written bounds. Fuses nothing, adds no synchronisation.
#include "passes/Expansion.h"
#include "passes/Passes.h"

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
    FailureOr<OverlapPattern> parsed = OverlapPattern::parse(
        program.getLoc(), pattern.empty() ? program.getPattern().value_or("") : StringRef(pattern));
    if (failed(parsed))
      return signalPassFailure();
    Expansion expansion(program, *parsed);
    program.setPattern(parsed->spell());
    for (Operation &op : llvm::make_early_inc_range(program.getBody().front())) {
      if (auto matmul = dyn_cast<MatmulOp>(op)) {
        expandMatmul(expansion, matmul);
        ++statements;
      } else if (isa<AllGatherOp, AllToAllOp, ReduceScatterOp, AllReduceOp, ShiftOp>(op)) {
        if (failed(expandCollective(expansion, &op)))
          return signalPassFailure();
        ++statements;
      }
    }
    // Those of statements, and of kernels that an expert wrote.
    WalkResult written = program.walk([&](ForallOp forall) { return WalkResult(writeBounds(forall)); });
    if (written.wasInterrupted())
      signalPassFailure();
  }

private:
  /// `over %c tiles [..]` becomes `in [ceildiv ..]`.
  LogicalResult writeBounds(ForallOp forall) {
    if (!forall.getBuffer())
      return success();
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
