// Loops over K whose copies run ahead of their products: which ones, and what stands where. How they are printed is
// LowerRing's.
#include "passes/Passes.h"
#include "passes/ProgramTarget.h"
#include "passes/SharedPlan.h"
#include "passes/TaskBarriers.h"
#include "passes/analysis/LayoutConversion.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace tilec {
#define GEN_PASS_DEF_SCHEDULE
#include "passes/Passes.h.inc"
} // namespace tilec

namespace {

Location named(StringRef name, Location loc) { return NameLoc::get(StringAttr::get(loc.getContext(), name), loc); }

Location unnamed(Location loc) {
  auto name = dyn_cast<NameLoc>(loc);
  return name ? Location(name.getChildLoc()) : loc;
}

/// What one buffer in LDS is filled from and who reads it.
struct Operand {
  LoadOp load;
  SharedStoreOp store;
  SmallVector<SharedLoadOp> reads;
  Value ring; ///< the buffer with slots
};

StringRef nameOf(Operand &operand) {
  auto name = dyn_cast<NameLoc>(viewedBuffer(operand.load.getBuffer()).getLoc());
  return name ? name.getName().strref() : "tile";
}

/// A loop that loads operands through LDS and multiplies them: barrier, stores, barrier, loads from LDS, products.
class RingLoop {
public:
  explicit RingLoop(scf::ForOp loop) : loop(loop), where(unnamed(loop.getLoc())) {}

  bool match();
  DenseMap<Operation *, int64_t> copies(int64_t slots);
  /// Whether copies can go past the registers, by so many waves.
  bool isDirect(const SharedMemory &memory, int64_t waves);
  /// `copiesPerStep`: accesses that a wave issues for the copies of a step; 0 where they go through registers.
  void rewrite(int64_t slots, int64_t copiesPerStep);
  int64_t copiesPerStep(const SharedMemory &memory, int64_t waves);

private:
  bool isInvariant(Value value) { return !value || loop.isDefinedOutsideOfLoop(value); }
  bool matchBody();
  bool matchFetch(SharedStoreOp store);
  bool matchRead(SharedLoadOp read);
  bool matchProducts();

  void declareRings();
  Value wholeSteps(OpBuilder &builder);
  Value fetch(OpBuilder &builder, Operand &operand, Value step);
  SmallVector<Value> fetchAll(OpBuilder &builder, Value step);
  Value ringOf(SharedLoadOp read);
  SmallVector<Value> readAll(OpBuilder &builder, Value slot);
  void depositAll(OpBuilder &builder, ValueRange fetched, Value slot);
  SmallVector<Value> runRing(OpBuilder &builder, Value whole);
  void places(OpBuilder &builder, StepsOp steps, Value last);
  void copyAll(OpBuilder &builder, Value step, Value slot);
  SmallVector<Value> fillSlots(OpBuilder &builder, Value last);

  Value index(OpBuilder &builder, int64_t value) { return arith::ConstantIndexOp::create(builder, where, value); }

  scf::ForOp loop;
  Location where; ///< what is made here does not have the name of the loop
  int64_t slots = 0, copied = 0;
  SmallVector<Operand> operands;
  SmallVector<SharedLoadOp> reads; ///< of all operands, in the order of the text
  SmallVector<DotOp> products;
};

//===-- matching
//---------------------------------------------------------------------------------------------------===//

/// The columns of the tile are those of the step, and nothing else of it depends on the loop.
bool RingLoop::matchFetch(SharedStoreOp store) {
  auto load = store.getValue().getDefiningOp<LoadOp>();
  if (!load || load->getBlock() != loop.getBody() || !load->hasOneUse() || store.getTransposed() || store.getCopy())
    return false;
  auto buffer = cast<MemRefType>(load.getBuffer().getType());
  bool isPlain = !load.getAt() && !load.getOtherwise() && buffer.getRank() == 2 && load.getType().getRank() == 2;
  if (!isPlain || load.getIndices()[1] != loop.getInductionVar() || !hasOneThreadEach(load.getType()))
    return false;
  if (!isInvariant(load.getBuffer()) || !isInvariant(load.getIndices()[0]) || !isInvariant(load.getFrom()) ||
      !llvm::all_of(load.getAfter(), [&](Value token) { return isInvariant(token); }))
    return false;
  for (Operation *user : store.getBuffer().getUsers())
    if (!loop->isProperAncestor(user))
      return false;
  operands.push_back({load, store, {}, {}});
  return true;
}

bool RingLoop::matchRead(SharedLoadOp read) {
  auto operand = llvm::find_if(operands, [&](Operand &o) { return o.store.getBuffer() == read.getBuffer(); });
  if (operand == operands.end() || read.getTransposed() || read.getCopy() ||
      !llvm::all_of(read->getUsers(), [](Operation *user) { return isa<DotOp>(user); }))
    return false;
  operand->reads.push_back(read);
  reads.push_back(read);
  return true;
}

/// Every product adds to what the loop carries, or to a product that does, and is handed on in its place.
bool RingLoop::matchProducts() {
  if (products.empty() || loop.getNumRegionIterArgs() == 0)
    return false;
  for (DotOp product : products) {
    bool fromLds = llvm::all_of(ValueRange{product.getLhs(), product.getRhs()}, [&](Value operand) {
      return operand.getDefiningOp<SharedLoadOp>() && operand.getDefiningOp()->getBlock() == loop.getBody();
    });
    if (!product.getInstruction() || !fromLds || !product->hasOneUse())
      return false;
  }
  for (auto [argument, yielded] : llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues())) {
    auto product = yielded.getDefiningOp<DotOp>();
    while (product && product.getAcc() != argument)
      product = product.getAcc().getDefiningOp<DotOp>();
    if (!product || !argument.hasOneUse())
      return false;
  }
  return true;
}

/// Only index arithmetic stands besides what was matched.
bool RingLoop::matchBody() {
  unsigned barriers = 0;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isa<LoadOp>(op))
      continue;
    if (isa<BarrierOp>(op)) {
      ++barriers;
    } else if (auto store = dyn_cast<SharedStoreOp>(op)) {
      if (barriers != 1 || !matchFetch(store))
        return false;
    } else if (auto read = dyn_cast<SharedLoadOp>(op)) {
      if (barriers != 2 || !matchRead(read))
        return false;
    } else if (auto product = dyn_cast<DotOp>(op)) {
      products.push_back(product);
    } else {
      return false;
    }
  }
  auto loads = loop.getBody()->getOps<LoadOp>();
  return barriers == 2 && static_cast<size_t>(llvm::range_size(loads)) == operands.size();
}

bool RingLoop::match() {
  bool counts = getConstantIntValue(loop.getLowerBound()) == 0 && getConstantIntValue(loop.getStep()) == 1;
  return counts && matchBody() && !operands.empty() &&
         llvm::all_of(operands, [](Operand &operand) { return !operand.reads.empty(); }) && matchProducts();
}

DenseMap<Operation *, int64_t> RingLoop::copies(int64_t slots) {
  DenseMap<Operation *, int64_t> copies;
  for (Operand &operand : operands)
    copies[operand.store.getBuffer().getDefiningOp()] = slots;
  return copies;
}

bool RingLoop::isDirect(const SharedMemory &memory, int64_t waves) {
  if (!memory.copiesDirectly())
    return false;
  return llvm::all_of(operands, [&](Operand &operand) {
    auto type = cast<MemRefType>(operand.store.getBuffer().getType());
    auto swizzle = cast<SharedAttr>(type.getMemorySpace());
    int64_t wide = kDirectBytes / bytesOf(type.getElementType());
    bool keepsTogether = swizzle.getPhases() == 1 || swizzle.getVector() >= wide;
    return keepsTogether && type.getShape().back() >= wide && vectorOf(operand.load.getType()) == wide &&
           sharedBytes(type) % (waves * memory.lanes * kDirectBytes) == 0;
  });
}

int64_t RingLoop::copiesPerStep(const SharedMemory &memory, int64_t waves) {
  int64_t copies = 0;
  for (Operand &operand : operands)
    copies +=
        sharedBytes(cast<MemRefType>(operand.store.getBuffer().getType())) / (waves * memory.lanes * kDirectBytes);
  return copies;
}

//===-- rewriting
//--------------------------------------------------------------------------------------------------===//

/// The tile of a step, or of the last one again where there is no such step: of it alone is it known that it may be
/// fetched.
static Value noLater(OpBuilder &builder, Location loc, Value step, Value last) {
  std::string name = "k_" + std::to_string(*getConstantIntValue(step));
  return builder.createOrFold<arith::MinSIOp>(named(name, loc), step, last);
}

/// Steps whose tiles have all their columns in the buffers; 0 where the buffers are not regular.
Value RingLoop::wholeSteps(OpBuilder &builder) {
  Location loc = where;
  Value regular, columns;
  Value zero = index(builder, 0);
  for (Operand &operand : operands) {
    LoadOp load = operand.load;
    Value holds = RegularOp::create(builder, named((nameOf(operand) + "_regular").str(), loc), load.getBuffer(),
                                    ValueRange{load.getIndices()[0], zero}, load.getFrom(), load.getType().getShape(),
                                    static_cast<uint64_t>(vectorOf(load.getType())));
    regular = regular ? arith::AndIOp::create(builder, loc, regular, holds).getResult() : holds;
    Value extent = builder.createOrFold<memref::DimOp>(loc, load.getBuffer(), 1);
    columns = columns ? builder.createOrFold<arith::MinSIOp>(loc, columns, extent) : extent;
  }
  Value depth = index(builder, operands.front().load.getType().getDimSize(1));
  Value steps = builder.createOrFold<arith::DivSIOp>(loc, columns, depth);
  steps = builder.createOrFold<arith::MinSIOp>(loc, loop.getUpperBound(), steps);
  return arith::SelectOp::create(builder, named("whole", loc), regular, steps, zero);
}

Value RingLoop::fetch(OpBuilder &builder, Operand &operand, Value step) {
  LoadOp load = operand.load;
  return FetchOp::create(builder, load.getLoc(), load.getType(), load.getBuffer(),
                         ValueRange{load.getIndices()[0], step}, load.getFrom(), load.getAfter());
}

SmallVector<Value> RingLoop::fetchAll(OpBuilder &builder, Value step) {
  return llvm::map_to_vector(operands, [&](Operand &operand) { return fetch(builder, operand, step); });
}

Value RingLoop::ringOf(SharedLoadOp read) {
  return llvm::find_if(operands, [&](Operand &operand) { return llvm::is_contained(operand.reads, read); })->ring;
}

SmallVector<Value> RingLoop::readAll(OpBuilder &builder, Value slot) {
  return llvm::map_to_vector(reads, [&](SharedLoadOp read) -> Value {
    return SharedLoadOp::create(builder, read.getLoc(), read.getType(), ringOf(read), slot, /*transposed=*/false);
  });
}

void RingLoop::depositAll(OpBuilder &builder, ValueRange fetched, Value slot) {
  for (auto [operand, value] : llvm::zip(operands, fetched))
    SharedStoreOp::create(builder, operand.store.getLoc(), value, operand.ring, slot,
                          /*transposed=*/false);
}

/// Products of what the step before has read; meanwhile accesses for the steps ahead.
void RingLoop::places(OpBuilder &builder, StepsOp steps, Value last) {
  Location loc = where;
  auto carried = steps.getCarried();
  size_t sums = loop.getNumRegionIterArgs();
  Value one = index(builder, 1), count = index(builder, slots);
  Value following = arith::AddIOp::create(builder, loc, steps.getSlot(), one);
  Value next = arith::RemSIOp::create(builder, named("next", loc), following, count);
  // Registers hold one step more than the slots.
  Value behind = arith::AddIOp::create(builder, loc, steps.getStep(), index(builder, slots + (copied ? 0 : 1)));
  Value ahead = arith::MinSIOp::create(builder, named("ahead", loc), behind, last);
  auto places = PlacesOp::create(builder, loc, steps.getResultTypes());
  OpBuilder inner = OpBuilder::atBlockBegin(&places.getBody().emplaceBlock());
  IRMapping mapping;
  for (auto [argument, mine] : llvm::zip(loop.getRegionIterArgs(), carried))
    mapping.map(argument, mine);
  for (auto [read, mine] : llvm::zip(reads, carried.drop_front(sums)))
    mapping.map(read.getResult(), mine);
  for (DotOp product : products)
    inner.clone(*product, mapping);
  SmallVector<Value> results =
      llvm::map_to_vector(loop.getYieldedValues(), [&](Value value) { return mapping.lookup(value); });
  llvm::append_range(results, readAll(inner, next));
  if (copied)
    copyAll(inner, ahead, steps.getSlot());
  // Each operand's registers go to LDS before they are fetched into again.
  for (auto [operand, mine] : llvm::zip(operands, carried.drop_front(sums + reads.size()))) {
    SharedStoreOp::create(inner, operand.store.getLoc(), mine, operand.ring, steps.getSlot(),
                          /*transposed=*/false);
    results.push_back(fetch(inner, operand, ahead));
  }
  PlacedOp::create(inner, loc, results);
  NextOp::create(builder, loc, places.getResults());
}

void RingLoop::copyAll(OpBuilder &builder, Value step, Value slot) {
  for (Operand &operand : operands) {
    LoadOp load = operand.load;
    CopyAsyncOp::create(builder, load.getLoc(), load.getBuffer(), ValueRange{load.getIndices()[0], step},
                        load.getFrom(), load.getAfter(), operand.ring, slot);
  }
}

/// Fills the slots, so that the first of them can be read; returns what is fetched for the step behind them.
SmallVector<Value> RingLoop::fillSlots(OpBuilder &builder, Value last) {
  Location loc = where;
  if (copied) {
    for (int64_t slot = 0; slot < slots; ++slot) {
      Value number = index(builder, slot);
      copyAll(builder, slot ? noLater(builder, loc, number, last) : number, number);
    }
    AwaitOp::create(builder, loc, static_cast<uint64_t>((slots - 1) * copied));
    MeetOp::create(builder, loc);
    return {};
  }
  SmallVector<Value> fetched = fetchAll(builder, index(builder, 0));
  for (int64_t slot = 0; slot < slots; ++slot) {
    depositAll(builder, fetched, index(builder, slot));
    fetched = fetchAll(builder, noLater(builder, loc, index(builder, slot + 1), last));
  }
  BarrierOp::create(builder, loc);
  return fetched;
}

/// Fills the slots, reads the first operands, and runs the steps.
SmallVector<Value> RingLoop::runRing(OpBuilder &builder, Value whole) {
  Location loc = where;
  BarrierOp::create(builder, loc);
  Value last = arith::SubIOp::create(builder, named("last", loc), whole, index(builder, 1));
  SmallVector<Value> fetched = fillSlots(builder, last);
  SmallVector<Value> inits(loop.getInitArgs());
  llvm::append_range(inits, readAll(builder, index(builder, 0)));
  llvm::append_range(inits, fetched);
  auto steps = StepsOp::create(builder, loc, ValueRange(inits).getTypes(), whole, static_cast<uint64_t>(slots), inits);
  Block &body = steps.getBody().emplaceBlock();
  body.addArgument(builder.getIndexType(), loop.getInductionVar().getLoc());
  body.addArgument(builder.getIndexType(), named("slot", loc));
  for (BlockArgument argument : loop.getRegionIterArgs())
    body.addArgument(argument.getType(), argument.getLoc());
  for (Value init : ArrayRef(inits).drop_front(loop.getNumRegionIterArgs()))
    body.addArgument(init.getType(), init.getLoc());
  OpBuilder inner = OpBuilder::atBlockBegin(&body);
  if (copied) {
    // Of the steps whose copies are on their way, the next one's have to be there; those behind it may stay.
    AwaitOp::create(inner, loc, static_cast<uint64_t>((slots - 2) * copied));
    MeetOp::create(inner, loc);
  } else {
    BarrierOp::create(inner, loc);
  }
  places(inner, steps, last);
  // What was copied for nothing lands before anything else lies there.
  if (copied)
    AwaitOp::create(builder, loc, 0);
  return SmallVector<Value>(steps.getResults().take_front(loop.getNumRegionIterArgs()));
}

/// Beside the buffers of the loop, which still runs the rest: then the rings are empty.
void RingLoop::declareRings() {
  for (Operand &operand : operands) {
    Operation *buffer = operand.store.getBuffer().getDefiningOp();
    auto type = cast<MemRefType>(operand.store.getBuffer().getType());
    SmallVector<int64_t> shape{slots};
    llvm::append_range(shape, type.getShape());
    OpBuilder builder(buffer);
    operand.ring = SharedBufferOp::create(
        builder, viewedBuffer(operand.load.getBuffer()).getLoc(),
        MemRefType::get(shape, type.getElementType(), AffineMap(), type.getMemorySpace()), /*offset=*/IntegerAttr());
  }
}

void RingLoop::rewrite(int64_t slots, int64_t copiesPerStep) {
  this->slots = slots;
  copied = copiesPerStep;
  OpBuilder builder(loop);
  Location loc = where;
  declareRings();
  Value whole = wholeSteps(builder);
  Value any = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, whole, index(builder, 0));
  auto guard = scf::IfOp::create(builder, loc, TypeRange(ValueRange(loop.getInitArgs())), any, /*withElseRegion=*/true);
  OpBuilder inner = guard.getThenBodyBuilder();
  SmallVector<Value> sums = runRing(inner, whole);
  scf::YieldOp::create(inner, loc, sums);
  OpBuilder otherwise = guard.getElseBodyBuilder();
  scf::YieldOp::create(otherwise, loc, loop.getInitArgs());
  loop.getInitArgsMutable().assign(guard.getResults());
  loop.setLowerBound(whole);
  TileDialect::RestAttrHelper(loop.getContext()).setAttr(loop, builder.getUnitAttr());
}

/// Accesses that a wave can count.
constexpr int64_t kMostInFlight = 64;

class Schedule : public tilec::impl::ScheduleBase<Schedule> {
public:
  using ScheduleBase::ScheduleBase;

  void runOnOperation() override {
    ProgramOp program = getOperation();
    if (slots != 0 && (slots < 2 || !llvm::isPowerOf2_64(slots))) {
      program.emitError() << "schedule with " << slots.getValue() << " slots, expected 0 or a power of two from 2 on";
      return signalPassFailure();
    }
    FailureOr<Target> target = programTarget(program, this->target);
    if (failed(target))
      return signalPassFailure();
    if (slots == 0)
      return;
    for (KernelOp kernel : program.getBody().getOps<KernelOp>()) {
      SmallVector<scf::ForOp> loops;
      kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
      llvm::SmallSetVector<Operation *, 4> changed;
      for (scf::ForOp loop : loops)
        if (schedule(loop, *target))
          changed.insert(loop->getParentOfType<RoleOp>());
      // What the last steps fetch for nothing is behind their barrier: before the task stores there, the threads have
      // to meet.
      for (Operation *role : changed)
        placeTaskBarriers(cast<RoleOp>(role));
    }
  }

private:
  bool schedule(scf::ForOp loop, const Target &target) {
    RingLoop ring(loop);
    if (!ring.match())
      return false;
    auto kernel = loop->getParentOfType<KernelOp>();
    auto fits = [&](int64_t count) { return planShared(kernel, ring.copies(count)).bytes <= target.lds.bytes; };
    int64_t waves = kernel.getWaves().value_or(1), count = slots, copied = 0;
    // Copies past the registers want two steps more for their way: with few slots each would be awaited at once.
    if (ring.isDirect(target.lds, waves) && fits(2 * count)) {
      count *= 2;
      copied = ring.copiesPerStep(target.lds, waves);
      if ((count - 1) * copied >= kMostInFlight) {
        count = slots;
        copied = 0;
      }
    }
    if (!fits(count))
      return false;
    ring.rewrite(count, copied);
    ++numLoops;
    return true;
  }
};

} // namespace
