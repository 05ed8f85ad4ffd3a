// Overlaps the loads of a loop's next iteration with the dots of this one, by a second copy of the LDS buffers.
#include "passes/Passes.h"
#include "passes/ProgramTarget.h"
#include "passes/analysis/ViewedBuffer.h"
#include "passes/pipeline/LoopLoads.h"
#include "passes/stage/SharedPlan.h"
#include "passes/stage/TaskBarriers.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace tilec {
#define GEN_PASS_DEF_PIPELINING
#include "passes/Passes.h.inc"
} // namespace tilec

namespace {

/// A location that names a value of the generated text.
Location named(StringRef name, Location loc) { return NameLoc::get(StringAttr::get(loc.getContext(), name), loc); }

/// A loop whose body starts with loads that go to LDS.
class PipelinedLoop {
public:
  explicit PipelinedLoop(scf::ForOp loop) : loop(loop) {}

  /// Whether there is anything to overlap: barrier, stores of what was loaded, barrier.
  bool match();
  /// Why the loads may not be issued an iteration early; empty when they may.
  std::string obstacle();
  /// The buffers that get a second copy.
  DenseMap<Operation *, int64_t> copies();
  void rewrite();

private:
  bool isIssue(Operation *op) const { return issue.contains(op); }
  std::string obstacleOf(Operation *op);
  IRMapping cloneIssue(OpBuilder &builder, Value iteration, ValueRange tokens);
  SmallVector<Value> valuesToStore(const IRMapping &mapping);
  SmallVector<Value> tokens(ValueRange perArgument);
  void storeAll(OpBuilder &builder, ValueRange values, Value copy);
  void prologue(OpBuilder &builder, Value zero);
  void body(Value copy, Value nextCopy);

  scf::ForOp loop;
  BarrierOp before, after;
  SmallVector<SharedStoreOp> stores;
  /// Operations of the body that the stored values need, in the order of the text: loads, their waits, index
  /// arithmetic.
  llvm::SetVector<Operation *> issue;
  /// Positions of the tokens that the loop carries from the waits of one iteration to the loads of the next.
  llvm::SmallSetVector<unsigned, 2> carriedTokens;
  bool carried = false;
};

bool PipelinedLoop::match() {
  Block *body = loop.getBody();
  auto barriers = body->getOps<BarrierOp>();
  if (barriers.empty())
    return false;
  before = *barriers.begin();
  Operation *op = before->getNextNode();
  for (; auto store = dyn_cast<SharedStoreOp>(op); op = op->getNextNode())
    stores.push_back(store);
  after = dyn_cast<BarrierOp>(op);
  if (!after || stores.empty())
    return false;
  SmallVector<Value> work;
  for (SharedStoreOp store : stores) {
    work.push_back(store.getValue());
    if (store.getCopy())
      return false;
  }
  SmallPtrSet<Operation *, 16> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && llvm::is_contained(loop.getRegionIterArgs(), value)) {
      unsigned position = argument.getArgNumber() - loop.getNumInductionVars();
      bool isToken = isa<TokenType>(value.getType());
      carried |= !isToken;
      if (isToken && carriedTokens.insert(position))
        work.push_back(loop.getYieldedValues()[position]);
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != body || !seen.insert(op).second)
      continue;
    llvm::append_range(work, op->getOperands());
    SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    llvm::append_range(work, captured);
  }
  for (Operation &op : *body)
    if (seen.contains(&op))
      issue.insert(&op);
  return llvm::any_of(issue, [](Operation *op) { return isa<LoadOp>(op); });
}

/// Loads, waits, arithmetic, and branches and loops that only wait may be issued early: an iteration that exists issues
/// them, so that even divisions see what they would have seen.
static bool mayIssue(Operation *op) {
  if (op->getNumRegions() == 0)
    return isMemoryEffectFree(op) || isa<LoadOp, WaitOp>(op) || op->hasTrait<OpTrait::IsTerminator>();
  return isa<scf::IfOp, scf::ForOp>(op) && llvm::all_of(op->getRegions(), [](Region &region) {
           return llvm::all_of(region.getOps(),
                               [](Operation &inner) { return !isa<LoadOp>(inner) && mayIssue(&inner); });
         });
}

std::string PipelinedLoop::obstacleOf(Operation *op) {
  if (!mayIssue(op))
    return ("the loads need '" + op->getName().getStringRef() + "'").str();
  bool isToken = op->getNumResults() == 1 && isa<TokenType>(op->getResult(0).getType());
  for (Operation *user : op->getUsers()) {
    bool carries = isToken && user == loop.getBody()->getTerminator();
    if (!isMemoryEffectFree(op) && !carries && !isIssue(loop.getBody()->findAncestorOpInBlock(*user)) &&
        !(isa<SharedStoreOp>(user) && llvm::is_contained(stores, cast<SharedStoreOp>(user))))
      return ("'" + op->getName().getStringRef() + "' has other uses than the stores to LDS").str();
  }
  return "";
}

std::string PipelinedLoop::obstacle() {
  if (carried)
    return "what is loaded depends on the iteration before";
  bool waits = false;
  SmallPtrSet<Value, 4> loaded;
  for (Operation *op : issue) {
    op->walk([&](WaitOp) { waits = true; });
    if (auto load = dyn_cast<LoadOp>(op))
      loaded.insert(viewedBuffer(load.getBuffer()));
    if (std::string reason = obstacleOf(op); !reason.empty())
      return reason;
  }
  for (SharedStoreOp store : stores)
    for (Operation *user : store.getBuffer().getUsers())
      if (!loop->isProperAncestor(user))
        return "a buffer is used outside of the loop";
  std::string reason;
  loop.getBody()->walk([&](Operation *op) {
    if (auto access = dyn_cast<AccessOpInterface>(op); access && access.writesBuffer())
      if (loaded.contains(viewedBuffer(access.getAccessedBuffer())))
        reason = "it writes a buffer that it loads";
    if (isa<SignalOp>(op) && waits)
      reason = "it signals and waits";
  });
  return reason;
}

DenseMap<Operation *, int64_t> PipelinedLoop::copies() {
  DenseMap<Operation *, int64_t> copies;
  for (SharedStoreOp store : stores)
    copies[store.getBuffer().getDefiningOp()] = 2;
  return copies;
}

/// Copies of what is issued, for an iteration; `tokens` are those of the iteration before.
IRMapping PipelinedLoop::cloneIssue(OpBuilder &builder, Value iteration, ValueRange tokens) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), iteration);
  for (auto [position, token] : llvm::zip(carriedTokens, tokens))
    mapping.map(loop.getRegionIterArgs()[position], token);
  for (Operation *op : issue)
    builder.clone(*op, mapping);
  return mapping;
}

SmallVector<Value> PipelinedLoop::valuesToStore(const IRMapping &mapping) {
  return llvm::map_to_vector(stores, [&](SharedStoreOp store) { return mapping.lookupOrDefault(store.getValue()); });
}

SmallVector<Value> PipelinedLoop::tokens(ValueRange perArgument) {
  return llvm::map_to_vector(carriedTokens, [&](unsigned position) { return perArgument[position]; });
}

void PipelinedLoop::storeAll(OpBuilder &builder, ValueRange values, Value copy) {
  for (auto [store, value] : llvm::zip(stores, values))
    SharedStoreOp::create(builder, store.getLoc(), value, store.getBuffer(), copy, store.getTransposed());
}

/// What is known of the first iteration: most of its index arithmetic, and that it waits.
static void foldIn(scf::IfOp guard) {
  SmallVector<Operation *> issued;
  guard.getThenRegion().walk([&](Operation *op) {
    if (!isa<scf::YieldOp>(op))
      issued.push_back(op);
  });
  RewritePatternSet patterns(guard.getContext());
  scf::IfOp::getCanonicalizationPatterns(patterns, guard.getContext());
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingOps);
  (void)applyOpPatternsGreedily(issued, std::move(patterns), config);
}

/// The first iteration's loads go to copy 0, if there is a first iteration. Its waits' tokens enter the loop.
void PipelinedLoop::prologue(OpBuilder &builder, Value zero) {
  Location loc = loop.getLoc();
  BarrierOp::create(builder, loc);
  Value lower = loop.getLowerBound();
  Value any = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, lower, loop.getUpperBound());
  SmallVector<Value> before = tokens(loop.getInitArgs());
  auto guard = scf::IfOp::create(builder, loc, TypeRange(ValueRange(before)), any, /*withElseRegion=*/!before.empty());
  OpBuilder inner = guard.getThenBodyBuilder();
  IRMapping issued = cloneIssue(inner, lower, before);
  storeAll(inner, valuesToStore(issued), zero);
  if (before.empty())
    return foldIn(guard);
  SmallVector<Value> after;
  for (Value token : tokens(loop.getYieldedValues()))
    after.push_back(issued.lookupOrDefault(token));
  scf::YieldOp::create(inner, loc, after);
  OpBuilder otherwise = guard.getElseBodyBuilder();
  scf::YieldOp::create(otherwise, loc, before);
  for (auto [position, token] : llvm::zip(carriedTokens, guard.getResults()))
    loop.getInitArgsMutable()[position].assign(token);
  foldIn(guard);
}

/// The last iteration has nothing to load for: it loads its own tiles again, which is legal where the first load was,
/// and stores them where nobody reads. A branch instead would have to give the tiles a value on its other side.
void PipelinedLoop::body(Value copy, Value nextCopy) {
  Location loc = loop.getLoc();
  Block *block = loop.getBody();
  OpBuilder builder = OpBuilder::atBlockBegin(block);
  BarrierOp::create(builder, loc);
  Value current = loop.getInductionVar();
  Value following = arith::AddIOp::create(builder, named("following", loc), current, loop.getStep());
  Value more = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, following, loop.getUpperBound());
  Value next = arith::SelectOp::create(builder, named("next", loc), more, following, current);
  IRMapping issued = cloneIssue(builder, next, tokens(loop.getRegionIterArgs()));
  builder.setInsertionPoint(block->getTerminator());
  storeAll(builder, valuesToStore(issued), nextCopy);
  for (unsigned position : carriedTokens)
    block->getTerminator()->setOperand(position, issued.lookupOrDefault(loop.getYieldedValues()[position]));
}

void PipelinedLoop::rewrite() {
  IRRewriter rewriter(loop);
  Location loc = loop.getLoc();
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  prologue(rewriter, zero);
  Value nextCopy;
  auto yield = [&](OpBuilder &builder, Location loc, ArrayRef<BlockArgument> added) {
    nextCopy = arith::SubIOp::create(builder, named("next_copy", loc), one, added.front());
    return SmallVector<Value>{nextCopy};
  };
  Location index = loop.getInductionVar().getLoc();
  FailureOr<LoopLikeOpInterface> grown = loop.replaceWithAdditionalYields(rewriter, ValueRange{zero}, false, yield);
  loop = cast<scf::ForOp>(grown->getOperation());
  loop.getInductionVar().setLoc(index);
  Value copy = loop.getRegionIterArgs().back();
  // The copy to fill is named before the stores at the end and after nothing.
  nextCopy.getDefiningOp()->moveBefore(&loop.getBody()->front());
  for (SharedStoreOp store : stores) {
    auto buffer = store.getBuffer();
    for (Operation *user : buffer.getUsers())
      if (auto load = dyn_cast<SharedLoadOp>(user))
        load.getCopyMutable().assign(copy);
    auto type = cast<MemRefType>(buffer.getType());
    SmallVector<int64_t> shape{2};
    llvm::append_range(shape, type.getShape());
    buffer.setType(MemRefType::get(shape, type.getElementType(), AffineMap(), type.getMemorySpace()));
  }
  body(copy, nextCopy);
  before.erase();
  after.erase();
  for (SharedStoreOp store : stores)
    store.erase();
  for (Operation *op : llvm::reverse(issue))
    if (op->use_empty())
      op->erase();
}

class Pipelining : public tilec::impl::PipeliningBase<Pipelining> {
public:
  using PipeliningBase::PipeliningBase;

  void runOnOperation() override {
    ProgramOp program = getOperation();
    if (buffers < 1 || buffers > 2) {
      program.emitError() << "pipeline with " << buffers.getValue() << " buffers, expected 1 or 2";
      return signalPassFailure();
    }
    FailureOr<Target> target = programTarget(program, this->target);
    if (failed(target))
      return signalPassFailure();
    if (buffers == 1)
      return;
    SmallVector<scf::ForOp> loops;
    for (KernelOp kernel : program.getBody().getOps<KernelOp>())
      kernel.walk([&](scf::ForOp loop) {
        if (!TileDialect::RestAttrHelper(loop.getContext()).isAttrPresent(loop))
          loops.push_back(loop);
      });
    SmallPtrSet<Operation *, 4> changed;
    for (scf::ForOp loop : loops) {
      auto role = loop->getParentOfType<RoleOp>();
      if (pipeline(loop, *target))
        changed.insert(role);
    }
    // The loads that the last iteration issues for nothing are behind its last barrier: before the task stores there,
    // the threads have to meet.
    for (KernelOp kernel : program.getBody().getOps<KernelOp>())
      for (RoleOp role : kernel.getBody().getOps<RoleOp>())
        if (changed.contains(role))
          placeTaskBarriers(role);
  }

private:
  bool pipeline(scf::ForOp loop, const Target &target) {
    PipelinedLoop pipelined(loop);
    if (!pipelined.match()) {
      // Products that pass LDS were chosen for as many workgroups of a unit as LDS has room for.
      int64_t bytes = planShared(loop->getParentOfType<KernelOp>()).bytes;
      numAhead += loadAhead(loop, target, bytes > 0 && 2 * bytes <= target.lds.bytes);
      return false;
    }
    std::string obstacle = pipelined.obstacle();
    if (obstacle.empty()) {
      int64_t bytes = planShared(loop->getParentOfType<KernelOp>(), pipelined.copies()).bytes;
      if (bytes > target.lds.bytes)
        obstacle = llvm::formatv("two copies of its buffers need {0} bytes of LDS, {1} has {2}", bytes, target.name,
                                 target.lds.bytes);
    }
    if (!obstacle.empty()) {
      emitRemark(loop.getLoc()) << "loop not pipelined: " << obstacle;
      return false;
    }
    pipelined.rewrite();
    ++numLoops;
    return true;
  }
};

} // namespace
