// Union-find over "same layout", anchored by matrix instructions and memory accesses. Rewrites nothing.
#include "passes/layout/LayoutSolver.h"
#include "dialect/Limits.h"

#include "passes/analysis/LayoutConversion.h"
#include "passes/analysis/StreamedProduct.h"
#include "passes/machine/BlockedLayout.h"
#include "passes/machine/OperandTiling.h"
#include "passes/machine/TileBox.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec::tile;

namespace tilec {

static RankedTensorType tileType(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

LinearLayout LayoutSolver::reduced(const LinearLayout &operand, unsigned dim) {
  return operand.slice(dim).withoutZeroBases(LinearLayout::kRegister);
}

LinearLayout LayoutSolver::broadcastOperand(BroadcastOp op, const LinearLayout &result) {
  LinearLayout layout = result;
  for (int64_t dim = op.getType().getRank(); dim-- > 0;)
    if (!llvm::is_contained(op.getDims(), dim))
      layout = layout.slice(dim);
  return layout.withoutZeroBases(LinearLayout::kRegister);
}

LinearLayout LayoutSolver::indexLayout(const LinearLayout &tile, unsigned dim) {
  LinearLayout layout = tile;
  for (unsigned other = tile.numOutputs(); other-- > 0;)
    if (other != dim)
      layout = layout.slice(other);
  return layout.withoutZeroBases(LinearLayout::kRegister);
}

std::pair<Value, unsigned> LayoutSolver::movedByIndices(AccessOpInterface access) {
  Value tile = access.writesBuffer() ? access->getOperand(0) : Value(access->getResult(0));
  return {tile, *access.getEachDim() + tileType(tile).getRank() - access.getAccessIndices().size()};
}

LinearLayout LayoutSolver::blocked(RankedTensorType type, int64_t elementBytes) const {
  return blockedLayout(type.getShape(), {static_cast<int64_t>(*kernel.getWaves()), target.waveLanes}, elementBytes);
}

static bool hasPowers(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return !tile || llvm::all_of(tile.getShape(), [](int64_t side) { return llvm::isPowerOf2_64(side); });
}

/// Whether a reshape adds or takes dimensions of one element alone: every element keeps its place in the box.
static bool keepsSides(ReshapeOp reshape) {
  auto sidesOf = [](RankedTensorType tile) {
    return llvm::filter_to_vector(tile.getShape(), [](int64_t side) { return side != 1; });
  };
  return sidesOf(reshape.getOperand().getType()) == sidesOf(reshape.getType());
}

/// Reports what tiles with a side that is no power of two cannot be in: products without a matrix instruction, and
/// other reshapes, which take the place of an element for its bits.
static LogicalResult verifySides(KernelOp kernel, const Target &target) {
  WalkResult result = kernel.walk([&](Operation *op) {
    if (llvm::all_of(op->getOperandTypes(), hasPowers) && llvm::all_of(op->getResultTypes(), hasPowers))
      return WalkResult::advance();
    if (auto reshape = dyn_cast<ReshapeOp>(op)) {
      if (keepsSides(reshape))
        return WalkResult::advance();
      reshape.emitOpError() << "makes " << reshape.getType() << " of " << reshape.getOperand().getType()
                            << ", expected sides that are powers of two";
      return WalkResult::interrupt();
    }
    std::string why;
    auto dot = dyn_cast<DotOp>(op);
    if (!dot || chooseTiling(target.matrix, problemOf(dot, static_cast<int64_t>(*kernel.getWaves())), &why))
      return WalkResult::advance();
    dot.emitOpError() << "multiplies " << dot.getLhs().getType() << " and " << dot.getRhs().getType()
                      << " without a matrix instruction, expected sides that are powers of two: " << why;
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult LayoutSolver::solve() {
  if (failed(collect()) || failed(verifySides(kernel, target)))
    return failure();
  anchorDots();
  anchorTransposed();
  propagate();
  std::vector<unsigned> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return tileType(values[a]).getNumElements() > tileType(values[b]).getNumElements();
  });
  std::vector<int64_t> accessBytes(layouts.size(), 0);
  for (Value value : values) {
    bool accessed = isa_and_nonnull<LoadOp, GatherOp>(value.getDefiningOp()) ||
                    llvm::any_of(value.getUsers(), [&](Operation *user) {
                      auto access = dyn_cast<AccessOpInterface>(user);
                      return access && !llvm::is_contained(access.getAccessIndices(), value);
                    });
    if (accessed)
      accessBytes[classOf(value)] = std::max(accessBytes[classOf(value)], bytesOf(tileType(value).getElementType()));
  }
  for (unsigned number : order) {
    Value value = values[number];
    if (known(value))
      continue;
    int64_t bytes = accessBytes[classOf(value)];
    offer(value, blocked(tileType(value), bytes ? bytes : bytesOf(tileType(value).getElementType())));
    propagate();
  }
  return success();
}

LogicalResult LayoutSolver::add(Value value) {
  RankedTensorType type = tileType(value);
  if (!type || !numbers.try_emplace(value, values.size()).second)
    return success();
  values.push_back(value);
  assert(type.getRank() && "tiles without a dimension were given one before");
  if (!hasBox(type.getShape()) || *llvm::max_element(type.getShape()) > kMostTileSide)
    return emitError(value.getLoc()) << "tile of type " << type << ", expected sides that are powers of two up to "
                                     << kMostTileSide
                                     << "; of a tile of one or two dimensions, one side may be another multiple of 8";
  return success();
}

LogicalResult LayoutSolver::collect() {
  WalkResult result = kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value value : op->getResults())
      if (failed(add(value)))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        if (failed(add(argument)))
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  classes.grow(values.size());
  kernel.walk([&](Operation *op) { joinOperation(op); });
  classes.compress();
  layouts.resize(classes.getNumClasses());
  return success();
}

void LayoutSolver::join(Value a, Value b) {
  if (tileType(a) && tileType(b))
    classes.join(numbers[a], numbers[b]);
}

void LayoutSolver::joinOperation(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (auto [init, argument, yielded, result] :
         llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getYieldedValues(), loop.getResults())) {
      join(init, argument);
      join(argument, yielded);
      join(yielded, result);
    }
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (auto [i, result] : llvm::enumerate(branch.getResults())) {
      join(branch.thenYield().getOperand(i), result);
      join(branch.elseYield().getOperand(i), result);
    }
  } else if (auto dot = dyn_cast<DotOp>(op)) {
    join(dot.getAcc(), dot.getResult());
  } else if (auto scan = dyn_cast<ScanOp>(op)) {
    join(scan.getOperand(), scan.getResult());
  } else if (isa<TransposeOp, ReshapeOp, ReduceOp, BroadcastOp>(op)) {
    relations.push_back(op);
  } else if (auto access = dyn_cast<AccessOpInterface>(op); access && access.getEachDim()) {
    relations.push_back(op);
  } else if (op->hasTrait<OpTrait::Elementwise>()) {
    for (Value operand : op->getOperands())
      join(operand, op->getResult(0));
  }
}

std::optional<MatrixTiling> LayoutSolver::tilingWith(const MatrixProblem &problem,
                                                     const LinearLayout &accumulator) const {
  for (MatrixTiling &tiling : tilingsOf(target.matrix, problem))
    if (tiling.accumulator == accumulator)
      return tiling;
  return std::nullopt;
}

/// A product that multiplies what is made of this one's sums, element by element.
DotOp LayoutSolver::chainedTo(DotOp dot) const {
  for (DotOp other : dots)
    if (other != dot && !other.getLhsTransposed() && classOf(other.getLhs()) == classOf(dot.getResult()) &&
        classOf(other.getResult()) != classOf(dot.getResult()))
      return other;
  return {};
}

/// Where the left operand lies in registers already and no instruction more is needed, it stays there.
std::optional<MatrixTiling> LayoutSolver::tilingAlong(DotOp dot, const MatrixProblem &problem) const {
  if (!known(dot.getLhs()) || known(dot.getResult()) || dot.getLhsTransposed())
    return std::nullopt;
  std::optional<MatrixTiling> along = chooseAlongOperand(target.matrix, problem, layout(dot.getLhs()));
  std::optional<MatrixTiling> free = along ? chooseTiling(target.matrix, problem) : std::nullopt;
  return free && along->matrixCycles > free->matrixCycles ? std::nullopt : along;
}

/// By a matrix instruction where one fits, its sums where they are wanted if possible; else on the vector units, whose
/// sums may lie anywhere.
DotTiling LayoutSolver::tile(DotOp dot) const {
  MatrixProblem problem = problemOf(dot, static_cast<int64_t>(*kernel.getWaves()));
  const LinearLayout *accumulator = known(dot.getResult()) ? &layout(dot.getResult()) : nullptr;
  std::optional<MatrixTiling> tiling = tilingAlong(dot, problem);
  if (accumulator)
    tiling = tilingWith(problem, *accumulator);
  if (DotOp next = chainedTo(dot); next && !tiling)
    tiling = chooseChained(target.matrix, problem, problemOf(next, problem.waves));
  if (!tiling)
    tiling = chooseTiling(target.matrix, problem);
  if (tiling)
    return {tiling->instruction->info().name, tiling->a, tiling->b, tiling->accumulator};
  std::optional<VectorProduct> product;
  if (accumulator)
    product = VectorProduct::withAccumulator(*accumulator, problem.k);
  if (!product)
    product = VectorProduct::choose(problem.m, problem.n, problem.k, {problem.waves, target.waveLanes});
  return {"", product->a, product->b, product->accumulator};
}

void LayoutSolver::anchorDots() {
  kernel.walk([&](DotOp dot) { dots.push_back(dot); });
  for (DotOp dot : dots) {
    const LinearLayout *wanted = known(dot.getResult()) ? &layout(dot.getResult()) : nullptr;
    std::optional<StreamTiling> stream;
    if (isStreamed(dot, target))
      stream = chooseStreamTiling(target.matrix, problemOf(dot, static_cast<int64_t>(*kernel.getWaves())));
    DotTiling tiling = tile(dot);
    if (stream && (!wanted || *wanted == stream->registers.accumulator))
      tiling = {stream->registers.instruction->info().name, stream->registers.a, stream->registers.b,
                stream->registers.accumulator};
    offer(dot.getResult(), tiling.accumulator);
    tilings.try_emplace(dot, tiling);
  }
}

/// Whether it is an operand whose k runs down the rows.
static bool isAcross(DotOp dot, OpOperand &operand) {
  return operand.getOperandNumber() == 0 ? dot.getLhsTransposed()
                                         : operand.getOperandNumber() == 1 && !dot.getTranspose();
}

void LayoutSolver::anchorTransposed() {
  // Bytes along k that a thread stores to LDS at once; more would narrow the loads from memory.
  constexpr int64_t run = 8;
  kernel.walk([&](LoadOp load) {
    auto runsDown = [&](OpOperand &use) {
      auto dot = dyn_cast<DotOp>(use.getOwner());
      return dot && isAcross(dot, use) && !tiling(dot).instruction.empty();
    };
    if (known(load.getResult()) || load.getResult().use_empty() || !llvm::all_of(load->getUses(), runsDown))
      return;
    int64_t bytes = bytesOf(load.getType().getElementType());
    offer(load.getResult(),
          blockedLayout(load.getType().getShape(), {static_cast<int64_t>(*kernel.getWaves()), target.waveLanes}, bytes,
                        16, std::max<int64_t>(1, run / bytes)));
  });
}

bool LayoutSolver::offer(Value value, const LinearLayout &layout) {
  std::optional<LinearLayout> &slot = layouts[classOf(value)];
  if (slot)
    return false;
  slot = layout;
  return true;
}

void LayoutSolver::propagate() {
  for (bool changed = true; changed;) {
    changed = false;
    for (Operation *op : relations)
      propagateThrough(op, changed);
  }
}

void LayoutSolver::propagateThrough(Operation *op, bool &changed) {
  if (auto access = dyn_cast<AccessOpInterface>(op)) {
    auto [tile, dim] = movedByIndices(access);
    Value index = access.getAccessIndices()[*access.getEachDim()];
    if (known(tile) && !known(index))
      changed |= offer(index, indexLayout(layout(tile), dim));
    return;
  }
  Value operand = op->getOperand(0), result = op->getResult(0);
  bool hasOperand = known(operand), hasResult = known(result);
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    if (hasOperand && !hasResult)
      changed |= offer(result, reduced(layout(operand), reduce.getDim()));
  } else if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    if (hasResult && !hasOperand)
      changed |= offer(operand, broadcastOperand(broadcast, layout(result)));
  } else if (auto transpose = dyn_cast<TransposeOp>(op)) {
    SmallVector<unsigned> order(transpose.getPermutation().begin(), transpose.getPermutation().end());
    SmallVector<unsigned> inverse(order.size());
    for (auto [i, dim] : llvm::enumerate(order))
      inverse[dim] = i;
    if (hasOperand && !hasResult)
      changed |= offer(result, layout(operand).transpose(order));
    else if (hasResult && !hasOperand)
      changed |= offer(operand, layout(result).transpose(inverse));
  } else if (hasOperand != hasResult) {
    Value from = hasOperand ? operand : result, to = hasOperand ? result : operand;
    changed |= offer(to, layout(from).reshape(boxOf(tileType(to).getShape())));
  }
}

} // namespace tilec
