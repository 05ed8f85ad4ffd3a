// Looks at the operations of a kernel's body in their order; evaluates nothing but numbers of tasks.
#include "passes/checker/ExitStructure.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

/// Counters that a launch has (runtime/include/tilec/launch.h).
static constexpr int64_t queueCount = 8;

StringRef tilec::checker::roleName(Operation *op, StringRef otherwise) {
  auto comment = op->getAttrOfType<StringAttr>(hip::HipDialect::commentAttr);
  return comment ? comment.getValue().split(':').first : otherwise;
}

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

/// A name without the number that makes it unlike others of its scope.
static StringRef plainName(Operation *op, unsigned number) {
  auto names = op->getAttrOfType<ArrayAttr>(hip::HipDialect::argumentsAttr);
  if (!names || number >= names.size())
    return {};
  StringRef name = cast<StringAttr>(names[number]).getValue();
  auto [front, digits] = name.rsplit('_');
  return !digits.empty() && llvm::all_of(digits, llvm::isDigit) ? front : name;
}

/// Context, the program's buffers, scratch, extents and their largest values.
static LogicalResult checkLauncherArguments(tile::ProgramOp program, hip::LauncherOp launcher) {
  Builder builder(program.getContext());
  SmallVector<Type> expected{hip::ContextType::get(program.getContext())};
  for (BlockArgument buffer : program.getBuffers())
    expected.push_back(
        hip::PointerType::get(program.getContext(), cast<MemRefType>(buffer.getType()).getElementType(), false));
  expected.push_back(hip::PointerType::get(program.getContext(), builder.getNoneType(), false));
  expected.append(2 * program.getNumExtents(), builder.getIndexType());
  bool fits = launcher.getNumPointers() == program.getBuffers().size() &&
              launcher.getNumExtents() == program.getNumExtents() &&
              llvm::equal(launcher.getBody().front().getArgumentTypes(), expected);
  if (fits)
    return success();
  return launcher.emitOpError() << "has other arguments than the program, expected the context, its buffers, the "
                                   "workspace, its extents and their largest values";
}

/// Kernels take the launcher's arguments in its order, without those that they do not use.
static LogicalResult checkArguments(hip::LauncherOp launcher, hip::LaunchKernelOp launch, hip::KernelOp kernel) {
  Block &body = kernel.getBody().front();
  if (launch.getArguments().size() != body.getNumArguments())
    return launch.emitOpError() << "passes " << launch.getArguments().size() << " arguments, expected "
                                << body.getNumArguments() << " as '" << kernel.getSymName() << "' has";
  int64_t before = -1;
  for (auto [passed, argument] : llvm::zip(launch.getArguments(), body.getArguments())) {
    auto source = dyn_cast<BlockArgument>(passed);
    auto to = dyn_cast<hip::PointerType>(argument.getType());
    auto from = dyn_cast<hip::PointerType>(passed.getType());
    bool fits = source && (to && from ? to.getElement() == from.getElement() : argument.getType() == passed.getType());
    fits = fits && int64_t(source.getArgNumber()) > before &&
           plainName(launcher, source.getArgNumber()) == plainName(kernel, argument.getArgNumber());
    if (!fits)
      return launch.emitOpError()
             << "passes something else as argument " << argument.getArgNumber() << " of '" << kernel.getSymName()
             << "', expected the launcher's argument of its type and name, in the launcher's order";
    before = source.getArgNumber();
  }
  return success();
}

static LogicalResult checkLaunch(hip::LauncherOp launcher, hip::LaunchKernelOp launch, hip::KernelOp kernel) {
  if (launch.getThreads() != kernel.getThreads() || launch.getSharedBytes() != kernel.getSharedBytes())
    return launch.emitOpError() << "asks for " << launch.getThreads() << " threads and " << launch.getSharedBytes()
                                << " bytes of LDS, expected " << kernel.getThreads() << " and "
                                << kernel.getSharedBytes() << " as '" << kernel.getSymName() << "' says";
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
  return success();
}

//===-- kernels
//-------------------------------------------------------------------------------------------------------===//

namespace {

class KernelStructure {
public:
  KernelStructure(hip::KernelOp kernel, bool isLast) : kernel(kernel), isLast(isLast) {}

  LogicalResult run() {
    for (Operation &op : kernel.getBody().front())
      if (failed(visit(&op)))
        return failure();
    if (!branch)
      return kernel.emitOpError() << "has no last workgroup that leaves, expected 'hip.last' and 'hip.leave'";
    WalkResult result = kernel.walk(
        [&](Operation *op) { return failed(visitNested(op)) ? WalkResult::interrupt() : WalkResult::advance(); });
    if (!result.wasInterrupted() && dealt && (numLoops > 1 || numGroups))
      return dealt->emitOpError() << "deals tasks out by number beside other loops or groups, expected 'hip.tasks'";
    return failure(result.wasInterrupted());
  }

private:
  LogicalResult visit(Operation *op) {
    if (last)
      return visitEnd(op);
    if (isa<hip::EnterOp>(op)) {
      if (entered)
        return op->emitOpError() << "enters the launch again, expected one 'hip.enter'";
      entered = true;
      return success();
    }
    if (isMemoryEffectFree(op))
      return success();
    if (!entered)
      return op->emitOpError() << "comes before the kernel has entered the launch, expected 'hip.enter' before it";
    if ((last = dyn_cast<hip::LastOp>(op)))
      return success();
    auto choice = dyn_cast<scf::IfOp>(op);
    auto compare = choice ? choice.getCondition().getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
    if (compare && compare.getLhs().getDefiningOp<hip::WorkerOp>())
      return visitWorkers(choice, compare);
    if (!common)
      common = op;
    return success();
  }

  LogicalResult visitWorkers(scf::IfOp choice, arith::CmpIOp compare) {
    bool first = compare.getPredicate() == arith::CmpIPredicate::eq;
    if (!first && compare.getPredicate() != arith::CmpIPredicate::slt)
      return choice.emitOpError() << "chooses workgroups by a condition other than 'worker == 0' and 'worker < n'";
    if (choice.elseBlock() && !choice.elseBlock()->without_terminator().empty())
      return choice.emitOpError() << "has work for the workgroups that it does not choose, expected none";
    if (common) {
      InFlightDiagnostic diagnostic = choice.emitOpError()
                                      << "chooses workgroups behind what all of them do, expected it before that";
      diagnostic.attachNote(common->getLoc()) << "all workgroups come here";
      return diagnostic;
    }
    return first ? visitFirst(choice, compare) : visitGroup(choice, compare);
  }

  LogicalResult visitFirst(scf::IfOp choice, arith::CmpIOp compare) {
    if (getConstantIntValue(compare.getRhs()) != 0)
      return choice.emitOpError() << "chooses one workgroup, expected 'worker == 0', which every launch has";
    if (numGroups)
      return choice.emitOpError() << "does what is done once per launch behind a group, expected it before all groups";
    return success();
  }

  LogicalResult visitGroup(scf::IfOp choice, arith::CmpIOp compare) {
    std::optional<WorkerEnd> now = workerEnd(compare.getRhs());
    bool isPool = now && now->afterPool && !end.afterPool;
    bool fits = now && now->afterPool >= end.afterPool && (isPool ? now->own == end.own : now->own > end.own);
    if (isPool)
      fits &= now->spared == ownWorkgroups();
    if (!fits)
      return choice.emitOpError() << "chooses a group of workgroups that is empty or not the next one, expected an end "
                                     "beyond that of the group before";
    for (Operation &op : *choice.thenBlock())
      if (isa<hip::TasksOp, hip::StridedTasksOp>(op))
        if (failed(compareWithRole(&op, isPool, now->own - end.own)))
          return failure();
    end = *now;
    ++numGroups;
    return success();
  }

  DictionaryAttr role(StringRef name) {
    if (auto roles = kernel->getAttrOfType<ArrayAttr>("roles"))
      for (auto facts : roles.getAsRange<DictionaryAttr>())
        if (facts.getAs<StringAttr>("name") == name)
          return facts;
    return {};
  }

  int64_t ownWorkgroups() {
    int64_t sum = 0;
    if (auto roles = kernel->getAttrOfType<ArrayAttr>("roles"))
      for (auto facts : roles.getAsRange<DictionaryAttr>())
        if (auto own = facts.getAs<IntegerAttr>("workgroups"))
          sum += own.getInt();
    return sum;
  }

  LogicalResult compareWithRole(Operation *tasks, bool isPool, int64_t size) {
    DictionaryAttr facts = role(roleName(tasks, ""));
    auto own = facts ? facts.getAs<IntegerAttr>("workgroups") : IntegerAttr();
    if (!facts || (own ? !isPool && own.getInt() == size : isPool))
      return success();
    auto named = [](const Twine &workgroups) { return ("a group of " + workgroups + " workgroups").str(); };
    std::string got = isPool ? "the pool" : named(Twine(size)), expected = own ? Twine(own.getInt()).str() : "the pool";
    return tasks->emitOpError() << "has " << got << ", expected " << expected << " as its role has";
  }

  /// Behind `hip.last` only its branch.
  LogicalResult visitEnd(Operation *op) {
    auto choice = dyn_cast<scf::IfOp>(op);
    bool isEnd = choice && choice.getCondition() == last.getResult() && !branch;
    if (!isEnd && isMemoryEffectFree(op))
      return success();
    if (!isEnd) {
      InFlightDiagnostic diagnostic =
          op->emitOpError() << "comes after the workgroup has left, expected it before 'hip.last' or in its branch";
      diagnostic.attachNote(last.getLoc()) << "it leaves here";
      return diagnostic;
    }
    if (choice.elseBlock() && !choice.elseBlock()->without_terminator().empty())
      return choice.emitOpError() << "has work for the workgroups that it does not choose, expected none";
    branch = choice;
    return visitLast();
  }

  LogicalResult visitLast() {
    hip::LeaveOp leave;
    for (Operation &op : branch.thenBlock()->without_terminator()) {
      if (leave && !isMemoryEffectFree(&op)) {
        InFlightDiagnostic diagnostic = op.emitOpError()
                                        << "comes after the last workgroup has left, expected 'hip.leave' behind it";
        diagnostic.attachNote(leave.getLoc()) << "it leaves here";
        return diagnostic;
      }
      if (auto found = dyn_cast<hip::LeaveOp>(op))
        leave = found;
    }
    if (!leave)
      return branch.emitOpError() << "does not leave the launch, expected a 'hip.leave' by the last workgroup";
    if (leave.getAdvance() != isLast)
      return leave.emitOpError() << (isLast
                                         ? "does not advance the epoch, expected it in the last kernel of the launch"
                                         : "advances the epoch, expected that in the last kernel of the launch alone");
    WalkResult narrow = branch.walk([&](Operation *signal) {
      auto scope = signal->getAttrOfType<tile::ScopeAttr>("scope");
      if (last.getScope() == tile::Scope::System || !isa<hip::SignalOp, hip::SetOp>(signal) ||
          scope.getValue() != tile::Scope::System)
        return WalkResult::advance();
      InFlightDiagnostic diagnostic =
          last.emitOpError()
          << "releases at scope 'agent' what its workgroup signals to other ranks, expected 'system'";
      diagnostic.attachNote(signal->getLoc()) << "the signal is here";
      return WalkResult::interrupt();
    });
    return failure(narrow.wasInterrupted());
  }

  /// Of what may stand in blocks of the kernel's body too.
  LogicalResult visitNested(Operation *op) {
    if (auto queue = dyn_cast<hip::QueueOp>(op))
      return visitQueue(queue);
    numLoops += isa<hip::TasksOp, hip::StridedTasksOp>(op);
    if (isa<hip::StridedTasksOp>(op))
      dealt = op;
    bool stray = (isa<hip::EnterOp, hip::LastOp>(op) && op->getParentOp() != kernel) ||
                 (isa<hip::LeaveOp>(op) && op->getParentOp() != branch);
    if (stray)
      return op->emitOpError()
             << "stands inside a loop, a branch or a task, expected it once, in the kernel's body or, "
                "'hip.leave', in the branch of 'hip.last'";
    for (Type type : op->getResultTypes())
      if (failed(checkWaves(op, type)))
        return failure();
    auto signal = dyn_cast<hip::SignalOp>(op);
    if (signal && signal.getParticipants() == tile::Participants::Wave && int64_t(kernel.getThreads()) > kWaveLanes)
      return signal.emitOpError() << "is raised by each wave of a workgroup of " << kernel.getThreads()
                                  << " threads, expected participants of one wave in workgroups of one alone";
    return success();
  }

  /// Threads beyond those of its layout would move a tile's elements again.
  LogicalResult checkWaves(Operation *op, Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    auto layout = tile ? dyn_cast_or_null<tile::LayoutAttr>(tile.getEncoding()) : tile::LayoutAttr();
    if (!layout || layout.getRank() == 0)
      return success();
    int64_t threads = kWaveLanes << (layout.getWaves().size() / layout.getRank());
    if (threads == int64_t(kernel.getThreads()))
      return success();
    return op->emitOpError() << "makes a tile of " << threads << " threads, expected " << kernel.getThreads()
                             << " as its kernel has";
  }

  /// A ticket that is drawn and not used is a task that nobody does.
  LogicalResult visitQueue(hip::QueueOp queue) {
    int64_t number = queue.getNumber();
    if (number < 0 || number >= queueCount)
      return queue.emitOpError() << "draws from queue " << number << ", expected 0 to " << queueCount - 1;
    auto [it, isNew] = queues.try_emplace(number, queue);
    if (!isNew) {
      InFlightDiagnostic diagnostic = queue.emitOpError()
                                      << "draws from queue " << number << ", expected one that no other group has";
      diagnostic.attachNote(it->second.getLoc()) << "the other group draws here";
      return diagnostic;
    }
    for (Operation *user : queue->getUsers())
      if (user->getBlock() != queue->getBlock())
        return user->emitOpError() << "takes tickets that other workgroups draw as well, expected a 'hip.queue' in the "
                                      "same block";
    return success();
  }

  hip::KernelOp kernel;
  bool isLast, entered = false;
  hip::LastOp last;
  scf::IfOp branch;            ///< of the last workgroup
  Operation *common = nullptr; ///< the first thing that all workgroups do
  Operation *dealt = nullptr;  ///< a loop over tasks that are not drawn
  WorkerEnd end;
  unsigned numGroups = 0, numLoops = 0;
  llvm::DenseMap<int64_t, hip::QueueOp> queues;
};

} // namespace

LogicalResult tilec::checker::checkStructure(hip::KernelOp kernel, bool isLast) {
  return KernelStructure(kernel, isLast).run();
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

static void checkRoles(hip::KernelOp kernel, llvm::StringMap<int64_t> counts, ArrayRef<int64_t> extents, int64_t rank,
                       Findings &findings) {
  auto report = [&](StringRef name, int64_t expected) {
    if (int64_t got = counts.lookup(name); got != expected)
      findings.report("tasks", kernel, nullptr, [&](InFlightDiagnostic &diagnostic) {
        diagnostic << "does " << got << " tasks of role @" << name << " on rank " << rank << ", expected " << expected
                   << " as 'roles' says";
      });
    counts.erase(name);
  };
  auto roles = kernel->getAttrOfType<ArrayAttr>("roles");
  for (auto facts : roles.getAsRange<DictionaryAttr>()) {
    auto tasks = facts.getAs<AffineMapAttr>("tasks");
    StringRef name = facts.getAs<StringAttr>("name").getValue();
    if (tasks)
      report(name, countTasks(tasks.getValue().getResult(0), tasks.getValue(), extents));
    else
      counts.erase(name);
  }
  for (StringRef name : llvm::to_vector(counts.keys()))
    report(name, 0);
}

void tilec::checker::checkTaskCounts(const Trace &trace, ArrayRef<int64_t> extents, Findings &findings) {
  auto launcher = *trace.program->op.getBody().getOps<hip::LauncherOp>().begin();
  for (auto [number, launch] : llvm::enumerate(launcher.getBody().getOps<hip::LaunchKernelOp>())) {
    auto kernel = cast<hip::KernelOp>(SymbolTable::lookupSymbolIn(trace.program->op, launch.getKernel()));
    if (!kernel->hasAttr("roles"))
      continue;
    for (uint32_t rank = 0; rank < trace.numRanks(); ++rank) {
      llvm::StringMap<int64_t> counts;
      for (const std::vector<RoleThreads> &group : trace.kernels[rank][number].groups)
        for (const RoleThreads &threads : group)
          counts[trace.program->kernels[number].roles[threads.role].name] += threads.endTask - threads.beginTask;
      checkRoles(kernel, std::move(counts), extents, rank, findings);
    }
  }
}
