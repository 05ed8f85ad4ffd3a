// Finds the store of a task whose products a producer feeds, and leaves it to the next task.
#include "passes/schedule/DeferredStore.h"

#include "dialect/Deferred.h"
#include "passes/analysis/LayoutConversion.h"
#include "passes/analysis/ViewedBuffer.h"
#include "passes/schedule/Producer.h"
#include "passes/schedule/Tasks.h"
#include "passes/stage/SharedPlan.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::schedule;

namespace {

/// The loop over tasks of a kernel, the steps that a producer feeds, and how the result leaves the task.
struct Result {
  ForallOp tasks;
  StreamOp stream;
  Operation *guard = nullptr; ///< what the tasks' own block has of the steps
  RearrangeOp turn;
  StoreOp store;

  explicit operator bool() const { return store != nullptr; }
};

} // namespace

/// Whether tasks do an operation that leave the store out: both stand in a branch, on different sides.
static bool isElsewhere(Operation *op, StoreOp store) {
  auto branch = dyn_cast<scf::IfOp>(store->getParentOp());
  return branch && branch->isProperAncestor(op) && !store->getParentRegion()->isAncestor(op->getParentRegion());
}

/// Nothing that another task, rank or role may wait for comes from the tasks, but for arrivals of those that do not
/// store; and nobody reads the buffer, or writes it but for tasks that do not store.
static bool isLeftAlone(StoreOp store, ForallOp tasks) {
  Value buffer = viewedBuffer(store.getBuffer());
  bool isAlone = true;
  tasks->getParentOfType<KernelOp>().walk([&](AccessOpInterface access) {
    isAlone &= access == store || viewedBuffer(access.getAccessedBuffer()) != buffer ||
               (!access.readsBuffer() && isElsewhere(access, store));
  });
  tasks.walk([&](Operation *op) {
    bool tells = op->hasTrait<Synchronizes>() && !isa<WaitOp>(op);
    isAlone &= !tells && (!isa<ArriveOp>(op) || isElsewhere(op, store));
  });
  return isAlone;
}

/// Whether what the store needs of its task is the tile and the numbers of the task alone.
static bool canWait(StoreOp store, ForallOp tasks) {
  bool isPlain = !store.getToken() && store.getAfter().empty() && !store.getTo() && !store.getAt();
  bool isOutside = !tasks->isAncestor(store.getBuffer().getParentBlock()->getParentOp());
  return isPlain && isOutside && isLeftAlone(store, tasks);
}

/// The last product that each step issues; null where steps differ in that.
static DotAsyncOp lastProduct(StreamOp stream) {
  Block &uses = stream.getUses().front();
  DotAsyncOp last;
  bool isEach = true;
  uses.walk([&](DotAsyncOp product) {
    last = product;
    isEach &= product->getBlock() == &uses;
  });
  return isEach ? last : DotAsyncOp();
}

/// The store of a tile that its waves turn by themselves, at the end of a task or of a branch there; null where a task
/// may store something else, too.
static StoreOp storeOf(ForallOp tasks) {
  StoreOp found;
  SmallVector<AccessOpInterface> writes;
  tasks.walk([&](AccessOpInterface access) {
    if (!access.writesBuffer())
      return;
    writes.push_back(access);
    auto store = dyn_cast<StoreOp>(*access);
    if (store && store.getValue().getDefiningOp<RearrangeOp>())
      found = store;
  });
  bool isOnly = found && llvm::all_of(writes, [&](AccessOpInterface access) {
                  return access == found || isElsewhere(access, found);
                });
  return isOnly ? found : StoreOp();
}

/// The store, and the only steps that are fed.
static Result resultOf(KernelOp kernel) {
  Result result;
  SmallVector<StreamOp> streams;
  kernel.walk([&](StreamOp stream) { streams.push_back(stream); });
  if (streams.size() != 1 || !streams.front().getEmpty() || !lastProduct(streams.front()))
    return {};
  // A step stores the part of its slot, which it must know when compiling.
  if (streams.front().getInTurn())
    return {};
  result.stream = streams.front();
  result.tasks = result.stream->getParentOfType<ForallOp>();
  Block &body = result.tasks.getBody().front();
  result.guard = body.findAncestorOpInBlock(*result.stream);
  StoreOp store = storeOf(result.tasks);
  auto turn = store ? store.getValue().getDefiningOp<RearrangeOp>() : RearrangeOp();
  Operation *end = store ? body.findAncestorOpInBlock(*store) : nullptr;
  bool isAtEnd = turn && (end == store || end == store->getParentOp()) && turn->getBlock() == store->getBlock() &&
                 turn->hasOneUse() && result.guard->isBeforeInBlock(end);
  if (!isAtEnd || !canWait(store, result.tasks))
    return {};
  result.turn = turn;
  result.store = store;
  return result;
}

/// Registers of a lane for the sums of one instruction.
static int64_t sumsOfInstruction(StringRef name, const Target &target) {
  auto info = llvm::find_if(target.matrix, [&](const MatrixInstructionInfo &row) { return row.name == name; });
  std::unique_ptr<MatrixInstruction> instruction =
      info == target.matrix.end() ? nullptr : MatrixInstruction::create(*info);
  return instruction ? info->m * info->n / (instruction->waves() * instruction->lanes()) : 0;
}

/// Whether a consumer has registers for the results of the task before beside all that the steps carry and make.
static bool fits(Result &result, KernelOp kernel, const Target &target) {
  int64_t registers = registersOf(result.turn.getOperand().getType()) + target.producer.consumerRegisters;
  for (BlockArgument argument : result.stream.getCarried())
    registers += registersOf(argument.getType());
  // Products that do not go on with sums have registers of their own; so have those of one instruction where threads
  // add its sums.
  for (auto product : result.stream.getUses().front().getOps<DotAsyncOp>()) {
    if (!llvm::is_contained(result.stream.getCarried(), product.getAcc()))
      registers += registersOf(product.getType());
    else if (product.getPromoted())
      registers += sumsOfInstruction(product.getInstruction(), target);
  }
  return registers <= consumerRegisters(kernel, target);
}

/// Whether LDS has bytes through which the next task turns the results that nothing else of it uses.
static bool leavesRoom(Result &result, KernelOp kernel, const Target &target) {
  Operation *scratch = result.turn.getScratch().getDefiningOp();
  int64_t others = planShared(kernel, {{scratch, 0}}).bytes;
  int64_t turned = sharedBytes(cast<MemRefType>(result.turn.getScratch().getType()));
  return static_cast<int64_t>(llvm::alignTo(others, kSharedAlignment)) + turned <= target.lds.bytes;
}

/// Behind the products that a step has issued.
static void storeInSteps(OpBuilder &builder, StreamOp stream) {
  Operation *last = lastProduct(stream);
  builder.setInsertionPointAfter(last);
  StoreDeferredOp::create(builder, last->getLoc(), stream.getUses().getArgument(1));
}

bool schedule::deferStore(KernelOp kernel, const Target &target) {
  // Results that no next task stores would wait for the end of the tasks, to be stored as they are here.
  bool hasNext = !hasOneTaskEach(kernel, target);
  Result result = kernel.getProducerAttr() && hasNext ? resultOf(kernel) : Result();
  if (!result || !fits(result, kernel, target) || !leavesRoom(result, kernel, target))
    return false;
  StoreOp store = result.store;
  RearrangeOp turn = result.turn;
  Location where = store.getLoc();
  OpBuilder builder(result.tasks.getContext());
  storeInSteps(builder, result.stream);
  // What few steps have not stored, or none. The loop behind it needs the registers.
  builder.setInsertionPointAfter(result.guard);
  StoreDeferredOp::create(builder, where, Value());
  builder.setInsertionPoint(store);
  DeferOp::create(builder, where, turn.getOperand(), store.getBuffer(), store.getIndices(), turn.getScratch(),
                  TypeAttr::get(turn.getType()), ValueRange());
  store.erase();
  turn.erase();
  return true;
}
