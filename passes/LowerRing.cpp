// `lower`: rings, fetches and steps (`schedule` made them), to activities on registers that are written more than once.
#include "passes/Lower.h"
#include "passes/analysis/LayoutConversion.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;

/// Whether a value of this block is defined at the builder's place.
static bool isVisible(Value value, OpBuilder &builder) {
  Block *block = builder.getInsertionBlock();
  return block == value.getParentBlock() ||
         value.getParentBlock()->findAncestorOpInBlock(*block->getParentOp()) != nullptr;
}

bool KernelLowering::isRing(Value buffer) {
  return llvm::any_of(buffer.getUsers(), [](Operation *user) { return isa<tile::PlacesOp>(user->getParentOp()); });
}

Type KernelLowering::activity() { return hip::ActivityType::get(builder.getContext()); }

/// The operand of a product that a read of LDS is for.
static StringRef operandName(tile::SharedLoadOp read) {
  for (OpOperand &use : read->getUses()) {
    auto steps = dyn_cast<tile::StepsOp>(use.getOwner());
    if (!steps)
      continue;
    for (OpOperand &inner : steps.getCarried()[use.getOperandNumber() - 1].getUses())
      if (isa<tile::DotOp>(inner.getOwner()))
        return inner.getOperandNumber() == 0 ? "lhs" : "rhs";
  }
  return "tile";
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

FailureOr<Value> KernelLowering::addressesOf(Value buffer, RankedTensorType tile, const Twine &name) {
  FailureOr<Value> ring = ringOf(buffer);
  if (failed(ring))
    return failure();
  Value &addresses = ringAddresses[{buffer, tile}];
  if (addresses && isVisible(addresses, builder))
    return addresses;
  auto type = hip::AddressesType::get(builder.getContext(), tile, cast<hip::RingType>(ring->getType()));
  return addresses = hip::AddressesOp::create(builder, named(loc, name), type, *ring).getResult();
}

Value KernelLowering::slotOf(Value ring, Value number) {
  auto type = hip::SlotType::get(builder.getContext(), cast<hip::RingType>(ring.getType()).getTile());
  return hip::SlotOp::create(builder, loc, type, ring, number);
}

/// Of a fetch's indices that of the step, and the other one.
static Value stepOf(tile::FetchOp fetch) { return fetch.getIndices()[fetch.getAcross() ? 0 : 1]; }
static Value placeOf(tile::FetchOp fetch) { return fetch.getIndices()[fetch.getAcross() ? 1 : 0]; }

/// Elements of one access to memory of a tile, or of its transpose.
static int64_t vectorInMemory(tile::FetchOp fetch) {
  RankedTensorType tile = fetch.getType();
  if (!fetch.getAcross())
    return vectorOf(tile);
  return vectorOf(withLayout(RankedTensorType::get({tile.getDimSize(1), tile.getDimSize(0)}, tile.getElementType()),
                             layoutOf(tile)->transpose({1, 0})));
}

FailureOr<KernelLowering::Feed *> KernelLowering::feedOf(tile::FetchOp fetch) {
  for (Feed &feed : feeds)
    if (feed.fetch.getBuffer() == fetch.getBuffer() && placeOf(feed.fetch) == placeOf(fetch) &&
        feed.fetch.getAcross() == fetch.getAcross() && feed.fetch.getFrom() == fetch.getFrom() &&
        feed.fetch.getType() == fetch.getType() && isVisible(feed.feed, builder))
      return &feed;
  FailureOr<Value> view = accessView(fetch);
  Value row = multiply(valueOf(placeOf(fetch)), fetch.getType().getDimSize(0));
  if (failed(view) || !row)
    return failure();
  SmallVector<Value> start{row, constant(0)};
  if (fetch.getAcross())
    std::swap(start[0], start[1]);
  std::string name = nameOf(rootOf(fetch.getBuffer()).getLoc()).str();
  MLIRContext *context = builder.getContext();
  auto vector = builder.getI64IntegerAttr(vectorInMemory(fetch));
  Value feed = hip::FeedOp::create(builder, named(loc, name + "_feed"), hip::FeedType::get(context, fetch.getType()),
                                   *view, start, vector, fetch.getAcrossAttr());
  Value held = hip::HoldOp::create(builder, named(loc, name + "_tile"), hip::HeldType::get(context, fetch.getType(), 1),
                                   Value());
  feeds.push_back({fetch, feed, held});
  return &feeds.back();
}

/// The same for copies that pass no register.
FailureOr<Value> KernelLowering::directFeedOf(tile::CopyAsyncOp copy) {
  for (auto &[known, feed] : directFeeds)
    if (known.getBuffer() == copy.getBuffer() && known.getIndices()[0] == copy.getIndices()[0] &&
        known.getFrom() == copy.getFrom() && known.getRing() == copy.getRing() && isVisible(feed, builder))
      return feed;
  FailureOr<Value> view = accessView(copy), ring = ringOf(copy.getRing());
  Value row = multiply(valueOf(copy.getIndices()[0]), cast<MemRefType>(copy.getRing().getType()).getDimSize(1));
  if (failed(view) || failed(ring) || !row)
    return failure();
  auto type = hip::DirectFeedType::get(builder.getContext(), cast<hip::RingType>(ring->getType()).getTile());
  int64_t waves = source.getWaves().value_or(1);
  Value feed =
      hip::DirectFeedOp::create(builder, named(loc, nameOf(rootOf(copy.getBuffer()).getLoc()) + "_feed"), type, *view,
                                ValueRange{row, constant(0)}, builder.getI64IntegerAttr(llvm::Log2_64(waves)));
  directFeeds.push_back({copy, feed});
  return feed;
}

//===-- activities
//-------------------------------------------------------------------------------------------------===//

FailureOr<Value> KernelLowering::fetching(tile::FetchOp fetch) {
  FailureOr<Feed *> feed = feedOf(fetch);
  Value moved =
      multiply(valueOf(stepOf(fetch)), fetch.getType().getDimSize(1) * bytesOf(fetch.getType().getElementType()));
  if (failed(feed) || !moved)
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
  FailureOr<Value> to =
      addressesOf(store.getBuffer(), tile, nameOf(store.getBuffer().getDefiningOp()->getLoc()) + "_to");
  if (failed(to))
    return failure();
  return hip::DepositingOp::create(builder, loc, activity(), slotOf(*ring, number), *to, from).getResult();
}

FailureOr<Value> KernelLowering::reading(tile::SharedLoadOp load, Value to, const Twine &name) {
  Value number = valueOf(load.getCopy());
  FailureOr<Value> ring = ringOf(load.getBuffer());
  if (failed(ring) || !number)
    return failure();
  FailureOr<Value> addresses = addressesOf(load.getBuffer(), load.getType(), name + "_from");
  if (failed(addresses))
    return failure();
  return hip::ReadingOp::create(builder, loc, activity(), to, *addresses, slotOf(*ring, number)).getResult();
}

FailureOr<Value> KernelLowering::copying(tile::CopyAsyncOp copy, Value feed) {
  auto type = cast<MemRefType>(copy.getRing().getType());
  FailureOr<Value> ring = ringOf(copy.getRing());
  Value moved = multiply(valueOf(copy.getIndices()[1]), type.getDimSize(2) * bytesOf(type.getElementType()));
  Value number = valueOf(copy.getSlot());
  if (failed(ring) || !moved || !number)
    return failure();
  return hip::CopyingOp::create(builder, loc, activity(), slotOf(*ring, number), feed, moved).getResult();
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
  hip::InOrderOp::create(builder, loc, activities);
}

/// What is done with a ring outside of `tile.places`.
LogicalResult KernelLowering::lowerRing(Operation *op) {
  FailureOr<Value> made;
  if (auto fetch = dyn_cast<tile::FetchOp>(op)) {
    made = fetching(fetch);
  } else if (auto copy = dyn_cast<tile::CopyAsyncOp>(op)) {
    FailureOr<Value> feed = directFeedOf(copy);
    made = succeeded(feed) ? copying(copy, *feed) : FailureOr<Value>();
  } else if (auto store = dyn_cast<tile::SharedStoreOp>(op)) {
    made = depositing(store);
  } else {
    auto load = cast<tile::SharedLoadOp>(op);
    // The step that multiplies one reads the next into the other.
    auto type = hip::HeldType::get(builder.getContext(), load.getType(), 2);
    StringRef name = operandName(load);
    Value pair = hip::HoldOp::create(builder, named(loc, name), type, Value());
    pairs[load.getResult()] = pair;
    made = reading(load, heldAt(pair, constant(0), 2), name);
  }
  if (succeeded(made))
    inOrder(*made);
  return success(succeeded(made));
}

LogicalResult KernelLowering::lowerRegular(tile::RegularOp regular) {
  FailureOr<Value> view = bufferView(regular.getBuffer(), regular.getFrom());
  if (failed(view))
    return failure();
  SmallVector<Value> start;
  for (auto [index, size] : llvm::zip(regular.getIndices(), regular.getTile()))
    start.push_back(multiply(valueOf(index), size));
  mapping.map(regular.getResult(), hip::RegularOp::create(builder, loc, builder.getI1Type(), *view, start,
                                                          builder.getI64IntegerAttr(regular.getTile()[0]),
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

LogicalResult KernelLowering::lowerSteps(tile::StepsOp op) {
  Value count = valueOf(op.getCount());
  if (!count)
    return failure();
  SmallVector<Value> carried;
  for (Value init : op.getInits()) {
    if (Value known = pairs.lookup(init) ? pairs.lookup(init) : held.lookup(init)) {
      carried.push_back(known);
      continue;
    }
    Value value = valueOf(init);
    if (!value)
      return failure();
    auto type = hip::HeldType::get(builder.getContext(), cast<RankedTensorType>(init.getType()), 1);
    carried.push_back(hip::HoldOp::create(builder, named(loc, "acc"), type, value));
  }
  auto steps = hip::StepsOp::create(builder, loc, count, op.getSlots());
  {
    OpBuilder::InsertionGuard guard(builder);
    Block &body = steps.getBody().emplaceBlock();
    builder.setInsertionPointToEnd(&body);
    mapping.map(op.getSlot(), body.addArgument(builder.getIndexType(), named(loc, "slot")));
    mapping.map(op.getStep(), body.addArgument(builder.getIndexType(), op.getStep().getLoc()));
    for (Operation &inner : op.getBody().front().without_terminator()) {
      loc = unnamed(inner.getLoc());
      auto places = dyn_cast<tile::PlacesOp>(inner);
      if (places ? failed(lowerPlaces(places, op, carried)) : failed(lowerOp(&inner)))
        return failure();
      keepNames(&inner);
    }
  }
  for (auto [result, value] : llvm::zip(op.getResults(), carried))
    if (!result.use_empty())
      mapping.map(result, hip::TakeOp::create(builder, named(loc, "sums"), result.getType(), value));
  return success();
}

/// Products of what the steps carry; accesses write what the next step finds there.
LogicalResult KernelLowering::lowerPlaces(tile::PlacesOp op, tile::StepsOp steps, ArrayRef<Value> carried) {
  auto next = cast<tile::NextOp>(steps.getBody().front().getTerminator());
  auto placed = cast<tile::PlacedOp>(op.getBody().front().getTerminator());
  if (next.getValues() != op.getResults())
    return op.emitOpError() << "has results that the step does not hand on in their order";
  for (auto [argument, value] : llvm::zip(steps.getCarried(), carried))
    held[argument] = cast<hip::HeldType>(value.getType()).getCount() == 1
                         ? value
                         : heldAt(value, valueOf(steps.getSlot()), steps.getSlots());
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
      FailureOr<Value> feed = directFeedOf(copy);
      made = succeeded(feed) ? copying(copy, *feed) : FailureOr<Value>();
    } else
      made = fetching(cast<tile::FetchOp>(inner));
    if (failed(made))
      return failure();
    activities.push_back(*made);
  }
  joinRefills(activities);
  Value all = products.front();
  if (products.size() > 1)
    all = hip::InTurnOp::create(builder, loc, activity(), products);
  hip::PlacesOp::create(builder, loc, all, activities);
  return success();
}

Value KernelLowering::multiplying(tile::DotOp dot) {
  return hip::MultiplyingOp::create(builder, loc, activity(), held.lookup(dot.getAcc()), held.lookup(dot.getLhs()),
                                    held.lookup(dot.getRhs()), dot.getInstructionAttr(), dot.getTranspose());
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
