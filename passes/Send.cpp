// What tasks store to other ranks goes there by the copy engine.
#include "passes/Passes.h"
#include "passes/ProgramTarget.h"
#include "passes/analysis/SentParts.h"
#include "passes/send/HomeParts.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace tilec {
#define GEN_PASS_DEF_SEND
#include "passes/Passes.h.inc"
} // namespace tilec

/// As many workgroups as do the tasks for each rank in whole rounds, where that takes no more rounds than all units do.
/// Whoever is ahead of the others would multiply for its own rank early, and stand still until the last piece of the
/// others has come, with another task behind that (1024 x 8192 x 14336 on two H200: 4 of 132 units did, 206 us in place
/// of 165). This is about kernels of which a unit holds one workgroup, and whose roles have none of their own.
static std::optional<int64_t> wholeRounds(std::optional<int64_t> part, int64_t parts, const Target &target) {
  if (!part || *part < 1 || target.chiplets > 1)
    return std::nullopt;
  auto roundsOf = [&](int64_t workgroups) { return llvm::divideCeil(*part * parts, workgroups); };
  for (int64_t workgroups = target.units(); roundsOf(workgroups) == roundsOf(target.units()); --workgroups)
    if (workgroups % *part == 0 || *part % workgroups == 0)
      return workgroups < target.units() ? std::optional(workgroups) : std::nullopt;
  return std::nullopt;
}

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
      for (StoreOp store : stores)
        if (std::optional<HomeParts> parts = HomeParts::match(store)) {
          parts->rewrite();
          rounds.push_back(wholeRounds(parts->tasksOfPart(), *program.getWorld(), *target));
          ++numBuffers;
        }
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
