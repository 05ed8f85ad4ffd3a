// Finds sums over columns that several lanes hold, and splits their columns into those of a lane and those of others.
#include "passes/schedule/LateSums.h"

#include "dialect/Tile.h"
#include "passes/analysis/LayoutConversion.h"
#include "passes/schedule/Ring.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::schedule;

namespace {

/// One of the values that the loop carries.
struct LateSum {
  unsigned position;
  ReduceOp step;         ///< sums of a step's rows
  arith::MulFOp scaling; ///< of what was carried, by rows; null where there is none
  arith::AddFOp adding;  ///< what the step hands on
  SmallVector<int64_t> split;
};

/// Rows by groups of columns, lanes, and columns of a group that a lane has, where lanes lie so: else nothing.
SmallVector<int64_t> splitOf(RankedTensorType tile) {
  std::optional<LinearLayout> layout = layoutOf(tile);
  if (!layout || tile.getRank() != 2 || !llvm::isPowerOf2_64(static_cast<uint64_t>(tile.getDimSize(1))))
    return {};
  int64_t lanes = 0, columns = tile.getDimSize(1);
  for (const LinearLayout::Point &basis : layout->bases(LinearLayout::kLane)) {
    if (basis[1] != 0 && basis[0] != 0)
      return {};
    lanes |= basis[1];
  }
  for (const LinearLayout::Point &basis : layout->bases(LinearLayout::kRegister))
    if ((basis[1] & lanes) || (basis[1] != 0 && basis[0] != 0))
      return {};
  for (const LinearLayout::Point &basis : layout->bases(LinearLayout::kWave))
    if (basis[1] != 0)
      return {};
  int64_t own = lanes & -lanes, count = lanes == 0 ? 1 : lanes / own + 1;
  if (count == 1 || !llvm::isPowerOf2_64(count))
    return {};
  return {tile.getDimSize(0), columns / (own * count), count, own};
}

/// As `tile.reduce` leaves them.
RankedTensorType reducedType(RankedTensorType type, unsigned dim) {
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  return withLayout(RankedTensorType::get(shape, type.getElementType()),
                    layoutOf(type)->slice(dim).withoutZeroBases(LinearLayout::kRegister));
}

RankedTensorType splitType(LateSum &sum) {
  auto tile = cast<RankedTensorType>(sum.step.getOperand().getType());
  return withLayout(RankedTensorType::get(sum.split, tile.getElementType()), layoutOf(tile)->reshape(sum.split));
}

/// Of the sums that lanes have.
RankedTensorType lanesType(LateSum &sum) { return reducedType(reducedType(splitType(sum), 3), 1); }

bool isZeroSplat(Value value) {
  auto splat = value.getDefiningOp<SplatOp>();
  auto literal = splat ? dyn_cast_or_null<FloatAttr>(splat.getLiteral().value_or(TypedAttr())) : FloatAttr();
  return literal && literal.getValue().isPosZero();
}

std::optional<LateSum> match(scf::ForOp loop, unsigned position) {
  BlockArgument carried = loop.getRegionIterArg(position);
  LateSum sum{position, {}, {}, loop.getYieldedValues()[position].getDefiningOp<arith::AddFOp>(), {}};
  if (!sum.adding || sum.adding->getBlock() != loop.getBody() || !sum.adding->hasOneUse() || !carried.hasOneUse() ||
      !isZeroSplat(loop.getInitArgs()[position]))
    return std::nullopt;
  for (auto [one, other] :
       {std::pair(sum.adding.getLhs(), sum.adding.getRhs()), std::pair(sum.adding.getRhs(), sum.adding.getLhs())}) {
    sum.step = other.getDefiningOp<ReduceOp>();
    sum.scaling = one.getDefiningOp<arith::MulFOp>();
    bool isScaled =
        sum.scaling && sum.scaling->hasOneUse() && llvm::is_contained(sum.scaling->getOperands(), Value(carried));
    if (!sum.step || !(isScaled || one == carried))
      continue;
    if (!sum.step->hasOneUse() || sum.step.getScratch() || sum.step.getKind() != Reduction::Add ||
        sum.step.getDim() != 1 || sum.step->getBlock() != loop.getBody())
      return std::nullopt;
    sum.split = splitOf(cast<RankedTensorType>(sum.step.getOperand().getType()));
    // Factors of rows lie where the sums of the rows do.
    if (sum.split.empty() || reducedType(lanesType(sum), 1) != carried.getType())
      return std::nullopt;
    return sum;
  }
  return std::nullopt;
}

/// What lanes add up in a step, behind what they had.
Value addOwn(OpBuilder &builder, LateSum &sum, Value carried, IRMapping &mapping) {
  Location loc = sum.step.getLoc(), place = unnamed(loc);
  RankedTensorType split = splitType(sum), own = reducedType(split, 3);
  Value tile = ReshapeOp::create(builder, named("grouped", place), split,
                                 mapping.lookupOrDefault(sum.step.getOperand()), builder.getI64ArrayAttr(sum.split));
  Value inGroups = ReduceOp::create(builder, named("of_groups", place), own, Reduction::Add, tile, /*dim=*/3);
  Value here = ReduceOp::create(builder, loc, lanesType(sum), Reduction::Add, inGroups, /*dim=*/1);
  if (sum.scaling) {
    bool isLeft = sum.scaling.getLhs() == Value(sum.step->getParentOfType<scf::ForOp>().getRegionIterArg(sum.position));
    Value factor = mapping.lookupOrDefault(isLeft ? sum.scaling.getRhs() : sum.scaling.getLhs());
    Value spread = BroadcastOp::create(builder, named("of_lanes", place), lanesType(sum), factor, ArrayRef<int64_t>{0},
                                       builder.getI64ArrayAttr(lanesType(sum).getShape()));
    carried = arith::MulFOp::create(builder, sum.scaling.getLoc(), carried, spread);
  }
  return arith::AddFOp::create(builder, sum.adding.getLoc(), carried, here);
}

void fillBody(scf::ForOp loop, scf::ForOp made, MutableArrayRef<LateSum> sums) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), made.getInductionVar());
  for (auto [argument, mine] : llvm::zip(loop.getRegionIterArgs(), made.getRegionIterArgs())) {
    mine.setLoc(argument.getLoc());
    mapping.map(argument, mine);
  }
  made.getInductionVar().setLoc(loop.getInductionVar().getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(made.getBody());
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto sum = llvm::find_if(sums, [&](LateSum &other) { return other.adding == &op; });
    bool isReplaced = llvm::any_of(sums, [&](LateSum &other) { return other.step == &op || other.scaling == &op; });
    if (sum != sums.end())
      mapping.map(op.getResult(0), addOwn(builder, *sum, made.getRegionIterArg(sum->position), mapping));
    else if (!isReplaced)
      builder.clone(op, mapping);
  }
  SmallVector<Value> results =
      llvm::map_to_vector(loop.getYieldedValues(), [&](Value value) { return mapping.lookupOrDefault(value); });
  scf::YieldOp::create(builder, loop.getBody()->getTerminator()->getLoc(), results);
}

} // namespace

scf::ForOp schedule::sumLanesLate(scf::ForOp loop) {
  SmallVector<LateSum> sums;
  for (unsigned position = 0; position < loop.getNumRegionIterArgs(); ++position)
    if (std::optional<LateSum> sum = match(loop, position))
      sums.push_back(*sum);
  if (sums.empty())
    return {};
  OpBuilder builder(loop);
  SmallVector<Value> inits(loop.getInitArgs());
  for (LateSum &sum : sums)
    inits[sum.position] = SplatOp::create(builder, inits[sum.position].getLoc(), lanesType(sum), /*operand=*/Value(),
                                          cast<TypedAttr>(builder.getZeroAttr(lanesType(sum).getElementType())),
                                          builder.getI64ArrayAttr(lanesType(sum).getShape()));
  auto made = scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(), loop.getStep(),
                                 inits, [](OpBuilder &, Location, Value, ValueRange) {});
  fillBody(loop, made, sums);
  SmallVector<Value> results(made.getResults());
  for (LateSum &sum : sums)
    results[sum.position] =
        ReduceOp::create(builder, named("row_sums", unnamed(loop.getLoc())), loop.getResult(sum.position).getType(),
                         Reduction::Add, made.getResult(sum.position), /*dim=*/1);
  loop.replaceAllUsesWith(results);
  loop.erase();
  return made;
}
