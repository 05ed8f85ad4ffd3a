// Finds stores of a tile to other ranks, and leaves them to a wave that reads it again where it lies at home: those who
// multiply would hold 64 KB and more until a link has taken it.
#include "passes/schedule/Sending.h"
#include "passes/analysis/LayoutConversion.h"
#include "passes/analysis/RankLoop.h"
#include "passes/schedule/Ring.h"
#include "passes/schedule/Room.h"
#include "passes/schedule/Tasks.h"
#include "passes/schedule/TellPlace.h"
#include "passes/schedule/Telling.h"
#include "passes/stage/SharedPlan.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::schedule;

namespace {

/// Slots that a run passes through are multiples of it: how finely their size is chosen, on every machine. Rows of a
/// slot begin where LDS buffers may.
constexpr int64_t kRunBytes = 1024;

/// `for peer in 0 ... W { store tile to peer }`, or one store to another rank of a run of scratch, as `pack` makes
/// them.
struct Stores {
  scf::ForOp loop; ///< null for one store
  StoreOp store;

  Operation *outer() { return loop ? loop.getOperation() : store.getOperation(); }
};

/// Matrices of the same tiles at home and at their place, and where the tile is in them.
struct Ends {
  Value home, place;
  SmallVector<Value> indices;
  SmallVector<int64_t> tile;
};

class Sending {
public:
  Sending(KernelOp kernel, Stores stores, TellPlace place, int64_t rowBytes)
      : kernel(kernel), stores(stores), store(stores.store), place(place), rowBytes(rowBytes), loc(store.getLoc()),
        outside(stores.outer()) {}

  void rewrite(const Target &target);

private:
  static MemRefType slotsOf(Type element, int64_t count, int64_t bytes);
  void makeHome(OpBuilder &builder);
  Ends endsOf(OpBuilder &builder);
  Ends bring(OpBuilder &builder, Ends ends);
  SmallVector<Value> receivers(OpBuilder &builder);
  Value whenSent(OpBuilder &builder, OpBuilder &first, const Ends &ends);
  void send(const Ends &ends, Value isSent, Value buffer, Value full);

  KernelOp kernel;
  Stores stores;
  StoreOp store;
  TellPlace place;
  int64_t rowBytes; ///< of a tile, in LDS
  Location loc;
  Remade outside; ///< what is made again in front of the loop
  Value home;     ///< where the tile lies until it is sent
};

} // namespace

/// The loop is over all ranks, and holds one store of a matrix of a tile from outside to each.
static std::optional<Stores> storesOf(scf::ForOp loop, int64_t world) {
  StoreOp store;
  bool isAlone = loop.getNumResults() == 0;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto found = dyn_cast<StoreOp>(op); found && !store)
      store = found;
    else
      isAlone &= op.getNumRegions() == 0 && isPure(&op);
  }
  if (!store || !isAlone || loopOverRanks(store.getTo(), world) != loop || store.getAt())
    return std::nullopt;
  auto buffer = cast<MemRefType>(store.getBuffer().getType());
  auto tile = dyn_cast<RankedTensorType>(store.getValue().getType());
  Remade remade(loop);
  bool isMatrix = tile && tile.getRank() == 2 && buffer.getRank() == 2 &&
                  tile.getElementType() == buffer.getElementType() && !remade.isInside(store.getValue()) &&
                  (!store.getToken() || store.getToken().use_empty());
  bool isPlain = remade.reaches(store.getBuffer()) &&
                 llvm::all_of(store.getIndices(), [&](Value index) { return remade.reaches(index); }) &&
                 llvm::none_of(store.getAfter(), [&](Value token) { return remade.isInside(token); });
  return isMatrix && isPlain ? std::optional(Stores{loop, store}) : std::nullopt;
}

/// The view of scratch that a packed tile is stored through: all of the buffer at one index in its first dimension.
static memref::SubViewOp partOf(StoreOp store) {
  auto view = store.getBuffer().getDefiningOp<memref::SubViewOp>();
  auto alloc = view ? view.getSource().getDefiningOp<AllocOp>() : AllocOp();
  std::optional<int64_t> world = store->getParentOfType<ProgramOp>().getWorld();
  if (!alloc || !world || view.getSourceType().getDimSize(0) != *world)
    return {};
  llvm::SmallBitVector dropped = view.getDroppedDims();
  bool isPart = dropped.test(0) && dropped.count() == 1;
  for (OpFoldResult offset : ArrayRef(view.getMixedOffsets()).drop_front())
    isPart &= getConstantIntValue(offset) == 0;
  return isPart ? view : memref::SubViewOp();
}

/// A run of scratch that goes to another rank. Rows that lie as in a matrix are faster without a wave that sends them,
/// 256 columns of bf16 at a time (a reduce-scatter of 8192 x 8192 x 28672 by hand on four H200: 1,353 us, and 1,334 of
/// runs).
static bool isRunToOther(StoreOp store) {
  auto tile = dyn_cast<RankedTensorType>(store.getValue().getType());
  memref::SubViewOp part = partOf(store);
  if (!store.getTo() || !tile || tile.getRank() != 1 || store.getAt() || !part || part.getType().getRank() < 2)
    return false;
  return part.getType().getDimSize(part.getType().getRank() - 1) == tile.getDimSize(0) &&
         getConstantIntValue(store.getIndices().back()) == 0 && (!store.getToken() || store.getToken().use_empty());
}

/// Whether the wave that tells can have what a store or a loop over ranks uses: what is made in the loop is made again
/// there.
static bool reachesFrom(const TellPlace &place, Value value, Operation *outer) {
  if (!Remade(outer).isInside(value))
    return place.reaches(value);
  return llvm::all_of(value.getDefiningOp()->getOperands(),
                      [&](Value operand) { return reachesFrom(place, operand, outer); });
}

/// `waits` has one made, for whatever goes to other ranks.
static Value rankOf(KernelOp kernel) {
  auto ranks = kernel->getParentOfType<ProgramOp>().getBody().getOps<RankOp>();
  return ranks.empty() ? Value() : (*ranks.begin()).getResult();
}

/// Scratch for what goes to one rank: the place that the tile has there, at home, in a part for each receiver.
void Sending::makeHome(OpBuilder &builder) {
  if (stores.loop) {
    home = outside.bring(builder, store.getBuffer());
    return;
  }
  memref::SubViewOp part = partOf(store);
  auto alloc = part.getSource().getDefiningOp<AllocOp>();
  auto type = MemRefType::get(part.getSourceType().getShape(), part.getSourceType().getElementType());
  OpBuilder first(alloc);
  Value outbox = AllocOp::create(first, schedule::named("outbox", alloc.getLoc()), type, alloc.getExtents(),
                                 alloc.getSizesAttr(), alloc.getParamsAttr(), UnitAttr(), /*copies=*/nullptr);
  SmallVector<OpFoldResult> offsets = part.getMixedOffsets(), sizes = part.getMixedSizes();
  offsets.front() = store.getTo();
  MemRefType reduced = memref::SubViewOp::inferRankReducedResultType(part.getType().getShape(), type, offsets, sizes,
                                                                     part.getMixedStrides());
  home = memref::SubViewOp::create(builder, loc, reduced, outbox, offsets, sizes, part.getMixedStrides());
}

/// A run is a row of the matrix that the last two dimensions are.
Ends Sending::endsOf(OpBuilder &builder) {
  SmallVector<Value> indices =
      llvm::map_to_vector(store.getIndices(), [&](Value i) { return outside.bring(builder, i); });
  auto tile = cast<RankedTensorType>(store.getValue().getType());
  if (stores.loop)
    return {home, home, indices, SmallVector<int64_t>(tile.getShape())};
  auto rows = [&](Value view) -> Value {
    auto type = cast<MemRefType>(view.getType());
    if (type.getRank() == 2)
      return view;
    SmallVector<OpFoldResult> offsets, sizes = memref::getMixedSizes(builder, loc, view),
                                       strides(type.getRank(), builder.getIndexAttr(1));
    for (int64_t d = 0; d < type.getRank(); ++d)
      offsets.push_back(d + 2 < type.getRank() ? OpFoldResult(indices[d]) : builder.getIndexAttr(0));
    for (int64_t d = 0; d + 2 < type.getRank(); ++d)
      sizes[d] = builder.getIndexAttr(1);
    MemRefType reduced =
        memref::SubViewOp::inferRankReducedResultType(type.getShape().take_back(2), type, offsets, sizes, strides);
    return memref::SubViewOp::create(builder, loc, reduced, view, offsets, sizes, strides);
  };
  return {
      rows(home), rows(store.getBuffer()), SmallVector<Value>(ArrayRef(indices).take_back(2)), {1, tile.getDimSize(0)}};
}

Ends Sending::bring(OpBuilder &builder, Ends ends) {
  ends.home = place.bring(builder, ends.home);
  ends.place = place.bring(builder, ends.place);
  for (Value &index : ends.indices)
    index = place.bring(builder, index);
  return ends;
}

/// From the next rank on: not all begin with the same one.
SmallVector<Value> Sending::receivers(OpBuilder &builder) {
  if (!stores.loop)
    return {place.bring(builder, store.getTo())};
  int64_t world = *kernel->getParentOfType<ProgramOp>().getWorld();
  Value all = arith::ConstantIndexOp::create(builder, loc, world);
  SmallVector<Value> others;
  for (int64_t ahead = 1; ahead < world; ++ahead) {
    Value place =
        arith::AddIOp::create(builder, loc, rankOf(kernel), arith::ConstantIndexOp::create(builder, loc, ahead));
    others.push_back(arith::RemUIOp::create(builder, schedule::named("peer", loc), place, all));
  }
  return others;
}

/// The tile at home goes to all others, of which each would read it anew in a loop over them: rows of 512 bytes went to
/// three other H200 at 1,797 us so, and at 1,470 in one go (8192 x 7168 x 8192 a rank, of which a product takes 1,198;
/// 1,966 where tasks store to all ranks themselves). Where the engine cannot move it, tasks have stored it there.
void Sending::send(const Ends &outer, Value isSent, Value buffer, Value full) {
  OpBuilder inner = place.begin(loc);
  Value sent = place.bring(inner, isSent);
  Ends ends = bring(inner, outer);
  Value none = arith::ConstantIndexOp::create(inner, loc, 0), one = arith::ConstantIndexOp::create(inner, loc, 1);
  Value parts = sent ? arith::SelectOp::create(inner, schedule::named("sent", loc), sent, one, none) : one;
  SmallVector<Value> others = receivers(inner), tokens;
  for (Value token : store.getAfter())
    if (place.reaches(token))
      tokens.push_back(token);
  RelayOp::create(inner, loc, TokenType::get(kernel.getContext()), ends.home, ends.place, ends.indices, ends.tile,
                  parts, others, tokens, buffer, full);
}

MemRefType Sending::slotsOf(Type element, int64_t count, int64_t bytes) {
  auto space = SharedAttr::get(element.getContext(), 1, 1, 1, /*fold=*/0, /*panel=*/0);
  return MemRefType::get({count, bytes / bytesOf(element)}, element, AffineMap(), space);
}

/// Whether the wave sends the tile of a task; null where it sends those of all tasks. Behind the last one nobody
/// multiplies: all waves of a workgroup store faster than one wave relays. A run lies as the engine moves it.
Value Sending::whenSent(OpBuilder &builder, OpBuilder &first, const Ends &ends) {
  if (!stores.loop && kernel.getDealing() != Dealing::Strided)
    return {};
  Value bulk =
      stores.loop ? MovesInBulkOp::create(builder, schedule::named("bulk", loc), ends.home, ends.place) : Value();
  Value hasNext = HasNextOp::create(first, schedule::named("has_next", loc));
  return bulk ? arith::AndIOp::create(builder, schedule::named("is_sent", loc), bulk, hasNext) : hasNext;
}

void Sending::rewrite(const Target &target) {
  const RelaySlots &slots = target.producer.sent;
  Operation *outer = stores.outer();
  OpBuilder builder(outer);
  OpBuilder::InsertionGuard guard(builder);
  // Behind all else that has bytes of its own: what an engine fills begins at multiples of more.
  OpBuilder first(outer->getParentOfType<ForallOp>().getBody().front().findAncestorOpInBlock(*outer));
  Type element = cast<RankedTensorType>(store.getValue().getType()).getElementType(); // the store may go
  Value buffer = SharedBufferOp::create(first, schedule::named("sent_pieces", loc),
                                        slotsOf(element, slots.count, rowBytes), IntegerAttr(), /*kept=*/true);
  Value full = FullOp::create(first, schedule::named("came", loc), static_cast<uint64_t>(slots.count), IntegerAttr());
  makeHome(builder);
  Ends ends = endsOf(builder);
  Value isSent = whenSent(builder, first, ends);
  SmallVector<Value> indices =
      llvm::map_to_vector(store.getIndices(), [&](Value i) { return outside.bring(builder, i); });
  auto branch = isSent ? scf::IfOp::create(builder, loc, isSent, /*withElseRegion=*/true) : scf::IfOp();
  OpBuilder then = branch ? OpBuilder::atBlockBegin(branch.thenBlock()) : builder;
  StoreOp::create(then, loc, store.getToken() ? store.getToken().getType() : Type(), store.getValue(), home, indices,
                  Value(), store.getAfter(), /*at=*/false);
  send(ends, isSent, buffer, full);
  if (branch)
    outer->moveBefore(branch.elseBlock()->getTerminator());
  else
    outer->erase();
  // As large as they fit.
  for (int64_t bytes = slots.bytes / rowBytes * rowBytes; bytes > rowBytes; bytes -= rowBytes) {
    buffer.setType(slotsOf(element, slots.count, bytes));
    if (planShared(kernel, DenseMap<Operation *, int64_t>()).bytes <= target.lds.bytes)
      return;
  }
  buffer.setType(slotsOf(element, slots.count, rowBytes));
}

/// Bytes of a row of a tile in LDS, where a slot for one fits beside all else of the kernel; else 0.
static int64_t rowBytesFor(KernelOp kernel, RankedTensorType tile, const Target &target) {
  const RelaySlots &slots = target.producer.sent;
  int64_t row = tile.getRank() == 1
                    ? kRunBytes
                    : llvm::alignTo(tile.getDimSize(1) * bytesOf(tile.getElementType()), kSharedAlignment);
  // The words of the slots, and those by which consumers hand on, may move what follows them.
  constexpr int64_t words = 1024;
  int64_t bytes = planShared(kernel, DenseMap<Operation *, int64_t>()).bytes + slots.count * row + words;
  return row <= slots.bytes && bytes <= target.lds.bytes ? row : 0;
}

/// Microseconds that the products of a task take; nothing where that is known at launch alone.
static std::optional<double> productsOf(ForallOp tasks, const Target &target) {
  double clocks = 0;
  bool isKnown = true;
  tasks.walk([&](StreamOp stream) {
    // Steps that the engine fills are all or none.
    auto filled = stream.getCount().getDefiningOp<arith::SelectOp>();
    std::optional<int64_t> steps = getConstantIntValue(filled ? filled.getTrueValue() : stream.getCount());
    isKnown &= steps.has_value();
    for (auto product : stream.getUses().front().getOps<DotAsyncOp>()) {
      auto info = llvm::find_if(target.matrix, [&](const auto &row) { return row.name == product.getInstruction(); });
      auto rhs = cast<MemRefType>(product.getRhs().getType());
      int64_t depth = rhs.getDimSize(product.getTranspose() ? 2 : 1);
      isKnown &= info != target.matrix.end();
      if (isKnown)
        clocks += static_cast<double>(*steps * product.getAcc().getType().getNumElements() * depth) /
                  static_cast<double>(info->m * info->n * info->k) * info->cycles;
    }
  });
  double rate = static_cast<double>(target.simdsPerUnit * target.clockMhz) * target.reached.matrix;
  return isKnown && clocks > 0 ? std::optional(clocks / rate) : std::nullopt;
}

/// Whether the links can take a tile of each workgroup while the next one is multiplied. Where they are what a launch
/// waits for, it is faster that tasks store to peers themselves (1,122 us in place of 1,872 for 28000 x 7168 x 2048 on
/// two H100).
static bool hasTime(Stores stores, int64_t world, const Target &target) {
  std::optional<double> task = productsOf(stores.store->getParentOfType<ForallOp>(), target);
  auto tile = cast<RankedTensorType>(stores.store.getValue().getType());
  int64_t receivers = stores.loop ? world - 1 : 1;
  int64_t links = target.linksSwitched ? target.links : std::min(target.links, receivers);
  double rate = static_cast<double>(links) * target.linkGbPerSecond * 1e3 * target.reached.push;
  double bytes = static_cast<double>(tile.getNumElements() * bytesOf(tile.getElementType()) * receivers);
  return task && rate > 0 && bytes * static_cast<double>(target.units()) / rate <= *task;
}

/// All of a kernel's tasks.
static SmallVector<Stores> storesOf(KernelOp kernel, const Target &target) {
  SmallVector<Stores> found;
  std::optional<int64_t> world = kernel->getParentOfType<ProgramOp>().getWorld();
  if (!world || *world == 1 || !target.lds.mappedRowBytes)
    return found;
  kernel.walk([&](Operation *op) {
    auto loop = dyn_cast<scf::ForOp>(op);
    auto store = dyn_cast<StoreOp>(op);
    if (!op->getParentOfType<ForallOp>())
      return;
    std::optional<Stores> stores = loop ? storesOf(loop, *world) : std::nullopt;
    if (stores)
      found.push_back(*stores);
    else if (store && isRunToOther(store))
      found.push_back({scf::ForOp(), store});
  });
  return found;
}

bool schedule::storesToAll(KernelOp kernel, const Target &target) {
  return llvm::any_of(storesOf(kernel, target), [](Stores stores) { return stores.loop; });
}

unsigned schedule::sendByProducer(KernelOp kernel, const Target &target) {
  // The only task of a workgroup leaves nothing to multiply meanwhile.
  if (!hasTeller(kernel) || !rankOf(kernel) || hasOneTaskEach(kernel, target))
    return 0;
  unsigned sent = 0;
  int64_t world = kernel->getParentOfType<ProgramOp>().getWorld().value_or(1);
  for (Stores stores : storesOf(kernel, target)) {
    if (!hasTime(stores, world, target))
      continue;
    std::optional<TellPlace> place = TellPlace::behind(stores.outer());
    auto reaches = [&](Value value) { return reachesFrom(*place, value, stores.outer()); };
    if (!place || !reaches(stores.store.getBuffer()) || !llvm::all_of(stores.store.getIndices(), reaches) ||
        (!stores.loop && !reaches(stores.store.getTo())))
      continue;
    const RelaySlots &slots = target.producer.sent;
    makeRoom(kernel, slots.count * slots.bytes, target);
    auto tile = cast<RankedTensorType>(stores.store.getValue().getType());
    int64_t rowBytes = rowBytesFor(kernel, tile, target);
    if (!rowBytes)
      continue;
    auto tasks = stores.store->getParentOfType<ForallOp>();
    Sending(kernel, stores, *place, rowBytes).rewrite(target);
    joinTold(tasks);
    ++sent;
  }
  return sent;
}
