// `lower`: copies to rings that pass no register, and which waves make them.
#include "dialect/Limits.h"
#include "passes/analysis/LayoutConversion.h"
#include "passes/lower/Lower.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;

/// Accesses of a wave, of 16 bytes a lane, that share a base of LDS: their immediates tell them apart.
static constexpr int64_t kSharedBase = 4;

static int64_t slotBytes(tile::CopyAsyncOp copy) {
  auto ring = cast<MemRefType>(copy.getRing().getType());
  return ShapedType::getNumElements(ring.getShape().drop_front()) * bytesOf(ring.getElementType());
}

/// The only other copy of the same step that stands beside this one; null where there is none, or another.
static tile::CopyAsyncOp copyBeside(tile::CopyAsyncOp copy) {
  auto isBeside = [&](Operation *op) {
    auto other = dyn_cast_or_null<tile::CopyAsyncOp>(op);
    return other && other.getSlot() == copy.getSlot() && other.getIndices().back() == copy.getIndices().back();
  };
  bool isSecond = isBeside(copy->getPrevNode());
  Operation *first = isSecond ? copy->getPrevNode() : copy.getOperation(), *second = first->getNextNode();
  if (!isBeside(isSecond ? first : second) || isBeside(first->getPrevNode()) || isBeside(second->getNextNode()))
    return {};
  return cast<tile::CopyAsyncOp>(isSecond ? first : second);
}

/// The other copy of a pair, of which half of the waves make one each, in all places where the two rings are filled:
/// where all waves made both, each would write more bases of LDS.
tile::CopyAsyncOp KernelLowering::otherHalf(tile::CopyAsyncOp copy) {
  auto waves = static_cast<int64_t>(source.getWaves().value_or(1));
  tile::CopyAsyncOp other = copyBeside(copy);
  if (!other || waves < 2 || other.getRing() == copy.getRing() || slotBytes(other) != slotBytes(copy))
    return {};
  int64_t accesses = slotBytes(copy) / (waves * waveLanes * tile::kAccessBytes);
  if (llvm::divideCeil(2 * accesses, kSharedBase) == 2 * llvm::divideCeil(accesses, kSharedBase))
    return {};
  auto isPair = [&](Operation *user) {
    auto mine = dyn_cast<tile::CopyAsyncOp>(user);
    tile::CopyAsyncOp beside = mine ? copyBeside(mine) : tile::CopyAsyncOp();
    bool isSame = beside && llvm::is_contained({copy.getRing(), other.getRing()}, beside.getRing()) &&
                  beside.getRing() != mine.getRing();
    return !mine || (isSame && !mine.getByRows() && !mine.getFull());
  };
  bool isAlways = llvm::all_of(copy.getRing().getUsers(), isPair) && llvm::all_of(other.getRing().getUsers(), isPair);
  return isAlways ? other : tile::CopyAsyncOp();
}

/// Copies of one loop differ in the step alone.
static bool hasFeedOf(tile::CopyAsyncOp known, tile::CopyAsyncOp op) {
  bool rows = op.getByRows();
  return known.getBuffer() == op.getBuffer() && known.getByRows() == rows &&
         known.getIndices()[rows] == op.getIndices()[rows] && known.getFrom() == op.getFrom();
}

/// Where copies that pass no register come from.
FailureOr<Value> KernelLowering::directFeedOf(tile::CopyAsyncOp copy) {
  for (auto &[known, feed] : directFeeds)
    if (hasFeedOf(known, copy) && known.getRing() == copy.getRing() && isVisible(feed, builder))
      return feed;
  FailureOr<Value> view = accessView(copy), ring = ringOf(copy.getRing());
  ArrayRef<int64_t> tile = cast<MemRefType>(copy.getRing().getType()).getShape().drop_front();
  SmallVector<Value> start = feedStart(copy.getIndices(), tile, copy.getByRows());
  if (failed(view) || failed(ring) || start.empty())
    return failure();
  auto type = hip::DirectFeedType::get(builder.getContext(), cast<hip::RingType>(ring->getType()).getTile());
  int64_t waves = source.getWaves().value_or(1);
  Value feed = hip::DirectFeedOp::create(builder, named(loc, nameOf(rootOf(copy.getBuffer()).getLoc()) + "_feed"), type,
                                         *view, start, builder.getI64IntegerAttr(llvm::Log2_64(waves)),
                                         copy.getByRowsAttr(), otherHalf(copy) ? builder.getUnitAttr() : UnitAttr());
  directFeeds.push_back({copy, feed});
  return feed;
}

/// A copy that passes no register. Of two that halves of the waves make, the first comes with the second: it is null.
FailureOr<Value> KernelLowering::copyingDirectly(tile::CopyAsyncOp copy) {
  auto make = [&](tile::CopyAsyncOp op) -> FailureOr<Value> {
    FailureOr<Value> feed = directFeedOf(op);
    return succeeded(feed) ? copying(op, *feed) : FailureOr<Value>();
  };
  tile::CopyAsyncOp other = otherHalf(copy);
  if (!other)
    return make(copy);
  if (other != copy->getPrevNode())
    return Value();
  FailureOr<Value> first = make(other), second = make(copy);
  if (failed(first) || failed(second))
    return failure();
  return hip::ByHalvesOp::create(builder, loc, activity(), *first, *second).getResult();
}
