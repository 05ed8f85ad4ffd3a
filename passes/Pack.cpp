// Scratch that the compiler owns in the order of registers: a tile that threads store and load in one layout is a run
// of memory.
#include "dialect/Limits.h"
#include "passes/Passes.h"
#include "passes/analysis/LayoutConversion.h"
#include "passes/analysis/Workspace.h"
#include "passes/machine/TileBox.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace tilec {
#define GEN_PASS_DEF_PACK
#include "passes/Passes.h.inc"
} // namespace tilec

namespace {

/// The layout of a tile's elements behind each other: first as many registers as one access moves, then lanes, waves,
/// and the other registers. So each access of a wave moves one run of memory. Of a tile whose side is no power of two
/// accesses have as many registers each.
LinearLayout packedLayout(const LinearLayout &held, ArrayRef<int64_t> shape, int64_t elementBytes) {
  unsigned registers = held.inputBits(LinearLayout::kRegister);
  int64_t count = registersOf(held, shape);
  unsigned together = 0;
  while (together < registers && (elementBytes << (together + 1)) <= kAccessBytes && count % (2 << together) == 0)
    ++together;
  int64_t next = 1;
  auto take = [&](unsigned bits) {
    std::vector<LinearLayout::Point> bases;
    for (unsigned bit = 0; bit < bits; ++bit, next *= 2)
      bases.push_back({next});
    return bases;
  };
  std::vector<LinearLayout::Point> vector = take(together), lanes = take(held.inputBits(LinearLayout::kLane)),
                                   waves = take(held.inputBits(LinearLayout::kWave));
  llvm::append_range(vector, take(registers - together));
  return LinearLayout::tile(vector, lanes, waves, {next});
}

/// What one program buffer holds, if all who access it move tiles of one grid in one layout.
class PackedBuffer {
public:
  explicit PackedBuffer(AllocOp alloc) : alloc(alloc), program(alloc->getParentOfType<ProgramOp>()) {}

  bool match();
  void rewrite();

private:
  bool matchView(memref::SubViewOp view);
  bool matchAccess(Operation *op);
  bool matchHeld(RankedTensorType type);
  bool isSeenWhole(LoadOp load);
  bool isStoredWithin(Value tile, LoadOp load, DenseSet<Value> &seen);
  bool isShapedAlike(StoreOp store);
  bool isGain();
  AffineExpr sizeFromLast(unsigned d) { return shape[shape.size() - held.getRank() + d]; }

  RankedTensorType packed();
  AllocOp makeBuffer();
  Value makeView(memref::SubViewOp view, Value buffer);
  void rewriteAccess(Operation *op, Value buffer);

  AllocOp alloc;
  ProgramOp program;
  RankedTensorType held;         ///< the tile as threads hold it where it is made and where it is used
  SmallVector<AffineExpr> shape; ///< of the buffer
  SmallVector<memref::SubViewOp> views;
  SmallVector<Operation *> accesses;
};

/// The value as it was before it was converted for memory.
Value unconverted(Value value) {
  auto convert = value.getDefiningOp<ConvertOp>();
  return convert ? convert.getOperand() : value;
}

/// What a loaded tile is converted to at once, or the load itself.
Value asUsed(LoadOp load) {
  auto convert = load.getResult().hasOneUse() ? dyn_cast<ConvertOp>(*load.getResult().user_begin()) : ConvertOp();
  return convert ? convert.getResult() : load.getResult();
}

/// Of a size of a view; null where it is none of the program's extents.
AffineExpr expressionOf(ProgramOp program, OpFoldResult size) {
  std::optional<int64_t> number = getConstantIntValue(size);
  return number ? getAffineConstantExpr(*number, program.getContext()) : extentExpression(program, cast<Value>(size));
}

bool PackedBuffer::match() {
  if (alloc.getPersistent())
    return false;
  shape = extentExpressions(program, alloc.getSizes(), alloc.getExtents());
  for (Operation *user : alloc.getResult().getUsers()) {
    auto view = dyn_cast<memref::SubViewOp>(user);
    if (view ? !matchView(view) : !matchAccess(user))
      return false;
  }
  bool isMoved = llvm::any_of(accesses, llvm::IsaPred<StoreOp>) && llvm::any_of(accesses, llvm::IsaPred<LoadOp>);
  if (!isMoved || shape.size() < static_cast<size_t>(held.getRank()))
    return false;
  // A view leaves out leading dimensions alone.
  for (memref::SubViewOp view : views)
    for (unsigned d = shape.size() - held.getRank(); d < shape.size(); ++d) {
      AffineExpr extent = expressionOf(program, view.getMixedSizes()[d]);
      if (view.getDroppedDims().test(d) || getConstantIntValue(view.getMixedOffsets()[d]) != 0 || extent != shape[d])
        return false;
    }
  return isGain() && llvm::all_of(accesses, [&](Operation *op) {
           auto load = dyn_cast<LoadOp>(op);
           return !load || isSeenWhole(load);
         });
}

bool PackedBuffer::matchView(memref::SubViewOp view) {
  views.push_back(view);
  auto isOne = [](OpFoldResult stride) { return getConstantIntValue(stride) == 1; };
  return llvm::all_of(view.getMixedStrides(), isOne) &&
         llvm::all_of(view->getUsers(), [&](Operation *user) { return matchAccess(user); });
}

bool PackedBuffer::matchAccess(Operation *op) {
  auto load = dyn_cast<LoadOp>(op);
  auto store = dyn_cast<StoreOp>(op);
  if ((!load && !store) || (load ? load.getAt() || load.getOtherwise() : store.getAt()))
    return false;
  accesses.push_back(op);
  return matchHeld(cast<RankedTensorType>((load ? asUsed(load) : unconverted(store.getValue())).getType()));
}

bool PackedBuffer::matchHeld(RankedTensorType type) {
  if (held)
    return held == type;
  held = type;
  std::optional<LinearLayout> layout = layoutOf(type);
  return layout && layout->isBijective() && type.getRank() > 1 && type.getNumElements() <= kMostTileSide;
}

/// Whether it does not matter that a load finds, beyond the buffer's end, what the tile that was stored had there, in
/// place of zeros.
bool PackedBuffer::isSeenWhole(LoadOp load) {
  auto isDivided = [&](auto side) { return sizeFromLast(side.index()).getLargestKnownDivisor() % side.value() == 0; };
  DenseSet<Value> seen;
  return llvm::all_of(llvm::enumerate(held.getShape()), isDivided) || isStoredWithin(load.getResult(), load, seen);
}

/// Whether all that is made of a tile is stored element by element where the same elements are within.
bool PackedBuffer::isStoredWithin(Value tile, LoadOp load, DenseSet<Value> &seen) {
  if (!seen.insert(tile).second)
    return true;
  return llvm::all_of(tile.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto store = dyn_cast<StoreOp>(user))
      return !store.getAt() && isShapedAlike(store) &&
             llvm::equal(store.getIndices().take_back(held.getRank()), load.getIndices().take_back(held.getRank()));
    if (auto loop = dyn_cast<scf::ForOp>(user))
      return isStoredWithin(loop.getTiedLoopRegionIterArg(&use), load, seen) &&
             isStoredWithin(loop.getTiedLoopResult(&use), load, seen);
    if (isa<scf::YieldOp>(user)) {
      auto loop = dyn_cast<scf::ForOp>(user->getParentOp());
      if (!loop && !isa<scf::IfOp>(user->getParentOp()))
        return false;
      unsigned number = use.getOperandNumber();
      return isStoredWithin(user->getParentOp()->getResult(number), load, seen) &&
             (!loop || isStoredWithin(loop.getRegionIterArg(number), load, seen));
    }
    if (!isa<ConvertOp>(user) && !user->hasTrait<OpTrait::Elementwise>())
      return false;
    return llvm::all_of(user->getResults(), [&](Value result) { return isStoredWithin(result, load, seen); });
  });
}

/// The extents of a buffer or of a view of one; empty where they are no expressions of the program's.
static SmallVector<AffineExpr> extentsOf(ProgramOp program, Value buffer) {
  if (auto view = buffer.getDefiningOp<memref::SubViewOp>()) {
    llvm::SmallBitVector dropped = view.getDroppedDims();
    SmallVector<AffineExpr> extents;
    for (auto [d, size] : llvm::enumerate(view.getMixedSizes()))
      if (!dropped.test(d))
        extents.push_back(expressionOf(program, size));
    return extents;
  }
  if (auto alloc = buffer.getDefiningOp<AllocOp>())
    return extentExpressions(program, alloc.getSizes(), alloc.getExtents());
  auto argument = dyn_cast<BlockArgument>(buffer);
  if (!argument || argument.getOwner() != &program.getBody().front())
    return {};
  return argumentShape(program, argument.getArgNumber() - program.getNumExtents());
}

/// Whether a store's buffer ends where this one does.
bool PackedBuffer::isShapedAlike(StoreOp store) {
  SmallVector<AffineExpr> other = extentsOf(program, store.getBuffer());
  size_t rank = static_cast<size_t>(held.getRank());
  return other.size() >= rank && !llvm::is_contained(other, AffineExpr()) &&
         ArrayRef(other).take_back(rank) == ArrayRef(shape).take_back(rank);
}

/// Whether a tile need not be turned any more, or moves in wider accesses.
bool PackedBuffer::isGain() {
  auto isConverted = [&](Operation *op) {
    auto load = dyn_cast<LoadOp>(op);
    return load ? load.getType() != held : cast<StoreOp>(op).getValue().getType() != held;
  };
  return llvm::any_of(accesses, isConverted) || vectorOf(packed()) > vectorOf(held);
}

RankedTensorType PackedBuffer::packed() {
  auto elements = RankedTensorType::get({held.getNumElements()}, held.getElementType());
  return withLayout(elements, packedLayout(*layoutOf(held), held.getShape(), bytesOf(held.getElementType())));
}

/// One more dimension: those of tiles, then the elements of each.
AllocOp PackedBuffer::makeBuffer() {
  AffineMap sizes = alloc.getSizes();
  SmallVector<AffineExpr> results(sizes.getResults());
  ArrayRef<int64_t> old = alloc.getResult().getType().getShape();
  SmallVector<int64_t> type(old.drop_back(held.getRank()));
  for (auto [d, side] : llvm::enumerate(held.getShape())) {
    AffineExpr &size = results[results.size() - held.getRank() + d];
    size = size.ceilDiv(side);
    auto constant = dyn_cast<AffineConstantExpr>(size);
    type.push_back(constant ? constant.getValue() : ShapedType::kDynamic);
  }
  results.push_back(getAffineConstantExpr(held.getNumElements(), alloc.getContext()));
  type.push_back(held.getNumElements());
  auto map = AffineMap::get(0, sizes.getNumSymbols(), results, alloc.getContext());
  auto buffer = MemRefType::get(type, held.getElementType(), MemRefLayoutAttrInterface(),
                                alloc.getResult().getType().getMemorySpace());
  OpBuilder builder(alloc);
  return AllocOp::create(builder, alloc.getLoc(), buffer, alloc.getExtents(), AffineMapAttr::get(map),
                         alloc.getParamsAttr(), UnitAttr(), alloc.getCopiesAttr());
}

/// The same leading indices, all tiles.
Value PackedBuffer::makeView(memref::SubViewOp view, Value buffer) {
  OpBuilder builder(view);
  unsigned leading = shape.size() - held.getRank();
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<OpFoldResult> offsets(ArrayRef(view.getMixedOffsets()).take_front(leading)),
      sizes(ArrayRef(view.getMixedSizes()).take_front(leading)), strides(type.getRank(), builder.getIndexAttr(1));
  offsets.resize(type.getRank(), builder.getIndexAttr(0));
  auto tiles = buffer.getDefiningOp<AllocOp>();
  for (unsigned d = leading; d < type.getRank(); ++d) {
    if (!type.isDynamicDim(d)) {
      sizes.push_back(builder.getIndexAttr(type.getDimSize(d)));
      continue;
    }
    auto size = AffineMap::get(0, tiles.getSizes().getNumSymbols(), tiles.getSizes().getResult(d));
    sizes.push_back(ExtentOp::create(builder, view.getLoc(), builder.getIndexType(), tiles.getExtents(),
                                     AffineMapAttr::get(size), tiles.getParamsAttr())
                        .getResult());
  }
  SmallVector<int64_t> result;
  llvm::SmallBitVector dropped = view.getDroppedDims();
  for (auto [d, size] : llvm::enumerate(sizes))
    if (d >= leading || !dropped.test(d))
      result.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  auto reduced = memref::SubViewOp::inferRankReducedResultType(result, type, offsets, sizes, strides);
  return memref::SubViewOp::create(builder, view.getLoc(), reduced, buffer, offsets, sizes, strides);
}

void PackedBuffer::rewriteAccess(Operation *op, Value buffer) {
  OpBuilder builder(op);
  auto load = dyn_cast<LoadOp>(op);
  auto store = dyn_cast<StoreOp>(op);
  SmallVector<Value> indices(load ? load.getIndices() : store.getIndices());
  indices.push_back(arith::ConstantIndexOp::create(builder, op->getLoc(), 0));
  if (store) {
    Value value = unconverted(store.getValue());
    auto made = value == store.getValue() ? ConvertOp() : store.getValue().getDefiningOp<ConvertOp>();
    store.getValueMutable().set(RelabelOp::create(builder, op->getLoc(), packed(), value));
    store.getBufferMutable().set(buffer);
    store.getIndicesMutable().assign(indices);
    if (made && made->use_empty())
      made->erase();
    return;
  }
  Value used = asUsed(load);
  auto made = used == load.getResult() ? ConvertOp() : used.getDefiningOp<ConvertOp>();
  auto moved = LoadOp::create(builder, op->getLoc(), packed(), buffer, indices, load.getFrom(), Value(),
                              load.getAfter(), builder.getI64ArrayAttr(packed().getShape()), UnitAttr());
  used.replaceAllUsesWith(RelabelOp::create(builder, op->getLoc(), held, moved));
  if (made)
    made->erase();
  load->erase();
}

void PackedBuffer::rewrite() {
  AllocOp buffer = makeBuffer();
  for (memref::SubViewOp view : views) {
    Value moved = makeView(view, buffer.getResult());
    for (Operation *user : llvm::make_early_inc_range(view->getUsers()))
      rewriteAccess(user, moved);
    view->erase();
  }
  for (Operation *user : llvm::make_early_inc_range(alloc.getResult().getUsers()))
    rewriteAccess(user, buffer.getResult());
  alloc->erase();
}

class Pack : public tilec::impl::PackBase<Pack> {
  void runOnOperation() override {
    for (AllocOp alloc : llvm::make_early_inc_range(getOperation().getBody().getOps<AllocOp>())) {
      PackedBuffer buffer(alloc);
      if (!buffer.match())
        continue;
      buffer.rewrite();
      ++numBuffers;
    }
  }
};

} // namespace
