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

/// side * (side + 1) / 2.
uint32_t OrderCompiler::triangle(uint32_t side) {
  return binary(Code::ShiftRight, binary(Code::Mul, side, binary(Code::Add, side, constant(1))), constant(1));
}

/// In the first corner, before the longest diagonals, and turned around in the last; between them all are as long.
Slots OrderCompiler::diagonal(uint32_t task, ArrayRef<uint32_t> extents) {
  uint32_t rows = extents[0], columns = extents[1], one = constant(1);
  uint32_t longest = binary(Code::Min, rows, columns), corner = triangle(binary(Code::Sub, longest, one));
  uint32_t back = binary(Code::Sub, binary(Code::Sub, binary(Code::Mul, rows, columns), one), task);
  uint32_t isFirst = binary(Code::Less, task, corner), isLast = binary(Code::Less, back, corner);
  uint32_t from = emit(Code::Select, task, back, isFirst), line = constant(0);
  for (int64_t bit = int64_t(1) << 15; bit; bit >>= 1) {
    uint32_t next = binary(Code::Add, line, constant(bit));
    line = emit(Code::Select, next, line, binary(Code::LessEqual, triangle(next), from));
  }
  uint32_t row = binary(Code::Sub, from, triangle(line)), column = binary(Code::Sub, line, row);
  auto turned = [&](uint32_t index, uint32_t extent) {
    return emit(Code::Select, index, binary(Code::Sub, binary(Code::Sub, extent, one), index), isFirst);
  };
  uint32_t between = binary(Code::Sub, task, corner);
  uint32_t middle = binary(Code::Add, binary(Code::Sub, longest, one), binary(Code::DivSigned, between, longest));
  uint32_t top = binary(Code::Max, constant(0), binary(Code::Sub, binary(Code::Add, middle, one), columns));
  uint32_t low = binary(Code::Add, top, binary(Code::RemSigned, between, longest));
  uint32_t isCorner = binary(Code::Or, isFirst, isLast);
  return {emit(Code::Select, turned(row, rows), low, isCorner),
          emit(Code::Select, turned(column, columns), binary(Code::Sub, middle, low), isCorner)};
}

bool OrderCompiler::isOrder(Operation *op) {
  return isa<hip::RemapXcdOp, hip::ChunkedOp, hip::GroupedOp, hip::DiagonalOp, hip::RotateOp, hip::DelinearizeOp,
             hip::CoordinateOp>(op);
}

/// Of an order, each extent against that of the tile loop. One below zero has no tasks, as none.
LogicalResult OrderCompiler::compileGrid(Operation *op, ArrayRef<uint32_t> extents) {
  auto grid = op->getAttrOfType<AffineMapAttr>("grid");
  if (!grid)
    return success();
  AffineMap sizes = grid.getValue();
  if (sizes.getNumResults() != extents.size() || sizes.getNumDims() != 0 ||
      sizes.getNumSymbols() != program.extents.size())
    return op->emitOpError() << "has a grid of " << sizes.getNumResults() << " sizes over " << sizes.getNumSymbols()
                             << " extents, expected " << extents.size() << " over the program's "
                             << program.extents.size();
  for (auto [extent, size] : llvm::zip(extents, sizes.getResults())) {
    uint32_t expected = binary(Code::Max, expression(size, program.extents), constant(0));
    code->push_back({Code::SizeGuard, 0, extent, expected, scalarOp(op)});
  }
  return success();
}

LogicalResult OrderCompiler::compileOrder(Operation *op) {
  if (auto coordinate = dyn_cast<hip::CoordinateOp>(op)) {
    const Slots &all = coordinates[coordinate.getCoordinates()];
    if (coordinate.getDim() >= all.size())
      return op->emitOpError() << "asks for coordinate " << coordinate.getDim() << " of " << all.size();
    slots[coordinate] = all[coordinate.getDim()];
    return success();
  }
  FailureOr<Slots> list = slotList(op, op->getOperands(), "task");
  if (failed(list))
    return failure();
  Value result = op->getResult(0);
  ArrayRef<uint32_t> in = *list;
  if (failed(compileGrid(op, in.drop_front())))
    return failure();
  if (auto remap = dyn_cast<hip::RemapXcdOp>(op))
    slots[result] = remapXcd(in[0], in[1], constant(remap.getChiplets()));
  else if (auto chunks = dyn_cast<hip::ChunkedOp>(op))
    slots[result] = chunked(in[0], in[1], constant(chunks.getChiplets()), constant(chunks.getChunk()));
  else if (isa<hip::RotateOp>(op))
    slots[result] = binary(Code::FloorMod, binary(Code::Add, in[0], in[2]), in[1]);
  else if (auto windows = dyn_cast<hip::GroupedOp>(op))
    coordinates[result] = grouped(in[0], in.drop_front(), constant(windows.getHeight()));
  else if (isa<hip::DiagonalOp>(op))
    coordinates[result] = diagonal(in[0], in.drop_front());
  else
    coordinates[result] = delinearize(in[0], in.drop_front());
  return success();
}
