// Operations of one rank: scalars, tiles, accesses and loops.
#include "passes/interpreter/Agents.h"
#include "passes/interpreter/Compute.h"
#include "passes/interpreter/Elementwise.h"
#include "passes/interpreter/Interpreter.h"
#include "passes/interpreter/Limits.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::interpreter;

SharedElements Interpreter::tile(mlir::Value value, const Frame &frame) {
  auto it = frame.values.find(value);
  if (it != frame.values.end())
    return it->second;
  assert((isa<TokenType>(value.getType()) || (countsOnly && !value.getType().isIntOrIndex())) &&
         "tokens carry nothing; without content, neither do tiles");
  return SharedElements();
}

FailureOr<int64_t> Interpreter::index(mlir::Value value, Frame &frame, Operation *op) {
  SharedElements elements = tile(value, frame);
  if (!elements->isExact() && elements->error[0] != 0)
    return op->emitOpError() << "depends on an integer that rounding may change";
  return elements->whole[0];
}

LogicalResult Interpreter::executeBlock(Block &block, Frame &frame) {
  for (Operation &op : block)
    if (failed(execute(op, frame)))
      return failure();
  return success();
}

/// Everything about the content of tiles and buffers does not matter to counts.
bool Interpreter::isLeftOut(Operation &op) {
  if (!countsOnly || op.getNumRegions() != 0 || isa<ReadOp>(op) || isa<memref::MemRefDialect>(op.getDialect()))
    return false;
  bool moves = isa<AccessOpInterface, SharedBufferOp, SharedStoreOp, SharedLoadOp, BarrierOp>(op);
  return moves || llvm::any_of(op.getResultTypes(), [](Type type) { return isa<RankedTensorType>(type); });
}

/// Matrix instructions do this many multiplications in the time of one operation on an element.
static constexpr double productsAtOnce = 32;

static double workOf(Operation &op) {
  auto elementsOf = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape() ? static_cast<double>(tensor.getNumElements()) : 0;
  };
  // Even a scalar takes a step here, and one in every lane of the emulator.
  double work = 40;
  for (Type type : op.getResultTypes())
    work += elementsOf(type);
  if (auto dot = dyn_cast<DotOp>(op))
    work += elementsOf(dot.getType()) * static_cast<double>(dot.depth()) / productsAtOnce;
  else if (op.getNumResults() == 0 && op.getNumOperands())
    work += elementsOf(op.getOperand(0).getType());
  return work;
}

LogicalResult Interpreter::execute(Operation &op, Frame &frame) {
  if (mostWork > 0) {
    work += workOf(op);
    if (work > mostWork)
      return failure();
  }
  // Roles that run beside one another have frames of their own.
  Counts &counts = frames[frame.rank].counts;
  counts.signals += isa<SignalOp>(op);
  counts.waits += isa<WaitOp>(op);
  if (isLeftOut(op))
    return success();
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case<scf::ForOp>([&](auto loop) { return executeFor(loop, frame); })
      .Case<scf::IfOp>([&](auto branch) { return executeIf(branch, frame); })
      .Case<GatherOp>([&](auto gather) { return executeGather(gather, frame); })
      .Case<ScatterOp>([&](auto scatter) { return executeScatter(scatter, frame); })
      .Case<ReadOp>([&](auto read) { return executeRead(read, frame); })
      .Case<AccessOpInterface>([&](auto access) { return executeAccess(access, frame); })
      .Case<memref::SubViewOp, memref::DimOp>([&](auto) { return executeView(op, frame); })
      // The ends of regions; what they carry is read by the op around them. What only orders or chooses means nothing
      // here.
      .Case<scf::YieldOp, YieldOp, ParamOp, SignalsOp, JoinOp>([](auto) { return success(); })
      .Case<SignalOp>([&](auto signal) { return agents ? agents->signal(signal, frame) : success(); })
      .Case<ArriveOp>([&](auto arrive) { return executeArrive(arrive, frame); })
      .Case<WaitOp>([&](auto wait) { return agents ? agents->wait(wait, frame) : success(); })
      .Case<TakeCountedOp>([&](auto take) { return agents ? agents->take(take, frame) : success(); })
      .Case<affine::AffineApplyOp>([&](affine::AffineApplyOp apply) -> LogicalResult {
        SmallVector<int64_t> operands;
        for (mlir::Value operand : apply.getMapOperands()) {
          FailureOr<int64_t> value = index(operand, frame, &op);
          if (failed(value))
            return failure();
          operands.push_back(*value);
        }
        AffineMap map = apply.getAffineMap();
        ArrayRef<int64_t> all(operands);
        auto value =
            evaluate(map.getResult(0), all.take_front(map.getNumDims()), all.drop_front(map.getNumDims()), &op);
        if (failed(value))
          return failure();
        set(apply.getResult(), Elements::index(*value), frame);
        return success();
      })
      .Default([&](auto) { return executeTile(op, frame); });
}

LogicalResult Interpreter::executeTile(Operation &op, Frame &frame) {
  auto rearranged = [&](mlir::Value operand, auto compute) -> LogicalResult {
    set(op.getResult(0), compute(*tile(operand, frame)), frame);
    return success();
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case<RankOp>([&](auto) { return set(op.getResult(0), Elements::index(frame.rank), frame), success(); })
      .Case<WorldSizeOp>([&](auto) { return set(op.getResult(0), Elements::index(world), frame), success(); })
      .Case<ExtentOp>([&](ExtentOp extent) -> LogicalResult {
        auto values = evaluateList(extent.getSizes(), extent.getExtents(), extent.getParams(), frame, &op);
        if (failed(values))
          return failure();
        set(extent.getResult(), Elements::index((*values)[0]), frame);
        return success();
      })
      .Case<ForallOp>([&](auto forall) { return executeForall(forall, frame); })
      .Case<DotOp>([&](auto dot) { return executeDot(dot, frame); })
      .Case<SplatOp>([&](auto splat) { return executeSplat(splat, frame); })
      .Case<IotaOp>([&](auto iota) { return executeIota(iota, frame); })
      .Case<BroadcastOp>([&](auto broadcast) { return executeBroadcast(broadcast, frame); })
      .Case<ReshapeOp>([&](auto reshape) { return executeReshape(reshape, frame); })
      .Case<ReduceOp>([&](ReduceOp reduction) {
        return rearranged(reduction.getOperand(), [&](const Elements &source) {
          return interpreter::reduce(source, reduction.getDim(), combinationOf(reduction.getKind()));
        });
      })
      .Case<ScanOp>([&](ScanOp scan) {
        return rearranged(scan.getOperand(), [&](const Elements &source) {
          return interpreter::scan(source, scan.getDim(), combinationOf(scan.getKind()), scan.getExclusive());
        });
      })
      .Case<ClampOp>([&](auto clamp) { return executeClamp(clamp, frame); })
      .Case<ArgReduceOp>([&](ArgReduceOp arg) { return executeArgReduce(arg, frame); })
      .Case<TransposeOp>([&](TransposeOp transposition) {
        return rearranged(transposition.getOperand(), [&](const Elements &source) {
          return interpreter::transpose(source, transposition.getPermutation());
        });
      })
      .Case<ConvertOp>([&](ConvertOp convert) {
        return rearranged(convert.getOperand(), [](const Elements &source) { return source; });
      })
      .Default([&](auto) { return executeElementwise(op, frame); });
}

LogicalResult Interpreter::executeElementwise(Operation &op, Frame &frame) {
  if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op.getDialect()))
    return op.emitOpError() << "is not known to the oracle";
  SmallVector<SharedElements> operands;
  for (mlir::Value operand : op.getOperands())
    operands.push_back(tile(operand, frame));
  auto valueOf = [&](mlir::Value value) -> const Elements * {
    auto it = frame.values.find(value);
    return it == frame.values.end() ? nullptr : it->second.get();
  };
  if (std::optional<Elements> difference = differenceFromMaximum(&op, valueOf)) {
    set(op.getResult(0), std::move(*difference), frame);
    return success();
  }
  FailureOr<Elements> result = evaluateElementwise(&op, operands);
  if (failed(result))
    return failure();
  if (double least = leastRescaledSum(&op, valueOf); least > result->limits.low) {
    result->limits.low = least;
    cutErrors(*result);
  }
  if (result->format.isFloat)
    followLogSum(&op, [&](mlir::Value value) { return frame.values.lookup(value); }, *result);
  set(op.getResult(0), std::move(*result), frame);
  return success();
}

LogicalResult Interpreter::executeFor(scf::ForOp op, Frame &frame) {
  auto low = index(op.getLowerBound(), frame, op), high = index(op.getUpperBound(), frame, op),
       step = index(op.getStep(), frame, op);
  if (failed(low) || failed(high) || failed(step))
    return failure();
  if (*step <= 0)
    return op.emitOpError() << "has step " << *step << ", expected at least 1";
  auto collect = [&](ValueRange values) {
    return llvm::map_to_vector(values, [&](mlir::Value value) { return tile(value, frame); });
  };
  SmallVector<SharedElements> carried = collect(op.getInitArgs());
  auto format = Format::get(op.getInductionVar().getType());
  for (int64_t i = *low; i < *high; i += *step) {
    set(op.getInductionVar(), Elements::integer(*format, i), frame);
    for (auto [argument, value] : llvm::zip(op.getRegionIterArgs(), carried))
      frame.values[argument] = value;
    if (failed(executeBlock(*op.getBody(), frame)))
      return failure();
    carried = collect(op.getYieldedValues());
    if (*high - i <= *step)
      break;
  }
  for (auto [result, value] : llvm::zip(op.getResults(), carried))
    frame.values[result] = value;
  return success();
}

/// Tasks come one after the other here: the last of them is the one behind which no other comes.
LogicalResult Interpreter::executeArrive(ArriveOp op, Frame &frame) {
  FailureOr<int64_t> count = index(op.getCount(), frame, op);
  std::vector<int64_t> word;
  for (mlir::Value value : op.getIndices()) {
    FailureOr<int64_t> at = index(value, frame, op);
    if (failed(at))
      return failure();
    word.push_back(*at);
  }
  if (failed(count))
    return failure();
  bool isLast = ++arrived[{op.getSignals().getAsOpaquePointer(), frame.rank, word}] == *count;
  set(op.getLast(), Elements::integer(*Format::get(op.getLast().getType()), isLast), frame);
  return success();
}

LogicalResult Interpreter::executeIf(scf::IfOp op, Frame &frame) {
  FailureOr<int64_t> condition = index(op.getCondition(), frame, op);
  if (failed(condition))
    return failure();
  Region &region = *condition ? op.getThenRegion() : op.getElseRegion();
  if (region.empty())
    return success();
  if (failed(executeBlock(region.front(), frame)))
    return failure();
  for (auto [result, yielded] : llvm::zip(op.getResults(), region.front().getTerminator()->getOperands()))
    frame.values[result] = tile(yielded, frame);
  return success();
}

FailureOr<int64_t> Interpreter::accessedRank(AccessOpInterface op, Frame &frame) {
  if (!op.getAccessRank())
    return frame.rank;
  FailureOr<int64_t> rank = index(op.getAccessRank(), frame, op);
  if (succeeded(rank) && (*rank < 0 || *rank >= world))
    return op->emitOpError() << "addresses rank " << *rank << " of a world of " << world;
  return rank;
}

/// The element offsets of an access: tile coordinates count tiles.
FailureOr<Shape> Interpreter::firstElement(AccessOpInterface op, ArrayRef<int64_t> shape, Frame &frame) {
  Shape first;
  for (auto [d, coordinate] : llvm::enumerate(op.getAccessIndices())) {
    if (op.isEach(d)) {
      first.push_back(0);
      continue;
    }
    FailureOr<int64_t> at = index(coordinate, frame, op);
    int64_t element;
    if (failed(at))
      return failure();
    if (__builtin_mul_overflow(*at, op.hasElementOffsets() ? 1 : shape[d], &element) ||
        std::abs(element) > std::numeric_limits<int32_t>::max())
      return op->emitOpError() << "has index " << *at << " in dimension " << d << ", out of any buffer's range";
    first.push_back(element);
  }
  return first;
}

LogicalResult Interpreter::executeAccess(AccessOpInterface op, Frame &frame) {
  View where = view(op.getAccessedBuffer(), frame);
  FailureOr<int64_t> rank = accessedRank(op, frame);
  if (failed(rank))
    return failure();
  auto loadOp = dyn_cast<LoadOp>(op.getOperation());
  SharedElements operand;
  FailureOr<Shape> tileSizes;
  if (loadOp) {
    tileSizes = tileShape(loadOp.getTile(), op);
    if (loadOp.getOtherwise())
      operand = tile(loadOp.getOtherwise(), frame);
  } else {
    operand = tile(op->getOperand(0), frame);
    tileSizes = operand->shape;
  }
  if (failed(tileSizes))
    return failure();
  Shape shape(where.sizes.size() - tileSizes->size(), 1);
  shape.append(*tileSizes);
  FailureOr<Shape> first = firstElement(op, shape, frame);
  if (failed(first))
    return failure();
  Buffer &buffer = memory[*rank][where.slot];
  // Within a statement nothing reads what is being added to; here a wait may have said that it is complete.
  if (agents && !isa<AtomicOp>(op.getOperation()))
    buffer.settle();
  if (auto atomic = dyn_cast<AtomicOp>(op.getOperation())) {
    combine(buffer, where, *first, shape, *operand, combinationOf(atomic.getKind()));
  } else if (!loadOp) {
    store(buffer, where, *first, shape, *operand);
  } else {
    Elements result(buffer.format, *tileSizes);
    load(buffer, where, *first, shape, operand.get(), result);
    set(loadOp.getResult(), std::move(result), frame);
  }
  return success();
}

LogicalResult Interpreter::executeDot(DotOp op, Frame &frame) {
  SharedElements lhs = tile(op.getLhs(), frame), rhs = tile(op.getRhs(), frame), acc = tile(op.getAcc(), frame);
  if (op.getLhsTransposed())
    lhs = std::make_shared<Elements>(transpose(*lhs, {1, 0}));
  const Shape &a = lhs->shape, &b = rhs->shape, &c = acc->shape;
  bool transposed = op.getTranspose();
  if (a[1] != b[transposed ? 1 : 0] || a[0] != c[0] || b[transposed ? 0 : 1] != c[1])
    return op.emitOpError() << "multiplies " << a[0] << "x" << a[1] << " with " << b[0] << "x" << b[1] << " into "
                            << c[0] << "x" << c[1];
  set(op.getResult(), interpreter::dot(*lhs, *rhs, acc.get(), transposed, acc->format, accumulation(op)), frame);
  return success();
}

LogicalResult Interpreter::executeSplat(SplatOp op, Frame &frame) {
  FailureOr<Shape> shape = tileShape(op.getTile(), op);
  std::optional<Format> format = Format::get(op.getType().getElementType());
  if (failed(shape) || !format)
    return failure();
  Elements one(*format, {});
  if (op.getOperand()) {
    one = *tile(op.getOperand(), frame);
  } else if (auto literal = dyn_cast<FloatAttr>(*op.getLiteral())) {
    bool losesInfo;
    llvm::APFloat value = literal.getValue();
    value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    one.real[0] = value.convertToDouble();
  } else {
    one.whole[0] = cast<IntegerAttr>(*op.getLiteral()).getValue().getSExtValue();
  }
  if (!op.getOperand())
    one.setConstantLimits();
  set(op.getResult(), interpreter::broadcast(one, {}, *shape), frame);
  return success();
}

LogicalResult Interpreter::executeArgReduce(ArgReduceOp op, Frame &frame) {
  SharedElements source = tile(op.getOperand(), frame);
  auto dim = static_cast<int64_t>(op.getDim());
  std::optional<Format> places = Format::get(op.getPlace().getType().getElementType());
  set(op.getValue(), interpreter::reduce(*source, dim, combinationOf(op.getKind())), frame);
  set(op.getPlace(), placeOfExtremum(*source, dim, op.getKind() == Reduction::Maximum, *places), frame);
  return success();
}

LogicalResult Interpreter::executeIota(IotaOp op, Frame &frame) {
  FailureOr<Shape> shape = tileShape(op.getTile(), op);
  std::optional<Format> format = Format::get(op.getType().getElementType());
  if (failed(shape) || !format)
    return failure();
  Elements result(*format, *shape);
  int64_t stride = View::whole(0, *shape).strides[op.getDim()], size = (*shape)[op.getDim()];
  for (int64_t i = 0, n = result.size(); i < n; ++i)
    result.whole[i] = format->wrap(i / stride % size);
  set(op.getResult(), std::move(result), frame);
  return success();
}

LogicalResult Interpreter::executeBroadcast(BroadcastOp op, Frame &frame) {
  FailureOr<Shape> shape = tileShape(op.getTile(), op);
  SharedElements source = tile(op.getOperand(), frame);
  if (failed(shape))
    return failure();
  for (auto [i, dim] : llvm::enumerate(op.getDims()))
    if (source->shape[i] != (*shape)[dim])
      return op.emitOpError() << "repeats " << source->shape[i] << " elements as dimension " << dim << ", expected "
                              << (*shape)[dim];
  set(op.getResult(), interpreter::broadcast(*source, op.getDims(), *shape), frame);
  return success();
}

LogicalResult Interpreter::executeReshape(ReshapeOp op, Frame &frame) {
  FailureOr<Shape> shape = tileShape(op.getTile(), op);
  SharedElements source = tile(op.getOperand(), frame);
  if (failed(shape))
    return failure();
  if (count(*shape) != source->size())
    return op.emitOpError() << "expected a result of " << source->size() << " elements, as the operand has, got "
                            << count(*shape);
  Elements result = *source;
  result.shape = *shape;
  result.peakDim = -1;
  result.logSum = nullptr;
  set(op.getResult(), std::move(result), frame);
  return success();
}
