// Ranges of integers in the text, as far as its operations show them.
#include "codegen/HipRanges.h"

using namespace mlir;
using namespace tilec;

namespace {
/// From `low` to `high`, both included.
struct Interval {
  __int128 low, high;

  bool fits(unsigned bits) const {
    __int128 end = static_cast<__int128>(1) << (bits - 1);
    return low >= -end && high < end;
  }
};
} // namespace

static constexpr int deepest = 8;
/// An index counts elements or tasks: it is far from the end of an int, and what adds the place in a tile to it stays
/// in one.
static constexpr int64_t indexEnd = 1 << 30;

static Interval rangeOf(Value value, int depth);

/// Coordinates in a tile, and elements of a loop over registers that makes them.
static std::optional<Interval> rangeOfElement(Value tile, int depth) {
  if (auto iota = tile.getDefiningOp<hip::IotaOp>())
    return Interval{0, cast<RankedTensorType>(iota.getType()).getDimSize(iota.getDim()) - 1};
  if (auto broadcast = tile.getDefiningOp<hip::BroadcastOp>(); broadcast && depth < deepest)
    return rangeOfElement(broadcast.getOperand(), depth + 1);
  if (auto splat = tile.getDefiningOp<hip::SplatOp>())
    return rangeOf(splat.getValue(), depth + 1);
  if (auto loop = tile.getDefiningOp<hip::ElementwiseOp>(); loop && depth < deepest)
    return rangeOf(cast<hip::YieldOp>(loop.getBody().front().getTerminator()).getValue(), depth + 1);
  return std::nullopt;
}

static std::optional<Interval> rangeOfResult(Operation *op, int depth) {
  auto operand = [&](unsigned i) { return rangeOf(op->getOperand(i), depth + 1); };
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(op))
    return operand(0);
  if (isa<arith::ExtUIOp>(op))
    return Interval{0, (static_cast<__int128>(1) << op->getOperand(0).getType().getIntOrFloatBitWidth()) - 1};
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  Interval a = operand(0), b = operand(1);
  if (isa<arith::AddIOp>(op))
    return Interval{a.low + b.low, a.high + b.high};
  if (isa<arith::SubIOp>(op))
    return Interval{a.low - b.high, a.high - b.low};
  auto products = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  return Interval{std::min(products), std::max(products)};
}

static Interval rangeOf(Value value, int depth) {
  if (value.getType().isIndex() && !getConstantIntValue(value)) {
    auto cast = value.getDefiningOp<arith::IndexCastOp>();
    return cast && depth < deepest ? rangeOf(cast.getIn(), depth + 1) : Interval{-indexEnd, indexEnd};
  }
  unsigned bits = value.getType().isIndex() ? 64 : value.getType().getIntOrFloatBitWidth();
  __int128 end = static_cast<__int128>(1) << (bits - 1);
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return {*number, *number};
  std::optional<Interval> known;
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument ? dyn_cast<hip::ElementwiseOp>(argument.getOwner()->getParentOp()) : hip::ElementwiseOp();
  if (depth < deepest && loop)
    known = rangeOfElement(loop.getOperands()[argument.getArgNumber()], depth + 1);
  else if (Operation *op = value.getDefiningOp(); op && depth < deepest)
    known = rangeOfResult(op, depth);
  return known && known->fits(bits) ? *known : Interval{-end, end - 1};
}

bool tilec::mayWrap(Operation *op) {
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return false;
  unsigned bits = op->getResult(0).getType().isInteger(32) ? 32 : 64;
  if (!op->getResult(0).getType().isInteger(bits) ||
      cast<arith::ArithIntegerOverflowFlagsInterface>(op).hasNoSignedWrap())
    return false;
  return !rangeOfResult(op, 0)->fits(bits);
}
