// What a copy engine would wait for its kernel's first workgroup waits for, or a kernel before that: the gate. Derives
// no wait.
#include "passes/analysis/Contains.h"
#include "passes/waits/Synchronization.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// Waits for the signals of all tasks of an engine; where ranks have a signal each, for those of `source`.
static void awaitTasks(Synchronizer &sync, OpBuilder &builder, const Completion &completion, Value source) {
  SignalsOp grid = completion.grid;
  Location loc = grid.getLoc();
  SmallVector<Value> indices, counts;
  if (completion.byRank) {
    indices.push_back(source);
    counts.push_back(arith::ConstantIndexOp::create(builder, loc, 1));
  }
  auto sizes = overExtents(grid.getSizes(), grid.getExtents(), sync.world());
  for (AffineExpr size : ArrayRef(*sizes).drop_front(completion.byRank)) {
    indices.push_back(arith::ConstantIndexOp::create(builder, loc, 0));
    counts.push_back(materializeExtent(builder, loc, size));
  }
  WaitOp::create(builder, loc, TokenType::get(builder.getContext()), Scope::System, grid.getResult(), indices, counts,
                 0);
}

/// The same for all ranks that copy here.
static void awaitSources(Synchronizer &sync, OpBuilder &builder, const Completion &completion, Location loc) {
  if (!completion.byRank)
    return awaitTasks(sync, builder, completion, {});
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1),
        all = arith::ConstantIndexOp::create(builder, loc, sync.world());
  auto loop = scf::ForOp::create(builder, loc, zero, all, one);
  loop.getInductionVar().setLoc(NameLoc::get(builder.getStringAttr("source"), loc));
  OpBuilder body = OpBuilder::atBlockBegin(loop.getBody());
  Value source = loop.getInductionVar();
  if (completion.amongOthers) {
    Value other = arith::CmpIOp::create(body, loc, arith::CmpIPredicate::ne, source, sync.rank());
    auto guard = scf::IfOp::create(body, loc, other, /*withElseRegion=*/false);
    body.setInsertionPointToStart(guard.thenBlock());
  }
  awaitTasks(sync, body, completion, source);
}

void tilec::awaitEngines(Synchronizer &sync) {
  for (Statement &statement : sync.statements()) {
    if (!statement.role.getEngine())
      continue;
    for (Footprint &access : statement.accesses) {
      // Scratch is nobody's between launches, and an engine copies there again behind what it copies now. Where no task
      // waits for it, a launch with other extents would not be ordered behind: such extents are refused (`verify`).
      auto alloc = access.root.getDefiningOp<AllocOp>();
      if (!access.writes || !access.rank || (alloc && !alloc.getPersistent()))
        continue;
      const Completion &completion = sync.completionOf(statement, access, Audience::Target);
      OpBuilder builder = OpBuilder::atBlockEnd(&sync.edgeRole(statement.kernel, Turn::Last).getBody().front());
      awaitSources(sync, builder, completion, statement.forall.getLoc());
    }
  }
}

/// Copies a wait of a role, with what its operands are made of there, to the end of a block.
static void moveBehind(WaitOp wait, Block &into) {
  Block &role = *wait->getBlock();
  SmallVector<Operation *> before;
  for (Operation &op : role) {
    if (&op == wait)
      break;
    if (isPure(&op) && op.getNumRegions() == 0)
      before.push_back(&op);
  }
  OpBuilder builder = OpBuilder::atBlockEnd(&into);
  IRMapping mapping;
  for (Operation *op : before)
    builder.clone(*op, mapping);
  builder.clone(*wait, mapping);
}

/// The engine begins behind the gate, so that its accesses name no wait.
static void forget(WaitOp wait) {
  for (Operation *user : llvm::make_early_inc_range(wait.getToken().getUsers()))
    if (auto access = dyn_cast<AccessOpInterface>(user)) {
      SmallVector<Value> others(access.getAfterTokensMutable().getAsOperandRange());
      llvm::erase(others, wait.getToken());
      access.getAfterTokensMutable().assign(others);
    }
  if (!wait.getToken().use_empty()) {
    OpBuilder builder(wait);
    wait.getToken().replaceAllUsesWith(
        JoinOp::create(builder, wait.getLoc(), wait.getToken().getType(), ValueRange()).getResult());
  }
  wait.erase();
}

static LogicalResult splitGate(KernelOp kernel, ArrayRef<RoleOp> engines) {
  OpBuilder builder(kernel);
  auto gate = KernelOp::create(builder, kernel.getLoc(), (kernel.getSymName() + "_gate").str());
  Block &body = gate.getBody().front();
  RoleOp enter;
  for (RoleOp role : llvm::make_early_inc_range(kernel.getBody().getOps<RoleOp>()))
    if (role.getTurn() == Turn::First) {
      role->moveBefore(&body, body.end());
      enter = role;
    }
  if (!enter) {
    OpBuilder inner = OpBuilder::atBlockEnd(&body);
    enter = RoleOp::create(inner, kernel.getLoc(), inner.getStringAttr("enter"),
                           TurnAttr::get(builder.getContext(), Turn::First), IntegerAttr());
    enter.getBody().emplaceBlock();
  }
  for (RoleOp engine : engines) {
    for (WaitOp wait : llvm::make_early_inc_range(engine.getBody().front().getOps<WaitOp>())) {
      moveBehind(wait, enter.getBody().front());
      forget(wait);
    }
    WalkResult waits = engine.walk([&](WaitOp wait) {
      wait.emitOpError()
          << "would be the copy engine's, which waits for nothing in its tasks; expected another pattern";
      return WalkResult::interrupt();
    });
    if (waits.wasInterrupted())
      return failure();
  }
  return success();
}

/// Whether what an access does at rank `to` is certainly done at another rank than this one. Null is this rank.
static bool goesToOther(Operation *access, Value to, Value rank, int64_t world) {
  if (!to)
    return false;
  auto isRank = [](Value value) { return value.getDefiningOp<RankOp>() != nullptr; };
  for (Operation *at = access; auto branch = dyn_cast<scf::IfOp>(at->getParentOp()); at = branch) {
    auto differs = branch.getCondition().getDefiningOp<arith::CmpIOp>();
    if (differs && at->getBlock() == branch.thenBlock() && differs.getPredicate() == arith::CmpIPredicate::ne &&
        ((differs.getLhs() == to && isRank(differs.getRhs())) || (differs.getRhs() == to && isRank(differs.getLhs()))))
      return true;
  }
  std::optional<int64_t> shift = neighbourShift(to, rank, world);
  return shift && *shift % world != 0;
}

/// Whether the engine may wait for the kernel that it copies beside: what a rank copies to itself comes before that.
static bool mayAsk(ArrayRef<RoleOp> engines, Synchronizer &sync) {
  return llvm::all_of(engines, [&](RoleOp role) {
    bool waitsInTasks = false, toOthers = true;
    role.walk([&](Operation *op) {
      waitsInTasks |= isa<WaitOp>(op) && op->getParentOp() != role;
      auto goes = [&](Value to) { return goesToOther(op, to, sync.rank(), sync.world()); };
      if (auto store = dyn_cast<StoreOp>(op))
        toOthers &= goes(store.getTo());
      else if (auto move = dyn_cast<MoveOp>(op))
        toOthers &= goes(move.getTo());
      else if (auto signal = dyn_cast<SignalOp>(op))
        toOthers &= goes(signal.getTo());
    });
    return toOthers && !waitsInTasks;
  });
}

/// What an engine would wait for its kernel's first workgroup waits for, and counts in a word that the engine takes.
static void askEngines(KernelOp kernel, ArrayRef<RoleOp> engines, Synchronizer &sync) {
  RoleOp enter = sync.edgeRole(kernel, Turn::First);
  SignalsOp begun = declareGrid(sync.getProgram(), (kernel.getSymName() + "_may_copy").str(),
                                getAffineConstantExpr(engines.size(), kernel.getContext()), kernel.getLoc());
  begun.setCounted(true);
  Location loc = kernel.getLoc();
  Type token = TokenType::get(kernel.getContext());
  for (size_t number = 0; number < engines.size(); ++number) {
    Block &role = RoleOp(engines[number]).getBody().front();
    OpBuilder first = OpBuilder::atBlockBegin(&role);
    Value word = arith::ConstantIndexOp::create(first, loc, number),
          one = arith::ConstantIndexOp::create(first, loc, 1);
    Value taken = TakeCountedOp::create(first, loc, token, begun.getResult(), word, one);
    for (WaitOp wait : llvm::make_early_inc_range(role.getOps<WaitOp>())) {
      moveBehind(wait, enter.getBody().front());
      wait.getToken().replaceAllUsesWith(taken);
      wait.erase();
    }
  }
  OpBuilder last = OpBuilder::atBlockEnd(&enter.getBody().front());
  for (size_t number = 0; number < engines.size(); ++number) {
    Value word = arith::ConstantIndexOp::create(last, loc, number);
    SignalOp::create(last, loc, Scope::System, begun.getResult(), word, sync.rank(), ValueRange());
  }
}

LogicalResult tilec::splitGates(Synchronizer &sync) {
  ProgramOp program = sync.getProgram();
  for (KernelOp kernel : llvm::make_early_inc_range(program.getBody().getOps<KernelOp>())) {
    SmallVector<RoleOp> engines;
    for (RoleOp role : kernel.getBody().getOps<RoleOp>())
      if (role.getEngine())
        engines.push_back(role);
    // A kernel that has its gate already is one that this pass has made, or an author.
    bool begins =
        llvm::any_of(kernel.getBody().getOps<RoleOp>(), [](RoleOp role) { return role.getTurn() == Turn::First; });
    bool waits = llvm::any_of(engines, [](RoleOp role) { return contains<WaitOp>(role); });
    if (engines.empty() || (!begins && !waits))
      continue;
    if (mayAsk(engines, sync))
      askEngines(kernel, engines, sync);
    else if (failed(splitGate(kernel, engines)))
      return failure();
  }
  return success();
}
