// Sums of one shot: each rank takes what the other ranks have multiplied, beside its own.
#include "passes/post/Slots.h"

#include "passes/analysis/ViewedBuffer.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace {

class EachSlots : public Slots {
public:
  using Slots::Slots;

  bool match();
  void rewrite();

private:
  bool matchSending();
  bool matchSignals();
  bool matchTaking();
  void post();
  void receive();

  scf::ForOp sending, telling, adding;
  scf::IfOp choice; ///< in `adding`: a slot, or this rank's own tile
  Value own, mine;  ///< this rank's tile as it is added, and as it is stored
};

} // namespace

/// Whether a loop counts the ranks.
static bool countsRanks(scf::ForOp loop, int64_t world) {
  return getConstantIntValue(loop.getLowerBound()) == 0 && getConstantIntValue(loop.getUpperBound()) == world &&
         getConstantIntValue(loop.getStep()) == 1;
}

/// The tile goes to all other ranks, and one token says that it has gone.
bool EachSlots::matchSending() {
  sending = dyn_cast<scf::ForOp>(store->getParentOp());
  if (!sending || !isa<ForallOp>(sending->getParentOp()) || !isEachOther(store.getTo(), sending) ||
      sending.getNumResults() != 1 || !store.getToken() || !store.getToken().hasOneUse() ||
      !sending.getResult(0).hasOneUse())
    return false;
  auto join = dyn_cast<JoinOp>(*store.getToken().user_begin());
  auto isOther = [&](Operation &op) { return isMemoryEffectFree(&op) || &op == store; };
  return join && join.getResult() == sending.getYieldedValues().front() && llvm::all_of(*sending.getBody(), isOther);
}

/// Every rank is told of it, and of nothing else.
bool EachSlots::matchSignals() {
  signal = dyn_cast<SignalOp>(*sending.getResult(0).user_begin());
  telling = signal ? dyn_cast<scf::ForOp>(signal->getParentOp()) : scf::ForOp();
  auto isAlone = [&](Operation &op) { return isMemoryEffectFree(&op) || &op == signal; };
  return telling && telling->getBlock() == sending->getBlock() && telling.getNumResults() == 0 &&
         countsRanks(telling, world()) && signal.getTo() == telling.getInductionVar() &&
         signal.getPublishes().size() == 1 && signal.getScope() == Scope::System &&
         llvm::all_of(*telling.getBody(), isAlone) && matchSlot(signal.getIndices());
}

/// What relabels a tile, or nothing: the value that is named otherwise.
static Value renamed(Value value) {
  auto relabel = value.getDefiningOp<RelabelOp>();
  return relabel ? relabel.getOperand() : value;
}

/// The slots of the other ranks are added, in the order of the ranks, and this rank's own tile where its slot would be.
bool EachSlots::matchTaking() {
  choice = dyn_cast<scf::IfOp>(load->getParentOp());
  adding = choice ? dyn_cast<scf::ForOp>(choice->getParentOp()) : scf::ForOp();
  auto differs = choice ? choice.getCondition().getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
  if (!adding || !differs || adding->getBlock() != sending->getBlock() || !countsRanks(adding, world()) ||
      choice.getNumResults() != 1 || choice->getBlock() != adding.getBody() ||
      differs.getPredicate() != arith::CmpIPredicate::ne || differs.getLhs() != adding.getInductionVar() ||
      !differs.getRhs().getDefiningOp<RankOp>() || !sending->isBeforeInBlock(adding))
    return false;
  own = choice.elseYield().getOperand(0);
  auto isPure = [&](Operation &op) { return isMemoryEffectFree(&op) || &op == load || &op == choice; };
  SmallVector<OpFoldResult> given = coordinates(store), taken = coordinates(load);
  auto tasks = cast<ForallOp>(adding->getParentOp());
  auto isNamed = [&](Value index) { return llvm::is_contained(given, OpFoldResult(index)); };
  auto from = given.empty() ? Value() : dyn_cast<Value>(given.front());
  return adding.isDefinedOutsideOfLoop(own) && renamed(choice.thenYield().getOperand(0)) == load.getResult() &&
         renamed(store.getValue()) == own && llvm::all_of(*adding.getBody(), isPure) &&
         llvm::all_of(*choice.thenBlock(), isPure) && from && from.getDefiningOp<RankOp>() &&
         taken.front() == OpFoldResult(adding.getInductionVar()) &&
         areEqual(ArrayRef(given).drop_front(), ArrayRef(taken).drop_front()) &&
         llvm::all_of(tasks.getIndices(), isNamed) && isa<RoleOp>(tasks->getParentOp()) &&
         isa<ProgramOp>(tasks->getParentOfType<KernelOp>()->getParentOp());
}

bool EachSlots::match() {
  return matchBuffer(/*copies=*/2) && matchSending() && matchSignals() && matchTaking() && matchWaits() &&
         orderOnlyTiles() && fitRegisters() && isSmall(cast<ForallOp>(adding->getParentOp()));
}

/// In place of the stores and the signals behind them.
void EachSlots::post() {
  OpBuilder builder(sending);
  mine = own.getType() == tile() ? own : RelabelOp::create(builder, store.getLoc(), tile(), own).getResult();
  auto loop = scf::ForOp::create(builder, sending.getLoc(), sending.getLowerBound(), sending.getUpperBound(),
                                 sending.getStep());
  loop.getInductionVar().setLoc(sending.getInductionVar().getLoc());
  IRMapping mapping;
  mapping.map(sending.getInductionVar(), loop.getInductionVar());
  OpBuilder body(loop.getBody()->getTerminator());
  for (Operation &op : sending.getBody()->without_terminator()) {
    if (&op == store) {
      SmallVector<Value> named =
          llvm::map_to_vector(signal.getIndices(), [&](Value index) { return mapping.lookupOrDefault(index); });
      SmallVector<Value> place =
          llvm::map_to_vector(store.getIndices(), [&](Value index) { return mapping.lookupOrDefault(index); });
      PostOp::create(body, store.getLoc(), mine, mapping.lookupOrDefault(store.getBuffer()), place,
                     mapping.lookup(store.getTo()), signal.getSignals(), named);
    } else if (!isa<JoinOp, RelabelOp>(op)) {
      body.clone(op, mapping);
    }
  }
}

/// In place of the loop over slots.
void EachSlots::receive() {
  SmallVector<Value> place = placeOf(load, adding);
  OpBuilder builder(adding);
  Location loc = load.getLoc();
  place.front() = arith::ConstantIndexOp::create(builder, loc, 0);
  SmallVector<Type> types(world(), tile());
  auto taken = ReceiveAllOp::create(builder, loc, types, alloc.getResult(), place, mine, signal.getSignals(),
                                    ArrayRef(place).drop_front().drop_back());
  Block *block = adding->getBlock();
  if (failed(loopUnrollFull(adding)))
    llvm_unreachable("countsRanks has seen how often it runs");
  SmallVector<scf::IfOp> choices;
  for (scf::IfOp each : block->getOps<scf::IfOp>())
    each.walk([&](LoadOp of) {
      if (viewedBuffer(of.getBuffer()) == alloc.getResult())
        choices.push_back(each);
    });
  for (auto [each, one] : llvm::zip_equal(choices, taken.getTiles())) {
    Type type = each.getResult(0).getType();
    OpBuilder at(each);
    Value slot = type == tile() ? Value(one) : RelabelOp::create(at, loc, type, one).getResult();
    each.getResult(0).replaceAllUsesWith(slot);
    each.erase();
  }
}

void EachSlots::rewrite() {
  alloc.setPersistent(true);
  post();
  waited.erase();
  receive();
  telling.erase();
  sending.erase();
}

bool tilec::postToAll(AllocOp alloc, const Target &target) {
  EachSlots slots(alloc, target);
  if (!slots.match())
    return false;
  slots.rewrite();
  return true;
}
