// Overlaps the loads of a loop's next pass with the dots of this one, by a second copy of the LDS buffers.
#include "passes/Passes.h"
#include "passes/ProgramTarget.h"
#include "passes/SharedPlan.h"

#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace tilec {
#define GEN_PASS_DEF_PIPELINING
#include "passes/Passes.h.inc"
} // namespace tilec

namespace {

/// The argument or alloc that a view looks at.
Value rootOf(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

/// A location that names a value of the generated text.
Location named(StringRef name, Location loc) { return NameLoc::get(StringAttr::get(loc.getContext(), name), loc); }

/// A loop whose body starts with loads that go to LDS.
class PipelinedLoop {
public:
  explicit PipelinedLoop(scf::ForOp loop) : loop(loop) {}

  /// Whether there is anything to overlap: barrier, stores of what was loaded, barrier.
  bool match();
  /// Why the loads may not be issued a pass early; empty when they may.
  std::string obstacle();
  /// The buffers that get a second copy.
  DenseMap<Operation *, int64_t> copies();
  void rewrite();

private:
  bool isIssue(Operation *op) const { return issue.contains(op); }
  SmallVector<Value> cloneIssue(OpBuilder &builder, Value iteration);
  void storeAll(OpBuilder &builder, ValueRange values, Value copy);
  void prologue(OpBuilder &builder, Value zero);
  void body(Value copy, Value nextCopy);

  scf::ForOp loop;
  BarrierOp before, after;
  SmallVector<SharedStoreOp> stores;
  /// Operations of the body that the stored values need, in the order of the text: loads, their waits, index
  /// arithmetic.
  llvm::SetVector<Operation *> issue;
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
    carried |= llvm::is_contained(loop.getRegionIterArgs(), value);
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != body || !seen.insert(op).second)
      continue;
    llvm::append_range(work, op->getOperands());
  }
  for (Operation &op : *body)
    if (seen.contains(&op))
      issue.insert(&op);
  return llvm::any_of(issue, [](Operation *op) { return isa<LoadOp>(op); });
}

std::string PipelinedLoop::obstacle() {
  if (carried)
    return "what is loaded depends on the pass before";
  bool waits = false;
  SmallPtrSet<Value, 4> loaded;
  for (Operation *op : issue) {
    waits |= isa<WaitOp>(op);
    if (auto load = dyn_cast<LoadOp>(op))
      loaded.insert(rootOf(load.getBuffer()));
    if (op->getNumRegions() || !(isPure(op) || isa<LoadOp, WaitOp>(op)))
      return ("the loads need '" + op->getName().getStringRef() + "'").str();
    for (Operation *user : op->getUsers())
      if (!isPure(op) && !isIssue(loop.getBody()->findAncestorOpInBlock(*user)) &&
          !(isa<SharedStoreOp>(user) && llvm::is_contained(stores, cast<SharedStoreOp>(user))))
        return ("'" + op->getName().getStringRef() + "' has other uses than the stores to LDS").str();
  }
  for (SharedStoreOp store : stores)
    for (Operation *user : store.getBuffer().getUsers())
      if (!loop->isProperAncestor(user))
        return "a buffer is used outside of the loop";
  std::string reason;
  loop.getBody()->walk([&](Operation *op) {
    if (auto access = dyn_cast<AccessOpInterface>(op); access && access.writesBuffer())
      if (loaded.contains(rootOf(access.getAccessedBuffer())))
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

SmallVector<Value> PipelinedLoop::cloneIssue(OpBuilder &builder, Value iteration) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), iteration);
  for (Operation *op : issue)
    builder.clone(*op, mapping);
  return llvm::map_to_vector(stores, [&](SharedStoreOp store) { return mapping.lookupOrDefault(store.getValue()); });
}

void PipelinedLoop::storeAll(OpBuilder &builder, ValueRange values, Value copy) {
  for (auto [store, value] : llvm::zip(stores, values))
    SharedStoreOp::create(builder, store.getLoc(), value, store.getBuffer(), copy);
}

/// The first pass's loads go to copy 0, if there is a first pass.
void PipelinedLoop::prologue(OpBuilder &builder, Value zero) {
  Location loc = loop.getLoc();
  BarrierOp::create(builder, loc);
  Value lower = loop.getLowerBound();
  Value any = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, lower, loop.getUpperBound());
  auto guard = scf::IfOp::create(builder, loc, any, /*withElseRegion=*/false);
  OpBuilder inner = guard.getThenBodyBuilder();
  storeAll(inner, cloneIssue(inner, lower), zero);
}

/// The last pass has nothing to load for: it loads its own tiles again, which is legal where the first load was, and
/// stores them where nobody reads. A branch instead would have to give the tiles a value on its other side.
void PipelinedLoop::body(Value copy, Value nextCopy) {
  Location loc = loop.getLoc();
  Block *block = loop.getBody();
  OpBuilder builder = OpBuilder::atBlockBegin(block);
  BarrierOp::create(builder, loc);
  Value current = loop.getInductionVar();
  Value following = arith::AddIOp::create(builder, named("following", loc), current, loop.getStep());
  Value more = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, following, loop.getUpperBound());
  Value next = arith::SelectOp::create(builder, named("next", loc), more, following, current);
  SmallVector<Value> loaded = cloneIssue(builder, next);
  builder.setInsertionPoint(block->getTerminator());
  storeAll(builder, loaded, nextCopy);
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
      kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      pipeline(loop, *target);
  }

private:
  void pipeline(scf::ForOp loop, const Target &target) {
    PipelinedLoop pipelined(loop);
    if (!pipelined.match())
      return;
    std::string obstacle = pipelined.obstacle();
    if (obstacle.empty()) {
      int64_t bytes = planShared(loop->getParentOfType<KernelOp>(), pipelined.copies()).bytes;
      if (bytes > target.lds.bytes)
        obstacle = llvm::formatv("two copies of its buffers need {0} bytes of LDS, {1} has {2}", bytes, target.name,
                                 target.lds.bytes);
    }
    if (!obstacle.empty()) {
      emitRemark(loop.getLoc()) << "loop not pipelined: " << obstacle;
      return;
    }
    pipelined.rewrite();
    ++numLoops;
  }
};

} // namespace
