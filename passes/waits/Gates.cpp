// What a copy engine would wait for becomes a kernel before its own: the gate. Derives no wait.
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
      // Scratch is nobody's between launches, and an engine copies there again behind what it copies now.
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

LogicalResult tilec::splitGates(ProgramOp program) {
  for (KernelOp kernel : llvm::make_early_inc_range(program.getBody().getOps<KernelOp>())) {
    SmallVector<RoleOp> engines;
    for (RoleOp role : kernel.getBody().getOps<RoleOp>())
      if (role.getEngine())
        engines.push_back(role);
    // A kernel that has its gate already is one that this pass has made, or an author.
    bool begins =
        llvm::any_of(kernel.getBody().getOps<RoleOp>(), [](RoleOp role) { return role.getTurn() == Turn::First; });
    bool waits = llvm::any_of(engines, [](RoleOp role) { return contains<WaitOp>(role); });
    if (!engines.empty() && (begins || waits) && failed(splitGate(kernel, engines)))
      return failure();
  }
  return success();
}
