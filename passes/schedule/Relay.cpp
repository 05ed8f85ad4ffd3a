// Finds tasks whose loads and stores a copy engine can do. Adds no waits and no signals: it makes those of the task
// again.
#include "passes/schedule/Relay.h"
#include "passes/analysis/LayoutConversion.h"
#include "passes/analysis/SenderRole.h"
#include "passes/schedule/Remade.h"
#include "passes/schedule/Ring.h"
#include "passes/schedule/Room.h"
#include "passes/schedule/TellPlace.h"
#include "passes/stage/SharedPlan.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::schedule;

namespace {

/// With fewer a piece waits for the one before it.
constexpr int64_t kLeastSlots = 2;

/// The loop of a task that moves tiles, and what it moves.
struct Moved {
  LoadOp load;
  StoreOp store;
  scf::ForOp loop;  ///< over tiles that lie side by side; null: there is one
  scf::IfOp guard;  ///< around the two; null: they are always done
  Operation *outer; ///< what of these stands in the task itself
};

/// What the body of one loop over tasks does, besides numbers.
class Task {
public:
  explicit Task(ForallOp tasks) : tasks(tasks), body(tasks.getBody().front()) {}

  bool match();
  void rewrite(const RelaySlots &slots);
  void sendBeside(const RelaySlots &slots);

private:
  bool matchMoved();
  bool matchLoop();
  bool matchIndices();
  bool isInside(Value value);
  bool isHoistable(Value value);
  Value hoist(OpBuilder &builder, Value value);
  std::pair<Value, Value> declareSlots(OpBuilder &builder, const RelaySlots &slots);
  void relay(OpBuilder &builder, Value bulk, Value buffer, Value full);
  Value parts(OpBuilder &builder);
  Value firstColumn(OpBuilder &builder);

  ForallOp tasks;
  Block &body;
  Moved moved = {};
  SmallVector<Operation *> before, after; ///< waits and signals of the task
  std::optional<Remade> outside;          ///< what is made again in front of the loop
};

} // namespace

/// Whether a value is made by what moves the tiles.
bool Task::isInside(Value value) { return value.getDefiningOp() == moved.outer || Remade(moved.outer).isInside(value); }

/// Whether a value can be made in front of the loop: of numbers and views that no step changes.
bool Task::isHoistable(Value value) {
  return value.getDefiningOp() != moved.outer && Remade(moved.outer).reaches(value);
}

Value Task::hoist(OpBuilder &builder, Value value) { return outside->bring(builder, value); }

/// One load, whose tile one store takes as it is, and nothing else that has a tile.
bool Task::matchMoved() {
  unsigned tiles = 0;
  tasks.walk([&](Operation *op) {
    tiles += llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
    if (auto load = dyn_cast<LoadOp>(op))
      moved.load = load;
    if (auto store = dyn_cast<StoreOp>(op))
      moved.store = store;
  });
  return tiles == 1 && moved.load && moved.store && moved.load->getBlock() == moved.store->getBlock() &&
         moved.store.getValue() == moved.load.getResult() && moved.load->hasOneUse();
}

/// Whether an operation behind the tiles tells of them: a signal, or a branch that holds one alone.
static bool signals(Operation *op) {
  auto guard = dyn_cast<scf::IfOp>(op);
  return isa<SignalOp>(op) ||
         (guard && guard.getNumResults() == 0 && !guard.elseBlock() &&
          llvm::hasSingleElement(guard.thenBlock()->without_terminator()) && isa<SignalOp>(guard.thenBlock()->front()));
}

/// What stands around the two: at most a branch that does nothing else, and a loop from 0 on by 1.
bool Task::matchLoop() {
  moved.outer = moved.load;
  for (Operation *parent = moved.load->getParentOp(); parent != tasks; parent = parent->getParentOp()) {
    moved.outer = parent;
    auto loop = dyn_cast<scf::ForOp>(parent);
    auto guard = dyn_cast<scf::IfOp>(parent);
    bool counts = loop && !moved.loop && getConstantIntValue(loop.getLowerBound()) == 0 &&
                  getConstantIntValue(loop.getStep()) == 1;
    if (!counts && (!guard || moved.guard))
      return false;
    (counts ? (Operation *&)moved.loop : (Operation *&)moved.guard) = parent;
  }
  // Threads meet where source and destination are parts of one buffer: the wave that relays reads a piece before it
  // sends it on.
  WalkResult result = moved.outer->walk([&](Operation *op) {
    bool isKnown = op == moved.load || op == moved.store || isa<scf::ForOp, scf::IfOp, BarrierOp>(op) || isPure(op);
    return isKnown ? WalkResult::advance() : WalkResult::interrupt();
  });
  bool isKnown = !result.wasInterrupted() &&
                 llvm::all_of(moved.outer->getResultTypes(), llvm::IsaPred<TokenType, RankedTensorType>);
  if (!isKnown || (moved.guard && !isHoistable(moved.guard.getCondition())) ||
      (moved.loop && !isHoistable(moved.loop.getUpperBound())))
    return false;
  for (Operation &op : body) {
    if (&op == moved.outer || isPure(&op) || isa<SharedBufferOp>(op))
      continue;
    bool isBefore = op.isBeforeInBlock(moved.outer);
    if (isBefore ? !isa<WaitOp>(op) : !signals(&op))
      return false;
    (isBefore ? before : after).push_back(&op);
  }
  return true;
}

/// Both tiles begin at the same indices, and a step of the loop is the next one in the row.
bool Task::matchIndices() {
  LoadOp load = moved.load;
  StoreOp store = moved.store;
  auto from = cast<MemRefType>(load.getBuffer().getType()), into = cast<MemRefType>(store.getBuffer().getType());
  bool isPlain = !load.getAt() && !store.getAt() && !load.getOtherwise() && !load.getFrom() && from.getRank() == 2 &&
                 into.getRank() == 2 && load.getType().getRank() == 2 &&
                 load.getType().getElementType() == into.getElementType();
  if (!isPlain || !llvm::equal(load.getIndices(), store.getIndices()) || !isHoistable(load.getBuffer()) ||
      !isHoistable(store.getBuffer()) || (store.getTo() && !isHoistable(store.getTo())) ||
      !isHoistable(load.getIndices()[0]))
    return false;
  Value column = load.getIndices()[1];
  if (!moved.loop || column == moved.loop.getInductionVar())
    return moved.loop || isHoistable(column);
  auto sum = column.getDefiningOp<arith::AddIOp>();
  return sum && sum.getRhs() == moved.loop.getInductionVar() && isHoistable(sum.getLhs());
}

bool Task::match() { return matchMoved() && matchLoop() && matchIndices(); }

Value Task::firstColumn(OpBuilder &builder) {
  Value column = moved.load.getIndices()[1];
  if (!moved.loop)
    return hoist(builder, column);
  auto sum = column.getDefiningOp<arith::AddIOp>();
  return sum ? hoist(builder, sum.getLhs()) : arith::ConstantIndexOp::create(builder, tasks.getLoc(), 0).getResult();
}

/// Tiles that are moved: none where the branch is not taken.
Value Task::parts(OpBuilder &builder) {
  Location loc = moved.load.getLoc();
  Value count = moved.loop ? hoist(builder, moved.loop.getUpperBound())
                           : arith::ConstantIndexOp::create(builder, loc, 1).getResult();
  if (!moved.guard)
    return count;
  Value none = arith::ConstantIndexOp::create(builder, loc, 0);
  return arith::SelectOp::create(builder, schedule::named("moved", loc), hoist(builder, moved.guard.getCondition()),
                                 count, none);
}

/// The same waits, one copy of all tiles and the same signals, by one wave, where `bulk` holds if it is given.
void Task::relay(OpBuilder &builder, Value bulk, Value buffer, Value full) {
  LoadOp load = moved.load;
  StoreOp store = moved.store;
  SmallVector<Value> indices{hoist(builder, load.getIndices()[0]), firstColumn(builder)};
  Value count = parts(builder), to = hoist(builder, store.getTo());
  Value from = hoist(builder, load.getBuffer()), into = hoist(builder, store.getBuffer());
  OpBuilder inner = builder;
  if (bulk) {
    auto mine = ByProducerOp::create(builder, tasks.getLoc(), bulk);
    inner.setInsertionPointToStart(&mine.getBody().emplaceBlock());
  }
  IRMapping mapping;
  auto repeat = [&](Operation *op) {
    Operation *made = inner.clone(*op, mapping);
    if (auto wait = dyn_cast<WaitOp>(made))
      wait.setParticipants(Participants::Wave);
    made->walk([](SignalOp signal) { signal.setParticipants(Participants::Wave); });
  };
  SmallVector<Value> tokens;
  for (Operation *wait : before)
    repeat(wait);
  for (OperandRange range : {load.getAfter(), store.getAfter()})
    for (Value token : range)
      if (!isInside(token))
        tokens.push_back(mapping.lookupOrDefault(token));
  Value done =
      RelayOp::create(inner, load.getLoc(), TokenType::get(tasks.getContext()), from, into, indices,
                      load.getType().getShape(), count, to ? ValueRange(to) : ValueRange(), tokens, buffer, full);
  for (Value result : moved.outer->getResults())
    mapping.map(result, done);
  if (store.getToken())
    mapping.map(store.getToken(), done);
  for (Operation *signal : after)
    repeat(signal);
}

/// Slots in LDS, and the words that say what has come to them.
std::pair<Value, Value> Task::declareSlots(OpBuilder &builder, const RelaySlots &slots) {
  Location loc = moved.load.getLoc();
  Type element = moved.load.getType().getElementType();
  auto space = SharedAttr::get(tasks.getContext(), 1, 1, 1, /*fold=*/0, /*panel=*/0);
  auto type = MemRefType::get({slots.count, slots.bytes / bytesOf(element)}, element, AffineMap(), space);
  Value buffer = SharedBufferOp::create(builder, schedule::named("relayed", loc), type, IntegerAttr(), /*kept=*/true);
  Value full =
      FullOp::create(builder, schedule::named("arrived", loc), static_cast<uint64_t>(slots.count), IntegerAttr());
  return {buffer, full};
}

/// The wave does the task whole, also where the engine cannot.
void Task::sendBeside(const RelaySlots &slots) {
  outside.emplace(moved.outer);
  OpBuilder first = OpBuilder::atBlockBegin(&body);
  auto [buffer, full] = declareSlots(first, slots);
  OpBuilder builder(before.empty() ? moved.outer : before.front());
  relay(builder, /*bulk=*/Value(), buffer, full);
  for (Operation *op : llvm::reverse(after))
    op->erase();
  moved.outer->erase();
  for (Operation *op : llvm::reverse(before))
    op->erase();
}

void Task::rewrite(const RelaySlots &slots) {
  outside.emplace(moved.outer);
  Location loc = moved.load.getLoc();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  auto [buffer, full] = declareSlots(builder, slots);
  builder.setInsertionPoint(before.empty() ? moved.outer : before.front());
  Value bulk = MovesInBulkOp::create(builder, schedule::named("bulk", loc), hoist(builder, moved.load.getBuffer()),
                                     hoist(builder, moved.store.getBuffer()));
  relay(builder, bulk, buffer, full);
  Value truth = arith::ConstantIntOp::create(builder, loc, builder.getI1Type(), 1);
  Value otherwise = arith::XOrIOp::create(builder, loc, bulk, truth);
  auto rest = scf::IfOp::create(builder, loc, otherwise, /*withElseRegion=*/false);
  while (Operation *op = rest->getNextNode())
    op->moveBefore(rest.thenBlock()->getTerminator());
}

static bool hasTiles(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return llvm::any_of(inner->getResultTypes(), llvm::IsaPred<RankedTensorType>) ? WalkResult::interrupt()
                                                                                      : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Leaves a role of few workgroups to a wave in each. As many workgroups as are resident draw its tasks, so that others
/// wait for no one who has not begun.
static bool sendBeside(RoleOp role, const Target &target) {
  auto kernel = role->getParentOfType<KernelOp>();
  const RelaySlots &slots = target.producer.beside;
  if (!hasTeller(kernel) || !canBeSentBeside(role, target))
    return false;
  Task task(*role.getBody().front().getOps<ForallOp>().begin());
  bool onlyWaits = llvm::all_of(role.getBody().front(), [](Operation &op) {
    return isa<ForallOp, WaitOp>(op) || (op.getNumRegions() == 0 && isPure(&op));
  });
  if (!onlyWaits || !task.match() || !makeRoom(kernel, slots.count * slots.bytes, target))
    return false;
  for (auto wait : role.getBody().front().getOps<WaitOp>())
    wait.setParticipants(Participants::Wave);
  task.sendBeside(slots);
  role.removeWorkgroupsAttr();
  role.setBeside(true);
  return true;
}

unsigned schedule::relayTiles(KernelOp kernel, const Target &target) {
  if (!kernel.getProducer() || kernel.getDealing() != Dealing::Ticketed)
    return 0;
  // Behind the words of all slots, which begin where LDS does.
  constexpr int64_t words = 1024;
  RelaySlots slots = target.producer.relay;
  slots.count = std::min(slots.count, (target.lds.bytes - words) / slots.bytes);
  unsigned changed = 0;
  for (RoleOp role : kernel.getBody().getOps<RoleOp>()) {
    if (!hasTiles(role))
      continue;
    if (sendBeside(role, target)) {
      ++changed;
      continue;
    }
    auto loops = role.getBody().front().getOps<ForallOp>();
    // What is relayed passes through LDS that others use later.
    bool isOnly = llvm::hasSingleElement(loops) && role.getTurn() == Turn::Each;
    Task task(isOnly ? *loops.begin() : ForallOp());
    if (!isOnly || slots.count < kLeastSlots || !task.match())
      break;
    task.rewrite(slots);
    ++changed;
  }
  return changed;
}
