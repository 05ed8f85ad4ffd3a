// A device compiler cannot do this: where a tile may reach over the end of its view, a load is a branch.
#include "passes/pipeline/LoopLoads.h"

#include "passes/analysis/IndexForm.h"
#include "passes/analysis/LayoutConversion.h"
#include "passes/machine/LoopCost.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace {

class LoopLoads {
public:
  LoopLoads(scf::ForOp loop, const Target &target, bool isShared) : loop(loop), target(target), isShared(isShared) {
    auto kernel = loop->getParentOfType<KernelOp>();
    int64_t wavesPerSimd = llvm::divideCeil(static_cast<int64_t>(kernel.getWaves().value_or(1)), target.simdsPerUnit);
    most = std::min(target.registersPerLane / (2 * wavesPerSimd), target.mostRegisters);
  }

  bool match();
  void rewrite();

private:
  bool addSlice(LoadOp load);
  SmallVector<Value> clone(OpBuilder &builder, Value iteration);
  Value constant(OpBuilder &builder, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loop.getLoc(), value);
  }

  scf::ForOp loop;
  const Target &target;
  bool isShared;
  int64_t most;
  int64_t first = 0, step = 0, count = 0, ahead = 0;
  SmallVector<LoadOp> loads;
  llvm::SetVector<Operation *> issued; ///< the loads, and what they need of the body, in its order
};

/// What a load needs of its iteration. False where that is more than the iteration's number.
bool LoopLoads::addSlice(LoadOp load) {
  SmallVector<Value> work(load->getOperands());
  llvm::SmallPtrSet<Operation *, 8> slice{load};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == loop.getBody()) {
      if (argument != loop.getInductionVar())
        return false;
    } else if (op && op->getBlock() == loop.getBody() && slice.insert(op).second) {
      if (!isPure(op) || op->getNumRegions() != 0)
        return false;
      llvm::append_range(work, op->getOperands());
    }
  }
  for (Operation &op : *loop.getBody())
    if (slice.contains(&op))
      issued.insert(&op);
  return true;
}

/// Of a bound that is a constant, or one by the extents that were given.
std::optional<int64_t> knownBound(Value bound) {
  IndexForm form = IndexForm::of(bound);
  auto constant = dyn_cast<AffineConstantExpr>(form.constant);
  return form.isConstant() && constant ? std::optional(constant.getValue()) : std::nullopt;
}

bool LoopLoads::match() {
  std::optional<int64_t> lower = knownBound(loop.getLowerBound()), upper = knownBound(loop.getUpperBound()),
                         by = knownBound(loop.getStep());
  constexpr int64_t most32 = std::numeric_limits<int32_t>::max();
  if (!loop.getInductionVar().getType().isIndex() || !lower || !upper || !by || *by < 1 || *by > most32 ||
      std::abs(*lower) > most32 || *upper <= *lower || *upper > most32)
    return false;
  first = *lower, step = *by, count = llvm::divideCeil(*upper - first, step);
  int64_t each = 0, carried = 0;
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto load = dyn_cast<LoadOp>(op);
    if (!load && (!isMemoryEffectFree(&op) || op.getNumRegions() != 0 || isa<DotOp>(op)))
      return false;
    if (!load)
      continue;
    if (!addSlice(load))
      return false;
    loads.push_back(load);
    each += registersHeld(load.getType());
  }
  for (Value value : loop.getInitArgs())
    carried += registersHeld(value.getType());
  if (loads.empty() || each == 0)
    return false;
  int64_t left = most - kTextRegisters - 2 * carried;
  ahead = std::min(count - 1, left / each - 1);
  // Numbers of iterations ahead of the last stay within 32 bits. Unrolled, a loop has an instruction for each register
  // of each iteration, several times, and device compilers put all loads in front: where two workgroups share a unit,
  // they must not take the other's registers for that.
  return ahead >= 1 && count <= kUnrolledIterations && first + (count - 1 + ahead) * step <= most32 &&
         count * each <= (isShared ? left : target.registersPerLane);
}

/// The tiles that the loads of an iteration yield.
SmallVector<Value> LoopLoads::clone(OpBuilder &builder, Value iteration) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), iteration);
  for (Operation *op : issued)
    builder.clone(*op, mapping);
  return llvm::map_to_vector(loads, [&](LoadOp load) { return mapping.lookup(load.getResult()); });
}

/// The last iterations have none to load for. They load the last one's tiles once more, which is legal where that was.
/// In the unrolled loop nobody uses these, and device compilers leave them out: of five parts of decoding ptxas 13.0
/// has as many loads with them as without. A branch instead would have to give the tiles a value on its other side.
void LoopLoads::rewrite() {
  IRRewriter rewriter(loop);
  SmallVector<Value> inits;
  for (int64_t i = 0; i < ahead; ++i)
    llvm::append_range(inits, clone(rewriter, constant(rewriter, first + i * step)));
  Value distance = constant(rewriter, ahead * step), last = constant(rewriter, first + (count - 1) * step);
  auto yield = [&](OpBuilder &builder, Location loc, ArrayRef<BlockArgument> added) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(*issued.begin());
    Location place = NameLoc::get(builder.getStringAttr("ahead"), loc);
    Value later = arith::AddIOp::create(builder, place, loop.getInductionVar(), distance);
    Value next = arith::MinSIOp::create(builder, place, later, last);
    SmallVector<Value> handed(added.drop_front(loads.size()));
    llvm::append_range(handed, clone(builder, next));
    return handed;
  };
  SmallVector<Location> places;
  for (BlockArgument argument : loop.getBody()->getArguments())
    places.push_back(argument.getLoc());
  FailureOr<LoopLikeOpInterface> grown = loop.replaceWithAdditionalYields(rewriter, inits, false, yield);
  loop = cast<scf::ForOp>(grown->getOperation());
  for (auto [argument, place] : llvm::zip(loop.getBody()->getArguments(), places))
    argument.setLoc(place);
  ValueRange held = ValueRange(loop.getRegionIterArgs()).take_back(inits.size());
  TileDialect::UnrolledAttrHelper(loop.getContext()).setAttr(loop, rewriter.getUnitAttr());
  for (auto [load, tile] : llvm::zip(loads, held)) {
    tile.setLoc(load.getLoc());
    rewriter.replaceAllUsesWith(load.getResult(), tile);
  }
  for (Operation *op : llvm::reverse(issued))
    if (op->use_empty())
      rewriter.eraseOp(op);
}

} // namespace

bool tilec::loadAhead(scf::ForOp loop, const Target &target, bool isShared) {
  LoopLoads loads(loop, target, isShared);
  if (!loads.match())
    return false;
  loads.rewrite();
  return true;
}
