// Tasks that wait for several tasks of their rank become the work of whichever of these comes last: it polls for
// nobody, and is drawn by nobody. Adds no wait, and takes away none but those that it answers.
#include "passes/Passes.h"
#include "passes/waits/Synchronization.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace tilec {
#define GEN_PASS_DEF_ARRIVALS
#include "passes/Passes.h.inc"
} // namespace tilec

namespace {

/// A role whose tasks all wait for boxes of one grid, and the role whose tasks raise it.
class Arrival {
public:
  Arrival(RoleOp later, int64_t world) : laterRole(later), world(world) {}

  bool match();
  void apply();

private:
  bool matchLater();
  bool matchEarlier();
  bool matchBox();

  RoleOp laterRole, earlierRole;
  int64_t world;
  ForallOp later, earlier;
  SignalsOp grid;
  SmallVector<WaitOp> waits; ///< of a task of `later`
  SignalOp signal;           ///< of a task of `earlier`
  /// Of each index of `later`: the dimension of the grid, and the index of `earlier`, that it is.
  SmallVector<int64_t> dims;
  SmallVector<BlockArgument> indices;
  int64_t count = 1; ///< tasks of `earlier` for each of `later`
};

} // namespace

/// The tasks of a role that has nothing beside them but numbers, in the workgroups that all share.
static ForallOp onlyTasks(RoleOp role) {
  if (role.getTurn() != Turn::Each || role.getWorkgroups() || role.getBeside())
    return {};
  ForallOp tasks;
  for (Operation &op : role.getBody().front()) {
    auto forall = dyn_cast<ForallOp>(op);
    if (forall ? tasks != nullptr : !isPure(&op))
      return {};
    tasks = forall ? forall : tasks;
  }
  return tasks && tasks.getBounds() ? tasks : ForallOp();
}

/// Its tasks wait for one grid of this rank, and do no product: that would want a loop of its own.
bool Arrival::matchLater() {
  later = onlyTasks(laterRole);
  if (!later)
    return false;
  bool isPlain = true;
  later.walk([&](Operation *op) {
    isPlain &= !isa<DotOp, ArriveOp>(op);
    auto wait = dyn_cast<WaitOp>(op);
    if (!wait)
      return;
    SignalsOp awaited = wait.getSignals().getDefiningOp<SignalsOp>();
    isPlain &= wait.getScope() == Scope::Agent && wait.getLag() == 0 && (!grid || grid == awaited);
    grid = awaited;
    waits.push_back(wait);
  });
  return isPlain && grid;
}

/// Whether workgroups of its own may do what comes behind a role's tasks, too: where those that all share have other
/// tasks, of whatever.
static bool isBusyBeside(RoleOp later) {
  return llvm::any_of(later->getParentOfType<KernelOp>().getBody().getOps<RoleOp>(), [&](RoleOp role) {
    return role != later && role.getTurn() == Turn::Each && !role.getWorkgroups() && !role.getBeside();
  });
}

/// Each task of one earlier role raises one signal of the grid, here; nobody else uses it.
bool Arrival::matchEarlier() {
  for (Operation *user : grid->getUsers()) {
    if (isa<WaitOp>(user) && later->isProperAncestor(user))
      continue;
    auto raises = dyn_cast<SignalOp>(user);
    if (!raises || signal || !raises.getTo().getDefiningOp<RankOp>())
      return false;
    signal = raises;
  }
  earlier = signal ? dyn_cast<ForallOp>(signal->getParentOp()) : ForallOp();
  earlierRole = earlier ? dyn_cast<RoleOp>(earlier->getParentOp()) : RoleOp();
  if (!earlierRole || earlierRole->getParentOp() != laterRole->getParentOp() ||
      !earlierRole->isBeforeInBlock(laterRole))
    return false;
  if (earlierRole.getTurn() != Turn::Each || earlierRole.getEngine() || earlierRole.getBeside() ||
      (earlierRole.getWorkgroups() && !isBusyBeside(laterRole)) || !earlier.getBounds())
    return false;
  // A task ends with its arrival.
  for (Operation *next = signal->getNextNode(); next; next = next->getNextNode())
    if (!isMemoryEffectFree(next) && !isa<SignalOp>(next) && !next->hasTrait<OpTrait::IsTerminator>())
      return false;
  SmallVector<Value> raised(signal.getIndices());
  llvm::SmallDenseSet<Value> each(raised.begin(), raised.end());
  return each.size() == earlier.getIndices().size() && raised.size() == each.size() &&
         llvm::all_of(earlier.getIndices(), [&](BlockArgument index) { return each.contains(index); });
}

/// Of each dimension of the grid all waits have the same index of their task, or whatever there is.
bool Arrival::matchBox() {
  auto bounds = overExtents(*earlier.getBounds(), earlier.getExtents(), world);
  auto wanted = overExtents(*later.getBounds(), later.getExtents(), world);
  if (!bounds || !wanted)
    return false;
  dims.assign(later.getIndices().size(), -1);
  indices.resize(dims.size());
  for (auto [dim, value] : llvm::enumerate(signal.getIndices())) {
    auto raised = cast<BlockArgument>(value);
    BlockArgument index;
    bool isOne = llvm::all_of(waits, [&, dim = dim](WaitOp wait) {
      auto argument = dyn_cast<BlockArgument>(wait.getIndices()[dim]);
      bool isSole = wait.getCounts().empty() || getConstantIntValue(wait.getCounts()[dim]) == 1;
      bool isSame = argument && argument.getOwner()->getParentOp() == later && (!index || index == argument);
      index = argument;
      return isSole && isSame;
    });
    if (!isOne) {
      auto size = dyn_cast<AffineConstantExpr>((*bounds)[raised.getArgNumber()]);
      if (!size || size.getValue() < 1)
        return false;
      count *= size.getValue();
      continue;
    }
    unsigned number = index.getArgNumber();
    if (dims[number] >= 0 || (*bounds)[raised.getArgNumber()] != (*wanted)[number])
      return false;
    dims[number] = static_cast<int64_t>(dim);
    indices[number] = raised;
  }
  // One that waits for one task is as well a task of its own.
  return count > 1 && !llvm::is_contained(dims, -1);
}

/// Whether a token orders behind nothing but the arrival, however loops and branches carry it. What is asked already is
/// taken for such.
static bool isOfArrival(Value token, Value arrival, llvm::DenseSet<Value> &asked) {
  if (token == arrival || !asked.insert(token).second)
    return true;
  auto all = [&](ValueRange tokens) {
    return llvm::all_of(tokens, [&](Value each) { return isOfArrival(each, arrival, asked); });
  };
  if (auto argument = dyn_cast<BlockArgument>(token)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && all({loop.getTiedLoopInit(argument)->get(), loop.getTiedLoopYieldedValue(argument)->get()});
  }
  Operation *op = token.getDefiningOp();
  unsigned number = cast<OpResult>(token).getResultNumber();
  if (auto join = dyn_cast<JoinOp>(op))
    return all(join.getTokens());
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return all({loop.getInitArgs()[number], loop.getYieldedValues()[number]});
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return all({branch.thenYield().getOperand(number), branch.elseYield().getOperand(number)});
  return false;
}

/// What carried the token of a wait names the arrival instead; loops and branches that carried nothing else are no
/// more.
static void nameArrival(scf::IfOp branch, Value arrival) {
  SmallVector<Value> carried;
  auto note = [&](ValueRange values) {
    for (Value value : values)
      if (llvm::DenseSet<Value> asked; isa<TokenType>(value.getType()) && isOfArrival(value, arrival, asked))
        carried.push_back(value);
  };
  branch.walk([&](Operation *op) {
    // A token that orders nothing stays one.
    if (op != branch && isa<scf::ForOp, scf::IfOp, JoinOp>(op) && !(isa<JoinOp>(op) && op->getNumOperands() == 0))
      note(op->getResults());
    if (auto loop = dyn_cast<scf::ForOp>(op))
      note(ValueRange(loop.getRegionIterArgs()));
  });
  for (Value value : carried)
    value.replaceAllUsesWith(arrival);
  branch.walk([&](AccessOpInterface access) {
    MutableOperandRange after = access.getAfterTokensMutable();
    llvm::SetVector<Value> tokens;
    for (OpOperand &operand : after)
      tokens.insert(operand.get());
    after.assign(tokens.getArrayRef());
  });
  branch.walk<WalkOrder::PostOrder>([&](Operation *op) {
    if (op != branch && isa<scf::IfOp>(op) && isOpTriviallyDead(op))
      op->erase();
  });
  RewritePatternSet patterns(branch.getContext());
  scf::ForOp::getCanonicalizationPatterns(patterns, branch.getContext());
  GreedyRewriteConfig config;
  config.enableFolding(false).setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  (void)applyPatternsGreedily(branch.getThenRegion(), std::move(patterns), config);
}

bool Arrival::match() { return matchLater() && matchEarlier() && matchBox(); }

void Arrival::apply() {
  auto program = laterRole->getParentOfType<ProgramOp>();
  SmallVector<AffineExpr> sizes = *overExtents(*later.getBounds(), later.getExtents(), world);
  SignalsOp counts = declareGrid(program, (earlierRole.getSymName() + "_arrivals").str(), sizes, later.getLoc());
  // What the later role computes beside its tasks is pure.
  for (Operation &op : llvm::make_early_inc_range(laterRole.getBody().front()))
    if (&op != later)
      op.moveBefore(earlier);
  OpBuilder builder = OpBuilder::atBlockEnd(&earlier.getBody().front());
  if (!earlier.getBody().front().empty() && earlier.getBody().front().back().hasTrait<OpTrait::IsTerminator>())
    builder.setInsertionPoint(&earlier.getBody().front().back());
  Location loc = signal.getLoc();
  SmallVector<Value> word(indices.begin(), indices.end());
  Value number = arith::ConstantIndexOp::create(builder, loc, count);
  auto arrive = ArriveOp::create(builder, loc, counts.getResult(), word, number, signal.getPublishes());
  auto branch = scf::IfOp::create(builder, later.getLoc(), arrive.getLast(), /*withElseRegion=*/false);
  for (auto [index, its] : llvm::zip(later.getIndices(), indices))
    index.replaceAllUsesWith(its);
  for (WaitOp wait : waits) {
    wait.getToken().replaceAllUsesWith(arrive.getToken());
    wait.erase();
  }
  Operation *end = branch.thenBlock()->getTerminator();
  for (Operation &op : llvm::make_early_inc_range(later.getBody().front()))
    if (!op.hasTrait<OpTrait::IsTerminator>())
      op.moveBefore(end);
  nameArrival(branch, arrive.getToken());
  signal.erase();
  grid.erase();
  laterRole.erase();
}

namespace {

class Arrivals : public tilec::impl::ArrivalsBase<Arrivals> {
public:
  using ArrivalsBase::ArrivalsBase;

  void runOnOperation() override {
    ProgramOp program = getOperation();
    for (KernelOp kernel : program.getBody().getOps<KernelOp>())
      for (RoleOp role : llvm::make_early_inc_range(kernel.getBody().getOps<RoleOp>())) {
        Arrival arrival(role, program.getWorld().value_or(1));
        if (!arrival.match())
          continue;
        arrival.apply();
        ++merged;
      }
  }
};

} // namespace
