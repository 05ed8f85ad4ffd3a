// The loop beside a stream, for views that the copy engine cannot read: in steps as thin as an instruction, so that its
// operands fit into the registers that the sums leave.
#include "passes/schedule/RingLoop.h"

#include "passes/analysis/LayoutConversion.h"
#include "passes/analysis/StreamedProduct.h"
#include "passes/machine/BlockedLayout.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::schedule;

namespace {

class ThinRest {
public:
  ThinRest(scf::ForOp loop, int64_t depth, int64_t thin, const Target &target)
      : loop(loop), depth(depth), thin(thin), target(target), where(unnamed(loop.getLoc())),
        waves(static_cast<int64_t>(loop->getParentOfType<KernelOp>().getWaves().value_or(1))) {}

  scf::ForOp create(Value from, ValueRange inits) {
    OpBuilder builder(loop);
    Value factor = arith::ConstantIndexOp::create(builder, where, depth / thin);
    Value low = arith::MulIOp::create(builder, where, from, factor);
    Value high = arith::MulIOp::create(builder, where, loop.getUpperBound(), factor);
    rest = scf::ForOp::create(builder, where, low, high, loop.getStep(), inits);
    rest.getInductionVar().setLoc(loop.getInductionVar().getLoc());
    for (auto [argument, mine] : llvm::zip(loop.getRegionIterArgs(), rest.getRegionIterArgs())) {
      mine.setLoc(argument.getLoc());
      mapping.map(argument, mine);
    }
    return rest;
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
    auto part = cast<LoadOp>(builder.clone(*whole, mapping));
    auto last = static_cast<unsigned>(part.getIndices().size() - 2);
    part.getIndicesMutable()[last + operand.stepDim()].assign(rest.getInductionVar());
    part.setTileAttr(builder.getI64ArrayAttr(shape));
    part.getResult().setType(withLayout(RankedTensorType::get(shape, element), layout));
    parts.push_back({operand, part});
  }

  /// Barrier, stores, barrier, reads in the layouts that products want.
  void exchange(function_ref<LinearLayout(SharedLoadOp)> layoutFor) {
    OpBuilder builder = OpBuilder::atBlockEnd(rest.getBody());
    BarrierOp::create(builder, where);
    SmallVector<Value> buffers;
    for (auto [operand, part] : parts) {
      buffers.push_back(declare(operand, part, layoutFor));
      SharedStoreOp::create(builder, operand.store.getLoc(), part.getResult(), buffers.back(), Value(),
                            operand.isAcross());
    }
    BarrierOp::create(builder, where);
    for (auto [entry, buffer] : llvm::zip(parts, buffers))
      for (SharedLoadOp like : entry.first.reads)
        mapping.map(like.getResult(),
                    SharedLoadOp::create(builder, like.getLoc(), withLayout(entry.second.getType(), layoutFor(like)),
                                         buffer, Value(), entry.first.isAcross())
                        .getResult());
  }

  void multiply(ArrayRef<DotOp> products) {
    OpBuilder builder = OpBuilder::atBlockEnd(rest.getBody());
    for (DotOp product : products)
      builder.clone(*product, mapping);
    scf::YieldOp::create(builder, where, llvm::map_to_vector(loop.getYieldedValues(), [&](Value value) {
                           return mapping.lookup(value);
                         }));
  }

private:
  /// What lies K x N is stored as its transpose.
  Value declare(RingOperand &operand, LoadOp part, function_ref<LinearLayout(SharedLoadOp)> layoutFor) {
    RankedTensorType type = operand.inRing(part.getType());
    std::vector<LinearLayout> readers;
    for (SharedLoadOp read : operand.reads)
      readers.push_back(operand.isAcross() ? layoutFor(read).transpose({1, 0}) : layoutFor(read));
    Swizzle swizzle =
        chooseSwizzle(type.getShape(), bytesOf(type.getElementType()), {*layoutOf(type)}, readers, target.lds).swizzle;
    auto space = SharedAttr::get(loop.getContext(), swizzle.vector, swizzle.perPhase, swizzle.phases, swizzle.fold,
                                 /*panel=*/0);
    OpBuilder builder(operand.store.getBuffer().getDefiningOp());
    return SharedBufferOp::create(builder, operand.store.getBuffer().getLoc(),
                                  MemRefType::get(type.getShape(), type.getElementType(), AffineMap(), space),
                                  /*offset=*/IntegerAttr(), /*kept=*/false);
  }

  scf::ForOp loop, rest;
  int64_t depth, thin;
  const Target &target;
  Location where;
  int64_t waves;
  std::vector<std::pair<RingOperand &, LoadOp>> parts;
  IRMapping mapping;
};

} // namespace

void RingLoop::replaceByThin(Value from, ValueRange inits, const Target &target) {
  auto kernel = loop->getParentOfType<KernelOp>();
  DotOp first = products.front();
  MatrixProblem problem = problemOf(first, static_cast<int64_t>(kernel.getWaves().value_or(1)));
  int64_t depth = problem.k;
  problem.k = chooseStreamTiling(target.matrix, problem)->registers.instruction->info().k;
  StreamTiling tiling = *chooseStreamTiling(target.matrix, problem);
  ThinRest thin(loop, depth, problem.k, target);
  scf::ForOp rest = thin.create(from, inits);
  if (!waits.empty())
    thin.wait([&](OpBuilder &builder, IRMapping &mapping) { cloneWaits(builder, mapping); });
  for (RingOperand &operand : operands)
    thin.load(operand);
  thin.exchange([&](SharedLoadOp read) {
    bool isLeft = llvm::any_of(products, [&](DotOp product) { return product.getLhs() == read.getResult(); });
    bool isAcross = llvm::any_of(
        operands, [&](RingOperand &operand) { return operand.isAcross() && llvm::is_contained(operand.reads, read); });
    return isLeft ? tiling.registers.a : isAcross ? tiling.registers.bTransposed() : tiling.registers.b;
  });
  thin.multiply(products);
  TileDialect::RestAttrHelper(loop.getContext()).setAttr(rest, UnitAttr::get(loop.getContext()));
  loop.replaceAllUsesWith(rest.getResults());
  SmallVector<Operation *> buffers;
  for (RingOperand &operand : operands)
    buffers.push_back(operand.store.getBuffer().getDefiningOp());
  loop.erase();
  for (Operation *buffer : buffers)
    buffer->erase();
}
