// Finds loops that add what others left in packed order to the sums of a product, and turns each into a second stream
// through the slots that the product is done with.
#include "passes/schedule/SumStream.h"
#include "dialect/Parts.h"
#include "passes/analysis/LayoutConversion.h"
#include "passes/analysis/ViewedBuffer.h"
#include "passes/schedule/EarlyWaits.h"
#include "passes/schedule/Producer.h"
#include "passes/schedule/Ring.h"
#include "passes/schedule/WholeRuns.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::schedule;

namespace {

/// A loop of a task behind the stream of its product: each iteration loads one run of memory, and computes with it, and
/// with the tile that it carries, element by element.
class SumLoop {
public:
  SumLoop(scf::ForOp loop, StreamOp product) : loop(loop), product(product) {}

  bool match();
  void rewrite();
  bool waits() { return !load.getAfter().empty(); }

private:
  bool matchLoad();
  bool matchTiles();
  bool matchRing();
  bool matchPlace();
  bool isLeftAlone();
  bool isFree(Value value);
  bool canRunAhead();
  Value count(OpBuilder &builder);
  void fill(OpBuilder &builder, StreamOp stream);
  void use(OpBuilder &builder, StreamOp stream);
  Type partType(Type type);

  scf::ForOp loop;
  StreamOp product;
  ForallOp tasks;
  scf::IfOp branch; ///< of the task that holds the loop; null: the task itself does
  LoadOp load;
  SharedBufferOp ring;             ///< of the product, whose slots hold a part of a run each
  Value full;                      ///< the words that say which are full
  int64_t parts = 0, rounds = 0;   ///< of a run; and iterations
  SmallVector<Operation *> places; ///< of the body: what decides where the run lies
  SmallVector<Operation *> chain;  ///< of the body: what computes with tiles
  Value parted;                    ///< the slots, as runs
};

} // namespace

static bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

/// One load of a whole run, and what computes with its elements.
bool SumLoop::matchLoad() {
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto found = dyn_cast<LoadOp>(op);
    bool hasTiles = llvm::any_of(op.getResults(), isTile) || llvm::any_of(op.getOperands(), isTile);
    if (found && !load)
      load = found;
    else if (op.getNumRegions() || !isMemoryEffectFree(&op))
      return false;
    else
      (hasTiles ? chain : places).push_back(&op);
  }
  return load &&
         llvm::none_of(places, [&](Operation *op) { return llvm::is_contained(op->getOperands(), load.getResult()); });
}

/// Element by element, of the run and of what is carried; and of what is the same in all iterations.
bool SumLoop::matchTiles() {
  if (loop.getNumRegionIterArgs() != 1 || !isTile(loop.getRegionIterArg(0)))
    return false;
  Value carried = loop.getRegionIterArg(0), yielded = loop.getYieldedValues()[0];
  auto isOfStep = [&](Value value) {
    Operation *made = value.getDefiningOp();
    return isTile(value) ? value == carried || made == load || llvm::is_contained(chain, made)
                         : loop.isDefinedOutsideOfLoop(value);
  };
  bool isCombined = llvm::any_of(chain, [&](Operation *op) { return llvm::is_contained(op->getOperands(), carried); });
  return isCombined && llvm::is_contained(chain, yielded.getDefiningOp()) && llvm::all_of(chain, [&](Operation *op) {
           bool isElementwise = op->hasTrait<OpTrait::Elementwise>() || isa<RelabelOp>(op);
           return isElementwise && op->getNumResults() == 1 && llvm::all_of(op->getOperands(), isOfStep);
         });
}

/// Whether a value can be made ahead of the branches of its task: it is computed of numbers, whatever these are.
bool SumLoop::isFree(Value value) {
  Operation *made = value.getDefiningOp();
  if (!made || !tasks->isProperAncestor(made) || isa<TokenType>(value.getType()))
    return true;
  return isPure(made) && made->getNumRegions() == 0 &&
         llvm::all_of(made->getOperands(), [&](Value operand) { return isFree(operand); });
}

/// What the fills are made of.
bool SumLoop::canRunAhead() {
  llvm::SetVector<Value> needed;
  for (Operation *op : places)
    needed.insert(op->operand_begin(), op->operand_end());
  needed.insert(load.getIndices().begin(), load.getIndices().end());
  needed.insert(load.getBuffer());
  if (branch)
    needed.insert(branch.getCondition());
  for (Value token : load.getAfter())
    if (Operation *made = token.getDefiningOp(); made && tasks->isProperAncestor(made)) {
      getUsedValuesDefinedAbove(made->getRegions(), needed);
      needed.insert(made->operand_begin(), made->operand_end());
    }
  return llvm::all_of(needed, [&](Value value) { return isFree(value); }) &&
         llvm::all_of(places, [](Operation *op) { return isPure(op); });
}

Type SumLoop::partType(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? partOf(tile, parts) : RankedTensorType();
}

/// A ring of the product of which so many slots, one after the other, hold a run.
bool SumLoop::matchRing() {
  int64_t bytes = load.getType().getNumElements() * bytesOf(load.getType().getElementType());
  product.getFills().walk([&](CopyAsyncOp copy) {
    auto buffer = copy.getRing().getDefiningOp<SharedBufferOp>();
    auto type = cast<MemRefType>(copy.getRing().getType());
    int64_t slots = type.getDimSize(0), slot = type.getNumElements() * bytesOf(type.getElementType()) / slots;
    bool fits = buffer && bytes % slot == 0 && slot % kBulkBytes == 0 && llvm::isPowerOf2_64(bytes / slot) &&
                slots % (bytes / slot) == 0;
    if (fits && (!ring || bytes / slot < parts)) {
      ring = buffer;
      full = copy.getFull();
      parts = bytes / slot;
    }
  });
  return ring && full && partType(load.getType()) && partType(loop.getRegionIterArg(0).getType()) &&
         llvm::all_of(chain, [&](Operation *op) { return partType(op->getResult(0).getType()) != Type(); });
}

/// In the task behind its product, or in a branch of it, a number of times that is known; and what it waits for can be
/// waited for by a producer.
bool SumLoop::matchPlace() {
  tasks = product->getParentOfType<ForallOp>();
  branch = dyn_cast<scf::IfOp>(loop->getParentOp());
  Operation *outer = branch ? branch : loop;
  Operation *guard = tasks.getBody().front().findAncestorOpInBlock(*product);
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         upper = getConstantIntValue(loop.getUpperBound()), step = getConstantIntValue(loop.getStep());
  if (outer->getBlock() != &tasks.getBody().front() || !guard->isBeforeInBlock(outer) || !lower || !upper ||
      step != 1 || *upper <= *lower)
    return false;
  rounds = *upper - *lower;
  return llvm::all_of(load.getAfter(), [&](Value token) {
    bool isOfTask = tasks.getBody().isAncestor(token.getParentRegion());
    // Where the task waits for something else, too, it would wait twice.
    bool isOnly = llvm::all_of(token.getUsers(), [&](Operation *user) { return user == load; });
    return !isOfTask || (isOnly && onlyWaits(token) && token.getParentRegion()->isAncestor(loop->getParentRegion()));
  });
}

/// Whether an access is to another rank, as a branch around it sees to.
static bool isElsewhere(AccessOpInterface access) {
  Value to = access.getAccessRank();
  for (Operation *at = access; to && !isa<ForallOp>(at->getParentOp()); at = at->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(at->getParentOp());
    auto compare = branch ? branch.getCondition().getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
    bool isOther = compare && compare.getPredicate() == arith::CmpIPredicate::ne &&
                   ((compare.getLhs() == to && compare.getRhs().getDefiningOp<RankOp>()) ||
                    (compare.getRhs() == to && compare.getLhs().getDefiningOp<RankOp>()));
    if (isOther && at->getBlock() == branch.thenBlock())
      return true;
  }
  return false;
}

/// The producer would have to wait for a task that it has left behind, if tasks wrote what it brings here. What they
/// write to others is for these to wait for.
bool SumLoop::isLeftAlone() {
  Value buffer = viewedBuffer(load.getBuffer());
  return !tasks
              .walk([&](AccessOpInterface access) {
                bool isWritten = access.writesBuffer() && viewedBuffer(access.getAccessedBuffer()) == buffer;
                return isWritten && !isElsewhere(access) ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

bool SumLoop::match() {
  return matchLoad() && matchTiles() && matchRing() && matchPlace() && takesWholeRuns(load, loop, tasks) &&
         canRunAhead() && isLeftAlone();
}

/// Steps, for both sides: none where the task takes the other branch.
Value SumLoop::count(OpBuilder &builder) {
  Location where = unnamed(loop.getLoc());
  Value steps = arith::ConstantIndexOp::create(builder, where, rounds * parts);
  if (!branch)
    return steps;
  Value none = arith::ConstantIndexOp::create(builder, where, 0);
  bool isThen = loop->getBlock() == branch.thenBlock();
  return arith::SelectOp::create(builder, named("added", where), branch.getCondition(), isThen ? steps : none,
                                 isThen ? none : steps);
}

/// A part of the run of the round.
void SumLoop::fill(OpBuilder &builder, StreamOp stream) {
  Location where = unnamed(loop.getLoc());
  IRMapping mapping;
  SmallVector<Value> waited;
  for (Value token : load.getAfter())
    if (tasks.getBody().isAncestor(token.getParentRegion()) && !llvm::is_contained(waited, token))
      waited.push_back(token);
  waitOnFirstStep(builder, where, stream, waited, mapping);
  Value step = stream.getFills().getArgument(0), part = arith::ConstantIndexOp::create(builder, where, 0), round = step;
  if (parts > 1) {
    Value number = arith::ConstantIndexOp::create(builder, where, parts);
    round = arith::DivSIOp::create(builder, named("round", where), step, number);
    part = arith::RemSIOp::create(builder, named("part", where), step, number);
  }
  mapping.map(loop.getInductionVar(),
              arith::AddIOp::create(builder, loop.getInductionVar().getLoc(), round, loop.getLowerBound()));
  for (Operation *op : places)
    builder.clone(*op, mapping);
  auto mapped = [&](Value value) { return mapping.lookupOrDefault(value); };
  SmallVector<Value> indices = llvm::map_to_vector(load.getIndices().drop_back(), mapped);
  indices.push_back(part);
  CopyAsyncOp::create(builder, load.getLoc(), mapped(load.getBuffer()), indices, /*from=*/Value(),
                      llvm::map_to_vector(load.getAfter(), mapped), parted, stream.getFills().getArgument(1), full,
                      /*by_rows=*/false, /*read_once=*/false, /*halved=*/false, /*columns=*/IntegerAttr());
  NextOp::create(builder, where, ValueRange());
}

/// What an iteration does, with the registers of one part.
void SumLoop::use(OpBuilder &builder, StreamOp stream) {
  Location where = unnamed(loop.getLoc());
  Value step = stream.getUses().getArgument(0), slot = stream.getUses().getArgument(1), sums = stream.getCarried()[0];
  AwaitFullOp::create(builder, where, full, slot);
  IRMapping mapping;
  mapping.map(load.getResult(), SharedLoadOp::create(builder, load.getLoc(), partType(load.getType()), parted, slot,
                                                     /*transposed=*/false));
  Value mine = sums;
  if (parts > 1)
    mine = PartOp::create(builder, named("part", where), partType(sums.getType()), sums, slot,
                          static_cast<uint64_t>(parts));
  mapping.map(loop.getRegionIterArg(0), mine);
  for (Operation *op : chain) {
    Value made = builder.clone(*op, mapping)->getResult(0);
    made.setType(partType(made.getType()));
  }
  Value next = mapping.lookupOrDefault(loop.getYieldedValues()[0]);
  if (parts > 1)
    next = WithPartOp::create(builder, named("sums", where), sums.getType(), sums, slot, static_cast<uint64_t>(parts),
                              next);
  ReleaseOp::create(builder, where, stream.getEmpty(), step);
  NextOp::create(builder, where, next);
}

void SumLoop::rewrite() {
  Location where = unnamed(loop.getLoc());
  OpBuilder builder(branch ? branch : loop);
  Value steps = count(builder);
  auto slots = cast<MemRefType>(ring.getType()).getDimSize(0);
  builder.setInsertionPointAfter(ring);
  Type element = load.getType().getElementType();
  auto space = SharedAttr::get(loop.getContext(), 1, 1, 1, /*fold=*/0, /*panel=*/0);
  auto type = MemRefType::get({slots, load.getType().getNumElements() / parts}, element, AffineMap(), space);
  parted = SharedBufferOp::create(builder, named("runs", where), type, IntegerAttr(), /*kept=*/false, ring);
  builder.setInsertionPoint(loop);
  Value init = loop.getInitArgs()[0];
  auto stream = StreamOp::create(builder, where, TypeRange(init.getType()), steps, static_cast<uint64_t>(slots),
                                 static_cast<uint64_t>(slots), product.getEmpty(), init);
  for (Region *region : {&stream.getFills(), &stream.getUses()}) {
    Block &body = region->emplaceBlock();
    body.addArgument(builder.getIndexType(), named("step", where));
    body.addArgument(builder.getIndexType(), named("slot", where));
  }
  stream.getUses().addArgument(init.getType(), named("so_far", where));
  OpBuilder inner = OpBuilder::atBlockBegin(&stream.getFills().front());
  fill(inner, stream);
  inner.setInsertionPointToEnd(&stream.getUses().front());
  use(inner, stream);
  SmallVector<Value> tokens(load.getAfter());
  loop.getResult(0).replaceAllUsesWith(stream.getResult(0));
  loop.erase();
  llvm::erase_if(tokens, [&](Value token) { return !tasks.getBody().isAncestor(token.getParentRegion()); });
  eraseUnused(tokens);
}

unsigned schedule::streamSums(KernelOp kernel, const Target &target) {
  SmallVector<StreamOp> streams;
  kernel.walk([&](StreamOp stream) { streams.push_back(stream); });
  ProducerAttr producer = streams.size() == 1 && streams.front().getEmpty() ? kernel.getProducerAttr() : ProducerAttr();
  ProducerAttr waiting = producer ? withWaits(producer, kernel, target) : ProducerAttr();
  if (!waiting)
    return 0;
  SmallVector<scf::ForOp> loops;
  streams.front()->getParentOfType<ForallOp>().walk([&](scf::ForOp loop) { loops.push_back(loop); });
  unsigned changed = 0;
  for (scf::ForOp loop : loops) {
    SumLoop sums(loop, streams.front());
    if (!sums.match())
      continue;
    if (sums.waits())
      kernel.setProducerAttr(waiting);
    sums.rewrite();
    ++changed;
  }
  return changed;
}
