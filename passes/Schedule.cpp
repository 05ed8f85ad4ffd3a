// Loops over K whose copies run ahead of their products: which ones, and with how many slots. What becomes of one is
// RingLoop's, how it is printed LowerRing's.
#include "passes/Passes.h"
#include "passes/ProgramTarget.h"
#include "passes/schedule/LateSums.h"
#include "passes/schedule/RingLoop.h"
#include "passes/schedule/RowLoop.h"
#include "passes/stage/SharedPlan.h"
#include "passes/stage/TaskBarriers.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace tilec {
#define GEN_PASS_DEF_SCHEDULE
#include "passes/Passes.h.inc"
} // namespace tilec

namespace {

/// Accesses that a wave can count.
constexpr int64_t kMostInFlight = 64;
/// Slots that a producer fills at most: each is code of its own, and 12 or 16 were slower on an H200, 6 too.
constexpr int64_t kMostSlots = 8;
/// Bytes of LDS that slots may lose which begin where their swizzle does.
constexpr int64_t kSlack = 2048;

class Schedule : public tilec::impl::ScheduleBase<Schedule> {
public:
  using ScheduleBase::ScheduleBase;

  void runOnOperation() override {
    ProgramOp program = getOperation();
    if (slots != 0 && (slots < 2 || !llvm::isPowerOf2_64(slots))) {
      program.emitError() << "schedule with " << slots.getValue() << " slots, expected 0 or a power of two from 2 on";
      return signalPassFailure();
    }
    FailureOr<Target> target = programTarget(program, this->target);
    if (failed(target))
      return signalPassFailure();
    if (slots == 0)
      return;
    for (KernelOp kernel : program.getBody().getOps<KernelOp>()) {
      SmallVector<scf::ForOp> loops;
      kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
      llvm::SmallSetVector<Operation *, 4> changed;
      for (scf::ForOp loop : loops) {
        auto role = loop->getParentOfType<RoleOp>(); // the loop may be replaced
        if (schedule(loop, *target))
          changed.insert(role);
      }
      // What the last steps fetch for nothing is behind their barrier: before the task stores there, the threads have
      // to meet.
      for (Operation *role : changed)
        placeTaskBarriers(cast<RoleOp>(role));
    }
  }

private:
  /// As many slots as fit, up to those that hide the way from memory.
  template <class Loop>
  bool stream(Loop &loop, KernelOp kernel, const Target &target) {
    int64_t count = 2 * slots;
    while (count >= 2 && planShared(kernel, loop.copies(count)).bytes + kSlack > target.lds.bytes)
      --count;
    if (count < 2)
      return false;
    loop.rewriteStreamed(count, target);
    ++numLoops;
    return true;
  }

  /// The same by waves of their own, where the kernel may have them. What they fill is nobody else's, and with fewer
  /// slots they would not run ahead.
  bool produce(schedule::RingLoop &ring, KernelOp kernel, const Target &target) {
    ProducerAttr producer = ring.producer(target);
    if (!producer)
      return false;
    // Under load a copy takes about twice as long as one alone.
    int64_t latency = 2 * static_cast<int64_t>(target.times.loadClocks);
    int64_t count = std::clamp<int64_t>(llvm::divideCeil(latency, ring.stepClocks(target)), 2 * slots,
                                        std::max<int64_t>(kMostSlots, 2 * slots));
    ring.keepSlots(true);
    auto fits = [&](int64_t count) {
      int64_t rest = count > 2 * slots ? ring.restBytes() : 0;
      return planShared(kernel, ring.copies(count)).bytes + rest + kSlack <= target.lds.bytes;
    };
    while (count >= 2 * slots && !fits(count))
      --count;
    if (count < 2 * slots) {
      ring.keepSlots(false);
      return false;
    }
    kernel.setProducerAttr(producer);
    kernel.setSchedule(tile::Schedule::Strided);
    ring.rewriteStreamed(count, target);
    ++numLoops;
    return true;
  }

  /// The same of rows, whose steps do so much that two slots are ahead enough.
  bool produce(schedule::RowLoop &rows, KernelOp kernel, const Target &target) {
    ProducerAttr producer = rows.producer(target);
    if (!producer)
      return false;
    int64_t count = 2 * slots;
    while (count >= 2 && rows.producedBytes(count, target) + kSlack > target.lds.bytes)
      --count;
    if (count < 2)
      return false;
    kernel.setProducerAttr(producer);
    kernel.setSchedule(tile::Schedule::Strided);
    rows.rewriteStreamed(count, target);
    ++numLoops;
    return true;
  }

  bool scheduleRows(scf::ForOp loop, const Target &target) {
    schedule::RowLoop rows(loop);
    if (!rows.match())
      return false;
    auto kernel = loop->getParentOfType<KernelOp>();
    if (rows.isStreamed(target)) {
      if (scf::ForOp later = schedule::sumLanesLate(loop))
        return scheduleRows(later, target);
      if (produce(rows, kernel, target) || stream(rows, kernel, target))
        return true;
    }
    // With one slot a step waits for the one before to have read it, and for its own deposits.
    auto fits = [&](int64_t count) { return planShared(kernel, rows.copies(count)).bytes <= target.lds.bytes; };
    int64_t count = slots, waves = kernel.getWaves().value_or(1), copied = 0;
    while (count > 0 && !fits(count))
      count /= 2;
    if (count == 0)
      return false;
    // A step does so much that copies past the registers have their time in it: with two slots each waits for those
    // that the step before has issued, and more would only cost registers and room for other workgroups.
    if (count > 1)
      copied = rows.layDown(target.lds, waves, /*most=*/(kMostInFlight - 1) / (count - 1));
    rows.rewrite(count, copied);
    ++numLoops;
    return true;
  }

  bool schedule(scf::ForOp loop, const Target &target) {
    schedule::RingLoop ring(loop);
    if (!ring.match())
      return scheduleRows(loop, target);
    auto kernel = loop->getParentOfType<KernelOp>();
    if (ring.isStreamed(target))
      return produce(ring, kernel, target) || stream(ring, kernel, target);
    auto fits = [&](int64_t count) { return planShared(kernel, ring.copies(count)).bytes <= target.lds.bytes; };
    int64_t waves = kernel.getWaves().value_or(1), count = slots, copied = 0;
    // Copies past the registers want two steps more for their way: with few slots each would be awaited at once.
    if (ring.isDirect(target.lds, waves) && fits(2 * count)) {
      count *= 2;
      copied = ring.copiesPerStep(target.lds, waves);
      if ((count - 1) * copied >= kMostInFlight) {
        count = slots;
        copied = 0;
      }
    }
    if (!fits(count))
      return false;
    ring.rewrite(count, copied);
    ++numLoops;
    return true;
  }
};

} // namespace
