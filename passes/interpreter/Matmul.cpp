// The product of one matrix with several: whole products, then the epilogue tile by tile.
#include "dialect/Products.h"
#include "passes/interpreter/Compute.h"
#include "passes/interpreter/Interpreter.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::interpreter;

static Elements loadWhole(Buffer &buffer, const View &view) {
  Elements result(buffer.format, view.sizes);
  load(buffer, view, Shape(view.sizes.size(), 0), view.sizes, nullptr, result);
  return result;
}

/// What a product is accumulated in: f32 or i32; f64 and i64 for operands of that width.
static Format accumulatorOf(const Format &operand, MLIRContext *context) {
  if (!operand.isFloat)
    return *Format::get(IntegerType::get(context, operand.bits == 64 ? 64 : 32));
  return operand.bits == 64 ? operand : *Format::get(Float32Type::get(context));
}

/// One of the matrices that lie side by side in a view; of a view of one matrix always that.
static View matrixOf(View view, ArrayRef<int64_t> number) {
  if (view.sizes.size() == 2)
    return view;
  for (auto [index, stride] : llvm::zip(number, view.strides))
    view.offset += index * stride;
  view.sizes.erase(view.sizes.begin(), view.sizes.begin() + static_cast<std::ptrdiff_t>(number.size()));
  view.strides.erase(view.strides.begin(), view.strides.begin() + static_cast<std::ptrdiff_t>(number.size()));
  return view;
}

/// Rows in use, of the product with this number: all where the program does not say.
FailureOr<int64_t> Interpreter::rowsInUse(MatmulOp op, ArrayRef<int64_t> number, int64_t most, Frame &frame) {
  if (!op.getRows() || countsOnly)
    return most;
  Shape place(number.begin(), number.end());
  place.resize(std::max<size_t>(place.size(), 1), 0);
  return readNumber(op, op.getRows(), place, most, frame);
}

/// Product after product, where several lie side by side.
LogicalResult Interpreter::executeMatmul(MatmulOp op, Frame &frame) {
  View into = view(op.getDestination(), frame);
  ArrayRef<int64_t> leading = ArrayRef<int64_t>(into.sizes).drop_back(2);
  SmallVector<mlir::Value> operands(op.getRhs());
  operands.push_back(op.getLhs());
  for (mlir::Value operand : operands)
    if (View other = view(operand, frame);
        other.sizes.size() > 2 && ArrayRef<int64_t>(other.sizes).drop_back(2) != leading)
      return op.emitOpError() << "multiplies other numbers of matrices than the " << count(leading)
                              << " of the destination";
  Shape number(leading.size(), 0);
  for (int64_t i = 0, n = count(leading); i < n; ++i) {
    int64_t rest = i;
    for (size_t dim = leading.size(); dim-- > 0; rest /= leading[dim])
      number[dim] = rest % leading[dim];
    if (failed(executeProduct(op, number, frame)))
      return failure();
  }
  return success();
}

LogicalResult Interpreter::executeProduct(MatmulOp op, ArrayRef<int64_t> number, Frame &frame) {
  View left = matrixOf(view(op.getLhs(), frame), number), into = matrixOf(view(op.getDestination(), frame), number);
  // Rows behind those in use are neither read nor written.
  FailureOr<int64_t> rows = rowsInUse(op, number, into.sizes[0], frame);
  if (failed(rows))
    return failure();
  std::vector<Buffer> &buffers = memory[frame.rank];
  if (*rows < into.sizes[0] && !buffers[left.slot].unwritten.empty())
    buffers[left.slot].passedOver = true;
  left.sizes[op.getLhsTransposed() ? 1 : 0] -= into.sizes[0] - *rows;
  into.sizes[0] = *rows;
  Elements lhs = loadWhole(buffers[left.slot], left);
  if (op.getLhsTransposed())
    lhs = transpose(lhs, {1, 0});
  Format accumulator = accumulatorOf(lhs.format, op.getContext());
  SmallVector<Elements> products;
  for (auto [operand, transposed] : llvm::zip(op.getRhs(), op.getTransposed())) {
    View right = matrixOf(view(operand, frame), number);
    int64_t depth = right.sizes[transposed ? 1 : 0], columns = right.sizes[transposed ? 0 : 1];
    if (depth != lhs.shape[1] || lhs.shape[0] != into.sizes[0] || columns != into.sizes[1])
      return op.emitOpError() << "multiplies " << lhs.shape[0] << "x" << lhs.shape[1] << " with " << depth << "x"
                              << columns << " into " << into.sizes[0] << "x" << into.sizes[1];
    products.push_back(
        dot(lhs, loadWhole(buffers[right.slot], right), nullptr, transposed, accumulator, accumulation(op)));
  }
  if (!op.getEpilogue().empty())
    return executeEpilogue(op, products, number, into, frame);
  Buffer &destination = buffers[into.slot];
  if (!accumulator.isFloat)
    for (int64_t &element : products[0].whole)
      element = destination.format.wrap(element);
  store(destination, into, {0, 0}, products[0].shape, products[0]);
  return success();
}

/// The shape of the tiles the epilogue sees. It is no part of the meaning, but must be the one that shapes in the
/// epilogue are written for: `tiles`, else a static argument's, else the first two-dimensional shape in it, else 64
/// x 64.
FailureOr<Shape> Interpreter::epilogueTile(MatmulOp op) {
  if (op.getTiles()) {
    FailureOr<Shape> shape = tileShape(*op.getTiles(), op);
    if (succeeded(shape))
      shape->pop_back();
    return shape;
  }
  auto argument = cast<RankedTensorType>(epilogueTiles(op).front().getType());
  if (argument.hasStaticShape())
    return Shape(argument.getShape());
  for (Operation &inner : op.getEpilogue().front())
    if (auto shaped = dyn_cast<tile::ShapedOpInterface>(inner); shaped && shaped.getTileAttr().size() == 2)
      return tileShape(shaped.getTileAttr(), &inner);
  return Shape{64, 64};
}

/// A tile cut out of a product, zero beyond its edges, as a product of masked loads is.
static Elements cut(const Elements &product, int64_t row, int64_t column, ArrayRef<int64_t> shape) {
  Elements tile(product.format, shape);
  for (int64_t i = 0; i < std::min(shape[0], product.shape[0] - row); ++i)
    for (int64_t j = 0; j < std::min(shape[1], product.shape[1] - column); ++j)
      tile.copy(i * shape[1] + j, product, (row + i) * product.shape[1] + column + j);
  return tile;
}

LogicalResult Interpreter::executeEpilogue(MatmulOp op, ArrayRef<Elements> products, ArrayRef<int64_t> number,
                                           const View &destination, Frame &frame) {
  FailureOr<Shape> shape = epilogueTile(op);
  if (failed(shape))
    return failure();
  Block &block = op.getEpilogue().front();
  auto yield = cast<YieldOp>(block.getTerminator());
  for (int64_t row = 0; row < destination.sizes[0]; row += (*shape)[0])
    for (int64_t column = 0; column < destination.sizes[1]; column += (*shape)[1]) {
      Shape place(number.begin(), number.end());
      place.append({row, column});
      for (auto [argument, offset] : llvm::zip(block.getArguments(), place))
        set(argument, Elements::index(offset), frame);
      for (auto [argument, product] : llvm::zip(epilogueTiles(op), products))
        set(argument, cut(product, row, column, *shape), frame);
      if (failed(executeBlock(block, frame)))
        return failure();
      SharedElements result = tile(yield.getValue(), frame);
      if (result->shape != *shape)
        return yield.emitOpError() << "yields a tile of another shape than the epilogue takes";
      store(memory[frame.rank][destination.slot], destination, {row, column}, *shape, *result);
    }
  return success();
}
