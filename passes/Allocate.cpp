// Gives LDS buffers their offsets. Where they lie is SharedPlan's decision.
#include "passes/Passes.h"
#include "passes/ProgramTarget.h"
#include "passes/stage/SharedPlan.h"
#include "tilec/constants.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace tilec {
#define GEN_PASS_DEF_ALLOCATE
#include "passes/Passes.h.inc"
} // namespace tilec

namespace {

class Allocate : public tilec::impl::AllocateBase<Allocate> {
public:
  using AllocateBase::AllocateBase;

  void runOnOperation() override {
    ProgramOp program = getOperation();
    FailureOr<Target> target = programTarget(program, this->target);
    if (failed(target))
      return signalPassFailure();
    for (KernelOp kernel : program.getBody().getOps<KernelOp>())
      if (failed(allocate(kernel, *target)))
        return signalPassFailure();
  }

private:
  LogicalResult allocate(KernelOp kernel, const Target &target) {
    SharedPlan plan = planShared(kernel);
    if (plan.bytes > target.lds.bytes) {
      InFlightDiagnostic diagnostic = kernel.emitOpError()
                                      << "needs " << plan.bytes << " bytes of LDS, expected at most "
                                      << target.lds.bytes << " on " << target.name;
      kernel.walk([&](SharedBufferOp buffer) {
        auto type = cast<MemRefType>(buffer.getType());
        Diagnostic &note = diagnostic.attachNote(buffer.getLoc());
        note << sharedBytes(type) << " bytes for " << type << " at " << plan.offsets.lookup(buffer);
        // Tiles have sides that are powers of two, mostly.
        if (sharedBytes(type) > target.lds.bytes)
          note << ", where a tile of "
               << llvm::bit_floor(uint64_t(target.lds.bytes * type.getNumElements() / sharedBytes(type)))
               << " elements fits";
      });
      return diagnostic;
    }
    kernel.walk([&](SharedBufferOp buffer) { buffer.setOffset(plan.offsets.lookup(buffer)); });
    kernel.walk([&](FullOp full) { full.setOffset(plan.offsets.lookup(full)); });
    kernel.walk([&](EmptyOp empty) { empty.setOffset(plan.offsets.lookup(empty)); });
    kernel.setSharedBytes(std::max<int64_t>(plan.bytes, broadcast_lds));
    numBytes += plan.bytes;
    return success();
  }
};

} // namespace
