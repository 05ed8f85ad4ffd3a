// Inverts the addresses that `lower` linearised: an element offset becomes one index for each dimension of the buffer.
#include "passes/checker/ExitViews.h"

#include "dialect/Hip.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

/// Of which the pitches of a matrix are multiples where a copy engine reads it, and rows where it moves them.
static constexpr int64_t kMappedBytes = 16;

void ExitViews::bindArguments(hip::LauncherOp launcher, ValueRange given, Block &body) {
  memory.bind(launcher, given, body);
  for (Block *block : {&launcher.getBody().front(), &body})
    for (BlockArgument argument : block->getArguments())
      if (std::optional<unsigned> extent = memory.extentOf(argument))
        slots[argument] = program.extents[*extent];
  for (auto [passed, argument] : llvm::zip(given, body.getArguments()))
    if (argument.getType().isIntOrFloat() && !argument.getType().isInteger(1))
      givenNumbers[argument] = numberOf(passed);
    else if (auto mapped = passed.getDefiningOp<hip::MappedOp>())
      slots[argument] = areMapped(mapped);
}

/// What extents and strides say of it (`tensor_map`); pointers are taken to be aligned. Where they are not, loops run
/// that other extents show.
uint32_t ExitViews::areMapped(hip::MappedOp mapped) {
  for (Operation &op : *mapped->getBlock())
    if (isa<arith::ArithDialect>(op.getDialect()))
      compileScalar(&op);
  uint32_t zero = constant(0), all = constant(1);
  auto require = [&](uint32_t holds) { all = emit(Code::Mul, all, holds); };
  for (Value map : mapped.getMaps()) {
    auto told = map.getDefiningOp<hip::TensorMapOp>();
    Type element = cast<hip::TensorMapType>(map.getType()).getTile().getElement();
    uint32_t unit = constant(kMappedBytes / elementBytes(element));
    require(emit(Code::Equal, slots.lookup(told.getStrides().back()), constant(1)));
    for (Value stride : told.getStrides().drop_back())
      require(emit(Code::Equal, emit(Code::RemSigned, slots.lookup(stride), unit), zero));
    for (Value extent : told.getExtents())
      require(emit(Code::Less, zero, slots.lookup(extent)));
  }
  return all;
}

ValueRange ExitViews::stridesOf(Value view) {
  if (auto at = view.getDefiningOp<hip::ViewAtOp>())
    return at.getStrides();
  return view.getDefiningOp<hip::ViewOp>().getStrides();
}

/// What strides say of it; pointers are taken to be aligned. Where they are not, the loop runs that takes the rest.
LogicalResult ExitViews::compileRegular(hip::RegularOp op) {
  int32_t rank = -1;
  FailureOr<uint32_t> number = viewOf(op, op.getView(), rank);
  FailureOr<Slots> strides = slotList(op, stridesOf(op.getView()), "stride");
  if (failed(number) || failed(strides))
    return failure();
  uint32_t zero = constant(0), one = constant(1), vector = constant(op.getVector());
  uint32_t rows = binary(Code::Equal, binary(Code::RemSigned, strides->front(), vector), zero);
  slots[op.getResult()] = binary(Code::Mul, rows, binary(Code::Equal, strides->back(), one));
  return success();
}

/// What extents and strides say of it; pointers are taken to be aligned.
LogicalResult ExitViews::compileMovesInBulk(hip::MovesInBulkOp op) {
  uint32_t zero = constant(0), all = constant(1);
  auto require = [&](uint32_t holds) { all = emit(Code::Mul, all, holds); };
  SmallVector<Slots> extents;
  for (Value value : {op.getFrom(), op.getInto()}) {
    int32_t rank = -1;
    FailureOr<uint32_t> number = viewOf(op, value, rank);
    auto at = value.getDefiningOp<hip::ViewAtOp>();
    FailureOr<Slots> strides =
        slotList(op, at ? at.getStrides() : value.getDefiningOp<hip::ViewOp>().getStrides(), "stride");
    if (failed(number) || failed(strides))
      return failure();
    uint32_t unit = constant(kMappedBytes / elementBytes(cast<hip::ViewType>(value.getType()).getElement()));
    extents.push_back(program.views[*number].sizes);
    require(binary(Code::Equal, strides->back(), constant(1)));
    for (uint32_t side : {strides->front(), extents.back().back()})
      require(binary(Code::Equal, binary(Code::RemSigned, side, unit), zero));
  }
  for (auto [from, into] : llvm::zip(extents.front(), extents.back()))
    require(binary(Code::Equal, from, into));
  slots[op.getResult()] = all;
  return success();
}

FailureOr<ExitViews::Address> ExitViews::addressOf(Operation *op, Value pointer) {
  if (auto remote = pointer.getDefiningOp<hip::RemoteOp>()) {
    FailureOr<Address> address = addressOf(op, remote.getPointer());
    FailureOr<uint32_t> rank = slot(op, remote.getTo(), "rank");
    if (failed(address) || failed(rank))
      return failure();
    address->rank = *rank;
    return address;
  }
  auto advance = pointer.getDefiningOp<hip::AdvanceOp>();
  if (advance && !isa<NoneType>(advance.getType().getElement())) {
    FailureOr<Address> address = addressOf(op, advance.getPointer());
    FailureOr<uint32_t> elements = slot(op, advance.getElements(), "offset");
    if (failed(address) || failed(elements))
      return failure();
    address->shift = address->shift ? binary(Code::Add, *address->shift, *elements) : *elements;
    return address;
  }
  Value root = memory.rootOf(pointer);
  if (!root)
    return failure();
  return Address{root, -1, std::nullopt};
}

FailureOr<uint32_t> ExitViews::viewOf(Operation *op, Value value, int32_t &rank) {
  Operation *made = value.getDefiningOp();
  auto at = dyn_cast_or_null<hip::ViewAtOp>(made);
  auto plain = dyn_cast_or_null<hip::ViewOp>(made);
  if (!at && !plain)
    return op->emitOpError() << "accesses a value that is no 'hip.view' and no 'hip.view_at'";
  ValueRange sizes = at ? at.getExtents() : plain.getExtents(), steps = at ? at.getStrides() : plain.getStrides();
  FailureOr<Address> address = addressOf(op, at ? at.getPointer() : plain.getPointer());
  FailureOr<Slots> extents = slotList(op, sizes, "extent"), strides = slotList(op, steps, "stride");
  FailureOr<Slots> offsets = slotList(op, at ? ValueRange(at.getOffsets()) : ValueRange(), "offset");
  if (failed(address) || failed(extents) || failed(strides) || failed(offsets))
    return failure();
  rank = address->rank;
  SmallVector<ExitMemory::Dimension, 4> dims = memory.dimensionsOf(address->root, steps, sizes);
  if (dims.size() != extents->size())
    return op->emitOpError() << "has strides that are not those of the buffer that it views";
  View view;
  view.parent = views.lookup(address->root);
  view.root = program.views[view.parent].root;
  view.sizes = *extents;
  addDimensions(view, address->root, dims, *strides, *offsets, address->shift);
  program.views.push_back(std::move(view));
  return program.views.size() - 1;
}

/// Per dimension of the buffer: what the view has there, or the index that the shift of its pointer fixes. The shift
/// also holds where a view begins that skips elements.
void ExitViews::addDimensions(View &view, Value root, ArrayRef<ExitMemory::Dimension> dims, ArrayRef<uint32_t> strides,
                              ArrayRef<uint32_t> offsets, std::optional<uint32_t> shift) {
  size_t rank = program.views[view.parent].sizes.size();
  uint32_t one = constant(1), zero = constant(0);
  view.offsets.assign(rank, zero);
  view.strides.assign(rank, one);
  view.extents.assign(rank, one);
  view.dropped.assign(rank, true);
  SmallVector<unsigned, 4> moved;
  Slots steps;
  for (unsigned d = 0, next = 0; d < rank; ++d) {
    bool kept = next < dims.size() && dims[next].number == d;
    if (!kept || dims[next].skips) {
      moved.push_back(d);
      steps.push_back(stepOf(root, view.parent, d));
    }
    if (!kept)
      continue;
    view.offsets[d] = offsets.empty() ? zero : offsets[next];
    view.extents[d] = view.sizes[next];
    view.dropped[d] = false;
    if (dims[next].skips)
      view.strides[d] = binary(Code::DivSigned, strides[next], steps.back());
    ++next;
  }
  if (!shift)
    return;
  Slots indices = moved.size() > 1 && memory.isStrided(root) ? divideByLargest(view, *shift, moved, steps)
                                                             : divideInOrder(*shift, steps);
  for (auto [d, index] : llvm::zip_equal(moved, indices))
    view.offsets[d] = index;
}

/// The indices that a shift is made of, where each step is a multiple of what the later ones reach.
Slots ExitViews::divideInOrder(uint32_t shift, ArrayRef<uint32_t> steps) {
  Slots indices;
  for (uint32_t step : steps) {
    indices.push_back(binary(Code::DivSigned, shift, step));
    shift = binary(Code::RemSigned, shift, step);
  }
  return indices;
}

/// The same where extents decide which step is larger: each time by the largest that is left. A dimension of one
/// element has no index to find, whatever its step.
Slots ExitViews::divideByLargest(const View &view, uint32_t shift, ArrayRef<unsigned> dims, ArrayRef<uint32_t> steps) {
  uint32_t one = constant(1), zero = constant(0);
  Slots indices(dims.size(), zero), open;
  for (unsigned d : dims)
    open.push_back(binary(Code::Less, one, program.views[view.parent].sizes[d]));
  for (size_t time = 0; time < dims.size(); ++time) {
    uint32_t largest = one, left = one;
    for (size_t i = 0; i < dims.size(); ++i)
      largest = binary(Code::Max, largest, binary(Code::Mul, open[i], steps[i]));
    uint32_t index = binary(Code::DivSigned, shift, largest);
    for (size_t i = 0; i < dims.size(); ++i) {
      uint32_t same = binary(Code::Mul, open[i], binary(Code::Equal, steps[i], largest));
      uint32_t taken = binary(Code::Mul, left, same);
      indices[i] = binary(Code::Add, indices[i], binary(Code::Mul, taken, index));
      open[i] = binary(Code::Sub, open[i], taken);
      left = binary(Code::Sub, left, taken);
    }
    uint32_t divided = binary(Code::Mul, binary(Code::Sub, one, left), index);
    shift = binary(Code::Sub, shift, binary(Code::Mul, divided, largest));
  }
  // Nothing remains of a shift that is right; else the view leaves its buffer.
  indices.front() = binary(Code::Add, indices.front(), shift);
  return indices;
}

/// Elements from one index of a dimension of a root to the next; at least 1, which divides.
uint32_t ExitViews::stepOf(Value root, uint32_t view, unsigned d) {
  uint32_t one = constant(1), step = one;
  if (auto argument = dyn_cast<BlockArgument>(root))
    if (auto strides = argumentStrides(program.op, argument.getArgNumber() - program.op.getNumExtents());
        !strides.empty())
      return binary(Code::Max, expression(strides[d], program.extents), one);
  for (uint32_t inner : ArrayRef(program.views[view].sizes).drop_front(d + 1))
    step = binary(Code::Mul, step, binary(Code::Max, inner, one));
  return step;
}
