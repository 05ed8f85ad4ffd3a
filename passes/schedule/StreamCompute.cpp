// The streamed loop whose steps compute with their products: they wait for each, and free the slot before they compute.
#include "passes/schedule/RingLoop.h"

#include "passes/analysis/StreamedProduct.h"
#include "passes/schedule/Producer.h"
#include "passes/schedule/StepBody.h"

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
  int64_t registers = 0;
  auto isKnown = [&](Value value) {
    return isInvariant(value) || value == loop.getInductionVar() || known.contains(value.getDefiningOp());
  };
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto load = dyn_cast<LoadOp>(op);
    bool isLoad = load && llvm::is_contained(computed, load);
    if ((!isNumber(&op) && !isLoad) || !llvm::all_of(op.getOperands(), isKnown))
      continue;
    registers += isLoad ? registersOf(load.getType()) : 0;
    if (registers > kEarlyRegisters)
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

/// Whether a product begins at zero and is used up within its step: then all of its type share their registers. With
/// ones of their own the compiler of the text would issue a product before the one before it has been used.
bool RingLoop::sharesRegisters(DotOp product) {
  return isZeroTile(product.getAcc()) && !llvm::is_contained(loop.getYieldedValues(), product.getResult());
}

/// What steps carry beside what the loop does: tiles that are loaded ahead, then the registers that products share.
SmallVector<RingLoop::Beside> RingLoop::beginComputing(OpBuilder &builder) {
  if (!computes())
    return {};
  findEarly();
  SmallVector<Beside> carried;
  for (Value tile : loadEarly(builder, index(builder, 0)))
    carried.push_back({tile, tile.getLoc()});
  for (DotOp product : products)
    if (sharesRegisters(product) && shared.insert({product.getType(), carried.size()}).second)
      carried.push_back({product.getAcc(), product.getLoc()});
  return carried;
}

/// The next step, or the last one, which is loaded again for nothing.
static Value nextOf(OpBuilder &builder, Location loc, StreamOp stream) {
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value following = arith::AddIOp::create(builder, loc, stream.getUses().getArgument(0), one);
  Value last = arith::SubIOp::create(builder, named("last", loc), stream.getCount(), one);
  return arith::MinSIOp::create(builder, named("next", loc), following, last);
}

/// A product of what lies in the slot, which is over when it returns. `beside`: the tiles that steps carry beside what
/// the loop does, those for the next step where they are known.
Value RingLoop::multiplySlot(OpBuilder &builder, DotOp product, StreamOp stream, IRMapping &mapping,
                             MutableArrayRef<Value> beside, const Target &target) {
  Value slot = stream.getUses().getArgument(1);
  Value *registers = sharesRegisters(product) ? &beside[shared.lookup(product.getType())] : nullptr;
  Value acc = registers ? *registers : mapping.lookupOrDefault(product.getAcc());
  Value made = issue(builder, product, slot, acc, target, /*replaces=*/registers != nullptr);
  if (product == products.front() && !early.empty())
    llvm::copy(loadEarly(builder, nextOf(builder, where, stream)), beside.begin());
  Value sums = AwaitProductsOp::create(builder, product.getLoc(), made, /*left=*/static_cast<uint64_t>(0));
  if (registers)
    *registers = sums;
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
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto product = dyn_cast<DotOp>(op);
    if (product && llvm::is_contained(products, product)) {
      mapping.map(product.getResult(), multiplySlot(builder, product, stream, mapping, beside, target));
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
