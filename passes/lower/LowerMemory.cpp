// `lower`: loads, stores, atomics, views and LDS. Which memory is live is analyzeMemory's.
#include "dialect/HeldTile.h"
#include "dialect/Limits.h"
#include "passes/analysis/LayoutConversion.h"
#include "passes/lower/Lower.h"

using namespace mlir;
using namespace tilec;

Value tilec::rootOf(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (auto view = dyn_cast<memref::SubViewOp>(op))
      buffer = view.getSource();
    else if (auto cast = dyn_cast<memref::CastOp>(op))
      buffer = cast.getSource();
    else
      break;
  }
  return buffer;
}

void tilec::forEachUse(tile::ProgramOp program, function_ref<void(const BufferUse &)> visit) {
  program.walk([&](Operation *op) {
    if (auto access = dyn_cast<tile::AccessOpInterface>(op))
      visit({op, rootOf(access.getAccessedBuffer()), access.readsBuffer(), access.writesBuffer(),
             access.getAccessRank() != nullptr, !access.getAfterTokensMutable().empty()});
    if (auto move = dyn_cast<tile::MoveOp>(op)) {
      visit({op, rootOf(move.getFrom()), true, false, false, false});
      visit({op, rootOf(move.getInto()), false, true, true, false});
    }
    if (auto relay = dyn_cast<tile::RelayOp>(op)) {
      bool isOrdered = !relay.getAfter().empty();
      visit({op, rootOf(relay.getFrom()), true, false, false, isOrdered});
      visit({op, rootOf(relay.getInto()), false, true, !relay.getTo().empty(), isOrdered});
    }
  });
}

llvm::MapVector<Value, MemoryUse> tilec::analyzeMemory(tile::ProgramOp program, tile::KernelOp kernel) {
  llvm::MapVector<Value, MemoryUse> uses;
  auto next = dyn_cast_or_null<tile::KernelOp>(kernel->getNextNode());
  auto previous = dyn_cast_or_null<tile::KernelOp>(kernel->getPrevNode());
  tile::KernelOp beside = kernel.getBeside() ? next : previous && previous.getBeside() ? previous : tile::KernelOp();
  forEachUse(program, [&](const BufferUse &access) {
    MemoryUse &use = uses[access.root];
    bool here = kernel->isAncestor(access.by), meanwhile = here || (beside && beside->isAncestor(access.by));
    if (here) {
      use.read |= access.reads;
      use.written |= access.writes;
      use.remote |= access.isRemote;
    }
    // Other ranks run any kernel of the program at any time; other workgroups of this rank run this kernel, or the one
    // beside it.
    use.foreign |= access.writes && access.isRemote;
    use.live |= access.writes && (meanwhile || access.isRemote);
    use.live |= here && (access.isRemote || access.isOrdered);
  });
  // What the kernel only writes has no reader that could be too early.
  for (auto &[root, use] : uses)
    use.live &= use.read || use.remote;
  return uses;
}

LogicalResult tilec::requireLayout(Operation *op, Type type) {
  auto tile = cast<RankedTensorType>(type);
  if (isa_and_nonnull<tile::LayoutAttr>(tile.getEncoding()) && tile.hasStaticShape())
    return success();
  return op->emitOpError() << "tile " << tile << " has no layout";
}

/// An extent is an int; what is computed from extents may be longer.
static bool isWide(AffineExpr stride) {
  auto constant = dyn_cast<AffineConstantExpr>(stride);
  return constant ? !llvm::isInt<32>(constant.getValue()) : !isa<AffineSymbolExpr>(stride);
}

MemoryView tilec::wholeBuffer(tile::ProgramOp program, OpBuilder &builder, Location loc, Value buffer,
                              ValueRange extents, ValueRange maxima) {
  SmallVector<AffineExpr> shape, strides;
  // What later launches find has to lie at the same place in each: rows of the greatest length.
  auto kept = buffer.getDefiningOp<tile::AllocOp>();
  ValueRange pitch = kept && kept.getPersistent() ? maxima : extents;
  if (auto argument = dyn_cast<BlockArgument>(buffer); argument && argument.getOwner() == &program.getBody().front()) {
    shape = argumentShape(program, argument.getArgNumber() - program.getNumExtents());
    strides = argumentStrides(program, argument.getArgNumber() - program.getNumExtents());
  } else {
    // The verifier of the program knows no other buffer in memory.
    auto alloc = cast<tile::AllocOp>(buffer.getDefiningOp());
    shape = extentExpressions(program, alloc.getSizes(), alloc.getExtents());
  }
  MemoryView view;
  view.root = buffer;
  view.offsets.assign(shape.size(), Value());
  for (auto [d, size] : llvm::enumerate(shape)) {
    view.extents.push_back(expandExpression(builder, loc, size, extents));
    if (!strides.empty()) {
      view.strides.push_back(expandExpression(builder, loc, strides[d], extents, isWide(strides[d])));
      continue;
    }
    AffineExpr stride = getAffineConstantExpr(1, builder.getContext());
    int factors = 0;
    for (AffineExpr inner : ArrayRef(shape).drop_front(d + 1)) {
      stride = stride * inner;
      factors += inner != getAffineConstantExpr(1, stride.getContext());
    }
    view.strides.push_back(
        expandExpression(builder, loc, stride, pitch, /*wide=*/factors > 1 && !isa<AffineConstantExpr>(stride)));
  }
  return view;
}

/// shift + index * stride, in 64 bits, which it never leaves: a leading dimension may step over more than 2^31
/// elements.
Value KernelLowering::shiftBy(Value shift, Value index, Value stride) {
  auto widen = [&](Value value) { return builder.createOrFold<arith::IndexCastOp>(loc, builder.getI64Type(), value); };
  if (stride.getType().isIndex())
    stride = widen(stride);
  Value step = builder.createOrFold<arith::MulIOp>(loc, widen(index), stride, arith::IntegerOverflowFlags::nsw);
  return shift ? builder.createOrFold<arith::AddIOp>(loc, shift, step, arith::IntegerOverflowFlags::nsw) : step;
}

FailureOr<MemoryView> KernelLowering::subview(memref::SubViewOp op, const MemoryView &source) {
  auto inKernel = [&](OpFoldResult fold) -> Value {
    if (auto value = dyn_cast<Value>(fold))
      return valueOf(value);
    return constant(cast<IntegerAttr>(cast<Attribute>(fold)).getInt());
  };
  llvm::SmallBitVector dropped = op.getDroppedDims();
  MemoryView view;
  view.root = source.root;
  view.shift = source.shift;
  for (unsigned d = 0; d < source.extents.size(); ++d) {
    Value offset = inKernel(op.getMixedOffsets()[d]), size = inKernel(op.getMixedSizes()[d]),
          step = inKernel(op.getMixedStrides()[d]);
    if (!offset || !size || !step)
      return failure();
    if (source.offsets[d])
      offset = builder.createOrFold<arith::AddIOp>(loc, source.offsets[d], offset);
    if (dropped.test(d)) {
      if (getConstantIntValue(offset) != 0)
        view.shift = shiftBy(view.shift, offset, source.strides[d]);
      continue;
    }
    view.extents.push_back(size);
    if (getConstantIntValue(step) == 1) {
      view.offsets.push_back(getConstantIntValue(offset) == 0 ? Value() : offset);
      view.strides.push_back(source.strides[d]);
      continue;
    }
    // The offset counts elements of the source, of which the view skips some.
    if (getConstantIntValue(offset) != 0)
      view.shift = shiftBy(view.shift, offset, source.strides[d]);
    view.offsets.push_back(Value());
    view.strides.push_back(shiftBy(Value(), step, source.strides[d]));
  }
  return view;
}

FailureOr<MemoryView> KernelLowering::viewOf(Value buffer) {
  SmallVector<memref::SubViewOp> views;
  while (Operation *op = buffer.getDefiningOp()) {
    if (auto view = dyn_cast<memref::SubViewOp>(op))
      views.push_back(view);
    else if (!isa<memref::CastOp>(op))
      break;
    buffer = op->getOperand(0);
  }
  FailureOr<MemoryView> view = wholeBuffer(program, builder, loc, buffer, extents, maxima);
  for (memref::SubViewOp op : llvm::reverse(views))
    if (succeeded(view))
      view = subview(op, *view);
  return view;
}

Value KernelLowering::pointerOf(Value root) {
  if (Value mapped = mapping.lookupOrNull(root))
    return mapped;
  auto [place, isNew] = pointers.try_emplace(root);
  if (!isNew)
    return place->second;
  auto alloc = root.getDefiningOp<tile::AllocOp>();
  const ScratchBuffer *buffer = workspace.find(root);
  Location at = alloc.getLoc();
  auto bytes = hip::PointerType::get(builder.getContext(), builder.getNoneType(), false);
  Value base = scratch;
  if (buffer->offset != getAffineConstantExpr(0, builder.getContext()))
    base = hip::AdvanceOp::create(entry, unnamed(at), bytes, base,
                                  expandExpression(entry, unnamed(at), buffer->offset, maxima, true));
  auto type = hip::PointerType::get(builder.getContext(), cast<MemRefType>(root.getType()).getElementType(), false);
  Value pointer;
  if (alloc.getCopies() == 1)
    pointer = hip::BufferOp::create(entry, at, type, base);
  else
    pointer = hip::CopyOfOp::create(entry, at, type, launch, base,
                                    expandExpression(entry, unnamed(at), buffer->copyBytes, maxima, true),
                                    entry.getI64IntegerAttr(alloc.getCopies()));
  return pointers[root] = pointer;
}

SmallVector<Value> KernelLowering::startOf(tile::AccessOpInterface access) {
  SmallVector<Value> start;
  for (auto [dim, index, size] : llvm::enumerate(access.getAccessIndices(), access.getFootprintShape()))
    start.push_back(access.isEach(dim) ? constant(0) : multiply(valueOf(index), access.hasElementOffsets() ? 1 : size));
  return start;
}

FailureOr<Value> KernelLowering::accessView(tile::AccessOpInterface access) {
  return bufferView(access.getAccessedBuffer(), access.getAccessRank());
}

/// A buffer, or a view of one, on this rank or (`to`) another.
FailureOr<Value> KernelLowering::bufferView(Value buffer, Value to) {
  FailureOr<MemoryView> view = viewOf(buffer);
  if (failed(view))
    return failure();
  Value pointer = pointerOf(view->root);
  if (to) {
    Value other = valueOf(to);
    if (!other)
      return failure();
    pointer = hip::RemoteOp::create(builder, loc, pointer.getType(), context, pointer, other);
  }
  if (view->shift)
    pointer = hip::AdvanceOp::create(builder, loc, pointer.getType(), pointer, view->shift);
  auto type = hip::ViewType::get(builder.getContext(), cast<hip::PointerType>(pointer.getType()).getElement(),
                                 view->extents.size());
  if (llvm::none_of(view->offsets, [](Value offset) { return offset != nullptr; }))
    return hip::ViewOp::create(builder, loc, type, pointer, view->extents, view->strides).getResult();
  for (Value &offset : view->offsets)
    if (!offset)
      offset = constant(0);
  return hip::ViewAtOp::create(builder, loc, type, pointer, view->offsets, view->extents, view->strides).getResult();
}

/// Tiles are called after their buffers.
Location KernelLowering::locationOfTile(Value buffer) {
  StringRef name = nameOf(rootOf(buffer).getLoc());
  return name.empty() ? loc : Location(named(loc, name + "_tile"));
}

/// Whether an access moves all of the last dimension of scratch, which begins where an access may, in an order in
/// which places of registers and threads add up.
static bool isPacked(tile::AccessOpInterface access, RankedTensorType tile, Value view, ValueRange start) {
  auto whole = view.getDefiningOp<hip::ViewOp>();
  int64_t bytes = vectorOf(tile) * bytesOf(tile.getElementType());
  return whole && rootOf(access.getAccessedBuffer()).getDefiningOp<tile::AllocOp>() && tile.getRank() == 1 &&
         start.size() > 1 && getConstantIntValue(start.back()) == 0 &&
         getConstantIntValue(whole.getExtents().back()) == tile.getDimSize(0) &&
         getConstantIntValue(whole.getStrides().back()) == 1 && bytes == tile::kAccessBytes &&
         hip::isInDisjointBits(hip::HeldTile(tile));
}

/// Whether an operation stands in a loop of steps that others left, of which there are few or none.
static bool isInRest(Operation *op) {
  auto loop = op->getParentOfType<scf::ForOp>();
  return loop && tile::TileDialect::RestAttrHelper(op->getContext()).isAttrPresent(loop);
}

static UnitAttr unitIf(OpBuilder &builder, bool holds) { return holds ? builder.getUnitAttr() : UnitAttr(); }

LogicalResult KernelLowering::lowerLoad(tile::LoadOp load) {
  FailureOr<Value> view = accessView(load);
  if (failed(view) || failed(requireLayout(load, load.getType())))
    return failure();
  SmallVector<Value> start = startOf(load);
  Value outside = load.getOtherwise() ? valueOf(load.getOtherwise()) : Value();
  auto vector = builder.getI64IntegerAttr(vectorOf(load.getType()));
  bool packed = !outside && isPacked(load, load.getType(), *view, start);
  UnitAttr rare = unitIf(builder, !outside && !packed && isInRest(load));
  Location loc = locationOfTile(load.getBuffer());
  Value tile;
  if (memory[rootOf(load.getBuffer())].live)
    tile = hip::LoadLiveOp::create(builder, loc, load.getType(), *view, start, outside, vector, unitIf(builder, packed),
                                   rare);
  else
    tile = hip::PlainLoadOp::create(builder, loc, load.getType(), *view, start, outside, vector,
                                    unitIf(builder, packed), rare);
  mapping.map(load.getResult(), tile);
  return success();
}

/// Where each element has an index, each is an access.
static int64_t vectorBesides(RankedTensorType tile, tile::AccessOpInterface access) {
  return access.isEach(access.getAccessIndices().size() - 1) ? 1 : vectorOf(tile);
}

LogicalResult KernelLowering::lowerGather(tile::GatherOp gather) {
  FailureOr<Value> view = accessView(gather);
  Value index = valueOf(gather.getIndices()[gather.getEach()]);
  if (failed(view) || !index || failed(requireLayout(gather, gather.getType())) ||
      failed(requireLayout(gather, index.getType())))
    return failure();
  SmallVector<Value> start = startOf(gather);
  Value outside = gather.getOtherwise() ? valueOf(gather.getOtherwise()) : Value();
  auto vector = builder.getI64IntegerAttr(vectorBesides(gather.getType(), gather));
  auto dim = builder.getI64IntegerAttr(static_cast<int64_t>(gather.getEach()));
  Location loc = locationOfTile(gather.getBuffer());
  Value tile;
  if (memory[rootOf(gather.getBuffer())].live)
    tile = hip::GatherLiveOp::create(builder, loc, gather.getType(), *view, start, index, outside, dim, vector);
  else
    tile = hip::GatherOp::create(builder, loc, gather.getType(), *view, start, index, outside, dim, vector);
  mapping.map(gather.getResult(), tile);
  return success();
}

LogicalResult KernelLowering::lowerScatter(tile::ScatterOp scatter) {
  FailureOr<Value> view = accessView(scatter);
  Value value = valueOf(scatter.getValue()), index = valueOf(scatter.getIndices()[scatter.getEach()]);
  if (failed(view) || !value || !index || failed(requireLayout(scatter, value.getType())) ||
      failed(requireLayout(scatter, index.getType())))
    return failure();
  auto type = cast<RankedTensorType>(value.getType());
  hip::ScatterOp::create(builder, loc, value, *view, startOf(scatter), index,
                         builder.getI64IntegerAttr(static_cast<int64_t>(scatter.getEach())),
                         builder.getI64IntegerAttr(vectorBesides(type, scatter)));
  return success();
}

LogicalResult KernelLowering::lowerRead(tile::ReadOp read) {
  FailureOr<Value> view = accessView(read);
  Value most = valueOf(read.getUpto());
  if (failed(view) || !most)
    return failure();
  mapping.map(read.getResult(),
              hip::NumberOp::create(builder, loc, builder.getIndexType(), *view, startOf(read), most).getResult());
  return success();
}

FailureOr<Value> KernelLowering::sharedTile(Operation *op, Value buffer, Value copy, bool ofFirst) {
  auto type = cast<MemRefType>(buffer.getType());
  auto swizzle = dyn_cast_or_null<tile::SharedAttr>(type.getMemorySpace());
  auto declaration = buffer.getDefiningOp<tile::SharedBufferOp>();
  if (!swizzle || !declaration)
    return op->emitOpError() << "addresses " << type << ", expected the result of a 'tile.shared_buffer' in LDS";
  if (!declaration.getOffset())
    return declaration.emitOpError() << "has no offset in LDS";
  ArrayRef<int64_t> shape = type.getShape().drop_front(copy || ofFirst ? 1 : 0);
  Value offset = constant(*declaration.getOffset());
  if (copy) {
    Value number = valueOf(copy);
    if (!number)
      return failure();
    Value step = multiply(number, llvm::product_of(shape) * elementBytes(type.getElementType()));
    offset = builder.createOrFold<arith::AddIOp>(loc, offset, step);
  }
  Location at = nameOf(declaration.getLoc()).empty() ? named(loc, "tile") : declaration.getLoc();
  return hip::SharedOp::create(
             builder, at, hip::SharedType::get(builder.getContext(), type.getElementType(), shape, swizzle), offset)
      .getResult();
}

LogicalResult KernelLowering::lowerMemory(Operation *op) {
  if (isa<tile::PostOp, tile::ReceiveOp, tile::ReceiveAllOp>(op))
    return lowerPosted(op);
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return lowerLoad(load);
  if (auto gather = dyn_cast<tile::GatherOp>(op))
    return lowerGather(gather);
  if (auto scatter = dyn_cast<tile::ScatterOp>(op))
    return lowerScatter(scatter);
  if (auto read = dyn_cast<tile::ReadOp>(op))
    return lowerRead(read);
  auto toLds = dyn_cast<tile::SharedStoreOp>(op);
  auto fromLds = dyn_cast<tile::SharedLoadOp>(op);
  if (isa<tile::FetchOp, tile::CopyAsyncOp>(op) || (toLds && isRing(toLds.getBuffer())) ||
      (fromLds && isRing(fromLds.getBuffer())))
    return lowerRing(op);
  if (auto load = dyn_cast<tile::SharedLoadOp>(op)) {
    FailureOr<Value> shared = sharedTile(op, load.getBuffer(), load.getCopy());
    if (failed(shared) || failed(requireLayout(op, load.getType())))
      return failure();
    mapping.map(load.getResult(),
                hip::SharedLoadOp::create(builder, loc, load.getType(), *shared, load.getTransposed(), isInRest(op))
                    .getResult());
    return success();
  }
  Value value = valueOf(op->getOperand(0));
  if (!value || failed(requireLayout(op, value.getType())))
    return failure();
  if (auto store = dyn_cast<tile::SharedStoreOp>(op)) {
    FailureOr<Value> shared = sharedTile(op, store.getBuffer(), store.getCopy());
    if (succeeded(shared))
      hip::SharedStoreOp::create(builder, loc, value, *shared, store.getTransposed(), isInRest(op));
    return success(succeeded(shared));
  }
  if (auto rearrange = dyn_cast<tile::RearrangeOp>(op)) {
    FailureOr<Value> scratch = sharedTile(op, rearrange.getScratch(), /*copy=*/Value());
    if (succeeded(scratch))
      mapping.map(rearrange.getResult(),
                  hip::RearrangeOp::create(builder, loc, rearrange.getType(), value, *scratch).getResult());
    return success(succeeded(scratch));
  }
  auto access = cast<tile::AccessOpInterface>(op);
  FailureOr<Value> view = accessView(access);
  if (failed(view))
    return failure();
  SmallVector<Value> start = startOf(access);
  if (isa<tile::StoreOp>(op)) {
    auto tile = cast<RankedTensorType>(value.getType());
    hip::StoreOp::create(builder, loc, value, *view, start, builder.getI64IntegerAttr(vectorOf(tile)),
                         unitIf(builder, isPacked(access, tile, *view, start)));
    return success();
  }
  auto atomic = cast<tile::AtomicOp>(op);
  // Two atomics on one element race unless each has a scope that holds the other.
  const MemoryUse &use = memory[rootOf(atomic.getBuffer())];
  hip::AtomicOp::create(builder, loc, value, *view, start, atomic.getKind(),
                        use.remote || use.foreign ? tile::Scope::System : tile::Scope::Agent);
  return success();
}
