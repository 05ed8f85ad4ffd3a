// Compares what kernels, groups and launches say of themselves with what they do; evaluates nothing but numbers of
// tasks.
#include "passes/checker/ExitStructure.h"
#include "passes/checker/BesideStructure.h"
#include "passes/checker/EngineStructure.h"
#include "passes/checker/LastArrivals.h"
#include "passes/checker/Senders.h"
#include "passes/checker/TallyStructure.h"
#include "tilec/constants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

std::optional<WorkerEnd> tilec::checker::workerEnd(Value end) {
  if (std::optional<int64_t> number = getConstantIntValue(end))
    return WorkerEnd{false, *number, 0};
  if (auto sum = end.getDefiningOp<arith::AddIOp>()) {
    std::optional<WorkerEnd> before = workerEnd(sum.getLhs()), size = workerEnd(sum.getRhs());
    if (!before || !size || (before->afterPool && size->afterPool))
      return std::nullopt;
    return WorkerEnd{before->afterPool || size->afterPool, before->own + size->own,
                     std::max(before->spared, size->spared)};
  }
  auto most = end.getDefiningOp<arith::MaxSIOp>();
  auto rest = most ? most.getLhs().getDefiningOp<arith::SubIOp>() : arith::SubIOp();
  if (!rest || getConstantIntValue(most.getRhs()) != 1 || !rest.getLhs().getDefiningOp<hip::WorkgroupsOp>())
    return std::nullopt;
  std::optional<int64_t> spared = getConstantIntValue(rest.getRhs());
  return spared ? std::optional(WorkerEnd{true, 0, *spared}) : std::nullopt;
}

//===-- launches
//------------------------------------------------------------------------------------------------------===//

/// Context, the program's buffers and numbers, scratch, extents and their largest values.
static LogicalResult checkLauncherArguments(tile::ProgramOp program, hip::LauncherOp launcher) {
  Builder builder(program.getContext());
  SmallVector<Type> expected{hip::ContextType::get(program.getContext())};
  for (BlockArgument argument : program.getArguments()) {
    auto buffer = dyn_cast<MemRefType>(argument.getType());
    expected.push_back(buffer ? hip::PointerType::get(program.getContext(), buffer.getElementType(), false)
                              : argument.getType());
  }
  expected.push_back(hip::PointerType::get(program.getContext(), builder.getNoneType(), false));
  expected.append(2 * program.getNumExtents(), builder.getIndexType());
  bool fits = launcher.getNumPointers() == program.getArguments().size() &&
              launcher.getNumExtents() == program.getNumExtents() &&
              llvm::equal(launcher.getBody().front().getArgumentTypes(), expected);
  if (fits)
    return success();
  return launcher.emitOpError()
         << "has other arguments than the program, expected the context, its buffers and numbers, the "
            "workspace, its extents and their largest values";
}

/// The number of a map among the launcher's arguments and, behind them, its maps; -1 of what is no map.
static int64_t mapNumber(hip::LauncherOp launcher, Value map) {
  int64_t number = launcher.getBody().getNumArguments();
  for (auto known : launcher.getBody().getOps<hip::TensorMapOp>()) {
    if (known.getResult() == map)
      return number;
    ++number;
  }
  return -1;
}

/// A kernel that takes the maps by which its slots are filled to be there is told so of all of them.
static LogicalResult checkMapped(hip::LaunchKernelOp launch, hip::MappedOp mapped, Block &body) {
  auto isFeed = [](Operation *user) { return isa<hip::MappedFeedOp>(user); };
  for (auto [passed, argument] : llvm::zip(launch.getArguments(), body.getArguments()))
    if (llvm::any_of(argument.getUsers(), isFeed) && !llvm::is_contained(mapped.getMaps(), passed)) {
      InFlightDiagnostic diagnostic = launch.emitOpError() << "passes a map of which its kernel is not told whether it "
                                                              "is there, expected it among the operands of "
                                                              "'hip.mapped'";
      diagnostic.attachNote(passed.getLoc()) << "the map is made here";
      return diagnostic;
    }
  return success();
}

/// A kernel says which of the launcher's arguments each of its own is.
static LogicalResult checkArguments(hip::LauncherOp launcher, hip::LaunchKernelOp launch, hip::KernelOp kernel) {
  Block &body = kernel.getBody().front();
  if (launch.getArguments().size() != body.getNumArguments())
    return launch.emitOpError() << "passes " << launch.getArguments().size() << " arguments, expected "
                                << body.getNumArguments() << " as '" << kernel.getSymName() << "' has";
  for (auto [passed, argument, expected] : llvm::zip(launch.getArguments(), body.getArguments(), kernel.getSources())) {
    auto source = dyn_cast<BlockArgument>(passed);
    auto to = dyn_cast<hip::PointerType>(argument.getType());
    auto from = dyn_cast<hip::PointerType>(passed.getType());
    bool fits = to && from ? to.getElement() == from.getElement() : argument.getType() == passed.getType();
    if (isa<hip::TensorMapType>(argument.getType()) && fits && mapNumber(launcher, passed) == expected)
      continue;
    if (auto mapped = passed.getDefiningOp<hip::MappedOp>(); mapped && fits && expected == hip::KernelOp::kMapped) {
      if (failed(checkMapped(launch, mapped, body)))
        return failure();
      continue;
    }
    if (auto all = passed.getDefiningOp<hip::AllWorkgroupsOp>();
        all && fits && expected == hip::KernelOp::kAll && all.getBeside() == launch.getBeside())
      continue;
    if (!source || source.getOwner()->getParentOp() != launcher || int64_t(source.getArgNumber()) != expected || !fits)
      return launch.emitOpError() << "passes something else as argument " << argument.getArgNumber() << " of '"
                                  << kernel.getSymName() << "', expected argument " << expected
                                  << " of the launcher, of its type";
  }
  return success();
}

static LogicalResult checkLaunch(hip::LauncherOp launcher, hip::LaunchKernelOp launch, hip::KernelOp kernel) {
  if (launch.getThreads() != kernel.getThreads() || launch.getSharedBytes() != kernel.getSharedBytes())
    return launch.emitOpError() << "asks for " << launch.getThreads() << " threads and " << launch.getSharedBytes()
                                << " bytes of LDS, expected " << kernel.getThreads() << " and "
                                << kernel.getSharedBytes() << " as '" << kernel.getSymName() << "' says";
  if ((!launch.getBeside() && launch.getMostAttr() != kernel.getMostWorkgroupsAttr()) ||
      (launch.getMost() && *launch.getMost() < kernel.getResident().value_or(1)))
    return launch.emitOpError() << "starts " << (launch.getMost() ? std::to_string(*launch.getMost()) : "any number of")
                                << " workgroups at most, expected as many as '" << kernel.getSymName()
                                << "' says, and no fewer than it needs to make progress";
  if (launch.getPairs() != kernel.getPairs())
    return launch.emitOpError() << "starts " << (launch.getPairs() ? "pairs of workgroups" : "workgroups alone")
                                << ", expected what '" << kernel.getSymName() << "' says of pairs";
  return checkArguments(launcher, launch, kernel);
}

LogicalResult tilec::checker::checkLauncher(tile::ProgramOp program) {
  auto launchers = llvm::to_vector(program.getBody().getOps<hip::LauncherOp>());
  if (launchers.size() != 1)
    return program.emitOpError() << "has " << launchers.size() << " launchers, expected one";
  hip::LauncherOp launcher = launchers.front();
  if (failed(checkLauncherArguments(program, launcher)))
    return failure();
  llvm::StringMap<unsigned> times;
  for (auto launch : launcher.getBody().getOps<hip::LaunchKernelOp>()) {
    hip::KernelOp kernel;
    for (auto candidate : program.getBody().getOps<hip::KernelOp>())
      if (candidate.getSymName() == launch.getKernel())
        kernel = candidate;
    if (!kernel)
      return launch.emitOpError() << "launches '" << launch.getKernel() << "', expected a kernel of the program";
    if (failed(checkLaunch(launcher, launch, kernel)))
      return failure();
    ++times[launch.getKernel()];
  }
  for (auto kernel : program.getBody().getOps<hip::KernelOp>())
    if (unsigned count = times.lookup(kernel.getSymName()); count != 1)
      return kernel.emitOpError() << "is launched " << count << " times, expected once";
  return failure(failed(checkEngines(program, launcher)) || failed(checkBeside(program, launcher)));
}

/// What the launcher says that other ranks do with arguments, which the host relies on, covers what the kernels do.
static LogicalResult checkPeers(const ProgramCode &program, hip::LauncherOp launcher) {
  if (launcher.getPeers().size() != program.op.getArguments().size())
    return launcher.emitOpError() << "says of " << launcher.getPeers().size() << " arguments what peers do, expected "
                                  << program.op.getArguments().size();
  for (auto [i, buffer] : llvm::enumerate(program.op.getArguments())) {
    const AccessSite *read = nullptr, *write = nullptr;
    for (const AccessSite &access : program.accesses) {
      if (access.rank < 0 || program.roots[program.views[access.view].root].value != buffer)
        continue;
      read = access.reads ? &access : read;
      write = access.writes ? &access : write;
    }
    auto claimed = cast<tile::PeerUseAttr>(launcher.getPeers()[i]).getValue();
    bool mayRead = claimed == tile::PeerUse::Read || claimed == tile::PeerUse::Both;
    bool mayWrite = claimed == tile::PeerUse::Write || claimed == tile::PeerUse::Both;
    const AccessSite *beyond = read && !mayRead ? read : write && !mayWrite ? write : nullptr;
    if (!beyond)
      continue;
    InFlightDiagnostic diagnostic =
        launcher.emitOpError() << "says '" << tile::stringifyPeerUse(claimed) << "' of what peers do with argument "
                               << i << ", expected that they " << (beyond->reads ? "read" : "write") << " it";
    diagnostic.attachNote(beyond->op->getLoc()) << "a peer accesses it here";
    return diagnostic;
  }
  return success();
}

/// Two grids without words may begin at the same place, where nothing in the text tells one from the other.
static bool hasNoWords(tile::SignalsOp grid) {
  return llvm::any_of(grid.getSizes().getResults(), [](AffineExpr size) {
    auto number = dyn_cast<AffineConstantExpr>(size);
    return number && number.getValue() <= 0;
  });
}

static LogicalResult checkScopes(const ProgramCode &program, hip::LauncherOp launcher) {
  if (launcher.getScopes().size() != program.grids.size())
    return launcher.emitOpError() << "says of " << launcher.getScopes().size() << " grids how far they reach, expected "
                                  << program.grids.size();
  for (size_t i = 0; i < program.grids.size(); ++i) {
    auto wide = llvm::find_if(program.syncs, [&](const SyncSite &sync) { return sync.grid == i && sync.system; });
    if (wide == program.syncs.end() || hasNoWords(program.grids[i].op) ||
        cast<tile::ScopeAttr>(launcher.getScopes()[i]).getValue() == tile::Scope::System)
      continue;
    InFlightDiagnostic diagnostic = launcher.emitOpError()
                                    << "says scope 'agent' of grid " << i << ", expected 'system'";
    diagnostic.attachNote(wide->op->getLoc()) << "it reaches other ranks here";
    return diagnostic;
  }
  return success();
}

LogicalResult tilec::checker::checkClaims(const ProgramCode &program, hip::LauncherOp launcher) {
  return failure(failed(checkPeers(program, launcher)) || failed(checkScopes(program, launcher)) ||
                 failed(checkGridsOfArrivals(program)));
}

//===-- kernels
//-------------------------------------------------------------------------------------------------------===//

namespace {

class KernelStructure {
public:
  KernelStructure(hip::KernelOp kernel, bool isLast, int64_t waveLanes)
      : kernel(kernel), isLast(isLast), waveLanes(waveLanes) {}

  LogicalResult run() {
    for (hip::GroupOp group : kernel.getGroups())
      own += group.getWorkgroups().value_or(0);
    for (Operation &op : kernel.getBody().front())
      if (failed(visit(&op)))
        return failure();
    if ((counted && failed(visitCounted())) || (drawn && failed(visitDrawn())))
      return failure();
    if (!last && !counted && !drawn)
      return kernel.emitOpError() << "has no last workgroup that leaves, expected a 'hip.group' of turn 'last'";
    WalkResult result = kernel.walk<WalkOrder::PreOrder>(
        [&](Operation *op) { return failed(visitNested(op)) ? WalkResult::interrupt() : WalkResult::advance(); });
    return failure(result.wasInterrupted() || failed(checkTallies(kernel)));
  }

private:
  /// The body enters the launch and computes; everything else is done by groups.
  LogicalResult visit(Operation *op) {
    if (last && !isMemoryEffectFree(op)) {
      InFlightDiagnostic diagnostic =
          op->emitOpError() << "comes after the workgroup has left, expected it before the group of turn 'last'";
      diagnostic.attachNote(last.getLoc()) << "it leaves here";
      return diagnostic;
    }
    bool enters = op->hasTrait<hip::Enters>();
    if (enters && entered)
      return op->emitOpError() << "enters the launch again, expected one 'hip.enter'";
    entered |= enters;
    if (auto count = dyn_cast<hip::CountLaunchOp>(op))
      counted = count;
    if (auto enter = dyn_cast<hip::EnterTasksOp>(op))
      drawn = enter;
    // Words in LDS are their workgroup's own.
    if (isMemoryEffectFree(op) || op->hasTrait<hip::RecordsOnly>() || enters || op->hasTrait<hip::MakesWords>() ||
        isa<hip::MeetPairOp, hip::EndPairOp>(op))
      return success();
    if (!entered)
      return op->emitOpError() << "comes before the kernel has entered the launch, expected 'hip.enter' before it";
    if (isa<hip::RenewTallyOp>(op))
      return success();
    if (auto around = dyn_cast<hip::ByRoleOp>(op)) {
      auto groups = around.getBody().getOps<hip::GroupOp>();
      return failure(llvm::any_of(groups, [&](hip::GroupOp group) { return failed(visitGroup(group)); }));
    }
    auto group = dyn_cast<hip::GroupOp>(op);
    if (!group)
      return op->emitOpError() << "stands in the body of its kernel, expected it in a 'hip.role' of a 'hip.group'";
    if (group.getTurn() == tile::Turn::First)
      return visitFirst(group);
    return group.getTurn() == tile::Turn::Last ? visitLast(group) : visitGroup(group);
  }

  /// Whoever draws the ticket of this number counts the launch: it is the last one if all workgroups draw until there
  /// are no tasks left, from one queue and in one loop.
  LogicalResult visitDrawn() {
    if (failed(checkAdvance(drawn, drawn.getAdvance())))
      return failure();
    if (last)
      return last.emitOpError() << "leaves a launch that who draws the last ticket counts, expected no group of turn "
                                   "'last'";
    SmallVector<hip::TasksOp> loops;
    kernel.walk([&](hip::TasksOp tasks) { loops.push_back(tasks); });
    hip::GroupOp group = loops.size() == 1 ? loops.front().getGroup() : hip::GroupOp();
    if (!group || !group.hasOneLoop() || group.isConditional() || group.getDealing() != tile::Dealing::Ticketed)
      return drawn.emitOpError() << "counts the launch by its last ticket, expected one loop over tasks that all "
                                    "workgroups draw";
    if (!isSameNumber(loops.front().getEnd(), drawn.getTasks())) {
      InFlightDiagnostic diagnostic = drawn.emitOpError()
                                      << "says another number of tasks than the loop that draws them";
      diagnostic.attachNote(loops.front().getLoc()) << "it is here";
      return diagnostic;
    }
    return success();
  }

  static bool isSameNumber(Value one, Value other) {
    std::optional<int64_t> number = getConstantIntValue(one);
    return one == other || (number && number == getConstantIntValue(other));
  }

  /// Epochs are those of launches, of which the last kernel is the end.
  LogicalResult checkAdvance(Operation *op, bool advance) {
    if (advance == isLast)
      return success();
    return op->emitOpError() << (isLast ? "does not advance the epoch, expected it in the last kernel of the launch"
                                        : "advances the epoch, expected that in the last kernel of the launch alone");
  }

  /// Workgroups do not know who else there is: nothing may depend on who came, or has done something.
  LogicalResult visitCounted() {
    if (failed(checkAdvance(counted, counted.getAdvance())))
      return failure();
    WalkResult result = kernel.walk([&](Operation *op) {
      auto group = dyn_cast<hip::GroupOp>(op);
      bool isDealt = !group || (group.getTurn() == tile::Turn::Each && !group.getEnd() &&
                                group.getDealing() == tile::Dealing::Strided);
      if (isDealt && !op->hasTrait<hip::Synchronizes>() && !isa<hip::CopyOfOp, hip::CopyNumberOp>(op))
        return WalkResult::advance();
      InFlightDiagnostic diagnostic =
          op->emitOpError() << "stands in a kernel that counts its launch as it begins, expected tasks dealt out by "
                               "number, no signals, and no copies that launches take in turn";
      diagnostic.attachNote(counted.getLoc()) << "it is counted here";
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  LogicalResult visitFirst(hip::GroupOp group) {
    if (numGroups)
      return group.emitOpError() << "does what is done once per launch behind a group, expected it before all groups";
    return success();
  }

  static bool takesNumbers(hip::GroupOp group) {
    return group
        .walk([](hip::TasksOp tasks) { return tasks.getNumbered() ? WalkResult::interrupt() : WalkResult::advance(); })
        .wasInterrupted();
  }

  /// Compares the workgroups that a group claims with those whom its condition lets in.
  LogicalResult visitGroup(hip::GroupOp group) {
    if (open && !group.isSender()) {
      InFlightDiagnostic diagnostic = group.emitOpError()
                                      << "chooses workgroups behind what all of them do, expected it before that";
      diagnostic.attachNote(open.getLoc()) << "all workgroups come here";
      return diagnostic;
    }
    const bool isNumbered = takesNumbers(group), isDealt = isNumbered || group.getDealing() == tile::Dealing::Strided;
    if (++numGroups > 1 && (isDealt || dealt))
      return group.emitOpError() << "stands beside another group, expected none where tasks are dealt out by number";
    if (isNumbered && group.isConditional())
      return group.emitOpError() << "is of some workgroups, expected all where their numbers are tickets";
    if (isDealt) {
      dealt = group;
      if (!group.hasOneLoop())
        return group.emitOpError() << "deals the tasks of several loops out by number, expected one loop";
    }
    if (group.isSender())
      return success();
    if (!group.getEnd()) {
      open = group;
      return success();
    }
    std::optional<WorkerEnd> now = workerEnd(group.getEnd());
    bool isPool = now && now->afterPool && !end.afterPool;
    bool fits = now && now->afterPool >= end.afterPool && (isPool ? now->own == end.own : now->own > end.own);
    if (!fits || (isPool && now->spared != own))
      return group.emitOpError() << "chooses a group of workgroups that is empty or not the next one, expected an end "
                                    "beyond that of the group before";
    std::optional<uint64_t> claimed = group.getWorkgroups();
    int64_t size = now->own - end.own;
    end = *now;
    if (claimed ? !isPool && int64_t(*claimed) == size : isPool)
      return success();
    InFlightDiagnostic diagnostic = group.emitOpError() << "lets ";
    diagnostic << (isPool ? "the pool" : std::to_string(size) + " workgroups") << " in, expected "
               << (claimed ? std::to_string(*claimed) + " workgroups" : "the pool") << " as it says of itself";
    return diagnostic;
  }

  LogicalResult visitLast(hip::GroupOp group) {
    last = group;
    auto leave = cast<hip::LeaveOp>(group.getBody().front().back());
    if (failed(checkAdvance(leave, leave.getAdvance())))
      return failure();
    WalkResult narrow = group.walk([&](hip::RaisingOpInterface signal) {
      if (group.getScope() == tile::Scope::System || !isa<hip::SignalOp, hip::SetOp>(signal) ||
          signal.getScope() != tile::Scope::System)
        return WalkResult::advance();
      InFlightDiagnostic diagnostic =
          group.emitOpError()
          << "releases at scope 'agent' what its workgroup signals to other ranks, expected 'system'";
      diagnostic.attachNote(signal->getLoc()) << "the signal is here";
      return WalkResult::interrupt();
    });
    return failure(narrow.wasInterrupted());
  }

  /// Of what may stand in blocks of the kernel's body too.
  LogicalResult visitNested(Operation *op) {
    if (auto group = dyn_cast<hip::GroupOp>(op); group && group.getQueue())
      return visitQueue(group, *group.getQueue());
    if (op->hasTrait<hip::Enters>() && op->getParentOp() != kernel)
      return op->emitOpError() << "stands inside a loop, a branch or a task, expected it once, in the kernel's body";
    for (Type type : op->getResultTypes())
      if (failed(checkWaves(op, type)))
        return failure();
    if (auto roles = dyn_cast<hip::ByRoleOp>(op))
      return visitRoles(roles);
    auto meeting = dyn_cast<hip::MeetingOpInterface>(op);
    if (meeting && meeting.getWaves() && !op->getParentOfType<hip::ByRoleOp>())
      return op->emitOpError() << "lets some waves meet where all do the same, expected that in a 'hip.by_role'";
    if (isa<hip::HandOnOp, hip::TellOp>(op) && !op->getParentOfType<hip::IfProducesOp>())
      return op->emitOpError() << "stands where all waves do the same, expected it in a 'hip.if_produces'";
    auto raising = dyn_cast<hip::RaisingOpInterface>(op);
    if (raising && raising.isByWave() && int64_t(kernel.getThreads()) > waveLanes &&
        !op->getParentOfType<hip::ByProducerOp>() && !op->getParentOfType<hip::TellOp>() && !isSenders(op))
      return op->emitOpError() << "is raised by each wave of a workgroup of " << kernel.getThreads()
                               << " threads, expected participants of one wave in workgroups of one alone";
    return success();
  }

  /// The wave that sends follows no tickets of the others: words that count it would never be read.
  LogicalResult visitSender(hip::ByRoleOp roles, int64_t waves) {
    int64_t consumers = roles.getConsumers(), apart = roles.getSender();
    if (apart && consumers + 2 > waves)
      return roles.emitOpError() << "has a sender behind " << consumers << " consumers, expected more than " << waves
                                 << " waves in its kernel";
    for (auto words : kernel.getBody().getOps<hip::TicketsOp>())
      if (int64_t(words.getApart().value_or(0)) != apart)
        return words.emitOpError() << "tells all waves but " << words.getApart().value_or(0) << ", expected all but "
                                   << apart;
    return success();
  }

  /// Some waves consume, and there are others; they part once, around all that has tasks.
  LogicalResult visitRoles(hip::ByRoleOp roles) {
    WalkResult outside = kernel.walk([&](Operation *op) {
      auto other = dyn_cast<hip::ByRoleOp>(op);
      if (other ? other == roles : !isa<hip::TasksOp>(op) || roles->isAncestor(op))
        return WalkResult::advance();
      InFlightDiagnostic diagnostic = op->emitOpError()
                                      << "stands beside waves that part, expected one 'hip.by_role' in a kernel, "
                                         "around all loops over tasks";
      diagnostic.attachNote(roles.getLoc()) << "the waves part here";
      return WalkResult::interrupt();
    });
    if (outside.wasInterrupted())
      return failure();
    int64_t consumers = roles.getConsumers(), waves = int64_t(kernel.getThreads()) / waveLanes;
    if (consumers < 1 || consumers >= waves)
      return roles.emitOpError() << "has " << consumers << " consumers, expected at least one of the " << waves
                                 << " waves of its kernel, and not all";
    if (failed(visitSender(roles, waves)))
      return failure();
    for (auto words : kernel.getBody().getOps<hip::TellingOp>())
      if (consumers + 2 > waves)
        return words.emitOpError() << "is for a second wave behind " << consumers << " consumers, expected more than "
                                   << waves << " waves in its kernel";
    return success();
  }

  /// Threads beyond those of its layout would move a tile's elements again.
  LogicalResult checkWaves(Operation *op, Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    auto layout = tile ? dyn_cast_or_null<tile::LayoutAttr>(tile.getEncoding()) : tile::LayoutAttr();
    if (!layout || layout.getRank() == 0)
      return success();
    int64_t threads = waveLanes << (layout.getWaves().size() / layout.getRank());
    auto roles = op->getParentOfType<hip::ByRoleOp>();
    int64_t expected = roles ? waveLanes * int64_t(roles.getConsumers()) : int64_t(kernel.getThreads());
    if (threads == expected)
      return success();
    return op->emitOpError() << "makes a tile of " << threads << " threads, expected " << expected << " as its "
                             << (roles ? "consumers have" : "kernel has");
  }

  LogicalResult visitQueue(hip::GroupOp group, int64_t number) {
    if (number < 0 || number >= queue_count)
      return group.emitOpError() << "draws from queue " << number << ", expected 0 to " << queue_count - 1;
    auto [it, isNew] = queues.try_emplace(number, group);
    if (isNew)
      return success();
    InFlightDiagnostic diagnostic = group.emitOpError()
                                    << "draws from queue " << number << ", expected one that no other group has";
    diagnostic.attachNote(it->second.getLoc()) << "the other group draws here";
    return diagnostic;
  }

  hip::KernelOp kernel;
  bool isLast, entered = false;
  int64_t waveLanes;
  int64_t own = 0;            ///< workgroups that groups claim for themselves
  hip::GroupOp last;          ///< of turn `last`
  hip::CountLaunchOp counted; ///< where nobody leaves
  hip::EnterTasksOp drawn;    ///< the same
  hip::GroupOp open;          ///< the first group that lets all workgroups in
  hip::GroupOp dealt;         ///< whose tasks are not drawn
  WorkerEnd end;
  unsigned numGroups = 0; ///< of turn `each`
  llvm::DenseMap<int64_t, hip::GroupOp> queues;
};

} // namespace

LogicalResult tilec::checker::checkStructure(hip::KernelOp kernel, bool isLast, int64_t waveLanes) {
  return KernelStructure(kernel, isLast, waveLanes).run();
}

//===-- numbers of tasks
//----------------------------------------------------------------------------------------------===//

static int64_t evaluate(AffineMap map, ArrayRef<int64_t> extents) {
  SmallVector<AffineExpr> values;
  for (int64_t value : extents)
    values.push_back(getAffineConstantExpr(value, map.getContext()));
  return cast<AffineConstantExpr>(map.getResult(0).replaceSymbols(values)).getValue();
}

/// A product of the sizes of a grid, of which one below zero counts as none.
static int64_t countTasks(AffineExpr expression, AffineMap of, ArrayRef<int64_t> extents) {
  auto product = dyn_cast<AffineBinaryOpExpr>(expression);
  if (product && product.getKind() == AffineExprKind::Mul)
    return countTasks(product.getLHS(), of, extents) * countTasks(product.getRHS(), of, extents);
  AffineMap single = AffineMap::get(of.getNumDims(), of.getNumSymbols(), expression);
  return std::max<int64_t>(evaluate(single, extents), 0);
}

void tilec::checker::checkTaskCounts(const Trace &trace, ArrayRef<int64_t> extents, Findings &findings) {
  auto launcher = *trace.program->op.getBody().getOps<hip::LauncherOp>().begin();
  uint32_t number = 0; // two kernels that are a launch together have one
  for (auto launch : launcher.getBody().getOps<hip::LaunchKernelOp>()) {
    auto kernel = cast<hip::KernelOp>(SymbolTable::lookupSymbolIn(trace.program->op, launch.getKernel()));
    for (uint32_t rank = 0; rank < trace.numRanks(); ++rank) {
      llvm::StringMap<int64_t> counts;
      for (const std::vector<RoleThreads> &group : trace.kernels[rank][number].groups)
        for (const RoleThreads &threads : group)
          counts[trace.program->kernels[number].roles[threads.role].name] += threads.numTasks();
      kernel.walk([&](hip::RoleOp role) {
        if (!role.getTasks())
          return;
        int64_t expected = countTasks(role.getTasks()->getResult(0), *role.getTasks(), extents);
        int64_t got = counts.lookup(role.getSymName());
        if (got != expected)
          findings.report("tasks", role, nullptr, [&](InFlightDiagnostic &diagnostic) {
            diagnostic << "role @" << role.getSymName() << " has " << got << " tasks on rank " << rank << ", expected "
                       << expected << " as it says of itself";
          });
      });
    }
    number += !launch.getAside();
  }
}
