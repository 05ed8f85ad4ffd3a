// `lower`: computation on tiles that is one call of the library, and renamings of registers.
#include "dialect/Combination.h"
#include "passes/lower/Lower.h"

using namespace mlir;
using namespace tilec;

/// The scalar that fills a tile; null where it is no constant.
static TypedAttr splatLiteral(Operation *op) {
  if (auto splat = dyn_cast<tile::SplatOp>(op))
    return splat.getLiteral().value_or(TypedAttr());
  auto dense = dyn_cast<DenseElementsAttr>(cast<arith::ConstantOp>(op).getValue());
  return dense && dense.isSplat() ? cast<TypedAttr>(dense.getSplatValue<Attribute>()) : TypedAttr();
}

namespace {
/// Elements side by side in row-major order, from `first` on, that are equal.
struct Run {
  int64_t first;
  TypedAttr value;
};
} // namespace

/// The value of the run that holds a place, by halving.
static Value valueAt(OpBuilder &builder, Location loc, Value place, ArrayRef<Run> runs) {
  if (runs.size() == 1)
    return arith::ConstantOp::create(builder, loc, runs.front().value);
  size_t half = runs.size() / 2;
  Value bound = arith::ConstantIntOp::create(builder, loc, runs[half].first, 32);
  Value before = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, place, bound);
  Value low = valueAt(builder, loc, place, runs.take_front(half));
  return arith::SelectOp::create(builder, loc, before, low, valueAt(builder, loc, place, runs.drop_front(half)));
}

/// Different constants: every thread finds those of its elements by their place in the tile.
LogicalResult KernelLowering::lowerTable(arith::ConstantOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  SmallVector<Run> runs;
  for (auto [place, value] : llvm::enumerate(cast<DenseElementsAttr>(op.getValue()).getValues<Attribute>()))
    if (runs.empty() || runs.back().value != value)
      runs.push_back({static_cast<int64_t>(place), cast<TypedAttr>(value)});
  SmallVector<Value> coordinates;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    coordinates.push_back(
        hip::IotaOp::create(builder, loc, type.clone(builder.getI32Type()), builder.getI64IntegerAttr(dim)));
  auto table = hip::ElementwiseOp::create(builder, loc, type, coordinates);
  Block &body = table.getBody().emplaceBlock();
  OpBuilder inner = OpBuilder::atBlockEnd(&body);
  Value place;
  constexpr auto noWrap = arith::IntegerOverflowFlags::nsw;
  for (int64_t size : type.getShape()) {
    Value coordinate = body.addArgument(inner.getI32Type(), loc);
    if (place)
      place = arith::MulIOp::create(inner, loc, place, arith::ConstantIntOp::create(inner, loc, size, 32), noWrap);
    place = place ? arith::AddIOp::create(inner, loc, place, coordinate, noWrap).getResult() : coordinate;
  }
  hip::YieldOp::create(inner, loc, valueAt(inner, loc, place, runs));
  mapping.map(op.getResult(), table.getResult());
  return success();
}

LogicalResult KernelLowering::lowerDot(tile::DotOp dot) {
  auto operands = valuesOf(dot->getOperands());
  if (failed(operands))
    return failure();
  Value a = (*operands)[0], b = (*operands)[1], acc = (*operands)[2], product;
  if (StringAttr instruction = dot.getInstructionAttr())
    product = hip::MmaOp::create(builder, loc, dot.getType(), a, b, acc, instruction, dot.getTranspose(),
                                 dot.getLhsTransposed());
  else
    product = hip::DotOp::create(builder, loc, dot.getType(), a, b, acc, dot.getTranspose(), dot.getLhsTransposed());
  mapping.map(dot.getResult(), product);
  return success();
}

FailureOr<Value> KernelLowering::scratchFor(Operation *op) {
  Value scratch = tile::scratchOf(op);
  return scratch ? sharedTile(op, scratch, Value()) : FailureOr<Value>(Value());
}

LogicalResult KernelLowering::lowerScan(tile::ScanOp scan) {
  Value operand = valueOf(scan.getOperand());
  FailureOr<Value> scratch = scratchFor(scan);
  if (!operand || failed(scratch))
    return failure();
  mapping.map(scan.getResult(), hip::ScanOp::create(builder, loc, scan.getType(), operand, *scratch,
                                                    builder.getI64IntegerAttr(scan.getDim()),
                                                    tile::ReductionAttr::get(builder.getContext(), scan.getKind()),
                                                    scan.getExclusiveAttr())
                                    .getResult());
  return success();
}

LogicalResult KernelLowering::lowerReduce(tile::ReduceOp reduce) {
  Value operand = valueOf(reduce.getOperand());
  FailureOr<Value> scratch = scratchFor(reduce);
  if (!operand || failed(scratch))
    return failure();
  mapping.map(reduce.getResult(),
              hip::ReduceOp::create(builder, loc, reduce.getType(), operand, *scratch,
                                    builder.getI64IntegerAttr(reduce.getDim()),
                                    tile::ReductionAttr::get(builder.getContext(), reduce.getKind()))
                  .getResult());
  return success();
}

/// Transpositions and reshapes keep every element where it is when the bases of the layouts correspond; `layout`
/// converts before where they do not.
LogicalResult KernelLowering::lowerRename(Operation *op) {
  auto from = cast<RankedTensorType>(op->getOperand(0).getType()),
       to = cast<RankedTensorType>(op->getResult(0).getType());
  auto transpose = dyn_cast<tile::TransposeOp>(op);
  auto source = dyn_cast_or_null<tile::LayoutAttr>(from.getEncoding()),
       result = dyn_cast_or_null<tile::LayoutAttr>(to.getEncoding());
  if (!source || !result)
    return op->emitOpError() << "tile " << (source ? to : from) << " has no layout";
  auto corresponds = [&](ArrayRef<int32_t> a, ArrayRef<int32_t> b) {
    if (a.size() / from.getRank() != b.size() / to.getRank())
      return false;
    for (size_t basis = 0; basis < a.size() / from.getRank(); ++basis) {
      ArrayRef<int32_t> before = a.slice(basis * from.getRank(), from.getRank()),
                        after = b.slice(basis * to.getRank(), to.getRank());
      int64_t place = 0, moved = 0;
      for (auto [c, size] : llvm::zip(before, from.getShape()))
        place = place * size + c;
      for (auto [c, size] : llvm::zip(after, to.getShape()))
        moved = moved * size + c;
      if (!transpose && place != moved)
        return false;
      for (int64_t d = 0; transpose && d < to.getRank(); ++d)
        if (after[d] != before[transpose.getPermutation()[d]])
          return false;
    }
    return true;
  };
  if (!corresponds(source.getRegisters(), result.getRegisters()) ||
      !corresponds(source.getLanes(), result.getLanes()) || !corresponds(source.getWaves(), result.getWaves()))
    return op->emitOpError() << "moves elements between threads: got " << from << " to " << to
                             << ", expected layouts that correspond";
  return lowerRelabel(op);
}

/// Every thread keeps its registers.
LogicalResult KernelLowering::lowerRelabel(Operation *op) {
  auto from = cast<RankedTensorType>(op->getOperand(0).getType()),
       to = cast<RankedTensorType>(op->getResult(0).getType());
  Value operand = valueOf(op->getOperand(0));
  if (!operand)
    return failure();
  auto rename = hip::ElementwiseOp::create(builder, loc, to, operand);
  Block &body = rename.getBody().emplaceBlock();
  OpBuilder inner = OpBuilder::atBlockEnd(&body);
  hip::YieldOp::create(inner, loc, body.addArgument(from.getElementType(), loc));
  mapping.map(op->getResult(0), rename.getResult());
  return success();
}

/// The number of a part is known where a step is compiled.
LogicalResult KernelLowering::lowerPart(Operation *op) {
  auto taken = dyn_cast<tile::PartOp>(op);
  auto put = dyn_cast<tile::WithPartOp>(op);
  Value whole = valueOf(op->getOperand(0)), index = valueOf(op->getOperand(1)), part;
  if (put && !(part = valueOf(put.getPart())))
    return failure();
  if (!whole || !index)
    return failure();
  auto parts = static_cast<int64_t>(taken ? taken.getParts() : put.getParts());
  Value number = builder.createOrFold<arith::RemSIOp>(loc, index, constant(parts));
  mapping.map(op->getResult(0),
              taken ? hip::PartOp::create(builder, loc, taken.getType(), whole, number).getResult()
                    : hip::WithPartOp::create(builder, loc, put.getType(), whole, number, part).getResult());
  return success();
}

LogicalResult KernelLowering::lowerCompute(Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!isa_and_nonnull<tile::LayoutAttr>(type.getEncoding()))
    return op->emitOpError() << "tile " << type << " has no layout";
  if (auto dot = dyn_cast<tile::DotOp>(op))
    return lowerDot(dot);
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return lowerReduce(reduce);
  if (auto scan = dyn_cast<tile::ScanOp>(op))
    return lowerScan(scan);
  if (isa<tile::TransposeOp, tile::ReshapeOp>(op))
    return lowerRename(op);
  if (isa<tile::RelabelOp>(op))
    return lowerRelabel(op);
  if (isa<tile::PartOp, tile::WithPartOp>(op))
    return lowerPart(op);
  if (isa<tile::SplatOp, arith::ConstantOp>(op)) {
    Value value;
    if (TypedAttr literal = splatLiteral(op))
      value = arith::ConstantOp::create(builder, loc, literal);
    else if (op->getNumOperands() == 1)
      value = valueOf(op->getOperand(0));
    else
      return lowerTable(cast<arith::ConstantOp>(op));
    if (!value)
      return failure();
    mapping.map(op->getResult(0), hip::SplatOp::create(builder, loc, type, value).getResult());
    return success();
  }
  if (auto iota = dyn_cast<tile::IotaOp>(op)) {
    mapping.map(iota.getResult(),
                hip::IotaOp::create(builder, loc, type, builder.getI64IntegerAttr(iota.getDim())).getResult());
    return success();
  }
  if (auto convert = dyn_cast<tile::ConvertOp>(op)) {
    // `stage` leaves a renaming of registers, which is a broadcast along no dimension.
    Value operand = valueOf(convert.getOperand());
    if (!operand)
      return failure();
    mapping.map(convert.getResult(),
                hip::BroadcastOp::create(builder, loc, type, operand, ArrayRef<int64_t>()).getResult());
    return success();
  }
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
    Value operand = valueOf(broadcast.getOperand());
    if (!operand)
      return failure();
    // The library names the dimensions that are new, the dialect those that are old.
    SmallVector<int64_t> added;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (!llvm::is_contained(broadcast.getDims(), d))
        added.push_back(d);
    mapping.map(broadcast.getResult(), hip::BroadcastOp::create(builder, loc, type, operand, added).getResult());
    return success();
  }
  return op->emitOpError() << "is not known to 'lower'";
}
