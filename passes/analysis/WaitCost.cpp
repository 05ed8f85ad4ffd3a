// Counts waits by evaluating the numbers of a role in single tasks.
#include "passes/analysis/WaitCost.h"
#include "passes/analysis/Footprint.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace {

/// Numbers of one task: indices of tile loops have given values, loops are in their first iteration, the rank is 0.
class TaskNumbers {
public:
  TaskNumbers(ProgramOp program, ArrayRef<int64_t> extents) : program(program), extents(extents) {}

  DenseMap<Value, int64_t> bound;

  std::optional<int64_t> of(AffineExpr expr) {
    SmallVector<AffineExpr> symbols;
    for (int64_t extent : extents)
      symbols.push_back(getAffineConstantExpr(extent, program.getContext()));
    auto constant = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(expr.replaceSymbols(symbols), 0, 0));
    return constant ? std::optional(constant.getValue()) : std::nullopt;
  }

  /// Operands before what uses them, each once: a chain may be longer than the stack is deep.
  std::optional<int64_t> of(Value value) {
    Numbers known;
    SmallVector<Value> pending{value};
    while (!pending.empty()) {
      Value next = pending.back();
      SmallVector<Value, 2> needed = neededFor(next);
      auto *unknown = llvm::find_if(needed, [&](Value other) { return !known.contains(other); });
      if (unknown != needed.end()) {
        pending.push_back(*unknown);
        continue;
      }
      known[next] = numberOf(next, known);
      pending.pop_back();
    }
    return known.lookup(value);
  }

private:
  using Numbers = DenseMap<Value, std::optional<int64_t>>;

  /// The values whose numbers make that of a value.
  SmallVector<Value, 2> neededFor(Value value) const {
    if (bound.contains(value))
      return {};
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      return loop && argument == loop.getInductionVar() ? SmallVector<Value, 2>{loop.getLowerBound()}
                                                        : SmallVector<Value, 2>();
    }
    Operation *op = value.getDefiningOp();
    bool binary = op->getNumOperands() == 2 && isa<arith::ArithDialect>(op->getDialect());
    return binary ? SmallVector<Value, 2>(op->getOperands()) : SmallVector<Value, 2>();
  }

  /// The number of a value, of those it needs in `known`.
  std::optional<int64_t> numberOf(Value value, const Numbers &known) {
    if (std::optional<int64_t> constant = getConstantIntValue(value))
      return constant;
    if (auto given = bound.find(value); given != bound.end())
      return given->second;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (isa<ProgramOp>(argument.getOwner()->getParentOp()) && argument.getArgNumber() < extents.size())
        return extents[argument.getArgNumber()];
      SmallVector<Value, 2> needed = neededFor(value);
      return needed.empty() ? std::nullopt : known.lookup(needed.front());
    }
    if (isa<RankOp>(value.getDefiningOp()))
      return 0;
    if (auto extent = value.getDefiningOp<ExtentOp>()) {
      auto exprs = overExtents(extent.getSizes(), extent.getExtents(), program.getWorld().value_or(1));
      return exprs ? of(exprs->front()) : std::nullopt;
    }
    SmallVector<Value, 2> needed = neededFor(value);
    if (needed.empty())
      return std::nullopt;
    std::optional<int64_t> a = known.lookup(needed[0]), b = known.lookup(needed[1]);
    return a && b ? ofBinary(value.getDefiningOp(), *a, *b) : std::nullopt;
  }

  static std::optional<int64_t> ofBinary(Operation *op, int64_t a, int64_t b) {
    Type type = op->getOperand(0).getType();
    SmallVector<OpFoldResult> results;
    if (!type.isIntOrIndex() || failed(op->fold({IntegerAttr::get(type, a), IntegerAttr::get(type, b)}, results)) ||
        results.empty())
      return std::nullopt;
    return getConstantIntValue(results.front());
  }

  ProgramOp program;
  ArrayRef<int64_t> extents;
};

/// Whether the task with these numbers does not do an operation, which is for other ranks alone.
bool isLeftOut(Operation *op, Operation *task, TaskNumbers &numbers) {
  for (auto guard = op->getParentOfType<scf::IfOp>(); guard && task->isAncestor(guard);
       guard = guard->getParentOfType<scf::IfOp>()) {
    auto compare = guard.getCondition().getDefiningOp<arith::CmpIOp>();
    if (!compare || compare.getPredicate() != arith::CmpIPredicate::ne)
      continue;
    auto one = numbers.of(compare.getLhs()), other = numbers.of(compare.getRhs());
    if (one && one == other)
      return true;
  }
  return false;
}

/// Passes of the loop between two waits that a guard lets through; 1 for what is no guard of `waits`.
double periodOf(scf::IfOp guard, TaskNumbers &numbers) {
  auto compare = guard.getCondition().getDefiningOp<arith::CmpIOp>();
  auto remainder = compare ? compare.getLhs().getDefiningOp<arith::RemSIOp>() : arith::RemSIOp();
  return remainder ? static_cast<double>(std::max<int64_t>(1, numbers.of(remainder.getRhs()).value_or(1))) : 1;
}

/// How often a task executes an operation.
double timesInTask(Operation *op, Operation *task, TaskNumbers &numbers) {
  double times = 1;
  for (Operation *parent = op->getParentOp(); parent != task; parent = parent->getParentOp()) {
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      auto low = numbers.of(loop.getLowerBound()), high = numbers.of(loop.getUpperBound());
      if (low && high)
        times *= static_cast<double>(std::max<int64_t>(0, *high - *low));
    } else if (auto guard = dyn_cast<scf::IfOp>(parent)) {
      times = times / periodOf(guard, numbers);
    }
  }
  return times;
}

/// Signals that a wait polls: its box, in every iteration of the loops around it that only wait.
double wordsOf(WaitOp wait, TaskNumbers &numbers) {
  double words = 1;
  for (Value count : wait.getCounts())
    words *= static_cast<double>(std::max<int64_t>(1, numbers.of(count).value_or(1)));
  return words;
}

/// The role, other than those of the edges, whose tasks raise a grid.
RoleOp producerOf(Value grid) {
  for (Operation *user : grid.getUsers())
    if (auto signal = dyn_cast<SignalOp>(user))
      if (auto role = signal->getParentOfType<RoleOp>(); role && role.getTurn() == Turn::Each)
        return role;
  return {};
}

double sizeOf(SignalsOp grid, TaskNumbers &numbers, int64_t world) {
  double size = 1;
  if (auto exprs = overExtents(grid.getSizes(), grid.getExtents(), world))
    for (AffineExpr expr : *exprs)
      size *= static_cast<double>(std::max<int64_t>(1, numbers.of(expr).value_or(1)));
  return size;
}

/// Tasks that wait for the same words: the product of the bounds of those indices that do not move the box.
double tasksOfOneBox(WaitOp wait, ForallOp forall, TaskNumbers numbers, int64_t world) {
  double same = 1;
  auto bounds = overExtents(*forall.getBounds(), forall.getExtents(), world);
  auto box = [&] {
    SmallVector<std::optional<int64_t>> box;
    for (Value number :
         llvm::concat<Value>(SmallVector<Value>(wait.getIndices()), SmallVector<Value>(wait.getCounts())))
      box.push_back(numbers.of(number));
    for (Operation *parent = wait->getParentOp(); parent != forall; parent = parent->getParentOp())
      if (auto loop = dyn_cast<scf::ForOp>(parent))
        box.append({numbers.of(loop.getLowerBound()), numbers.of(loop.getUpperBound())});
    return box;
  };
  auto first = box();
  for (auto [position, index] : llvm::enumerate(forall.getIndices())) {
    int64_t bound = bounds ? numbers.of((*bounds)[position]).value_or(1) : 1;
    numbers.bound[index] = bound - 1;
    if (box() == first)
      same *= static_cast<double>(std::max<int64_t>(1, bound));
    numbers.bound[index] = 0;
  }
  return same;
}

} // namespace

WaitCost tilec::costOfWaits(RoleOp role, ArrayRef<int64_t> extents, double units, int64_t waveLanes) {
  WaitCost cost;
  auto program = role->getParentOfType<ProgramOp>();
  int64_t world = program.getWorld().value_or(1);
  for (auto forall : role.getBody().getOps<ForallOp>()) {
    TaskNumbers numbers(program, extents);
    for (BlockArgument index : forall.getIndices())
      numbers.bound[index] = 0;
    forall.walk([&](WaitOp wait) {
      auto grid = wait.getSignals().getDefiningOp<SignalsOp>();
      double times = timesInTask(wait, forall, numbers), words = wordsOf(wait, numbers);
      cost.most += times;
      // One part in W is the rank's own, and the first tasks take that.
      if (isForOthers(wait))
        times *= static_cast<double>(world - 1) / static_cast<double>(world);
      cost.perTask += times;
      // How many have come is one word.
      cost.polls += times * (grid && grid.getByChiplet() ? 1 : std::ceil(words / double(waveLanes)));
      RoleOp producer = grid ? producerOf(grid.getResult()) : RoleOp();
      if (!producer || !forall.getBounds())
        return;
      double boxes = std::max(1.0, std::ceil(units / tasksOfOneBox(wait, forall, numbers, world)));
      // Loops that only wait, one rank after the other, wait for several boxes at once.
      auto loop = dyn_cast<scf::ForOp>(wait->getParentOp());
      if (loop && loop.getNumResults() == 1 && isa<TokenType>(loop.getResult(0).getType()))
        if (auto low = numbers.of(loop.getLowerBound()), high = numbers.of(loop.getUpperBound()); low && high)
          words *= static_cast<double>(std::max<int64_t>(1, *high - *low));
      double waiting = std::min(1.0, boxes * words / sizeOf(grid, numbers, world));
      double share = isLeftOut(wait, forall, numbers) ? 0 : waiting;
      cost.waitingShare = std::max(cost.waitingShare, waiting);
      if (cost.producer && share <= cost.firstShare)
        return;
      cost.firstShare = share;
      cost.producer = producer;
    });
  }
  return cost;
}
