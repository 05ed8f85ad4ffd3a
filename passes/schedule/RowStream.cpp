// The loop over rows that a copy engine feeds: its products read the slots where they lie, their left operands and what
// is computed between them stay in registers. Views that the engine cannot read stay with the loop that was there.
#include "passes/schedule/RowLoop.h"

#include "passes/analysis/LayoutConversion.h"
#include "passes/analysis/StreamedProduct.h"
#include "passes/analysis/ViewedBuffer.h"
#include "passes/schedule/Producer.h"
#include "passes/schedule/Tasks.h"
#include "passes/stage/SharedPlan.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::schedule;

/// The instruction of a product whose left operand and sums lie in registers as it has them; empty where there is none.
std::string RowLoop::streamInstruction(DotOp product, const Target &target) const {
  auto kernel = product->getParentOfType<KernelOp>();
  MatrixProblem problem = problemOf(product, static_cast<int64_t>(kernel.getWaves().value_or(1)));
  problem.promoted = false; // sums of a step go on from those before
  std::optional<StreamTiling> tiling = chooseStreamTiling(target.matrix, problem);
  std::optional<LinearLayout> sums = layoutOf(product.getType()), left = layoutOf(product.getLhs().getType());
  bool fits =
      tiling && !product.getLhsTransposed() && sums == tiling->registers.accumulator && left == tiling->registers.a;
  return fits ? tiling->instruction : "";
}

bool RowLoop::isStreamed(const Target &target) {
  auto isRight = [&](SharedLoadOp read) {
    return llvm::all_of(read->getUses(), [&](OpOperand &use) {
      auto product = dyn_cast<DotOp>(use.getOwner());
      return product && product.getRhs() == read.getResult() && product.getLhs() != read.getResult() &&
             product->getBlock() == loop.getBody() && !streamInstruction(product, target).empty();
    });
  };
  return llvm::all_of(operands, [&](RingOperand &operand) {
    return isMappedByRows(operand.load, target) && llvm::all_of(operand.reads, isRight);
  });
}

ProducerAttr RowLoop::producer(const Target &target) {
  SmallVector<Value> copied;
  for (RingOperand &operand : operands)
    copied.push_back(viewedBuffer(operand.load.getBuffer()));
  return producerFor(loop, copied, target);
}

int64_t RowLoop::producedBytes(int64_t slots, const Target &target) {
  this->slots = slots;
  for (RingOperand &operand : operands)
    declareMappedRing(operand, /*kept=*/true, target);
  int64_t bytes = planShared(loop->getParentOfType<KernelOp>()).bytes;
  for (RingOperand &operand : operands) {
    operand.ring.getDefiningOp()->erase();
    operand.ring = {};
  }
  return bytes;
}

/// Slots that hold tiles as they lie in memory, in panels as wide as the engine copies. Pieces of 16 bytes of 8 rows
/// are spread over all banks.
void RowLoop::declareMappedRing(RingOperand &operand, bool kept, const Target &target) {
  RankedTensorType tile = operand.load.getType();
  Type element = tile.getElementType();
  int64_t bytes = bytesOf(element), panel = target.lds.mappedRowBytes / bytes;
  auto space = SharedAttr::get(tile.getContext(), kDirectBytes / bytes, 1, target.lds.mappedRowBytes / kDirectBytes,
                               /*fold=*/0, tile.getDimSize(1) == panel ? 0 : panel);
  OpBuilder builder(operand.store.getBuffer().getDefiningOp());
  operand.ring = SharedBufferOp::create(
      builder, viewedBuffer(operand.load.getBuffer()).getLoc(),
      MemRefType::get({slots, tile.getDimSize(0), tile.getDimSize(1)}, element, AffineMap(), space),
      /*offset=*/IntegerAttr(), kept);
}

/// The product of what lies in the slot. Nothing before its wait uses the sums.
Value RowLoop::issue(OpBuilder &builder, DotOp product, Value slot, IRMapping &mapping) {
  auto read = product.getRhs().getDefiningOp<SharedLoadOp>();
  return DotAsyncOp::create(builder, product.getLoc(), mapping.lookupOrDefault(product.getLhs()),
                            operandOf(read.getBuffer())->ring, slot, mapping.lookupOrDefault(product.getAcc()),
                            /*lhsSlot=*/Value(), product.getTranspose(), instructions.at(product));
}

/// What the loop computes, with products of the slot.
void RowLoop::useSlot(OpBuilder &builder, StreamOp stream) {
  Block &body = stream.getUses().front();
  IRMapping mapping = mapStep(builder, stream);
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto product = dyn_cast<DotOp>(op);
    if (product && instructions.contains(product)) {
      Value sums = issue(builder, product, body.getArgument(1), mapping);
      mapping.map(product.getResult(),
                  AwaitProductsOp::create(builder, product.getLoc(), sums, /*left=*/static_cast<uint64_t>(0)));
    } else if (!isFilling(op) && !isa<SharedLoadOp>(op)) {
      builder.clone(op, mapping);
    }
  }
  leaveSlot(builder, stream);
  NextOp::create(builder, where, llvm::map_to_vector(loop.getYieldedValues(), [&](Value value) {
                   return mapping.lookupOrDefault(value);
                 }));
}

/// The products of the step are over for the wave: the slot is filled again when those of all waves are.
void RowLoop::leaveSlot(OpBuilder &builder, StreamOp stream) {
  if (stream.getEmpty())
    ReleaseOp::create(builder, where, stream.getEmpty(), stream.getUses().getArgument(0));
  else
    MeetOp::create(builder, where);
}

/// Whether no other task reads rows that this one does: then copies take longer than what a step computes, and a text
/// for each slot only takes time to come from memory: of decoding on one H200, with 750 to 24,000 rows a task.
bool RowLoop::hasOwnRows() {
  auto tasks = loop->getParentOfType<ForallOp>();
  return llvm::all_of(operands, [&](RingOperand &operand) { return isReadOnce(operand.load, tasks, loop); });
}

/// `like`: what is carried has the places of these.
StreamOp RowLoop::createStream(OpBuilder &builder, Value steps, ValueRange inits, ValueRange like) {
  Value empty;
  if (isProduced()) {
    auto words = EmptyOp::create(builder, named("empty", where), static_cast<uint64_t>(slots), IntegerAttr());
    words->moveBefore(&words->getParentOfType<ForallOp>().getBody().front().front());
    empty = words;
  }
  int64_t ahead = isProduced() ? slots : slots - 1;
  auto stream = StreamOp::create(builder, where, TypeRange(inits), steps, static_cast<uint64_t>(slots),
                                 static_cast<uint64_t>(ahead), empty, inits, isProduced() && hasOwnRows());
  for (Region *region : {&stream.getFills(), &stream.getUses()}) {
    Block &body = region->emplaceBlock();
    body.addArgument(builder.getIndexType(), loop.getInductionVar().getLoc());
    body.addArgument(builder.getIndexType(), named("slot", where));
  }
  for (auto [init, place] : llvm::zip(inits, like))
    stream.getUses().addArgument(init.getType(), place.getLoc());
  return stream;
}

/// The loop's number of a step.
Value RowLoop::numberOf(OpBuilder &builder, Value step) {
  return beginsAtZero() ? step : arith::AddIOp::create(builder, named("number", where), loop.getLowerBound(), step);
}

/// Where steps overlap, what the sums' product reads comes a step later than what the scores' does. The first step has
/// none of it, and the one behind the last no more of the other: rows in front of all are zeros, and are not fetched.
void RowLoop::fillSlot(StreamOp stream, Value full, Value steps) {
  Block &fills = stream.getFills().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&fills);
  Value step = fills.getArgument(0), row = numberOf(builder, step), later = row;
  auto noneAt = [&](Value place, Value otherwise) -> Value {
    Value isThere = arith::CmpIOp::create(builder, where, arith::CmpIPredicate::eq, step, place);
    return arith::SelectOp::create(builder, named("row", where), isThere, index(builder, -1), otherwise);
  };
  if (overlap)
    later = arith::SubIOp::create(builder, named("before", where), row, index(builder, 1));
  if (overlap && !beginsAtZero()) {
    later = noneAt(index(builder, 0), later);
    row = noneAt(steps, row);
  }
  for (RingOperand &operand : operands) {
    LoadOp load = operand.load;
    SmallVector<Value> indices(load.getIndices());
    bool isLater = overlap && overlap->sums.getRhs() == operand.reads.front().getResult();
    indices[indices.size() - 2] = isLater ? later : row;
    CopyAsyncOp::create(builder, load.getLoc(), load.getBuffer(), indices, load.getFrom(), operand.after, operand.ring,
                        fills.getArgument(1), full, /*by_rows=*/true, /*read_once=*/stream.getInTurn(),
                        /*halved=*/false, /*columns=*/IntegerAttr());
  }
  NextOp::create(builder, where, ValueRange());
}

/// Steps of the stream: where they overlap one more than the loop has, if that has any.
Value RowLoop::countOf(OpBuilder &builder, Value steps) {
  if (!overlap)
    return steps;
  Value zero = index(builder, 0), more = arith::AddIOp::create(builder, where, steps, index(builder, 1));
  Value any = arith::CmpIOp::create(builder, where, arith::CmpIPredicate::sgt, steps, zero);
  return arith::SelectOp::create(builder, named("turns", where), any, more, zero);
}

/// Returns what the loop carries.
SmallVector<Value> RowLoop::stream(OpBuilder &builder, Value steps, Value count) {
  auto full = FullOp::create(builder, named("full", where), static_cast<uint64_t>(slots), IntegerAttr());
  full->moveBefore(&full->getParentOfType<ForallOp>().getBody().front().front());
  SmallVector<Value> inits(loop.getInitArgs()), like(loop.getRegionIterArgs());
  if (overlap) {
    auto weights = cast<RankedTensorType>(overlap->sums.getLhs().getType());
    TypedAttr zero = builder.getZeroAttr(weights.getElementType());
    inits.push_back(arith::ConstantOp::create(builder, overlap->sums.getLhs().getLoc(), weights,
                                              DenseElementsAttr::get(weights, Attribute(zero))));
    like.push_back(overlap->sums.getLhs());
  }
  StreamOp stream = createStream(builder, count, inits, like);
  fillSlot(stream, full, steps);
  OpBuilder inner = OpBuilder::atBlockEnd(&stream.getUses().front());
  AwaitFullOp::create(inner, where, full, stream.getUses().getArgument(1));
  if (overlap)
    useInTurn(inner, stream, steps);
  else
    useSlot(inner, stream);
  return SmallVector<Value>(stream.getResults().take_front(loop.getNumRegionIterArgs()));
}

void RowLoop::rewriteStreamed(int64_t slots, const Target &target) {
  this->slots = slots;
  OpBuilder builder(loop);
  for (DotOp product : loop.getBody()->getOps<DotOp>())
    if (product.getRhs().getDefiningOp<SharedLoadOp>())
      instructions[product] = streamInstruction(product, target);
  if (!matchOverlap())
    overlap.reset();
  for (RingOperand &operand : operands) {
    declareMappedRing(operand, isProduced(), target);
    operand.declareMatrix(builder);
  }
  // The last step may have rows outside of the views.
  Value mapped = MappedOp::create(builder, where), all = loop.getUpperBound();
  if (!beginsAtZero())
    all = arith::SubIOp::create(builder, named("steps", where), all, loop.getLowerBound());
  Value steps = arith::SelectOp::create(builder, named("streamed", where), mapped, all, index(builder, 0));
  Value count = countOf(builder, steps);
  Value any = arith::CmpIOp::create(builder, where, arith::CmpIPredicate::sgt, count, index(builder, 0));
  auto guard =
      scf::IfOp::create(builder, where, TypeRange(ValueRange(loop.getInitArgs())), any, /*withElseRegion=*/true);
  OpBuilder inner = guard.getThenBodyBuilder();
  if (!isProduced()) {
    // What threads have stored or read where the slots lie comes before the copies.
    FenceAsyncOp::create(inner, where);
    BarrierOp::create(inner, where);
  }
  scf::YieldOp::create(inner, where, stream(inner, steps, count));
  OpBuilder otherwise = guard.getElseBodyBuilder();
  scf::YieldOp::create(otherwise, where, loop.getInitArgs());
  // The rest has few registers beside the sums: it loads an operand when the one before is in LDS.
  for (RingOperand &operand : operands)
    operand.load->moveBefore(operand.store);
  loop.getInitArgsMutable().assign(guard.getResults());
  loop.setLowerBound(numberOf(builder, steps));
  TileDialect::RestAttrHelper(loop.getContext()).setAttr(loop, builder.getUnitAttr());
}
