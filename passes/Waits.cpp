// Barriers become signals and waits: which pairs of accesses need them, and the edges of a launch. Moves no access.
#include "passes/Passes.h"
#include "passes/ProgramTarget.h"
#include "passes/waits/Synchronization.h"
#include "passes/waits/ViewWalk.h"
#include "passes/waits/WritesOver.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace tilec {
#define GEN_PASS_DEF_WAITS
#include "passes/Passes.h.inc"
} // namespace tilec

namespace {

class Waits : public tilec::impl::WaitsBase<Waits> {
public:
  using WaitsBase::WaitsBase;

  void runOnOperation() override {
    ProgramOp program = getOperation();
    if (failed(expectKernels(program)))
      return signalPassFailure();
    // One pass runs on all programs of a file.
    exchanges = handshake = refused = false;
    waits.clear();
    carried.clear();
    heard.clear();
    signalled.clear();
    remarked.clear();
    uncounted.clear();
    covered.clear();
    PatternAttr pattern = program.getPattern().value_or(PatternAttr::getDefault(&getContext()));
    covering = program.getGranularity().value_or(GranularityAttr::getDefault(&getContext()));
    program.setGranularityAttr(covering);
    bulk = pattern.getKind() == PatternKind::Bulk;
    // A copy engine is told where to copy to when a launch is enqueued, or captured.
    oneCopy = pattern.getCredits() || pattern.getRemote() == Remote::CopyEngine;
    FailureOr<StepCounts> steps = flattenSteps(program);
    FailureOr<Target> machine = programTarget(program, target);
    if (failed(steps) || failed(machine))
      return signalPassFailure();
    coarse += coarsenEngineCopies(program);
    if (Synchronizer before(program, *steps); !bulk)
      coarse += coarsenCopies(before, covering, *machine);
    Synchronizer synchronizer(program, *steps);
    sync = &synchronizer;
    orderAll();
    if (refused)
      return signalPassFailure();
    // First: whoever is told that this rank has done with a buffer may copy there, from another rank, too.
    awaitEngines(*sync);
    guardArguments();
    guardScratch();
    sync->emitCompletions();
    sync->carryTokens();
    if (failed(splitGates(*sync)))
      return signalPassFailure();
  }

private:
  static LogicalResult expectKernels(ProgramOp program) {
    for (Operation &op : program.getBody().front()) {
      if (isa<ForallOp>(op))
        return op.emitOpError() << "stands outside a 'tile.kernel': run tile-fuse first";
      // Signals are derived within a kernel; what `partition` takes out of one keeps them.
      if (auto kernel = dyn_cast<KernelOp>(op); kernel && kernel.getBeside())
        return op.emitOpError() << "runs beside another kernel before waits are derived, expected the roles of both in "
                                   "one kernel with the attribute 'apart'";
    }
    return success();
  }

  static bool isArgument(Value root) { return isa<BlockArgument>(root); }

  static bool isPersistent(Value root) {
    auto alloc = root.getDefiningOp<AllocOp>();
    return alloc && alloc.getPersistent();
  }

  void orderAll() {
    std::vector<Statement> &statements = sync->statements();
    for (size_t later = 0; later < statements.size(); ++later) {
      // Under barriers the last kernel first: who has ended it has ended those before.
      for (size_t number = 0; number < later; ++number)
        orderStatements(statements[bulk ? later - 1 - number : number], statements[later], 0);
      for (size_t next = later; next < statements.size(); ++next)
        if (statements[next].isInLoopWith(statements[later]))
          orderStatements(statements[next], statements[later], 1);
      if (statements[later].steps)
        requireTurns(statements[later]);
    }
    for (Statement &statement : statements)
      if (statement.steps)
        orderRewrites(statement);
  }

  /// A task writes again what it wrote some steps before. Where others have read that in between, it has waited for
  /// them, as they had for what it wrote.
  void orderRewrites(Statement &statement) {
    for (Footprint &write : statement.accesses) {
      if (!write.writes || write.commutation)
        continue;
      StepDistance distance = distanceOf(statement, write, statement, write, 1);
      if (distance.reach == StepDistance::Reach::Never || isReadBetween(statement, write, distance))
        continue;
      orderAccesses(statement, write, statement, write, distance);
    }
  }

  bool isReadBetween(Statement &statement, Footprint &write, const StepDistance &distance) {
    return distance.reach == StepDistance::Reach::Exact && llvm::any_of(carried, [&](const Carried &to) {
             return to.first == write.op && llvm::any_of(carried, [&](const Carried &back) {
                      return back.first == to.second && back.second == write.op &&
                             to.steps + back.steps == distance.steps &&
                             touchesAsOneTask(*to.reader, *to.read, statement, write);
                    });
           });
  }

  /// True when each task of a statement touches some of what the task of another one with the same indices touches.
  /// Dimensions that steps take in turn are left out: the steps are known to meet there.
  bool touchesAsOneTask(const Statement &reader, const Footprint &read, const Statement &writer,
                        const Footprint &write) {
    ForallOp from = reader.forall, into = writer.forall;
    auto bounds = overExtents(*from.getBounds(), from.getExtents(), sync->world()),
         others = overExtents(*into.getBounds(), into.getExtents(), sync->world());
    if (!bounds || bounds != others)
      return false;
    for (unsigned d = 0; d < write.first.size(); ++d) {
      if (write.size[d] == 1 && read.size[d] == 1 && takesTurns(write, d, writer.step()))
        continue;
      IndexForm place = read.first[d];
      for (auto [index, other] : llvm::zip(from.getIndices(), into.getIndices()))
        place = place.substitute(index, IndexForm::of(other));
      IndexForm apart = place - write.first[d];
      auto moved = dyn_cast<AffineConstantExpr>(apart.constant);
      if (!apart.isConstant() || !moved || moved.getValue() >= write.size[d] || -moved.getValue() >= read.size[d])
        return false;
    }
    return true;
  }

  /// Whether a statement between the two has waited for the first access, and the second one waits for that.
  bool isCovered(const Footprint &first, const Statement &later, const Footprint &second) const {
    auto by = covered.find(first.op);
    return by != covered.end() && by->second != later.forall;
  }

  /// `least`: how many steps lie between them at least, when a loop repeats both.
  void orderStatements(Statement &earlier, Statement &later, int64_t least) {
    for (Footprint &second : later.accesses)
      for (Footprint &first : earlier.accesses) {
        if (!first.conflictsWith(second) || first.op == second.op || isCovered(first, later, second) ||
            disjoint(first, second))
          continue;
        if (writesOver(earlier, first, later, second, sync->rank(), sync->world()))
          covered.insert({first.op, later.forall});
        std::optional<StepDistance> distance;
        if (earlier.isInLoopWith(later))
          distance = distanceOf(earlier, first, later, second, least);
        if (!distance || distance->reach != StepDistance::Reach::Never)
          orderAccesses(earlier, first, later, second, distance);
      }
  }

  StepDistance distanceOf(const Statement &earlier, const Footprint &first, const Statement &later,
                          const Footprint &second, int64_t least) {
    StepDistance distance =
        stepsBetween(first, earlier.step(), second, later.step(), sync->rank(), sync->world(), least);
    auto count = dyn_cast<AffineConstantExpr>(IndexForm::of(later.steps).constant);
    bool isBeyond = count && distance.steps >= count.getValue();
    return isBeyond ? StepDistance{StepDistance::Reach::Never, 0} : distance;
  }

  /// Tasks of one step run in no order: what one of them writes, no other one may touch in that step.
  void requireTurns(Statement &statement) {
    for (Footprint &write : statement.accesses)
      for (Footprint &other : statement.accesses) {
        if (!write.writes || &write == &other || !write.conflictsWith(other) || !areOthers(statement, write, other))
          continue;
        StepDistance distance = distanceOf(statement, write, statement, other, 0);
        if (distance.reach != StepDistance::Reach::Exact || distance.steps != 0)
          continue;
        InFlightDiagnostic diagnostic = other.op->emitOpError()
                                        << (other.writes ? "writes" : "reads")
                                        << " what another task of the same step writes: the buffer has too few copies, "
                                           "expected one whose leading dimension the steps take in turn";
        diagnostic.attachNote(write.op->getLoc()) << "it is written here";
        refused = true;
        return;
      }
  }

  /// True when an access certainly touches elements that other tasks, here or on other ranks, write.
  bool areOthers(Statement &statement, const Footprint &write, const Footprint &other) {
    if (write.op->getParentOp() != statement.forall || other.op->getParentOp() != statement.forall)
      return false;
    auto from = neighbourShift(write.rank, sync->rank(), sync->world()),
         to = neighbourShift(other.rank, sync->rank(), sync->world());
    bool isNear = true, isMoved = false;
    for (unsigned d = 0; d < write.first.size(); ++d) {
      IndexForm apart = write.first[d] - other.first[d];
      auto moved = dyn_cast<AffineConstantExpr>(apart.constant);
      if (write.size[d] == 1 && other.size[d] == 1 && !(apart.isConstant() && moved))
        continue; // a place that steps take in turn
      isNear &= apart.isConstant() && moved && std::abs(moved.getValue()) < std::min(write.size[d], other.size[d]);
      isMoved |= isNear && moved.getValue() != 0;
    }
    return from && to && isNear && ((*from - *to) % sync->world() != 0 || isMoved);
  }

  /// Intervals of elements, or of views, that do not meet in some dimension whatever the extents.
  static bool disjoint(const Footprint &a, const Footprint &b) {
    auto liesBefore = [](const IndexForm &first, const IndexForm &size, const IndexForm &second) {
      return first.isConstant() && size.isConstant() && second.isConstant() && isNonNegative(second - first - size);
    };
    for (size_t d = 0; d < a.first.size(); ++d) {
      auto size = [d](const Footprint &access) {
        return IndexForm::of(access.size[d], access.first[d].constant.getContext());
      };
      bool apart = liesBefore(a.first[d], size(a), b.first[d]) || liesBefore(b.first[d], size(b), a.first[d]);
      if ((apart && a.exact && b.exact) || liesBefore(a.clipFirst[d], a.clipSize[d], b.clipFirst[d]) ||
          liesBefore(b.clipFirst[d], b.clipSize[d], a.clipFirst[d]))
        return true;
    }
    return false;
  }

  void orderAccesses(Statement &earlier, Footprint &first, Statement &later, Footprint &second,
                     std::optional<StepDistance> distance) {
    bool remote = first.rank || second.rank;
    // Kernels of one rank follow each other: only what another rank did needs more.
    if (!remote && earlier.kernel != later.kernel)
      return;
    // A barrier at the end of a kernel is of no use inside of it: roles that an author put into one wait for tiles.
    if (bulk && earlier.kernel != later.kernel) {
      // Each kernel waits itself for what it reads, though one before it may have: chiplets that had no workgroup of
      // that one may hold what was there before.
      auto known = llvm::find_if(heard, [&](const Heard &each) {
        return each.ended && !each.ended->isBeforeInBlock(earlier.kernel) &&
               each.token.getDefiningOp()->getParentOfType<RoleOp>() == later.role;
      });
      if (known != heard.end())
        return sync->protect(second, known->token);
      SignalsOp reached = sync->rankGrid(("reached_" + earlier.kernel.getSymName()).str());
      if (signalled.insert(reached).second)
        sync->signalEveryone(&sync->edgeRole(earlier.kernel, Turn::Last).getBody().front(), reached);
      heard.push_back({later.kernel, sync->awaitEveryone(later.role, reached, 0), earlier.kernel, second, {}});
      sync->protect(second, heard.back().token);
      exchanges = true;
      ++barriers;
      return;
    }
    if (!first.exact || !second.exact)
      return refuseStep(earlier, first, later, second);
    if (!isCounted(earlier))
      return refuseGrid(earlier, later, second);
    Completion completion = completionOf(earlier, first, second, distance.has_value());
    std::vector<Emitted> &known = waits[{completion.grid, later.forall}];
    for (Emitted &emitted : known)
      if (emitted.steps == stepsOf(distance) && sameWait(emitted, first, second)) {
        ++merged;
        noteCarried(first, later, second, distance, emitted.token);
        return sync->protect(second, emitted.token);
      }
    remarkOnData(first, second);
    Hearing hearing;
    Value own = awaitFootprint(*sync, later, second, earlier, first, completion, covering, distance, hearing);
    Value token = unlessRepeated(own, llvm::map_to_vector(known, [](const Emitted &emitted) { return emitted.token; }));
    merged += token != own;
    inLoops += isa<scf::ForOp>(token.getParentBlock()->getParentOp());
    // Loops and views may be empty for some extents above 0: in such a launch the wait proves nothing.
    bool always = !distance && hasTasks(earlier) && hasTasks(later) && alwaysReads(later, second, token);
    // Where tasks may read beside their view, all of them may, and wait for nothing.
    exchanges |= always && completion.byRank && hearing.from != Hearing::From::Some && hearing.beside.empty();
    if (always && completion.byRank && hearing.from == Hearing::From::Each)
      heard.push_back({later.kernel, token, nullptr, second, hearing.beside});
    // A task that has waited for every rank passes that on to whoever waits for its completion.
    if (always && !completion.byRank && hearsBefore(earlier, first) &&
        findsATask(earlier, first, later, second, sync->world()))
      heard.push_back(
          {later.kernel, token, nullptr, second, llvm::to_vector(llvm::seq<unsigned>(second.first.size()))});
    known.push_back({stepsOf(distance), first, second, token});
    noteCarried(first, later, second, distance, token);
    sync->protect(second, token);
    ++inserted;
  }

  /// A wait for a step of the same loop, that every task has.
  struct Carried {
    Operation *first, *second;
    Statement *reader; ///< of the second access
    const Footprint *read;
    int64_t steps;
  };
  void noteCarried(const Footprint &first, Statement &later, const Footprint &second,
                   const std::optional<StepDistance> &distance, Value token) {
    if (distance && distance->reach == StepDistance::Reach::Exact &&
        token.getParentBlock() == &later.forall.getBody().front())
      carried.push_back({first.op, second.op, &later, &second, distance->steps});
  }

  /// The completion of `earlier` that the ranks learn of which make the second of two accesses. In a loop the
  /// neighbours are the same in all steps: a step writes again to the one that another step wrote to, and one that has
  /// read tells the one that writes.
  Completion completionOf(Statement &earlier, Footprint &first, Footprint &second, bool inSteps) {
    auto from = neighbourShift(first.rank, sync->rank(), sync->world()),
         to = neighbourShift(second.rank, sync->rank(), sync->world());
    if ((!first.rank && !second.rank) || (inSteps && from && from == to))
      return sync->completionOf(earlier, first, Audience::Self);
    if (inSteps && !first.rank && to) {
      Footprint told = first;
      told.rank = sync->neighbour(-*to);
      return sync->completionOf(earlier, told, Audience::Target);
    }
    return sync->completionOf(earlier, first, first.rank && !second.rank ? Audience::Target : Audience::Everyone);
  }

  /// Of a wait for statements in the same loop; of others none.
  static std::pair<int, int64_t> stepsOf(const std::optional<StepDistance> &distance) {
    return distance ? std::pair<int, int64_t>(int(distance->reach), distance->steps) : std::pair<int, int64_t>(-1, 0);
  }

  /// Says once of an access why what it waits for, or what waits for it, is more than it touches.
  void remarkOnData(const Footprint &first, const Footprint &second) {
    for (const Footprint *access : {&first, &second})
      if (access->whole && remarked.insert(access->op).second)
        access->op->emitRemark() << "takes part in a wait for all of dimension " << *access->whole
                                 << " of the buffer: the elements that it " << (access->writes ? "writes" : "reads")
                                 << " there are named by data";
  }

  /// What needs no waits for tasks: pattern 'bulk' has none between kernels, and no pattern moves the roles of an
  /// author.
  StringRef withoutWaits(const Statement &earlier, const Statement &later) {
    bool isByHand = TileDialect::ByHandAttrHelper(&getContext()).isAttrPresent(getOperation());
    return isByHand && earlier.kernel == later.kernel ? "a kernel for each of the two accesses" : "pattern 'bulk'";
  }

  /// Which tasks touch the elements of a view that steps by an extent is not derived.
  void refuseStep(const Statement &earlier, const Footprint &first, const Statement &later, const Footprint &second) {
    const Footprint &stepping = first.exact ? second : first, &other = first.exact ? first : second;
    InFlightDiagnostic diagnostic = stepping.op->emitError()
                                    << "accesses a view whose step is no literal, for which this pattern has no waits; "
                                       "expected a literal, or "
                                    << withoutWaits(earlier, later);
    diagnostic.attachNote(other.op->getLoc()) << "the same buffer is accessed here";
    refused = true;
  }

  /// Signals count the tasks of a statement along its grid, whose sizes must be known before the launch.
  bool isCounted(Statement &statement) {
    return overExtents(*statement.forall.getBounds(), statement.forall.getExtents(), sync->world()).has_value();
  }

  void refuseGrid(Statement &earlier, const Statement &later, const Footprint &second) {
    refused = true;
    if (!uncounted.insert(earlier.forall).second)
      return;
    InFlightDiagnostic diagnostic = earlier.forall.emitOpError()
                                    << "has a bound that is no expression over the extents, for whose tasks this "
                                       "pattern has no waits; expected extents, or "
                                    << withoutWaits(earlier, later);
    diagnostic.attachNote(second.op->getLoc()) << "this access has to wait for them";
  }

  /// True when the tile loop of a statement has tasks for all extents above 0.
  bool hasTasks(Statement &statement) {
    auto bounds = overExtents(*statement.forall.getBounds(), statement.forall.getExtents(), sync->world());
    return bounds && llvm::all_of(*bounds, isPositive);
  }

  /// True when the view of an access has elements, and the loops around it and around its wait have an iteration, for
  /// all extents above 0.
  static bool alwaysReads(const Statement &statement, const Footprint &access, Value token) {
    auto isFilled = [](const IndexForm &size) { return size.isConstant() && isPositive(size.constant); };
    if (!llvm::all_of(access.clipSize, isFilled))
      return false;
    auto runs = [](scf::ForOp loop) {
      IndexForm passes = IndexForm::of(loop.getUpperBound()) - IndexForm::of(loop.getLowerBound());
      return passes.isConstant() && isPositive(passes.constant);
    };
    for (Operation *op = access.op->getParentOp(); op != statement.forall; op = op->getParentOp())
      if (auto loop = dyn_cast<scf::ForOp>(op); loop && !runs(loop))
        return false;
    for (Operation *op = token.getParentBlock()->getParentOp(); op != statement.forall; op = op->getParentOp())
      if (!isa<scf::ForOp>(op))
        return false;
    return true;
  }

  /// Of expressions over extents above 0: what only adds, multiplies and rounds up stays above 0.
  static bool isPositive(AffineExpr size) {
    if (auto constant = dyn_cast<AffineConstantExpr>(size))
      return constant.getValue() > 0;
    auto binary = dyn_cast<AffineBinaryOpExpr>(size);
    if (!binary)
      return isa<AffineSymbolExpr>(size);
    bool rounds = binary.getKind() == AffineExprKind::FloorDiv || binary.getKind() == AffineExprKind::Mod;
    return !rounds && isPositive(binary.getLHS()) && isPositive(binary.getRHS());
  }

  /// Two waits are one when they invert the same footprints.
  struct Emitted {
    std::pair<int, int64_t> steps;
    Footprint first, second;
    Value token;
  };
  static bool sameFootprint(const Footprint &a, const Footprint &b) {
    auto equal = [](const IndexForm &x, const IndexForm &y) { return x == y; };
    return a.rank == b.rank && a.size == b.size && llvm::all_of_zip(a.first, b.first, equal) &&
           llvm::all_of_zip(a.clipFirst, b.clipFirst, equal) && llvm::all_of_zip(a.clipSize, b.clipSize, equal);
  }
  /// The emitted wait must also stand before the access.
  static bool sameWait(const Emitted &emitted, const Footprint &first, const Footprint &second) {
    if (!sameFootprint(emitted.first, first) || !sameFootprint(emitted.second, second))
      return false;
    Operation *ancestor = Value(emitted.token).getParentBlock()->findAncestorOpInBlock(*second.op);
    return ancestor && emitted.token.getDefiningOp()->isBeforeInBlock(ancestor);
  }

  /// A wait for a signal that every rank raises in this launch. After it all earlier launches are over on every rank.
  struct Heard {
    KernelOp kernel; ///< of the wait
    Value token;
    KernelOp ended;               ///< under a barrier: the kernel that is over on every rank then, too
    Footprint read;               ///< what was waited for
    SmallVector<unsigned> beside; ///< dimensions in which the read may lie outside its view, and the wait be empty
  };

  /// True when an access of the same task lies outside its view wherever the read that waited does.
  static bool isBesideWith(const Footprint &access, const Heard &each) {
    return llvm::all_of(each.beside, [&](unsigned d) {
      IndexForm moved = each.read.first[d] - each.read.clipFirst[d];
      return llvm::any_of(llvm::seq(access.first.size()), [&](size_t e) {
        return access.size[e] == each.read.size[d] && access.clipSize[e] == each.read.clipSize[d] &&
               access.first[e] - access.clipFirst[e] == moved;
      });
    });
  }

  /// Such a wait before an access: its token, or none where all workgroups of an earlier kernel waited before their
  /// tasks.
  std::optional<Value> hearsBefore(const Statement &statement, const Footprint &access) {
    for (Heard &each : heard) {
      Block *block = each.token.getParentBlock();
      if (each.kernel != statement.kernel) {
        if (each.kernel->isBeforeInBlock(statement.kernel) && isa<RoleOp>(block->getParentOp()))
          return Value();
        continue;
      }
      Operation *ancestor = block->findAncestorOpInBlock(*access.op);
      if (ancestor && each.token.getDefiningOp()->isBeforeInBlock(ancestor) && isBesideWith(access, each))
        return each.token;
    }
    return std::nullopt;
  }

  void protectIfAny(const Footprint &access, Value token) {
    if (token)
      sync->protect(access, token);
  }

  /// Peers touch an argument only after its rank has entered the launch, and the launch ends only when they are done.
  void guardArguments() {
    bool entry = false;
    for (Statement &statement : sync->statements())
      for (Footprint &access : statement.accesses) {
        if (!access.rank || !(isArgument(access.root) || isPersistent(access.root)))
          continue;
        handshake = true;
        if (!isArgument(access.root))
          continue;
        if (std::optional<Value> token = hearsBefore(statement, access)) {
          protectIfAny(access, *token);
          continue;
        }
        entry = true;
        sync->protect(access, sync->awaitEveryone(statement.role, sync->rankGrid(Handshake::Entered), 0));
      }
    if (!handshake)
      return;
    auto kernels = getOperation().getBody().getOps<KernelOp>();
    KernelOp first = *kernels.begin(), last = first;
    for (KernelOp kernel : kernels)
      last = kernel;
    if (entry)
      sync->signalEveryone(&sync->edgeRole(first, Turn::First).getBody().front(), sync->rankGrid(Handshake::Entered));
    Block &leave = sync->edgeRole(last, Turn::Last).getBody().front();
    sync->signalEveryone(&leave, sync->rankGrid(Handshake::Done));
    OpBuilder builder = OpBuilder::atBlockEnd(&leave);
    sync->waitForRanks(builder, sync->rankGrid(Handshake::Done), 0);
  }

  /// Whether no rank accesses a buffer any more when another launch writes it, whatever its copies: after its last
  /// access the launch before has waited for every rank, or all writers wait for every rank first.
  bool isFreeInTime(Value root) {
    KernelOp last;
    std::vector<std::pair<Footprint *, std::optional<Value>>> writes;
    for (Statement &statement : sync->statements())
      for (Footprint &access : statement.accesses) {
        if (access.root != root)
          continue;
        if (!last || last->isBeforeInBlock(statement.kernel))
          last = statement.kernel;
        if (access.writes)
          writes.emplace_back(&access, hearsBefore(statement, access));
      }
    if (llvm::any_of(heard, [&](Heard &each) { return each.ended && !each.ended->isBeforeInBlock(last); }))
      return true;
    if (!llvm::all_of(writes, [](auto &write) { return write.second.has_value(); }))
      return false;
    for (auto &[access, token] : writes)
      protectIfAny(*access, *token);
    return true;
  }

  /// Scratch that peers touch. When every launch ends with a handshake, or a buffer is free in time, one copy needs no
  /// message; where every rank waits for every other one in each launch, two copies need none. Otherwise, or with one
  /// copy, a credit, given when a launch is over.
  void guardScratch() {
    llvm::SetVector<Operation *> shared;
    for (Statement &statement : sync->statements())
      for (Footprint &access : statement.accesses)
        if (auto alloc = access.root.getDefiningOp<AllocOp>(); alloc && access.rank && !alloc.getPersistent())
          shared.insert(alloc);
    if (handshake)
      return;
    shared.remove_if([&](Operation *alloc) { return isFreeInTime(alloc->getResult(0)); });
    if (shared.empty())
      return;
    int64_t copies = oneCopy ? 1 : 2;
    for (Operation *alloc : shared)
      cast<AllocOp>(alloc).setCopies(copies);
    if (exchanges && !oneCopy)
      return;
    SignalsOp consumed = sync->rankGrid(Handshake::Consumed);
    for (Statement &statement : sync->statements())
      for (Footprint &access : statement.accesses)
        if (access.writes && access.root.getDefiningOp() && shared.contains(access.root.getDefiningOp()))
          sync->protect(access, sync->awaitEveryone(statement.role, consumed, copies));
    KernelOp last;
    for (KernelOp kernel : getOperation().getBody().getOps<KernelOp>())
      last = kernel;
    sync->signalEveryone(&sync->edgeRole(last, Turn::Last).getBody().front(), consumed);
    ++credits;
  }

  Synchronizer *sync = nullptr;
  GranularityAttr covering;
  bool bulk = false, oneCopy = false, exchanges = false, handshake = false, refused = false;
  /// Of the tasks of a loop for the completion of others: [grid, loop]
  llvm::DenseMap<std::pair<Operation *, Operation *>, std::vector<Emitted>> waits;
  std::vector<Carried> carried;
  std::vector<Heard> heard;
  llvm::DenseSet<Operation *> signalled, remarked, uncounted;
  llvm::DenseMap<Operation *, ForallOp> covered; ///< accesses, by the first statement that writes over all they touch
};

} // namespace
