// Operations of one ring. Knows nothing of the loop that they are for.
#include "passes/schedule/Ring.h"
#include "passes/analysis/LayoutConversion.h"
#include "passes/analysis/ViewedBuffer.h"
#include "passes/machine/TurnedReads.h"
#include "passes/stage/SharedPlan.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::schedule;

Location schedule::named(StringRef name, Location loc) {
  return NameLoc::get(StringAttr::get(loc.getContext(), name), loc);
}

Location schedule::unnamed(Location loc) {
  auto name = dyn_cast<NameLoc>(loc);
  return name ? Location(name.getChildLoc()) : loc;
}

static StringRef bufferName(RingOperand &operand) {
  auto name = dyn_cast<NameLoc>(viewedBuffer(operand.load.getBuffer()).getLoc());
  return name ? name.getName().strref() : "tile";
}

/// Whether so many elements of a row stay side by side.
static bool keepsTogether(SharedAttr swizzle, int64_t elements) {
  return swizzle.getPhases() == 1 || swizzle.getVector() >= elements;
}

bool RingOperand::isDirect(const SharedMemory &memory, int64_t waves) {
  MemRefType type = slotType();
  int64_t wide = kDirectBytes / bytesOf(type.getElementType());
  return memory.copiesDirectly() && !store.getTransposed() &&
         keepsTogether(cast<SharedAttr>(type.getMemorySpace()), wide) && type.getShape().back() >= wide &&
         vectorOf(load.getType()) == wide && sharedBytes(type) % (waves * memory.lanes * kDirectBytes) == 0;
}

int64_t RingOperand::vector() {
  return laid ? kDirectBytes / bytesOf(laid.getElementType()) : vectorOf(load.getType());
}

bool RingOperand::layDown(const SharedMemory &memory, int64_t waves) {
  RankedTensorType tile = load.getType();
  int64_t bytes = bytesOf(tile.getElementType()), wide = kDirectBytes / bytes;
  bool turns = store.getTransposed();
  if (!byRows || !memory.copiesDirectly() || tile.getDimSize(1) % wide != 0 || (turns && !turnsReads(memory, bytes)) ||
      tile.getNumElements() * bytes % (waves * memory.lanes * kDirectBytes) != 0)
    return false;
  std::vector<LinearLayout> readers;
  for (SharedLoadOp read : reads) {
    std::optional<LinearLayout> reader = layoutOf(read.getType());
    if (turns)
      reader = turnedReads(*reader);
    if (!reader || read.getTransposed() != turns)
      return false;
    readers.push_back(*reader);
  }
  auto space = cast<SharedAttr>(slotType().getMemorySpace());
  if (turns || !keepsTogether(space, wide)) {
    Swizzle swizzle = chooseDirectSwizzle(tile.getShape(), bytes, readers, memory).swizzle;
    space = SharedAttr::get(tile.getContext(), swizzle.vector, swizzle.perPhase, swizzle.phases, swizzle.fold,
                            /*panel=*/0);
  }
  laid = MemRefType::get(tile.getShape(), tile.getElementType(), AffineMap(), space);
  return true;
}

int64_t RingOperand::copyAccesses(const SharedMemory &memory, int64_t waves) {
  return sharedBytes(slotType()) / (waves * memory.lanes * kDirectBytes);
}

void RingOperand::declareRing(int64_t slots) {
  MemRefType type = slotType();
  SmallVector<int64_t> shape{slots};
  llvm::append_range(shape, type.getShape());
  OpBuilder builder(store.getBuffer().getDefiningOp());
  auto slot = cast<SharedBufferOp>(store.getBuffer().getDefiningOp());
  ring = SharedBufferOp::create(builder, viewedBuffer(load.getBuffer()).getLoc(),
                                MemRefType::get(shape, type.getElementType(), AffineMap(), type.getMemorySpace()),
                                /*offset=*/IntegerAttr(), slot.getKept());
}

RankedTensorType RingOperand::inRing(RankedTensorType tile) {
  if (!isAcross())
    return tile;
  auto turned = RankedTensorType::get({tile.getDimSize(1), tile.getDimSize(0)}, tile.getElementType());
  return withLayout(turned, layoutOf(tile)->transpose({1, 0}));
}

SmallVector<Value> RingOperand::indicesAt(Value tile) {
  SmallVector<Value> indices(load.getIndices().take_back(2));
  indices[stepDim()] = tile;
  return indices;
}

void RingOperand::declareMatrix(OpBuilder &builder) {
  auto type = cast<MemRefType>(load.getBuffer().getType());
  if (type.getRank() == 2)
    return;
  Location loc = unnamed(load.getLoc());
  int64_t leading = type.getRank() - 2;
  SmallVector<OpFoldResult> offsets, sizes, strides(type.getRank(), builder.getIndexAttr(1));
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    offsets.push_back(dim < leading ? OpFoldResult(load.getIndices()[dim]) : builder.getIndexAttr(0));
    if (dim < leading || !type.isDynamicDim(dim))
      sizes.push_back(builder.getIndexAttr(dim < leading ? 1 : type.getDimSize(dim)));
    else
      sizes.push_back(memref::DimOp::create(builder, loc, load.getBuffer(), dim).getResult());
  }
  auto reduced = cast<MemRefType>(
      memref::SubViewOp::inferRankReducedResultType(type.getShape().take_back(2), type, offsets, sizes, strides));
  matrix = memref::SubViewOp::create(builder, loc, reduced, load.getBuffer(), offsets, sizes, strides);
}

Value RingOperand::fetch(OpBuilder &builder, Value tile) {
  return FetchOp::create(builder, load.getLoc(), inRing(load.getType()), buffer(), indicesAt(tile), load.getFrom(),
                         after, isAcross(), byRows);
}

void RingOperand::deposit(OpBuilder &builder, Value fetched, Value slot) {
  SharedStoreOp::create(builder, store.getLoc(), fetched, ring, slot, store.getTransposed() && !isAcross());
}

void RingOperand::copy(OpBuilder &builder, Value tile, Value slot) {
  CopyAsyncOp::create(builder, load.getLoc(), buffer(), indicesAt(tile), load.getFrom(), after, ring, slot,
                      /*full=*/Value(), byRows, /*read_once=*/false, /*halved=*/false, /*columns=*/IntegerAttr());
}

Value RingOperand::read(OpBuilder &builder, SharedLoadOp like, Value slot) {
  return SharedLoadOp::create(builder, like.getLoc(), inRing(like.getType()), ring, slot,
                              like.getTransposed() && !isAcross() && !laid);
}

std::optional<SteppedLoad> SteppedLoad::of(LoadOp load, Value step) {
  auto buffer = cast<MemRefType>(load.getBuffer().getType());
  RankedTensorType tile = load.getType();
  Type element = tile.getElementType();
  if (load.getAt() || load.getOtherwise() || buffer.getRank() != 2 || load.getIndices().size() != 2 ||
      tile.getRank() > 2 || buffer.getElementType() != element || element.getIntOrFloatBitWidth() % 8 != 0 ||
      !layoutOf(tile))
    return std::nullopt;
  bool byRows = load.getIndices()[0] == step;
  if (byRows == (load.getIndices()[1] == step))
    return std::nullopt;
  SmallVector<int64_t> shape(2 - tile.getRank(), 1);
  llvm::append_range(shape, tile.getShape());
  RankedTensorType matrix = withLayout(RankedTensorType::get(shape, element), layoutOf(tile)->reshape(shape));
  return SteppedLoad{load, byRows, matrix};
}

SmallVector<Value> SteppedLoad::indicesAt(Value step) {
  SmallVector<Value> indices(load.getIndices());
  indices[byRows ? 0 : 1] = step;
  return indices;
}

Value SteppedLoad::fetch(OpBuilder &builder, Value step) {
  return FetchOp::create(builder, load.getLoc(), matrix, load.getBuffer(), indicesAt(step), load.getFrom(),
                         load.getAfter(), /*across=*/false, byRows);
}

Value SteppedLoad::shape(OpBuilder &builder, Value fetched) {
  if (load.getType() == matrix)
    return fetched;
  return ReshapeOp::create(builder, load.getLoc(), load.getType(), fetched,
                           builder.getI64ArrayAttr(load.getType().getShape()));
}

Value SteppedLoad::regular(OpBuilder &builder, Location loc) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  return RegularOp::create(builder, loc, load.getBuffer(), indicesAt(zero), load.getFrom(), matrix.getShape(),
                           static_cast<uint64_t>(vectorOf(matrix)), /*across=*/byRows, /*by_rows=*/false);
}

Value SteppedLoad::steps(OpBuilder &builder, Location loc) {
  Value extent = builder.createOrFold<memref::DimOp>(loc, load.getBuffer(), byRows ? 0 : 1);
  return builder.createOrFold<arith::DivSIOp>(loc, extent, arith::ConstantIndexOp::create(builder, loc, depth()));
}

Value schedule::regularOf(OpBuilder &builder, Location loc, MutableArrayRef<RingOperand> operands) {
  Value regular;
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  for (RingOperand &operand : operands) {
    LoadOp load = operand.load;
    // Copies down the rows leave out whole vectors of columns, as fetches across do.
    bool clips = operand.isAcross() || operand.laid;
    Value holds = RegularOp::create(builder, named((bufferName(operand) + "_regular").str(), loc), operand.buffer(),
                                    operand.indicesAt(zero), load.getFrom(), load.getType().getShape(),
                                    static_cast<uint64_t>(operand.vector()), clips, operand.byRows && !clips);
    regular = regular ? arith::AndIOp::create(builder, loc, regular, holds).getResult() : holds;
  }
  return regular;
}

Value schedule::wholeSteps(OpBuilder &builder, Location loc, MutableArrayRef<RingOperand> operands,
                           MutableArrayRef<SteppedLoad> beside, Value first, Value steps) {
  Value columns, regular = regularOf(builder, loc, operands);
  for (RingOperand &operand : operands) {
    Value extent = builder.createOrFold<memref::DimOp>(loc, operand.buffer(), operand.stepDim());
    columns = columns ? builder.createOrFold<arith::MinSIOp>(loc, columns, extent) : extent;
  }
  Value depth = arith::ConstantIndexOp::create(builder, loc, operands.front().depth());
  Value whole = builder.createOrFold<arith::DivSIOp>(loc, columns, depth);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  if (first)
    whole = arith::MaxSIOp::create(builder, loc, arith::SubIOp::create(builder, loc, whole, first), zero);
  whole = builder.createOrFold<arith::MinSIOp>(loc, steps, whole);
  for (SteppedLoad &stepped : beside) {
    regular = arith::AndIOp::create(builder, loc, regular, stepped.regular(builder, loc));
    whole = builder.createOrFold<arith::MinSIOp>(loc, whole, stepped.steps(builder, loc));
  }
  return arith::SelectOp::create(builder, named("whole", loc), regular, whole, zero);
}

Value schedule::noLater(OpBuilder &builder, Location loc, Value step, Value last) {
  std::string name = "k_" + std::to_string(*getConstantIntValue(step));
  return builder.createOrFold<arith::MinSIOp>(named(name, loc), step, last);
}
