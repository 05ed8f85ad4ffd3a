// Interprets the bytecode of roles and records what tasks do.
#include "passes/checker/TaskTrace.h"
#include "passes/checker/AccessBoxes.h"
#include "passes/checker/Arithmetic.h"
#include "passes/checker/Arrivals.h"
#include "passes/checker/Counts.h"
#include "passes/checker/DrawnNumbers.h"
#include "passes/checker/FetchedColumns.h"
#include "passes/checker/IdleLoops.h"
#include "passes/checker/Meetings.h"
#include "passes/checker/PanelLoops.h"
#include "passes/checker/ScalarFindings.h"
#include "passes/checker/SignalWords.h"
#include "passes/checker/TaskOrder.h"
#include "passes/checker/TileSides.h"
#include "passes/checker/Tokens.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

namespace {

class Tracer {
public:
  Tracer(const ProgramCode &program, Findings &findings, uint64_t budget, int64_t draw)
      : program(program), findings(findings), meetings(program, findings, [this] { return describeThread(); }),
        intervals(program, slots), words(trace), arrivals(trace, findings), counts(trace, findings),
        reads(trace, program.accesses.size()), budget(budget), draw(draw) {
    trace.program = &program;
    slots.resize(program.numSlots);
    emptySet = trace.tokenSets.intern({});
    written = writtenRoots(program);
  }

  FailureOr<Trace> run(ArrayRef<int64_t> extents) {
    for (rank = 0; rank < program.world; ++rank) {
      slots[program.rank] = rank;
      for (auto [slot, value] : llvm::zip(program.extents, extents))
        slots[slot] = value;
      thread = nullptr;
      if (failed(execute(program.prelude)) || failed(measure()))
        return failure();
      if (rank == 0 && program.world * numKnownTasks(extents) > maxTasks)
        setTooManyTasks();
      if (trace.partial())
        break;
      trace.kernels.emplace_back();
      for (kernel = 0; kernel < program.kernels.size() && !trace.partial(); ++kernel)
        if (failed(traceKernel()))
          return failure();
      if (trace.partial())
        break;
    }
    arrivals.checkComplete();
    counts.checkComplete();
    return std::move(trace);
  }

private:
  /// Of a grid; a size below zero counts as none, too many as more than anybody enumerates.
  static uint64_t saturatingCount(ArrayRef<int64_t> sizes) {
    uint64_t count = 1;
    for (int64_t size : sizes)
      count = llvm::SaturatingMultiply<uint64_t>(count, std::max<int64_t>(size, 0));
    return std::min<uint64_t>(count, uint64_t(1) << 32);
  }

  /// Of a rank, in loops whose bounds are functions of extents: known before anything is traced.
  uint64_t numKnownTasks(ArrayRef<int64_t> extents) const {
    SmallVector<AffineExpr> numbers;
    for (int64_t extent : extents)
      numbers.push_back(getAffineConstantExpr(extent, program.op.getContext()));
    uint64_t tasks = 0;
    for (const KernelCode &kernel : program.kernels)
      for (const RoleCode &role : kernel.roles) {
        SmallVector<AffineExpr> bounds =
            role.forall ? loopBounds(role.forall, program.world) : SmallVector<AffineExpr>();
        SmallVector<int64_t> sizes;
        for (AffineExpr bound : bounds)
          if (auto number = dyn_cast<AffineConstantExpr>(bound.replaceSymbols(numbers)))
            sizes.push_back(number.getValue());
        if (!bounds.empty() && sizes.size() == bounds.size())
          tasks += saturatingCount(sizes);
      }
    return tasks;
  }

  void setTooManyTasks() { trace.excess = (Twine(maxTasks) + " tasks").str(); }

  SmallVector<int64_t, 4> values(ArrayRef<uint32_t> list) const {
    return SmallVector<int64_t, 4>(llvm::map_range(list, [&](uint32_t slot) { return slots[slot]; }));
  }

  /// Sizes of buffers and grids, once; every rank must agree, or one heap offset would mean different things.
  LogicalResult measure() {
    for (auto [i, root] : llvm::enumerate(program.roots)) {
      auto sizes = values(program.views[root.view].sizes);
      if (rank == 0)
        trace.rootSizes.push_back(sizes);
      else if (trace.rootSizes[i] != sizes)
        return emitError(root.value.getLoc()) << "size differs between rank 0 and rank " << rank;
    }
    for (auto [i, grid] : llvm::enumerate(program.grids)) {
      auto sizes = values(grid.sizes);
      if (rank == 0)
        trace.gridSizes.push_back(sizes);
      else if (trace.gridSizes[i] != sizes)
        return emitError(grid.op.getLoc()) << "size differs between rank 0 and rank " << rank;
      if (rank == 0)
        words.addGrid(saturatingCount(sizes));
      if (words.perRank() > maxTasks) {
        trace.excess = (Twine(maxTasks) + " signals on a rank").str();
        return success();
      }
    }
    trace.wordsPerRank = words.perRank();
    return success();
  }

  //===-- threads -------------------------------------------------------------------------------------------------===//

  uint32_t begin(Thread::Kind kind, uint32_t role, uint32_t task, uint32_t before) {
    Thread &made = trace.threads.emplace_back();
    made.kind = kind;
    made.rank = rank;
    made.kernel = kernel;
    made.role = role;
    made.engine = program.kernels[kernel].roles[role].engine;
    made.task = task;
    made.before = before;
    made.firstAccess = trace.accesses.size();
    made.firstSync = trace.syncs.size();
    thread = &made;
    meetings.meet();
    return trace.threads.size() - 1;
  }

  void end() {
    thread->endAccess = trace.accesses.size();
    reads.close();
    thread->endSync = trace.syncs.size();
    // A read is over when the next signal of its task is raised; a store only when a signal names it.
    for (uint32_t i = thread->firstAccess; i < thread->endAccess; ++i) {
      Access &access = trace.accesses[i];
      const AccessSite &site = program.accesses[access.site];
      if (site.writes || thread->signals == 0)
        continue;
      uint32_t next = thread->firstSync + access.position;
      uint32_t before = next < thread->endSync ? trace.syncs[next].number - trace.syncs[next].signal : thread->signals;
      if (before < thread->signals)
        access.cover = before + 1;
    }
    thread = nullptr;
  }

  LogicalResult traceKernel() {
    const KernelCode &code = program.kernels[kernel];
    trace.kernels[rank].emplace_back();
    KernelThreads threads;
    threads.groups.resize(code.workgroups.size());
    if (rank == 0)
      trace.roleSizes.emplace_back(code.roles.size());
    for (auto [i, role] : llvm::enumerate(code.roles)) {
      tokens.forget(0);
      if (role.turn == tile::Turn::Each) {
        if (failed(traceRole(i, role, threads.groups, code.workgroups[role.group])))
          return failure();
        continue;
      }
      bool first = role.turn == tile::Turn::First;
      std::vector<uint32_t> &list = first ? threads.firsts : threads.lasts;
      uint32_t made = begin(first ? Thread::First : Thread::Last, i, 0, list.empty() ? Thread::none : list.back());
      list.push_back(made);
      if (failed(execute(role.prologue)))
        return failure();
      end();
    }
    threads.bodyThreads = threads.firsts.size();
    for (auto &group : threads.groups)
      for (RoleThreads &role : group)
        (code.roles[role.role].engine ? threads.engineThreads : threads.bodyThreads) +=
            role.prologues.size() + role.endTask - role.beginTask;
    trace.kernels[rank].back() = std::move(threads);
    return success();
  }

  LogicalResult traceRole(uint32_t number, const RoleCode &role, std::vector<std::vector<RoleThreads>> &groups,
                          int64_t workgroups) {
    std::vector<RoleThreads> &group = groups[role.group];
    RoleThreads made;
    made.role = number;
    uint32_t before = group.empty() ? Thread::none : group.back().prologues.front();
    // Two instances show what any number of workgroups would: the second is traced first, so that slots keep the last
    // one. Whoever has finished with a group goes on to the later ones, and what no group takes joins the last, so that
    // only the first of several can have a single workgroup.
    bool alone = role.engine || (workgroups == 1 && role.group == 0 && groups.size() > 1);
    for (int instance = 0; instance < (alone ? 1 : 2); ++instance) {
      tokens.forget(0);
      made.prologues.push_back(begin(Thread::Prologue, number, 0, before));
      thread->alone = alone;
      if (failed(execute(role.prologue)))
        return failure();
      end();
      const Thread &done = trace.threads.back();
      if (done.firstAccess == done.endAccess && done.signals == 0)
        break;
    }
    made.beginTask = made.endTask = trace.threads.size();
    group.push_back(made);
    if (role.indices.empty())
      return success();
    SmallVector<int64_t, 4> sizes = values(role.bounds);
    for (int64_t &size : sizes)
      size = std::max<int64_t>(size, 0);
    if (rank == 0)
      trace.roleSizes[kernel][number] = sizes;
    numTasks += saturatingCount(sizes);
    if (numTasks > maxTasks) {
      setTooManyTasks();
      return success();
    }
    FailureOr<std::vector<int64_t>> tasks = role.forall
                                                ? enumerateTasks(role.forall, sizes, rank)
                                                : std::vector<int64_t>(llvm::seq<int64_t>(0, sizes.front()).begin(),
                                                                       llvm::seq<int64_t>(0, sizes.front()).end());
    if (failed(tasks))
      return failure();
    prologueTokens = tokens.size();
    for (int64_t task : *tasks) {
      if (trace.partial())
        break;
      tokens.forget(prologueTokens);
      begin(Thread::Task, number, task, made.prologues.front());
      for (auto [slot, coordinate] : llvm::zip(role.indices, taskCoordinates(task, sizes)))
        slots[slot] = coordinate;
      if (failed(execute(role.body)))
        return failure();
      end();
    }
    prologueTokens = 0;
    RoleThreads &all = group.back();
    all.endTask = trace.threads.size();
    all.ofLast = std::count_if(trace.threads.begin() + all.beginTask, trace.threads.end(),
                               [](const Thread &made) { return made.isOfLast; });
    return success();
  }

  //===-- the interpreter -----------------------------------------------------------------------------------------===//

  /// Counts the steps of a loop where it begins again, those of straight code where it begins.
  bool countSteps(uint64_t number) {
    steps += number;
    if (steps <= mostSteps + stepsOfAccess * trace.numAccesses || trace.partial())
      return !trace.partial();
    trace.excess =
        (Twine(mostSteps) + " scalar steps, not counting " + Twine(stepsOfAccess) + " for each access").str();
    return false;
  }

  LogicalResult execute(const CodeList &code) {
    return countSteps(code.size()) ? execute(code, 0, code.size()) : success();
  }

  LogicalResult execute(const CodeList &code, size_t begin, size_t end) {
    for (size_t at = begin; at < end; ++at) {
      const Instruction &step = code[at];
      switch (step.code) {
      case Code::Jump:
        if (size_t(step.value) < at && !countSteps(at - step.value))
          return success();
        if (size_t(step.value) < at && program.loops[step.left].panel >= 0 &&
            failed(goToEndOfPanel(code, program.loops[step.left])))
          return failure();
        at = step.value - 1;
        break;
      case Code::JumpUnless:
        if (!slots[step.left])
          at = step.value - 1;
        break;
      case Code::LoopGuard:
        if (slots[step.left] <= 0)
          return program.op.emitError() << "a loop has step " << slots[step.left] << ", expected at least 1";
        break;
      case Code::Loop:
        if (isSilent(code, program.loops[step.value]))
          at = program.loops[step.value].end - 1;
        else if (program.loops[step.value].panel >= 0 && failed(goToEndOfPanel(code, program.loops[step.value])))
          return failure();
        break;
      case Code::Access:
        if (!countAccess())
          return success();
        access(program.accesses[step.value], step.value);
        break;
      case Code::Sync:
        synchronise(program.syncs[step.value], step.value);
        break;
      case Code::Meet:
        meetings.meet();
        break;
      case Code::Arrive:
        slots[step.target] = arrive(program.arrivals[step.value]);
        break;
      case Code::Number:
        slots[step.target] = std::min(numberIn(program.accesses[step.value]), std::max<int64_t>(slots[step.left], 0));
        break;
      case Code::Given:
        slots[step.target] =
            std::min(givenNumber(step.value, rank, draw, program.comparedWith), std::max<int64_t>(slots[step.left], 0));
        break;
      default:
        if (failed(executeScalar(step)))
          return failure();
      }
    }
    return success();
  }

  bool countAccess() {
    if (trace.numAccesses++ >= budget)
      trace.excess = (Twine(budget) + " accesses").str();
    else if (trace.accesses.size() >= maxAccesses)
      trace.excess = (Twine(maxAccesses) + " accesses that do not join").str();
    return !trace.partial();
  }

  int64_t numberIn(const AccessSite &site) {
    SmallVector<int64_t, 13> box;
    if (!footprint(site, box))
      return 0;
    box.push_back(site.rank < 0 ? rank : slots[site.rank]);
    return drawnNumber(box, draw, program.comparedWith);
  }

  /// What only sets a slot.
  LogicalResult executeScalar(const Instruction &step) {
    switch (step.code) {
    case Code::Constant:
      slots[step.target] = step.value;
      break;
    case Code::Copy:
      slots[step.target] = slots[step.left];
      break;
    case Code::Select:
      slots[step.target] = slots[slots[step.value] ? step.left : step.right];
      break;
    case Code::UnsignedGuard:
      if (slots[step.left] < 0)
        reportNegative(findings, program.scalarOps[step.value], slots[step.left], whereNow());
      break;
    case Code::SizeGuard:
      if (slots[step.left] != slots[step.right])
        reportSize(findings, program.scalarOps[step.value], slots[step.left], slots[step.right], whereNow());
      break;
    case Code::Mask:
      slots[step.target] = slots[step.left] & step.value;
      break;
    case Code::Negate:
      slots[step.target] = -slots[step.left];
      break;
    case Code::Narrow:
      return setNarrow(step, slots[step.left]);
    case Code::Join:
      slots[step.target] = tokens.join(slots[step.left], slots[step.right]);
      break;
    default:
      if (dividesBy(step.code) && slots[step.right] == 0) {
        Operation *named = step.value == kNoOperation ? program.op.getOperation() : program.scalarOps[step.value];
        reportDivision(findings, named, whereNow());
        return failure();
      }
      slots[step.target] = compute(step.code, slots[step.left], slots[step.right]);
      if (step.bits != 64)
        return setNarrow(step, slots[step.target]);
    }
    return success();
  }

  /// Whether a loop has come to its end already: it does nothing that is recorded.
  bool isSilent(const CodeList &code, const Loop &loop) {
    if (!loop.idle || slots[loop.lower] >= slots[loop.upper])
      return false;
    LoopIntervals::Outcome outcome = intervals.evaluate(code, loop);
    if (outcome == LoopIntervals::Outcome::Meets)
      meetings.meet();
    return outcome != LoopIntervals::Outcome::Unknown;
  }

  //===-- panels --------------------------------------------------------------------------------------------------===//

  /// At the head of a loop: executes the first two iterations of a stretch that reads a panel, and leaves out those up
  /// to its last two, which go on with its reads. Where they might not, nothing is left out.
  LogicalResult goToEndOfPanel(const CodeList &code, const Loop &loop) {
    constexpr int64_t fewIterations = 8;
    const int64_t first = slots[loop.index], step = slots[loop.step], rest = slots[loop.upper] - first;
    if (step < 1 || rest < fewIterations * step)
      return success();
    const Panel &panel = program.panels[loop.panel];
    if (panel.needsRanges && intervals.evaluate(code, loop) == LoopIntervals::Outcome::Unknown)
      return success();
    PanelReads stretch(program, panel, slots, reads, numThread(),
                       [this](const AccessSite &site, SmallVectorImpl<int64_t> &box) { return footprint(site, box); });
    for (int64_t iteration : {0, 1}) {
      if (failed(execute(code, loop.begin + 2, loop.increment)))
        return failure();
      bool isOne = !trace.partial() && (iteration == 0 ? stretch.begin(written) : stretch.goOn());
      const int64_t length = isOne && iteration == 1 ? stretch.length(llvm::divideCeil(rest, step)) : 0;
      if (failed(executeScalar(code[loop.increment])))
        return failure();
      if (!isOne)
        return success();
      if (length >= fewIterations)
        return leaveOut(code, loop, stretch, first, length);
    }
    return success();
  }

  LogicalResult leaveOut(const CodeList &code, const Loop &loop, PanelReads &stretch, int64_t first, int64_t length) {
    const int64_t next = slots[loop.index];
    slots[loop.index] = first + (length - 2) * slots[loop.step];
    for (size_t at : program.panels[loop.panel].scalars)
      if (failed(execute(code, at, at + 1)))
        return failure();
    if (stretch.isAt(length - 2))
      stretch.extend(length - 4);
    else
      slots[loop.index] = next;
    return success();
  }

  /// Nothing is traced after a result that needs more bits: loops that the text ends might not end here.
  LogicalResult setNarrow(const Instruction &step, int64_t value) {
    slots[step.target] = narrow(value, step.bits);
    if (!step.checked || slots[step.target] == value)
      return success();
    reportOverflow(findings, program.scalarOps[step.value], value, step.bits, whereNow());
    return failure();
  }

  std::string whereNow() const { return thread ? ", in " + trace.describe(*thread) : ""; }

  //===-- tokens --------------------------------------------------------------------------------------------------===//

  /// The waits that the tokens stand for; those of a store named by `after` are inherited.
  uint32_t waitSet(ArrayRef<uint32_t> after) {
    SmallVector<int64_t, 8> waits;
    for (uint32_t slot : after)
      tokens.forEachLeaf(slots[slot], [&](Tokens::Leaf leaf, int64_t number) {
        bool early = number < prologueTokens;
        if (leaf.isWait) {
          waits.push_back(leaf.number | (early ? Trace::prologueToken : 0));
          return;
        }
        for (int64_t wait : trace.tokenSets[trace.accesses[leaf.number].tokens])
          waits.push_back(wait | (early ? Trace::prologueToken : 0));
      });
    if (waits.empty())
      return emptySet;
    llvm::sort(waits);
    waits.erase(llvm::unique(waits), waits.end());
    return trace.tokenSets.intern(waits);
  }

  //===-- events --------------------------------------------------------------------------------------------------===//

  bool checkRank(Operation *op, int64_t other) {
    if (other >= 0 && other < program.world)
      return true;
    findings.report("rank", op, nullptr, [&](InFlightDiagnostic &diagnostic) {
      diagnostic << "addresses rank " << other << " of a world of " << program.world << " ranks, by "
                 << describeThread();
    });
    return false;
  }

  std::string describeThread() const { return trace.describe(*thread); }

  uint32_t numThread() const { return thread - trace.threads.data(); }

  bool footprint(const AccessSite &site, SmallVectorImpl<int64_t> &box) {
    return boxOf(program, site, slots, findings, [this] { return describeThread(); }, box);
  }

  void access(const AccessSite &site, uint32_t number) {
    int64_t owner = site.rank < 0 ? rank : slots[site.rank];
    SmallVector<int64_t, 13> box;
    if (site.token >= 0)
      slots[site.token] = 0;
    if (!checkColumns(program, site, slots, findings, [this] { return describeThread(); }))
      return;
    // This rank's reads of what nothing writes conflict with nothing; a whole buffer has no bounds to be checked.
    const View &view = program.views[site.view];
    bool harmless = !written[view.root] && program.roots[view.root].argument && owner == rank;
    if ((harmless && view.parent == View::none) || !checkRank(site.op, owner) || !footprint(site, box) || harmless)
      return;
    if (program.hasThreads)
      meetings.access(number, owner, box, values(site.indices));
    Access made;
    made.site = number;
    made.tokens = waitSet(site.after);
    made.position = trace.syncs.size() - thread->firstSync;
    made.owner = owner;
    uint32_t at = trace.accesses.size();
    if (site.writes) {
      reads.noteStore(box[0]);
      made.box = trace.boxes.intern(box);
      trace.accesses.push_back(made);
    } else {
      at = reads.record(numThread(), made, box);
    }
    if (site.token >= 0)
      slots[site.token] = tokens.add({false, at});
  }

  void synchronise(const SyncSite &site, uint32_t number) {
    if (site.token >= 0)
      slots[site.token] = 0;
    if ((site.signal && !checkRank(site.op, slots[site.to])) ||
        !checkInGrid(trace, site, slots, findings, [this] { return describeThread(); }))
      return;
    Sync made;
    made.site = number;
    made.signal = site.signal;
    made.counted = site.counted;
    if (site.signal) {
      made.number = ++thread->signals;
      made.object = slots[site.to] * trace.wordsPerRank + words.of(site.grid, values(site.indices));
      for (uint32_t slot : site.publishes)
        publish(slots[slot], made.number);
    } else {
      made.number = thread->signals;
      made.object = words.box(rank, site.lag, site.grid, values(site.indices), values(site.counts));
      slots[site.token] = tokens.add({true, uint32_t(trace.syncs.size() - thread->firstSync)});
    }
    counts.note(site, made, site.takes < 0 ? 0 : slots[site.takes]);
    trace.syncs.push_back(made);
  }

  /// The task ends with its arrival. What the last one does is a thread of its own, behind all others: nobody knows in
  /// whose workgroup it is done.
  bool arrive(const ArrivalSite &site) {
    size_t before = trace.syncs.size();
    synchronise(program.syncs[site.signal], site.signal);
    if (trace.syncs.size() == before ||
        !arrivals.isLast(site, trace.syncs.back().object, slots[site.count], values(site.alike)))
      return false;
    const Thread done = *thread;
    end();
    begin(Thread::Task, done.role, done.task, done.before);
    thread->isOfLast = true;
    tokens.forget(prologueTokens);
    synchronise(program.syncs[site.wait], site.wait);
    return true;
  }

  /// A store of the prologue belongs to every workgroup; a task's signal publishes its own workgroup's alone, so it
  /// counts as publishing none of them. What an earlier signal of the thread has published this one adds nothing to.
  void publish(int64_t token, uint32_t signal) {
    tokens.forEachNewLeaf(token, numThread() + 1, [&](Tokens::Leaf leaf, int64_t) {
      if (leaf.isWait || leaf.number < thread->firstAccess)
        return;
      uint32_t &cover = trace.accesses[leaf.number].cover;
      cover = std::min(cover, signal);
    });
  }

  const ProgramCode &program;
  Findings &findings;
  Meetings meetings;
  LoopIntervals intervals;
  Trace trace;
  SignalWords words;
  Arrivals arrivals;
  Counts counts;
  OpenReads reads;
  /// Threads cost memory, and far more time than joined accesses do.
  static constexpr uint64_t maxTasks = 1000000;
  /// Each takes about 400 bytes with its box and what Races knows of it.
  static constexpr uint64_t maxAccesses = 5000000;

  /// Of a launch: about a tenth of a second, however few accesses there are.
  static constexpr uint64_t mostSteps = 25000000;
  static constexpr uint64_t stepsOfAccess = 64;
  uint64_t budget, numTasks = 0, steps = 0;
  int64_t draw, prologueTokens = 0, rank = 0;
  std::vector<int64_t> slots;
  Tokens tokens;
  std::vector<bool> written; ///< [root]
  size_t kernel = 0, emptySet = 0;
  Thread *thread = nullptr;
};

} // namespace

FailureOr<Trace> tilec::checker::traceProgram(const ProgramCode &program, ArrayRef<int64_t> extents, Findings &findings,
                                              uint64_t budget, int64_t draw) {
  return Tracer(program, findings, budget, draw).run(extents);
}
