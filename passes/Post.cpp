// Partial sums that travel without signals: their words tell of themselves.
#include "passes/Passes.h"
#include "passes/ProgramTarget.h"
#include "passes/post/Slots.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace tilec {
#define GEN_PASS_DEF_POST
#include "passes/Passes.h.inc"
} // namespace tilec

namespace {

class Post : public tilec::impl::PostBase<Post> {
public:
  using PostBase::PostBase;

  void runOnOperation() override {
    ProgramOp program = getOperation();
    FailureOr<Target> target = programTarget(program, this->target);
    if (failed(target))
      return signalPassFailure();
    // Whoever has a word knows that its rank has begun the launch, and stores into that rank's buffers: what kernels
    // before have stored there must not come later. Where the end of a kernel leaves that in the caches of chiplets, it
    // may.
    if (target->chiplets > 1)
      return;
    for (AllocOp alloc : llvm::make_early_inc_range(program.getBody().getOps<AllocOp>())) {
      if (postToOwner(alloc, *target) || postToAll(alloc, *target))
        ++numBuffers;
    }
  }
};

} // namespace
