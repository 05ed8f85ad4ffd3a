// Sends what must change threads through LDS: `tile.convert`, and reductions over several waves.
#include "dialect/Combination.h"
#include "dialect/HeldTile.h"
#include "dialect/Schedules.h"
#include "passes/Passes.h"
#include "passes/ProgramTarget.h"
#include "passes/analysis/LayoutConversion.h"
#include "passes/machine/TileBox.h"
#include "passes/schedule/Producer.h"
#include "passes/schedule/Tasks.h"
#include "passes/stage/DealtRows.h"
#include "passes/stage/EarlyLoads.h"
#include "passes/stage/SharedPlan.h"
#include "passes/stage/TaskBarriers.h"

#include <map>

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace tilec {
#define GEN_PASS_DEF_STAGE
#include "passes/Passes.h.inc"
} // namespace tilec

namespace {

/// Whether an operation may pass loads: it writes no memory and synchronises nothing.
bool isQuiet(Operation *op) { return isPure(op) || isa<LoadOp>(op) || isCooperative(op); }

class Stage : public tilec::impl::StageBase<Stage> {
public:
  using StageBase::StageBase;

  void runOnOperation() override {
    buffers.clear();
    ProgramOp program = getOperation();
    FailureOr<Target> target = programTarget(program, this->target);
    if (failed(target))
      return signalPassFailure();
    for (KernelOp kernel : program.getBody().getOps<KernelOp>())
      numEarly += issueLoadsEarly(kernel, *target);
    for (KernelOp kernel : llvm::to_vector(program.getBody().getOps<KernelOp>()))
      stageKernel(kernel, target->lds);
    for (KernelOp kernel : program.getBody().getOps<KernelOp>()) {
      placeBarriers(kernel);
      if (!areDealt(kernel, *target))
        continue;
      kernel.setDealing(Dealing::Strided);
      placeBarriers(kernel); // no draw is between two tasks of a workgroup
    }
  }

private:
  /// Whether tasks are dealt out by number where nobody says how: rows, and tasks of which a workgroup has one. A
  /// ticket would be a look at memory before the first load, and the launch would be entered and left for it.
  static bool areDealt(KernelOp kernel, const Target &target) {
    if (!givenIn(kernel, ScheduleKey::Dealing).empty())
      return false;
    bool isOneRound =
        schedule::hasOneTaskEach(kernel, target) && schedule::dealingFor(kernel, target) == Dealing::Strided;
    return isOneRound || areRowsDealt(kernel, target);
  }

  void placeBarriers(KernelOp kernel) {
    for (RoleOp role : kernel.getBody().getOps<RoleOp>())
      numBarriers += placeTaskBarriers(role);
  }

  /// Converts that follow each other go through LDS side by side. Where there is no room for that, each goes alone, so
  /// that they may share bytes: two barriers more for each.
  void stageKernel(KernelOp kernel, const SharedMemory &memory) {
    KernelOp crowded = kernel.clone();
    stageAll(kernel, memory, /*apart=*/false);
    if (planShared(kernel).bytes <= memory.bytes)
      return crowded->erase();
    OpBuilder(kernel).insert(crowded);
    kernel->erase();
    stageAll(crowded, memory, /*apart=*/true);
  }

  void stageAll(KernelOp kernel, const SharedMemory &memory, bool apart) {
    SmallVector<Block *> blocks;
    SmallVector<ReduceOp> reductions;
    SmallVector<ScanOp> scans;
    kernel.walk([&](Block *block) { blocks.push_back(block); });
    kernel.walk([&](ReduceOp reduce) { reductions.push_back(reduce); });
    kernel.walk([&](ScanOp scan) { scans.push_back(scan); });
    for (Block *block : blocks)
      stageBlock(*block, memory, apart);
    for (ReduceOp reduce : reductions)
      giveScratch(reduce);
    for (ScanOp scan : scans)
      giveScratch(scan);
  }

  static bool needsShared(ConvertOp convert) {
    Conversion kind = conversionBetween(*layoutOf(convert.getOperand().getType()), *layoutOf(convert.getType()));
    return kind != Conversion::None && kind != Conversion::Registers;
  }

  /// Groups the converts of a block: one pair of barriers for each group. `apart`: each is a group of its own.
  void stageBlock(Block &block, const SharedMemory &memory, bool apart) {
    SmallVector<ConvertOp> group;
    for (auto convert : llvm::make_early_inc_range(block.getOps<ConvertOp>())) {
      if (convert.getOperand().getType() == convert.getType()) {
        convert.replaceAllUsesWith(convert.getOperand());
        convert.erase();
        continue;
      }
      if (!needsShared(convert))
        continue;
      if (memory.mappedRowBytes && rearrange(convert, memory))
        continue;
      if (!group.empty() && (apart || !bringBefore(convert.getOperand(), group.front()))) {
        emit(group, memory);
        group.clear();
      }
      group.push_back(convert);
    }
    if (!group.empty())
      emit(group, memory);
  }

  /// The part of a layout in its first rows and columns: without the registers that go on behind them.
  static LinearLayout partOf(const LinearLayout &layout, ArrayRef<int64_t> shape) {
    std::vector<LinearLayout::Point> registers = layout.bases(LinearLayout::kRegister);
    llvm::erase_if(registers, [&](const LinearLayout::Point &basis) {
      return !llvm::all_of_zip(basis, shape, [](int64_t at, int64_t side) { return at < side; });
    });
    return LinearLayout::tile(registers, layout.bases(LinearLayout::kLane), layout.bases(LinearLayout::kWave),
                              boxOf(shape));
  }

  /// What the task rearranges other tiles in, where those are of this shape and have the same waves: a wave is done
  /// with one before the next. A way back has the bank conflicts of the way there.
  static Value turnedBefore(ConvertOp convert, ArrayRef<int64_t> shape, Type element) {
    auto task = convert->getParentOfType<ForallOp>();
    auto wavesOf = [](Value tile) {
      return layoutOf(cast<RankedTensorType>(tile.getType()))->bases(LinearLayout::kWave);
    };
    Value scratch;
    if (task)
      task.walk([&](RearrangeOp other) {
        auto type = cast<MemRefType>(other.getScratch().getType());
        if (type.getShape() == shape && type.getElementType() == element &&
            wavesOf(other.getOperand()) == wavesOf(convert.getOperand()))
          scratch = other.getScratch();
      });
    return scratch;
  }

  static bool areParts(ArrayRef<int64_t> shape, RankedTensorType from, RankedTensorType to) {
    return hip::dimOfParts(from.getShape(), shape) && hip::whyNotRearranged(from, to, shape).empty();
  }

  /// As many columns of a tile as its threads have at a time, or where these are fewer elements, rows; nothing where it
  /// cannot pass in such parts.
  static std::optional<SmallVector<int64_t>> partToRearrange(RankedTensorType from, RankedTensorType to) {
    SmallVector<int64_t> parts[2];
    for (unsigned dim : {0, 1}) {
      parts[dim].assign(from.getShape().begin(), from.getShape().end());
      parts[dim][dim] = 1;
      for (RankedTensorType type : {from, to})
        for (StringRef threads : {LinearLayout::kLane, LinearLayout::kWave})
          for (const LinearLayout::Point &basis : layoutOf(type)->bases(threads))
            parts[dim][dim] = std::max(parts[dim][dim], basis[dim] * 2);
    }
    if (ShapedType::getNumElements(parts[0]) < ShapedType::getNumElements(parts[1]) && areParts(parts[0], from, to))
      return parts[0];
    return areParts(parts[1], from, to) ? std::optional(parts[1]) : std::nullopt;
  }

  /// A convert whose waves keep what they hold goes through LDS by itself, a part after the other.
  bool rearrange(ConvertOp convert, const SharedMemory &memory) {
    RankedTensorType from = convert.getOperand().getType(), to = convert.getType();
    if (from.getRank() != 2)
      return false;
    std::optional<SmallVector<int64_t>> part = partToRearrange(from, to);
    if (!part)
      return false;
    ArrayRef<int64_t> shape = *part;
    LinearLayout writer = partOf(*layoutOf(from), shape), reader = partOf(*layoutOf(to), shape);
    Type element = from.getElementType();
    Value scratch = turnedBefore(convert, shape, element);
    if (!scratch) {
      Swizzle swizzle = chooseSwizzle(shape, bytesOf(element), {writer}, {reader}, memory).swizzle;
      auto space =
          SharedAttr::get(&getContext(), swizzle.vector, swizzle.perPhase, swizzle.phases, swizzle.fold, /*panel=*/0);
      scratch = declare(convert, shape, element, space);
      cast<SharedBufferOp>(scratch.getDefiningOp()).setKept(true);
    }
    OpBuilder builder(convert);
    convert.replaceAllUsesWith(
        RearrangeOp::create(builder, convert.getLoc(), to, convert.getOperand(), scratch).getResult());
    convert.erase();
    return true;
  }

  /// Moves what computes a value before `place`, if it stands after it in the same block and may pass what lies
  /// between: loads and pure operations may, where nothing between writes memory or synchronises.
  static bool bringBefore(Value value, Operation *place) {
    llvm::SmallSetVector<Operation *, 8> slice;
    SmallVector<Value> work{value};
    while (!work.empty()) {
      Operation *op = work.pop_back_val().getDefiningOp();
      if (!op || op->getBlock() != place->getBlock() || op->isBeforeInBlock(place))
        continue;
      if (!isQuiet(op) || op->getNumRegions() || isa<ConvertOp>(op) || isCooperative(op))
        return false;
      slice.insert(op);
      llvm::append_range(work, op->getOperands());
    }
    SmallVector<Operation *> ordered(slice.begin(), slice.end());
    llvm::sort(ordered, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    bool loads = llvm::any_of(ordered, [](Operation *op) { return isa<LoadOp>(op); });
    for (Operation *op = place; loads && op != ordered.back(); op = op->getNextNode())
      if (!isQuiet(op))
        return false;
    for (Operation *op : ordered)
      op->moveBefore(place);
    return true;
  }

  /// barrier (the bytes may have been read before); stores; barrier; each load where its convert stood. Converts of one
  /// value share its buffer.
  void emit(MutableArrayRef<ConvertOp> group, const SharedMemory &memory) {
    llvm::MapVector<Value, SmallVector<ConvertOp>> readers;
    for (ConvertOp convert : group)
      readers[convert.getOperand()].push_back(convert);
    OpBuilder builder(group.front());
    BarrierOp::create(builder, group.front().getLoc());
    ++numBarriers;
    SmallVector<std::pair<Value, bool>> buffers;
    for (auto &[value, converts] : readers) {
      buffers.push_back(makeBuffer(value, converts, memory));
      SharedStoreOp::create(builder, value.getLoc(), value, buffers.back().first, /*copy=*/Value(),
                            buffers.back().second);
    }
    BarrierOp::create(builder, group.front().getLoc());
    ++numBarriers;
    for (auto [buffer, reader] : llvm::zip(buffers, readers))
      for (ConvertOp convert : reader.second) {
        builder.setInsertionPoint(convert);
        Value loaded = SharedLoadOp::create(builder, convert.getLoc(), convert.getType(), buffer.first,
                                            /*copy=*/Value(), buffer.second);
        convert.replaceAllUsesWith(loaded);
        convert.erase();
      }
  }

  static std::pair<SharedChoice, bool> chooseBuffer(RankedTensorType type, const LinearLayout &writer,
                                                    ArrayRef<LinearLayout> readers, const SharedMemory &memory) {
    ArrayRef<int64_t> shape = type.getShape();
    int64_t bytes = bytesOf(type.getElementType());
    if (shape.size() != 2)
      return {chooseSwizzle(shape, bytes, {writer}, readers, memory), false};
    std::vector<LinearLayout> across;
    for (const LinearLayout &reader : readers)
      across.push_back(reader.transpose({1, 0}));
    SharedChoice other = chooseSwizzle({shape[1], shape[0]}, bytes, {writer.transpose({1, 0})}, across, memory);
    // What is no power of two wide lies in panels, or across.
    if (panelOf(shape))
      return {other, true};
    SharedChoice choice = chooseSwizzle(shape, bytes, {writer}, readers, memory);
    bool isBetter = other.reads.accesses + other.writes.accesses < choice.reads.accesses + choice.writes.accesses;
    return {isBetter ? other : choice, isBetter};
  }

  /// Whether a value is read for products whose depth runs down its rows.
  static bool runDown(ArrayRef<ConvertOp> converts) {
    return llvm::all_of(converts, [](ConvertOp convert) {
      return llvm::all_of(convert->getUses(), [](OpOperand &use) {
        auto dot = dyn_cast<DotOp>(use.getOwner());
        return dot && (use.getOperandNumber() == 0 ? dot.getLhsTransposed()
                                                   : use.getOperandNumber() == 1 && !dot.getTranspose());
      });
    });
  }

  /// The buffer for a value, and whether it holds the transpose: where that takes fewer accesses. An operand whose k
  /// runs down the rows is read in runs along k only from the transpose.
  std::pair<Value, bool> makeBuffer(Value value, MutableArrayRef<ConvertOp> converts, const SharedMemory &memory) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    std::vector<LinearLayout> readers;
    for (ConvertOp convert : converts)
      readers.push_back(*layoutOf(convert.getType()));
    LinearLayout writer = *layoutOf(type);
    if (int64_t panel = panelOf(shape); panel && !runDown(converts))
      return {declareInPanels(converts.front(), type, panel, writer, readers, memory), false};
    // Statements that are alike ask for the same buffers again.
    std::vector<const void *> types{type.getAsOpaquePointer()};
    for (ConvertOp convert : converts)
      types.push_back(convert.getType().getAsOpaquePointer());
    auto [known, isNew] = buffers.try_emplace(std::move(types));
    if (isNew)
      known->second = chooseBuffer(type, writer, readers, memory);
    const auto &[choice, transposed] = known->second;
    if (transposed)
      std::swap(shape[0], shape[1]);
    numConflicts += choice.reads.conflicts + choice.writes.conflicts;
    const Swizzle &swizzle = choice.swizzle;
    return {declare(converts.front(), shape, type.getElementType(),
                    SharedAttr::get(&getContext(), swizzle.vector, swizzle.perPhase, swizzle.phases, swizzle.fold,
                                    /*panel=*/0)),
            transposed};
  }

  /// Columns of a panel where those of a matrix are no power of two: LDS then holds whole runs of them, one panel
  /// behind the other. 0 for others.
  static int64_t panelOf(ArrayRef<int64_t> shape) {
    bool isPower = llvm::isPowerOf2_64(static_cast<uint64_t>(shape.back()));
    return shape.size() != 2 || isPower ? 0 : wholeRun(shape.back());
  }

  /// Panels lie alike: the swizzle is that of the first.
  Value declareInPanels(Operation *user, RankedTensorType type, int64_t panel, const LinearLayout &writer,
                        ArrayRef<LinearLayout> readers, const SharedMemory &memory) {
    SmallVector<int64_t> first{type.getDimSize(0), panel};
    std::vector<LinearLayout> read;
    for (const LinearLayout &reader : readers)
      read.push_back(partOf(reader, first));
    SharedChoice choice = chooseSwizzle(first, bytesOf(type.getElementType()), {partOf(writer, first)}, read, memory);
    numConflicts += choice.reads.conflicts + choice.writes.conflicts;
    const Swizzle &swizzle = choice.swizzle;
    return declare(
        user, type.getShape(), type.getElementType(),
        SharedAttr::get(&getContext(), swizzle.vector, swizzle.perPhase, swizzle.phases, swizzle.fold, panel));
  }

  /// Declares a buffer at the start of the task (or of the role) that `user` belongs to.
  Value declare(Operation *user, ArrayRef<int64_t> shape, Type element, SharedAttr space) {
    Operation *task = user->getParentOfType<ForallOp>();
    if (!task)
      task = user->getParentOfType<RoleOp>();
    Block &block = task->getRegion(0).front();
    OpBuilder builder = OpBuilder::atBlockBegin(&block);
    for (auto &op : block)
      if (isa<SharedBufferOp>(op))
        builder.setInsertionPointAfter(&op);
    ++numBuffers;
    return SharedBufferOp::create(builder, user->getLoc(), MemRefType::get(shape, element, AffineMap(), space),
                                  /*offset=*/IntegerAttr(), /*kept=*/false);
  }

  /// A reduction along a dimension that several waves share gets room for one partial result of each.
  void giveScratch(ReduceOp reduce) {
    LinearLayout layout = *layoutOf(reduce.getOperand().getType());
    int64_t waves = 1;
    for (const LinearLayout::Point &basis : layout.bases(LinearLayout::kWave))
      waves *= basis[reduce.getDim()] ? 2 : 1;
    if (waves == 1)
      return;
    auto type = reduce.getType();
    SmallVector<int64_t> shape{waves};
    llvm::append_range(shape, type.getShape());
    OpBuilder builder(reduce);
    BarrierOp::create(builder, reduce.getLoc());
    ++numBarriers;
    reduce.getScratchMutable().assign(declare(reduce, shape, type.getElementType(),
                                              SharedAttr::get(&getContext(), 1, 1, 1, /*fold=*/0, panelOf(shape))));
  }

  /// A scan along a dimension that several waves share gets room for the totals of each: one for each of the elements
  /// across the dimension, and for each time that the waves take turns along it.
  void giveScratch(ScanOp scan) {
    RankedTensorType type = scan.getType();
    int64_t first = 0, elements = 1;
    for (const LinearLayout::Point &basis : layoutOf(type)->bases(LinearLayout::kWave))
      if (int64_t step = basis[scan.getDim()])
        first = first ? std::min(first, step) : step;
    if (!first)
      return;
    for (int64_t side : boxOf(type.getShape()))
      elements *= side;
    OpBuilder builder(scan);
    BarrierOp::create(builder, scan.getLoc());
    ++numBarriers;
    scan.getScratchMutable().assign(declare(scan, {elements / first}, type.getElementType(),
                                            SharedAttr::get(&getContext(), 1, 1, 1, /*fold=*/0, /*panel=*/0)));
  }

  /// What was chosen for a value and the layouts that it is converted to, by their types.
  std::map<std::vector<const void *>, std::pair<SharedChoice, bool>> buffers;
};

} // namespace
