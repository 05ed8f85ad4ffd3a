// The loop that a copy engine feeds: slots are filled some steps ahead, and multiplied where they lie. Products of
// views that the engine cannot read stay with the loop that was there.
#include "passes/schedule/RingLoop.h"

#include "passes/analysis/LayoutConversion.h"
#include "passes/analysis/StreamedProduct.h"
#include "passes/analysis/ViewedBuffer.h"
#include "passes/schedule/EarlyWaits.h"
#include "passes/schedule/Producer.h"
#include "passes/schedule/Tasks.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::schedule;

/// The tiling of a product whose sums lie as one of its instructions has them.
static std::optional<StreamTiling> streamTiling(DotOp product, const Target &target) {
  std::optional<LinearLayout> sums = layoutOf(product.getType());
  auto kernel = product->getParentOfType<KernelOp>();
  std::optional<StreamTiling> tiling =
      chooseStreamTiling(target.matrix, problemOf(product, static_cast<int64_t>(kernel.getWaves().value_or(1))));
  return tiling && sums && tiling->registers.accumulator == *sums ? tiling : std::nullopt;
}

bool RingLoop::isStreamed(const Target &target) {
  bool mapped = llvm::all_of(operands, [&](RingOperand &operand) {
    return operand.isAcross() ? isMappedAcross(operand.load, target) : isMapped(operand.load, target);
  });
  return mapped && llvm::all_of(products, [&](DotOp product) {
           // The two operands of one product are read from two slots.
           bool isSquare = &operandOf(product.getLhs().getDefiningOp<SharedLoadOp>()) ==
                           &operandOf(product.getRhs().getDefiningOp<SharedLoadOp>());
           return !isSquare && streamTiling(product, target).has_value();
         });
}

/// Those of the waits that the tasks make before the loop.
SmallVector<Value> RingLoop::tokensBefore() {
  llvm::SetVector<Value> tokens;
  auto tasks = loop->getParentOfType<ForallOp>();
  for (RingOperand &operand : operands)
    for (Value token : operand.load.getAfter())
      if (!waits.contains(token) && tasks && tasks.getBody().isAncestor(token.getParentRegion()))
        tokens.insert(token);
  return tokens.takeVector();
}

ProducerAttr RingLoop::producer(const Target &target) {
  SmallVector<Value> copied;
  for (RingOperand &operand : operands)
    copied.push_back(viewedBuffer(operand.load.getBuffer()));
  // What is behind the loop knows nothing of what a producer has waited for.
  bool isKept = llvm::any_of(loop.getResults(),
                             [](Value result) { return isa<TokenType>(result.getType()) && !result.use_empty(); });
  if (isKept || !llvm::all_of(tokensBefore(), onlyWaits))
    return {};
  return producerFor(loop, copied, target);
}

int64_t RingLoop::stepClocks(const Target &target) {
  int64_t cycles = 0;
  for (DotOp product : products)
    cycles += streamTiling(product, target)->matrixCycles;
  return std::max<int64_t>(1, cycles / target.simdsPerUnit);
}

bool RingLoop::readsOnce() {
  auto tasks = dyn_cast<ForallOp>(loop->getParentOp());
  return tasks && llvm::any_of(operands, [&](RingOperand &operand) { return isReadOnce(operand.load, tasks); });
}

int64_t RingLoop::restBytes() {
  int64_t bytes = 0;
  auto add = [&](RingOperand &operand) { bytes += operand.load.getType().getDimSize(0) * kGroupDepthBytes; };
  if (!computes())
    llvm::for_each(operands, add);
  else // each product has a loop of its own
    for (DotOp product : products)
      for (Value operand : {product.getLhs(), product.getRhs()})
        add(operandOf(operand.getDefiningOp<SharedLoadOp>()));
  return bytes;
}

void RingLoop::keepSlots(bool kept) {
  for (RingOperand &operand : operands)
    cast<SharedBufferOp>(operand.store.getBuffer().getDefiningOp()).setKept(kept);
}

/// Slots that hold tiles as they lie in memory. Pieces of 16 bytes of 8 rows are spread over all banks: as the copy
/// engine writes them, and the products read them.
static void layAsMapped(RingOperand &operand, const Target &target) {
  RankedTensorType tile = operand.load.getType();
  Type element = tile.getElementType();
  int64_t bytes = bytesOf(element), panel = target.lds.mappedRowBytes / bytes;
  SmallVector<int64_t> shape(tile.getShape());
  shape[1] = llvm::alignTo(static_cast<uint64_t>(shape[1]), static_cast<uint64_t>(panel));
  auto space = SharedAttr::get(tile.getContext(), kDirectBytes / bytes, 1, target.lds.mappedRowBytes / kDirectBytes,
                               /*fold=*/0, shape[1] == panel ? 0 : panel);
  operand.laid = MemRefType::get(shape, element, AffineMap(), space);
}

void RingLoop::layForEngine(const Target &target) {
  for (RingOperand &operand : operands)
    layAsMapped(operand, target);
}

/// Steps of the whole loop, whose last may have columns outside of the views; 0 where the engine cannot read them.
Value RingLoop::mappedSteps(OpBuilder &builder) {
  Value mapped = MappedOp::create(builder, where), zero = index(builder, 0);
  return arith::SelectOp::create(builder, named("streamed", where), mapped, loop.getUpperBound(), zero);
}

Value RingLoop::stepBefore(OpBuilder &builder, Value step) {
  return arith::SubIOp::create(builder, where, step, index(builder, 1));
}

/// Whether what a step multiplies is added up by itself before the sums get it: not where there is nothing yet that it
/// would be added to.
static bool isPromoted(DotOp product, const Target &target) {
  return streamTiling(product, target)->promoted && !isZeroTile(product.getAcc());
}

bool RingLoop::isPromoted(const Target &target) {
  return llvm::any_of(products, [&](DotOp product) { return ::isPromoted(product, target); });
}

/// The product of what lies in a slot, begun, or done where its sums are promoted. `replaces`: it begins at zero.
Value RingLoop::issue(OpBuilder &builder, DotOp product, Value slot, Value acc, const Target &target, bool replaces) {
  StreamTiling tiling = *streamTiling(product, target);
  Value lhs = operandOf(product.getLhs().getDefiningOp<SharedLoadOp>()).ring;
  Value rhs = operandOf(product.getRhs().getDefiningOp<SharedLoadOp>()).ring;
  return DotAsyncOp::create(builder, product.getLoc(), lhs, rhs, slot, acc, /*lhsSlot=*/slot, product.getTranspose(),
                            tiling.instruction, ::isPromoted(product, target), replaces, product.getLhsTransposed());
}

/// Products of what lies in the slot of the step. Behind them, those of the step before are complete, and its slot is
/// free; where their sums are promoted, those of the step itself.
void RingLoop::useSlot(OpBuilder &builder, StreamOp stream, Value full, const Target &target) {
  Block &body = stream.getUses().front();
  Value slot = body.getArgument(1);
  AwaitFullOp::create(builder, where, full, slot);
  IRMapping mapping;
  for (auto [argument, mine] : llvm::zip(sumsOf(loop.getRegionIterArgs()), stream.getCarried()))
    mapping.map(argument, mine);
  for (DotOp product : products)
    mapping.map(product.getResult(), issue(builder, product, slot, mapping.lookup(product.getAcc()), target));
  bool promoted = isPromoted(target);
  SmallVector<Value> results;
  for (Value yielded : sumsOf(loop.getYieldedValues())) {
    Value sums = mapping.lookup(yielded);
    auto product = sums.getDefiningOp<DotAsyncOp>();
    results.push_back(
        product && !product.getPromoted()
            ? AwaitProductsOp::create(builder, where, sums, static_cast<uint64_t>(promoted ? 0 : products.size()))
            : sums);
  }
  Value step = body.getArgument(0);
  leaveSlot(builder, stream, promoted ? step : stepBefore(builder, step));
  NextOp::create(builder, where, results);
}

/// The slot of a step is free.
void RingLoop::leaveSlot(OpBuilder &builder, StreamOp stream, Value step) {
  if (stream.getEmpty())
    ReleaseOp::create(builder, where, stream.getEmpty(), step);
  else
    MeetOp::create(builder, where);
}

/// Of what the loop carries: its sums, without the tokens of its waits, which are those of the fills.
SmallVector<Value> RingLoop::sumsOf(ValueRange carried) {
  return llvm::map_to_vector(sums, [&](unsigned position) -> Value { return carried[position]; });
}

/// The rest of the loop goes by these tokens, and nobody waits before it for the others alone.
void RingLoop::waitInRest(ValueRange tokens) {
  SmallVector<Value> before = tokensBefore();
  for (RingOperand &operand : operands)
    for (OpOperand &after : operand.load.getAfterMutable())
      if (auto found = llvm::find(before, after.get()); found != before.end())
        after.set(tokens[found - before.begin()]);
  eraseUnused(before);
}

/// What the loop waits for at a step, and the copies to its slot.
void RingLoop::fillSlot(OpBuilder &builder, StreamOp stream, Value full) {
  Block &fills = stream.getFills().front();
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), fills.getArgument(0));
  if (isProduced())
    waitOnFirstStep(builder, where, stream, tokensBefore(), mapping);
  cloneWaits(builder, mapping);
  auto tasks = dyn_cast<ForallOp>(loop->getParentOp());
  Value tile = tileOf(builder, fills.getArgument(0));
  for (RingOperand &operand : operands) {
    LoadOp load = operand.load;
    SmallVector<Value> after =
        llvm::map_to_vector(load.getAfter(), [&](Value token) { return mapping.lookupOrDefault(token); });
    SmallVector<Value> indices(load.getIndices().drop_back(2));
    llvm::append_range(indices, operand.indicesAt(tile));
    int64_t columns = load.getType().getDimSize(1);
    bool isWhole = columns == operand.laid.getDimSize(1);
    CopyAsyncOp::create(builder, load.getLoc(), load.getBuffer(), indices, load.getFrom(), after, operand.ring,
                        fills.getArgument(1), full, /*by_rows=*/operand.isAcross(),
                        /*read_once=*/tasks && isReadOnce(load, tasks), /*halved=*/false,
                        isWhole ? IntegerAttr() : builder.getI64IntegerAttr(columns));
  }
  NextOp::create(builder, where, ValueRange());
  if (isProduced())
    stream.getFills().walk([](WaitOp wait) { wait.setParticipants(Participants::Wave); });
}

/// Before the first operation of the tasks.
template <class Words>
Words RingLoop::declareWords(OpBuilder &builder, StringRef name, int64_t slots) {
  auto words = Words::create(builder, named(name, where), static_cast<uint64_t>(slots), IntegerAttr());
  words->moveBefore(&words->template getParentOfType<ForallOp>().getBody().front().front());
  return words;
}

StreamOp RingLoop::stream(OpBuilder &builder, Value steps, int64_t slots, const Target &target) {
  bool isProduced = this->isProduced();
  auto full = declareWords<FullOp>(builder, "full", slots);
  Value empty = isProduced ? declareWords<EmptyOp>(builder, "empty", slots).getResult() : Value();
  int64_t ahead = isProduced ? slots : slots - 1;
  SmallVector<Value> inits = sumsOf(loop.getInitArgs());
  SmallVector<Beside> beside = beginComputing(builder, target);
  llvm::append_range(inits, llvm::make_first_range(beside));
  auto stream = StreamOp::create(builder, where, TypeRange(ValueRange(inits)), steps, static_cast<uint64_t>(slots),
                                 static_cast<uint64_t>(ahead), empty, inits);
  for (Region *region : {&stream.getFills(), &stream.getUses()}) {
    Block &body = region->emplaceBlock();
    body.addArgument(builder.getIndexType(), loop.getInductionVar().getLoc());
    body.addArgument(builder.getIndexType(), named("slot", where));
  }
  for (Value argument : sumsOf(loop.getRegionIterArgs()))
    stream.getUses().addArgument(argument.getType(), argument.getLoc());
  for (auto [tile, loc] : beside)
    stream.getUses().addArgument(tile.getType(), loc);
  OpBuilder inner = OpBuilder::atBlockBegin(&stream.getFills().front());
  fillSlot(inner, stream, full);
  inner.setInsertionPointToEnd(&stream.getUses().front());
  if (!computes())
    useSlot(inner, stream, full, target);
  else if (overlaps)
    overlapStep(inner, stream, full, target);
  else
    computeStep(inner, stream, full, target);
  return stream;
}

void RingLoop::rewriteStreamed(int64_t slots, const Target &target) {
  OpBuilder builder(loop);
  for (RingOperand &operand : operands) {
    operand.declareRing(slots);
  }
  Value steps = mappedSteps(builder);
  Value any = arith::CmpIOp::create(builder, where, arith::CmpIPredicate::sgt, steps, index(builder, 0));
  bool isProduced = this->isProduced();
  SmallVector<Value> inits = sumsOf(loop.getInitArgs()), before = isProduced ? tokensBefore() : SmallVector<Value>();
  size_t numSums = inits.size();
  llvm::append_range(inits, before);
  auto guard = scf::IfOp::create(builder, where, TypeRange(ValueRange(inits)), any, /*withElseRegion=*/true);
  OpBuilder inner = guard.getThenBodyBuilder();
  if (!isProduced) {
    // What threads have stored or read where the slots lie comes before the copies.
    FenceAsyncOp::create(inner, where);
    BarrierOp::create(inner, where);
  }
  bool promoted = isPromoted(target);
  StreamOp streamed = stream(inner, steps, slots, target);
  // A loop that computes has waited for the products of each step, but where the next one computes with them.
  SmallVector<Value> left(streamed.getResults().take_front(sums.size()));
  if (overlaps)
    left = finishOverlap(inner, streamed, steps);
  for (Value &result : left)
    result = !computes() ? AwaitProductsOp::create(inner, where, result, static_cast<uint64_t>(0)) : result;
  if (isProduced && !promoted && !computes())
    ReleaseOp::create(inner, where, streamed.getEmpty(), stepBefore(inner, steps));
  for (Value token : before)
    left.push_back(JoinOp::create(inner, where, token.getType(), ValueRange()));
  scf::YieldOp::create(inner, where, left);
  OpBuilder otherwise = guard.getElseBodyBuilder();
  for (Value &token : MutableArrayRef(inits).drop_front(numSums))
    token = waitAgain(otherwise, token);
  scf::YieldOp::create(otherwise, where, inits);
  if (isProduced)
    waitInRest(guard.getResults().drop_front(numSums));
  SmallVector<Value> carried(loop.getInitArgs());
  for (auto [position, result] : llvm::zip(sums, guard.getResults().take_front(numSums)))
    carried[position] = result;
  if (!computes())
    replaceByThin(steps, carried, target);
  else
    computeThin(steps, carried, target);
}
