// `lower`: one kernel, its groups of workgroups, tasks, loops and branches.
#include "passes/analysis/SenderRole.h"
#include "passes/lower/Lower.h"

#include "dialect/Deferred.h"
#include "tilec/constants.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Iterators.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilec;

KernelLowering::KernelLowering(tile::ProgramOp program, const Workspace &workspace, int64_t waveLanes,
                               tile::KernelOp source)
    : program(program), workspace(workspace), waveLanes(waveLanes), source(source),
      memory(analyzeMemory(program, source)), builder(program.getContext()), entry(program.getContext()),
      loc(source.getLoc()) {}

/// Arguments: context, the program's buffers and numbers, scratch, extents, their largest values.
void KernelLowering::createKernel(bool isCounted, bool advance) {
  OpBuilder before(source);
  MLIRContext *ctx = builder.getContext();
  std::string name = program.getSymName().str();
  if (source.getSymName() != program.getSymName())
    name += "_" + source.getSymName().str();
  int64_t waves = static_cast<int64_t>(source.getWaves().value_or(1));
  if (tile::ProducerAttr producer = source.getProducerAttr()) {
    consumers = waves;
    waves += producer.getWaves();
  }
  kernel =
      hip::KernelOp::create(before, loc, name + "_kernel", waves * waveLanes,
                            std::max<int64_t>(source.getSharedBytes().value_or(0), broadcast_lds), ArrayRef<bool>(),
                            ArrayRef<int64_t>(), source.getProgressAttr(), source.getResidentAttr(), /*alone=*/false,
                            source.getMostWorkgroupsAttr(), source.getPairs(), source.getBeside());
  Block &body = kernel.getBody().emplaceBlock();
  SmallVector<bool> restricted;
  auto add = [&](Type type, Location at, bool restrict = false) {
    restricted.push_back(restrict);
    return body.addArgument(type, at);
  };
  bool engine = source.getEngine();
  context = add(hip::ContextType::get(ctx), named(loc, engine ? "copies" : "context"));
  for (BlockArgument argument : program.getArguments()) {
    auto buffer = dyn_cast<MemRefType>(argument.getType());
    if (!buffer) {
      mapping.map(argument, add(argument.getType(), argument.getLoc()));
      continue;
    }
    const MemoryUse &use = memory[argument];
    auto type = hip::PointerType::get(ctx, buffer.getElementType(), !use.written);
    mapping.map(argument, add(type, argument.getLoc(), !use.live && !use.remote));
  }
  scratch = add(hip::PointerType::get(ctx, builder.getNoneType(), false), named(loc, "scratch"));
  for (BlockArgument extent : program.getExtents()) {
    extents.push_back(add(extent.getType(), extent.getLoc()));
    mapping.map(extent, extents.back());
  }
  for (BlockArgument extent : program.getExtents())
    maxima.push_back(add(extent.getType(), named(extent.getLoc(), "max_" + nameOf(extent.getLoc()))));
  isMapped = add(builder.getI1Type(), named(loc, "mapped"));
  Value all = add(builder.getIndexType(), named(loc, "workgroups"));
  kernel.setRestricted(restricted);
  builder.setInsertionPointToEnd(&body);
  auto launchType = hip::LaunchType::get(ctx);
  Location launchLoc = named(loc, "launch");
  if (workersBefore)
    launch = hip::EnterBesideOp::create(builder, launchLoc, launchType, context, all, *workersBefore);
  else if (!engine)
    launch = isCounted ? hip::CountLaunchOp::create(builder, launchLoc, launchType, context, advance).getResult()
                       : hip::EnterOp::create(builder, launchLoc, launchType, context).getResult();
  // Everything the entry computes stands before the first operation of the roles.
  Operation *marker = hip::BarrierOp::create(builder, loc, IntegerAttr());
  entry.setInsertionPoint(marker);
}

/// Behind the launcher's arguments come its maps, those of all kernels.
void KernelLowering::dropUnusedArguments(size_t firstMap) {
  int64_t numLaunched = isMapped.getArgNumber();
  Block &body = kernel.getBody().front();
  SmallVector<bool> restricted(kernel.getRestricted());
  llvm::BitVector unused(body.getNumArguments());
  for (BlockArgument argument : body.getArguments())
    if (argument.getArgNumber() > 0 && argument.use_empty())
      unused.set(argument.getArgNumber());
  SmallVector<int64_t> kept;
  SmallVector<bool> keptRestricted;
  for (unsigned i = 0; i < restricted.size(); ++i)
    if (!unused.test(i)) {
      // The launcher's arguments lack the two behind its own.
      kept.push_back(i < numLaunched        ? i
                     : i == numLaunched     ? hip::KernelOp::kMapped
                     : i == numLaunched + 1 ? hip::KernelOp::kAll
                                            : i - 2 + firstMap);
      keptRestricted.push_back(restricted[i]);
    }
  body.eraseArguments(unused);
  kernel.setRestricted(keptRestricted);
  kernel.setSources(kept);
}

/// Whether workgroups need not know of the launch: tasks are dealt out by number, nobody waits or signals, and nobody
/// asks which launch it is, to choose a copy of scratch. Words at which tasks arrive have no epochs.
static bool tellsNothing(tile::KernelOp kernel) {
  bool isSilent = kernel.getDealing() == tile::Dealing::Strided;
  kernel.walk([&](tile::AccessOpInterface access) {
    auto alloc = rootOf(access.getAccessedBuffer()).getDefiningOp<tile::AllocOp>();
    isSilent &= !alloc || alloc.getCopies() == 1;
  });
  for (tile::RoleOp role : kernel.getBody().getOps<tile::RoleOp>())
    isSilent &= role.getTurn() == tile::Turn::Each && !role.getWorkgroups();
  kernel.walk([&](Operation *op) { isSilent &= !op->hasTrait<tile::Synchronizes>(); });
  return isSilent;
}

FailureOr<hip::KernelOp> KernelLowering::run(bool advance, size_t firstMap) {
  bool isCounted = !workersBefore && tellsNothing(source);
  createKernel(isCounted, advance);
  Operation *marker = &*entry.getInsertionPoint();
  LogicalResult result = lowerGroups();
  if (succeeded(result) && !isCounted)
    result = lowerLast(advance);
  marker->erase();
  if (failed(result)) {
    kernel.erase();
    return failure();
  }
  if (!isCounted) {
    numberTasks(kernel);
    countByTickets(kernel);
  }
  enterLate();
  meetInPairs();
  sinkGrids();
  fuseElementwise(kernel);
  // What folding or fusing left without users, users first.
  kernel.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
    if (op != kernel && isOpTriviallyDead(op))
      op->erase();
  });
  dropUnusedArguments(firstMap);
  return kernel;
}

/// Words in LDS are made while the kernel before is still at work: who enters a launch waits for its end (.4 us of a
/// launch behind another on an H200). Who counts it waits for memory, about as long as a loop takes to fill its slots:
/// behind the places where all threads meet nobody waits for him (.6 us).
void KernelLowering::enterLate() {
  for (Operation &op : llvm::make_early_inc_range(kernel.getBody().front()))
    if (op.hasTrait<hip::MakesWords>())
      op.moveBefore(launch.getDefiningOp());
}

/// Behind the words that they make; and behind its tasks each stays until the other needs it no more. Only then it
/// leaves.
void KernelLowering::meetInPairs() {
  if (!source.getPairs())
    return;
  OpBuilder first(launch.getDefiningOp()), last = OpBuilder::atBlockEnd(&kernel.getBody().front());
  for (hip::GroupOp group : kernel.getGroups())
    if (group.getTurn() == tile::Turn::Last)
      last.setInsertionPoint(group);
  hip::MeetPairOp::create(first, loc);
  for (auto empty : kernel.getBody().front().getOps<hip::EmptyOp>())
    hip::EndPairOp::create(last, loc, empty, consumers);
}

hip::GroupOp KernelLowering::createGroup(tile::Turn turn) {
  auto group = hip::GroupOp::create(builder, loc, turn, launch, IntegerAttr(), IntegerAttr(), tile::Dealing::Ticketed,
                                    Value(), tile::ScopeAttr(), tile::GroupSideAttr());
  group.getBody().emplaceBlock();
  return group;
}

static bool hasManyLoops(tile::KernelOp kernel) {
  int64_t loops = 0;
  for (tile::RoleOp role : kernel.getBody().getOps<tile::RoleOp>())
    loops += llvm::range_size(role.getBody().getOps<tile::ForallOp>());
  return loops > 1;
}

/// Groups in the order of the text, the pool where its first role stands. A workgroup that has finished with its group
/// goes on to the later ones, so that one resident workgroup does all the work.
LogicalResult KernelLowering::lowerGroups() {
  SmallVector<SmallVector<tile::RoleOp>> groups;
  std::optional<size_t> pool;
  int64_t own = 0;
  for (tile::RoleOp role : source.getBody().getOps<tile::RoleOp>()) {
    loc = unnamed(role.getLoc());
    if (role.getTurn() == tile::Turn::First) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd(&createGroup(tile::Turn::First).getBody().front());
      if (failed(lowerRole(role)))
        return failure();
    } else if (role.getTurn() == tile::Turn::Each && (role.getWorkgroups() || role.getBeside())) {
      own += role.getWorkgroups().value_or(0);
      groups.push_back({role});
    } else if (role.getTurn() == tile::Turn::Each) {
      if (!pool) {
        pool = groups.size();
        groups.emplace_back();
      }
      groups[*pool].push_back(role);
    }
  }
  if (int64_t queues = queuesBefore + static_cast<int64_t>(groups.size()); queues > queue_count)
    return source.emitOpError() << "has " << queues << " groups of workgroups, expected at most " << queue_count;
  OpBuilder::InsertionGuard guard(builder);
  if (hasManyLoops(source))
    beginRoles();
  Value end; // the first worker number behind the group; the last group has none
  for (auto [number, roles] : llvm::enumerate(groups)) {
    loc = unnamed(roles.front().getLoc());
    bool isChosen = number + 1 < groups.size() && !roles.front().getBeside();
    end = isChosen ? endBehind(end, roles.front(), own) : Value();
    if (failed(lowerGroup(roles, number, end)))
      return failure();
  }
  return success();
}

LogicalResult KernelLowering::lowerGroup(ArrayRef<tile::RoleOp> roles, int64_t number, Value end) {
  int64_t loops = 0;
  for (tile::RoleOp role : roles)
    loops += llvm::range_size(role.getBody().getOps<tile::ForallOp>());
  hip::GroupOp group = createGroup(tile::Turn::Each);
  if (loops)
    group.setDealing(source.getDealing());
  tile::RoleOp first = roles.front();
  group.setWorkgroupsAttr(first.getWorkgroupsAttr());
  if (hasSender(source))
    group.setSide(first.getBeside() ? tile::GroupSide::Sender : tile::GroupSide::Others);
  if (loops && group.getDealing() == tile::Dealing::Ticketed)
    group.setQueue(queuesBefore + number);
  if (end)
    group.getEndMutable().assign(end);
  taken = {};
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&group.getBody().front());
  for (tile::RoleOp role : roles)
    if (failed(lowerRole(role)))
      return failure();
  return success();
}

/// Computes the number of tasks of a role before the role: it is made of extents, as all bounds of tile loops are.
static void hoist(Value tasks, hip::RoleOp role) {
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *op) { return role->isProperAncestor(op); };
  if (failed(getBackwardSlice(tasks, &slice, options)) || !llvm::all_of(slice, isMemoryEffectFree))
    llvm_unreachable("nothing of a bound is read from memory");
  for (Operation *op : slice)
    op->moveBefore(role);
}

LogicalResult KernelLowering::lowerRole(tile::RoleOp source) {
  // Its tasks begin where those of the role before it end.
  Operation *end = taken ? taken.getDefiningOp() : nullptr;
  if (auto before = dyn_cast_or_null<hip::RoleOp>(end ? end->getParentOp() : nullptr))
    hoist(taken, before);
  auto role = hip::RoleOp::create(builder, loc, source.getSymName(), AffineMapAttr());
  if (AffineExpr tasks = tasksOf(program, source))
    role.setTasksAttr(AffineMapAttr::get(AffineMap::get(0, program.getNumExtents(), tasks)));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&role.getBody().emplaceBlock());
  if (failed(lowerBlock(source.getBody().front())))
    return failure();
  if (beginsCopies && source.getTurn() == tile::Turn::First) {
    hip::BeginCopiesOp::create(builder, loc, launch);
    beginsCopies = false;
  }
  return success();
}

FailureOr<SmallVector<Value>> KernelLowering::gridOf(tile::ForallOp forall) {
  SmallVector<Value> grid;
  if (forall.getBounds()) {
    auto operands = valuesOf(forall.getExtents());
    if (failed(operands))
      return failure();
    operands->insert(operands->begin(), constant(program.getWorld().value_or(1)));
    for (auto [size, index] : llvm::zip(forall.getBounds()->getResults(), forall.getIndices())) {
      Location name = named(loc, nameOf(index.getLoc()) + "_tiles");
      grid.push_back(expandExpression(builder, name, size, *operands));
      // Two negative ones would make tasks, and one would take some from the loop behind it.
      if (!isCount(grid.back()))
        grid.back() = builder.createOrFold<arith::MaxSIOp>(name, grid.back(), constant(0));
    }
    return grid;
  }
  FailureOr<MemoryView> view = viewOf(forall.getBuffer());
  if (failed(view))
    return failure();
  AffineExpr size = getAffineSymbolExpr(0, builder.getContext());
  for (auto [extent, tile, index] :
       llvm::zip(view->extents, forall.getTiles()->getAsRange<IntegerAttr>(), forall.getIndices()))
    grid.push_back(
        expandExpression(builder, named(loc, nameOf(index.getLoc()) + "_tiles"), size.ceilDiv(tile.getInt()), extent));
  return grid;
}

LogicalResult KernelLowering::lowerForall(tile::ForallOp forall) {
  FailureOr<SmallVector<Value>> grid = gridOf(forall);
  if (failed(grid))
    return failure();
  auto role = cast<tile::RoleOp>(forall->getParentOp());
  Value tasks;
  for (Value size : *grid)
    tasks = tasks ? builder.createOrFold<arith::MulIOp>(loc, tasks, size) : size;
  if (!tasks) // a grid without dimensions is one task
    tasks = arith::ConstantIndexOp::create(builder, loc, 1);
  if (auto product = tasks.getDefiningOp<arith::MulIOp>())
    product->setLoc(named(loc, role.getSymName() + "_tasks"));
  Value end = taken ? builder.createOrFold<arith::AddIOp>(named(loc, role.getSymName() + "_end"), taken, tasks) : tasks;
  OpBuilder::InsertionGuard outside(builder);
  beginRoles();
  if (failed(declareDeferred(forall)))
    return failure();
  auto loop = hip::TasksOp::create(builder, loc, end, role.getBeside() ? Value() : ticketWords());
  Block &body = loop.getBody().emplaceBlock();
  Value task = body.addArgument(builder.getIndexType(), named(loc, "task"));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&body);
  if (taken)
    task = arith::SubIOp::create(builder, named(loc, role.getSymName() + "_task"), task, taken);
  taken = end;
  if (failed(lowerOrder(forall, task, tasks, *grid)) || failed(joinTallies(forall.getBody().front())) ||
      failed(lowerBlock(forall.getBody().front())))
    return failure();
  if (!waveRole || role.getBeside())
    return success();
  storeLeft(loop);
  return splitRoles(loop);
}

LogicalResult KernelLowering::lowerLast(bool advance) {
  loc = source.getLoc();
  // What the others release when they leave must reach as far as the signals of the last one.
  auto scope = tile::Scope::Agent;
  for (tile::RoleOp role : source.getBody().getOps<tile::RoleOp>())
    if (role.getTurn() == tile::Turn::Last)
      role.walk([&](tile::SignalOp signal) { scope = std::max(scope, signal.getScope()); });
  hip::GroupOp group = createGroup(tile::Turn::Last);
  group.setScope(scope);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&group.getBody().front());
  for (tile::RoleOp role : source.getBody().getOps<tile::RoleOp>())
    if (role.getTurn() == tile::Turn::Last && failed(lowerRole(role)))
      return failure();
  hip::LeaveOp::create(builder, source.getLoc(), launch, advance);
  return success();
}

static bool isToken(Value value) { return isa<tile::TokenType>(value.getType()); }

/// Whether the loop of the text carries what this one does: tokens vanish, and the tiles of steps stay where they are.
bool KernelLowering::isCarried(BlockArgument argument) { return !isToken(argument) && !held.contains(argument); }

LogicalResult KernelLowering::lowerLoop(scf::ForOp loop) {
  Value low = valueOf(loop.getLowerBound()), high = valueOf(loop.getUpperBound()), step = valueOf(loop.getStep());
  if (failed(holdForSteps(loop)))
    return failure();
  SmallVector<Value> inits;
  for (auto [argument, init] : llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()))
    if (isCarried(argument))
      inits.push_back(valueOf(init));
  if (!low || !high || !step || llvm::is_contained(inits, Value()))
    return failure();
  auto lowered = scf::ForOp::create(builder, loc, low, high, step, inits);
  for (StringRef name :
       {tile::TileDialect::CommentAttrHelper::getNameStr(), tile::TileDialect::UnrolledAttrHelper::getNameStr()})
    if (Attribute attribute = loop->getAttr(name))
      lowered->setAttr(name, attribute);
  lowered.getInductionVar().setLoc(loop.getInductionVar().getLoc());
  mapping.map(loop.getInductionVar(), lowered.getInductionVar());
  unsigned next = 0;
  for (auto [argument, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults())) {
    if (!isCarried(argument))
      continue;
    lowered.getRegionIterArg(next).setLoc(argument.getLoc());
    mapping.map(argument, lowered.getRegionIterArg(next));
    mapping.map(result, lowered.getResult(next++));
  }
  {
    OpBuilder::InsertionGuard guard(builder);
    if (!lowered.getBody()->empty())
      lowered.getBody()->back().erase();
    builder.setInsertionPointToEnd(lowered.getBody());
    if (failed(lowerBlock(*loop.getBody())))
      return failure();
  }
  takeFromSteps(loop);
  return success();
}

LogicalResult KernelLowering::lowerYield(scf::YieldOp yield) {
  auto loop = dyn_cast<scf::ForOp>(yield->getParentOp());
  SmallVector<Value> values;
  for (auto [number, value] : llvm::enumerate(yield.getOperands()))
    if (loop ? isCarried(loop.getRegionIterArg(number)) : !isToken(value))
      values.push_back(valueOf(value));
  if (llvm::is_contained(values, Value()))
    return failure();
  scf::YieldOp::create(builder, loc, values);
  return success();
}

LogicalResult KernelLowering::lowerBranch(scf::IfOp branch) {
  Value condition = valueOf(branch.getCondition());
  if (!condition)
    return failure();
  SmallVector<Type> types;
  for (Value result : branch.getResults())
    if (!isToken(result))
      types.push_back(result.getType());
  // A side that only chose a token has nothing to do.
  bool hasElse = !branch.getElseRegion().empty() &&
                 (!types.empty() || !llvm::all_of(branch.getElseRegion().getOps(),
                                                  [](Operation &op) { return isa<scf::YieldOp, tile::JoinOp>(op); }));
  auto lowered = scf::IfOp::create(builder, loc, types, condition, hasElse);
  unsigned next = 0;
  for (Value result : branch.getResults())
    if (!isToken(result))
      mapping.map(result, lowered.getResult(next++));
  for (auto [from, to] : llvm::zip(branch->getRegions(), lowered->getRegions())) {
    if (from.empty() || to.empty())
      continue;
    OpBuilder::InsertionGuard guard(builder);
    to.front().clear();
    builder.setInsertionPointToEnd(&to.front());
    if (failed(lowerBlock(from.front())))
      return failure();
  }
  return success();
}

void KernelLowering::keepNames(Operation *op) {
  if (nameOf(op->getLoc()).empty())
    return;
  for (Value result : op->getResults())
    if (Value mapped = mapping.lookupOrNull(result))
      if (Operation *lowered = mapped.getDefiningOp();
          lowered && (nameOf(lowered->getLoc()).empty() || lowered->hasTrait<hip::ReadsTile>()))
        lowered->setLoc(op->getLoc());
}

LogicalResult KernelLowering::lowerBlock(Block &block) {
  for (Operation &op : block) {
    // What helps to compute an operation does not have its name; what computes its results has.
    loc = unnamed(op.getLoc());
    if (!published && !source.getEngine())
      published = publishFor(op);
    if (failed(lowerOp(&op)))
      return failure();
    if (published == &op)
      published = nullptr;
    keepNames(&op);
  }
  return success();
}

LogicalResult KernelLowering::lowerOp(Operation *op) {
  if (isa<tile::JoinOp, tile::SharedBufferOp, memref::SubViewOp, memref::CastOp>(op))
    return success(); // tokens vanish; buffers and views are lowered where they are used
  if (isa<ub::PoisonOp>(op))
    return lowerUndefined(op);
  if (auto forall = dyn_cast<tile::ForallOp>(op))
    return source.getEngine() ? lowerEngineTasks(forall) : lowerForall(forall);
  if (auto move = dyn_cast<tile::MoveOp>(op))
    return lowerMove(move);
  if (auto take = dyn_cast<tile::TakeCountedOp>(op))
    return lowerTake(take);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return lowerLoop(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return lowerBranch(branch);
  if (auto yield = dyn_cast<scf::YieldOp>(op))
    return lowerYield(yield);
  if (isa<tile::WaitOp, tile::SignalOp, tile::ArriveOp>(op))
    return lowerSignals(op);
  if (auto steps = dyn_cast<tile::StepsOp>(op))
    return lowerSteps(steps);
  if (auto regular = dyn_cast<tile::RegularOp>(op))
    return lowerRegular(regular);
  if (isa<tile::MappedOp, tile::FullOp, tile::EmptyOp, tile::StreamOp, tile::DotAsyncOp, tile::AwaitProductsOp,
          tile::AwaitFullOp, tile::ReleaseOp, tile::FenceAsyncOp>(op))
    return lowerStreamOp(op);
  if (isa<tile::MovesInBulkOp, tile::ByProducerOp, tile::RelayOp, tile::TellOp, tile::HasNextOp>(op))
    return lowerRelayOp(op);
  if (isa<tile::DeferOp, tile::StoreDeferredOp, tile::StoreAsyncOp>(op))
    return lowerDeferredOp(op);
  if (isa<tile::BarrierOp>(op)) {
    bool isInTask = op->getParentOfType<tile::ForallOp>() != nullptr;
    hip::BarrierOp::create(builder, loc, consumers && isInTask ? builder.getI64IntegerAttr(consumers) : IntegerAttr());
    return success();
  }
  if (isa<tile::MeetOp>(op)) {
    hip::MeetOp::create(builder, loc);
    return success();
  }
  if (auto priority = dyn_cast<tile::PriorityOp>(op)) {
    hip::PriorityOp::create(builder, loc, priority.getLevel());
    return success();
  }
  if (auto await = dyn_cast<tile::AwaitOp>(op)) {
    if (!await.getLeft())
      return await.emitOpError() << "has no count yet, expected 'count' to have said what it leaves";
    hip::AwaitCopiesOp::create(builder, loc, *await.getLeft());
    return success();
  }
  if (isa<tile::AccessOpInterface, tile::SharedStoreOp, tile::SharedLoadOp, tile::RearrangeOp>(op))
    return lowerMemory(op);
  if (op->getNumResults() == 1 && isa<RankedTensorType>(op->getResult(0).getType()))
    return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) && !isa<arith::ConstantOp>(op)
               ? lowerElementwise(op)
               : lowerCompute(op);
  return lowerScalar(op, builder);
}
