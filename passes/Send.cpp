// What tasks store to other ranks goes there by the copy engine.
#include "passes/Passes.h"
#include "passes/analysis/SentParts.h"
#include "passes/send/HomeParts.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace tilec {
#define GEN_PASS_DEF_SEND
#include "passes/Passes.h.inc"
} // namespace tilec

namespace {

class Send : public tilec::impl::SendBase<Send> {
public:
  using SendBase::SendBase;

  void runOnOperation() override {
    ProgramOp program = getOperation();
    if (!sendsByEngine(program))
      return;
    bool sends = false;
    for (KernelOp kernel : llvm::make_early_inc_range(program.getBody().getOps<KernelOp>())) {
      SmallVector<StoreOp> stores;
      kernel.walk([&](StoreOp store) { stores.push_back(store); });
      for (StoreOp store : stores)
        if (std::optional<HomeParts> parts = HomeParts::match(store)) {
          parts->rewrite();
          ++numBuffers;
        }
      kernel.walk([&](RoleOp role) { sends |= role.getEngine(); });
    }
    if (sends || numBuffers > 0)
      return;
    (void)reportNothingSent(program);
    signalPassFailure();
  }
};

} // namespace
