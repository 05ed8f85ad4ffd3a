// Views of buffers.
#include "passes/interpreter/Interpreter.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::interpreter;

View Interpreter::view(mlir::Value value, const Frame &frame) {
  auto it = frame.views.find(value);
  assert(it != frame.views.end() && "a program has no buffers but arguments, allocs and views of them");
  return it->second;
}

LogicalResult Interpreter::executeView(Operation &op, Frame &frame) {
  if (auto subview = dyn_cast<memref::SubViewOp>(op))
    return executeSubview(subview, frame);
  auto dim = cast<memref::DimOp>(op);
  View source = view(dim.getSource(), frame);
  FailureOr<int64_t> at = index(dim.getIndex(), frame, &op);
  if (failed(at))
    return failure();
  if (*at < 0 || *at >= static_cast<int64_t>(source.sizes.size()))
    return op.emitOpError() << "dimension " << *at << " of a buffer of rank " << source.sizes.size();
  set(dim.getResult(), Elements::index(source.sizes[*at]), frame);
  return success();
}

LogicalResult Interpreter::executeSubview(memref::SubViewOp op, Frame &frame) {
  View source = view(op.getSource(), frame);
  auto resolve = [&](OpFoldResult value) -> FailureOr<int64_t> {
    if (auto attribute = dyn_cast<Attribute>(value))
      return cast<IntegerAttr>(attribute).getInt();
    return index(cast<mlir::Value>(value), frame, op);
  };
  View result;
  result.slot = source.slot;
  result.offset = source.offset;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (auto [d, mixedOffset, mixedSize, mixedStride] :
       llvm::enumerate(op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides())) {
    FailureOr<int64_t> offset = resolve(mixedOffset), size = resolve(mixedSize), stride = resolve(mixedStride);
    if (failed(offset) || failed(size) || failed(stride))
      return failure();
    bool fits =
        *offset >= 0 && *size >= 0 && *stride >= 1 && (*size == 0 || *offset + (*size - 1) * *stride < source.sizes[d]);
    if (!fits)
      return op.emitOpError() << "takes " << *size << " elements from " << *offset << " with stride " << *stride
                              << " of dimension " << d << ", which has " << source.sizes[d];
    result.offset += *offset * source.strides[d];
    if (dropped.test(d))
      continue;
    result.sizes.push_back(*size);
    result.strides.push_back(*stride * source.strides[d]);
  }
  frame.views[op.getResult()] = result;
  return success();
}
