// Statements join into kernels, by the overlap pattern. Adds no synchronisation.
#include "passes/Passes.h"
#include "passes/ProgramTarget.h"
#include "passes/analysis/Contains.h"
#include "passes/analysis/RowWaves.h"
#include "passes/analysis/SentParts.h"
#include "passes/expand/EngineCopy.h"
#include "passes/fuse/CopyFusion.h"
#include "passes/fuse/EachSum.h"
#include "passes/fuse/OwnerSum.h"
#include "passes/fuse/StepLoops.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace tilec {
#define GEN_PASS_DEF_FUSE
#include "passes/Passes.h.inc"
} // namespace tilec

namespace {

class Fuse : public tilec::impl::FuseBase<Fuse> {
public:
  using FuseBase::FuseBase;

  void runOnOperation() override {
    ProgramOp program = getOperation();
    for (Operation &op : program.getBody().front()) {
      auto forall = dyn_cast<ForallOp>(op);
      if (!isa<MatmulOp, CollectiveOpInterface>(op) && !(forall && forall.getBuffer()))
        continue;
      op.emitOpError() << "is not expanded: run tile-expand first";
      return signalPassFailure();
    }
    PatternAttr pattern = program.getPattern().value_or(PatternAttr::getDefault(&getContext()));
    if (failed(requireEngineCopies(program)) || failed(splitStepLoops(program)))
      return signalPassFailure();
    if (pattern.getKind() == PatternKind::Sequential || pattern.getRemote() == Remote::Pull)
      fuseCopies(program, pattern);
    if (pattern.getKind() == PatternKind::Sequential && failed(sumInTasks(program)))
      return signalPassFailure();
    if (failed(makeKernels(program, pattern)))
      return signalPassFailure();
    if (program.getBody().getOps<KernelOp>().empty()) {
      program.emitOpError() << "has no statements";
      return signalPassFailure();
    }
  }

private:
  /// Groups of workgroups that a kernel can have: `lower` gives each a queue of tickets.
  static constexpr size_t maxGroups = 8;

  /// What an author, or `expand`, has given to the copy engine it can do.
  static LogicalResult requireEngineCopies(ProgramOp program) {
    for (ForallOp statement : program.getBody().getOps<ForallOp>()) {
      if (!statement.getEngine())
        continue;
      std::optional<Copy> copy = Copy::match(statement);
      bool isPlain =
          copy && copy->store.getTo() && !copy->load.getFrom() && copy->load.getType().getRank() <= 2 &&
          llvm::equal(copy->load.getIndices(), copy->store.getIndices()) &&
          cast<MemRefType>(copy->store.getBuffer().getType()).getElementType() == copy->load.getType().getElementType();
      if (!isPlain)
        return statement.emitOpError() << "is the copy engine's, expected one load of this rank's memory whose tile is "
                                          "stored at the same indices to another rank";
      if (!canCopyByEngine(statement, copy->load.getBuffer(), copy->store.getBuffer()))
        return statement.emitOpError() << "is the copy engine's, which waits for nothing: expected a copy from an "
                                          "argument that nothing before has written, to where nothing before has been";
    }
    return success();
  }

  void fuseCopies(ProgramOp program, PatternAttr plan) {
    SmallVector<ForallOp> statements(program.getBody().getOps<ForallOp>());
    // What steps access, they access again.
    bool repeats = llvm::any_of(program.getBody().front(), [](Operation &op) { return statementIn(op) != nullptr; });
    if (statements.size() < 2 || repeats || plan.getKind() == PatternKind::Bulk)
      return;
    for (ForallOp statement : statements) {
      std::optional<Copy> copy = Copy::match(statement);
      if (!copy || statement.getWorkgroups())
        continue;
      if (plan.getKind() == PatternKind::Sequential && sinkCopy(*copy))
        ++sunk;
      else if (plan.getRemote() == Remote::Pull && forwardCopy(*copy))
        ++forwarded;
    }
  }

  /// Only where a copy engine feeds products, unless the device's own is to send the parts: operands that waves hold
  /// leave no registers for what has come (gfx950 spilled 900, LLVM 22).
  LogicalResult sumInTasks(ProgramOp program) {
    SmallVector<ForallOp> statements(program.getBody().getOps<ForallOp>());
    const bool sends = !statements.empty() && sendsByEngine(program);
    bool hasTiles =
        program.walk([](StoreOp store) { return isGathered(store) ? WalkResult::interrupt() : WalkResult::advance(); })
            .wasInterrupted();
    if (statements.size() < 2)
      return sends && !hasTiles ? reportNothingSent(program) : success();
    FailureOr<Target> found = programTarget(program, target);
    if (failed(found) || (!found->lds.mappedRowBytes && !sends))
      return failure(failed(found));
    for (size_t i = 1; i < statements.size(); ++i)
      if (sumAtOwner(statements[i - 1], statements[i]))
        hasTiles = ++ownerSums;
      else if (found->chiplets == 1 && sumOnEach(statements[i - 1], statements[i], found->units()))
        ++eachSums;
    return sends && !hasTiles ? reportNothingSent(program) : success();
  }

  /// A statement, and the loop of steps around it where it has one.
  struct Unit {
    Operation *outer;
    ForallOp forall;
    Value steps; ///< how many; statements of one loop share the value
  };

  /// Statements of one kernel. Those of a loop of steps run side by side.
  struct Run {
    SmallVector<Unit> units;
    bool beside = false;
  };

  static SmallVector<Unit> unitsOf(ProgramOp program, Operation &op) {
    if (auto forall = dyn_cast<ForallOp>(op))
      return {{forall, forall, {}}};
    ForallOp first = statementIn(op);
    if (!first)
      return {};
    SmallVector<Unit> units;
    Value steps = cast<scf::ForOp>(op).getUpperBound();
    for (Operation *next = &op; next; next = next->getNextNode())
      if (ForallOp forall = statementIn(*next); forall && cast<scf::ForOp>(next).getUpperBound() == steps)
        units.push_back({next, forall, steps});
    return units;
  }

  /// Runs of statements become kernels: one for each statement when bulk, else one for the run, as far as its loops
  /// have waves in common. A loop around several statements has a kernel of its own.
  LogicalResult makeKernels(ProgramOp program, PatternAttr plan) {
    SmallVector<Run> runs(1);
    Value repeated;
    FailureOr<Target> found = programTarget(program, target);
    if (failed(found))
      return failure();
    for (Operation &op : program.getBody().front()) {
      SmallVector<Unit> units = unitsOf(program, op);
      if (isa<KernelOp>(op) && !runs.back().units.empty())
        runs.emplace_back();
      if (units.empty() || (units.front().steps && units.front().steps == repeated))
        continue;
      repeated = units.front().steps;
      bool beside = units.size() > 1;
      if (units.size() > maxGroups)
        return op.emitOpError() << "goes around " << units.size() << " statements, expected at most " << maxGroups
                                << ": they run side by side, each on workgroups of its own";
      bool full = groupsOf(runs.back(), plan) == maxGroups, differs = !haveWaves(runs.back(), units, plan, *found);
      if (full || differs || beside || runs.back().beside ||
          (plan.getKind() == PatternKind::Bulk && !runs.back().units.empty()))
        runs.push_back({{}, beside});
      runs.back().units.append(units);
    }
    llvm::erase_if(runs, [](const Run &run) { return run.units.empty(); });
    for (auto [i, run] : llvm::enumerate(runs)) {
      std::string name = program.getSymName().str();
      if (runs.size() > 1)
        name += "_" + std::to_string(i + 1);
      while (program.lookupSymbol(name)) // a kernel written by hand may have taken it
        name += "_fused";
      makeKernel(run, name, hasOwnGroups(plan) && run.units.size() > 1,
                 plan.getKind() == PatternKind::ProducerConsumer);
      ++kernels;
    }
    return success();
  }

  static bool hasOwnGroups(PatternAttr plan) {
    return plan.getKind() == PatternKind::Specialized || plan.getKind() == PatternKind::ProducerConsumer;
  }

  /// Whether more statements have what waves those of a run have: those of one kernel, where it will be two.
  static bool haveWaves(const Run &run, ArrayRef<Unit> units, PatternAttr plan, const Target &target) {
    SmallVector<ForallOp> loops, apart;
    for (ArrayRef<Unit> some : {ArrayRef<Unit>(run.units), units})
      for (const Unit &unit : some) {
        bool isApart = plan.getKind() == PatternKind::ProducerConsumer &&
                       (movesTiles(unit.forall) || ForallOp(unit.forall).getWorkgroups());
        (isApart ? apart : loops).push_back(unit.forall);
      }
    return haveWavesInCommon(loops, target) && haveWavesInCommon(apart, target);
  }

  /// At most so many groups of workgroups.
  static size_t groupsOf(const Run &run, PatternAttr plan) {
    if (hasOwnGroups(plan))
      return run.units.size();
    auto hasOwn = [](const Unit &unit) { return ForallOp(unit.forall).getWorkgroups().has_value(); };
    return 1 + llvm::count_if(run.units, hasOwn);
  }

  /// Of statements side by side, the one that has the workgroups that the others leave: the last that computes.
  static ForallOp restOf(const Run &run) {
    for (const Unit &unit : llvm::reverse(run.units))
      if (!movesTiles(unit.forall))
        return unit.forall;
    return run.units.back().forall;
  }

  void makeKernel(const Run &run, StringRef name, bool specialized, bool apart) {
    OpBuilder builder(run.units.back().outer);
    Location loc = ForallOp(run.units.front().forall).getLoc();
    auto kernel = KernelOp::create(builder, loc, name);
    Block &body = kernel.getBody().front();
    llvm::StringMap<unsigned> used;
    bool pool = false, afterPool = false;
    ForallOp rest = restOf(run);
    for (const Unit &unit : run.units) {
      ForallOp statement = unit.forall;
      // Copies have workgroups of their own; so has what follows a copy that follows the pool, since the pool would
      // otherwise wait for workgroups that arrive after its own. Groups then only wait for earlier ones, which needs no
      // residency.
      bool separate = movesTiles(statement) || afterPool || statement.getWorkgroups();
      pool |= !separate;
      afterPool |= separate && pool;
      std::string role = roleName(statement).str();
      if (unsigned count = used[role]++)
        role += "_" + std::to_string(count + 1);
      OpBuilder inner = OpBuilder::atBlockEnd(&body);
      bool owns = run.beside ? statement != rest : specialized && separate;
      IntegerAttr own = owns ? inner.getI64IntegerAttr(communication) : IntegerAttr();
      if (statement.getWorkgroups() && (run.units.size() > 1 || statement.getEngine()))
        own = statement.getWorkgroupsAttr();
      statement.removeWorkgroupsAttr();
      auto roleOp = RoleOp::create(inner, statement.getLoc(), inner.getStringAttr(role),
                                   TurnAttr::get(&getContext(), Turn::Each), own);
      roleOp.setEngine(statement.getEngine());
      statement.setEngine(false);
      roleOp.setScheduleAttr(statement.getScheduleAttr());
      statement.removeScheduleAttr();
      Block &roleBody = roleOp.getBody().emplaceBlock();
      unit.outer->moveBefore(&roleBody, roleBody.end());
    }
    setApart(kernel, apart && !run.beside);
  }

  /// Two kernels take roles for both: some with workgroups of their own, and some with what these leave.
  static void setApart(KernelOp kernel, bool apart) {
    bool hasOwn = false, hasPool = false, hasEngine = false;
    for (RoleOp role : kernel.getBody().getOps<RoleOp>()) {
      (role.getWorkgroups() ? hasOwn : hasPool) = true;
      hasEngine |= role.getEngine();
    }
    kernel.setApart(apart && hasOwn && hasPool && !hasEngine);
  }

  /// A name a reader understands: what the statement does.
  static StringRef roleName(ForallOp statement) {
    bool sends = false, fetches = false;
    statement.walk([&](AccessOpInterface access) {
      (access.writesBuffer() ? sends : fetches) |= access.getAccessRank() != nullptr;
    });
    if (movesTiles(statement))
      return sends ? "send" : fetches ? "fetch" : "copy";
    bool multiplies = contains<DotOp>(statement);
    return multiplies ? "multiply" : "combine";
  }
};

} // namespace
