// The formulas of tilec/order.h once more, as code of the checker.
#include "passes/checker/OrderCode.h"

#include "dialect/Hip.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

uint32_t OrderCompiler::remapXcd(uint32_t task, uint32_t count, uint32_t xcds) {
  uint32_t xcd = binary(Code::RemSigned, task, xcds), share = binary(Code::DivSigned, count, xcds);
  uint32_t more = binary(Code::Min, xcd, binary(Code::RemSigned, count, xcds));
  uint32_t start = binary(Code::Add, binary(Code::Mul, xcd, share), more);
  return binary(Code::Add, start, binary(Code::DivSigned, task, xcds));
}

/// The formulas of tilec/order.h.
uint32_t OrderCompiler::chunked(uint32_t task, uint32_t count, uint32_t xcds, uint32_t chunk) {
  uint32_t round = binary(Code::Mul, xcds, chunk);
  uint32_t full = binary(Code::Mul, binary(Code::DivSigned, count, round), round);
  uint32_t rest =
      binary(Code::Add, full, remapXcd(binary(Code::Sub, task, full), binary(Code::Sub, count, full), xcds));
  uint32_t xcd = binary(Code::RemSigned, task, xcds), mine = binary(Code::DivSigned, task, xcds);
  uint32_t inside = binary(Code::Add, binary(Code::Mul, binary(Code::DivSigned, mine, chunk), round),
                           binary(Code::Add, binary(Code::Mul, xcd, chunk), binary(Code::RemSigned, mine, chunk)));
  return emit(Code::Select, inside, rest, binary(Code::Less, task, full));
}

Slots OrderCompiler::delinearize(uint32_t task, ArrayRef<uint32_t> extents) {
  Slots result(extents.size());
  for (size_t dim = extents.size(); --dim > 0;) {
    result[dim] = binary(Code::RemSigned, task, extents[dim]);
    task = binary(Code::DivSigned, task, extents[dim]);
  }
  result[0] = task;
  return result;
}

Slots OrderCompiler::grouped(uint32_t task, ArrayRef<uint32_t> extents, uint32_t height) {
  uint32_t window = binary(Code::Mul, height, extents[1]);
  uint32_t first = binary(Code::Mul, binary(Code::DivSigned, task, window), height);
  uint32_t local = binary(Code::RemSigned, task, window);
  uint32_t tall = binary(Code::Min, binary(Code::Sub, extents[0], first), height);
  return {binary(Code::Add, first, binary(Code::RemSigned, local, tall)), binary(Code::DivSigned, local, tall)};
}

bool OrderCompiler::isOrder(Operation *op) {
  return isa<hip::RemapXcdOp, hip::ChunkedOp, hip::GroupedOp, hip::RotateOp, hip::DelinearizeOp, hip::CoordinateOp>(op);
}

LogicalResult OrderCompiler::compileOrder(Operation *op) {
  if (auto coordinate = dyn_cast<hip::CoordinateOp>(op)) {
    slots[coordinate] = coordinates[coordinate.getCoordinates()][coordinate.getDim()];
    return success();
  }
  FailureOr<Slots> list = slotList(op, op->getOperands(), "task");
  if (failed(list))
    return failure();
  Value result = op->getResult(0);
  ArrayRef<uint32_t> in = *list;
  if (auto remap = dyn_cast<hip::RemapXcdOp>(op))
    slots[result] = remapXcd(in[0], in[1], constant(remap.getChiplets()));
  else if (auto chunks = dyn_cast<hip::ChunkedOp>(op))
    slots[result] = chunked(in[0], in[1], constant(chunks.getChiplets()), constant(chunks.getChunk()));
  else if (isa<hip::RotateOp>(op))
    slots[result] = binary(Code::FloorMod, binary(Code::Add, in[0], in[2]), in[1]);
  else if (auto windows = dyn_cast<hip::GroupedOp>(op))
    coordinates[result] = grouped(in[0], in.drop_front(), constant(windows.getHeight()));
  else
    coordinates[result] = delinearize(in[0], in.drop_front());
  return success();
}
