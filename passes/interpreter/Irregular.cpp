// Accesses whose elements along one dimension are named by data: one slice of the tile for each index.
#include "passes/interpreter/Agents.h"
#include "passes/interpreter/Interpreter.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::interpreter;

/// The indices, in the order of the slices. Which elements are touched must not depend on how a float was rounded.
FailureOr<SmallVector<int64_t>> Interpreter::namedElements(AccessOpInterface op, Frame &frame) {
  SharedElements list = tile(op.getAccessIndices()[*op.getEachDim()], frame);
  for (int64_t i = 0, n = list->size(); i < n; ++i)
    if (list->errorAt(i) != 0)
      return op->emitOpError() << "depends on an integer that rounding may change";
  return llvm::to_vector(list->whole);
}

namespace {

/// The slices of a tile along dimension `dim` of its buffer.
struct Slices {
  Shape shape; ///< of one
  int64_t outer = 1, inner = 1, count = 0;

  Slices(const View &view, ArrayRef<int64_t> tile, unsigned dim) {
    shape.assign(view.sizes.size() - tile.size(), 1);
    shape.append(tile.begin(), tile.end());
    count = shape[dim];
    for (auto [d, size] : llvm::enumerate(shape))
      if (d != dim)
        (d < dim ? outer : inner) *= size;
    shape[dim] = 1;
  }

  /// Calls `visit(element of the tile, element of slice i)`.
  template <class Visit>
  void forEach(int64_t i, Visit visit) const {
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t e = 0; e < inner; ++e)
        visit((o * count + i) * inner + e, o * inner + e);
  }
};

} // namespace

LogicalResult Interpreter::executeGather(GatherOp op, Frame &frame) {
  auto access = cast<AccessOpInterface>(op.getOperation());
  View where = view(op.getBuffer(), frame);
  FailureOr<int64_t> rank = accessedRank(access, frame);
  FailureOr<Shape> sizes = tileShape(op.getTile(), op);
  FailureOr<SmallVector<int64_t>> named = namedElements(access, frame);
  if (failed(rank) || failed(sizes) || failed(named))
    return failure();
  auto each = static_cast<unsigned>(op.getEach());
  Slices slices(where, *sizes, each);
  FailureOr<Shape> first = firstElement(access, slices.shape, frame);
  if (failed(first))
    return failure();
  if (static_cast<int64_t>(named->size()) != slices.count)
    return op.emitOpError() << "has " << named->size() << " indices for dimension " << each << ", expected "
                            << slices.count << ", the size of the tile there";
  Buffer &buffer = memory[*rank][where.slot];
  if (agents)
    buffer.settle();
  SharedElements otherwise = op.getOtherwise() ? tile(op.getOtherwise(), frame) : SharedElements();
  Elements result(buffer.format, *sizes);
  for (auto [i, element] : llvm::enumerate(*named)) {
    (*first)[each] = element;
    Elements slice(buffer.format, slices.shape);
    load(buffer, where, *first, slices.shape, otherwise.get(), slice);
    slices.forEach(static_cast<int64_t>(i), [&](int64_t to, int64_t from) { result.copy(to, slice, from); });
  }
  set(op.getResult(), std::move(result), frame);
  return success();
}

LogicalResult Interpreter::executeScatter(ScatterOp op, Frame &frame) {
  auto access = cast<AccessOpInterface>(op.getOperation());
  View where = view(op.getBuffer(), frame);
  SharedElements value = tile(op.getValue(), frame);
  FailureOr<int64_t> rank = accessedRank(access, frame);
  FailureOr<SmallVector<int64_t>> named = namedElements(access, frame);
  if (failed(rank) || failed(named))
    return failure();
  auto each = static_cast<unsigned>(op.getEach());
  Slices slices(where, value->shape, each);
  FailureOr<Shape> first = firstElement(access, slices.shape, frame);
  if (failed(first))
    return failure();
  Buffer &buffer = memory[*rank][where.slot];
  if (agents)
    buffer.settle();
  std::vector<bool> &seen = scattered[{op, &buffer}];
  seen.resize(buffer.size());
  for (auto [i, element] : llvm::enumerate(*named)) {
    (*first)[each] = element;
    if (!noteElements(seen, where, *first, slices.shape))
      return op.emitOpError() << "writes element " << element << " of dimension " << each
                              << " a second time in one statement, expected indices that name each once";
    Elements slice(buffer.format, slices.shape);
    slices.forEach(static_cast<int64_t>(i), [&](int64_t from, int64_t to) { slice.copy(to, *value, from); });
    store(buffer, where, *first, slices.shape, slice);
  }
  return success();
}

/// A number that steers must not depend on how a float was rounded; outside of the view it is 0.
FailureOr<int64_t> Interpreter::readNumber(Operation *op, mlir::Value of, ArrayRef<int64_t> place, int64_t most,
                                           Frame &frame) {
  View where = view(of, frame);
  Buffer &buffer = memory[frame.rank][where.slot];
  if (agents)
    buffer.settle();
  Shape shape(place.size(), 1);
  Elements element(buffer.format, shape);
  load(buffer, where, place, shape, /*otherwise=*/nullptr, element);
  if (element.errorAt(0) != 0)
    return op->emitOpError() << "depends on an integer that rounding may change";
  return std::clamp<int64_t>(element.whole[0], 0, most);
}

LogicalResult Interpreter::executeRead(ReadOp op, Frame &frame) {
  auto access = cast<AccessOpInterface>(op.getOperation());
  FailureOr<Shape> first = firstElement(access, Shape(op.getIndices().size(), 1), frame);
  FailureOr<int64_t> most = index(op.getUpto(), frame, op);
  if (failed(first) || failed(most))
    return failure();
  if (*most < 0)
    return op.emitOpError() << "reads a number up to " << *most << ", expected 0 or more";
  // Without content, as much as there may be.
  if (countsOnly)
    return set(op.getResult(), Elements::index(*most), frame), success();
  FailureOr<int64_t> number = readNumber(op, op.getBuffer(), *first, *most, frame);
  if (failed(number))
    return failure();
  set(op.getResult(), Elements::index(*number), frame);
  return success();
}

LogicalResult Interpreter::executeClamp(ClampOp op, Frame &frame) {
  FailureOr<int64_t> most = index(op.getUpto(), frame, op);
  if (failed(most))
    return failure();
  if (*most < 0)
    return op.emitOpError() << "takes a number up to " << *most << ", expected 0 or more";
  // Without content, as much as there may be.
  FailureOr<int64_t> number = countsOnly ? most : index(op.getNumber(), frame, op);
  if (failed(number))
    return failure();
  set(op.getResult(), Elements::index(std::clamp<int64_t>(*number, 0, *most)), frame);
  return success();
}
