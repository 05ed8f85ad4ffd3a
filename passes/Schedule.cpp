// Loops over K whose copies run ahead of their products: which ones, and with how many slots. What becomes of one is
// RingLoop's, how it is printed LowerRing's.
#include "dialect/Limits.h"
#include "dialect/Schedules.h"
#include "passes/Passes.h"
#include "passes/ProgramTarget.h"
#include "passes/machine/LoopCost.h"
#include "passes/schedule/DeferredStore.h"
#include "passes/schedule/LateSums.h"
#include "passes/schedule/Pairs.h"
#include "passes/schedule/Producer.h"
#include "passes/schedule/Relay.h"
#include "passes/schedule/RingLoop.h"
#include "passes/schedule/Room.h"
#include "passes/schedule/RowLoop.h"
#include "passes/schedule/Sending.h"
#include "passes/schedule/SumStream.h"
#include "passes/schedule/Tasks.h"
#include "passes/schedule/Telling.h"
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

/// Steps of a loop that spends much of its time on filling its first slots, for each slot that there may be: with one
/// such loop for each workgroup, 18 steps were 1 % faster in 6 slots than in the 4 that hide the way from memory (an
/// H200).
constexpr int64_t kFewSteps = 4;

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
    scheduled = alternating = inPairs = 0;
    refused = false;
    streamed.clear();
    halved.clear();
    paired.clear();
    for (KernelOp kernel : program.getBody().getOps<KernelOp>()) {
      SmallVector<scf::ForOp> loops;
      kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
      llvm::SmallSetVector<Operation *, 4> changed;
      for (scf::ForOp loop : loops) {
        auto role = loop->getParentOfType<RoleOp>(); // the loop may be replaced
        if (scheduleAsSaid(loop, *target))
          changed.insert(role);
      }
      numSummed += schedule::streamSums(kernel, *target);
      schedule::deferStore(kernel, *target);
      numRelayed += schedule::relayTiles(kernel, *target);
      numTold += schedule::tellByProducer(kernel);
      numTold += schedule::sendByProducer(kernel, *target);
      unsigned pairs = schedule::copyInPairs(kernel, *target, pairsOf(kernel));
      inPairs += pairs;
      if (pairs)
        noteDone(paired, kernel);
      // Slots that left room for the rest of the steps alone have results turned there.
      if (kernel.getProducer())
        schedule::makeRoom(kernel, /*bytes=*/0, *target);
      schedule::storeAsync(kernel, *target);
      // Where a producer draws the tasks, those who do them do not meet between two.
      if (kernel.getProducer())
        for (RoleOp role : kernel.getBody().getOps<RoleOp>())
          changed.insert(role);
      // What the last steps fetch for nothing is behind their barrier: before the task stores there, the threads have
      // to meet.
      for (Operation *role : changed)
        placeTaskBarriers(cast<RoleOp>(role));
    }
    numLoops += scheduled;
    numPaired += inPairs;
    program->walk<WalkOrder::PreOrder>([&](ScheduledOpInterface op) { refuseMissing(op); });
    if (refused)
      signalPassFailure();
  }

private:
  using Places = llvm::SmallPtrSet<Operation *, 8>;

  /// Something was done in an operation, and so in what is around it.
  static void noteDone(Places &places, Operation *op) {
    op->walk([&](ScheduledOpInterface inner) { places.insert(inner); });
    for (; op; op = op->getParentOp())
      places.insert(op);
  }

  /// How tasks of a kernel are to be dealt, where that is said.
  static std::optional<Dealing> dealingOf(KernelOp kernel) {
    SmallVector<Attribute> given = givenIn(kernel, ScheduleKey::Dealing);
    return given.empty() ? std::nullopt : std::optional(cast<DealingAttr>(given.front()).getValue());
  }

  /// Whether a kernel is to copy in pairs of workgroups, where that is said.
  static std::optional<bool> pairsOf(KernelOp kernel) {
    SmallVector<Attribute> given = givenIn(kernel, ScheduleKey::Pairs);
    return given.empty() ? std::nullopt : std::optional(cast<BoolAttr>(given.front()).getValue());
  }

  /// A loop, as its schedule says.
  bool scheduleAsSaid(scf::ForOp loop, const Target &target) {
    Operation *role = loop->getParentOfType<RoleOp>();
    ScheduleAttr record = scheduleOf(loop);
    given = record ? record.givenNumber(ScheduleKey::Slots) : std::nullopt;
    expected = record ? record.numberOf(ScheduleKey::Slots) : std::nullopt;
    dealing = dealingOf(loop->getParentOfType<KernelOp>());
    alternates = record && record.alternatesHalves();
    unsigned before = scheduled, alternatingBefore = alternating;
    bool isChanged = schedule(loop, target);
    if (scheduled != before)
      noteDone(streamed, role);
    if (alternating != alternatingBefore)
      noteDone(halved, role);
    return isChanged;
  }

  /// Whether no product here has what its schedule says of a key: all say something else.
  static bool isOverridden(ScheduledOpInterface op, ScheduleKey key) {
    SmallVector<ScheduleAttr> inside;
    op->walk([&](RoleOp role) {
      if (role.getOperation() != op.getOperation() && role.getScheduleAttr())
        inside.push_back(role.getScheduleAttr());
    });
    return !inside.empty() && llvm::all_of(inside, [&](ScheduleAttr own) { return own.isGiven(key); });
  }

  /// What a schedule was given and no loop there has.
  void refuseMissing(ScheduledOpInterface op) {
    ScheduleAttr record = op.getScheduleAttr();
    if (!record || refused)
      return;
    auto isMissing = [&](ScheduleKey key, const Places &places) {
      return !places.contains(op) && !isOverridden(op, key);
    };
    std::optional<int64_t> slots = record.givenNumber(ScheduleKey::Slots);
    auto pairs = dyn_cast_or_null<BoolAttr>(record.valueOf(ScheduleKey::Pairs));
    if (slots && isMissing(ScheduleKey::Slots, streamed))
      refuse(op) << "has no loop over K whose copies can run ahead, for the " << *slots << " slots of its schedule";
    else if (record.alternatesHalves() && isMissing(ScheduleKey::Halves, halved))
      refuse(op) << "has no loop over K through rings that waves fill, in which halves of them could alternate "
                    "as its schedule says";
    else if (pairs && pairs.getValue() && isMissing(ScheduleKey::Pairs, paired))
      refuse(op) << "has no loop over K that pairs of workgroups could copy for as its schedule says, expected tasks "
                    "by number whose tiles lie one below the other, known to be even many, and a target with pairs";
  }

  std::optional<int64_t> given;    ///< slots of a loop, by its schedule
  std::optional<int64_t> expected; ///< the same, or those that `choose` took
  std::optional<Dealing> dealing;  ///< how tasks of its kernel are to be dealt
  bool alternates = false;         ///< halves of waves, by its schedule
  Places streamed, halved, paired; ///< programs and roles in which a loop's copies run ahead, or it does the other two
  unsigned scheduled = 0, alternating = 0, inPairs = 0;
  bool refused = false; ///< a loop cannot have the slots that were given

  InFlightDiagnostic refuse(Operation *op) {
    refused = true;
    return op->emitOpError();
  }

  /// Slots that a loop was given and that its kernel has no room for.
  bool refuseBytes(Operation *loop, int64_t bytes, const Target &target) {
    refuse(loop) << "needs " << bytes << " bytes of LDS with the " << *given << " slots of its schedule, and "
                 << target.name << " has " << target.lds.bytes;
    return false;
  }

  /// Fewer than two, which a copy engine cannot fill ahead.
  bool refuseFew(Operation *loop) {
    if (given)
      refuse(loop) << "has slots that a copy engine fills, expected 2 or more in its schedule, got " << *given;
    return false;
  }

  /// Whether waves can fill so many slots in turn.
  bool requireTurns(Operation *loop, int64_t least) {
    if (!given || (*given >= least && llvm::isPowerOf2_64(*given)))
      return true;
    refuse(loop) << "has slots that waves fill, expected a power of two from " << least << " in its schedule, got "
                 << *given;
    return false;
  }

  /// Slots that hide the way from memory: short steps want more of them. Under load a copy takes about twice as long as
  /// one alone.
  int64_t slotsAhead(schedule::RingLoop &ring, int64_t most, const Target &target) {
    int64_t latency = 2 * static_cast<int64_t>(target.times.loadClocks);
    return std::clamp<int64_t>(llvm::divideCeil(latency, ring.stepClocks(target)), 2 * slots,
                               std::max<int64_t>(most, 2 * slots));
  }

  /// As many slots as fit, up to `most`.
  template <class Loop>
  bool stream(Loop &loop, int64_t most, Operation *op, KernelOp kernel, const Target &target) {
    int64_t count = given.value_or(most);
    auto bytes = [&](int64_t count) { return planShared(kernel, loop.copies(count)).bytes + kSwizzleSlack; };
    while (!given && count >= 2 && bytes(count) > target.lds.bytes)
      --count;
    if (given && bytes(count) > target.lds.bytes)
      return refuseBytes(op, bytes(count), target);
    if (count < 2)
      return refuseFew(op);
    loop.rewriteStreamed(count, target);
    ++scheduled;
    return true;
  }

  /// Whether so many registers of a lane leave some for addresses, where waves share out a SIMD's.
  static bool hasRegisters(int64_t registers, int64_t waves, const Target &target) {
    constexpr int64_t kOthers = 32; // what 256x256x32 of bf16 on gfx950 has beside its sums and operands
    int64_t share = static_cast<int64_t>(llvm::divideCeil(waves, target.simdsPerUnit));
    return registers + kOthers <= target.registersPerLane / share;
  }

  /// Slots of a loop whose copies pass no register: as few as hide the way from memory, where a step computes.
  int64_t slotsBeside(schedule::RingLoop &ring, int64_t waves, const Target &target) {
    bool isLong = ring.computes() && ring.matrixClocks(waves, target) >= 2 * target.times.loadClocks;
    return isLong ? slots : 2 * slots;
  }

  /// Units without a task ask memory for nothing: those that have one ask for more in their place, where that is known.
  /// So they do where they read weights that nobody else reads, as fast as memory gives them, for long enough that the
  /// text of more slots is worth its time (M = 1, N = 8192 on an H200: 13.2 us for 13.1 with K = 2048, 106.4 for 106.7
  /// with 28672).
  static int64_t mostSlots(schedule::RingLoop &ring, bool isShort, KernelOp kernel, const Target &target) {
    bool isOneEach = schedule::hasOneTaskEach(kernel, target);
    if (isOneEach && !isShort && ring.readsOnce())
      return target.producer.fewSlots;
    int64_t tasks = isOneEach ? *schedule::numTasks(kernel) : target.units();
    return std::clamp(target.producer.slots * target.units() / std::max<int64_t>(1, tasks), target.producer.slots,
                      target.producer.fewSlots);
  }

  /// Whether tasks come as a kernel with a producer has them: not where tickets were asked for, as no waves may run
  /// ahead of these then, nor numbers, where it would draw tickets.
  bool mayProduce(KernelOp kernel, const Target &target) {
    return !dealing || (*dealing == Dealing::Strided && schedule::dealingFor(kernel, target) == Dealing::Strided);
  }

  /// The same by waves of their own, where the kernel may have them. What they fill is nobody else's, and with fewer
  /// slots they would not run ahead.
  bool produce(schedule::RingLoop &ring, KernelOp kernel, const Target &target) {
    ProducerAttr producer = mayProduce(kernel, target) ? ring.producer(target) : ProducerAttr();
    if (!producer)
      return false;
    int64_t least = given.value_or(2 * slots);
    // The only task of a workgroup begins with empty slots, and has its unit to itself.
    std::optional<int64_t> steps = ring.numSteps();
    bool isShort = steps && *steps <= kFewSteps * target.producer.slots && schedule::hasOneTaskEach(kernel, target);
    int64_t most = std::max<int64_t>(mostSlots(ring, isShort, kernel, target), 2 * slots);
    int64_t count = given.value_or(isShort ? most : slotsAhead(ring, most, target));
    ring.keepSlots(true);
    auto fits = [&](int64_t count) {
      int64_t rest = count > 2 * slots || ring.computes() ? ring.restBytes() : 0;
      return planShared(kernel, ring.copies(count)).bytes + rest + kSwizzleSlack <= target.lds.bytes;
    };
    while (count >= least && !fits(count))
      --count;
    if (count < std::max<int64_t>(least, 2)) {
      ring.keepSlots(false);
      return false;
    }
    kernel.setProducerAttr(producer);
    kernel.setDealing(schedule::dealingFor(kernel, target));
    ring.rewriteStreamed(count, target);
    ++scheduled;
    return true;
  }

  /// The same of rows, whose steps do so much that two slots are ahead enough.
  bool produce(schedule::RowLoop &rows, KernelOp kernel, const Target &target) {
    ProducerAttr producer = mayProduce(kernel, target) ? rows.producer(target) : ProducerAttr();
    if (!producer)
      return false;
    int64_t least = given.value_or(2), count = given.value_or(2 * slots);
    while (count >= least && rows.producedBytes(count, target) + kSwizzleSlack > target.lds.bytes)
      --count;
    if (count < std::max<int64_t>(least, 2))
      return false;
    kernel.setProducerAttr(producer);
    kernel.setDealing(schedule::dealingFor(kernel, target));
    rows.rewriteStreamed(count, target);
    ++scheduled;
    return true;
  }

  bool scheduleRows(scf::ForOp loop, const Target &target) {
    schedule::RowLoop rows(loop);
    if (!rows.match())
      return false;
    auto kernel = loop->getParentOfType<KernelOp>();
    if (scf::ForOp later = schedule::sumLanesLate(loop))
      return scheduleRows(later, target);
    if (rows.isStreamed(target) && !kernel.getProducer()) {
      if (produce(rows, kernel, target) || stream(rows, 2 * slots, loop, kernel, target))
        return true;
    }
    if (refused || !rows.beginsAtZero() || !requireTurns(loop, /*least=*/1))
      return false;
    // With one slot a step waits for the one before to have read it, and for its own deposits.
    int64_t count = given.value_or(slots), waves = kernel.getWaves().value_or(1);
    bool copied = false;
    auto bytes = [&](int64_t count) { return planShared(kernel, rows.copies(count)).bytes; };
    if (given && bytes(count) > target.lds.bytes)
      return refuseBytes(loop, bytes(count), target);
    while (count > 0 && bytes(count) > target.lds.bytes)
      count /= 2;
    if (count == 0)
      return false;
    // A step does so much that copies past the registers have their time in it: with two slots each waits for those
    // that the step before has issued, and more would only cost registers and room for other workgroups.
    if (count > 1)
      copied = rows.layDown(target.lds, waves, /*most=*/(int64_t(kMostInFlight) - 1) / (count - 1));
    rows.rewrite(count, copied, waves, target);
    ++scheduled;
    return true;
  }

  bool schedule(scf::ForOp loop, const Target &target) {
    schedule::RingLoop ring(loop);
    if (!ring.match())
      return scheduleRows(loop, target);
    auto kernel = loop->getParentOfType<KernelOp>();
    // A producer fills the slots of one loop of its tasks. The others have copies through registers.
    if (ring.isStreamed(target) && kernel.getProducer())
      return false;
    if (ring.isStreamed(target)) {
      ring.layForEngine(target);
      return produce(ring, kernel, target) ||
             stream(ring, slotsAhead(ring, target.producer.slots, target), loop, kernel, target);
    }
    if (!ring.isFilledByWaves() || !requireTurns(loop, /*least=*/2))
      return false;
    auto bytes = [&](int64_t count) { return planShared(kernel, ring.copies(count)).bytes; };
    int64_t waves = kernel.getWaves().value_or(1), count = given.value_or(slots);
    bool copied = false;
    if (given && bytes(count) > target.lds.bytes)
      return refuseBytes(loop, bytes(count), target);
    // Copies past the registers want two steps more for their way: with few slots each would be awaited at once. Steps
    // that compute are longer, and may do with fewer.
    int64_t least = ring.computes() ? slots : 2 * slots, more = expected.value_or(slotsBeside(ring, waves, target));
    bool direct = ring.layDown(target.lds, waves);
    auto isDirect = [&](int64_t count) {
      return direct && count >= least && bytes(count) <= target.lds.bytes &&
             (count - 1) * ring.copiesPerStep(target.lds, waves) < int64_t(kMostInFlight);
    };
    if (!expected && !isDirect(more))
      more = least;
    if (isDirect(more)) {
      count = more;
      copied = true;
    } else {
      ring.pickUp();
    }
    if (ring.computes() && !hasRegisters(ring.computingRegisters(copied), waves, target))
      return false;
    // Halves that alternate only multiply.
    bool inHalves = alternates && !ring.computes();
    if (bytes(count) > target.lds.bytes || (inHalves && !requireHalves(loop, waves, target)))
      return false;
    ring.rewrite(count, copied, inHalves);
    ++scheduled;
    alternating += inHalves;
    return true;
  }

  /// Halves that alternate share each SIMD.
  bool requireHalves(Operation *loop, int64_t waves, const Target &target) {
    if (waves >= 2 * target.simdsPerUnit)
      return true;
    refuse(loop) << "has " << waves << " waves whose halves alternate by its schedule, expected "
                 << 2 * target.simdsPerUnit << " or more: two on each SIMD of " << target.name;
    return false;
  }
};

} // namespace
