// `lower`: grids of signals, signals and waits. Tokens vanish: the order of the text is the order of the kernel form.
#include "passes/lower/Lower.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilec;

FailureOr<Value> KernelLowering::gridOf(Operation *op, Value signals) {
  auto [place, isNew] = grids.try_emplace(signals);
  if (!isNew)
    return place->second;
  auto declaration = signals.getDefiningOp<tile::SignalsOp>();
  const SignalGrid *grid =
      llvm::find_if(workspace.grids, [&](const SignalGrid &g) { return g.signals == declaration; });
  if (grid == workspace.grids.end())
    return op->emitOpError() << "names signals that the program does not declare";
  Location at = declaration.getLoc();
  SmallVector<Value> sizes;
  for (AffineExpr size : grid->shape)
    sizes.push_back(expandExpression(entry, unnamed(at), size, maxima));
  Value offset =
      expandExpression(entry, unnamed(at), grid->offset, maxima, /*wide=*/!isa<AffineConstantExpr>(grid->offset));
  unsigned rank = grid->shape.size();
  Value made = grids[signals] = hip::SignalsOp::create(entry, at, hip::SignalsType::get(builder.getContext(), rank),
                                                       context, offset, sizes, entry.getI64IntegerAttr(rank));
  if (declaration.getByChiplet())
    hip::RenewTallyOp::create(entry, at, launch, made);
  return made;
}

/// Clones of an operation of `body` and of what it computes with, at the start of `block`.
static Value cloneWithOperands(Operation *op, Block &body, Block &block) {
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *operand) { return operand->getBlock() == &body && isPure(operand); };
  if (failed(getBackwardSlice(op, &slice, options)))
    llvm_unreachable("every operation of a kernel's entry has a known slice");
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  IRMapping clones;
  for (Operation *part : slice)
    builder.clone(*part, clones);
  return clones.lookup(op->getResult(0));
}

/// Declares a grid in the groups that use it where other workgroups pass by: at the kernel's entry, its offset and
/// extents would take scalar registers for the length of the kernel.
void KernelLowering::sinkGrids() {
  Block &body = kernel.getBody().front();
  for (auto grid : llvm::make_early_inc_range(body.getOps<hip::SignalsOp>())) {
    llvm::MapVector<Region *, SmallVector<OpOperand *>> users;
    for (OpOperand &use : grid->getUses()) {
      Region *side = use.getOwner()->getParentRegion();
      while (side != &kernel.getBody() && !isa<hip::GroupOp>(side->getParentOp()))
        side = side->getParentRegion();
      users[side].push_back(&use);
    }
    if (!llvm::all_of(users, [](auto &side) {
          auto group = dyn_cast<hip::GroupOp>(side.first->getParentOp());
          return group && group.isConditional();
        }))
      continue;
    for (auto &[side, uses] : users) {
      Value own = cloneWithOperands(grid, body, side->front());
      for (OpOperand *use : uses)
        use->set(own);
    }
  }
}

/// The author's comment, or what the wait protects.
static StringAttr commentOf(tile::WaitOp wait) {
  if (auto comment = wait->getAttrOfType<StringAttr>(tile::TileDialect::CommentAttrHelper::getNameStr()))
    return comment;
  llvm::SetVector<StringRef> reads, writes;
  SmallVector<Value> tokens{wait.getToken()};
  llvm::DenseSet<Value> seen;
  while (!tokens.empty()) {
    Value token = tokens.pop_back_val();
    if (!seen.insert(token).second)
      continue;
    for (Operation *user : token.getUsers()) {
      if (auto join = dyn_cast<tile::JoinOp>(user))
        tokens.push_back(join.getResult());
      if (auto access = dyn_cast<tile::AccessOpInterface>(user))
        (access.readsBuffer() ? reads : writes).insert(nameOf(rootOf(access.getAccessedBuffer()).getLoc()));
      if (auto relay = dyn_cast<tile::RelayOp>(user))
        writes.insert(nameOf(rootOf(relay.getInto()).getLoc()));
    }
  }
  std::string text;
  for (auto &[verb, names] : {std::pair("read", reads), std::pair("write", writes)})
    if (!names.empty())
      text += (text.empty() ? "before the " : ", before the ") + std::string(verb) +
              (verb == StringRef("read") ? "s of " : "s to ") + llvm::join(names, ", ");
  return text.empty() ? StringAttr() : StringAttr::get(wait.getContext(), text);
}

/// Of a signal or an arrival.
template <class Op>
static StringAttr publishedBy(Op signal) {
  if (auto comment = signal->template getAttrOfType<StringAttr>(tile::TileDialect::CommentAttrHelper::getNameStr()))
    return comment;
  llvm::SetVector<StringRef> names;
  for (Value token : signal.getPublishes())
    if (auto access = token.getDefiningOp<tile::AccessOpInterface>())
      names.insert(nameOf(rootOf(access.getAccessedBuffer()).getLoc()));
  if (names.empty())
    return {};
  return StringAttr::get(signal->getContext(), "publishes the tile of " + llvm::join(names, ", "));
}

/// The whole workgroup is what the text means when it says nothing.
static tile::ParticipantsAttr participantsOf(MLIRContext *context, tile::Participants participants) {
  return participants == tile::Participants::Workgroup ? tile::ParticipantsAttr()
                                                       : tile::ParticipantsAttr::get(context, participants);
}

/// In the tasks of a kernel with a producer those who meet are its consumers; null where all waves do, or each is
/// alone.
IntegerAttr KernelLowering::consumersOf(Operation *op, tile::Participants participants) {
  bool meet = consumers && participants == tile::Participants::Workgroup && op->getParentOfType<tile::ForallOp>();
  return meet ? builder.getI64IntegerAttr(consumers) : IntegerAttr();
}

LogicalResult KernelLowering::lowerArrive(tile::ArriveOp op, Value grid) {
  auto index = valuesOf(op.getIndices());
  Value count = valueOf(op.getCount());
  if (failed(index) || !count)
    return failure();
  auto lowered = hip::ArriveOp::create(builder, named(loc, "is_last"), builder.getI1Type(), launch, grid, *index, count,
                                       tile::Scope::Agent, participantsOf(op->getContext(), op.getParticipants()),
                                       consumersOf(op, op.getParticipants()));
  if (StringAttr comment = publishedBy(op))
    lowered->setAttr(tile::TileDialect::CommentAttrHelper::getNameStr(), comment);
  mapping.map(op.getLast(), lowered.getResult());
  return success();
}

/// Whether the copy engine takes what it counts.
static bool isCounted(tile::SignalOp signal) {
  auto grid = signal.getSignals().getDefiningOp<tile::SignalsOp>();
  return grid && grid.getCounted();
}

/// Whether tasks count by chiplet in the grid of a signal or wait.
static bool isByChiplet(Value signals) {
  auto grid = signals.getDefiningOp<tile::SignalsOp>();
  return grid && grid.getByChiplet();
}

FailureOr<Operation *> KernelLowering::lowerWait(tile::WaitOp wait, Value grid) {
  auto participants = participantsOf(wait.getContext(), wait.getParticipants());
  IntegerAttr waves = consumersOf(wait, wait.getParticipants());
  auto first = valuesOf(wait.getIndices()), count = valuesOf(wait.getCounts());
  if (failed(first) || failed(count))
    return failure();
  if (count->empty())
    count->assign(first->size(), constant(1));
  if (isByChiplet(wait.getSignals()))
    return hip::WaitTallyOp::create(builder, loc, launch, grid, *count, wait.getScope(), participants, waves)
        .getOperation();
  IntegerAttr lag = wait.getLag() ? builder.getI64IntegerAttr(wait.getLag()) : IntegerAttr();
  return hip::WaitOp::create(builder, loc, launch, grid, *first, *count, wait.getScope(), lag, participants, waves)
      .getOperation();
}

LogicalResult KernelLowering::joinTallies(Block &tasks) {
  for (auto signal : tasks.getOps<tile::SignalOp>()) {
    if (!isByChiplet(signal.getSignals()))
      continue;
    FailureOr<Value> grid = gridOf(signal, signal.getSignals());
    if (failed(grid))
      return failure();
    hip::JoinTallyOp::create(builder, unnamed(signal.getLoc()), launch, *grid);
  }
  return success();
}

LogicalResult KernelLowering::lowerSignals(Operation *op) {
  Value signals = op->getOperand(0);
  FailureOr<Value> grid = gridOf(op, signals);
  if (failed(grid))
    return failure();
  if (auto wait = dyn_cast<tile::WaitOp>(op)) {
    FailureOr<Operation *> lowered = lowerWait(wait, *grid);
    if (failed(lowered))
      return failure();
    if (StringAttr comment = commentOf(wait))
      (*lowered)->setAttr(tile::TileDialect::CommentAttrHelper::getNameStr(), comment);
    // The engine sees what was acquired behind a fence of the thread that asks for its copies.
    auto stream = op->getParentOfType<tile::StreamOp>();
    if (stream && stream.getFills().isAncestor(op->getParentRegion()))
      hip::FenceAsyncOp::create(builder, loc, /*acquired=*/true);
    return success();
  }
  if (auto arrive = dyn_cast<tile::ArriveOp>(op))
    return lowerArrive(arrive, *grid);
  auto signal = cast<tile::SignalOp>(op);
  auto index = valuesOf(signal.getIndices());
  Value to = valueOf(signal.getTo());
  if (failed(index) || !to)
    return failure();
  if (source.getEngine()) {
    hip::MarkOp::create(builder, loc, context, *grid, *index, to);
    return success();
  }
  if (isCounted(signal) || isByChiplet(signals)) {
    auto participants = participantsOf(op->getContext(), signal.getParticipants());
    IntegerAttr waves = consumersOf(op, signal.getParticipants());
    Operation *counted =
        isCounted(signal)
            ? hip::CountOp::create(builder, loc, launch, *grid, *index, signal.getScope(), participants, waves)
            : hip::TallyOp::create(builder, loc, launch, *grid, *index, signal.getScope(), participants, waves)
                  .getOperation();
    if (StringAttr comment = publishedBy(signal))
      counted->setAttr(tile::TileDialect::CommentAttrHelper::getNameStr(), comment);
    return success();
  }
  if (published) {
    hip::SetOp::create(builder, loc, launch, *grid, *index, to, signal.getScope(),
                       participantsOf(op->getContext(), signal.getParticipants()));
    return success();
  }
  Operation *lowered = hip::SignalOp::create(builder, loc, launch, *grid, *index, to, signal.getScope(),
                                             participantsOf(op->getContext(), signal.getParticipants()),
                                             consumersOf(op, signal.getParticipants()));
  if (StringAttr comment = publishedBy(signal))
    lowered->setAttr(tile::TileDialect::CommentAttrHelper::getNameStr(), comment);
  return success();
}

/// Whether nothing in the operation but signals touches memory: those of a workgroup, or of the wave that tells.
static bool onlySignals(Operation &op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return llvm::all_of(loop.getBody()->without_terminator(), onlySignals);
  if (auto signal = dyn_cast<tile::SignalOp>(op))
    return !isCounted(signal) && !isByChiplet(signal.getSignals()) &&
           (signal.getParticipants() == tile::Participants::Workgroup || signal->getParentOfType<tile::TellOp>());
  return (op.getNumRegions() == 0 && !op.hasTrait<OpTrait::IsTerminator>() && isMemoryEffectFree(&op) &&
          !isa<tile::WaitOp, tile::AccessOpInterface, tile::SharedLoadOp>(op));
}

Operation *KernelLowering::publishFor(Operation &first) {
  Operation *last = nullptr;
  SmallVector<tile::SignalOp> signals;
  bool loops = false;
  for (Operation *op = &first; op && onlySignals(*op); op = op->getNextNode()) {
    size_t before = signals.size();
    op->walk([&](tile::SignalOp signal) { signals.push_back(signal); });
    if (signals.size() == before && op == &first)
      return nullptr;
    if (signals.size() == before)
      continue;
    loops |= isa<scf::ForOp>(op);
    last = op;
  }
  if (signals.size() < 2 && !loops)
    return nullptr;
  auto scope = tile::Scope::Agent;
  llvm::SetVector<StringAttr> comments;
  for (tile::SignalOp signal : signals) {
    scope = std::max(scope, signal.getScope());
    if (StringAttr comment = publishedBy(signal))
      comments.insert(comment);
  }
  tile::Participants participants = signals.front().getParticipants();
  Operation *publish = hip::PublishOp::create(builder, loc, scope, participantsOf(first.getContext(), participants),
                                              consumersOf(&first, participants));
  if (!comments.empty())
    publish->setAttr(
        tile::TileDialect::CommentAttrHelper::getNameStr(),
        builder.getStringAttr(llvm::join(llvm::map_range(comments, [](StringAttr c) { return c.str(); }), "; ")));
  return last;
}
