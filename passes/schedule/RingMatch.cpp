// Which loops over K can be run through rings.
#include "passes/schedule/RingLoop.h"
#include "passes/schedule/StepBody.h"

#include "passes/analysis/Contains.h"
#include "passes/analysis/LayoutConversion.h"
#include "passes/analysis/StreamedProduct.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::schedule;

static bool hasPowers(RankedTensorType tile) {
  return llvm::all_of(tile.getShape(), [](int64_t side) { return llvm::isPowerOf2_64(static_cast<uint64_t>(side)); });
}

bool RingLoop::isFilledByWaves() {
  // What only loads has nothing to compute with, and registers hand on nothing that no step reads.
  bool onlyLoads = computes() && llvm::all_of(computed, llvm::IsaPred<LoadOp>);
  bool areRead = llvm::none_of(loop.getRegionIterArgs(), [](BlockArgument argument) { return argument.use_empty(); });
  return !onlyLoads && areRead &&
         llvm::all_of(operands, [](RingOperand &operand) { return hasPowers(operand.load.getType()); });
}

/// The columns of the tile (the rows, where LDS holds the transpose) are those of the step, or as many tiles behind it
/// as those of the other operands, and nothing else of it depends on the loop.
bool RingLoop::matchFetch(SharedStoreOp store) {
  auto load = store.getValue().getDefiningOp<LoadOp>();
  if (!load || load->getBlock() != loop.getBody() || !load->hasOneUse() || store.getCopy())
    return false;
  auto buffer = cast<MemRefType>(load.getBuffer().getType());
  bool isPlain = !load.getAt() && !load.getOtherwise() && buffer.getRank() >= 2 && load.getType().getRank() == 2;
  unsigned step = store.getTransposed() ? 0 : 1;
  // Before them stand those of the matrix, of several side by side.
  OperandRange indices = load.getIndices().take_back(isPlain ? 2 : 0);
  std::optional<Value> before = isPlain ? tilesBefore(indices[step], loop) : std::nullopt;
  if (!before || (!operands.empty() && first != *before) ||
      (hasPowers(load.getType()) && !hasOneThreadEach(load.getType())))
    return false;
  auto isKnown = [&](Value token) { return isInvariant(token) || waits.contains(token); };
  if (!isInvariant(load.getBuffer()) || !isInvariant(indices[1 - step]) || !isInvariant(load.getFrom()) ||
      !llvm::all_of(load.getIndices().drop_back(2), [&](Value index) { return isInvariant(index); }) ||
      !llvm::all_of(load.getAfter(), isKnown))
    return false;
  for (Operation *user : store.getBuffer().getUsers())
    if (!loop->isProperAncestor(user))
      return false;
  first = *before;
  operands.push_back({load, store, {}, SmallVector<Value>(load.getAfter()), {}});
  return true;
}

bool RingLoop::matchRead(SharedLoadOp read) {
  auto operand = llvm::find_if(operands, [&](RingOperand &o) { return o.store.getBuffer() == read.getBuffer(); });
  if (operand == operands.end() || read.getTransposed() != operand->isAcross() || read.getCopy())
    return false;
  // What LDS holds transposed is an operand whose depth runs down the rows in memory.
  bool multiplied = llvm::all_of(read->getUses(), [&](OpOperand &use) {
    auto product = dyn_cast<DotOp>(use.getOwner());
    bool isLeft = use.getOperandNumber() == 0;
    return product && (!operand->isAcross() || (isLeft ? product.getLhsTransposed() : !product.getTranspose()));
  });
  if (!multiplied)
    return false;
  operand->reads.push_back(read);
  reads.push_back(read);
  return true;
}

/// Whether the operands of all products come from LDS.
bool RingLoop::multipliesFromLds() {
  return !products.empty() && llvm::all_of(products, [&](DotOp product) {
    return product.getInstruction() && llvm::all_of(ValueRange{product.getLhs(), product.getRhs()}, [&](Value operand) {
             return operand.getDefiningOp<SharedLoadOp>() && operand.getDefiningOp()->getBlock() == loop.getBody();
           });
  });
}

/// Every product adds to what the loop carries, or to a product that does, and is handed on in its place.
bool RingLoop::matchSums() {
  if (!llvm::all_of(products, [](DotOp product) { return product->hasOneUse(); }))
    return false;
  for (auto [argument, yielded] : llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues())) {
    if (waits.contains(yielded))
      continue;
    auto product = yielded.getDefiningOp<DotOp>();
    while (product && product.getAcc() != argument)
      product = product.getAcc().getDefiningOp<DotOp>();
    if (!product || !argument.hasOneUse())
      return false;
    sums.push_back(argument.getArgNumber() - loop.getNumInductionVars());
  }
  return !sums.empty();
}

/// Whether an operation only waits: what it does may be done for another step, and before that one.
static bool onlyWaits(Operation *op) {
  if (op->getNumRegions() == 0)
    return isMemoryEffectFree(op) || isa<WaitOp>(op) || op->hasTrait<OpTrait::IsTerminator>();
  return isa<scf::IfOp, scf::ForOp>(op) && llvm::all_of(op->getRegions(), [](Region &region) {
           return llvm::all_of(region.getOps(), [](Operation &inner) { return onlyWaits(&inner); });
         });
}

/// A wait at each step that begins a group of so many, with a token that the loop carries to the others of the group.
bool RingLoop::matchWait(scf::IfOp guard) {
  auto begins = guard.getCondition().getDefiningOp<arith::CmpIOp>();
  auto within = begins ? begins.getLhs().getDefiningOp<arith::RemSIOp>() : arith::RemSIOp();
  bool isPeriodic = within && begins.getPredicate() == arith::CmpIPredicate::eq &&
                    getConstantIntValue(begins.getRhs()) == 0 && within.getLhs() == loop.getInductionVar() &&
                    isInvariant(within.getRhs());
  if (!isPeriodic || guard.getNumResults() != 1 || !isa<TokenType>(guard.getResult(0).getType()) || !onlyWaits(guard) ||
      !contains<WaitOp>(guard))
    return false;
  auto carried = dyn_cast<BlockArgument>(guard.elseYield().getOperand(0));
  if (!carried || !llvm::is_contained(loop.getRegionIterArgs(), carried) || !carried.hasOneUse())
    return false;
  if (loop.getTiedLoopYieldedValue(carried)->get() != guard.getResult(0) ||
      guard.elseBlock()->getOperations().size() != 1)
    return false;
  auto sameAs = [&](Value other) {
    return other == within.getRhs() ||
           (getConstantIntValue(other) && getConstantIntValue(other) == getConstantIntValue(within.getRhs()));
  };
  if (period && !sameAs(period))
    return false;
  period = within.getRhs();
  waits[guard.getResult(0)] = guard;
  return true;
}

/// The carried position that a product's result is handed on to, where that is its only use; nothing where it is not
/// handed on. Fails where it is both, or is handed on twice.
FailureOr<std::optional<unsigned>> RingLoop::positionOf(DotOp product) {
  Operation *yield = loop.getBody()->getTerminator();
  auto handed = llvm::find_if(product->getUses(), [&](OpOperand &use) { return use.getOwner() == yield; });
  if (handed == product->use_end())
    return std::optional<unsigned>();
  if (!product->hasOneUse())
    return failure();
  return std::optional(handed->getOperandNumber());
}

/// Products write their sums into the registers of what they begin with. So nothing else may have a use for that: it is
/// zero, another product that is for this one alone, what the loop carries to it alone, or a tile that is computed.
bool RingLoop::writesInPlace(DotOp product) {
  FailureOr<std::optional<unsigned>> position = positionOf(product);
  if (failed(position))
    return false;
  Value acc = product.getAcc();
  if (isZeroTile(acc))
    return !*position;
  if (auto before = acc.getDefiningOp<DotOp>(); before && llvm::is_contained(products, before)) {
    Value first = before.getAcc();
    while (auto product = first.getDefiningOp<DotOp>())
      first = product.getAcc();
    auto carried = dyn_cast<BlockArgument>(first);
    bool isOwn = *position && carried && carried == loop.getRegionIterArg(**position);
    return acc.hasOneUse() && (!*position || isOwn);
  }
  if (llvm::is_contained(loop.getRegionIterArgs(), acc))
    return acc.hasOneUse() && *position && acc == loop.getRegionIterArg(**position);
  return !*position || llvm::all_of(loop.getRegionIterArg(**position).getUsers(), [&](Operation *user) {
    return user->getBlock() == loop.getBody() && user->isBeforeInBlock(product);
  });
}

/// The loop carries tiles, each updated in its place, and waits for nothing at its steps: what it computes has no place
/// among waits that are made for steps ahead.
bool RingLoop::matchComputed() {
  bool loadsFreely = llvm::all_of(computed, [&](Operation *op) {
    auto load = dyn_cast<LoadOp>(op);
    return !load || llvm::all_of(load.getAfter(), [&](Value token) { return isInvariant(token); });
  });
  bool updates = llvm::none_of(loop.getYieldedValues(), llvm::IsaPred<BlockArgument>) &&
                 llvm::all_of(products, [&](DotOp product) { return writesInPlace(product); });
  if (!waits.empty() || !loadsFreely || !updates ||
      !llvm::all_of(loop.getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return false;
  sums = llvm::to_vector(llvm::seq<unsigned>(loop.getNumRegionIterArgs()));
  return true;
}

/// Besides what was matched there is index arithmetic; in a loop that computes also what stays in registers, and loads
/// whose tiles do.
bool RingLoop::matchBody() {
  unsigned barriers = 0;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isNumber(&op))
      continue;
    if (auto guard = dyn_cast<scf::IfOp>(op)) {
      if (barriers != 0 || !matchWait(guard))
        return false;
    } else if (isa<BarrierOp>(op)) {
      ++barriers;
    } else if (auto store = dyn_cast<SharedStoreOp>(op)) {
      if (barriers != 1 || !matchFetch(store))
        return false;
    } else if (auto read = dyn_cast<SharedLoadOp>(op)) {
      if (barriers != 2 || !matchRead(read))
        return false;
    } else if (auto product = dyn_cast<DotOp>(op)) {
      products.push_back(product);
    } else if (auto load = dyn_cast<LoadOp>(op)) {
      if (!llvm::all_of(load->getUsers(), llvm::IsaPred<SharedStoreOp>))
        computed.push_back(load);
    } else if (isComputed(&op)) {
      computed.push_back(&op);
    } else {
      return false;
    }
  }
  return barriers == 2;
}

bool RingLoop::match() {
  bool counts = getConstantIntValue(loop.getLowerBound()) == 0 && getConstantIntValue(loop.getStep()) == 1 &&
                getConstantIntValue(loop.getUpperBound()).value_or(1) > 0;
  return counts && matchBody() && !operands.empty() && loop.getNumRegionIterArgs() > 0 &&
         llvm::all_of(operands, [](RingOperand &operand) { return !operand.reads.empty(); }) && multipliesFromLds() &&
         (computed.empty() ? matchSums() : matchComputed());
}
