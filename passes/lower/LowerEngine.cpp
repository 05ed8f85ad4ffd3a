// `lower`: what the copy engine does beside a kernel. A function of the host, whose loops ask for copies.
#include "passes/lower/Lower.h"

#include "mlir/IR/Iterators.h"

using namespace mlir;
using namespace tilec;

/// Tasks one after the other, as the engine does them.
LogicalResult KernelLowering::lowerEngineTasks(tile::ForallOp forall) {
  FailureOr<SmallVector<Value>> grid = gridOf(forall);
  if (failed(grid))
    return failure();
  Value tasks;
  for (Value size : *grid)
    tasks = tasks ? builder.createOrFold<arith::MulIOp>(loc, tasks, size) : size;
  if (auto product = tasks.getDefiningOp<arith::MulIOp>())
    product->setLoc(named(loc, cast<tile::RoleOp>(forall->getParentOp()).getSymName() + "_tasks"));
  auto loop = scf::ForOp::create(builder, loc, constant(0), tasks, constant(1));
  loop.getInductionVar().setLoc(named(loc, "task"));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  return failure(failed(lowerOrder(forall, loop.getInductionVar(), tasks, *grid)) ||
                 failed(lowerBlock(forall.getBody().front())));
}

LogicalResult KernelLowering::lowerMove(tile::MoveOp op) {
  for (Value buffer : {op.getFrom(), op.getInto()})
    if (auto alloc = rootOf(buffer).getDefiningOp<tile::AllocOp>(); alloc && alloc.getCopies() > 1)
      return op.emitOpError() << "is of scratch with " << alloc.getCopies()
                              << " copies, which launches take in turn: expected one, as the engine is told of places "
                                 "when a launch is captured";
  Value parts = valueOf(op.getParts());
  if (!parts)
    return failure();
  FailureOr<Value> from = bufferView(op.getFrom(), {}), into = bufferView(op.getInto(), op.getTo());
  ArrayRef<int64_t> tile = op.getTile();
  SmallVector<Value> start;
  for (auto [index, size] : llvm::zip(op.getIndices(), tile))
    start.push_back(multiply(valueOf(index), size));
  Value columns = multiply(parts, tile.back());
  if (failed(from) || failed(into) || llvm::is_contained(start, Value()))
    return failure();
  auto sizeOf = [&](size_t fromLast) {
    return tile.size() > fromLast ? builder.getI64IntegerAttr(tile[tile.size() - 1 - fromLast]) : IntegerAttr();
  };
  hip::MoveOp::create(builder, loc, context, *from, start, columns, *into, /*planes=*/sizeOf(2), /*rows=*/sizeOf(1),
                      tile.back());
  return success();
}

LogicalResult KernelLowering::lowerTake(tile::TakeCountedOp op) {
  FailureOr<Value> grid = gridOf(op, op.getSignals());
  auto index = valuesOf(op.getIndices());
  Value count = valueOf(op.getCount());
  if (failed(grid) || failed(index) || !count)
    return failure();
  hip::TakeCountedOp::create(builder, loc, context, *grid, *index, count);
  return success();
}

FailureOr<hip::EngineOp> KernelLowering::runEngine() {
  createKernel(/*isCounted=*/false, /*advance=*/false);
  Operation *marker = &*entry.getInsertionPoint();
  LogicalResult result = success();
  for (tile::RoleOp role : source.getBody().getOps<tile::RoleOp>()) {
    loc = unnamed(role.getLoc());
    if (succeeded(result))
      result = lowerBlock(role.getBody().front());
  }
  marker->erase();
  if (failed(result)) {
    kernel.erase();
    return failure();
  }
  kernel.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
    if (op != kernel && isOpTriviallyDead(op))
      op->erase();
  });
  dropUnusedArguments(/*firstMap=*/0);
  StringRef name = kernel.getSymName();
  name.consume_back("_kernel");
  OpBuilder before(source);
  auto engine = hip::EngineOp::create(before, source.getLoc(), name, kernel.getSources());
  engine.getBody().takeBody(kernel.getBody());
  kernel.erase();
  return engine;
}
