// A bandwidth and occupancy model: enough to rank overlap patterns, not to time them.
#include "passes/analysis/CostModel.h"
#include "passes/analysis/Footprint.h"
#include "passes/analysis/OperandReads.h"
#include "passes/analysis/RoundCost.h"
#include "passes/analysis/RowLoopCost.h"
#include "passes/analysis/SameProduct.h"
#include "passes/analysis/SenderRole.h"
#include "passes/analysis/SentParts.h"
#include "passes/analysis/TaskSample.h"
#include "passes/analysis/ViewedBuffer.h"
#include "passes/analysis/WaitCost.h"
#include "passes/machine/WholeRounds.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace {

/// Of a signal or wait, whether tasks count by chiplet in its grid.
bool isByChiplet(Operation *op) {
  auto grid = isa<SignalOp, WaitOp>(op) ? op->getOperand(0).getDefiningOp<SignalsOp>() : SignalsOp();
  return grid && grid.getByChiplet();
}

bool waitsForAll(RoleOp role) {
  return role.walk([](WaitOp wait) { return isByChiplet(wait) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

class CostCounter {
public:
  CostCounter(ProgramOp program, ArrayRef<int64_t> extents, const Target &target)
      : program(program), world(program.getWorld().value_or(1)), extents(extents), target(target) {
    MLIRContext *context = program.getContext();
    for (int64_t extent : extents)
      values.push_back(getAffineConstantExpr(extent, context));
  }

  double evaluate(AffineExpr expr) {
    auto constant = dyn_cast_or_null<AffineConstantExpr>(expr ? simplifyAffineExpr(expr.replaceSymbols(values), 0, 0)
                                                              : AffineExpr());
    return constant ? static_cast<double>(constant.getValue()) : 1;
  }

  /// `before`: the role before it in its kernel, or null.
  RoleCost count(RoleOp role, RoleOp before) {
    RoleCost cost;
    accessed.clear();
    cost.role = role.getSymName().str();
    cost.isEngine = role.getEngine();
    auto own = static_cast<int64_t>(role.getWorkgroups().value_or(0));
    cost.workgroups = cost.isEngine ? 0 : std::min(own, target.units());
    auto later = dyn_cast_or_null<RoleOp>(role->getNextNode());
    for (Operation &op : role.getBody().front()) {
      auto forall = dyn_cast<ForallOp>(op);
      double tasks = forall ? tasksOf(forall) : 1;
      isTaken = forall && later && isMadeBy(later, forall);
      // Tasks for this rank that do nothing are none.
      double others = static_cast<double>(world - 1) / static_cast<double>(world);
      bool serves = servesOthers(op);
      tasks *= serves ? others : 1;
      cost.tasks += !forall ? 0 : cost.isEngine ? tasks / std::max(1.0, lastBound(forall)) : tasks;
      // What the tasks before have multiplied they hand on: `merge` makes one task of two.
      scf::ForOp known = forall && isMadeBy(before, forall) ? productIn(forall.getBody().front()) : scf::ForOp();
      std::optional<TaskSample> sample = forall ? sampleOf(forall) : std::nullopt;
      op.walk([&](Operation *inner) {
        if (known && known->isAncestor(inner))
          return;
        add(cost, inner, tasks * repetitions(inner, &op, sample),
            (isForOthers(inner) && !serves ? others : 1) * lastShare(inner));
        // Patterns have different orders; what is compared on one rank has one, and a loop's cost knows its memory.
        if (auto load = dyn_cast<LoadOp>(inner); load && forall && world > 1)
          cost.operandBytes += operandBytes(load, forall, extents, target);
      });
    }
    for (auto [argument, bytes] : accessed)
      cost.leastBytes += std::min(bytes, bytesOfArgument(argument));
    return cost;
  }

private:
  double bytesOfArgument(Value argument) {
    double bytes = cast<MemRefType>(argument.getType()).getElementTypeBitWidth() / 8.0;
    for (AffineExpr extent : shapeOf(argument))
      bytes *= evaluate(extent);
    return bytes;
  }

  /// A loop that does nothing but tell one rank after the other publishes once.
  double timesPublished(Operation *op) {
    auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
    bool isAlone = loop && llvm::all_of(*loop.getBody(),
                                        [&](Operation &other) { return &other == op || isMemoryEffectFree(&other); });
    std::optional<AffineExpr> trips = isAlone && isa<SignalOp>(op) ? mostTrips(loop) : std::nullopt;
    return trips ? std::max(1.0, evaluate(*trips)) : 1;
  }

  static bool isMadeBy(RoleOp before, ForallOp forall) {
    return before && llvm::any_of(before.getBody().getOps<ForallOp>(),
                                  [&](ForallOp other) { return multiplyAlike(other, forall); });
  }

  /// Of the tasks that arrive at a word one is the last.
  static double lastShare(Operation *op) {
    for (auto branch = op->getParentOfType<scf::IfOp>(); branch; branch = branch->getParentOfType<scf::IfOp>())
      if (auto arrive = branch.getCondition().getDefiningOp<ArriveOp>())
        return 1 / static_cast<double>(std::max<int64_t>(1, getConstantIntValue(arrive.getCount()).value_or(1)));
    return 1;
  }

  static bool servesOthers(Operation &op) {
    bool any = false, all = isa<ForallOp>(op);
    op.walk([&](AccessOpInterface access) {
      any = true;
      all &= isForOthers(access);
    });
    return any && all;
  }

  double tasksOf(ForallOp forall) {
    double tasks = 1;
    if (auto bounds = overExtents(*forall.getBounds(), forall.getExtents(), world))
      for (AffineExpr bound : *bounds)
        tasks *= evaluate(bound);
    return tasks;
  }

  /// A task of the copy engine goes through all of a row of tiles, once `waits` has made it so.
  double lastBound(ForallOp forall) {
    auto bounds = overExtents(*forall.getBounds(), forall.getExtents(), world);
    return bounds && !bounds->empty() ? evaluate(bounds->back()) : 1;
  }

  /// Some tasks, of a grid whose bounds are known.
  std::optional<TaskSample> sampleOf(ForallOp forall) {
    auto bounds = overExtents(*forall.getBounds(), forall.getExtents(), world);
    if (!bounds)
      return std::nullopt;
    return TaskSample(
        forall, llvm::map_to_vector(*bounds, [&](AffineExpr bound) { return static_cast<int64_t>(evaluate(bound)); }));
  }

  /// Passes of the loops between an operation and the task, of loops and branches that depend on the task's number in
  /// the mean; loops whose bounds depend on something else count once.
  double repetitions(Operation *op, Operation *task, const std::optional<TaskSample> &sample) {
    double times = sample && op != task ? sample->shareOf(op) : 1;
    for (Operation *parent = op; parent != task; parent = parent->getParentOp())
      if (auto loop = dyn_cast<scf::ForOp>(parent); loop && parent != op) {
        if (std::optional<AffineExpr> trips = mostTrips(loop))
          times *= std::max(0.0, evaluate(*trips));
        else if (std::optional<double> passes = sample ? sample->passes(loop) : std::nullopt)
          times *= *passes;
      }
    return times;
  }

  /// By one access: what of a tile lies beside its view is not moved.
  double bytesMoved(AccessOpInterface access) {
    double bytes = cast<MemRefType>(access.getAccessedBuffer().getType()).getElementTypeBitWidth() / 8.0;
    auto sizes = access.getMovedShape();
    SmallVector<AffineExpr> extents = shapeOf(access.getAccessedBuffer());
    size_t first = extents.size() - std::min(extents.size(), sizes.size());
    for (auto [d, size] : llvm::enumerate(sizes)) {
      // The rates of links of other machines were fitted to whole tiles.
      bool isKnown = target.linksSwitched && first + d < extents.size();
      AffineExpr extent = isKnown ? extents[first + d] : AffineExpr();
      bytes *= extent ? std::min(static_cast<double>(size), evaluate(extent)) : static_cast<double>(size);
    }
    return bytes;
  }

  /// `share`: of the tasks that do the operation.
  void add(RoleCost &cost, Operation *op, double times, double share) {
    times *= share;
    const bool tallies = isByChiplet(op);
    cost.signals += isa<SignalOp, ArriveOp>(op) ? times : 0;
    cost.tallies += tallies && isa<SignalOp>(op) ? times : 0;
    cost.releases += isa<SignalOp, ArriveOp>(op) && !tallies ? times / (isTaken ? timesPublished(op) : 1) : 0;
    cost.waits += isa<WaitOp>(op) && !op->getParentOfType<ForallOp>() ? times : 0;
    if (auto dot = dyn_cast<DotOp>(op)) {
      cost.flops += times * 2.0 * dot.getAcc().getType().getNumElements() * static_cast<double>(dot.depth());
      return;
    }
    auto access = dyn_cast<AccessOpInterface>(op);
    if (!access)
      return;
    double bytes = times * bytesMoved(access);
    // One access in W stays at home when every rank is addressed in turn.
    double others = static_cast<double>(world - 1) / static_cast<double>(world);
    double away = access.getAccessRank() ? bytes * (isForOthers(op) ? 1 : others) : 0;
    (access.writesBuffer() ? cost.pushedBytes : cost.pulledBytes) += away;
    if (auto store = dyn_cast<StoreOp>(op); store && isGathered(store))
      cost.gatheredBytes += away;
    cost.pulls += access.getAccessRank() && !access.writesBuffer() ? times * (isForOthers(op) ? 1 : others) : 0;
    cost.localBytes += bytes - away;
    Value root = viewedBuffer(access.getAccessedBuffer());
    if (isa<BlockArgument>(root))
      accessed[root] += bytes - away;
  }

  ProgramOp program;
  int64_t world;
  ArrayRef<int64_t> extents;
  const Target &target;
  SmallVector<AffineExpr> values;
  llvm::MapVector<Value, double> accessed; ///< bytes of each argument that a role accesses on this rank
  bool isTaken = false; ///< what the tasks tell of, tasks of the next role take that multiply the same
};

/// Floating point operations a microsecond of one compute unit, for the operands of the first dot of a role.
double unitRate(RoleOp role, const Target &target) {
  std::string element = "f32";
  bool shortSums = false;
  role.walk([&](DotOp dot) {
    shortSums = dot.accumulation() != Accumulation::Exact;
    llvm::raw_string_ostream stream(element = "");
    stream << dot.getLhs().getType().getElementType();
  });
  double best = 0;
  for (const MatrixInstructionInfo &info : target.matrix)
    if (llvm::is_contained(info.operands, element) && (shortSums || !info.fast))
      best = std::max(best, 2.0 * info.m * info.n * info.k / info.cycles);
  return best * target.simdsPerUnit * target.clockMhz;
}

/// Rounds of tasks of so many microseconds on `units` compute units; those of roles before that have workgroups of
/// their own join when they are done.
double roundsOf(double tasks, double each, double units, ArrayRef<RoleCost> before) {
  double least = std::ceil(tasks / units);
  if (each <= 0 || before.empty())
    return least;
  for (double rounds = 1; rounds < least; ++rounds) {
    double done = units * rounds;
    for (const RoleCost &role : before)
      done += static_cast<double>(role.workgroups) * std::max(0.0, std::floor(rounds - role.microseconds / each));
    if (done >= tasks)
      return rounds;
  }
  return least;
}

/// Units without a task in the last round of products, until those are over that the others do: the next role of the
/// kernel begins there. As long as its products are as long, `merge` makes one loop of both.
struct Idle {
  double units = 0, each = 0;
  double memory = 0; ///< microseconds in which memory has nothing to do

  /// Tasks that do not fit there.
  double left(double tasks, double eachTask) const {
    return each > 0 && std::abs(eachTask - each) < 1e-6 * each ? std::max(0.0, tasks - units) : tasks;
  }
};

/// Microseconds in which a role reads what no cache has. Tasks of a last round that is not full take what their own
/// units can copy; those of a first one may have others beside them.
double leastMemoryTime(const RoleCost &cost, double units, double bandwidth, const Target &target) {
  double port = target.vectorCache.bytesPerClock * target.clockMhz, each = cost.leastBytes / std::max(1.0, cost.tasks);
  double last = cost.tasks > units ? std::fmod(cost.tasks, units) : 0;
  double alone = port > 0 && last > 0 ? std::max(0.0, each / port - last * each / bandwidth) : 0;
  return cost.leastBytes / bandwidth + alone;
}

/// Time of a role on `units` compute units, and what it spends in which resource. `before`: roles of its kernel that
/// have workgroups of their own; `idle`: what those have left that share them.
void timeRole(RoleCost &cost, RoleOp role, const Target &target, double units, int64_t world, ArrayRef<RoleCost> before,
              Idle &idle, Prediction &sum) {
  double rate = unitRate(role, target) * target.reached.matrix;
  double each = rate > 0 && cost.tasks > 0 ? cost.flops / cost.tasks / rate : 0;
  // Tasks that wait for all of those before begin when the last of them have ended.
  if (!cost.workgroups && waitsForAll(role))
    idle = {};
  double tasks = cost.workgroups ? cost.tasks : idle.left(cost.tasks, each);
  double rounds = roundsOf(tasks, each, units, cost.workgroups ? ArrayRef<RoleCost>() : before);
  cost.lastRound = cost.tasks > 0 ? 1 - (std::ceil(cost.tasks / units) - 1) * units / cost.tasks : 1;
  double compute = rounds * each;
  double bandwidth = target.memoryGbPerSecond * 1e3 * target.reached.memory;
  double shared = target.chipletCache.bytesPerClock * target.chiplets * target.clockMhz;
  double memory = std::max({cost.localBytes * target.reached.missed / bandwidth,
                            leastMemoryTime(cost, units, bandwidth, target), shared > 0 ? cost.localBytes / shared : 0,
                            cost.pushedBytes + cost.pulledBytes > 0 ? 0 : cost.operandBytes / bandwidth});
  // Tasks that fit beside those of the role before read while these compute.
  double beside = !cost.workgroups && cost.tasks > 0 ? std::min(memory * (1 - tasks / cost.tasks), idle.memory) : 0;
  if (!cost.workgroups)
    idle = {tasks > 0 ? rounds * units - tasks : idle.units - cost.tasks, each,
            tasks > 0 ? std::max(0.0, compute - memory) : idle.memory - beside};
  int64_t links = world == 1 ? 0 : target.linksSwitched ? target.links : std::min(target.links, world - 1);
  double linkRate = static_cast<double>(links) * target.linkGbPerSecond * 1e3;
  double link = linkRate > 0 ? cost.pushedBytes / (linkRate * target.reached.push) +
                                   cost.pulledBytes / (linkRate * target.reached.pull)
                             : 0;
  // Few workgroups do not fill the links, nor memory.
  double copied = target.workgroupGbPerSecond * 1e3 * std::min(units, std::max(1.0, cost.tasks));
  if (cost.flops == 0 && copied > 0)
    link = std::max(link, std::max(cost.pushedBytes + cost.pulledBytes, cost.localBytes / 2) / copied);
  // Where a wave of the producer tells others, those who multiply go on, but for the last task.
  double told = cost.flops > 0 && target.producer.waves > 1 ? 1 : rounds;
  double flags = told * (cost.tasks > 0 ? cost.releases / cost.tasks : 0) * target.times.releaseMicroseconds;
  // Of tasks that count by chiplet the last one there releases, while the others go on, but for the very last.
  if (cost.tallies > 0)
    flags += told * cost.tallies / cost.tasks * target.times.countMicroseconds + target.times.releaseMicroseconds;
  // A wave that sends by a copy engine has nothing else to do until all that it has sent is there.
  if (cost.flops == 0 && (cost.workgroups || cost.isBeside) && target.lds.mappedRowBytes)
    flags *= 2;
  // A task loads one tile of another rank after the other: each goes there and back.
  flags += cost.tasks > 0 ? rounds * cost.pulls / cost.tasks * 2 * target.times.flagMicroseconds : 0;
  // Links take what tasks have stored at home.
  if (cost.isSent)
    link = 0;
  // What the last round of products sends nothing hides.
  double exposed = cost.flops > 0 && rounds > 0 ? link / rounds : 0;
  cost.microseconds = std::max({compute, memory - beside, link - exposed}) + exposed + flags;
  sum.computeMicroseconds += compute;
  sum.memoryMicroseconds += memory;
  sum.linkMicroseconds += link;
}

/// Time of loops over rows on a role's own workgroups, of which each brings so much and no more; 0 where there are
/// none, and where no copy engine feeds them: there none was timed.
double timeOfRows(RoleOp role, const Target &target) {
  double clocks = 0;
  if (!target.lds.mappedRowBytes)
    return 0;
  for (ForallOp tasks : role.getBody().getOps<ForallOp>())
    if (hasRowLoop(tasks))
      clocks += roundClocks(tasks, target, static_cast<int64_t>(*role.getWorkgroups()));
  return clocks / static_cast<double>(target.clockMhz);
}

/// Time of what the copy engine does.
void timeEngine(RoleCost &cost, const Target &target, Prediction &sum) {
  double link = target.engineGbPerSecond > 0 ? cost.pushedBytes / (target.engineGbPerSecond * 1e3) : 0;
  cost.microseconds = link + cost.tasks * target.engineMicroseconds;
  sum.linkMicroseconds += link;
}

/// What the products lose beside an engine that copies, and by its launch.
double timeBesideEngine(const RoleCost &cost, const Target &target) {
  double rate = cost.isEngine ? target.engineBesideGbPerSecond : target.sentBesideGbPerSecond;
  return target.engineBeginMicroseconds + (rate > 0 ? cost.pushedBytes / (rate * 1e3) : 0);
}

/// What the products lose by a wave of each workgroup that sends their tiles on to all ranks: all but those of the last
/// round of `units`.
double timeSentOn(const RoleCost &cost, double units, const Target &target) {
  double rounds = std::ceil(cost.tasks / units);
  if (target.besideGbPerSecond <= 0 || rounds <= 1)
    return 0;
  return cost.gatheredBytes * (rounds - 1) / rounds / (target.besideGbPerSecond * 1e3);
}

/// When the engine has sent what tasks store for so many other ranks: it begins with the first piece that is made.
double timeSent(const RoleCost &cost, double parts, const Target &target, Prediction &sum) {
  double link = cost.pushedBytes / (target.engineGbPerSecond * 1e3);
  double owned = cost.pushedBytes - cost.gatheredBytes, pieces = 0, copies = 0;
  if (owned > 0)
    pieces = std::max(parts, owned / static_cast<double>(kBytesOfSentPiece));
  // To all ranks a piece is copied without a signal of its own, to one of them after the other.
  if (cost.gatheredBytes > 0) {
    double gathered = std::max(1.0, cost.gatheredBytes / parts / static_cast<double>(kBytesOfGatheredPiece));
    pieces += gathered;
    copies = gathered * parts * (parts > 1 ? target.engineTurnMicroseconds : target.engineMicroseconds / 2);
  }
  sum.linkMicroseconds += link;
  return cost.microseconds / pieces + link + pieces * target.engineMicroseconds + copies;
}

/// When the last piece of that is there: `begin` is when the role begins, and others wait for it where they have no
/// tasks of their own left to do meanwhile.
double timeLastSent(const RoleCost &cost, int64_t world, double begin, const Target &target) {
  auto others = static_cast<double>(std::max<int64_t>(1, world - 1));
  // What goes to all ranks ends the launch: nothing hides that its stream is waited for, and a copy and a signal go to
  // each of them in turn.
  double longer = 1, turns = others > 1 ? 2 * others * target.engineTurnMicroseconds : 0;
  double ends = 2 * target.engineMicroseconds + turns;
  double bytes = std::min<double>(static_cast<double>(kBytesOfGatheredPiece) * others, cost.gatheredBytes);
  if (cost.gatheredBytes < cost.pushedBytes) {
    auto part = static_cast<int64_t>(cost.tasks / others);
    auto units = static_cast<double>(wholeRounds(part, world, target).value_or(target.units()));
    double rounds = std::ceil(cost.tasks / static_cast<double>(target.units()));
    longer = std::ceil(cost.tasks / units) / std::max(1.0, rounds);
    ends = 0;
    bytes = std::min<double>(static_cast<double>(kBytesOfSentPiece), cost.pushedBytes / others);
  }
  return begin + cost.microseconds * longer + target.engineBeginMicroseconds + target.engineMicroseconds + ends +
         bytes / (target.engineGbPerSecond * 1e3);
}

/// Adds what a role's waits cost, and when it can begin after a role of other workgroups. Returns when it ends at the
/// earliest because of that role's last task: one wait's share of its own work later; 0 without such a role.
double timeWaits(RoleCost &cost, RoleOp role, ArrayRef<int64_t> extents, double units, const Target &target,
                 ArrayRef<RoleCost> roles, const DenseMap<Operation *, size_t> &counted) {
  WaitCost waits = costOfWaits(role, extents, units, target.waveLanes);
  double rounds = std::ceil(cost.tasks / units);
  cost.waits = std::max(cost.waits, waits.perTask * cost.tasks);
  cost.microseconds += rounds * waits.polls * target.times.lookMicroseconds;
  auto producer = waits.producer ? counted.find(waits.producer) : counted.end();
  if (producer == counted.end())
    return 0;
  const RoleCost &before = roles[producer->second];
  const bool isApart = before.workgroups || before.isBeside || before.isEngine;
  if (!isApart && cost.workgroups == 0)
    return 0;
  // Where too few tasks wait for nobody, others begin at once and have none before them; what is sent at once comes at
  // once.
  double senders = before.workgroups ? static_cast<double>(before.workgroups) : static_cast<double>(target.units());
  double free = waits.most > 0 ? cost.tasks * (1 - waits.perTask / waits.most) : 0;
  // An engine sends one piece after the other: the first is waited for by units that have no task which waits for
  // nobody, and by all when those tasks are done.
  if (before.isEngine) {
    double first = before.microseconds / std::max(1.0, before.tasks);
    cost.fillMicroseconds = std::max(first * (1 - std::min(1.0, free / units)),
                                     first - free / std::max(1.0, cost.tasks) * cost.microseconds);
    return before.microseconds + cost.microseconds / std::max(1.0, rounds * waits.most);
  }
  double share = free >= units ? waits.firstShare : before.tasks <= senders ? 1 : waits.waitingShare;
  cost.fillMicroseconds = share * before.microseconds;
  // What the last round of products leaves is sent behind it, and what is made of that comes behind both.
  // Measured on GPUs of NVIDIA's alone.
  if (!target.linksSwitched)
    return before.microseconds + cost.microseconds / std::max(1.0, rounds * waits.most);
  double left = cost.flops == 0 ? before.lastRound : 0;
  cost.lastRound = std::max(cost.lastRound, left);
  return before.ends + cost.microseconds * std::max(1 / std::max(1.0, rounds * waits.most), left);
}

} // namespace

Prediction tilec::predict(ProgramOp program, const Target &target, ArrayRef<int64_t> extents) {
  Prediction prediction;
  CostCounter counter(program, extents, target);
  int64_t world = program.getWorld().value_or(1);
  const bool sends = target.engineGbPerSecond > 0 && sendsByEngine(program);
  for (KernelOp kernel : program.getBody().getOps<KernelOp>()) {
    double own = 0, pool = 0, beside = 0, after = 0;
    std::vector<RoleCost> apart; // roles with workgroups of their own
    bool waits = false, meets = false;
    Idle idle;
    DenseMap<Operation *, size_t> counted; // places of roles in `roles`
    for (RoleOp role : kernel.getBody().getOps<RoleOp>())
      own +=
          canBeSentBeside(role, target) || role.getEngine() ? 0 : static_cast<double>(role.getWorkgroups().value_or(0));
    RoleOp last;
    for (RoleOp role : kernel.getBody().getOps<RoleOp>()) {
      RoleCost cost = counter.count(role, std::exchange(last, role));
      cost.kernel = kernel.getSymName().str();
      cost.isBeside = canBeSentBeside(role, target);
      cost.workgroups = cost.isBeside ? 0 : cost.workgroups;
      cost.isSent = sends && !cost.isEngine && cost.flops > 0 && cost.pushedBytes > 0;
      double units = cost.workgroups ? static_cast<double>(cost.workgroups) : std::max(1.0, target.units() - own);
      if (cost.isEngine)
        timeEngine(cost, target, prediction);
      else
        timeRole(cost, role, target, units, world, apart, idle, prediction);
      if (cost.workgroups)
        cost.microseconds = std::max(cost.microseconds, timeOfRows(role, target));
      double tail = timeWaits(cost, role, extents, units, target, prediction.roles, counted);
      cost.ends = std::max(tail, cost.microseconds);
      waits |= cost.waits > 0;
      meets |= cost.waits > 0 && role.getTurn() == Turn::Last;
      const bool isApart = cost.workgroups || cost.isBeside || cost.isEngine;
      if (cost.isSent)
        after = std::max(after, timeLastSent(cost, world, pool, target));
      double &sum = isApart ? beside : pool;
      sum = isApart ? std::max(beside, cost.microseconds) : pool + cost.fillMicroseconds + cost.microseconds;
      if (cost.isBeside)
        pool += cost.pushedBytes / (target.besideGbPerSecond * 1e3);
      if (cost.isSent)
        after = std::max(after, timeSent(cost, static_cast<double>(world - 1), target, prediction));
      if (cost.isEngine || cost.isSent)
        pool += timeBesideEngine(cost, target);
      else if (cost.flops > 0)
        pool += timeSentOn(cost, units, target);
      after = std::max(after, tail);
      if (cost.workgroups)
        apart.push_back(cost);
      counted[role] = prediction.roles.size();
      prediction.roles.push_back(cost);
    }
    // Two kernels that run at once are launched one behind the other.
    prediction.microseconds += std::max({pool, beside, after}) +
                               (kernel.getApart() ? 2 : 1) * target.times.launchMicroseconds +
                               (waits ? target.times.flagMicroseconds : 0) +
                               (meets ? target.times.meeting * target.times.flagMicroseconds : 0);
  }
  return prediction;
}
