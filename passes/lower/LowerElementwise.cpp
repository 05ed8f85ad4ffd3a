// `lower`: elementwise arithmetic as loops over registers, chains fused into one loop as a person would write them.
#include "passes/lower/Lower.h"

#include "mlir/Interfaces/CastInterfaces.h"

using namespace mlir;
using namespace tilec;

/// Whether the text computes on these operands in f32: the library has functions of f32, and no arithmetic of
/// eight-bit floats.
static bool computesWide(Operation *op, ArrayRef<Value> operands) {
  auto type = dyn_cast<FloatType>(operands.back().getType());
  if (!type || isa<CastOpInterface, arith::SelectOp>(op))
    return false;
  return type.getWidth() < (isa<math::MathDialect>(op->getDialect()) ? 32 : 16);
}

/// Narrower floats are widened before and rounded after.
static Value computeScalar(OpBuilder &builder, Location loc, Operation *op, ArrayRef<Value> operands, Type element) {
  bool wide = computesWide(op, operands);
  SmallVector<Value> arguments(operands);
  if (wide)
    for (Value &argument : arguments)
      argument = arith::ExtFOp::create(builder, loc, builder.getF32Type(), argument);
  bool rounds = wide && isa<FloatType>(element);
  Type type = rounds ? builder.getF32Type() : element;
  Value result = builder.create(loc, op->getName().getIdentifier(), arguments, type, op->getAttrs())->getResult(0);
  return rounds ? arith::TruncFOp::create(builder, loc, element, result).getResult() : result;
}

LogicalResult KernelLowering::lowerElementwise(Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!isa_and_nonnull<tile::LayoutAttr>(type.getEncoding()))
    return op->emitOpError() << "tile " << type << " has no layout";
  auto operands = valuesOf(op->getOperands());
  if (failed(operands))
    return failure();
  SmallVector<Value> tiles;
  for (Value operand : *operands)
    if (isa<RankedTensorType>(operand.getType()) && !operand.getDefiningOp<hip::SplatOp>() &&
        !llvm::is_contained(tiles, operand))
      tiles.push_back(operand);
  auto loop = hip::ElementwiseOp::create(builder, loc, type, tiles);
  Block &body = loop.getBody().emplaceBlock();
  OpBuilder inner = OpBuilder::atBlockEnd(&body);
  for (Value tile : tiles)
    body.addArgument(cast<RankedTensorType>(tile.getType()).getElementType(), tile.getLoc());
  SmallVector<Value> scalars;
  for (Value operand : *operands) {
    if (auto splat = operand.getDefiningOp<hip::SplatOp>())
      scalars.push_back(splat.getValue());
    else if (isa<RankedTensorType>(operand.getType()))
      scalars.push_back(body.getArgument(llvm::find(tiles, operand) - tiles.begin()));
    else
      scalars.push_back(operand);
  }
  hip::YieldOp::create(inner, loc, computeScalar(inner, loc, op, scalars, type.getElementType()));
  mapping.map(op->getResult(0), loop.getResult());
  return success();
}

/// Moves the computation of `producer` into `consumer`, its only user.
static hip::ElementwiseOp fuse(hip::ElementwiseOp producer, hip::ElementwiseOp consumer) {
  OpBuilder builder(consumer);
  SmallVector<Value> tiles;
  auto place = [&](Value tile) {
    auto *it = llvm::find(tiles, tile);
    if (it == tiles.end())
      tiles.push_back(tile);
    return std::distance(tiles.begin(), llvm::find(tiles, tile));
  };
  for (Value operand : producer.getOperands())
    place(operand);
  for (Value operand : consumer.getOperands())
    if (operand != producer.getResult())
      place(operand);
  auto fused = hip::ElementwiseOp::create(builder, consumer.getLoc(), consumer.getType(), tiles);
  Block &body = fused.getBody().emplaceBlock();
  for (Value tile : tiles)
    body.addArgument(cast<RankedTensorType>(tile.getType()).getElementType(), tile.getLoc());
  OpBuilder inner = OpBuilder::atBlockEnd(&body);
  IRMapping mapping;
  auto copyBody = [&](hip::ElementwiseOp from) {
    for (auto [operand, element] : llvm::zip(from.getOperands(), from.getBody().getArguments()))
      if (!mapping.contains(element))
        mapping.map(element, body.getArgument(place(operand)));
    for (Operation &op : from.getBody().front())
      if (from == consumer || !isa<hip::YieldOp>(op))
        inner.clone(op, mapping);
  };
  for (auto [operand, element] : llvm::zip(producer.getOperands(), producer.getBody().getArguments()))
    mapping.map(element, body.getArgument(place(operand)));
  copyBody(producer);
  Value value = mapping.lookupOrDefault(cast<hip::YieldOp>(producer.getBody().front().getTerminator()).getValue());
  for (auto [operand, element] : llvm::zip(consumer.getOperands(), consumer.getBody().getArguments()))
    if (operand == producer.getResult())
      mapping.map(element, value);
  copyBody(consumer);
  consumer.replaceAllUsesWith(fused.getResult());
  consumer.erase();
  producer.erase();
  return fused;
}

void tilec::fuseElementwise(hip::KernelOp kernel) {
  SmallVector<hip::ElementwiseOp> loops;
  kernel.walk([&](hip::ElementwiseOp loop) { loops.push_back(loop); });
  for (hip::ElementwiseOp loop : loops) {
    for (bool changed = true; changed;) {
      changed = false;
      for (Value operand : loop.getOperands()) {
        auto producer = operand.getDefiningOp<hip::ElementwiseOp>();
        if (!producer || !producer.getResult().hasOneUse() || producer->getBlock() != loop->getBlock())
          continue;
        loop = fuse(producer, loop);
        changed = true;
        break;
      }
    }
  }
}
