// Finds room in LDS. Moves no access; adds the barriers that shared bytes need.
#include "passes/schedule/Room.h"
#include "dialect/Deferred.h"
#include "passes/analysis/Contains.h"
#include "passes/stage/SharedPlan.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

bool schedule::makeRoom(KernelOp kernel, int64_t bytes, const Target &target) {
  constexpr int64_t words = 256;
  auto fits = [&] {
    return planShared(kernel, DenseMap<Operation *, int64_t>()).bytes + bytes + words <= target.lds.bytes;
  };
  if (fits())
    return true;
  bool isLeft = contains<DeferOp>(kernel) || contains<StoreAsyncOp>(kernel);
  SmallVector<SharedBufferOp> turned;
  kernel.walk([&](RearrangeOp op) { turned.push_back(op.getScratch().getDefiningOp<SharedBufferOp>()); });
  auto keep = [&](bool kept) {
    for (SharedBufferOp buffer : turned)
      buffer.setKept(kept);
  };
  // What is left to the next task it turns there, and the copy engine reads behind the task.
  if (isLeft || turned.empty() || !turned.front().getKept())
    return false;
  keep(false);
  if (!fits()) {
    keep(true);
    return false;
  }
  kernel.walk([](RearrangeOp op) {
    OpBuilder builder(op);
    BarrierOp::create(builder, op.getLoc());
  });
  return true;
}
