// Asks what stands in the way of waves that only fill slots.
#include "passes/schedule/Producer.h"
#include "dialect/Combination.h"
#include "passes/analysis/Contains.h"
#include "passes/analysis/LayoutConversion.h"
#include "passes/analysis/ViewedBuffer.h"
#include "passes/machine/LoopCost.h"
#include "passes/machine/TileBox.h"
#include "passes/schedule/Sending.h"
#include "passes/schedule/Tasks.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::schedule;

int64_t schedule::registersOf(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? llvm::divideCeil(tilec::registersOf(*layoutOf(tile), tile.getShape()) * bytesOf(tile.getElementType()),
                                 4)
              : 0;
}

/// Those for the tiles that a loop carries, and that its products make of each step and read from registers.
static int64_t sumsOf(scf::ForOp loop) {
  int64_t registers = 0;
  for (BlockArgument argument : loop.getRegionIterArgs())
    registers += registersOf(argument.getType());
  for (DotOp product : loop.getBody()->getOps<DotOp>()) {
    if (!llvm::is_contained(loop.getYieldedValues(), product.getResult()))
      registers += registersOf(product.getType());
    auto read = product.getLhs().getDefiningOp<SharedLoadOp>();
    if (!read || read->getBlock() != loop.getBody())
      registers += registersOf(product.getLhs().getType());
  }
  return registers;
}

static bool multiplies(Operation *op) {
  return op->walk([](DotOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

static bool movesTiles(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return llvm::any_of(inner->getResultTypes(), llvm::IsaPred<RankedTensorType>) ? WalkResult::interrupt()
                                                                                      : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The loops over tasks of a kernel; none where something else moves tiles.
static SmallVector<ForallOp> tasksOf(KernelOp kernel) {
  SmallVector<ForallOp> tasks;
  for (RoleOp role : kernel.getBody().getOps<RoleOp>())
    for (Operation &op : role.getBody().front()) {
      if (auto forall = dyn_cast<ForallOp>(op))
        tasks.push_back(forall);
      else if (movesTiles(&op))
        return {};
    }
  return tasks;
}

/// Whether all waves of a workgroup meet in what the library does for an operation: consumers meet alone in waits and
/// signals, not in a reduction or a scan.
static bool meetsInLibrary(Operation *op) { return scratchOf(op) != nullptr; }

/// Whether tasks, or all that a kernel does, leave a buffer as it is. Whoever else writes what is copied, another role
/// or a peer, tasks wait for, and so does the producer, step by step. Of themselves it would have to wait for a task
/// that it has left behind.
static bool isLeftAlone(Value buffer, Operation *tasks) {
  return !tasks
              ->walk([&](AccessOpInterface access) {
                bool isWritten = access.writesBuffer() && viewedBuffer(access.getAccessedBuffer()) == buffer;
                return isWritten ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

/// Whether the producer can read the numbers that steer a task as it runs ahead: nothing in the kernel writes them,
/// here or on a peer, and no wait among the tasks is for who does. Each of its waves reads them when it comes to the
/// task, and no signal of the task says that all have.
static bool readsAhead(ForallOp tasks) {
  return !tasks
              .walk([&](ReadOp read) {
                bool isAwaited = llvm::any_of(read.getAfter(), [&](Value token) {
                  return tasks->isAncestor(token.getParentBlock()->getParentOp());
                });
                bool isWritten = !isLeftAlone(viewedBuffer(read.getBuffer()), tasks->getParentOfType<KernelOp>());
                return isAwaited || isWritten ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

int64_t schedule::consumerRegisters(KernelOp kernel, const Target &target) {
  int64_t waves = static_cast<int64_t>(kernel.getWaves().value_or(1));
  ProducerAttr producer = kernel.getProducerAttr();
  if (producer && producer.getConsumers())
    return producer.getConsumers();
  return registerShare(waves + (producer ? producer.getWaves() : 0), target);
}

static bool waits(Operation *op) {
  return op->walk([](WaitOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Whether tasks wait for something that the loop loads: then its producer does, and not only who does the rest of
/// them.
static bool loadsAwaited(scf::ForOp loop) {
  auto tasks = loop->getParentOfType<ForallOp>();
  bool awaited = waits(loop);
  loop.walk([&](LoadOp load) {
    for (Value token : load.getAfter())
      awaited |= tasks->isAncestor(token.getParentBlock()->getParentOp());
  });
  return awaited;
}

/// Whether producers poll: for what they copy to slots; or before tasks, where waves part around several loops.
static bool polls(scf::ForOp loop, ArrayRef<ForallOp> all) {
  return loadsAwaited(loop) ||
         (all.size() > 1 && llvm::any_of(all, [](ForallOp loop) {
            return llvm::any_of(*loop->getBlock(), [](Operation &op) { return !isa<ForallOp>(op) && waits(&op); });
          }));
}

Dealing schedule::dealingFor(KernelOp kernel, const Target &target) {
  SmallVector<ForallOp> all = tasksOf(kernel);
  if (all.size() != 1 || all.front()->getParentOfType<RoleOp>().getWorkgroups())
    return Dealing::Ticketed;
  bool tells = contains<WaitOp, SignalOp, PostOp, ReceiveOp, ReceiveAllOp>(all.front());
  // The last of those that arrive does more than the others. By number the workgroup that is late for that would be the
  // last again, and do so for all that follow. Where some tasks alone arrive, these come behind all others.
  // How long a task takes may be data: by number one workgroup could get all of the long ones.
  bool allArrive = llvm::any_of(all.front().getBody().front(), llvm::IsaPred<ArriveOp>);
  bool isUneven = (allArrive && !hasOneTaskEach(kernel, target)) || contains<ReadOp>(all.front());
  return tells || isUneven ? Dealing::Ticketed : Dealing::Strided;
}

ProducerAttr schedule::withWaits(ProducerAttr producer, KernelOp kernel, const Target &target) {
  if (producer.getRegisters() == 0)
    return producer;
  int64_t given = std::max<int64_t>(producer.getRegisters(), target.producer.pollingRegisters);
  int64_t own = registersBesideProducer(static_cast<int64_t>(kernel.getWaves().value_or(1)), given, target);
  return own ? ProducerAttr::get(producer.getContext(), producer.getWaves(), given, own) : ProducerAttr();
}

ProducerAttr schedule::producerFor(scf::ForOp loop, ArrayRef<Value> copied, const Target &target) {
  auto kernel = loop->getParentOfType<KernelOp>();
  SmallVector<ForallOp> all = tasksOf(kernel);
  auto tasks = dyn_cast<ForallOp>(loop->getParentOp());
  bool isOnly = tasks && llvm::all_of(all, [&](ForallOp other) { return (other == tasks) == multiplies(other); });
  if (!target.producer.waves || kernel.getProducer() || all.empty() || !isOnly)
    return {};
  bool meets = false;
  kernel.walk([&](Operation *op) { meets |= meetsInLibrary(op); });
  if (meets || !llvm::all_of(copied, [&](Value buffer) { return isLeftAlone(buffer, tasks); }) || !readsAhead(tasks))
    return {};
  int64_t waves = static_cast<int64_t>(kernel.getWaves().value_or(1));
  int64_t even = registerShare(waves + target.producer.waves, target);
  // Where sums and what they are rounded to fit an equal share, nothing is given away.
  if (even == registerShare(1, target) || sumsOf(loop) * 3 / 2 + target.producer.addressRegisters <= even)
    return ProducerAttr::get(loop.getContext(), target.producer.waves, 0, 0);
  bool draws = dealingFor(kernel, target) == Dealing::Ticketed;
  int64_t given =
      std::max(target.producer.registers, polls(loop, all)                       ? target.producer.pollingRegisters
                                          : draws || storesToAll(kernel, target) ? target.producer.drawingRegisters
                                                                                 : 0);
  int64_t own = registersBesideProducer(waves, given, target);
  if (own == 0)
    return {};
  return ProducerAttr::get(loop.getContext(), target.producer.waves, given, own);
}
