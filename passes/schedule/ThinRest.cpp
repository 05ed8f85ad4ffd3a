// The loop beside a stream, for views that the copy engine cannot read: in steps as thin as an instruction, so that its
// operands fit into the registers that the sums leave.
#include "passes/schedule/RingLoop.h"

#include "passes/analysis/LayoutConversion.h"
#include "passes/analysis/StreamedProduct.h"
#include "passes/machine/BlockedLayout.h"
#include "passes/schedule/StepBody.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::schedule;

/// Its loads are not made ahead of their steps.
static void markRest(scf::ForOp loop) {
  TileDialect::RestAttrHelper(loop.getContext()).setAttr(loop, UnitAttr::get(loop.getContext()));
}

namespace {

class ThinRest {
public:
  ThinRest(scf::ForOp loop, Value first, const Target &target)
      : loop(loop), first(first), target(target), where(unnamed(loop.getLoc())),
        waves(static_cast<int64_t>(loop->getParentOfType<KernelOp>().getWaves().value_or(1))) {}

  /// Parts are as thin as the instruction for registers that makes such a product.
  void partAs(DotOp product) {
    MatrixProblem problem = problemOf(product, waves);
    depth = problem.k;
    thin = problem.k = chooseStreamTiling(target.matrix, problem)->registers.instruction->info().k;
    tiling = chooseStreamTiling(target.matrix, problem)->registers;
  }

  /// Each of its steps is a part of one of the loop.
  scf::ForOp createThin(Value from, ValueRange inits) {
    OpBuilder builder(loop);
    Value factor = arith::ConstantIndexOp::create(builder, where, depth / thin);
    Value low = arith::MulIOp::create(builder, where, from, factor);
    Value high = arith::MulIOp::create(builder, where, loop.getUpperBound(), factor);
    return rest = createLike(builder, low, high, inits);
  }

  /// Its steps are those of the loop.
  scf::ForOp createWhole(Value from, ValueRange inits) {
    OpBuilder builder(loop);
    whole = createLike(builder, from, loop.getUpperBound(), inits);
    mapping.map(loop.getInductionVar(), whole.getInductionVar());
    return whole;
  }

  /// Has the waits of a step made at each of its thin ones: all but the first find them over.
  void wait(function_ref<void(OpBuilder &, IRMapping &)> make) {
    OpBuilder builder = OpBuilder::atBlockEnd(rest.getBody());
    Value factor = arith::ConstantIndexOp::create(builder, where, depth / thin);
    Value step = arith::DivSIOp::create(builder, where, rest.getInductionVar(), factor);
    mapping.map(loop.getInductionVar(), step);
    make(builder, mapping);
  }

  /// Loads a thin part of an operand; `exchange` has it stored and read.
  void load(RingOperand &operand) {
    LoadOp whole = operand.load;
    SmallVector<int64_t> shape(whole.getType().getShape());
    shape[operand.stepDim()] = thin;
    Type element = whole.getType().getElementType();
    LinearLayout layout = blockedLayout(shape, {waves, target.waveLanes}, bytesOf(element));
    OpBuilder builder = OpBuilder::atBlockEnd(rest.getBody());
    Value number = partOf(builder);
    auto part = cast<LoadOp>(builder.clone(*whole, mapping));
    auto last = static_cast<unsigned>(part.getIndices().size() - 2);
    part.getIndicesMutable()[last + operand.stepDim()].assign(number);
    part.setTileAttr(builder.getI64ArrayAttr(shape));
    part.getResult().setType(withLayout(RankedTensorType::get(shape, element), layout));
    parts.push_back({operand, part});
  }

  /// Barrier, stores, barrier, reads for products: those of a step that `reads` has.
  void exchange(ArrayRef<SharedLoadOp> reads, ArrayRef<DotOp> products) {
    OpBuilder builder = OpBuilder::atBlockEnd(rest.getBody());
    BarrierOp::create(builder, where);
    SmallVector<Value> buffers;
    for (auto [operand, part] : parts) {
      buffers.push_back(declare(operand, part, products));
      SharedStoreOp::create(builder, operand.store.getLoc(), part.getResult(), buffers.back(), Value(),
                            operand.isAcross());
    }
    BarrierOp::create(builder, where);
    for (auto [entry, buffer] : llvm::zip(parts, buffers))
      for (SharedLoadOp like : entry.first.reads)
        if (llvm::is_contained(reads, like))
          mapping.map(like.getResult(),
                      SharedLoadOp::create(builder, like.getLoc(),
                                           withLayout(entry.second.getType(), layoutFor(entry.first, like, products)),
                                           buffer, Value(), entry.first.isAcross())
                          .getResult());
  }

  void multiply(ArrayRef<DotOp> products) {
    OpBuilder builder = OpBuilder::atBlockEnd(rest.getBody());
    for (DotOp product : products)
      builder.clone(*product, mapping);
    yieldAs(builder);
  }

  /// A product of a whole step, as a loop over its parts.
  void multiplyInParts(DotOp product, ArrayRef<RingOperand *> operands) {
    partAs(product);
    OpBuilder builder = OpBuilder::atBlockEnd(whole.getBody());
    Value factor = arith::ConstantIndexOp::create(builder, where, depth / thin);
    Value low = arith::MulIOp::create(builder, where, whole.getInductionVar(), factor);
    Value high = arith::AddIOp::create(builder, where, low, factor);
    Value begin = mapping.lookupOrDefault(product.getAcc());
    rest = scf::ForOp::create(builder, where, low, high, loop.getStep(), begin);
    rest.getRegionIterArg(0).setLoc(product.getLoc());
    markRest(rest);
    parts.clear();
    for (RingOperand *operand : operands)
      load(*operand);
    exchange({product.getLhs().getDefiningOp<SharedLoadOp>(), product.getRhs().getDefiningOp<SharedLoadOp>()}, product);
    OpBuilder inner = OpBuilder::atBlockEnd(rest.getBody());
    auto part = cast<DotOp>(inner.clone(*product, mapping));
    part.getAccMutable().set(rest.getRegionIterArg(0));
    scf::YieldOp::create(inner, where, part.getResult());
    mapping.map(product.getResult(), rest.getResult(0));
  }

  /// What else a whole step does.
  void clone(Operation &op) { OpBuilder::atBlockEnd(whole.getBody()).clone(op, mapping); }

  void leaveWhole() {
    OpBuilder builder = OpBuilder::atBlockEnd(whole.getBody());
    yieldAs(builder);
  }

private:
  /// A loop that carries what the loop does.
  scf::ForOp createLike(OpBuilder &builder, Value low, Value high, ValueRange inits) {
    auto made = scf::ForOp::create(builder, where, low, high, loop.getStep(), inits);
    made.getInductionVar().setLoc(loop.getInductionVar().getLoc());
    for (auto [argument, mine] : llvm::zip(loop.getRegionIterArgs(), made.getRegionIterArgs())) {
      mine.setLoc(argument.getLoc());
      mapping.map(argument, mine);
    }
    return made;
  }

  /// The part of the operands that a thin step takes.
  Value partOf(OpBuilder &builder) {
    if (!first)
      return rest.getInductionVar();
    Value factor = arith::ConstantIndexOp::create(builder, where, depth / thin);
    Value before = arith::MulIOp::create(builder, where, first, factor);
    return arith::AddIOp::create(builder, where, before, rest.getInductionVar());
  }

  void yieldAs(OpBuilder &builder) {
    scf::YieldOp::create(builder, where, llvm::map_to_vector(loop.getYieldedValues(), [&](Value value) {
                           return mapping.lookupOrDefault(value);
                         }));
  }

  LinearLayout layoutFor(RingOperand &operand, SharedLoadOp read, ArrayRef<DotOp> products) {
    bool isLeft = llvm::any_of(products, [&](DotOp product) { return product.getLhs() == read.getResult(); });
    const LinearLayout &layout = isLeft ? tiling->a : tiling->b;
    return operand.isAcross() ? layout.transpose({1, 0}) : layout;
  }

  /// What lies K x M or K x N is stored as its transpose.
  Value declare(RingOperand &operand, LoadOp part, ArrayRef<DotOp> products) {
    RankedTensorType type = operand.inRing(part.getType());
    std::vector<LinearLayout> readers;
    for (SharedLoadOp read : operand.reads) {
      LinearLayout reader = layoutFor(operand, read, products);
      readers.push_back(operand.isAcross() ? reader.transpose({1, 0}) : reader);
    }
    Swizzle swizzle =
        chooseSwizzle(type.getShape(), bytesOf(type.getElementType()), {*layoutOf(type)}, readers, target.lds).swizzle;
    auto space = SharedAttr::get(loop.getContext(), swizzle.vector, swizzle.perPhase, swizzle.phases, swizzle.fold,
                                 /*panel=*/0);
    OpBuilder builder(operand.store.getBuffer().getDefiningOp());
    return SharedBufferOp::create(builder, operand.store.getBuffer().getLoc(),
                                  MemRefType::get(type.getShape(), type.getElementType(), AffineMap(), space),
                                  /*offset=*/IntegerAttr(), /*kept=*/false);
  }

  scf::ForOp loop, whole, rest; ///< `rest`: in whose body parts are multiplied
  Value first;                  ///< tiles along the depth before that of the loop's step 0, or null
  int64_t depth = 0, thin = 0;
  std::optional<MatrixTiling> tiling; ///< of a part
  const Target &target;
  Location where;
  int64_t waves;
  std::vector<std::pair<RingOperand &, LoadOp>> parts;
  IRMapping mapping;
};

} // namespace

/// `rest` does what the loop did.
void RingLoop::giveWayTo(scf::ForOp rest) {
  markRest(rest);
  loop.replaceAllUsesWith(rest.getResults());
  SmallVector<Operation *> buffers;
  for (RingOperand &operand : operands)
    buffers.push_back(operand.store.getBuffer().getDefiningOp());
  loop.erase();
  for (Operation *buffer : buffers)
    buffer->erase();
}

void RingLoop::replaceByThin(Value from, ValueRange inits, const Target &target) {
  ThinRest thin(loop, first, target);
  thin.partAs(products.front());
  scf::ForOp rest = thin.createThin(from, inits);
  if (!waits.empty())
    thin.wait([&](OpBuilder &builder, IRMapping &mapping) { cloneWaits(builder, mapping); });
  for (RingOperand &operand : operands)
    thin.load(operand);
  thin.exchange(reads, products);
  thin.multiply(products);
  giveWayTo(rest);
}

void RingLoop::computeThin(Value from, ValueRange inits, const Target &target) {
  ThinRest thin(loop, first, target);
  scf::ForOp rest = thin.createWhole(from, inits);
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto product = dyn_cast<DotOp>(op); product && llvm::is_contained(products, product)) {
      llvm::SmallSetVector<RingOperand *, 2> multiplied;
      for (Value operand : {product.getLhs(), product.getRhs()})
        multiplied.insert(&operandOf(operand.getDefiningOp<SharedLoadOp>()));
      thin.multiplyInParts(product, multiplied.getArrayRef());
    } else if (isNumber(&op) || llvm::is_contained(computed, &op)) {
      thin.clone(op);
    }
  }
  thin.leaveWhole();
  giveWayTo(rest);
}
