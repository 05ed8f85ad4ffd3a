// `lower`: rings, fetches and steps (`schedule` made them), to activities on registers that are written more than once.
#include "passes/analysis/LayoutConversion.h"
#include "passes/lower/Lower.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;

bool tilec::isVisible(Value value, OpBuilder &builder) {
  Block *block = builder.getInsertionBlock();
  return block == value.getParentBlock() ||
         value.getParentBlock()->findAncestorOpInBlock(*block->getParentOp()) != nullptr;
}

bool KernelLowering::isRing(Value buffer) {
  return llvm::any_of(buffer.getUsers(), [](Operation *user) { return user->getParentOfType<tile::StepsOp>(); });
}

Type KernelLowering::activity() { return hip::ActivityType::get(builder.getContext()); }

/// The operand of a product that a read of LDS is for.
static StringRef operandName(Value read) {
  for (OpOperand &use : read.getUses()) {
    if (isa<tile::DotOp>(use.getOwner()))
      return use.getOperandNumber() == 0 ? "lhs" : "rhs";
    if (auto loop = dyn_cast<scf::ForOp>(use.getOwner()))
      return operandName(loop.getTiedLoopRegionIterArg(&use));
    auto steps = dyn_cast<tile::StepsOp>(use.getOwner());
    if (!steps)
      continue;
    for (OpOperand &inner :
         steps.getCarried()[use.getOperandNumber() - steps.getInits().getBeginOperandIndex()].getUses())
      if (isa<tile::DotOp>(inner.getOwner()))
        return inner.getOperandNumber() == 0 ? "lhs" : "rhs";
  }
  return "tile";
}

/// Whether steps of halves that alternate read what their places multiply, which takes it from registers.
static bool isReadForPlaces(tile::SharedLoadOp load) {
  auto steps = dyn_cast<tile::StepsOp>(load->getParentOp());
  return steps && steps.getAlternating() && llvm::all_of(load->getUsers(), [](Operation *user) {
           return isa<tile::DotOp>(user) && isa<tile::PlacesOp>(user->getParentOp());
         });
}

/// Whether a loop around `tile.steps` hands a tile from one run of steps to the next: it stays in the registers that
/// the steps work on.
static bool isHeldBySteps(BlockArgument argument) {
  return isa<RankedTensorType>(argument.getType()) && argument.hasOneUse() &&
         isa<tile::StepsOp>(*argument.user_begin());
}

//===-- what is made before a loop
//---------------------------------------------------------------------------------===//

FailureOr<Value> KernelLowering::ringOf(Value buffer) {
  Value &ring = rings[buffer];
  if (ring && isVisible(ring, builder))
    return ring;
  auto declaration = buffer.getDefiningOp<tile::SharedBufferOp>();
  auto type = cast<MemRefType>(buffer.getType());
  if (!declaration.getOffset())
    return declaration.emitOpError() << "has no offset in LDS";
  auto tile = hip::SharedType::get(builder.getContext(), type.getElementType(), type.getShape().drop_front(),
                                   cast<tile::SharedAttr>(type.getMemorySpace()));
  auto slots = builder.getI64IntegerAttr(type.getDimSize(0));
  StringRef name = nameOf(declaration.getLoc());
  return ring = hip::RingOp::create(builder, named(loc, (name.empty() ? "tile" : name) + "_ring"),
                                    hip::RingType::get(builder.getContext(), tile, type.getDimSize(0)), slots,
                                    builder.getI64IntegerAttr(*declaration.getOffset()))
                    .getResult();
}

FailureOr<Value> KernelLowering::addressesOf(Value buffer, RankedTensorType tile, bool transposed, const Twine &name) {
  FailureOr<Value> ring = ringOf(buffer);
  if (failed(ring))
    return failure();
  Value &addresses = ringAddresses[transposed][{buffer, tile}];
  if (addresses && isVisible(addresses, builder))
    return addresses;
  auto type = hip::AddressesType::get(builder.getContext(), tile, cast<hip::RingType>(ring->getType()));
  return addresses = hip::AddressesOp::create(builder, named(loc, name), type, *ring, transposed).getResult();
}

Value KernelLowering::slotOf(Value ring, Value number) {
  auto type = hip::SlotType::get(builder.getContext(), cast<hip::RingType>(ring.getType()).getTile());
  return hip::SlotOp::create(builder, loc, type, ring, number, inTurn);
}

/// Whether steps take further rows of the view.
static bool takesRows(tile::FetchOp fetch) { return fetch.getByRows() || fetch.getAcross(); }

/// A tile as it lies in memory: of what is fetched across the transpose.
static RankedTensorType inMemory(tile::FetchOp fetch) {
  RankedTensorType tile = fetch.getType();
  if (!fetch.getAcross())
    return tile;
  return withLayout(RankedTensorType::get({tile.getDimSize(1), tile.getDimSize(0)}, tile.getElementType()),
                    layoutOf(tile)->transpose({1, 0}));
}

/// Where a loop over columns, or over rows, begins. `tile` is as it lies in the view.
SmallVector<Value> KernelLowering::feedStart(OperandRange indices, ArrayRef<int64_t> tile, bool byRows) {
  Value kept = multiply(valueOf(indices[byRows]), tile[byRows]);
  if (!kept)
    return {};
  return byRows ? SmallVector<Value>{constant(0), kept} : SmallVector<Value>{kept, constant(0)};
}

/// A number of steps in bytes. In a loop the least of two numbers is that of their bytes: then it adds to what counts,
/// and does not multiply.
Value KernelLowering::inBytes(Value steps, int64_t bytes) {
  auto least = steps ? steps.getDefiningOp<arith::MinSIOp>() : arith::MinSIOp();
  if (!least || !isa<hip::StepsOp>(builder.getInsertionBlock()->getParentOp()))
    return multiply(steps, bytes);
  Value &known = scaled[{steps, bytes}];
  if (!known || !isVisible(known, builder))
    known = arith::MinSIOp::create(builder, least.getLoc(), multiply(least.getLhs(), bytes),
                                   multiply(least.getRhs(), bytes));
  return known;
}

/// Bytes from there to the tile of a step.
Value KernelLowering::movedBy(Value view, OperandRange indices, ArrayRef<int64_t> tile, Type element, bool byRows) {
  Value index = valueOf(indices[!byRows]);
  if (!byRows)
    return inBytes(index, tile[1] * bytesOf(element));
  auto at = view.getDefiningOp<hip::ViewAtOp>();
  Value stride = at ? at.getStrides()[0] : view.getDefiningOp<hip::ViewOp>().getStrides()[0];
  if (!stride.getType().isIndex())
    stride = builder.createOrFold<arith::IndexCastOp>(loc, builder.getIndexType(), stride);
  // What a step is apart from the next does not change.
  Value step = multiply(stride, tile[0] * bytesOf(element));
  return index ? builder.createOrFold<arith::MulIOp>(loc, index, step) : Value();
}

/// Fetches of one loop differ in the step alone.
static bool hasFeedOf(tile::FetchOp known, tile::FetchOp op) {
  bool rows = takesRows(op);
  return known.getBuffer() == op.getBuffer() && takesRows(known) == rows &&
         known.getIndices()[rows] == op.getIndices()[rows] && known.getFrom() == op.getFrom();
}

FailureOr<KernelLowering::Feed *> KernelLowering::feedOf(tile::FetchOp fetch) {
  for (Feed &feed : feeds)
    if (hasFeedOf(feed.fetch, fetch) && feed.fetch.getAcross() == fetch.getAcross() &&
        feed.fetch.getType() == fetch.getType() && isVisible(feed.feed, builder))
      return &feed;
  FailureOr<Value> view = accessView(fetch);
  RankedTensorType tile = inMemory(fetch);
  SmallVector<Value> start = feedStart(fetch.getIndices(), tile.getShape(), takesRows(fetch));
  if (failed(view) || start.empty())
    return failure();
  std::string name = nameOf(rootOf(fetch.getBuffer()).getLoc()).str();
  MLIRContext *context = builder.getContext();
  auto vector = builder.getI64IntegerAttr(vectorOf(tile));
  Value feed = hip::FeedOp::create(builder, named(loc, name + "_feed"), hip::FeedType::get(context, fetch.getType()),
                                   *view, start, vector, fetch.getAcrossAttr(), fetch.getByRowsAttr());
  Value held = hip::HoldOp::create(builder, named(loc, name + "_tile"), hip::HeldType::get(context, fetch.getType(), 1),
                                   Value());
  feeds.push_back({fetch, feed, held});
  return &feeds.back();
}

//===-- activities
//-------------------------------------------------------------------------------------------------===//

FailureOr<Value> KernelLowering::fetching(tile::FetchOp fetch) {
  FailureOr<Feed *> feed = feedOf(fetch);
  if (failed(feed))
    return failure();
  RankedTensorType tile = inMemory(fetch);
  int64_t bytes = bytesOf(tile.getElementType());
  Value view = (*feed)->feed.getDefiningOp<hip::FeedOp>().getView();
  // Along the columns of the transpose the feed counts rows itself.
  Value moved = fetch.getAcross()
                    ? inBytes(valueOf(fetch.getIndices()[0]), tile.getDimSize(0) * bytes)
                    : movedBy(view, fetch.getIndices(), tile.getShape(), tile.getElementType(), fetch.getByRows());
  if (!moved)
    return failure();
  held[fetch.getResult()] = (*feed)->registers;
  return hip::FetchingOp::create(builder, loc, activity(), (*feed)->registers, (*feed)->feed, moved).getResult();
}

FailureOr<Value> KernelLowering::depositing(tile::SharedStoreOp store) {
  Value from = held.lookup(store.getValue()), number = valueOf(store.getCopy());
  auto tile = cast<RankedTensorType>(store.getValue().getType());
  FailureOr<Value> ring = ringOf(store.getBuffer());
  if (failed(ring) || !number)
    return failure();
  if (!from)
    return store.emitOpError() << "fills a ring with what no 'tile.fetch' has fetched";
  FailureOr<Value> to = addressesOf(store.getBuffer(), tile, store.getTransposed(),
                                    nameOf(store.getBuffer().getDefiningOp()->getLoc()) + "_to");
  if (failed(to))
    return failure();
  return hip::DepositingOp::create(builder, loc, activity(), slotOf(*ring, number), *to, from).getResult();
}

FailureOr<Value> KernelLowering::reading(tile::SharedLoadOp load, Value to, const Twine &name) {
  Value number = valueOf(load.getCopy());
  FailureOr<Value> ring = ringOf(load.getBuffer());
  if (failed(ring) || !number)
    return failure();
  FailureOr<Value> addresses = addressesOf(load.getBuffer(), load.getType(), load.getTransposed(), name + "_from");
  if (failed(addresses))
    return failure();
  return hip::ReadingOp::create(builder, loc, activity(), to, *addresses, slotOf(*ring, number)).getResult();
}

FailureOr<Value> KernelLowering::copying(tile::CopyAsyncOp copy, Value feed) {
  auto type = cast<MemRefType>(copy.getRing().getType());
  FailureOr<Value> ring = ringOf(copy.getRing());
  Value number = valueOf(copy.getSlot());
  if (failed(ring) || !number)
    return failure();
  auto direct = feed.getDefiningOp<hip::DirectFeedOp>();
  OperandRange indices = copy.getIndices().take_back(2);
  // The engine counts rows itself.
  bool countsRows = !direct && copy.getByRows();
  Value moved = countsRows ? multiply(valueOf(indices[0]), type.getDimSize(1))
                           : movedBy(direct ? direct.getView() : Value(), indices, type.getShape().drop_front(),
                                     type.getElementType(), copy.getByRows());
  if (!moved)
    return failure();
  return hip::CopyingOp::create(builder, loc, activity(), slotOf(*ring, number), feed, moved, copy.getReadOnce(),
                                copy.getHalved())
      .getResult();
}

/// Joins an activity to those that are done just before.
void KernelLowering::inOrder(Value activity) {
  SmallVector<Value> activities;
  Block::iterator at = builder.getInsertionPoint();
  while (at != builder.getInsertionBlock()->begin()) {
    --at;
    if (auto before = dyn_cast<hip::InOrderOp>(*at)) {
      activities.assign(before.getActivities().begin(), before.getActivities().end());
      before.erase();
      break;
    }
    if (!isMemoryEffectFree(&*at) && !isa<hip::HoldOp>(*at))
      break;
  }
  activities.push_back(activity);
  if (isa<hip::StepsOp>(builder.getInsertionBlock()->getParentOp()))
    joinRefills(activities);
  hip::InOrderOp::create(builder, loc, activities);
}

/// What is done with a ring outside of `tile.places`.
LogicalResult KernelLowering::lowerRing(Operation *op) {
  FailureOr<Value> made;
  if (auto fetch = dyn_cast<tile::FetchOp>(op)) {
    made = fetching(fetch);
  } else if (auto copy = dyn_cast<tile::CopyAsyncOp>(op)) {
    made = copyingDirectly(copy);
  } else if (auto store = dyn_cast<tile::SharedStoreOp>(op)) {
    made = depositing(store);
  } else {
    auto load = cast<tile::SharedLoadOp>(op);
    bool isMultiplied = llvm::any_of(load->getUsers(), [](Operation *user) { return isa<tile::DotOp>(user); });
    bool isOfStep = isReadForPlaces(load);
    if (!isOfStep && (load->getParentOfType<tile::StepsOp>() || isMultiplied))
      return lowerSlotRead(load);
    // The step that multiplies one reads the next into the other.
    auto type = hip::HeldType::get(builder.getContext(), load.getType(), isOfStep ? 1 : 2);
    StringRef name = operandName(load);
    Value registers = hip::HoldOp::create(builder, named(loc, name), type, Value());
    (isOfStep ? held : pairs)[load.getResult()] = registers;
    made = reading(load, isOfStep ? registers : heldAt(registers, constant(0), 2), name);
  }
  if (succeeded(made) && *made)
    inOrder(*made);
  return success(succeeded(made));
}

/// A tile of the step at hand.
LogicalResult KernelLowering::lowerSlotRead(tile::SharedLoadOp load) {
  Value number = valueOf(load.getCopy());
  FailureOr<Value> ring = ringOf(load.getBuffer());
  if (failed(ring) || !number)
    return failure();
  StringRef name = nameOf(load.getBuffer().getDefiningOp()->getLoc());
  FailureOr<Value> addresses = addressesOf(load.getBuffer(), load.getType(), load.getTransposed(), name + "_from");
  if (failed(addresses))
    return failure();
  mapping.map(load.getResult(), hip::ReadSlotOp::create(builder, named(loc, name + "_operand"), load.getType(),
                                                        *addresses, slotOf(*ring, number))
                                    .getResult());
  return success();
}

LogicalResult KernelLowering::lowerRegular(tile::RegularOp regular) {
  FailureOr<Value> view = bufferView(regular.getBuffer(), regular.getFrom());
  if (failed(view))
    return failure();
  SmallVector<Value> start;
  for (auto [index, size] : llvm::zip(regular.getIndices(), regular.getTile()))
    start.push_back(multiply(valueOf(index), size));
  int64_t rows = regular.getByRows() ? 0 : regular.getTile()[0];
  mapping.map(regular.getResult(),
              hip::RegularOp::create(builder, loc, builder.getI1Type(), *view, start, builder.getI64IntegerAttr(rows),
                                     regular.getVectorAttr(), regular.getAcrossAttr())
                  .getResult());
  return success();
}

//===-- steps
//------------------------------------------------------------------------------------------------------===//

/// Of two tiles the one for a slot of so many, which are even in number, so that neighbours differ.
Value KernelLowering::heldAt(Value pair, Value slot, int64_t slots) {
  auto type = cast<hip::HeldType>(pair.getType());
  Value number = slots == 2 ? slot : builder.createOrFold<arith::RemSIOp>(loc, slot, constant(2));
  return hip::HeldAtOp::create(builder, loc, hip::HeldType::get(builder.getContext(), type.getTile(), 1), pair, number);
}

/// Whether steps compute with tiles outside of their places.
static bool compute(tile::StepsOp steps) {
  return llvm::any_of(steps.getBody().front().without_terminator(), [](Operation &op) {
    return !isa<tile::PlacesOp, tile::FetchOp, tile::SharedLoadOp, tile::LoadOp>(op) &&
           llvm::any_of(op.getResultTypes(), llvm::IsaPred<RankedTensorType>);
  });
}

/// Whether places have a product of what the step has computed, or has read for it. Else the step hands on what they
/// leave, in the registers that it found it in. Halves that alternate multiply what the step has read, in registers
/// that it keeps.
static bool areOfValues(tile::PlacesOp places) {
  auto steps = dyn_cast<tile::StepsOp>(places->getParentOp());
  if (steps && steps.getAlternating())
    return false;
  Block &body = places.getBody().front();
  return llvm::range_size(body.getOps<tile::DotOp>()) == 1 &&
         (body.getOps<tile::SharedLoadOp>().empty() || (steps && compute(steps)));
}

/// Whether steps work on registers that they hand on as they are.
static bool handsOnPlaces(tile::StepsOp steps) {
  auto places = steps.getBody().front().getOps<tile::PlacesOp>();
  return llvm::any_of(places, [](tile::PlacesOp op) { return !areOfValues(op); });
}

LogicalResult KernelLowering::lowerSteps(tile::StepsOp op) {
  Value count = valueOf(op.getCount()), from = op.getFrom() ? valueOf(op.getFrom()) : Value();
  if (!count || (op.getFrom() && !from))
    return failure();
  SmallVector<Value> carried = llvm::map_to_vector(op.getInits(), [&](Value init) { return registersOf(init); });
  if (llvm::is_contained(carried, Value()))
    return failure();
  if ((!handsOnPlaces(op) || op.getAlternating()) && failed(addressBefore(op)))
    return failure();
  auto steps = hip::StepsOp::create(builder, loc, from, count, builder.getI64IntegerAttr(op.getSlots()),
                                    op.getAlternating() ? kernel.getThreadsAttr() : IntegerAttr());
  {
    OpBuilder::InsertionGuard guard(builder);
    Block &body = steps.getBody().emplaceBlock();
    builder.setInsertionPointToEnd(&body);
    mapping.map(op.getSlot(), body.addArgument(builder.getIndexType(), named(loc, "slot")));
    mapping.map(op.getStep(), body.addArgument(builder.getIndexType(), op.getStep().getLoc()));
    if (failed(lowerStep(op, carried)))
      return failure();
  }
  for (auto [result, value] : llvm::zip(op.getResults(), carried))
    takeFrom(value, result);
  return success();
}

/// The registers in which steps find a tile: those it was read or fetched into, or others that it is moved to.
Value KernelLowering::registersOf(Value tile) {
  if (Value known = pairs.lookup(tile) ? pairs.lookup(tile) : held.lookup(tile))
    return known;
  Value value = valueOf(tile);
  if (!value)
    return Value();
  auto type = hip::HeldType::get(builder.getContext(), cast<RankedTensorType>(tile.getType()), 1);
  return hip::HoldOp::create(builder, named(loc, "acc"), type, value);
}

/// What steps have left in registers, for all uses but by the steps of a loop around them.
void KernelLowering::takeFrom(Value registers, Value result) {
  if (llvm::any_of(result.getUsers(),
                   [](Operation *user) { return !isa<scf::YieldOp>(user) || !isa<scf::ForOp>(user->getParentOp()); }))
    mapping.map(result, hip::TakeOp::create(builder, named(loc, "sums"), result.getType(), registers));
}

LogicalResult KernelLowering::holdForSteps(scf::ForOp loop) {
  for (auto [argument, init] : llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()))
    if (isHeldBySteps(argument) && !(held[argument] = registersOf(init)))
      return failure();
  return success();
}

void KernelLowering::takeFromSteps(scf::ForOp loop) {
  for (auto [argument, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults()))
    if (isHeldBySteps(argument))
      takeFrom(held.lookup(argument), result);
}

/// What the steps address in LDS, once for all of them.
LogicalResult KernelLowering::addressBefore(tile::StepsOp op) {
  auto address = [&](Value buffer, Value copy, RankedTensorType tile, bool transposed, const Twine &suffix) {
    if (!copy)
      return success();
    StringRef name = nameOf(buffer.getDefiningOp()->getLoc());
    return success(succeeded(addressesOf(buffer, tile, transposed, name + suffix)));
  };
  auto walked = op.getBody().walk([&](Operation *inner) {
    auto store = dyn_cast<tile::SharedStoreOp>(inner);
    auto load = dyn_cast<tile::SharedLoadOp>(inner);
    if ((store && failed(address(store.getBuffer(), store.getCopy(), cast<RankedTensorType>(store.getValue().getType()),
                                 store.getTransposed(), "_to"))) ||
        (load && failed(address(load.getBuffer(), load.getCopy(), load.getType(), load.getTransposed(), "_from"))))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return success(!walked.wasInterrupted());
}

LogicalResult KernelLowering::lowerStep(tile::StepsOp op, ArrayRef<Value> carried) {
  Block &body = op.getBody().front();
  bool hasPlaces = handsOnPlaces(op);
  // Without places a step computes with values, and leaves others.
  for (auto [argument, value] : llvm::zip(op.getCarried(), carried)) {
    bool isPair = cast<hip::HeldType>(value.getType()).getCount() != 1;
    if (!isPair)
      held[argument] = value;
    else if (!hasPlaces)
      held[argument] = heldAt(value, valueOf(op.getSlot()), op.getSlots());
    if (hasPlaces || isPair)
      continue;
    if (!llvm::all_of(argument.getUsers(), [](Operation *user) { return isa<tile::SharedStoreOp>(user); }))
      mapping.map(argument, hip::TakeOp::create(builder, argument.getLoc(), argument.getType(), value));
  }
  for (Operation &inner : body.without_terminator()) {
    loc = unnamed(inner.getLoc());
    auto places = dyn_cast<tile::PlacesOp>(inner);
    LogicalResult lowered = !places     ? lowerOp(&inner)
                            : hasPlaces ? lowerPlaces(places, op, carried)
                                        : lowerPlacesOfValues(places, op, carried);
    if (failed(lowered))
      return failure();
    keepNames(&inner);
  }
  return hasPlaces ? success() : lowerNext(cast<tile::NextOp>(body.getTerminator()), carried);
}

LogicalResult KernelLowering::lowerNext(tile::NextOp next, ArrayRef<Value> carried) {
  for (auto [value, to] : llvm::zip(next.getValues(), carried)) {
    if (held.lookup(value) == to)
      continue; // it is there
    Value known = valueOf(value);
    if (!known)
      return failure();
    hip::PutOp::create(builder, loc, to, known);
  }
  return success();
}

/// Products of what the steps carry; accesses write what the next step finds there.
LogicalResult KernelLowering::lowerPlaces(tile::PlacesOp op, tile::StepsOp steps, ArrayRef<Value> carried) {
  auto next = cast<tile::NextOp>(steps.getBody().front().getTerminator());
  auto placed = cast<tile::PlacedOp>(op.getBody().front().getTerminator());
  for (auto [argument, value] : llvm::zip(steps.getCarried(), carried))
    if (cast<hip::HeldType>(value.getType()).getCount() != 1)
      held[argument] = heldAt(value, valueOf(steps.getSlot()), steps.getSlots());
  size_t numPlaced = op.getNumResults();
  if (next.getValues().take_front(numPlaced) != op.getResults())
    return op.emitOpError() << "has results that the step does not hand on in their order";
  for (auto [value, registers] : llvm::zip(next.getValues().drop_front(numPlaced), carried.drop_front(numPlaced)))
    if (held.lookup(value) != registers)
      return op.emitOpError() << "is in a step that hands on what lies in other registers than it was carried in";
  auto handedOn = [&](Value value) {
    return carried[llvm::find(placed.getValues(), value) - placed.getValues().begin()];
  };
  SmallVector<Value> products, activities;
  for (Operation &inner : op.getBody().front().without_terminator()) {
    FailureOr<Value> made;
    if (auto dot = dyn_cast<tile::DotOp>(inner)) {
      held[dot.getResult()] = held.lookup(dot.getAcc());
      products.push_back(multiplying(dot));
      continue;
    }
    if (auto load = dyn_cast<tile::SharedLoadOp>(inner))
      made = reading(load, heldAt(handedOn(load.getResult()), valueOf(load.getCopy()), steps.getSlots()), "tile");
    else if (auto store = dyn_cast<tile::SharedStoreOp>(inner))
      made = depositing(store);
    else if (auto copy = dyn_cast<tile::CopyAsyncOp>(inner)) {
      made = copyingDirectly(copy);
    } else
      made = fetching(cast<tile::FetchOp>(inner));
    if (failed(made))
      return failure();
    if (*made)
      activities.push_back(*made);
  }
  joinRefills(activities);
  Value all = products.front();
  if (products.size() > 1)
    all = hip::InTurnOp::create(builder, loc, activity(), products);
  hip::PlacesOp::create(builder, loc, all, activities);
  return success();
}

/// The registers that a read in places is for: those that the next step finds, or others of this one.
Value KernelLowering::registersToRead(tile::SharedLoadOp load, tile::StepsOp steps, ArrayRef<Value> carried) {
  auto places = cast<tile::PlacesOp>(load->getParentOp());
  auto placed = cast<tile::PlacedOp>(places.getBody().front().getTerminator());
  Value result = places.getResult(llvm::find(placed.getValues(), load.getResult()) - placed.getValues().begin());
  auto next = cast<tile::NextOp>(steps.getBody().front().getTerminator());
  auto position = llvm::find(next.getValues(), result);
  if (position == next.getValues().end())
    return hip::HoldOp::create(builder, named(loc, operandName(result)),
                               hip::HeldType::get(builder.getContext(), load.getType(), 1), Value());
  Value pair = carried[position - next.getValues().begin()];
  held[result] = pair;
  if (cast<hip::HeldType>(pair.getType()).getCount() == 1)
    return pair;
  return heldAt(pair, valueOf(load.getCopy()), steps.getSlots());
}

/// An access in the places of a product of values.
FailureOr<Value> KernelLowering::accessInPlaces(Operation *op, tile::StepsOp steps, ArrayRef<Value> carried) {
  if (auto copy = dyn_cast<tile::CopyAsyncOp>(op))
    return copyingDirectly(copy);
  if (auto store = dyn_cast<tile::SharedStoreOp>(op))
    return depositing(store);
  if (auto load = dyn_cast<tile::SharedLoadOp>(op)) {
    held[load.getResult()] = registersToRead(load, steps, carried);
    return reading(load, held[load.getResult()], "tile");
  }
  return fetching(cast<tile::FetchOp>(op));
}

/// A product of what the step has computed, or read, with accesses in its places. Its result is a value; what has been
/// fetched or read stays in its registers.
LogicalResult KernelLowering::lowerPlacesOfValues(tile::PlacesOp op, tile::StepsOp steps, ArrayRef<Value> carried) {
  auto hold = [&](Value tile, const Twine &name) -> Value {
    Value value = valueOf(tile);
    auto type = hip::HeldType::get(builder.getContext(), cast<RankedTensorType>(tile.getType()), 1);
    return value ? hip::HoldOp::create(builder, named(loc, name), type, value).getResult() : Value();
  };
  auto holdOperand = [&](Value tile, const Twine &name) {
    Value known = held.lookup(tile);
    return known ? known : hold(tile, name);
  };
  Value sums, product;
  SmallVector<Value> activities;
  for (Operation &inner : op.getBody().front().without_terminator()) {
    if (auto dot = dyn_cast<tile::DotOp>(inner)) {
      sums = hold(dot.getAcc(), "acc");
      Value a = holdOperand(dot.getLhs(), "lhs"), b = holdOperand(dot.getRhs(), "rhs");
      if (!sums || !a || !b)
        return failure();
      product = hip::MultiplyingOp::create(builder, loc, activity(), sums, a, b, dot.getInstructionAttr(),
                                           dot.getTranspose(), dot.getLhsTransposed());
      continue;
    }
    FailureOr<Value> made = accessInPlaces(&inner, steps, carried);
    if (failed(made))
      return failure();
    if (*made)
      activities.push_back(*made);
  }
  joinRefills(activities);
  hip::PlacesOp::create(builder, loc, product, activities);
  for (auto [result, value] : llvm::zip(op.getResults(), op.getBody().front().getTerminator()->getOperands())) {
    if (value.getDefiningOp<tile::DotOp>())
      mapping.map(result, hip::TakeOp::create(builder, op.getLoc(), result.getType(), sums).getResult());
    else if (!held.lookup(result))
      held[result] = held.lookup(value);
  }
  return success();
}

Value KernelLowering::multiplying(tile::DotOp dot) {
  return hip::MultiplyingOp::create(builder, loc, activity(), held.lookup(dot.getAcc()), held.lookup(dot.getLhs()),
                                    held.lookup(dot.getRhs()), dot.getInstructionAttr(), dot.getTranspose(),
                                    dot.getLhsTransposed());
}

/// A deposit, and the fetch into the same registers behind it, go vector by vector.
void KernelLowering::joinRefills(SmallVectorImpl<Value> &activities) {
  for (size_t i = 0; i + 1 < activities.size(); ++i) {
    auto deposit = activities[i].getDefiningOp<hip::DepositingOp>();
    auto fetch = activities[i + 1].getDefiningOp<hip::FetchingOp>();
    if (!deposit || !fetch || deposit.getFrom() != fetch.getTo())
      continue;
    activities[i] = hip::RefillingOp::create(builder, loc, activity(), deposit.getSlot(), deposit.getAddresses(),
                                             deposit.getFrom(), fetch.getFeed(), fetch.getMoved());
    activities.erase(activities.begin() + i + 1);
  }
}
