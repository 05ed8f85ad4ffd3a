// Finds the store of a task whose products a producer feeds, and leaves it to the next task, or to the copy engine.
#include "passes/schedule/DeferredStore.h"

#include "dialect/Deferred.h"
#include "dialect/HeldTile.h"
#include "passes/analysis/LayoutConversion.h"
#include "passes/analysis/StreamedProduct.h"
#include "passes/analysis/ViewedBuffer.h"
#include "passes/analysis/Workspace.h"
#include "passes/machine/TileBox.h"
#include "passes/schedule/Producer.h"
#include "passes/schedule/Tasks.h"
#include "passes/stage/SharedPlan.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::schedule;

namespace {

/// The loop over tasks of a kernel, the last steps that a producer feeds, and how the result leaves the task.
struct Result {
  ForallOp tasks;
  StreamOp stream;
  bool isOnly = false;        ///< the only steps, which know their slots when compiling
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

/// Whether the task does nothing behind the store.
static bool isLast(StoreOp store) {
  for (Operation *place = store; !isa<ForallOp>(place); place = place->getParentOp())
    for (Operation *behind = place->getNextNode(); behind; behind = behind->getNextNode())
      if (!isMemoryEffectFree(behind))
        return false;
  return true;
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

/// The store, and the steps that are fed before it.
static Result resultOf(KernelOp kernel) {
  Result result;
  SmallVector<StreamOp> streams;
  kernel.walk([&](StreamOp stream) { streams.push_back(stream); });
  if (streams.empty())
    return {};
  result.stream = streams.back();
  result.tasks = result.stream->getParentOfType<ForallOp>();
  for (StreamOp stream : streams)
    if (!stream.getEmpty() || stream->getParentOfType<ForallOp>() != result.tasks)
      return {};
  // A step stores the part of its slot, which it must know when compiling.
  result.isOnly = streams.size() == 1 && lastProduct(result.stream) && !result.stream.getInTurn();
  Block &body = result.tasks.getBody().front();
  result.guard = body.findAncestorOpInBlock(*result.stream);
  StoreOp store = storeOf(result.tasks);
  auto turn = store ? store.getValue().getDefiningOp<RearrangeOp>() : RearrangeOp();
  Operation *end = store ? body.findAncestorOpInBlock(*store) : nullptr;
  bool isAtEnd = turn && (end == store || end == store->getParentOp()) && turn->getBlock() == store->getBlock() &&
                 turn->hasOneUse() && result.guard->isBeforeInBlock(end) && isLast(store);
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

/// Whether LDS has bytes for a part of the result that nothing else of the kernel uses, instead of those it has now.
static bool leavesRoom(Result &result, KernelOp kernel, const Target &target, MemRefType part, int64_t alignment) {
  Operation *scratch = result.turn.getScratch().getDefiningOp();
  // Other tiles of the task may pass through the same bytes.
  int64_t times = scratch->hasOneUse() ? 0 : 1, others = planShared(kernel, {{scratch, times}}).bytes;
  return static_cast<int64_t>(llvm::alignTo(others, alignment)) + sharedBytes(part) <= target.lds.bytes;
}

/// Elements from one row of an argument to the next; nothing where the launch alone knows, and of scratch.
static std::optional<int64_t> pitchOf(Value buffer) {
  auto argument = dyn_cast<BlockArgument>(buffer);
  if (!argument)
    return std::nullopt;
  auto program = cast<ProgramOp>(argument.getOwner()->getParentOp());
  unsigned index = argument.getArgNumber() - program.getNumExtents();
  SmallVector<AffineExpr> strides = argumentStrides(program, index);
  AffineExpr pitch = strides.empty() ? argumentShape(program, index).back() : strides.front();
  auto number = dyn_cast<AffineConstantExpr>(pitch);
  return number ? std::optional(number.getValue()) : std::nullopt;
}

/// Whether the copy engine knows the matrix that the result goes to, as far as can be said when compiling: the launch
/// finds out whether its rows are multiples of 16 bytes apart.
static bool isKnownToEngine(StoreOp store) {
  constexpr int64_t kUnit = 16;
  Value buffer = store.getBuffer();
  auto type = cast<MemRefType>(buffer.getType());
  std::optional<MappedMatrix> matrix = mappedMatrix(buffer);
  auto alloc = buffer.getDefiningOp<AllocOp>();
  Type element = type.getElementType();
  if (type.getRank() != 2 || !matrix || matrix->count || (alloc && alloc.getCopies() > 1) ||
      !(isa<FloatType>(element) || element.isInteger(8) || element.isInteger(32)))
    return false;
  return pitchOf(buffer).value_or(0) * bytesOf(element) % kUnit == 0;
}

namespace {

/// Bytes of LDS that the copy engine stores a part of a result from, and how threads store the tile where it cannot.
struct EnginePart {
  MemRefType scratch;
  RankedTensorType stored;

  explicit operator bool() const { return stored != nullptr; }
};

} // namespace

/// The same tile, of which threads hold so many columns at a time: lanes behind them change places with registers that
/// lie in rows. Null where there are none.
static RankedTensorType inColumns(RankedTensorType tile, int64_t columns) {
  std::optional<LinearLayout> layout = layoutOf(tile);
  std::vector<LinearLayout::Point> registers = layout->bases(LinearLayout::kRegister),
                                   lanes = layout->bases(LinearLayout::kLane);
  for (LinearLayout::Point &lane : lanes) {
    if (lane[1] < columns)
      continue;
    auto row = llvm::find_if(registers, [](const LinearLayout::Point &basis) { return basis[0] > 0 && basis[1] == 0; });
    if (row == registers.end())
      return {};
    std::swap(lane, *row);
  }
  return withLayout(tile,
                    LinearLayout::tile(registers, lanes, layout->bases(LinearLayout::kWave), boxOf(tile.getShape())));
}

/// A part of the result as the copy engine has it, rows of so many bytes of LDS, in so many copies, and no more bytes
/// than it has now: none where the engine cannot store it so.
static EnginePart partForEngine(Result &result, KernelOp kernel, const Target &target, int64_t row, int64_t copies) {
  constexpr int64_t kPiece = 16, kSwizzled = 1024;
  RankedTensorType held = result.turn.getOperand().getType();
  int64_t element = bytesOf(held.getElementType()), columns = row / element;
  int64_t now = sharedBytes(cast<MemRefType>(result.turn.getScratch().getType()));
  RankedTensorType stored = inColumns(result.turn.getType(), columns);
  SmallVector<int64_t> shape{held.getDimSize(0), columns};
  auto placement = SharedAttr::get(held.getContext(), kPiece / element, target.lds.mappedRowBytes / row, row / kPiece,
                                   /*fold=*/0, /*panel=*/0);
  if (!stored || !hip::dimOfParts(held.getShape(), shape) || !hip::whyNotRearranged(held, stored, shape).empty() ||
      !hip::rowsOfWave(held, shape, placement))
    return {};
  if (copies > 1)
    shape.insert(shape.begin(), copies);
  auto part = MemRefType::get(shape, held.getElementType(), AffineMap(), placement);
  bool hasRoom = sharedBytes(part) <= now && leavesRoom(result, kernel, target, part, kSwizzled);
  return hasRoom ? EnginePart{part, stored} : EnginePart();
}

/// As many columns as fit a row of LDS that the engine swizzles: none where it cannot store any.
static EnginePart widestPart(Result &result, KernelOp kernel, const Target &target) {
  if (!target.lds.mappedRowBytes || !isKnownToEngine(result.store))
    return {};
  for (int64_t row : {target.lds.mappedRowBytes, target.lds.mappedRowBytes / 2, target.lds.mappedRowBytes / 4})
    if (EnginePart part = partForEngine(result, kernel, target, row, /*copies=*/1))
      return part;
  return {};
}

/// Two copies of half as many columns, where a task stores all of its parts at once: a wave then waits for the engine
/// to read the part before the last one, and not for the last one.
static EnginePart partInTurn(Result &result, KernelOp kernel, const Target &target) {
  EnginePart widest = widestPart(result, kernel, target);
  if (!widest)
    return {};
  EnginePart halves = partForEngine(result, kernel, target, target.lds.mappedRowBytes / 2, /*copies=*/2);
  return halves ? halves : widest;
}

/// LDS for such a part beside that of the result, which nobody needs any more.
static Value declareFor(MemRefType part, Result &result) {
  auto before = result.turn.getScratch().getDefiningOp<SharedBufferOp>();
  OpBuilder builder(before);
  return SharedBufferOp::create(builder, before.getLoc(), part, /*offset=*/IntegerAttr(), /*kept=*/true);
}

/// The store at the end of the task becomes another one.
template <class Op, class... Flags>
static void replaceStore(Result &result, Value scratch, RankedTensorType stored, Flags... flags) {
  StoreOp store = result.store;
  RearrangeOp turn = result.turn;
  Value before = turn.getScratch();
  OpBuilder builder(store);
  Op::create(builder, store.getLoc(), turn.getOperand(), store.getBuffer(), store.getIndices(), scratch,
             TypeAttr::get(stored), flags..., ValueRange());
  store.erase();
  turn.erase();
  if (before.use_empty())
    before.getDefiningOp()->erase();
}

/// Behind the products that a step has issued, and behind what it loads meanwhile: a store that waits for LDS keeps
/// what follows it.
static void storeInSteps(OpBuilder &builder, StreamOp stream) {
  Operation *last = lastProduct(stream);
  builder.setInsertionPointAfter(last);
  for (Operation *op = last->getNextNode(); op; op = op->getNextNode())
    if (isa<AwaitProductsOp>(op)) {
      builder.setInsertionPoint(op);
      break;
    }
  StoreDeferredOp::create(builder, last->getLoc(), stream.getUses().getArgument(1));
}

bool schedule::deferStore(KernelOp kernel, const Target &target) {
  // Results that no next task stores would wait for the end of the tasks, to be stored as they are here.
  bool hasNext = !hasOneTaskEach(kernel, target);
  Result result = kernel.getProducerAttr() && hasNext ? resultOf(kernel) : Result();
  if (!result || !result.isOnly || !fits(result, kernel, target))
    return false;
  EnginePart part = widestPart(result, kernel, target);
  auto now = cast<MemRefType>(result.turn.getScratch().getType());
  if (!part && !leavesRoom(result, kernel, target, now, kSharedAlignment))
    return false;
  OpBuilder builder(result.tasks.getContext());
  storeInSteps(builder, result.stream);
  // What few steps have not stored, or none. The loop behind it needs the registers.
  builder.setInsertionPointAfter(result.guard);
  StoreDeferredOp::create(builder, result.store.getLoc(), Value());
  replaceStore<DeferOp>(result, part ? declareFor(part.scratch, result) : result.turn.getScratch(),
                        part ? part.stored : result.turn.getType(),
                        /*async=*/part ? builder.getUnitAttr() : UnitAttr());
  return true;
}

bool schedule::storeAsync(KernelOp kernel, const Target &target) {
  // Behind the only task of a workgroup there is nothing to go on with.
  bool hasNext = !hasOneTaskEach(kernel, target);
  Result result = kernel.getProducerAttr() && hasNext ? resultOf(kernel) : Result();
  if (!result || !result.turn.getScratch().getDefiningOp<SharedBufferOp>().getKept())
    return false;
  EnginePart part = partInTurn(result, kernel, target);
  if (!part)
    return false;
  replaceStore<StoreAsyncOp>(result, declareFor(part.scratch, result), part.stored);
  return true;
}
