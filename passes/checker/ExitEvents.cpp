// Emits accesses, signals and waits.
#include "passes/checker/ExitEvents.h"

#include "passes/analysis/LayoutConversion.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

LogicalResult ExitEvents::compileAccess(Operation *op, Value viewed, ValueRange start, RankedTensorType tile,
                                        bool reads, bool writes, uint32_t kind) {
  FailureOr<Slots> indices = slotList(op, start, "index");
  return failed(indices) ? failure() : compileAccess(op, viewed, *indices, tile, reads, writes, kind);
}

LogicalResult ExitEvents::compileAccess(Operation *op, Value viewed, ArrayRef<uint32_t> indices, RankedTensorType tile,
                                        bool reads, bool writes, uint32_t kind) {
  AccessSite site;
  site.op = op;
  FailureOr<uint32_t> view = viewOf(op, viewed, site.rank);
  if (failed(view))
    return failure();
  site.view = *view;
  site.indices.assign(indices.begin(), indices.end());
  site.after = {waited};
  site.shape.assign(indices.size() - std::min<size_t>(indices.size(), tile.getRank()), 1);
  llvm::append_range(site.shape, tile.getShape());
  site.elementOffsets = true;
  site.reads = reads;
  site.writes = writes;
  site.kind = kind;
  site.tile = hasOneThreadEach(tile) ? tile : Type();
  site.token = newSlot();
  code->push_back({Code::Access, 0, 0, 0, static_cast<int64_t>(program.accesses.size())});
  if (writes)
    code->push_back({Code::Join, stored, stored, static_cast<uint32_t>(site.token)});
  program.accesses.push_back(std::move(site));
  return success();
}

bool ExitEvents::isElsewhere(const AccessSite &site) const {
  for (Operation *at = site.op; site.rank >= 0 && at != program.op; at = at->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(at->getParentOp());
    auto compare = branch ? branch.getCondition().getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
    if (!compare || compare.getPredicate() != arith::CmpIPredicate::ne || at->getBlock() != branch.thenBlock())
      continue;
    auto left = slots.find(compare.getLhs()), right = slots.find(compare.getRhs());
    if (left == slots.end() || right == slots.end())
      continue;
    auto rank = static_cast<uint32_t>(site.rank);
    if ((left->second == rank && right->second == program.rank) ||
        (right->second == rank && left->second == program.rank))
      return true;
  }
  return false;
}

/// Whether a number is a multiple of another, whatever its parts are.
static bool isMultiple(Value value, int64_t of) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant % of == 0;
  Operation *made = value.getDefiningOp();
  if (isa_and_nonnull<arith::IndexCastOp, arith::ExtSIOp>(made))
    return isMultiple(made->getOperand(0), of);
  if (isa_and_nonnull<arith::MulIOp>(made))
    return llvm::any_of(made->getOperands(), [&](Value factor) { return isMultiple(factor, of); });
  return isa_and_nonnull<arith::AddIOp>(made) &&
         llvm::all_of(made->getOperands(), [&](Value part) { return isMultiple(part, of); });
}

/// Whether elements of a view's rows lie side by side, and rows begin at multiples of so many elements of its buffer.
static bool beginsAtMultiples(Value view, ValueRange strides, int64_t elements) {
  auto at = view.getDefiningOp<hip::ViewAtOp>();
  auto plain = view.getDefiningOp<hip::ViewOp>();
  if ((!at && !plain) || strides.empty() || getConstantIntValue(strides.back()) != 1 ||
      !llvm::all_of(strides.drop_back(), [&](Value stride) { return isMultiple(stride, elements); }) ||
      (at && !isMultiple(at.getOffsets().back(), elements)))
    return false;
  Value pointer = at ? at.getPointer() : plain.getPointer();
  for (auto advance = pointer.getDefiningOp<hip::AdvanceOp>(); advance;
       advance = advance.getPointer().getDefiningOp<hip::AdvanceOp>())
    if (!isa<NoneType>(advance.getType().getElement()) && !isMultiple(advance.getElements(), elements))
      return false;
  return true;
}

LogicalResult ExitEvents::compileRun(hip::CopyingRunOp op) {
  constexpr int64_t bulkBytes = 16;
  hip::SharedType shared = op.getSlot().getType().getTile();
  SmallVector<int64_t> shape(op.getStart().size() - shared.getShape().size(), 1);
  llvm::append_range(shape, shared.getShape());
  auto run = RankedTensorType::get(shape, shared.getElement());
  FailureOr<Slots> start = slotList(op, op.getStart(), "index");
  if (failed(start) || failed(compileAccess(op, op.getView(), *start, run, true, false, 0)))
    return failure();
  AccessSite &site = program.accesses.back();
  site.whole = AccessSite::allWhole;
  int64_t elements = std::max<int64_t>(1, bulkBytes / bytesOf(shared.getElement()));
  if (program.roots[program.views[site.view].root].argument)
    return op.emitOpError() << "copies runs of an argument, which may begin anywhere, expected scratch";
  if (beginsAtMultiples(op.getView(), stridesOf(op.getView()), elements) && isMultiple(op.getStart().back(), elements))
    return success();
  return op.emitOpError()
         << "copies runs of a view whose elements do not lie side by side, or from what is no multiple of " << bulkBytes
         << " bytes";
}

LogicalResult ExitEvents::compileSync(SyncSite site, Value signals, ValueRange indices, tile::Scope scope) {
  FailureOr<Slots> list = slotList(site.op, indices, "signal index");
  return failed(list) ? failure() : compileSync(std::move(site), signals, *list, scope);
}

LogicalResult ExitEvents::compileSync(SyncSite site, Value signals, ArrayRef<uint32_t> indices, tile::Scope scope) {
  auto grid = signals.getDefiningOp<hip::SignalsOp>();
  if (!grid)
    return site.op->emitOpError() << "names no 'hip.signals'";
  tile::SignalsOp declared = memory.gridOf(grid);
  if (!declared)
    return failure();
  // Engines take what tasks count, and nobody else may wait there, or set a word.
  const bool counts = site.counted || site.takes >= 0;
  if (declared.getCounted() != counts && !isa<hip::ArriveOp>(site.op))
    return site.op->emitOpError() << "names signals that " << (counts ? "nobody counts" : "the copy engine takes")
                                  << ", expected "
                                  << (counts ? "a 'counted' grid" : "'hip.count' and 'hip.take_counted'") << " there";
  const bool tallies = isa<hip::TallyOp, hip::WaitTallyOp>(site.op);
  if (declared.getByChiplet() != tallies)
    return site.op->emitOpError() << "names signals whose tasks " << (tallies ? "do not " : "")
                                  << "count by chiplet, expected "
                                  << (tallies ? "a grid 'by_chiplet'" : "'hip.tally' and 'hip.wait_tally'") << " there";
  if (tallies && scope != tile::Scope::Agent)
    return site.op->emitOpError() << "is of scope 'system', expected 'agent': tasks count for their own rank";
  site.grid = grids.lookup(declared);
  site.indices.assign(indices.begin(), indices.end());
  site.system = scope == tile::Scope::System;
  code->push_back({Code::Sync, 0, 0, 0, static_cast<int64_t>(program.syncs.size())});
  program.syncs.push_back(std::move(site));
  return success();
}

LogicalResult ExitEvents::compileRaise(Operation *op, Value signals, ValueRange index, Value to, tile::Scope scope) {
  SyncSite site;
  site.op = op;
  site.signal = true;
  site.publishes = {stored};
  FailureOr<uint32_t> rank = slot(op, to, "rank");
  if (failed(rank))
    return failure();
  site.to = *rank;
  return compileSync(std::move(site), signals, index, scope);
}

LogicalResult ExitEvents::compileCount(hip::CountOp op) {
  // The engine reads memory, behind the caches of the device.
  if (op.getScope() != tile::Scope::System)
    return op.emitOpError() << "publishes to the copy engine at scope 'agent', expected 'system'";
  SyncSite site;
  site.op = op;
  site.signal = site.counted = true;
  site.publishes = {stored};
  site.to = program.rank;
  return compileSync(std::move(site), op.getSignals(), op.getIndex(), op.getScope());
}

LogicalResult ExitEvents::compileTake(hip::TakeCountedOp op) {
  SyncSite site;
  site.op = op;
  FailureOr<uint32_t> count = slot(op, op.getCount(), "number of signals");
  if (failed(count))
    return failure();
  site.counts.assign(op.getIndex().size(), constant(1));
  site.takes = static_cast<int32_t>(*count);
  uint32_t token = site.token = newSlot();
  if (failed(compileSync(std::move(site), op.getSignals(), op.getIndex(), tile::Scope::System)))
    return failure();
  code->push_back({Code::Join, waited, waited, token});
  return success();
}

LogicalResult ExitEvents::compileWait(hip::WaitOp op) {
  SyncSite site;
  site.op = op;
  FailureOr<Slots> counts = slotList(op, op.getCount(), "count");
  if (failed(counts))
    return failure();
  site.counts = *counts;
  site.lag = op.getLag().value_or(0);
  uint32_t token = site.token = newSlot();
  if (failed(compileSync(std::move(site), op.getSignals(), op.getFirst(), op.getScope())))
    return failure();
  code->push_back({Code::Join, waited, waited, token});
  return success();
}

LogicalResult ExitEvents::compileTally(hip::TallyOp op) {
  SyncSite site;
  site.op = op;
  site.signal = true;
  site.publishes = {stored};
  site.to = program.rank;
  return compileSync(std::move(site), op.getSignals(), op.getIndex(), op.getScope());
}

LogicalResult ExitEvents::compileWaitTally(hip::WaitTallyOp op) {
  SyncSite site;
  site.op = op;
  FailureOr<Slots> counts = slotList(op, op.getCount(), "count");
  if (failed(counts))
    return failure();
  site.counts = *counts;
  uint32_t token = site.token = newSlot();
  if (failed(compileSync(std::move(site), op.getSignals(), Slots(counts->size(), constant(0)), op.getScope())))
    return failure();
  code->push_back({Code::Join, waited, waited, token});
  return success();
}

LogicalResult ExitEvents::compilePost(hip::PostOp op) {
  uint32_t before = emit(Code::Copy, stored);
  set(stored, 0);
  SyncSite site;
  site.op = op;
  site.signal = site.posted = true;
  FailureOr<uint32_t> to = slot(op, op.getTo(), "rank");
  if (failed(to) || failed(compileAccess(op, op.getView(), op.getStart(), op.getValue().getType(), false, true)))
    return failure();
  site.to = *to;
  site.publishes = {emit(Code::Copy, stored)};
  code->push_back({Code::Join, stored, stored, before});
  return compileSync(std::move(site), op.getSignals(), op.getIndex(), tile::Scope::System);
}

/// One tile, from the rank of that slot.
LogicalResult ExitEvents::compileTaken(Operation *op, uint32_t source, Value signals, ValueRange index, Value view,
                                       ValueRange start, RankedTensorType tile) {
  FailureOr<Slots> names = slotList(op, index, "signal index"), place = slotList(op, start, "index");
  if (failed(names) || failed(place))
    return failure();
  names->insert(names->begin(), source);
  place->insert(place->begin(), source);
  SyncSite site;
  site.op = op;
  site.posted = true;
  site.counts.assign(names->size(), constant(1));
  uint32_t token = site.token = newSlot();
  if (failed(compileSync(std::move(site), signals, *names, tile::Scope::System)))
    return failure();
  code->push_back({Code::Join, waited, waited, token});
  return failure(failed(compileAccess(op, view, *place, tile, true, false, 0)) ||
                 failed(compileAccess(op, view, *place, tile, false, true, 0)));
}

LogicalResult ExitEvents::compileReceive(hip::ReceiveOp op) {
  FailureOr<uint32_t> source = slot(op, op.getSource(), "rank");
  return failed(source) ? failure()
                        : compileTaken(op, *source, op.getSignals(), op.getIndex(), op.getView(), op.getStart(),
                                       cast<RankedTensorType>(op.getType()));
}

LogicalResult ExitEvents::compileReceiveAll(Operation *op, Value rank, int64_t world, Value signals, ValueRange index,
                                            Value view, ValueRange start, RankedTensorType tile) {
  FailureOr<uint32_t> own = slot(op, rank, "rank");
  if (failed(own))
    return failure();
  for (int64_t ahead = 1; ahead < world; ++ahead) {
    uint32_t source = binary(Code::RemSigned, binary(Code::Add, *own, constant(ahead)), constant(world));
    if (failed(compileTaken(op, source, signals, index, view, start, tile)))
      return failure();
  }
  return success();
}
