// Collectives: every rank's source is read before any destination is written.
#include "passes/interpreter/Compute.h"
#include "passes/interpreter/Interpreter.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::interpreter;

LogicalResult Interpreter::executeCollective(Operation &op) {
  if (auto gather = dyn_cast<AllGatherOp>(op))
    return allGather(gather);
  if (auto scatter = dyn_cast<ReduceScatterOp>(op))
    return reduceScatter(scatter);
  if (auto reduction = dyn_cast<AllReduceOp>(op))
    return allReduce(reduction);
  if (auto exchange = dyn_cast<AllToAllOp>(op))
    return allToAll(exchange);
  return shift(cast<ShiftOp>(op));
}

/// The source of every rank; all have one shape.
FailureOr<SmallVector<Elements>> Interpreter::loadAll(mlir::Value source, Operation *op) {
  SmallVector<Elements> parts;
  for (Frame &frame : frames) {
    View from = view(source, frame);
    Buffer &buffer = memory[frame.rank][from.slot];
    Elements &part = parts.emplace_back(buffer.format, from.sizes);
    load(buffer, from, Shape(from.sizes.size(), 0), from.sizes, nullptr, part);
    if (part.shape != parts.front().shape)
      return op->emitOpError() << "has sources of different shapes on rank 0 and rank " << frame.rank;
  }
  return parts;
}

LogicalResult Interpreter::checkSizes(mlir::Value destination, ArrayRef<int64_t> expected, Operation *op) {
  for (Frame &frame : frames) {
    for (auto [d, size] : llvm::enumerate(view(destination, frame).sizes))
      if (size != expected[d])
        return op->emitOpError() << "dimension " << d << " of the destination has " << size << " elements, expected "
                                 << expected[d];
  }
  return success();
}

void Interpreter::storeBlock(mlir::Value destination, int64_t rank, ArrayRef<int64_t> first, const Elements &block) {
  View into = view(destination, frames[rank]);
  store(memory[rank][into.slot], into, first, block.shape, block);
}

/// Block `number` of `blocks` equal ones along a dimension.
static Elements blockOf(const Elements &whole, int64_t dim, int64_t number, int64_t blocks) {
  Shape shape(whole.shape), strides = View::whole(0, whole.shape).strides;
  shape[dim] /= blocks;
  Elements block(whole.format, shape);
  int64_t inner = strides[dim] * shape[dim];
  for (int64_t i = 0, n = block.size(); i < n; ++i)
    block.copy(i, whole, i / inner * inner * blocks + number * inner + i % inner);
  return block;
}

/// The length of one of `world` equal blocks along a dimension.
static FailureOr<int64_t> blockSize(ArrayRef<int64_t> shape, int64_t dim, int64_t world, Operation *op) {
  if (shape[dim] % world != 0)
    return op->emitOpError() << "dimension " << dim << " of the source has " << shape[dim]
                             << " elements, expected a multiple of " << world << " ranks";
  return shape[dim] / world;
}

LogicalResult Interpreter::allGather(AllGatherOp op) {
  auto parts = loadAll(op.getSource(), op);
  if (failed(parts))
    return failure();
  Shape expected(parts->front().shape);
  int64_t block = expected[op.getDim()];
  expected[op.getDim()] *= world;
  if (failed(checkSizes(op.getDestination(), expected, op)))
    return failure();
  for (int64_t rank = 0; rank < world; ++rank)
    for (auto [from, part] : llvm::enumerate(*parts)) {
      Shape first(expected.size(), 0);
      first[op.getDim()] = from * block;
      storeBlock(op.getDestination(), rank, first, part);
    }
  return success();
}

/// Adds in the order of the ranks in f32 (f64 for f64, wrapping for integers) or takes the greatest or least, then
/// rounds to the destination's elements.
Elements Interpreter::combineOverRanks(ArrayRef<Elements> parts, mlir::Value destination, Reduction kind) {
  return interpreter::combine(parts, *Format::get(cast<MemRefType>(destination.getType()).getElementType()),
                              combinationOf(kind));
}

LogicalResult Interpreter::reduceScatter(ReduceScatterOp op) {
  auto parts = loadAll(op.getSource(), op);
  if (failed(parts))
    return failure();
  Shape expected(parts->front().shape);
  FailureOr<int64_t> block = blockSize(expected, op.getDim(), world, op);
  if (failed(block))
    return failure();
  expected[op.getDim()] = *block;
  if (failed(checkSizes(op.getDestination(), expected, op)))
    return failure();
  Elements total = combineOverRanks(*parts, op.getDestination(), op.combination());
  for (int64_t rank = 0; rank < world; ++rank)
    storeBlock(op.getDestination(), rank, Shape(expected.size(), 0), blockOf(total, op.getDim(), rank, world));
  return success();
}

LogicalResult Interpreter::allReduce(AllReduceOp op) {
  auto parts = loadAll(op.getSource(), op);
  if (failed(parts))
    return failure();
  if (failed(checkSizes(op.getDestination(), parts->front().shape, op)))
    return failure();
  Elements total = combineOverRanks(*parts, op.getDestination(), op.combination());
  for (int64_t rank = 0; rank < world; ++rank)
    storeBlock(op.getDestination(), rank, Shape(total.shape.size(), 0), total);
  return success();
}

LogicalResult Interpreter::allToAll(AllToAllOp op) {
  auto parts = loadAll(op.getSource(), op);
  if (failed(parts))
    return failure();
  FailureOr<int64_t> block = blockSize(parts->front().shape, op.getDim(), world, op);
  if (failed(block) || failed(checkSizes(op.getDestination(), parts->front().shape, op)))
    return failure();
  for (int64_t rank = 0; rank < world; ++rank)
    for (auto [from, part] : llvm::enumerate(*parts)) {
      Shape first(part.shape.size(), 0);
      first[op.getDim()] = from * *block;
      storeBlock(op.getDestination(), rank, first, blockOf(part, op.getDim(), rank, world));
    }
  return success();
}

LogicalResult Interpreter::shift(ShiftOp op) {
  auto parts = loadAll(op.getSource(), op);
  if (failed(parts) || failed(checkSizes(op.getDestination(), parts->front().shape, op)))
    return failure();
  int64_t by = static_cast<int64_t>(op.getBy()) % world;
  for (int64_t rank = 0; rank < world; ++rank) {
    int64_t to = (rank + by + world) % world;
    const Elements &part = (*parts)[rank];
    storeBlock(op.getDestination(), to, Shape(part.shape.size(), 0), part);
  }
  return success();
}
