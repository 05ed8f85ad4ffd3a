// Finds the signals of tasks. A signal lasts as long as the stores before it are under way: 5 to 6 us where they go to
// another H100, in which those who multiply would do nothing. Adds no signal, and none comes earlier than before.
#include "passes/schedule/Telling.h"
#include "passes/analysis/ViewedBuffer.h"
#include "passes/schedule/TellPlace.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::schedule;

/// Signals of an operation that does nothing else, with what guards and repeats them; none where it does.
static SmallVector<SignalOp> signalsOf(Operation &op) {
  SmallVector<SignalOp> signals;
  WalkResult result = op.walk([&](Operation *inner) {
    if (auto signal = dyn_cast<SignalOp>(inner)) {
      signals.push_back(signal);
      return signal.getParticipants() == Participants::Workgroup ? WalkResult::advance() : WalkResult::interrupt();
    }
    bool isAround = isa<scf::IfOp, scf::ForOp>(inner) && inner->getNumResults() == 0;
    return isAround || inner->hasTrait<OpTrait::IsTerminator>() || (inner->getNumRegions() == 0 && isPure(inner))
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return result.wasInterrupted() ? SmallVector<SignalOp>() : signals;
}

/// What an operation and those in it need from outside.
static llvm::SetVector<Value> neededBy(Operation *op) {
  llvm::SetVector<Value> needed(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), needed);
  return needed;
}

/// Signals that follow each other in a block: nothing between them touches memory.
class Run {
public:
  explicit Run(Operation *first) : ops{first} {}

  void add(Operation *op) { ops.push_back(op); }
  bool tell();

private:
  void forget(SignalOp signal, const TellPlace &place);

  SmallVector<Operation *> ops;
};

/// Tokens of a branch do not leave it. What they said stays as a comment.
void Run::forget(SignalOp signal, const TellPlace &place) {
  SmallVector<Value> kept;
  for (Value token : signal.getPublishes()) {
    if (place.reaches(token)) {
      kept.push_back(token);
      continue;
    }
    StringRef comment = TileDialect::CommentAttrHelper::getNameStr();
    auto access = token.getDefiningOp<AccessOpInterface>();
    auto name = access ? dyn_cast<NameLoc>(viewedBuffer(access.getAccessedBuffer()).getLoc()) : NameLoc();
    if (name && !signal->hasAttr(comment))
      signal->setAttr(comment,
                      StringAttr::get(signal.getContext(), "publishes the tile of " + name.getName().getValue()));
  }
  signal.getPublishesMutable().assign(kept);
}

bool Run::tell() {
  std::optional<TellPlace> place = TellPlace::behind(ops.back());
  if (!place)
    return false;
  for (Operation *op : ops)
    if (!llvm::all_of(neededBy(op),
                      [&](Value value) { return isa<TokenType>(value.getType()) || place->reaches(value); }))
      return false;
  OpBuilder builder = place->begin(ops.back()->getLoc());
  for (Operation *op : ops) {
    for (SignalOp signal : signalsOf(*op)) {
      forget(signal, *place);
      signal.setParticipants(Participants::Wave);
    }
    IRMapping mapping;
    for (Value value : neededBy(op))
      mapping.map(value, place->bring(builder, value));
    builder.clone(*op, mapping);
    op->erase();
  }
  return true;
}

/// Of a block that a task comes to at most once.
static unsigned tellIn(Block &block) {
  SmallVector<Run> runs;
  bool goesOn = false;
  unsigned told = 0;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!signalsOf(op).empty()) {
      if (goesOn)
        runs.back().add(&op);
      else
        runs.emplace_back(&op);
      goesOn = true;
      continue;
    }
    goesOn &= op.getNumRegions() == 0 && isPure(&op);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      for (Region &region : branch->getRegions())
        told += region.empty() ? 0 : tellIn(region.front());
  }
  for (Run &run : runs)
    told += run.tell();
  return told;
}

/// The next `tile.tell` with nothing before it that touches memory; null where there is none.
static TellOp following(TellOp told) {
  for (Operation *next = told->getNextNode(); next; next = next->getNextNode()) {
    if (auto other = dyn_cast<TellOp>(next))
      return other;
    if (next->getNumRegions() || !isPure(next))
      return {};
  }
  return {};
}

/// Branches that follow each other under one condition become one.
static void joinBranches(Block &block) {
  for (auto branch : llvm::make_early_inc_range(block.getOps<scf::IfOp>())) {
    auto before = dyn_cast_or_null<scf::IfOp>(branch->getPrevNode());
    bool isAlike = before && before.getCondition() == branch.getCondition() && !branch.getNumResults() &&
                   !before.getNumResults() && branch.getElseRegion().empty() && before.getElseRegion().empty();
    if (!isAlike)
      continue;
    Block &body = *branch.thenBlock();
    before.thenBlock()->getTerminator()->erase();
    body.getOperations().splice(body.begin(), before.thenBlock()->getOperations());
    before.erase();
  }
}

void schedule::joinTold(ForallOp tasks) {
  for (auto told : llvm::make_early_inc_range(tasks.getBody().front().getOps<TellOp>()))
    if (TellOp next = following(told)) {
      Block &body = next.getBody().front();
      body.getOperations().splice(body.begin(), told.getBody().front().getOperations());
      told.erase();
      joinBranches(body);
    }
}

unsigned schedule::tellByProducer(KernelOp kernel) {
  if (!hasTeller(kernel))
    return 0;
  unsigned told = 0;
  kernel.walk([&](ForallOp tasks) {
    // What a wave of the producer does whole it tells by itself; consumers do it where that wave cannot.
    if (!tasks.getBody().front().getOps<ByProducerOp>().empty())
      return;
    told += tellIn(tasks.getBody().front());
    joinTold(tasks);
  });
  return told;
}
