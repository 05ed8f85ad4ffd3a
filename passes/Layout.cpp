// Gives every tile value of a kernel its layout and inserts `tile.convert`. The choice is LayoutSolver's.
#include "dialect/Combination.h"
#include "passes/Passes.h"
#include "passes/ProgramTarget.h"
#include "passes/analysis/LayoutConversion.h"
#include "passes/analysis/StreamedProduct.h"
#include "passes/layout/LayoutSolver.h"
#include "passes/layout/ScalarTiles.h"
#include "passes/machine/TileBox.h"

#include "mlir/Analysis/SliceAnalysis.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace tilec {
#define GEN_PASS_DEF_LAYOUT
#include "passes/Passes.h.inc"
} // namespace tilec

namespace {

/// Loads and stores of fewer bytes a lane than this are worth a way through LDS when a blocked layout does better.
constexpr int64_t kNarrowAccessBytes = 8;

class Layout : public tilec::impl::LayoutBase<Layout> {
public:
  using LayoutBase::LayoutBase;

  void runOnOperation() override {
    ProgramOp program = getOperation();
    FailureOr<Target> target = programTarget(program, this->target);
    if (failed(target))
      return signalPassFailure();
    for (KernelOp kernel : program.getBody().getOps<KernelOp>()) {
      if (!kernel.getWaves()) {
        kernel.emitOpError() << "has no number of waves, expected it after 'partition'";
        return signalPassFailure();
      }
      giveScalarsADimension(kernel);
      separateConstants(kernel);
      widenSums(kernel);
      LayoutSolver solver(kernel, *target);
      copiesByEngine = target->lds.mappedRowBytes != 0;
      if (failed(solver.solve()) || failed(verifyGivenInstruction(kernel, solver, *target)))
        return signalPassFailure();
      converts.clear();
      rewrite(kernel, solver);
    }
  }

private:
  /// Whether the products of a kernel are by the instruction that the program's schedule was given.
  LogicalResult verifyGivenInstruction(KernelOp kernel, const LayoutSolver &solver, const Target &target) {
    ScheduleAttr schedule = getOperation().getScheduleAttr();
    StringRef given = schedule ? schedule.givenInstruction() : "";
    WalkResult result = kernel.walk([&](DotOp dot) {
      std::optional<StreamTiling> stream;
      if (isStreamed(dot, target))
        stream = chooseStreamTiling(target.matrix, problemOf(dot, static_cast<int64_t>(*kernel.getWaves())));
      if (given.empty() || solver.tiling(dot).instruction == given || (stream && stream->instruction == given))
        return WalkResult::advance();
      dot.emitOpError() << "cannot be by " << given
                        << ", which the program's schedule names: " << dot.getLhs().getType() << " times "
                        << dot.getRhs().getType() << " by " << static_cast<int64_t>(*kernel.getWaves()) << " waves of "
                        << target.name;
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  /// A constant tile costs nothing to make again: each use has its own, so that it ties no two values together.
  static void separateConstants(KernelOp kernel) {
    SmallVector<Operation *> constants;
    kernel.walk([&](Operation *op) {
      if (isa<SplatOp, IotaOp, arith::ConstantOp>(op) && isa<RankedTensorType>(op->getResult(0).getType()))
        constants.push_back(op);
    });
    for (Operation *op : constants)
      for (OpOperand &use : llvm::make_early_inc_range(op->getResult(0).getUses()))
        if (&use != &*op->getResult(0).getUses().begin()) {
          OpBuilder builder(op);
          use.set(builder.clone(*op)->getResult(0));
        }
  }

  /// Sums and products of narrow floats are made in f32, as the op promises, and are rounded once. Bits, of which
  /// memory holds none, are made in bytes.
  static void widenSums(KernelOp kernel) {
    kernel.walk([](ReduceOp op) {
      Type element = op.getOperand().getType().getElementType();
      unsigned width = element.getIntOrFloatBitWidth();
      bool isExact = picksElement(op.getKind()) && width == 16;
      if (element.isInteger(1))
        widen<arith::ExtUIOp, arith::TruncIOp>(op, IntegerType::get(op.getContext(), 8));
      else if (isa<FloatType>(element) && width < 32 && !isExact)
        widen<arith::ExtFOp, arith::TruncFOp>(op, Float32Type::get(op.getContext()));
    });
    kernel.walk([](ScanOp op) {
      Type element = op.getType().getElementType();
      if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32)
        widen<arith::ExtFOp, arith::TruncFOp>(op, Float32Type::get(op.getContext()));
    });
  }

  /// The same reduction or scan of wider elements, between casts.
  template <class Extend, class Truncate, class Op>
  static void widen(Op op, Type wide) {
    OpBuilder builder(op);
    Type narrow = op.getType();
    Value operand = Extend::create(builder, op.getLoc(), op.getOperand().getType().clone(wide), op.getOperand());
    op.getOperandMutable().set(operand);
    op.getResult().setType(cast<RankedTensorType>(op.getType().clone(wide)));
    builder.setInsertionPointAfter(op);
    auto rounded = Truncate::create(builder, op.getLoc(), narrow, op.getResult());
    op.getResult().replaceAllUsesExcept(rounded, rounded);
  }

  void rewrite(KernelOp kernel, const LayoutSolver &solver) {
    // Types first, all at once; then the places where a value is wanted in another layout.
    SmallVector<Operation *> ops;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      ops.push_back(op);
      for (Value result : op->getResults())
        setLayout(result, solver);
      for (Region &region : op->getRegions())
        for (BlockArgument argument : region.getArguments())
          setLayout(argument, solver);
    });
    for (Operation *op : ops) {
      if (auto constant = dyn_cast<arith::ConstantOp>(op))
        if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue()))
          constant.setValueAttr(retype(elements, cast<RankedTensorType>(constant.getType())));
      satisfy(op, solver);
    }
    for (Operation *op : llvm::reverse(ops))
      if (isOpTriviallyDead(op))
        op->erase();
  }

  static void setLayout(Value value, const LayoutSolver &solver) {
    if (auto type = dyn_cast<RankedTensorType>(value.getType()))
      value.setType(withLayout(type, solver.layout(value)));
  }

  static DenseElementsAttr retype(DenseElementsAttr elements, RankedTensorType type) {
    return elements.isSplat() ? elements.resizeSplat(type)
                              : DenseElementsAttr::getFromRawBuffer(type, elements.getRawData());
  }

  /// Inserts converts at the operands and results of one operation. The layouts of operands are those of their classes.
  void satisfy(Operation *op, const LayoutSolver &solver) {
    if (auto dot = dyn_cast<DotOp>(op)) {
      const DotTiling &tiling = solver.tiling(dot);
      if (!tiling.instruction.empty())
        dot.setInstruction(tiling.instruction);
      wantOperand(dot.getLhsMutable(), dot.getLhsTransposed() ? tiling.aTransposed() : tiling.a);
      wantOperand(dot.getRhsMutable(), dot.getTranspose() ? tiling.b : tiling.bTransposed());
      wantOperand(dot.getAccMutable(), tiling.accumulator);
      makeResult(dot->getResult(0), tiling.accumulator);
    } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
      makeResult(reduce->getResult(0),
                 LayoutSolver::reduced(*layoutOf(reduce.getOperand().getType()), reduce.getDim()));
    } else if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
      wantOperand(broadcast.getOperandMutable(),
                  LayoutSolver::broadcastOperand(broadcast, *layoutOf(broadcast.getType())));
    } else if (auto transpose = dyn_cast<TransposeOp>(op)) {
      SmallVector<unsigned> order(transpose.getPermutation().begin(), transpose.getPermutation().end());
      makeResult(transpose->getResult(0), layoutOf(transpose.getOperand().getType())->transpose(order));
    } else if (auto reshape = dyn_cast<ReshapeOp>(op)) {
      makeResult(reshape->getResult(0),
                 layoutOf(reshape.getOperand().getType())->reshape(boxOf(reshape.getType().getShape())));
    } else if (auto load = dyn_cast<LoadOp>(op)) {
      if (std::optional<LinearLayout> wide = widerWithinWaves(load.getType(), solver))
        makeResult(load->getResult(0), *wide);
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      if (std::optional<LinearLayout> wide = widerWithinWaves(store.getValue().getType(), solver))
        wantOperand(store.getValueMutable(), *wide);
    } else if (auto access = dyn_cast<AccessOpInterface>(op); access && access.getEachDim()) {
      satisfyIndices(access, solver);
    }
  }

  /// A tile that lies well for memory, and indices that lie as it does.
  void satisfyIndices(AccessOpInterface access, const LayoutSolver &solver) {
    auto [tile, dim] = LayoutSolver::movedByIndices(access);
    auto type = cast<RankedTensorType>(tile.getType());
    bool isLast = static_cast<int64_t>(dim) == type.getRank() - 1;
    std::optional<LinearLayout> wide = isLast                  ? std::nullopt
                                       : access.writesBuffer() ? widerWithinWaves(type, solver)
                                                               : widerAccess(type, solver);
    if (wide && access.writesBuffer())
      wantOperand(access->getOpOperand(0), *wide);
    else if (wide)
      makeResult(access->getResult(0), *wide);
    LinearLayout indices = LayoutSolver::indexLayout(wide ? *wide : *layoutOf(type), dim);
    unsigned number = access.getAccessIndices().getBeginOperandIndex() + *access.getEachDim();
    OpOperand &named = access->getOpOperand(number);
    if (named.get().getType() == withLayout(cast<RankedTensorType>(named.get().getType()), indices))
      return;
    if (auto slice = sliceOfCoordinates(named.get()))
      named.set(madeAgain(*slice, indices));
    else
      wantOperand(named, indices);
  }

  /// What makes a tile that is computed from coordinates and numbers of all threads alone: it costs less to make again
  /// than to move. Nothing where something else takes part.
  static std::optional<llvm::SetVector<Operation *>> sliceOfCoordinates(Value value) {
    llvm::SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.inclusive = true;
    options.filter = [](Operation *op) { return llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>); };
    auto isMade = [](Operation *op) {
      return isa<SplatOp, IotaOp, arith::ConstantOp>(op) ||
             (op->hasTrait<OpTrait::Elementwise>() && isMemoryEffectFree(op));
    };
    bool isKnown = value.getDefiningOp() && succeeded(getBackwardSlice(value, &slice, options));
    return isKnown && llvm::all_of(slice, isMade) ? std::optional(slice) : std::nullopt;
  }

  static Value madeAgain(const llvm::SetVector<Operation *> &slice, const LinearLayout &layout) {
    IRMapping mapping;
    Operation *again = nullptr;
    for (Operation *op : slice) {
      OpBuilder builder(op->getContext());
      builder.setInsertionPointAfter(op);
      again = builder.clone(*op, mapping);
      again->getResult(0).setType(withLayout(cast<RankedTensorType>(op->getResult(0).getType()), layout));
      auto constant = dyn_cast<arith::ConstantOp>(again);
      if (auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr())
        constant.setValueAttr(retype(elements, cast<RankedTensorType>(constant.getType())));
    }
    return again->getResult(0);
  }

  /// The blocked layout for an access to memory that is narrow in the layout of the value's class, where it is wider.
  /// A tile of one dimension never gains: it is small.
  static std::optional<LinearLayout> widerAccess(RankedTensorType type, const LayoutSolver &solver) {
    int64_t bytes = bytesOf(type.getElementType());
    LinearLayout layout = *layoutOf(type);
    if (type.getRank() < 2 || layout.vectorWidth() * bytes >= kNarrowAccessBytes)
      return std::nullopt;
    LinearLayout blocked = solver.blocked(type, bytes);
    if (blocked.vectorWidth() <= layout.vectorWidth())
      return std::nullopt;
    return blocked;
  }

  /// Slots that a copy engine fills take most of LDS, and the engine runs on: where waves can keep what they hold, the
  /// way through LDS takes little of it, and nobody meets.
  std::optional<LinearLayout> widerWithinWaves(RankedTensorType type, const LayoutSolver &solver) const {
    std::optional<LinearLayout> wide = widerAccess(type, solver);
    if (!wide || !copiesByEngine)
      return wide;
    std::optional<LinearLayout> own =
        blockedWithinWaves(*layoutOf(type), type.getShape(), bytesOf(type.getElementType()));
    return own && own->vectorWidth() > layoutOf(type)->vectorWidth() ? own : wide;
  }

  /// Makes an operand have this layout. A convert of a value from an enclosing block stands before the operation of
  /// that block that contains the use: outside of the loop where the value is invariant.
  void wantOperand(OpOperand &operand, const LinearLayout &layout) {
    Value value = operand.get();
    RankedTensorType type = withLayout(cast<RankedTensorType>(value.getType()), layout);
    if (type == value.getType())
      return;
    Operation *place = value.getParentBlock()->findAncestorOpInBlock(*operand.getOwner());
    ConvertOp &known = converts[{value, type}];
    if (!known) {
      OpBuilder builder(place);
      known = ConvertOp::create(builder, operand.getOwner()->getLoc(), type, value);
      ++numConverts;
    } else if (place->isBeforeInBlock(known)) {
      known->moveBefore(place);
    }
    operand.set(known);
  }
  void wantOperand(MutableOperandRange operands, const LinearLayout &layout) { wantOperand(operands[0], layout); }

  /// The operation produces its result in this layout; users see the layout of the value's class.
  void makeResult(OpResult result, const LinearLayout &layout) {
    auto type = cast<RankedTensorType>(result.getType());
    RankedTensorType produced = withLayout(type, layout);
    if (produced == type)
      return;
    OpBuilder builder(result.getContext());
    builder.setInsertionPointAfter(result.getOwner());
    auto convert = ConvertOp::create(builder, result.getLoc(), type, result);
    result.setType(produced);
    result.replaceAllUsesExcept(convert, convert);
    ++numConverts;
  }

  bool copiesByEngine = false;
  /// Converts made for operands, to be shared by later uses.
  DenseMap<std::pair<Value, Type>, ConvertOp> converts;
};

} // namespace
