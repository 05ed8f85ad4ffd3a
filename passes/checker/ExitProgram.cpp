// Compiles the kernels of the exit dialect. Emits code and diagnostics; evaluates nothing.
#include "passes/checker/ExitProgram.h"

#include "dialect/Deferred.h"
#include "passes/analysis/LayoutConversion.h"
#include "passes/checker/DealtTasks.h"
#include "passes/checker/ExitEvents.h"
#include "passes/checker/ExitStructure.h"
#include "passes/checker/FetchedColumns.h"
#include "passes/checker/LiveMemory.h"
#include "passes/checker/Pairs.h"
#include "passes/checker/PanelLoops.h"
#include "passes/checker/Tellings.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

namespace {

/// More than any launch has, and than tasks of a sample.
constexpr int64_t kMostWorkgroups = 1 << 30;

class ExitCompiler : public ExitEvents {
public:
  ExitCompiler(tile::ProgramOp op, ExitMemory memory, int64_t waveLanes)
      : ExitEvents(op, std::move(memory)), waveLanes(waveLanes) {}

  FailureOr<ProgramCode> run() {
    if (failed(checkLauncher(program.op)) || failed(compileHeader()))
      return failure();
    program.hasThreads = true;
    waited = newSlot();
    stored = newSlot();
    for (Operation &op : program.op.getBody().front())
      if (isa<tile::AllocOp, tile::SignalsOp>(op) ? failed(compileDeclaration(&op)) : failed(compileScalarOp(&op)))
        return failure();
    for (auto launcher : program.op.getBody().getOps<hip::LauncherOp>()) {
      auto launches = llvm::to_vector(launcher.getBody().getOps<hip::LaunchKernelOp>());
      for (Operation &op : launcher.getBody().front()) {
        auto launch = dyn_cast<hip::LaunchKernelOp>(op);
        auto copies = dyn_cast<hip::LaunchCopiesOp>(op);
        bool isLast = launch && (launch == launches.back() ||
                                 (launch.getBeside() && launch.getBeside() == launches.back().getBeside()));
        if ((launch && failed(compileLaunch(launcher, launch, isLast))) ||
            (copies && failed(compileEngine(launcher, copies))))
          return failure();
      }
    }
    program.numSlots = numSlots;
    classifyLoops(program);
    auto launcher = *program.op.getBody().getOps<hip::LauncherOp>().begin();
    if (failed(checkLiveMemory(program, memory)) || failed(checkDealtTasks(program)) ||
        failed(checkClaims(program, launcher)))
      return failure();
    return std::move(program);
  }

private:
  //===-- kernels and groups
  //----------------------------------------------------------------------------------------===//

  LogicalResult compileLaunch(hip::LauncherOp launcher, hip::LaunchKernelOp launch, bool isLast) {
    auto kernel = cast<hip::KernelOp>(SymbolTable::lookupSymbolIn(program.op, launch.getKernel()));
    if (failed(checkStructure(kernel, isLast, waveLanes)) || failed(checkPairs(kernel)))
      return failure();
    bindArguments(launcher, launch.getArguments(), kernel.getBody().front());
    if (!launch.getBeside() || launch.getAside())
      firstAccess = program.accesses.size();
    firstGroup = made.workgroups.size();
    ownWorkgroups = kernel.getOwnWorkgroups();
    if (failed(compileKernel(kernel)))
      return failure();
    code = &program.prelude;
    if (!launch.getAside()) // else the next one is of the same launch
      program.kernels.push_back(std::exchange(made, KernelCode()));
    return success();
  }

  /// A group of one beside those of the kernel that is launched next: it does everything in the order of the text, and
  /// what it signals comes behind all that it has done.
  LogicalResult compileEngine(hip::LauncherOp launcher, hip::LaunchCopiesOp launch) {
    auto engine = cast<hip::EngineOp>(SymbolTable::lookupSymbolIn(program.op, launch.getEngine()));
    bindArguments(launcher, launch.getArguments(), engine.getBody().front());
    group = made.workgroups.size();
    made.workgroups.push_back(1);
    beginRole(tile::Turn::Each, engine.getSymName());
    role.engine = true;
    if (failed(compileBlock(engine.getBody().front())))
      return failure();
    endRole();
    code = &program.prelude;
    return success();
  }

  /// Tile by tile, as a relay.
  LogicalResult compileMove(hip::MoveOp op) {
    FailureOr<Slots> start = slotList(op, op.getStart(), "index");
    FailureOr<uint32_t> columns = slot(op, op.getColumns(), "number of columns");
    if (failed(start) || failed(columns))
      return failure();
    SmallVector<int64_t> shape{int64_t(op.getTileColumns())};
    for (std::optional<uint64_t> size : {op.getRows(), op.getPlanes()})
      if (size)
        shape.insert(shape.begin(), int64_t(*size));
    auto tile = RankedTensorType::get(shape, op.getFrom().getType().getElement());
    uint32_t width = constant(op.getTileColumns());
    return compileTimes(op, op.getColumns().getType(), constant(0), binary(Code::CeilDiv, *columns, width),
                        [&](uint32_t part) {
                          Slots at = *start;
                          at.back() = binary(Code::Add, at.back(), binary(Code::Mul, part, width));
                          return failure(failed(compileAccess(op, op.getFrom(), at, tile, true, false, 0)) ||
                                         failed(compileAccess(op, op.getInto(), at, tile, false, true, 0)));
                        });
  }

  /// Entry, then the groups.
  LogicalResult compileKernel(hip::KernelOp kernel) {
    code = &program.prelude;
    return failure(failed(compileGroups(kernel.getBody().front())) || failed(checkReadAhead(program, firstAccess)));
  }

  LogicalResult compileGroups(Block &block) {
    for (Operation &op : block) {
      auto group = dyn_cast<hip::GroupOp>(op);
      auto roles = dyn_cast<hip::ByRoleOp>(op);
      if (group   ? failed(compileGroup(group))
          : roles ? failed(compileGroups(roles.getBody().front()))
                  : failed(compileOp(&op)))
        return failure();
    }
    return success();
  }

  LogicalResult compileGroup(hip::GroupOp op) {
    if (op.getTurn() == tile::Turn::Each) {
      group = made.workgroups.size();
      // 0 of the pool, which has what the launch has, and of a group that lets all workgroups in; but in a kernel
      // aside, whose last group has what the others leave of its own.
      int64_t before = llvm::sum_of(ArrayRef(made.workgroups).drop_front(firstGroup));
      bool isAside = op->getParentOfType<hip::KernelOp>().getBeside();
      int64_t end = op.getEnd() ? workerEnd(op.getEnd())->own : isAside ? ownWorkgroups : before;
      made.workgroups.push_back(end - before);
    }
    tasksEnd.reset();
    for (Operation &inner : op.getBody().front()) {
      auto part = dyn_cast<hip::RoleOp>(inner);
      if (part ? failed(compileRole(part, op.getTurn())) : failed(compileOp(&inner)))
        return failure();
    }
    return success();
  }

  LogicalResult compileRole(hip::RoleOp op, tile::Turn turn) {
    beginRole(turn, op.getSymName());
    if (failed(compileWork(op.getBody().front())))
      return failure();
    endRole();
    code = &program.prelude;
    return success();
  }

  /// What all waves of a workgroup do together counts as one thread's; by whom it is done is RoleSides'.
  LogicalResult compileWork(Block &block) {
    for (Operation &inner : block) {
      auto tasks = dyn_cast<hip::TasksOp>(inner);
      auto roles = dyn_cast<hip::ByRoleOp>(inner);
      if (tasks   ? failed(compileTasks(tasks))
          : roles ? failed(compileWork(roles.getBody().front()))
                  : failed(compileOp(&inner)))
        return failure();
    }
    return success();
  }

  void beginRole(tile::Turn turn, StringRef name) {
    role = RoleCode();
    role.name = name.str();
    role.turn = turn;
    role.group = group;
    code = &role.prologue;
    set(waited, 0);
    set(stored, 0);
  }

  void endRole() {
    auto happens = [](const Instruction &step) { return step.code == Code::Access || step.code == Code::Sync; };
    if (!role.indices.empty() || llvm::any_of(role.prologue, happens))
      made.roles.push_back(std::move(role));
  }

  /// Tasks between the end of the loop before, when that shares the queue, and this one's.
  LogicalResult compileTasks(hip::TasksOp op) {
    FailureOr<uint32_t> bound = slot(op, op.getEnd(), "number of tasks");
    if (failed(bound))
      return failure();
    uint32_t begin = tasksEnd ? *tasksEnd : constant(0);
    uint32_t next = emit(Code::Max, *bound, begin);
    tasksEnd = next;
    role.bounds = {emit(Code::Sub, next, begin)};
    waitedBefore = emit(Code::Copy, waited);
    uint32_t index = newSlot();
    role.indices = {index};
    code = &role.body;
    code->push_back({Code::Copy, waited, waitedBefore});
    set(stored, 0);
    slots[op.getTask()] = emit(Code::Add, index, begin);
    if (failed(compileBlock(op.getBody().front())))
      return failure();
    std::string name = role.name;
    endRole();
    beginRole(tile::Turn::Each, name);
    return success();
  }

  //===-- scalars
  //---------------------------------------------------------------------------------------------------===//

  LogicalResult compileScalarOp(Operation *op) {
    if (auto extent = dyn_cast<tile::ExtentOp>(op))
      return compileExtent(extent);
    if (op->getNumRegions() == 0)
      compileScalar(op);
    return success();
  }

  //===-- memory
  //----------------------------------------------------------------------------------------------------===//

  //===-- fetches and steps
  //------------------------------------------------------------------------------------------===//

  /// What an activity reads from memory; LDS is SharedExecution's.
  LogicalResult compileActivity(Value activity) {
    Operation *op = activity.getDefiningOp();
    if (auto halves = dyn_cast_or_null<hip::ByHalvesOp>(op))
      return failure(failed(compileActivity(halves.getFirst())) || failed(compileActivity(halves.getSecond())));
    if (auto fetching = dyn_cast_or_null<hip::FetchingOp>(op))
      return compileFetch(op, fetching.getFeed(), fetching.getMoved());
    if (auto refilling = dyn_cast_or_null<hip::RefillingOp>(op))
      return compileFetch(op, refilling.getFeed(), refilling.getMoved());
    if (auto copying = dyn_cast_or_null<hip::CopyingOp>(op))
      return compileFetch(op, copying.getFeed(), copying.getMoved());
    if (auto run = dyn_cast_or_null<hip::CopyingRunOp>(op))
      return compileRun(run);
    return success();
  }

  LogicalResult compileFetch(Operation *op, Value value, Value moved) {
    Operation *feed = value.getDefiningOp();
    if (!isa_and_nonnull<hip::FeedOp, hip::DirectFeedOp, hip::MappedFeedOp>(feed))
      return op->emitOpError() << "fetches from a value that is no feed, expected the result of a 'hip.feed', a "
                                  "'hip.direct_feed' or a 'hip.mapped_feed'";
    auto mapped = dyn_cast<hip::MappedFeedOp>(feed);
    if (mapped && failed(checkMap(mapped, "feeds from", mapped.getView(), mapped.getMap(), mapped.getMatrix())))
      return failure();
    RankedTensorType tile = hip::tileOf(value.getType());
    if (auto direct = dyn_cast<hip::DirectFeedType>(value.getType()))
      tile = RankedTensorType::get(direct.getTile().getShape(), direct.getTile().getElement());
    FailureOr<Slots> start = slotList(op, startOf(feed), "index");
    FailureOr<uint32_t> along = slot(op, moved, "number of bytes");
    if (failed(start) || failed(along))
      return failure();
    auto plain = dyn_cast<hip::FeedOp>(feed);
    bool isAcross = plain && plain.getAcross(), byRows = goesByRows(feed);
    if (isAcross)
      tile = RankedTensorType::get({tile.getDimSize(1), tile.getDimSize(0)}, tile.getElementType());
    uint32_t step = constant(bytesOf(tile.getElementType()));
    if (mapped && byRows) {
      step = constant(1);
    } else if (byRows) {
      FailureOr<Slots> strides = slotList(op, stridesOf(feed->getOperand(0)), "stride");
      if (failed(strides))
        return failure();
      step = binary(Code::Mul, step, strides->front());
    }
    size_t last = start->size() - 1;
    uint32_t &moving = (*start)[isAcross || byRows ? last - 1 : last];
    moving = binary(Code::Add, moving, binary(Code::DivSigned, *along, step));
    if (failed(compileAccess(op, feed->getOperand(0), *start, tile, true, false, 0)))
      return failure();
    // What the engine finds outside of a matrix is zero, and so are columns where steps go down the rows.
    uint32_t &whole = program.accesses.back().whole;
    if (!mapped && !isAcross && !byRows)
      whole |= AccessSite::columnsWhole;
    if (isAcross || (byRows && !mapped))
      whole |= AccessSite::rowsWhole;
    return success();
  }

  static ValueRange startOf(Operation *feed) {
    return llvm::TypeSwitch<Operation *, ValueRange>(feed).Case<hip::FeedOp, hip::DirectFeedOp, hip::MappedFeedOp>(
        [](auto op) { return op.getStart(); });
  }

  /// What the launcher told the engine is what the kernel takes it for.
  LogicalResult checkMap(Operation *op, StringRef what, Value view, Value map, Value matrix) {
    auto argument = dyn_cast<BlockArgument>(map);
    hip::TensorMapOp told = argument ? memory.mappedBy(argument) : hip::TensorMapOp();
    if (!told || !memory.isSame(view, told, matrix))
      return op->emitOpError() << what
                               << " a view that its map does not describe, expected the whole buffer that the "
                                  "launcher has mapped, or the matrix of its number there";
    return success();
  }

  /// All fills of a task read before its last use; the order among them is that of nobody else. A producer's are the
  /// same, and of what nobody writes.
  template <class Op>
  LogicalResult compileStream(Op op) {
    FailureOr<uint32_t> count = slot(op, op.getCount(), "number of steps");
    if (failed(count))
      return failure();
    uint32_t slotsInTurn = constant(op.getSlots());
    for (Region &region : op->getRegions())
      if (failed(compileCounted(op, region.getArgument(1), constant(0), *count, [&](uint32_t step) {
            slots[region.getArgument(0)] = binary(Code::RemSigned, step, slotsInTurn);
            return compileBlock(region.front());
          })))
        return failure();
    return success();
  }

  /// A producer waits for itself, and runs ahead of its task: the task's stores are not there for it, and its waits are
  /// none of those who consume. What these read of the slots comes behind its copies, as SharedExecution sees to.
  LogicalResult compileSides(hip::IfProducesOp op) {
    uint32_t saved = emit(Code::Copy, waited);
    size_t first = program.accesses.size();
    if (failed(compileBlock(op.getProduces().front())))
      return failure();
    size_t last = program.accesses.size();
    code->push_back({Code::Copy, waited, saved});
    if (failed(compileBlock(op.getConsumes().front())))
      return failure();
    auto rootOf = [&](const AccessSite &site) { return program.views[site.view].root; };
    ArrayRef<AccessSite> all = program.accesses;
    for (const AccessSite &copy : all.slice(first, last - first))
      // What is relayed consumers do not touch, as `checkByProducer` sees to.
      if (!isa<hip::RelayOp>(copy.op))
        for (const AccessSite &store : all.drop_front(last)) {
          if (!store.writes || rootOf(store) != rootOf(copy) || (copy.rank < 0 && isElsewhere(store)))
            continue;
          InFlightDiagnostic diagnostic = copy.op->emitOpError()
                                          << "copies ahead of the task what the task writes, expected another buffer";
          diagnostic.attachNote(store.op->getLoc()) << "the store is here";
          return diagnostic;
        }
    return checkTold(program, last);
  }

  /// Tile by tile, from one view and to the other.
  LogicalResult compileRelay(hip::RelayOp op) {
    FailureOr<Slots> start = slotList(op, op.getStart(), "index");
    FailureOr<uint32_t> columns = slot(op, op.getColumns(), "number of columns");
    if (failed(start) || failed(columns))
      return failure();
    auto tile = RankedTensorType::get({int64_t(op.getRows()), int64_t(op.getTileColumns())},
                                      op.getFrom().getType().getElement());
    uint32_t width = constant(op.getTileColumns());
    return compileTimes(op, op.getColumns().getType(), constant(0), binary(Code::CeilDiv, *columns, width),
                        [&](uint32_t part) {
                          Slots at{start->front(), binary(Code::Add, start->back(), binary(Code::Mul, part, width))};
                          bool isKnown = succeeded(compileAccess(op, op.getFrom(), at, tile, true, false, 0));
                          for (Value into : op.getInto())
                            isKnown = isKnown && succeeded(compileAccess(op, into, at, tile, false, true, 0));
                          return success(isKnown);
                        });
  }

  /// The stores of its wave are published by its own signals alone.
  LogicalResult compileByProducer(hip::ByProducerOp op) {
    FailureOr<uint32_t> when = slot(op, op.getWhen(), "condition");
    if (failed(when))
      return failure();
    uint32_t published = emit(Code::Copy, stored);
    set(stored, 0);
    if (failed(compileWhen(*when, [&]() { return compileBlock(op.getBody().front()); })))
      return failure();
    code->push_back({Code::Copy, stored, published});
    return success();
  }

  /// The wave tells of all that consumers have stored where they hand on: there, or later, and in the same order. What
  /// it sends on is published by its own signals alone.
  LogicalResult compileHandOn(hip::HandOnOp op) {
    hip::TellOp told = toldAt(op);
    if (!told)
      llvm_unreachable("checkTellings has seen that it is told");
    uint32_t published = emit(Code::Copy, stored);
    size_t first = program.accesses.size();
    if (failed(compileBlock(told.getBody().front())))
      return failure();
    for (AccessSite &site : llvm::drop_begin(program.accesses, first))
      site.isTold = true;
    code->push_back({Code::Copy, stored, published});
    return success();
  }

  LogicalResult compileSteps(hip::StepsOp op) {
    FailureOr<uint32_t> count = slot(op, op.getCount(), "number of steps");
    FailureOr<uint32_t> from = constant(0);
    if (op.getFrom())
      from = slot(op, op.getFrom(), "first step");
    if (failed(count) || failed(from))
      return failure();
    uint32_t slotsInTurn = constant(op.getSlots());
    return compileCounted(op, op.getStep(), *from, *count, [&](uint32_t step) {
      slots[op.getSlot()] = binary(Code::RemSigned, step, slotsInTurn);
      return compileBlock(op.getBody().front());
    });
  }

  //===-- arrivals, numbers, dispatch
  //----------------------------------------------------------------------------------===//

  /// What the last one does comes behind what all have published, and publishes its own stores alone.
  LogicalResult compileArrive(hip::ArriveOp op) {
    auto grid = op.getSignals().getDefiningOp<hip::SignalsOp>();
    tile::SignalsOp declared = grid ? memory.gridOf(grid) : tile::SignalsOp();
    if (!declared)
      return op.emitOpError() << "names no 'hip.signals'";
    SyncSite site;
    site.op = op;
    site.publishes = {stored};
    uint32_t token = site.token = newSlot();
    if (failed(compileArrival(std::move(site), declared, op.getIndex(), op.getCount(), op.getResult())))
      return failure();
    code->push_back({Code::Copy, waited, waitedBefore});
    code->push_back({Code::Join, waited, waited, token});
    set(stored, 0);
    return success();
  }

  /// A number that is data: the trace chooses one.
  LogicalResult compileNumber(hip::NumberOp op) {
    auto element = RankedTensorType::get({}, op.getView().getType().getElement());
    FailureOr<uint32_t> most = slot(op, op.getMost(), "bound");
    if (failed(most) || failed(compileAccess(op, op.getView(), op.getStart(), element, true, false)))
      return failure();
    program.accesses.back().tile = Type();
    slots[op.getResult()] = emit(Code::Number, *most, 0, static_cast<int64_t>(program.accesses.size()) - 1);
    return success();
  }

  /// The same of a number that the launch gives.
  LogicalResult compileClamp(hip::ClampOp op) {
    FailureOr<uint32_t> most = slot(op, op.getMost(), "bound");
    if (failed(most))
      return failure();
    slots[op.getResult()] = emit(Code::Given, *most, 0, numberOf(op.getNumber()));
    return success();
  }

  /// Stored at some time before the kernel ends: no signal publishes it.
  LogicalResult compileLater(Operation *op, Value view, ValueRange start, Value tile, Value map) {
    if (map && failed(checkMap(op, "stores to", view, map, /*matrix=*/Value())))
      return failure();
    uint32_t published = emit(Code::Copy, stored);
    if (failed(compileAccess(op, view, start, cast<RankedTensorType>(tile.getType()), false, true)))
      return failure();
    code->push_back({Code::Copy, stored, published});
    return success();
  }

  /// Indices are data: the access may be to any element of the dimension.
  template <class Op>
  LogicalResult compileEach(Op op, Type tile, bool reads) {
    uint32_t first = constant(0);
    if (failed(compileAccess(op, op.getView(), op.getStart(), cast<RankedTensorType>(tile), reads, !reads)))
      return failure();
    AccessSite &site = program.accesses.back();
    site.indices[op.getDim()] = first;
    site.shape[op.getDim()] = tile::AccessOpInterface::kWholeDimension;
    site.tile = Type();
    site.isApart = !reads;
    return success();
  }

  LogicalResult compileMemoryOp(Operation *op) {
    if (auto load = dyn_cast<hip::PlainLoadOp>(op))
      return compileAccess(op, load.getView(), load.getStart(), load.getType(), true, false);
    if (auto load = dyn_cast<hip::LoadLiveOp>(op))
      return compileAccess(op, load.getView(), load.getStart(), load.getType(), true, false);
    if (auto store = dyn_cast<hip::StoreOp>(op))
      return compileAccess(op, store.getView(), store.getStart(), cast<RankedTensorType>(store.getValue().getType()),
                           false, true);
    if (auto gather = dyn_cast<hip::GatherOp>(op))
      return compileEach(gather, gather.getType(), true);
    if (auto gather = dyn_cast<hip::GatherLiveOp>(op))
      return compileEach(gather, gather.getType(), true);
    if (auto scatter = dyn_cast<hip::ScatterOp>(op))
      return compileEach(scatter, scatter.getValue().getType(), false);
    auto atomic = cast<hip::AtomicOp>(op);
    return compileAccess(op, atomic.getView(), atomic.getStart(), cast<RankedTensorType>(atomic.getValue().getType()),
                         true, true, 1 + static_cast<uint32_t>(atomic.getKind()));
  }

  /// Whether the threads of the workgroup meet; a single wave does also where waves meet nobody.
  bool meets(Operation *op) const {
    return hip::holdsBarrier(op) ||
           (isa<hip::WaitOp, hip::WaitTallyOp, hip::SignalOp, hip::CountOp, hip::TallyOp, hip::ArriveOp>(op) &&
            int64_t(op->getParentOfType<hip::KernelOp>().getThreads()) <= waveLanes);
  }

  LogicalResult compileOp(Operation *op) override {
    if (meets(op))
      code->push_back({Code::Meet});
    if (op->hasTrait<hip::ReadsTile>() || isa<hip::StoreOp, hip::AtomicOp, hip::ScatterOp>(op))
      return compileMemoryOp(op);
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](hip::DeferOp defer) {
          auto deferred = defer.getDeferred().getDefiningOp<hip::DeferredOp>();
          return compileLater(op, deferred.getView(), defer.getStart(), defer.getValue(), deferred.getMap());
        })
        .Case([&](hip::StoreAsyncOp store) {
          return compileLater(op, store.getView(), store.getStart(), store.getValue(), store.getMap());
        })
        .Case([&](hip::NumberOp number) { return compileNumber(number); })
        .Case([&](hip::ClampOp clamp) { return compileClamp(clamp); })
        .Case([&](hip::SignalOp signal) { return compileSignal(signal); })
        .Case([&](hip::SetOp set) { return compileSignal(set); })
        .Case([&](hip::WaitOp wait) { return compileWait(wait); })
        .Case([&](hip::TallyOp tally) { return compileTally(tally); })
        .Case([&](hip::WaitTallyOp wait) { return compileWaitTally(wait); })
        .Case<hip::JoinTallyOp, hip::RenewTallyOp>([&](auto) { return success(); }) // TallyStructure's
        .Case([&](hip::PostOp post) { return compilePost(post); })
        .Case([&](hip::ReceiveOp receive) { return compileReceive(receive); })
        .Case<hip::ReceiveOthersOp, hip::ReceiveAllOp>([&](auto receive) { return compileReceiveAll(receive); })
        .Case([&](hip::ArriveOp arrive) { return compileArrive(arrive); })
        .Case([&](scf::ForOp loop) { return compileFor(loop); })
        .Case([&](scf::IfOp branch) { return compileIf(branch); })
        .Case([&](hip::StepsOp steps) { return compileSteps(steps); })
        .Case<hip::StreamOp, hip::ProduceOp, hip::ConsumeOp>([&](auto stream) { return compileStream(stream); })
        .Case([&](hip::IfProducesOp sides) { return compileSides(sides); })
        .Case([&](hip::RegularOp regular) { return compileRegular(regular); })
        .Case([&](hip::MovesInBulkOp bulk) { return compileMovesInBulk(bulk); })
        .Case([&](hip::ByProducerOp mine) { return compileByProducer(mine); })
        .Case([&](hip::RelayOp relay) { return compileRelay(relay); })
        .Case([&](hip::MoveOp move) { return compileMove(move); })
        .Case([&](hip::MarkOp mark) { return compileMark(mark); })
        .Case([&](hip::CountOp count) { return compileCount(count); })
        .Case([&](hip::TakeCountedOp take) { return compileTake(take); })
        .Case([&](hip::HandOnOp hand) { return compileHandOn(hand); })
        .Case([&](hip::TellOp) { return success(); })
        .Default([&](Operation *other) { return compileScalars(other); });
  }

  /// What sets slots, or asks for what does.
  LogicalResult compileScalars(Operation *op) {
    if (isa<hip::InOrderOp, hip::PlacesOp, hip::FillOp>(op)) {
      for (Value activity : op->getOperands())
        if (failed(compileActivity(activity)))
          return failure();
      return success();
    }
    if (isOrder(op))
      return compileOrder(op);
    if (isa<hip::RankOp>(op)) {
      slots[op->getResult(0)] = program.rank;
      return success();
    }
    // As many as the launch says: the trace takes none, and more than there are tasks.
    if (isa<hip::WorkgroupsOp>(op) && op->getParentOfType<hip::TasksOp>()) {
      slots[op->getResult(0)] = emit(Code::Given, constant(kMostWorkgroups), 0, numberOf(op->getResult(0)));
      return success();
    }
    if (auto copy = dyn_cast<hip::CopyOp>(op)) {
      if (auto known = slots.find(copy.getValue()); known != slots.end())
        slots[copy.getResult()] = uint32_t(known->second);
      return success();
    }
    // LDS is SharedExecution's; the rest computes tiles.
    return compileScalarOp(op);
  }

  KernelCode made;
  size_t firstAccess = 0;    ///< of the launch
  size_t firstGroup = 0;     ///< of the kernel, in a launch of two
  int64_t ownWorkgroups = 0; ///< of the groups of the kernel
  RoleCode role;
  int64_t waveLanes;
  uint32_t group = 0;
  uint32_t waitedBefore = 0;        ///< of the waits before the tasks
  std::optional<uint32_t> tasksEnd; ///< slot of the ticket behind the loops of the group so far
};

} // namespace

FailureOr<ProgramCode> tilec::checker::compileExit(tile::ProgramOp program, int64_t waveLanes) {
  FailureOr<ExitMemory> memory = ExitMemory::of(program);
  if (failed(memory))
    return failure();
  return ExitCompiler(program, std::move(*memory), waveLanes).run();
}
