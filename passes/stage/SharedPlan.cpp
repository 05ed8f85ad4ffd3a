// Live ranges of LDS buffers, and first fit. Changes nothing.
#include "passes/stage/SharedPlan.h"
#include "dialect/Combination.h"
#include "dialect/Deferred.h"
#include "passes/analysis/Contains.h"
#include "passes/analysis/LayoutConversion.h"
#include "passes/machine/Target.h"
#include "tilec/constants.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec::tile;

namespace tilec {

namespace {

/// A buffer of one task with the operations, numbered in the order of the text, between which it holds something.
struct Lifetime {
  SharedBufferOp buffer;
  int64_t bytes = 0, alignment = kSharedAlignment;
  int64_t first = 0, last = 0;
  bool behindBarrier = false; ///< the task's threads have met before
  bool meets(const Lifetime &other) const { return first <= other.last && other.first <= last; }
};

/// First and last number of an operation and everything in it.
using Numbering = DenseMap<Operation *, std::pair<int64_t, int64_t>>;

void number(Operation *op, Numbering &numbering, int64_t &next) {
  int64_t first = next++;
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      number(&inner, numbering, next);
  numbering[op] = {first, next - 1};
}

/// The range in the innermost block that holds all accesses. Where the first of them there is no store, the content
/// comes from an earlier pass through the block: the range grows to the enclosing operation.
std::pair<int64_t, int64_t> liveRange(SharedBufferOp buffer, const Numbering &numbering) {
  SmallVector<Operation *> users(buffer->getUsers().begin(), buffer->getUsers().end());
  if (users.empty())
    return numbering.find(buffer)->second;
  Block *block = users.front()->getBlock();
  while (llvm::any_of(users, [&](Operation *user) { return !block->findAncestorOpInBlock(*user); }))
    block = block->getParentOp()->getBlock();
  while (true) {
    std::pair<int64_t, int64_t> range{std::numeric_limits<int64_t>::max(), -1};
    Operation *first = nullptr;
    for (Operation *user : users) {
      Operation *ancestor = block->findAncestorOpInBlock(*user);
      auto [begin, end] = numbering.find(ancestor)->second;
      if (begin < range.first) {
        range.first = begin;
        first = ancestor;
      }
      range.second = std::max(range.second, end);
    }
    if (isa<SharedStoreOp, CopyAsyncOp>(first) || isCooperative(first) || block == buffer->getBlock() ||
        !isa<scf::ForOp>(block->getParentOp()))
      return range;
    block = block->getParentOp()->getBlock();
  }
}

/// Several copies are filled in turn by a loop that reads one and stores the next: they hold something throughout it.
std::pair<int64_t, int64_t> liveRangeOfCopies(SharedBufferOp buffer, const Numbering &numbering) {
  SmallVector<Operation *> users(buffer->getUsers().begin(), buffer->getUsers().end());
  scf::ForOp loop = users.empty() ? scf::ForOp() : users.front()->getParentOfType<scf::ForOp>();
  while (loop && llvm::any_of(users, [&](Operation *user) { return !loop->isAncestor(user); }))
    loop = loop->getParentOfType<scf::ForOp>();
  return loop ? numbering.find(loop)->second : liveRange(buffer, numbering);
}

/// What a copy engine fills or stores begins where its swizzle does. That comes back after 8 rows of 128 bytes, which
/// is the mode of the descriptors that the device headers make, not a number of one machine.
int64_t alignmentOf(SharedBufferOp buffer) {
  constexpr int64_t kSwizzleBytes = 1024;
  bool isMapped = llvm::any_of(buffer->getUsers(), [](Operation *user) {
    auto copy = dyn_cast<CopyAsyncOp>(user);
    auto defer = dyn_cast<DeferOp>(user);
    return (copy && copy.getFull()) || (defer && defer.getAsync()) || isa<StoreAsyncOp>(user);
  });
  return isMapped ? kSwizzleBytes : kSharedAlignment;
}

/// Whether the threads of the task meet before each access: then the words that told them of the task, at the start of
/// LDS, have been read.
bool isBehindBarriers(SharedBufferOp buffer) {
  return llvm::all_of(buffer->getUsers(), [&](Operation *user) {
    for (Operation *at = user; at && at != buffer->getParentOp(); at = at->getParentOp())
      for (Operation *before = at->getPrevNode(); before; before = before->getPrevNode())
        if (isa<BarrierOp>(before))
          return true;
    return false;
  });
}

/// Places the buffers of one task from `begin` on; returns the end of the last one.
int64_t place(MutableArrayRef<Lifetime> lifetimes, int64_t begin, DenseMap<Operation *, int64_t> &offsets) {
  llvm::stable_sort(lifetimes, [](const Lifetime &a, const Lifetime &b) { return a.bytes > b.bytes; });
  int64_t end = 0;
  for (auto [i, lifetime] : llvm::enumerate(lifetimes)) {
    int64_t first = lifetime.behindBarrier ? begin : std::max<int64_t>(begin, broadcast_lds);
    int64_t offset = llvm::alignTo(first, lifetime.alignment);
    for (bool moved = true; moved;) {
      moved = false;
      for (const Lifetime &other : lifetimes.take_front(i)) {
        int64_t start = offsets.lookup(other.buffer);
        if (!lifetime.meets(other) || offset >= start + other.bytes || start >= offset + lifetime.bytes)
          continue;
        offset = llvm::alignTo(start + other.bytes, lifetime.alignment);
        moved = true;
      }
    }
    offsets[lifetime.buffer] = offset;
    end = std::max(end, offset + lifetime.bytes);
  }
  return end;
}

/// Buffers that have the bytes of others.
void placeOver(KernelOp kernel, SharedPlan &plan) {
  kernel.walk([&](SharedBufferOp buffer) {
    if (buffer.getOver())
      plan.offsets[buffer] = plan.offsets.lookup(buffer.getOver().getDefiningOp());
  });
}

} // namespace

int64_t sharedBytes(MemRefType type) { return type.getNumElements() * bytesOf(type.getElementType()); }

SharedPlan planShared(KernelOp kernel, const DenseMap<Operation *, int64_t> &multiplied) {
  SharedPlan plan;
  llvm::MapVector<Block *, SmallVector<Lifetime>> tasks;
  // Where a producer draws the tasks, the words by which it says so lie behind those of all kernels; behind them those
  // by which it is handed what it tells others.
  bool draws = kernel.getProducer() && kernel.getDealing() == Dealing::Ticketed;
  bool tells = contains<TellOp>(kernel);
  int64_t begin = tells   ? broadcast_lds + ticket_words_lds + telling_words_lds
                  : draws ? broadcast_lds + ticket_words_lds
                          : 0;
  // What keeps its state from task to task has bytes of its own, not those that tell of tasks.
  auto keep = [&](Operation *op, int64_t bytes, int64_t alignment) {
    int64_t offset = llvm::alignTo(std::max<int64_t>(begin, broadcast_lds), alignment);
    plan.offsets[op] = offset;
    begin = offset + bytes;
    plan.bytes = std::max(plan.bytes, begin);
  };
  kernel.walk(
      [&](FullOp full) { keep(full, slot_word_bytes * static_cast<int64_t>(full.getSlots()), slot_word_bytes); });
  kernel.walk(
      [&](EmptyOp empty) { keep(empty, slot_word_bytes * static_cast<int64_t>(empty.getSlots()), slot_word_bytes); });
  // What is relayed passes before anybody else has a use for LDS; what is told of or sent does beside the tasks.
  kernel.walk([&](RelayOp relay) {
    if (relay->getParentOfType<TellOp>() || relay->getParentOfType<RoleOp>().getBeside())
      return;
    Operation *buffer = relay.getBuffer().getDefiningOp();
    int64_t offset = llvm::alignTo(std::max<int64_t>(begin, broadcast_lds), kSharedAlignment);
    plan.offsets[buffer] = offset;
    plan.bytes = std::max(plan.bytes, offset + sharedBytes(cast<MemRefType>(relay.getBuffer().getType())));
  });
  kernel.walk([&](SharedBufferOp buffer) {
    if (plan.offsets.contains(buffer) || buffer.getOver())
      return;
    if (!buffer.getKept())
      return tasks[buffer->getBlock()].push_back({buffer});
    auto times = multiplied.find(buffer);
    int64_t bytes = sharedBytes(cast<MemRefType>(buffer.getType()));
    keep(buffer, bytes * (times == multiplied.end() ? 1 : times->second), alignmentOf(buffer));
  });
  Numbering numbering;
  int64_t next = 0;
  number(kernel, numbering, next);
  for (auto &[block, lifetimes] : tasks) {
    for (Lifetime &lifetime : lifetimes) {
      auto times = multiplied.find(lifetime.buffer);
      bool copied = times != multiplied.end() && times->second > 1;
      lifetime.alignment = alignmentOf(lifetime.buffer);
      lifetime.bytes = sharedBytes(cast<MemRefType>(lifetime.buffer.getType())) * (copied ? times->second : 1);
      lifetime.behindBarrier = isBehindBarriers(lifetime.buffer);
      std::tie(lifetime.first, lifetime.last) =
          copied ? liveRangeOfCopies(lifetime.buffer, numbering) : liveRange(lifetime.buffer, numbering);
    }
    plan.bytes = std::max(plan.bytes, place(lifetimes, begin, plan.offsets));
  }
  placeOver(kernel, plan);
  return plan;
}

} // namespace tilec
