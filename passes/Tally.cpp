// Waits for tasks of an earlier role become waits for all of them, which count by chiplet. Decides which; how they
// count is the device library's (tilec/tally.h).
#include "passes/Passes.h"
#include "passes/ProgramTarget.h"
#include "passes/analysis/IndexForm.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace tilec {
#define GEN_PASS_DEF_TALLY
#include "passes/Passes.h.inc"
} // namespace tilec

namespace {

/// Where the roles of kernels stand, and in which kernels no task waits for tasks of a later role, on whatever rank:
/// else some of a role may have to be told of before all of it is done.
class Roles {
public:
  explicit Roles(ProgramOp program) {
    for (KernelOp kernel : program.getBody().getOps<KernelOp>())
      for (auto [number, role] : llvm::enumerate(kernel.getBody().getOps<RoleOp>()))
        places[role] = static_cast<int64_t>(number);
    for (KernelOp kernel : program.getBody().getOps<KernelOp>())
      kernel.walk([&](WaitOp wait) {
        if (wait->getParentOfType<RoleOp>().getTurn() != Turn::Last && wait.getLag() == 0 && waitsForLater(wait))
          backward.insert(kernel);
      });
  }

  bool areForward(KernelOp kernel) const { return !backward.contains(kernel); }
  /// Of an operation the place of its role in the kernel.
  int64_t placeOf(Operation *op) const { return places.lookup(op->getParentOfType<RoleOp>()); }

private:
  bool waitsForLater(WaitOp wait) {
    return llvm::any_of(wait.getSignals().getUsers(), [&](Operation *user) {
      return isa<SignalOp>(user) && user->getParentOfType<KernelOp>() == wait->getParentOfType<KernelOp>() &&
             placeOf(user) > placeOf(wait);
    });
  }

  llvm::DenseMap<Operation *, int64_t> places;
  llvm::DenseSet<Operation *> backward; ///< kernels
};

/// A grid that one statement of this rank raises, a word for each task, and that later ones wait for.
class StatementGrid {
public:
  StatementGrid(SignalsOp grid, const Roles &roles) : grid(grid), roles(roles) {}

  bool match(int64_t world);
  /// Returns how many waits were for less than all tasks.
  unsigned apply(int64_t world);

private:
  bool matchSignal(int64_t world);
  bool matchWait(WaitOp wait) const;

  SignalsOp grid;
  const Roles &roles;
  SignalOp signal;
  SmallVector<WaitOp> waits;
};

} // namespace

/// Each task raises the word of its own indices, here, and there are as many words.
bool StatementGrid::matchSignal(int64_t world) {
  auto tasks = dyn_cast<ForallOp>(signal->getParentOp());
  auto role = tasks ? dyn_cast<RoleOp>(tasks->getParentOp()) : RoleOp();
  if (!role || role.getTurn() != Turn::Each || role.getEngine() || role.getBeside() || !tasks.getBounds() ||
      signal.getScope() != Scope::Agent || !signal.getTo().getDefiningOp<RankOp>() ||
      signal.getParticipants() != Participants::Workgroup)
    return false;
  auto sizes = overExtents(grid.getSizes(), grid.getExtents(), world);
  auto bounds = overExtents(*tasks.getBounds(), tasks.getExtents(), world);
  llvm::SmallDenseSet<Value> raised;
  for (auto [dim, value] : llvm::enumerate(signal.getIndices())) {
    auto index = dyn_cast<BlockArgument>(value);
    if (!sizes || !bounds || !index || index.getOwner()->getParentOp() != tasks || !raised.insert(index).second ||
        (*sizes)[dim] != (*bounds)[index.getArgNumber()])
      return false;
  }
  return raised.size() == tasks.getIndices().size();
}

bool StatementGrid::matchWait(WaitOp wait) const {
  auto role = wait->getParentOfType<RoleOp>();
  return wait.getScope() == Scope::Agent && wait.getLag() == 0 && wait.getParticipants() == Participants::Workgroup &&
         role.getTurn() == Turn::Each && !role.getBeside() && !role.getEngine() &&
         wait->getParentOfType<KernelOp>() == signal->getParentOfType<KernelOp>() &&
         roles.placeOf(wait) > roles.placeOf(signal);
}

bool StatementGrid::match(int64_t world) {
  if (grid.getHandshake() || grid.getCounted() || grid.getByChiplet())
    return false;
  for (Operation *user : grid->getUsers()) {
    if (auto wait = dyn_cast<WaitOp>(user)) {
      waits.push_back(wait);
      continue;
    }
    auto raises = dyn_cast<SignalOp>(user);
    if (!raises || signal)
      return false;
    signal = raises;
  }
  return signal && !waits.empty() && matchSignal(world) && roles.areForward(signal->getParentOfType<KernelOp>()) &&
         llvm::all_of(waits, [&](WaitOp wait) { return matchWait(wait); });
}

/// Whether a wait is for every word of a grid of these sizes.
static bool isForAll(WaitOp wait, ArrayRef<AffineExpr> sizes) {
  return llvm::all_of(llvm::enumerate(sizes), [&](auto size) {
    auto whole = dyn_cast<AffineConstantExpr>(size.value());
    std::optional<int64_t> count =
        wait.getCounts().empty() ? std::optional<int64_t>(1) : getConstantIntValue(wait.getCounts()[size.index()]);
    return getConstantIntValue(wait.getIndices()[size.index()]) == 0 && whole && count == whole.getValue();
  });
}

unsigned StatementGrid::apply(int64_t world) {
  std::optional<SmallVector<AffineExpr>> sizes = overExtents(grid.getSizes(), grid.getExtents(), world);
  if (!sizes)
    return 0;
  grid.setByChiplet(true);
  unsigned widened = 0;
  for (WaitOp wait : waits) {
    widened += !isForAll(wait, *sizes);
    OpBuilder builder(wait);
    Location loc = wait.getLoc();
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    SmallVector<Value> counts;
    for (AffineExpr size : *sizes)
      counts.push_back(materializeExtent(builder, loc, size));
    wait.getIndicesMutable().assign(SmallVector<Value>(sizes->size(), zero));
    wait.getCountsMutable().assign(counts);
  }
  return widened;
}

/// Waits for what one before them, in the same block or around it, has waited for; and what said which part that was.
static void dropRepeated(RoleOp role) {
  DominanceInfo order(role);
  SmallVector<WaitOp> kept;
  SmallVector<WaitOp> all;
  role.walk([&](WaitOp wait) {
    if (auto grid = wait.getSignals().getDefiningOp<SignalsOp>(); grid && grid.getByChiplet())
      all.push_back(wait);
  });
  for (WaitOp wait : all) {
    auto same = llvm::find_if(kept, [&](WaitOp before) {
      return before.getSignals() == wait.getSignals() && order.properlyDominates(before.getOperation(), wait);
    });
    if (same == kept.end()) {
      kept.push_back(wait);
      continue;
    }
    wait.getToken().replaceAllUsesWith(same->getToken());
    wait.erase();
  }
  if (!all.empty())
    role.walk<WalkOrder::PostOrder, mlir::ReverseIterator>([](Operation *op) {
      if (isOpTriviallyDead(op))
        op->erase();
    });
}

namespace {

class Tally : public tilec::impl::TallyBase<Tally> {
public:
  using TallyBase::TallyBase;

  void runOnOperation() override {
    ProgramOp program = getOperation();
    GranularityAttr covering = program.getGranularityAttr();
    if (!covering || covering.getCoverage() != Coverage::Statement)
      return;
    FailureOr<Target> machine = programTarget(program, target);
    if (failed(machine))
      return signalPassFailure();
    // The units of a machine of one chiplet share the cache in which others find what they store.
    if (machine->chiplets < 2)
      return;
    const int64_t world = program.getWorld().value_or(1);
    const Roles roles(program);
    for (auto grid : program.getBody().getOps<SignalsOp>()) {
      StatementGrid all(grid, roles);
      if (!all.match(world))
        continue;
      widened += all.apply(world);
      ++counted;
    }
    for (KernelOp kernel : program.getBody().getOps<KernelOp>())
      for (RoleOp role : kernel.getBody().getOps<RoleOp>())
        dropRepeated(role);
  }
};

} // namespace
