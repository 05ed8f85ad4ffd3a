// Finds where the threads of a workgroup have to meet between two accesses of one task.
#include "passes/stage/TaskBarriers.h"

#include "passes/analysis/LayoutConversion.h"
#include "passes/analysis/ViewedBuffer.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace {

/// What was accessed since the threads last met.
class Pending {
public:
  /// An access, and whether it was made in an earlier iteration of a loop that changes its place. The values that name
  /// that place then name another one.
  using Accesses = llvm::MapVector<Operation *, bool>;

  void clear() { roots.clear(); }
  bool add(Value root, Operation *op, bool moved) {
    auto [place, isNew] = roots[root].try_emplace(op, moved);
    bool grows = isNew || (moved && !place->second);
    place->second |= moved;
    return grows;
  }
  /// Whether that adds anything.
  bool join(const Pending &other) {
    bool grows = false;
    for (const auto &[root, accesses] : other.roots)
      for (auto [op, moved] : accesses)
        grows |= add(root, op, moved);
    return grows;
  }
  Accesses &of(Value root) { return roots[root]; }
  const llvm::MapVector<Value, Accesses> &all() const { return roots; }

private:
  llvm::MapVector<Value, Accesses> roots;
};

Type tileOf(Operation *op) {
  if (isa<LoadOp, FetchOp, GatherOp, ReceiveOp, ReceiveAllOp>(op))
    return op->getResult(0).getType();
  return op->getOperand(0).getType();
}

/// Whether a value may differ between two iterations of a loop.
bool varies(Value value, scf::ForOp loop) {
  SmallVector<Value> work{value};
  SmallPtrSet<Value, 8> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (loop->isAncestor(argument.getOwner()->getParentOp()))
        return true;
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (!loop->isAncestor(op))
      continue;
    if (op->getNumRegions() || !isPure(op))
      return true;
    llvm::append_range(work, op->getOperands());
  }
  return false;
}

class TaskBarriers {
public:
  explicit TaskBarriers(RoleOp role) : role(role), kernel(role->getParentOfType<KernelOp>()) {}

  unsigned run() {
    Pending pending;
    walk(role.getBody().front(), pending);
    return numBarriers;
  }

private:
  /// Whether each thread meets its own elements alone. Tiles of one shape of one view are the same or disjoint,
  /// whatever their coordinates are; copies on two ranks are disjoint.
  static bool keepsThreads(AccessOpInterface a, AccessOpInterface b, bool moved) {
    if (moved || a.getEachDim() || b.getEachDim() || a.getAccessedBuffer() != b.getAccessedBuffer() ||
        a.getFootprintShape() != b.getFootprintShape() || a.hasElementOffsets() != b.hasElementOffsets() ||
        tileOf(a) != tileOf(b) || !hasOneThreadEach(tileOf(a)))
      return false;
    return !a.hasElementOffsets() || llvm::equal(a.getAccessIndices(), b.getAccessIndices(), isSameIndex);
  }

  static bool isSameIndex(Value a, Value b) {
    return a == b || (getConstantIntValue(a) && getConstantIntValue(a) == getConstantIntValue(b));
  }

  /// Whether constants keep two tiles of one view apart.
  static bool isDisjoint(AccessOpInterface a, AccessOpInterface b, bool moved) {
    if (moved || a.getAccessedBuffer() != b.getAccessedBuffer())
      return false;
    for (auto [dim, x, y, sizeX, sizeY] :
         llvm::enumerate(a.getAccessIndices(), b.getAccessIndices(), a.getFootprintShape(), b.getFootprintShape())) {
      if (a.isEach(dim) || b.isEach(dim))
        continue;
      std::optional<int64_t> indexX = getConstantIntValue(x), indexY = getConstantIntValue(y);
      if (!indexX || !indexY || !llvm::isInt<32>(*indexX) || !llvm::isInt<32>(*indexY))
        continue;
      int64_t firstX = *indexX * (a.hasElementOffsets() ? 1 : sizeX);
      int64_t firstY = *indexY * (b.hasElementOffsets() ? 1 : sizeY);
      if (firstX + sizeX <= firstY || firstY + sizeY <= firstX)
        return true;
    }
    return false;
  }

  static bool conflicts(AccessOpInterface before, AccessOpInterface op, bool moved) {
    // What is written where data says is written once, and so is what carries its flags.
    bool carryFlags = before->hasTrait<CarriesFlags>() && op->hasTrait<CarriesFlags>();
    if ((before == op && op.getEachDim()) || carryFlags)
      return false;
    return (before.writesBuffer() || op.writesBuffer()) && !before.commutesWith(op) &&
           !keepsThreads(before, op, moved) && !isDisjoint(before, op, moved);
  }

  void access(AccessOpInterface op, Pending &pending) {
    Value root = viewedBuffer(op.getAccessedBuffer());
    bool meets = llvm::any_of(pending.of(root), [&](const auto &earlier) {
      return conflicts(cast<AccessOpInterface>(earlier.first), op, earlier.second);
    });
    if (meets) {
      OpBuilder builder(op);
      BarrierOp::create(builder, op->getLoc());
      ++numBarriers;
      pending.clear();
    }
    pending.add(root, op, /*moved=*/false);
  }

  /// Whether all threads of the workgroup meet in an operation. Waves that wait each for itself meet nobody.
  bool meetsAll(Operation *op) {
    if (auto wait = dyn_cast<WaitOp>(op))
      return wait.getParticipants() != Participants::Wave || kernel.getWaves().value_or(1) == 1;
    return isa<BarrierOp, SignalOp, ArriveOp>(op);
  }

  void walk(Block &block, Pending &pending) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto accessOp = dyn_cast<AccessOpInterface>(op))
        access(accessOp, pending);
      else if (meetsAll(&op))
        pending.clear();
      else if (isa<TellOp>(op))
        continue; // who did the task meets nobody there
      else if (auto loop = dyn_cast<scf::ForOp>(op))
        walkLoop(loop, pending);
      else if (auto branch = dyn_cast<scf::IfOp>(op))
        walkBranch(branch, pending);
      else if (isa<StepsOp, PlacesOp, StreamOp>(op))
        walk(op.getRegion(0).front(), pending); // they fetch, and write nothing
      else if (auto tasks = dyn_cast<ForallOp>(op))
        walkTasks(tasks, pending);
    }
  }

  /// Until an iteration leaves nothing new to the next. What was pending at the start of any iteration is kept while
  /// the role is walked: a loop around this one finds most of it known, so that loops in loops cost no more than they
  /// hold.
  void walkLoop(scf::ForOp loop, Pending &pending) {
    std::unique_ptr<Loop> &known = loops[loop];
    bool grows = !known;
    if (!known)
      known = std::make_unique<Loop>();
    Loop &passes = *known; // stays where it is when loops inside this one are added
    grows |= passes.begin.join(pending);
    while (grows) {
      passes.end = passes.begin;
      walk(*loop.getBody(), passes.end);
      grows = passes.begin.join(afterPass(loop, passes.end));
    }
    // The loop may have no iterations.
    pending.join(passes.end);
  }

  /// What the next iteration of a loop finds pending.
  Pending afterPass(scf::ForOp loop, const Pending &end) {
    Pending next;
    for (const auto &[root, accesses] : end.all())
      for (auto [op, moved] : accesses)
        next.add(root, op, moved || changesPlace(op, loop));
    return next;
  }

  /// Whether an access is to another view in the next iteration of a loop, or at other offsets; of coordinates nobody
  /// asks.
  bool changesPlace(Operation *op, scf::ForOp loop) {
    auto [known, isNew] = changes.try_emplace({op, loop}, false);
    if (!isNew || !loop->isAncestor(op))
      return known->second;
    auto access = cast<AccessOpInterface>(op);
    bool result = varies(access.getAccessedBuffer(), loop);
    if (access.hasElementOffsets())
      for (Value index : access.getAccessIndices())
        result |= varies(index, loop);
    return known->second = result;
  }

  void walkBranch(scf::IfOp branch, Pending &pending) {
    Pending other = pending;
    walk(*branch.thenBlock(), pending);
    if (branch.elseBlock())
      walk(*branch.elseBlock(), other);
    pending.join(other);
  }

  /// Threads meet where they draw a task; tasks that are dealt out by number, or drawn by a producer, are not. What
  /// orders two tasks are signals, in which the threads meet.
  void walkTasks(ForallOp tasks, Pending &pending) {
    bool drawn = kernel.getDealing() == Dealing::Ticketed && !kernel.getProducer();
    if (drawn)
      pending.clear();
    Pending before = pending;
    walk(tasks.getBody().front(), pending);
    if (drawn)
      pending.clear();
    pending.join(before);
  }

  /// What was pending before any iteration of a loop, and after the last walk of its body.
  struct Loop {
    Pending begin, end;
  };

  RoleOp role;
  KernelOp kernel;
  DenseMap<Operation *, std::unique_ptr<Loop>> loops;
  DenseMap<std::pair<Operation *, Operation *>, bool> changes;
  unsigned numBarriers = 0;
};

} // namespace

unsigned tilec::placeTaskBarriers(RoleOp role) { return TaskBarriers(role).run(); }
