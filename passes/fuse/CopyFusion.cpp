// A copy moves element x of its source to x + shift of its destination, for every peer of a loop over ranks or for one.
// Both fusions apply the same shift to the footprint of another access, after proving that the two cover the same
// region.
#include "passes/fuse/CopyFusion.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace {

/// The index of a copy's loop that names the other rank; null when the rank is fixed or there is none.
Value peerIndex(Copy copy) {
  Value peer = copy.into.rank ? copy.into.rank : copy.from.rank;
  auto argument = dyn_cast_or_null<BlockArgument>(peer);
  return argument && argument.getOwner()->getParentOp() == copy.forall.getOperation() ? peer : Value();
}

/// True when a value is an index of a copy's loop or computed in it: it does not outlive the copy.
bool isInside(Value value, Copy copy) { return copy.forall.getBody().isAncestor(value.getParentRegion()); }

/// True when the rank that a copy addresses is nobody, its peer index or a value from outside.
bool rankOutlives(Copy copy, Value rank) { return !rank || rank == peerIndex(copy) || !isInside(rank, copy); }

/// Moves what a value is computed from before a statement. The program's scalars are pure or read nothing that
/// statements write.
bool hoist(Value value, Operation *before) {
  auto available = [&](Value operand) {
    Operation *op = operand ? operand.getDefiningOp() : nullptr;
    return !op || op->getBlock() != before->getBlock() || op->isBeforeInBlock(before);
  };
  // Operands before what uses them: a chain may be longer than the stack is deep.
  SmallVector<Value> pending{value};
  while (!pending.empty()) {
    if (available(pending.back())) {
      pending.pop_back();
      continue;
    }
    Operation *op = pending.back().getDefiningOp();
    if (!isPure(op))
      return false;
    auto later = llvm::find_if_not(op->getOperands(), available);
    if (later != op->operand_end())
      pending.push_back(*later);
    else
      op->moveBefore(before);
  }
  return true;
}

/// into - from, dimension by dimension, the extra leading dimensions of `into` taken whole. Fails when it depends on
/// the tiles, and when `into` has fewer dimensions: no view of it has all of `from`.
std::optional<SmallVector<IndexForm>> shiftBetween(const Footprint &from, const Footprint &into, Copy copy) {
  if (into.first.size() < from.first.size())
    return std::nullopt;
  SmallVector<IndexForm> shift;
  size_t leading = into.first.size() - from.first.size();
  for (size_t i = 0; i < into.first.size(); ++i) {
    if (i < leading)
      shift.push_back(into.first[i]);
    else
      shift.push_back(into.first[i] - from.first[from.first.size() - into.first.size() + i]);
  }
  Value peer = peerIndex(copy);
  for (const IndexForm &form : shift)
    for (auto [variable, factor] : form.terms)
      if (variable != peer && isInside(variable, copy))
        return std::nullopt;
  return shift;
}

/// True when the copy moves whole regions, masked alike on both sides: what lies outside of one lies outside of the
/// other, so that no element is filled in and none is dropped. Leading dimensions that `from` lacks must be known to be
/// inside.
bool sameMask(const Footprint &from, const Footprint &into, ArrayRef<IndexForm> shift) {
  size_t leading = into.first.size() - from.first.size();
  for (size_t i = 0; i < into.first.size(); ++i) {
    if (i >= leading) {
      if (!(into.clipFirst[i] == from.clipFirst[i - leading] + shift[i]) ||
          !(into.clipSize[i] == from.clipSize[i - leading]))
        return false;
      continue;
    }
    auto at = dyn_cast<AffineConstantExpr>(into.first[i].constant);
    auto size = dyn_cast<AffineConstantExpr>(into.clipSize[i].constant);
    if (into.first[i].isConstant() && at && !(size && at.getValue() >= 0 && at.getValue() < size.getValue()))
      return false;
  }
  return true;
}

/// True when an access addresses its view tile by tile from the view's origin, with unit strides, so that the same
/// indices in another view of the same shape address the corresponding elements.
bool isPlain(AccessOpInterface access, const Footprint &footprint) {
  SmallVector<int64_t> shape = access.getFootprintShape();
  if (footprint.first.size() != shape.size() || access.getEachDim())
    return false;
  for (auto [i, index] : llvm::enumerate(access.getAccessIndices())) {
    IndexForm form = IndexForm::of(index);
    if (!access.hasElementOffsets())
      form = form * getAffineConstantExpr(shape[i], access.getContext());
    if (!(footprint.first[i] == footprint.clipFirst[i] + form) || footprint.size[i] != shape[i])
      return false;
  }
  return true;
}

/// The value that plays the peer's part for an access: `clip` of the copy with its peer replaced by it is the access's
/// clip. Returns a null value when the copy's clip does not depend on the peer and the clips agree; nothing when they
/// differ.
std::optional<Value> matchRegion(const Footprint &copied, const Footprint &access, Value peer) {
  Value match;
  auto agree = [&](const SmallVector<IndexForm> &a, const SmallVector<IndexForm> &b) {
    return llvm::all_of_zip(a, b, [&](const IndexForm &x, const IndexForm &y) {
      return (match ? x.substitute(peer, IndexForm::of(match)) : x) == y;
    });
  };
  AffineExpr factor;
  for (const IndexForm &form : copied.clipFirst)
    if (peer && form.coefficient(peer))
      factor = form.coefficient(peer);
  if (!factor)
    return agree(copied.clipFirst, access.clipFirst) && agree(copied.clipSize, access.clipSize) ? std::optional(Value())
                                                                                                : std::nullopt;
  for (const IndexForm &form : access.clipFirst)
    for (auto [variable, coefficient] : form.terms)
      if (coefficient == factor) {
        match = variable;
        if (agree(copied.clipFirst, access.clipFirst) && agree(copied.clipSize, access.clipSize))
          return match;
      }
  return std::nullopt;
}

/// A view of `root` whose origin is the clip of `access` moved by `shift`; leading dimensions that the access lacks are
/// dropped.
Value shiftedView(OpBuilder &builder, Location loc, Value root, const Footprint &access, ArrayRef<IndexForm> shift) {
  auto type = cast<MemRefType>(root.getType());
  size_t leading = type.getRank() - access.clipFirst.size();
  SmallVector<OpFoldResult> offsets, sizes, strides(type.getRank(), builder.getIndexAttr(1));
  auto fold = [&](const IndexForm &form) -> OpFoldResult {
    auto constant = dyn_cast<AffineConstantExpr>(form.constant);
    if (form.isConstant() && constant)
      return builder.getIndexAttr(constant.getValue());
    return form.materialize(builder, loc);
  };
  for (int64_t i = 0; i < type.getRank(); ++i) {
    bool extra = i < static_cast<int64_t>(leading);
    offsets.push_back(fold(extra ? shift[i] : access.clipFirst[i - leading] + shift[i]));
    sizes.push_back(extra ? OpFoldResult(builder.getIndexAttr(1)) : fold(access.clipSize[i - leading]));
  }
  bool whole = !leading && llvm::all_of_zip(access.clipFirst, shift, [](const IndexForm &first, const IndexForm &by) {
    return (first + by) == IndexForm::of(0, by.constant.getContext());
  });
  if (whole && llvm::all_of_zip(access.clipSize, shapeOf(root), [](const IndexForm &size, AffineExpr extent) {
        return extent && size == IndexForm::of(extent);
      }))
    return root;
  if (!leading)
    return memref::SubViewOp::create(builder, loc, root, offsets, sizes, strides);
  SmallVector<int64_t> kept;
  for (OpFoldResult size : ArrayRef(sizes).drop_front(leading))
    kept.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  auto reduced = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(kept, type, offsets, sizes, strides));
  return memref::SubViewOp::create(builder, loc, reduced, root, offsets, sizes, strides);
}

SmallVector<IndexForm> substitute(ArrayRef<IndexForm> shift, Value peer, Value by) {
  return llvm::map_to_vector(
      shift, [&](const IndexForm &form) { return peer && by ? form.substitute(peer, IndexForm::of(by)) : form; });
}

/// The tile loop whose index a variable is; null for anything else.
ForallOp loopOf(Value variable) {
  auto argument = dyn_cast<BlockArgument>(variable);
  return argument ? dyn_cast<ForallOp>(argument.getOwner()->getParentOp()) : ForallOp();
}

/// Number of values a tile loop's index takes, over the extents.
AffineExpr boundOf(Value index) {
  auto forall = loopOf(index);
  auto bounds = overExtents(*forall.getBounds(), forall.getExtents(), *programOf(index).getWorld());
  return bounds ? (*bounds)[cast<BlockArgument>(index).getArgNumber()] : AffineExpr();
}

/// True when the copy has no loop over peers, or one over every rank.
bool reachesEveryRank(Copy copy) {
  Value peer = peerIndex(copy);
  return !peer || boundOf(peer) == getAffineConstantExpr(*programOf(peer).getWorld(), peer.getContext());
}

/// True when the tiles of the loop cover the whole clip: dimension by dimension, one index steps by the tile from the
/// clip's origin to its end, or one tile is enough.
bool coversClip(const Footprint &footprint) {
  for (auto [first, origin, extent, size] :
       llvm::zip(footprint.first, footprint.clipFirst, footprint.clipSize, footprint.size)) {
    IndexForm steps = first - origin;
    auto zero = dyn_cast<AffineConstantExpr>(steps.constant);
    auto whole = dyn_cast<AffineConstantExpr>(extent.constant);
    if (!zero || zero.getValue() != 0 || !extent.isConstant())
      return false;
    if (steps.isConstant()) {
      if (!whole || whole.getValue() > size)
        return false;
      continue;
    }
    auto factor = dyn_cast<AffineConstantExpr>(steps.terms.front().second);
    Value index = steps.terms.front().first;
    if (steps.terms.size() != 1 || !factor || factor.getValue() != size || !loopOf(index) || !boundOf(index) ||
        boundOf(index) != simplifyAffineExpr(extent.constant.ceilDiv(size), 0, 64))
      return false;
  }
  return true;
}

/// True when two accesses in different tile loops touch the same tiles: same sizes, and offsets that differ only in the
/// names of loop indices with equal bounds.
bool sameTiles(const Footprint &a, const Footprint &b) {
  if (a.size != b.size)
    return false;
  for (auto [x, y] : llvm::zip(a.first, b.first)) {
    if (x.constant != y.constant || x.terms.size() != y.terms.size())
      return false;
    for (auto [variable, factor] : x.terms) {
      bool found = llvm::any_of(y.terms, [v = variable, f = factor](const auto &term) {
        if (term.second != f)
          return false;
        return term.first == v || (loopOf(term.first) && loopOf(v) && boundOf(term.first) == boundOf(v));
      });
      if (!found)
        return false;
    }
  }
  return true;
}

/// Calls `visit` for the accesses to a buffer through any view, in no order.
void forEachAccess(Value buffer, function_ref<void(AccessOpInterface)> visit) {
  for (OpOperand &use : buffer.getUses()) {
    if (auto view = dyn_cast<memref::SubViewOp>(use.getOwner()))
      forEachAccess(view, visit);
    else if (auto access = dyn_cast<AccessOpInterface>(use.getOwner()); access && access.getAccessedBuffer() == buffer)
      visit(access);
  }
}

/// Accesses to a buffer through any view, but those inside `except`.
std::vector<Footprint> accessesTo(Value root, Operation *except) {
  std::vector<Footprint> result;
  forEachAccess(root, [&](AccessOpInterface access) {
    if (!except->isAncestor(access))
      result.push_back(Footprint::of(access));
  });
  return result;
}

/// Scratch of the program that nothing but accesses uses and that does not outlive the launch.
bool isTransient(Value root) {
  auto alloc = root.getDefiningOp<AllocOp>();
  return alloc && !alloc.getPersistent();
}

/// The statement of the program's body that holds an operation.
Operation *statementOf(Operation *op) {
  return op->getParentOfType<ProgramOp>().getBody().front().findAncestorOpInBlock(*op);
}

/// True when a statement from `first` to `last`, both included, touches a buffer; reads count when `reads` is set.
bool touchedBetween(Value root, Operation *first, Operation *last, bool reads, Operation *except) {
  bool touched = false;
  forEachAccess(root, [&](AccessOpInterface access) {
    Operation *statement = statementOf(access);
    touched |= !except->isAncestor(access) && (access.writesBuffer() || reads) && !statement->isBeforeInBlock(first) &&
               !last->isBeforeInBlock(statement);
  });
  return touched;
}

void eraseDeadViews(Value root) {
  for (Operation *user : llvm::make_early_inc_range(root.getUsers()))
    if (auto view = dyn_cast<memref::SubViewOp>(user)) {
      eraseDeadViews(view);
      if (view.use_empty())
        view.erase();
    }
}

void eraseScratch(Value root) {
  eraseDeadViews(root);
  if (root.use_empty())
    root.getDefiningOp()->erase();
}

/// This rank, as a value of the program.
Value rankOf(ProgramOp program) {
  for (RankOp rank : program.getBody().getOps<RankOp>())
    return rank;
  OpBuilder builder = OpBuilder::atBlockBegin(&program.getBody().front());
  return RankOp::create(builder, NameLoc::get(builder.getStringAttr("rank"), program.getLoc()), builder.getIndexType());
}

/// The producer's store again, to the copy's destination; in a loop over all ranks when every rank receives the tile,
/// from the next rank on: where all began with the same one, its link would have to take what all others send.
void storeThrough(Copy copy, StoreOp producer, const Footprint &stored, ArrayRef<IndexForm> shift, Value match) {
  Location loc = copy.store.getLoc();
  OpBuilder builder(producer);
  builder.setInsertionPointAfter(producer);
  Value peer = peerIndex(copy), to = copy.into.rank;
  auto emit = [&](OpBuilder &at, Value rank) {
    Value view = shiftedView(at, loc, copy.into.root, stored, substitute(shift, peer, rank));
    StoreOp::create(at, loc, Type(), producer.getValue(), view, producer.getIndices(), to == peer ? rank : to,
                    ValueRange(), producer.getAt());
  };
  if (!peer || match)
    return emit(builder, match);
  int64_t world = *programOf(copy.into.root).getWorld();
  Value step = arith::ConstantIndexOp::create(builder, loc, 1);
  Value all = arith::ConstantIndexOp::create(builder, loc, world),
        end = arith::ConstantIndexOp::create(builder, loc, world + 1);
  auto loop = scf::ForOp::create(builder, loc, step, end, step);
  loop.getInductionVar().setLoc(NameLoc::get(builder.getStringAttr("ahead"), loc));
  OpBuilder body = OpBuilder::atBlockBegin(loop.getBody());
  Value ahead = arith::AddIOp::create(body, loc, rankOf(programOf(copy.into.root)), loop.getInductionVar());
  emit(body, arith::RemUIOp::create(body, NameLoc::get(builder.getStringAttr("peer"), loc), ahead, all));
}

} // namespace

/// The branch that holds all that a task does, where there is one: it may do nothing.
static scf::IfOp guardOf(Block &task) {
  scf::IfOp guard;
  for (Operation &op : task) {
    auto branch = dyn_cast<scf::IfOp>(op);
    if (isPure(&op) && !branch)
      continue;
    if (!branch || guard || branch.getNumResults() != 0 || branch.elseBlock())
      return {};
    guard = branch;
  }
  return guard;
}

/// Whether some tasks may leave an operation out: it is in a branch, or in a loop that may make no iteration.
static bool mayBeLeftOut(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent && !isa<ForallOp>(parent); parent = parent->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(parent);
    std::optional<APInt> iterations = loop ? loop.getStaticTripCount() : std::nullopt;
    if (!iterations || iterations->isZero())
      return true;
  }
  return false;
}

std::optional<Copy> Copy::match(ForallOp forall) {
  Block *body = &forall.getBody().front();
  scf::IfOp guard = guardOf(*body);
  Copy copy{forall, {}, {}, {}, {}, static_cast<bool>(guard)};
  for (Operation &op : guard ? *guard.thenBlock() : *body) {
    if (auto load = dyn_cast<LoadOp>(op); load && !copy.load)
      copy.load = load;
    else if (auto store = dyn_cast<StoreOp>(op); store && !copy.store)
      copy.store = store;
    else if (!isPure(&op) && !isa<scf::YieldOp>(op))
      return std::nullopt;
  }
  if (!copy.load || !copy.store || copy.store.getValue() != copy.load.getResult() || copy.load.getOtherwise())
    return std::nullopt;
  copy.from = Footprint::of(cast<AccessOpInterface>(copy.load.getOperation()));
  copy.into = Footprint::of(cast<AccessOpInterface>(copy.store.getOperation()));
  return copy;
}

bool tilec::movesTiles(ForallOp forall) {
  if (Copy::match(forall))
    return true;
  bool moves = false, computes = false, crosses = false;
  forall.walk([&](Operation *op) {
    auto access = dyn_cast<AccessOpInterface>(op);
    crosses |= access && access.getAccessRank();
    if (auto stored = isa<StoreOp, ScatterOp>(op) ? op->getOperand(0) : Value()) {
      moves = true;
      computes |= !stored.getDefiningOp() || !isa<LoadOp, GatherOp>(stored.getDefiningOp());
    } else if (!isa<LoadOp, GatherOp, ReadOp, scf::IfOp, scf::YieldOp, ForallOp>(op)) {
      computes |= !isPure(op);
    }
  });
  return moves && crosses && !computes;
}

bool tilec::sinkCopy(Copy copy) {
  if (copy.guarded || copy.from.rank || !isTransient(copy.from.root) || copy.from.root == copy.into.root ||
      !reachesEveryRank(copy) || !rankOutlives(copy, copy.into.rank))
    return false;
  auto shift = shiftBetween(copy.from, copy.into, copy);
  Footprint stored;
  bool readElsewhere = false;
  for (Footprint &access : accessesTo(copy.from.root, copy.forall)) {
    readElsewhere |= access.reads;
    if (!access.writes)
      continue;
    if (stored.op || !isa<StoreOp>(access.op) || access.rank)
      return false;
    stored = access;
  }
  if (!shift || !sameMask(copy.from, copy.into, *shift) || !stored.op ||
      !isPlain(cast<AccessOpInterface>(stored.op), stored))
    return false;
  // What the producer stores must be what the copy moves: everything, or the same tiles (of the second shot of an
  // all-reduce). A copy of what was never written stays one, so that it is seen.
  if (mayBeLeftOut(stored.op) || !(coversClip(copy.from) ? coversClip(stored) : sameTiles(copy.from, stored)))
    return false;
  // The peer may only be bound inside the producer, which must come first.
  auto producerStatement = stored.op->getParentOfType<ForallOp>();
  if (!producerStatement || producerStatement->getBlock() != copy.forall->getBlock() ||
      !producerStatement->isBeforeInBlock(copy.forall))
    return false;
  // The store moves up to the producer: nobody in between, nor the producer itself, may see its effect too early.
  if (touchedBetween(copy.into.root, producerStatement, copy.forall, /*reads=*/true, copy.forall))
    return false;
  std::optional<Value> region = matchRegion(copy.from, stored, peerIndex(copy));
  if (!region)
    return false;
  bool available = hoist(copy.into.rank, producerStatement);
  for (const IndexForm &form : *shift)
    for (auto [variable, factor] : form.terms)
      available &= hoist(variable, producerStatement);
  if (!available)
    return false;
  auto producer = cast<StoreOp>(stored.op);
  if (Operation *target = copy.into.root.getDefiningOp(); target && producerStatement->isBeforeInBlock(target))
    target->moveBefore(producerStatement);
  storeThrough(copy, producer, stored, *shift, *region);
  Value scratch = copy.from.root;
  copy.forall.erase();
  if (!readElsewhere) {
    producer.erase();
    eraseScratch(scratch);
  }
  return true;
}

bool tilec::forwardCopy(Copy copy) {
  if (copy.guarded || copy.into.rank || !isTransient(copy.into.root) || copy.from.root == copy.into.root)
    return false;
  auto shift = shiftBetween(copy.into, copy.from, copy);
  if (!shift || !sameMask(copy.into, copy.from, *shift) || !coversClip(copy.into) || !reachesEveryRank(copy) ||
      !rankOutlives(copy, copy.from.rank))
    return false;
  Value peer = peerIndex(copy);
  std::vector<std::pair<LoadOp, Value>> consumers;
  std::vector<Footprint> accesses = accessesTo(copy.into.root, copy.forall);
  for (Footprint &access : accesses) {
    auto load = dyn_cast<LoadOp>(access.op);
    std::optional<Value> region = load && !access.rank ? matchRegion(copy.into, access, peer) : std::nullopt;
    // A region that depends on no peer while the copy has one would be overwritten by every rank: not ours to judge.
    if (!region || (peer && !*region) || !isPlain(cast<AccessOpInterface>(access.op), access))
      return false;
    // The load moves down to the consumer: the source must still be what it was.
    Operation *consumer = statementOf(load);
    if (consumer->isBeforeInBlock(copy.forall) ||
        touchedBetween(copy.from.root, copy.forall, consumer, /*reads=*/false, copy.forall))
      return false;
    consumers.push_back({load, *region});
  }
  for (auto [i, consumer] : llvm::enumerate(consumers)) {
    auto [load, match] = consumer;
    OpBuilder builder(load);
    // The view is the same for every iteration of a loop inside the task: keep it outside, where it reads once.
    Operation *anchor = load;
    while (!isa<ForallOp>(anchor->getParentOp()))
      anchor = anchor->getParentOp();
    builder.setInsertionPoint(anchor);
    Value view = shiftedView(builder, load.getLoc(), copy.from.root, accesses[i], substitute(*shift, peer, match));
    load.getBufferMutable().assign(view);
    if (Value from = copy.from.rank == peer ? match : copy.from.rank) // nobody, when the copy is a local one
      load.getFromMutable().assign(from);
  }
  Value scratch = copy.into.root;
  copy.forall.erase();
  eraseScratch(scratch);
  return true;
}
