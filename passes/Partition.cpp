// Chooses how many waves run each kernel. Producer and consumer waves, when they come, come here.
#include "passes/Partition.h"
#include "dialect/Combination.h"
#include "dialect/Limits.h"
#include "dialect/Schedules.h"
#include "passes/Passes.h"
#include "passes/ProgramTarget.h"
#include "passes/analysis/Contains.h"
#include "passes/analysis/RowWaves.h"
#include "passes/analysis/StreamedProduct.h"
#include "passes/machine/LoopCost.h"
#include "passes/partition/BesideKernel.h"
#include "passes/partition/EngineMoves.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace tilec {
#define GEN_PASS_DEF_PARTITION
#include "passes/Passes.h.inc"
} // namespace tilec

namespace {

/// The schedules of what multiplies in a kernel, each once; null for what has none.
llvm::SmallSetVector<ScheduleAttr, 4> schedulesOf(KernelOp kernel) {
  llvm::SmallSetVector<ScheduleAttr, 4> all;
  kernel.walk([&](DotOp product) { all.insert(scheduleOf(product)); });
  return all;
}

/// What was given for a key to products of a kernel: they share it, so that each is for all. Halves that alternate have
/// the waves that were chosen for them.
llvm::MapVector<Attribute, DotOp> givenTo(KernelOp kernel, ScheduleKey key) {
  llvm::MapVector<Attribute, DotOp> all;
  kernel.walk([&](DotOp product) {
    ScheduleAttr schedule = scheduleOf(product);
    bool isGiven = schedule && (schedule.isGiven(key) || (key == ScheduleKey::Waves && schedule.alternatesHalves()));
    if (isGiven && schedule.valueOf(key))
      all.try_emplace(schedule.valueOf(key), product);
  });
  return all;
}

std::optional<int64_t> givenWaves(KernelOp kernel) {
  auto given = givenTo(kernel, ScheduleKey::Waves);
  return given.empty() ? std::nullopt : std::optional(cast<IntegerAttr>(given.front().first).getInt());
}

/// Whether products that share a kernel were given one value for what it has once.
LogicalResult verifyGiven(KernelOp kernel) {
  for (ScheduleKey key : {ScheduleKey::Waves, ScheduleKey::Dealing, ScheduleKey::Pairs}) {
    auto given = givenTo(kernel, key);
    if (given.size() < 2)
      continue;
    InFlightDiagnostic diagnostic = kernel.emitOpError()
                                    << "has products whose schedules differ in '" << stringifyScheduleKey(key)
                                    << "', which those that share a kernel have in common";
    if (auto pattern = kernel->getParentOfType<ProgramOp>().getPattern();
        pattern && pattern->getKind() != PatternKind::Bulk)
      diagnostic << "; in pattern 'bulk' each has a kernel of its own";
    for (auto &[value, product] : given)
      diagnostic.attachNote(product.getLoc()) << "one of them is here";
    return diagnostic;
  }
  return success();
}

/// The number that was chosen for all products of a kernel; nothing where they differ.
std::optional<int64_t> chosenWaves(KernelOp kernel) {
  llvm::SmallSetVector<std::optional<int64_t>, 4> all;
  for (ScheduleAttr schedule : schedulesOf(kernel))
    all.insert(schedule ? schedule.numberOf(ScheduleKey::Waves) : std::nullopt);
  return all.size() == 1 ? all.front() : std::nullopt;
}

/// One count for a kernel: the fewest, from 256 threads on, with which its largest accumulator fits the registers.
/// Fewer when it only moves tiles that give not even one widest access to each of these threads.
int64_t choose(KernelOp kernel, const Target &target) {
  if (std::optional<int64_t> waves = chosenWaves(kernel))
    return *waves;
  int64_t largest = largestSums(kernel, target), vectors = 0;
  bool moves = true;
  kernel.walk([&](Operation *op) {
    moves &= !isa<DotOp>(op) && !isCooperative(op);
    if (auto access = dyn_cast<AccessOpInterface>(op)) {
      int64_t bytes = cast<MemRefType>(access.getAccessedBuffer().getType()).getElementTypeBitWidth() / 8;
      for (int64_t size : access.getMovedShape())
        bytes *= size;
      vectors = std::max(vectors, bytes / kAccessBytes);
    }
  });
  int64_t count = std::max<int64_t>(kUsualThreads / target.waveLanes, 1);
  while (moves && count > 1 && vectors <= count / 2 * target.waveLanes)
    count /= 2;
  return rowWaves(kernel, std::max(count, largest ? productWaves(largest, target) : 0), largest, target);
}

class Partition : public tilec::impl::PartitionBase<Partition> {
public:
  using PartitionBase::PartitionBase;

  void runOnOperation() override {
    ProgramOp program = getOperation();
    FailureOr<Target> target = programTarget(program, this->target);
    if (failed(target))
      return signalPassFailure();
    program.setTarget(target->name);
    if (failed(splitEngines(program)))
      return signalPassFailure();
    splitApart(program);
    for (KernelOp kernel : program.getBody().getOps<KernelOp>()) {
      if (failed(verifyGiven(kernel)))
        return signalPassFailure();
      kernel.setWaves(waves && !kernel.getWaves() ? waves.getValue() : wavesOf(kernel, *target));
      ++numKernels;
      if (auto given = givenTo(kernel, ScheduleKey::Dealing); !given.empty())
        kernel.setDealing(cast<DealingAttr>(given.front().first).getValue());
      int64_t count = *kernel.getWaves();
      if (count == 1)
        kernel.walk([](Operation *op) { synchroniseByWave(op); });
      if (count > 0 && llvm::isPowerOf2_64(count) && count * target->waveLanes <= kMostThreads)
        continue;
      kernel.emitOpError() << "has " << count << " waves, expected a power of two up to "
                           << kMostThreads / target->waveLanes;
      return signalPassFailure();
    }
  }

private:
  /// The only wave of a workgroup has nobody to meet.
  static void synchroniseByWave(Operation *op) {
    if (auto wait = dyn_cast<WaitOp>(op))
      wait.setParticipants(Participants::Wave);
    if (auto signal = dyn_cast<SignalOp>(op))
      signal.setParticipants(Participants::Wave);
    if (auto arrive = dyn_cast<ArriveOp>(op))
      arrive.setParticipants(Participants::Wave);
  }
};

} // namespace

int64_t tilec::wavesOf(KernelOp kernel, const Target &target) {
  if (std::optional<int64_t> given = givenWaves(kernel))
    return *given;
  return kernel.getWaves() ? static_cast<int64_t>(*kernel.getWaves()) : choose(kernel, target);
}
