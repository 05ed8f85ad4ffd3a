// Declares signal grids and emits signals and whole-rank waits. Which tasks wait for which is decided in
// WaitRanges.cpp.
#include "passes/waits/Synchronization.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

Synchronizer::Synchronizer(ProgramOp program, const StepCounts &steps)
    : program(program), numRanks(*program.getWorld()) {
  for (RankOp op : program.getBody().getOps<RankOp>())
    rankValue = op;
  if (!rankValue) {
    OpBuilder builder = OpBuilder::atBlockBegin(&program.getBody().front());
    rankValue =
        RankOp::create(builder, NameLoc::get(builder.getStringAttr("rank"), program.getLoc()), builder.getIndexType());
  }
  for (KernelOp kernel : program.getBody().getOps<KernelOp>()) {
    // A kernel that signals or waits already was written by hand: its author said what waits for what.
    bool byHand = kernel
                      .walk([](Operation *op) {
                        return isa<SignalOp, WaitOp, ArriveOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
                      })
                      .wasInterrupted();
    if (byHand)
      continue;
    for (RoleOp role : kernel.getBody().getOps<RoleOp>())
      for (ForallOp forall : role.getBody().getOps<ForallOp>())
        all.push_back({forall, role, kernel, footprintsIn(forall), steps.lookup(forall)});
  }
}

SignalsOp tilec::declareGrid(ProgramOp program, StringRef name, ArrayRef<AffineExpr> sizes, Location loc) {
  // Before the first kernel: grids depend on extents alone, which are arguments of the program.
  auto kernels = program.getBody().getOps<KernelOp>();
  OpBuilder builder(*kernels.begin());
  auto [map, operands] = extentOperands(&program.getBody().front(), sizes);
  return SignalsOp::create(builder, NameLoc::get(builder.getStringAttr(name), loc),
                           SignalsType::get(program.getContext(), sizes.size()), operands, map,
                           builder.getArrayAttr({}), HandshakeAttr(), /*counted=*/false, /*by_chiplet=*/false);
}

static SmallVector<AffineExpr> boundsOf(Statement &statement, int64_t world) {
  auto bounds = overExtents(*statement.forall.getBounds(), statement.forall.getExtents(), world);
  // A bound that is no expression over extents cannot size a grid: 'waits' refuses such statements before.
  return bounds ? *bounds : SmallVector<AffineExpr>();
}

/// True when an index of a tile loop takes every rank.
static bool takesEveryRank(Value value, Statement &statement, int64_t world) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner()->getParentOp() != statement.forall)
    return false;
  return boundsOf(statement, world)[argument.getArgNumber()] == getAffineConstantExpr(world, value.getContext());
}

Completion &Synchronizer::completionOf(Statement &statement, const Footprint &access, Audience audience) {
  Completion wanted{
      {}, audience, audience == Audience::Target ? access.rank : Value(), audience == Audience::Everyone, {}};
  if (audience == Audience::Target) {
    // A rank that no task writes to would wait for ever, and several writers cannot share a signal: unless each rank
    // has its one writer, or is written by all, every rank signals every rank.
    // A constant is added to this rank's number: every rank then has one writer.
    if (neighbourShift(access.rank, rankValue, numRanks))
      wanted.byRank = false;
    else if (takesEveryRank(access.rank, statement, numRanks) || loopOverRanks(access.rank, numRanks))
      wanted.byRank = true;
    else
      wanted = {{}, Audience::Everyone, {}, true, {}};
    wanted.amongOthers =
        wanted.target && takesEveryRank(wanted.target, statement, numRanks) &&
        llvm::all_of(statement.accesses, [&](const Footprint &any) { return isForOthers(any.op, wanted.target); });
  }
  SmallVector<unsigned, 2> &own = completionsOf[statement.forall];
  // A task that writes to all ranks in several loops tells each but once.
  auto isSameTarget = [&](Value a, Value b) {
    return a == b || (a && b && loopOverRanks(a, numRanks) && loopOverRanks(b, numRanks));
  };
  for (unsigned number : own)
    if (Completion &known = completions[number].second;
        known.audience == wanted.audience && isSameTarget(known.target, wanted.target) && known.byRank == wanted.byRank)
      return known;
  SmallVector<AffineExpr> sizes, bounds = boundsOf(statement, numRanks);
  if (wanted.byRank)
    sizes.push_back(getAffineConstantExpr(numRanks, program.getContext()));
  for (BlockArgument index : statement.forall.getIndices()) {
    if (index == wanted.target)
      continue;
    wanted.kept.push_back(index.getArgNumber());
    sizes.push_back(bounds[index.getArgNumber()]);
  }
  StringRef verb = wanted.audience == Audience::Self ? "_done" : "_arrived";
  wanted.grid = declareGrid(program, (statement.role.getSymName() + verb).str(), sizes, statement.forall.getLoc());
  own.push_back(completions.size());
  completions.push_back({statement.forall, wanted});
  return completions.back().second;
}

/// Raises one completion at the end of a task, in a loop over ranks when everybody is told.
static void emitCompletion(Synchronizer &sync, ForallOp forall, const Completion &completion, ValueRange tokens) {
  Block &task = forall.getBody().front();
  Location loc = forall.getLoc();
  OpBuilder builder = OpBuilder::atBlockEnd(&task);
  SmallVector<Value> indices;
  if (completion.byRank)
    indices.push_back(sync.rank());
  for (unsigned position : completion.kept)
    indices.push_back(forall.getIndices()[position]);
  Scope scope = completion.audience == Audience::Self ? Scope::Agent : Scope::System;
  auto signal = [&](OpBuilder &at, Value to) {
    SignalOp::create(at, loc, scope, SignalsOp(completion.grid).getResult(), indices, to, tokens);
  };
  if (completion.audience == Audience::Self)
    return signal(builder, sync.rank());
  bool loops = completion.audience == Audience::Everyone || loopOverRanks(completion.target, sync.world());
  if (completion.amongOthers) {
    OpBuilder before = OpBuilder::atBlockBegin(&task);
    Location named = NameLoc::get(before.getStringAttr("is_other"), loc);
    Value other = arith::CmpIOp::create(before, named, arith::CmpIPredicate::ne, completion.target, sync.rank());
    auto guard = scf::IfOp::create(builder, loc, other, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(guard.thenBlock());
  }
  if (!loops)
    return signal(builder, completion.target);
  Value begin = arith::ConstantIndexOp::create(builder, loc, 0), step = arith::ConstantIndexOp::create(builder, loc, 1);
  Value end = arith::ConstantIndexOp::create(builder, loc, sync.world());
  auto loop = scf::ForOp::create(builder, loc, begin, end, step);
  loop.getInductionVar().setLoc(NameLoc::get(builder.getStringAttr("peer"), loc));
  OpBuilder body = OpBuilder::atBlockBegin(loop.getBody());
  signal(body, loop.getInductionVar());
}

void Synchronizer::emitCompletions() {
  // Loops over ranks are told apart by their induction variables, which rebuilding a loop would change: emit all
  // signals without tokens first, then thread the tokens and name them.
  llvm::MapVector<Operation *, SmallVector<SignalOp>> signals;
  for (auto &[owner, completion] : completions)
    emitCompletion(*this, cast<ForallOp>(owner), completion, {});
  for (auto &[owner, completion] : completions)
    signals[owner];
  for (auto &[owner, list] : signals) {
    owner->walk([&, &emitted = list](SignalOp signal) { emitted.push_back(signal); });
    SmallVector<Operation *> stores;
    owner->walk([&](AccessOpInterface access) {
      if (access.writesBuffer())
        stores.push_back(access);
    });
    Block *task = &cast<ForallOp>(owner).getBody().front();
    // Named at once: the next store's token may rebuild the loop that this one is a result of, and its uses follow.
    for (Operation *store : stores) {
      Value token = tokenAtTaskLevel(store, task);
      for (SignalOp signal : list)
        signal.getPublishesMutable().append(token);
    }
  }
}

Value Synchronizer::neighbour(int64_t shift) {
  shift = (shift % numRanks + numRanks) % numRanks;
  Value &value = neighbours[shift];
  if (value || shift == 0)
    return value ? value : rankValue;
  OpBuilder builder(program.getContext());
  builder.setInsertionPointAfterValue(rankValue);
  Location loc = NameLoc::get(builder.getStringAttr("neighbour"), program.getLoc());
  Value by = arith::ConstantIndexOp::create(builder, loc, shift),
        all = arith::ConstantIndexOp::create(builder, loc, numRanks);
  value = arith::RemUIOp::create(builder, loc, arith::AddIOp::create(builder, loc, rankValue, by), all);
  return value;
}

SignalsOp Synchronizer::rankGrid(StringRef name) {
  SignalsOp &grid = rankGrids[name.str()];
  if (!grid)
    grid = declareGrid(program, name, getAffineConstantExpr(numRanks, program.getContext()), program.getLoc());
  return grid;
}

SignalsOp Synchronizer::rankGrid(Handshake handshake) {
  SignalsOp grid = rankGrid(stringifyHandshake(handshake));
  grid.setHandshake(handshake);
  return grid;
}

RoleOp Synchronizer::edgeRole(KernelOp kernel, Turn turn) {
  for (RoleOp role : kernel.getBody().getOps<RoleOp>())
    if (role.getTurn() == turn)
      return role;
  Block &body = kernel.getBody().front();
  OpBuilder builder = turn == Turn::First ? OpBuilder::atBlockBegin(&body) : OpBuilder::atBlockEnd(&body);
  auto role = RoleOp::create(builder, kernel.getLoc(), builder.getStringAttr(turn == Turn::First ? "enter" : "leave"),
                             TurnAttr::get(builder.getContext(), turn), IntegerAttr());
  role.getBody().emplaceBlock();
  return role;
}

void Synchronizer::signalEveryone(Block *block, SignalsOp grid) {
  Location loc = grid.getLoc();
  OpBuilder builder = OpBuilder::atBlockEnd(block);
  Value begin = arith::ConstantIndexOp::create(builder, loc, 0), step = arith::ConstantIndexOp::create(builder, loc, 1);
  Value end = arith::ConstantIndexOp::create(builder, loc, numRanks);
  auto loop = scf::ForOp::create(builder, loc, begin, end, step);
  loop.getInductionVar().setLoc(NameLoc::get(builder.getStringAttr("peer"), loc));
  OpBuilder body = OpBuilder::atBlockBegin(loop.getBody());
  SignalOp::create(body, loc, Scope::System, grid.getResult(), rankValue, loop.getInductionVar(), ValueRange());
}

WaitOp Synchronizer::waitForRanks(OpBuilder &builder, SignalsOp grid, int64_t lag) {
  Location loc = grid.getLoc();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0),
        all = arith::ConstantIndexOp::create(builder, loc, numRanks);
  return WaitOp::create(builder, loc, TokenType::get(builder.getContext()), Scope::System, grid.getResult(), zero, all,
                        lag);
}

Value Synchronizer::awaitEveryone(RoleOp role, SignalsOp grid, int64_t lag) {
  Value &token = prologueWaits[{role, grid, lag}];
  if (!token) {
    OpBuilder builder = OpBuilder::atBlockBegin(&role.getBody().front());
    token = waitForRanks(builder, grid, lag);
  }
  return token;
}

void Synchronizer::protect(const Footprint &access, Value token) {
  MutableOperandRange after = cast<AccessOpInterface>(access.op).getAfterTokensMutable();
  if (!llvm::is_contained(after.getAsOperandRange(), token))
    after.append(token);
}

//===-- tokens
//------------------------------------------------------------------------------------------------------===//

/// The store again, with a token as its result.
static Value giveToken(IRRewriter &rewriter, Operation *op) {
  if (op->getNumResults())
    return op->getResult(0);
  OperationState state(op->getLoc(), op->getName(), op->getOperands(), TokenType::get(op->getContext()),
                       op->getAttrs());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  rewriter.setInsertionPoint(op);
  Operation *named = rewriter.create(state);
  rewriter.replaceOp(op, ValueRange());
  return named->getResult(0);
}

static Value carryThroughLoop(IRRewriter &rewriter, scf::ForOp loop, Value token) {
  rewriter.setInsertionPoint(loop);
  Location index = loop.getInductionVar().getLoc();
  Value none = JoinOp::create(rewriter, loop.getLoc(), token.getType(), ValueRange());
  NewYieldValuesFn yields = [&](OpBuilder &builder, Location loc, ArrayRef<BlockArgument> arguments) {
    return SmallVector<Value>{JoinOp::create(builder, loc, token.getType(), ValueRange{arguments.front(), token})};
  };
  auto rebuilt = cast<LoopLikeOpInterface>(loop.getOperation())
                     .replaceWithAdditionalYields(rewriter, none, /*replaceInitOperandUsesInLoop=*/false, yields);
  cast<scf::ForOp>(rebuilt->getOperation()).getInductionVar().setLoc(index);
  return rebuilt->getOperation()->getResults().back();
}

static Value carryThroughBranch(IRRewriter &rewriter, scf::IfOp branch, Value token) {
  bool inThen = branch.getThenRegion().isAncestor(token.getParentRegion());
  SmallVector<Type> types(branch.getResultTypes());
  types.push_back(token.getType());
  rewriter.setInsertionPoint(branch);
  auto rebuilt = scf::IfOp::create(rewriter, branch.getLoc(), types, branch.getCondition(), /*withElseRegion=*/true);
  auto adopt = [&](Region &from, Region &into, bool own) {
    if (!from.empty()) {
      into.takeBody(from);
    } else if (into.empty()) {
      into.emplaceBlock();
    }
    Block &block = into.front();
    if (!block.mightHaveTerminator()) {
      rewriter.setInsertionPointToEnd(&block);
      scf::YieldOp::create(rewriter, branch.getLoc());
    }
    Operation *yield = block.getTerminator();
    rewriter.setInsertionPoint(yield);
    Value value = own ? token : JoinOp::create(rewriter, branch.getLoc(), token.getType(), ValueRange()).getResult();
    yield->insertOperands(yield->getNumOperands(), value);
  };
  adopt(branch.getThenRegion(), rebuilt.getThenRegion(), inThen);
  adopt(branch.getElseRegion(), rebuilt.getElseRegion(), !inThen);
  rewriter.replaceOp(branch, rebuilt.getResults().drop_back());
  return rebuilt.getResults().back();
}

Value tilec::tokenAtTaskLevel(Operation *store, Block *task) {
  IRRewriter rewriter(store->getContext());
  Value token = giveToken(rewriter, store);
  while (token.getParentBlock() != task) {
    Operation *parent = token.getParentBlock()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      token = carryThroughLoop(rewriter, loop, token);
    else
      token = carryThroughBranch(rewriter, cast<scf::IfOp>(parent), token);
  }
  return token;
}
