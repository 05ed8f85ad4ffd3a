// What tasks store to other ranks goes there by the copy engine.
#include "passes/Passes.h"
#include "passes/ProgramTarget.h"
#include "passes/analysis/SentParts.h"
#include "passes/machine/WholeRounds.h"
#include "passes/send/GatheredTiles.h"
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
    FailureOr<Target> target = programTarget(program, "");
    if (failed(target))
      return signalPassFailure();
    bool sends = false;
    for (KernelOp kernel : llvm::make_early_inc_range(program.getBody().getOps<KernelOp>())) {
      SmallVector<StoreOp> stores;
      SmallVector<std::optional<int64_t>> rounds;
      kernel.walk([&](StoreOp store) { stores.push_back(store); });
      // Of an engine that was there before nobody knows what ends its copies.
      auto before = dyn_cast_or_null<KernelOp>(kernel->getPrevNode());
      const bool hasEngine = before && before.getEngine();
      bool gathers = false;
      for (StoreOp store : stores) {
        if (std::optional<HomeParts> parts = HomeParts::match(store)) {
          parts->rewrite();
          std::optional<int64_t> part = parts->tasksOfPart();
          rounds.push_back(part ? wholeRounds(*part, *program.getWorld(), *target) : std::nullopt);
          ++numBuffers;
        } else if (std::optional<GatheredTiles> tiles = GatheredTiles::match(store)) {
          tiles->rewrite();
          gathers = true;
          ++numBuffers;
        }
      }
      if (gathers && rounds.empty() && !hasEngine)
        GatheredTiles::dropDone(kernel);
      // Where several products want other numbers, none is right for all.
      if (!rounds.empty() && rounds.front() && llvm::all_equal(rounds))
        kernel.setMostWorkgroups(*rounds.front());
      kernel.walk([&](RoleOp role) { sends |= role.getEngine(); });
    }
    if (sends || numBuffers > 0)
      return;
    (void)reportNothingSent(program);
    signalPassFailure();
  }
};

} // namespace
