// Turns reductions that say where an element is into reductions. Part of `expand`.
#include "passes/expand/Expansion.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// The elements that equal the extremum of their line; a NaN equals the NaN that it makes of it.
static Value isExtremum(OpBuilder &builder, Location loc, Value operand, Value extremum) {
  if (!isa<FloatType>(cast<RankedTensorType>(operand.getType()).getElementType()))
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, operand, extremum);
  Value equal = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, operand, extremum);
  Value isNaN = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, operand, operand);
  return arith::OrIOp::create(builder, loc, equal, isNaN);
}

void tilec::expandArgReduce(ArgReduceOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  RankedTensorType type = op.getOperand().getType(), places = type.clone(builder.getI32Type());
  auto dim = static_cast<int64_t>(op.getDim());
  SmallVector<int64_t> kept;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (d != dim)
      kept.push_back(d);
  ArrayAttr tile = builder.getI64ArrayAttr(type.getShape());
  Value extremum = ReduceOp::create(builder, loc, op.getValue().getType(), op.getKind(), op.getOperand(), dim);
  Value along = BroadcastOp::create(builder, loc, type, extremum, kept, tile);
  Location named = NameLoc::get(builder.getStringAttr("place"), op.getLoc());
  Value numbers = IotaOp::create(builder, named, places, builder.getI64IntegerAttr(dim), tile);
  Value behind =
      SplatOp::create(builder, named, places, /*operand=*/Value(),
                      cast<TypedAttr>(builder.getI32IntegerAttr(static_cast<int32_t>(type.getDimSize(dim)))), tile);
  Value candidates =
      arith::SelectOp::create(builder, named, isExtremum(builder, loc, op.getOperand(), along), numbers, behind);
  Value first = ReduceOp::create(builder, named, op.getPlace().getType(), Reduction::Minimum, candidates, dim);
  op.replaceAllUsesWith(ValueRange{extremum, first});
  op.erase();
}
