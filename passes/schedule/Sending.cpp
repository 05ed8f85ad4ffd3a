// Finds loops over ranks that store one tile to each, and leaves them to a wave that reads it again where it lies at
// home: those who multiply would hold 64 KB and more until a link has taken it.
#include "passes/schedule/Sending.h"
#include "passes/analysis/LayoutConversion.h"
#include "passes/schedule/Ring.h"
#include "passes/schedule/Room.h"
#include "passes/schedule/TellPlace.h"
#include "passes/stage/SharedPlan.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::schedule;

namespace {

/// Two pieces are on their way in and two on their way out: one at a time would wait for memory each time.
constexpr int64_t kSlots = 4;
/// Rows of a slot begin at multiples of it.
constexpr int64_t kRowBytes = 128;
/// Of 8 KB they were no faster where tasks are long (a reduce-scatter by hand on two H100: 1,302 us, and 1,304 of 4
/// KB).
constexpr int64_t kMostSlotBytes = 4096;

/// `for peer in 0 ... W { store tile to peer }`.
struct Stores {
  scf::ForOp loop;
  StoreOp store;
};

class Sending {
public:
  Sending(KernelOp kernel, Stores stores, TellPlace place, int64_t rowBytes)
      : kernel(kernel), loop(stores.loop), store(stores.store), place(place), rowBytes(rowBytes), loc(store.getLoc()),
        outside(loop) {}

  void rewrite(const Target &target);

private:
  MemRefType slotsOf(int64_t bytes);
  void send(OpBuilder &builder, Value bulk, Value buffer, Value full);

  KernelOp kernel;
  scf::ForOp loop;
  StoreOp store;
  TellPlace place;
  int64_t rowBytes; ///< of a tile, in LDS
  Location loc;
  Remade outside; ///< what is made again in front of the loop
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
  bool isOverRanks = getConstantIntValue(loop.getLowerBound()) == 0 && getConstantIntValue(loop.getStep()) == 1 &&
                     getConstantIntValue(loop.getUpperBound()) == world;
  if (!store || !isAlone || !isOverRanks || store.getTo() != loop.getInductionVar() || store.getAt())
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

/// Whether the wave that tells can have what a loop over ranks uses: what is made in the loop is made again there.
static bool reachesFrom(const TellPlace &place, Value value, scf::ForOp loop) {
  if (!Remade(loop).isInside(value))
    return place.reaches(value);
  return llvm::all_of(value.getDefiningOp()->getOperands(),
                      [&](Value operand) { return reachesFrom(place, operand, loop); });
}

/// `waits` has one made, for whatever goes to other ranks.
static Value rankOf(KernelOp kernel) {
  auto ranks = kernel->getParentOfType<ProgramOp>().getBody().getOps<RankOp>();
  return ranks.empty() ? Value() : (*ranks.begin()).getResult();
}

/// The tile at home goes to all others, of which each would read it anew in a loop over them: rows of 512 bytes went to
/// three other H200 at 1,797 us so, and at 1,470 in one go (8192 x 7168 x 8192 a rank, of which a product takes 1,198;
/// 1,966 where tasks store to all ranks themselves). Where the engine cannot move it, tasks have stored it there.
void Sending::send(OpBuilder &builder, Value bulk, Value buffer, Value full) {
  SmallVector<Value> indices =
      llvm::map_to_vector(store.getIndices(), [&](Value i) { return outside.bring(builder, i); });
  Value view = outside.bring(builder, store.getBuffer());
  OpBuilder inner = place.begin(loc);
  bulk = place.bring(inner, bulk);
  view = place.bring(inner, view);
  for (Value &index : indices)
    index = place.bring(inner, index);
  Value none = arith::ConstantIndexOp::create(inner, loc, 0), one = arith::ConstantIndexOp::create(inner, loc, 1);
  Value parts = arith::SelectOp::create(inner, schedule::named("sent", loc), bulk, one, none);
  // From the next rank on: not all begin with the same one.
  int64_t world = *kernel->getParentOfType<ProgramOp>().getWorld();
  Value all = arith::ConstantIndexOp::create(inner, loc, world);
  SmallVector<Value> others;
  for (int64_t ahead = 1; ahead < world; ++ahead) {
    Value place = arith::AddIOp::create(inner, loc, rankOf(kernel), arith::ConstantIndexOp::create(inner, loc, ahead));
    others.push_back(arith::RemUIOp::create(inner, loop.getInductionVar().getLoc(), place, all));
  }
  SmallVector<Value> tokens;
  for (Value token : store.getAfter())
    if (place.reaches(token))
      tokens.push_back(token);
  RelayOp::create(inner, loc, TokenType::get(builder.getContext()), view, view, indices,
                  cast<RankedTensorType>(store.getValue().getType()).getShape(), parts, others, tokens, buffer, full);
}

MemRefType Sending::slotsOf(int64_t bytes) {
  Type element = cast<RankedTensorType>(store.getValue().getType()).getElementType();
  auto space = SharedAttr::get(kernel.getContext(), 1, 1, 1, /*fold=*/0, /*panel=*/0);
  return MemRefType::get({kSlots, bytes / bytesOf(element)}, element, AffineMap(), space);
}

void Sending::rewrite(const Target &target) {
  OpBuilder builder(loop);
  OpBuilder::InsertionGuard guard(builder);
  // Behind all else that has bytes of its own: what an engine fills begins at multiples of more.
  OpBuilder first(loop->getParentOfType<ForallOp>().getBody().front().findAncestorOpInBlock(*loop));
  Value buffer = SharedBufferOp::create(first, schedule::named("sent_pieces", loc), slotsOf(rowBytes), IntegerAttr(),
                                        /*kept=*/true);
  Value full = FullOp::create(first, schedule::named("came", loc), static_cast<uint64_t>(kSlots), IntegerAttr());
  Value view = outside.bring(builder, store.getBuffer());
  Value bulk = MovesInBulkOp::create(builder, schedule::named("bulk", loc), view, view);
  // Behind the last task nobody multiplies: all waves of a workgroup store faster than one wave relays.
  Value hasNext = HasNextOp::create(first, schedule::named("has_next", loc));
  bulk = arith::AndIOp::create(builder, schedule::named("is_sent", loc), bulk, hasNext);
  SmallVector<Value> indices =
      llvm::map_to_vector(store.getIndices(), [&](Value i) { return outside.bring(builder, i); });
  auto home = scf::IfOp::create(builder, loc, bulk, /*withElseRegion=*/true);
  OpBuilder then = OpBuilder::atBlockBegin(home.thenBlock());
  StoreOp::create(then, loc, store.getToken() ? store.getToken().getType() : Type(), store.getValue(), view, indices,
                  Value(), store.getAfter(), /*at=*/false);
  send(builder, bulk, buffer, full);
  loop->moveBefore(home.elseBlock()->getTerminator());
  // As large as they fit.
  for (int64_t bytes = kMostSlotBytes / rowBytes * rowBytes; bytes > rowBytes; bytes -= rowBytes) {
    buffer.setType(slotsOf(bytes));
    if (planShared(kernel, DenseMap<Operation *, int64_t>()).bytes <= target.lds.bytes)
      return;
  }
  buffer.setType(slotsOf(rowBytes));
}

/// Bytes of a row of a tile in LDS, where a slot for one fits beside all else of the kernel; else 0.
static int64_t rowBytesFor(KernelOp kernel, RankedTensorType tile, const Target &target) {
  int64_t row = llvm::alignTo(tile.getDimSize(1) * bytesOf(tile.getElementType()), kRowBytes);
  // The words of the slots, and those by which consumers hand on, may move what follows them.
  constexpr int64_t words = 1024;
  int64_t bytes = planShared(kernel, DenseMap<Operation *, int64_t>()).bytes + kSlots * row + words;
  return row <= kMostSlotBytes && bytes <= target.lds.bytes ? row : 0;
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
  std::optional<double> task = productsOf(stores.loop->getParentOfType<ForallOp>(), target);
  auto tile = cast<RankedTensorType>(stores.store.getValue().getType());
  int64_t links = target.linksSwitched ? target.links : std::min(target.links, world - 1);
  double rate = static_cast<double>(links) * target.linkGbPerSecond * 1e3 * target.reached.push;
  double bytes = static_cast<double>(tile.getNumElements() * bytesOf(tile.getElementType()) * (world - 1));
  return task && rate > 0 && bytes * static_cast<double>(target.units()) / rate <= *task;
}

/// All of a kernel's tasks.
static SmallVector<Stores> storesOf(KernelOp kernel, const Target &target) {
  SmallVector<Stores> found;
  std::optional<int64_t> world = kernel->getParentOfType<ProgramOp>().getWorld();
  if (!world || *world == 1 || !target.lds.mappedRowBytes)
    return found;
  kernel.walk([&](scf::ForOp loop) {
    std::optional<Stores> stores = loop->getParentOfType<ForallOp>() ? storesOf(loop, *world) : std::nullopt;
    if (stores)
      found.push_back(*stores);
  });
  return found;
}

bool schedule::storesToAll(KernelOp kernel, const Target &target) { return !storesOf(kernel, target).empty(); }

unsigned schedule::sendByProducer(KernelOp kernel, const Target &target) {
  if (!hasTeller(kernel) || !rankOf(kernel))
    return 0;
  unsigned sent = 0;
  int64_t world = kernel->getParentOfType<ProgramOp>().getWorld().value_or(1);
  for (Stores stores : storesOf(kernel, target)) {
    if (!hasTime(stores, world, target))
      continue;
    std::optional<TellPlace> place = TellPlace::behind(stores.loop);
    auto reaches = [&](Value value) { return reachesFrom(*place, value, stores.loop); };
    if (!place || !reaches(stores.store.getBuffer()) || !llvm::all_of(stores.store.getIndices(), reaches))
      continue;
    makeRoom(kernel, kSlots * kMostSlotBytes, target);
    auto tile = cast<RankedTensorType>(stores.store.getValue().getType());
    int64_t rowBytes = rowBytesFor(kernel, tile, target);
    if (!rowBytes)
      continue;
    Sending(kernel, stores, *place, rowBytes).rewrite(target);
    ++sent;
  }
  return sent;
}
