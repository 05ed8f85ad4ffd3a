// The streamed loop whose steps compute with their products, and free the slot when the last of these is over: each is
// awaited before the next begins, or where registers have room, all begin first.
#include "passes/schedule/RingLoop.h"

#include "passes/analysis/StreamedProduct.h"
#include "passes/schedule/Producer.h"
#include "passes/schedule/StepBody.h"

#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::schedule;

/// Registers of a lane for tiles that are loaded a step ahead; more would be missed by sums.
constexpr int64_t kEarlyRegisters = 16;

/// Loads of a step that need none of what it computes, with the numbers that they need. They are made a step ahead: a
/// way from memory is longer than a product.
void RingLoop::findEarly() {
  llvm::SmallPtrSet<Operation *, 16> known;
  int64_t held = 0;
  auto isKnown = [&](Value value) {
    return isInvariant(value) || value == loop.getInductionVar() || known.contains(value.getDefiningOp());
  };
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto load = dyn_cast<LoadOp>(op);
    bool isLoad = load && llvm::is_contained(computed, load);
    if ((!isNumber(&op) && !isLoad) || !llvm::all_of(op.getOperands(), isKnown))
      continue;
    held += isLoad ? registersOf(load.getType()) : 0;
    if (held > kEarlyRegisters)
      return;
    known.insert(&op);
    early.push_back(&op);
  }
}

/// The tiles of a step that are loaded ahead.
SmallVector<Value> RingLoop::loadEarly(OpBuilder &builder, Value step) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), step);
  SmallVector<Value> tiles;
  for (Operation *op : early) {
    Operation *made = builder.clone(*op, mapping);
    if (isa<LoadOp>(op))
      tiles.push_back(made->getResult(0));
  }
  return tiles;
}

/// Whether a product begins at zero and is used up within its step, so that registers can be given to it.
bool RingLoop::beginsAnew(DotOp product) {
  return isZeroTile(product.getAcc()) && !llvm::is_contained(loop.getYieldedValues(), product.getResult());
}

/// Whether consumers have registers for all products of a step at once, beside the sums that steps carry. What is
/// loaded a step ahead, a few numbers of a row or a block, has room in what the target leaves for the rest.
bool RingLoop::haveOwnRegisters(const Target &target) {
  int64_t needed = target.producer.consumerRegisters;
  for (Value carried : sumsOf(loop.getRegionIterArgs()))
    needed += registersOf(carried.getType());
  for (DotOp product : products)
    needed += registersOf(product.getType());
  return llvm::all_of(products, [&](DotOp product) { return beginsAnew(product); }) &&
         needed <= consumerRegisters(loop->getParentOfType<KernelOp>(), target);
}

/// What steps carry beside what the loop does: tiles that are loaded ahead, then registers of products. Where there are
/// enough, each product has its own, so that all can be under way at once. Else those of a type share theirs: with
/// ones of their own the compiler of the text would issue a product before the one before it has been used.
SmallVector<RingLoop::Beside> RingLoop::beginComputing(OpBuilder &builder, const Target &target) {
  if (!computes())
    return {};
  findEarly();
  SmallVector<Beside> carried;
  for (Value tile : loadEarly(builder, index(builder, 0)))
    carried.push_back({tile, tile.getLoc()});
  beginTogether = haveOwnRegisters(target);
  overlaps = beginTogether && products.size() > 1 && matchOverlap();
  llvm::DenseMap<Type, size_t> shared;
  for (DotOp product : products) {
    if (!beginsAnew(product))
      continue;
    auto [known, isNew] = shared.insert({product.getType(), carried.size()});
    registers[product] = isNew || beginTogether ? carried.size() : known->second;
    if (registers[product] == carried.size())
      carried.push_back({ub::PoisonOp::create(builder, where, product.getType()), product.getLoc()});
  }
  return carried;
}

/// The next step, or the last one, which is loaded again for nothing.
static Value nextOf(OpBuilder &builder, Location loc, StreamOp stream) {
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value following = arith::AddIOp::create(builder, loc, stream.getUses().getArgument(0), one);
  Value last = arith::SubIOp::create(builder, named("last", loc), stream.getCount(), one);
  return arith::MinSIOp::create(builder, named("next", loc), following, last);
}

/// A product of what lies in the slot, which begins.
Value RingLoop::beginProduct(OpBuilder &builder, DotOp product, StreamOp stream, IRMapping &mapping,
                             ArrayRef<Value> beside, const Target &target) {
  auto mine = registers.find(product);
  bool replaces = mine != registers.end();
  Value acc = replaces ? beside[mine->second] : mapping.lookupOrDefault(product.getAcc());
  return issue(builder, product, stream.getUses().getArgument(1), acc, target, replaces);
}

/// A product of what lies in the slot, which is over when it returns; `begun`: those of the step that go on.
/// `beside`: the tiles that steps carry beside what the loop does, those for the next step where they are known.
Value RingLoop::multiplySlot(OpBuilder &builder, size_t number, StreamOp stream, IRMapping &mapping,
                             SmallVectorImpl<Value> &begun, MutableArrayRef<Value> beside, const Target &target) {
  size_t end = beginTogether ? products.size() : number + 1;
  for (DotOp product : ArrayRef(products).slice(begun.size(), end - begun.size()))
    begun.push_back(beginProduct(builder, product, stream, mapping, beside, target));
  if (number == 0 && !early.empty())
    llvm::copy(loadEarly(builder, nextOf(builder, where, stream)), beside.begin());
  DotOp product = products[number];
  Value sums =
      AwaitProductsOp::create(builder, product.getLoc(), begun[number], static_cast<uint64_t>(end - number - 1));
  if (auto mine = registers.find(product); mine != registers.end())
    beside[mine->second] = sums;
  return sums;
}

/// What the loop computes with products of the slot, which is free behind the last of them.
void RingLoop::computeStep(OpBuilder &builder, StreamOp stream, Value full, const Target &target) {
  Block &body = stream.getUses().front();
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), body.getArgument(0));
  for (auto [argument, mine] : llvm::zip(loop.getRegionIterArgs(), stream.getCarried()))
    mapping.map(argument, mine);
  SmallVector<Value> beside(stream.getCarried().drop_front(sums.size()));
  auto loads = llvm::make_filter_range(early, llvm::IsaPred<LoadOp>);
  for (auto [load, mine] : llvm::zip(loads, beside))
    mapping.map(load->getResult(0), mine);
  AwaitFullOp::create(builder, where, full, body.getArgument(1));
  SmallVector<Value> begun;
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto product = dyn_cast<DotOp>(op);
    auto place = llvm::find(products, product);
    if (product && place != products.end()) {
      mapping.map(product.getResult(),
                  multiplySlot(builder, place - products.begin(), stream, mapping, begun, beside, target));
      if (product == products.back())
        leaveSlot(builder, stream, body.getArgument(0));
    } else if (isNumber(&op) || (llvm::is_contained(computed, &op) && !llvm::is_contained(early, &op))) {
      builder.clone(op, mapping);
    }
  }
  SmallVector<Value> results =
      llvm::map_to_vector(loop.getYieldedValues(), [&](Value value) { return mapping.lookupOrDefault(value); });
  llvm::append_range(results, beside);
  NextOp::create(builder, where, results);
}
