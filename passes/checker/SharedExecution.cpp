// Walks the paths of a kernel and watches its LDS. Shares no code with the passes that it checks.
#include "passes/checker/SharedExecution.h"
#include "passes/checker/RoleSides.h"
#include "passes/checker/Senders.h"
#include "tilec/constants.h"

using namespace mlir;
using namespace tilec;

namespace tilec {

/// States of one loop before the numbers it carries are given up as unknown.
static constexpr size_t kMaxStates = 64;

static int64_t elementBytes(Type element) { return std::max<int64_t>(8, element.getIntOrFloatBitWidth()) / 8; }

std::optional<int64_t> SharedState::numberOf(Value value) const {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return value.getType().isInteger(1) ? *constant & 1 : *constant; // a set i1 is 1, as where a branch decides it
  auto it = numbers.find(value.getAsOpaquePointer());
  return it == numbers.end() ? std::nullopt : std::optional(it->second);
}

void SharedState::setNumber(Value value, std::optional<int64_t> number) {
  numbers.erase(value.getAsOpaquePointer());
  if (number)
    numbers[value.getAsOpaquePointer()] = *number;
}

bool SharedStates::insert(SharedState state) {
  auto known = states.find(state);
  if (known == states.end())
    return states.insert(std::move(state)).second;
  auto node = states.extract(known);
  bool isNew = false;
  for (auto accesses : {&SharedState::loads, &SharedState::stores, &SharedState::unfenced}) {
    std::set<SharedAccess> &into = node.value().*accesses;
    const size_t before = into.size();
    into.merge(state.*accesses);
    isNew |= into.size() != before;
  }
  states.insert(std::move(node));
  return isNew;
}

/// Whether the text computes the number in this type: an index is an int.
static bool fits(int64_t number, Type type) {
  if (type.isInteger(1))
    return number == 0 || number == 1;
  return llvm::isIntN(type.isIndex() ? 32 : std::min(type.getIntOrFloatBitWidth(), 64u), number);
}

int64_t SharedExecution::endOf(hip::RelayOp relay) {
  return int64_t(relay.getOffset()) + int64_t(relay.getSlotBytes()) * int64_t(relay.getFull().getType().getSlots());
}

LogicalResult SharedExecution::run() {
  WalkResult sides = kernel.walk([](hip::ByRoleOp op) {
    return mlir::failed(checker::checkRoles(op)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (sides.wasInterrupted())
    return failure();
  kernel.walk([&](Operation *op) {
    if (op->hasTrait<hip::MakesWords>())
      slotWords.push_back(op);
    if (isTurn(op))
      turns.push_back(op);
    // Pieces of what is told of, or sent, pass while consumers go on.
    if (isa<hip::RelayOp>(op) && (op->getParentOfType<hip::TellOp>() || checker::isSenders(op)))
      slotWords.push_back(op);
  });
  for (Operation *op : slotWords)
    if (auto relay = dyn_cast<hip::RelayOp>(op))
      fitsLds(relay, relay.getOffset(), endOf(relay));
  SharedState begin;
  beginFills(begin);
  States states = runBlock(kernel.getBody().front(), {begin});
  for (auto [op, seen] : loadSeesStore)
    if (!seen && reported.insert(op).second) {
      op->emitOpError() << "reads LDS that nothing has stored";
      failed = true;
    }
  return failure(failed || registers.hasFailed());
}

/// What may leave a state in several ways.
static bool parts(Operation *op) {
  auto reduce = dyn_cast<hip::ReduceOp>(op);
  auto scan = dyn_cast<hip::ScanOp>(op);
  return (reduce && reduce.getScratch()) || (scan && scan.getScratch()) ||
         isa<scf::IfOp, scf::ForOp, hip::GroupOp, hip::RoleOp, hip::TasksOp, hip::StepsOp, hip::StreamOp, hip::ByRoleOp,
             hip::IfProducesOp, hip::ConsumeOp, arith::SelectOp>(op);
}

/// States are many and large: between the places where paths part or meet they are changed where they are.
SharedExecution::States SharedExecution::runBlock(Block &block, States states) {
  auto listed = [](States states) {
    std::vector<SharedState> list;
    while (!states.empty())
      list.push_back(states.take());
    return list;
  };
  std::vector<SharedState> now = listed(std::move(states));
  for (Operation &op : block) {
    if (!parts(&op)) {
      for (SharedState &state : now)
        step(&op, state);
      continue;
    }
    States after;
    for (const SharedState &state : now)
      after.merge(runOp(&op, state));
    now = listed(std::move(after));
  }
  States left;
  for (SharedState &state : now) {
    HeldRegisters::leave(block, state.held);
    left.insert(std::move(state));
  }
  return left;
}

using Reached = SharedAccess::Reached;

/// Gives accesses what `next` says of each; without an answer they are settled for all.
static void advance(SharedState &state, function_ref<std::optional<Reached>(Reached)> next) {
  for (std::set<SharedAccess> *accesses : {&state.loads, &state.stores}) {
    std::set<SharedAccess> left;
    for (SharedAccess access : *accesses)
      if (std::optional<Reached> reached = next(access.reached)) {
        access.reached = *reached;
        left.insert(access);
      }
    *accesses = std::move(left);
  }
}

/// All accesses to LDS are complete, and the waves meet.
static void meet(SharedState &state) {
  if (!state.apart) {
    state.loads.clear();
    state.stores.clear();
    return;
  }
  advance(state, [&](Reached reached) {
    return reached != Reached::MetOnce ? std::optional(Reached::MetOnce) : std::nullopt;
  });
}

/// The waves meet, and nothing else: what is not complete may still happen.
static void meetOnly(SharedState &state) {
  advance(state, [&](Reached reached) -> std::optional<Reached> {
    if (reached == Reached::InFlight)
      return reached;
    return state.apart && reached == Reached::Complete ? std::optional(Reached::MetOnce) : std::nullopt;
  });
}

/// All accesses to LDS of a wave are complete, and its copies but for those that `left` accesses may belong to.
static void await(SharedState &state, int64_t left) {
  advance(state, [](Reached reached) { return std::max(reached, Reached::Complete); });
  int64_t behind = 0;
  size_t kept = state.copies.size();
  while (kept > 0 && behind < left)
    behind += state.copies[--kept].accesses;
  for (size_t i = 0; i < kept; ++i) {
    SharedAccess landed = state.copies[i].access;
    landed.reached = Reached::Complete;
    state.stores.insert(landed);
  }
  state.copies.erase(state.copies.begin(), state.copies.begin() + kept);
}

SharedExecution::States SharedExecution::runOp(Operation *op, const SharedState &state) {
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return runIf(branch, state);
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    std::map<SharedState, States> &known = loops[op];
    auto found = known.find(state);
    return found != known.end() ? found->second : known[state] = runFor(loop, state);
  }
  if (auto group = dyn_cast<hip::GroupOp>(op))
    return runGroup(group, state);
  if (auto role = dyn_cast<hip::RoleOp>(op))
    return runBlock(role.getBody().front(), {state});
  if (auto tasks = dyn_cast<hip::TasksOp>(op))
    return runTasks(tasks, state);
  if (auto reduce = dyn_cast<hip::ReduceOp>(op))
    return runReduce(reduce, state);
  if (auto scan = dyn_cast<hip::ScanOp>(op))
    return runScan(scan, state);
  if (auto steps = dyn_cast<hip::StepsOp>(op))
    return runSteps(steps, state);
  if (auto stream = dyn_cast<hip::StreamOp>(op))
    return runStream(stream, state);
  if (auto roles = dyn_cast<hip::ByRoleOp>(op))
    return runBlock(roles.getBody().front(), {state});
  if (auto sides = dyn_cast<hip::IfProducesOp>(op))
    return runSides(sides, state);
  if (auto consume = dyn_cast<hip::ConsumeOp>(op))
    return runConsume(consume, state);
  return runSelect(cast<arith::SelectOp>(op), state);
}

void SharedExecution::step(Operation *op, SharedState &state) {
  if (runStreamOp(op, state) || runRoleOp(op, state))
    return;
  // What a task has left in LDS is that of one of several: the last of them may not use it.
  if (isa<hip::ArriveOp>(op))
    state.contents.clear();
  if (isa<hip::EnterOp, hip::EnterTasksOp, hip::ArriveOp>(op))
    broadcast(op, state);
  else if (hip::holdsBarrier(op))
    meet(state);
  else if (isa<hip::MeetOp>(op))
    meetOnly(state);
  else if (auto waits = dyn_cast<hip::AwaitCopiesOp>(op))
    await(state, waits.getLeft());
  else if (isa<hip::InOrderOp, hip::PlacesOp, hip::HoldOp, hip::TakeOp, hip::PutOp, hip::ReadSlotOp>(op))
    runActivities(op, state);
  else if (auto stored = dyn_cast<hip::SharedStoreOp>(op))
    store(state, accesses(op, stored.getShared(), state));
  else if (auto loaded = dyn_cast<hip::SharedLoadOp>(op))
    load(state, accesses(op, loaded.getShared(), state));
  else
    evaluate(op, state);
}

/// The bases of a list without dimension `dim`, those that then are zero left in.
static SmallVector<int32_t> dropDimension(ArrayRef<int32_t> bases, int64_t rank, int64_t dim) {
  SmallVector<int32_t> kept;
  for (auto [i, value] : llvm::enumerate(bases))
    if (static_cast<int64_t>(i) % rank != dim)
      kept.push_back(value);
  return kept;
}

/// A reduction along waves goes through its scratch, with barriers before the first write and before the first read.
/// One whose result stays with its threads need not; then it has none either.
SharedExecution::States SharedExecution::runReduce(hip::ReduceOp op, const SharedState &state) {
  auto from = dyn_cast_or_null<tile::LayoutAttr>(cast<RankedTensorType>(op.getOperand().getType()).getEncoding());
  auto to = dyn_cast_or_null<tile::LayoutAttr>(cast<RankedTensorType>(op.getType()).getEncoding());
  bool crosses = !from || !to;
  if (!crosses) {
    int64_t rank = from.getRank(), dim = op.getDim();
    for (size_t i = dim; i < from.getWaves().size(); i += rank)
      crosses |= from.getWaves()[i] != 0;
    crosses |= ArrayRef<int32_t>(dropDimension(from.getLanes(), rank, dim)) != to.getLanes() ||
               ArrayRef<int32_t>(dropDimension(from.getWaves(), rank, dim)) != to.getWaves();
  }
  SharedState through = goThrough(op, op.getScratch(), state);
  return crosses ? States{through} : States{through, state};
}

/// A barrier, writes to LDS that all waves read behind a second one.
SharedState SharedExecution::goThrough(Operation *op, Value shared, const SharedState &state) {
  SharedState through = state;
  std::vector<SharedAccess> scratch = accesses(op, shared, state);
  meet(through);
  store(through, scratch);
  meet(through);
  load(through, scratch);
  return through;
}

/// A scan along waves goes through its scratch; where waves share nothing of a line it leaves that alone, and meets
/// nobody.
SharedExecution::States SharedExecution::runScan(hip::ScanOp op, const SharedState &state) {
  auto layout = dyn_cast_or_null<tile::LayoutAttr>(cast<RankedTensorType>(op.getType()).getEncoding());
  bool crosses = !layout;
  for (int64_t i = op.getDim(); layout && i < static_cast<int64_t>(layout.getWaves().size()); i += layout.getRank())
    crosses |= layout.getWaves()[i] != 0;
  return crosses ? States{goThrough(op, op.getScratch(), state)} : States{state};
}

SharedExecution::States SharedExecution::runIf(scf::IfOp op, const SharedState &state) {
  std::optional<int64_t> condition = state.numberOf(op.getCondition());
  States result;
  for (Region *region : {&op.getThenRegion(), &op.getElseRegion()}) {
    if (condition && (*condition != 0) != (region == &op.getThenRegion()))
      continue;
    // The condition is known inside, and after: a later branch on it goes the same way.
    SharedState chosen = state;
    chosen.setNumber(op.getCondition(), region == &op.getThenRegion());
    if (region->empty()) {
      result.insert(chosen);
      continue;
    }
    for (SharedState after : runBlock(region->front(), {chosen})) {
      for (auto [value, yielded] : llvm::zip(op.getResults(), region->front().getTerminator()->getOperands()))
        after.setNumber(value, after.numberOf(yielded));
      result.insert(after);
    }
  }
  return result;
}

/// Where it says how many steps run, the paths part: each knows which of the two it was.
SharedExecution::States SharedExecution::runSelect(arith::SelectOp op, const SharedState &state) {
  bool counts = llvm::any_of(op->getUsers(), [](Operation *user) { return isa<hip::StepsOp>(user); });
  std::optional<int64_t> condition = state.numberOf(op.getCondition());
  States result;
  for (int64_t chosen : {1, 0}) {
    if (condition ? (*condition != 0) != (chosen != 0) : !counts)
      continue;
    SharedState next = state;
    next.setNumber(op.getCondition(), chosen);
    next.setNumber(op, state.numberOf(chosen ? op.getTrueValue() : op.getFalseValue()));
    result.insert(next);
  }
  if (!result.empty())
    return result;
  SharedState unknown = state;
  unknown.setNumber(op, std::nullopt);
  return {unknown};
}

/// What a loop's body computed is computed anew in the next iteration.
void SharedState::forget(Block *body) {
  auto isComputedInside = [&](void *value) {
    Operation *op = Value::getFromOpaquePointer(value).getDefiningOp();
    return op && body->findAncestorOpInBlock(*op);
  };
  std::erase_if(numbers, [&](const auto &known) { return isComputedInside(known.first); });
  if (end.step && isComputedInside(end.step))
    end = {};
}

/// Gives values the numbers of others, all at once.
static void bind(ValueRange to, ValueRange from, SharedState &state) {
  SmallVector<std::optional<int64_t>> numbers;
  for (Value value : from)
    numbers.push_back(state.numberOf(value));
  for (auto [value, number] : llvm::zip(to, numbers))
    state.setNumber(value, number);
  for (auto [value, source] : llvm::zip(to, from))
    if (state.end.step && state.end.step == source.getAsOpaquePointer()) {
      state.end.step = value.getAsOpaquePointer();
      break;
    }
}

static bool sameIndex(Value a, Value b) {
  return a == b || (getConstantIntValue(a) && getConstantIntValue(a) == getConstantIntValue(b));
}

/// Whether `a < b` on this path, by a comparison of the two that a branch has decided; nothing when none has.
static std::optional<bool> isBelow(function_ref<bool(Value)> isA, Value b, Block &block, const SharedState &state) {
  for (auto compare : block.getOps<arith::CmpIOp>()) {
    bool less =
        compare.getPredicate() == arith::CmpIPredicate::slt && isA(compare.getLhs()) && sameIndex(compare.getRhs(), b);
    bool more =
        compare.getPredicate() == arith::CmpIPredicate::sgt && isA(compare.getRhs()) && sameIndex(compare.getLhs(), b);
    if (std::optional<int64_t> number = state.numberOf(compare); (less || more) && number)
      return *number != 0;
  }
  return std::nullopt;
}

SharedExecution::States SharedExecution::runFor(scf::ForOp op, const SharedState &state) {
  auto isLower = [&](Value value) { return sameIndex(value, op.getLowerBound()); };
  auto isNext = [&](Value value) {
    auto add = value.getDefiningOp<arith::AddIOp>();
    return add && ((add.getLhs() == op.getInductionVar() && sameIndex(add.getRhs(), op.getStep())) ||
                   (add.getRhs() == op.getInductionVar() && sameIndex(add.getLhs(), op.getStep())));
  };
  States seen, work, result;
  // To the next iteration, out of the loop, or to both where nothing tells.
  auto proceed = [&](SharedState at, ValueRange carried, std::optional<bool> another) {
    if (!another || !*another) {
      SharedState exit = at;
      bind(op.getResults(), carried, exit);
      exit.forget(op.getBody());
      result.insert(exit);
    }
    if (another && !*another)
      return;
    bind(op.getRegionIterArgs(), carried, at);
    at.forget(op.getBody());
    if (seen.size() > kMaxStates)
      for (Value value : op.getRegionIterArgs())
        at.setNumber(value, std::nullopt);
    work.insert(at);
  };
  std::optional<int64_t> lower = getConstantIntValue(op.getLowerBound()),
                         upper = getConstantIntValue(op.getUpperBound());
  std::optional<bool> any =
      lower && upper ? std::optional(*lower < *upper) : isBelow(isLower, op.getUpperBound(), *op->getBlock(), state);
  proceed(state, op.getInitArgs(), any);
  while (!work.empty()) {
    SharedState entry = work.take();
    if (seen.insert(entry))
      for (const SharedState &after : runBlock(*op.getBody(), {entry}))
        proceed(after, op.getYieldedValues(), isBelow(isNext, op.getUpperBound(), *op.getBody(), after));
  }
  return result;
}

/// One thread tells the others by words at the start of LDS: a barrier, the store, a barrier, the loads.
void SharedExecution::broadcast(Operation *by, SharedState &state) {
  SharedAccess words{by, nullptr, 0, broadcast_lds};
  meet(state);
  store(state, {words});
  state.contents.erase(words);
  meet(state);
  state.loads.insert(words);
}

/// Whether all waves meet where a task is drawn: not where a producer draws it.
static bool meetsAtTickets(hip::GroupOp op) {
  return op.getQueue() && !op.getBody()
                               .walk([](hip::TasksOp tasks) {
                                 return tasks.getTickets() ? WalkResult::interrupt() : WalkResult::advance();
                               })
                               .wasInterrupted();
}

/// All workgroups ask whether they are the last, with barriers. The ticket that several loops share is drawn before the
/// first of them.
SharedExecution::States SharedExecution::runGroup(hip::GroupOp op, const SharedState &state) {
  // Its pieces have bytes of their own, and it meets nobody.
  if (op.isSender())
    return {state};
  SharedState begin = state;
  if (op.getTurn() == tile::Turn::Last)
    broadcast(op, begin);
  SharedState inside = begin;
  if (meetsAtTickets(op) && !op.hasOneLoop())
    broadcast(op, inside);
  States result = runBlock(op.getBody().front(), {inside});
  if (op.isConditional() && !op.getSide())
    result.insert(begin);
  return result;
}

/// Any number of tasks; what one left in LDS means nothing to the next. A ticket is drawn behind each, and by a loop
/// that has its queue for itself before the first, with barriers; tasks that are dealt out by number have none between
/// them. The group is who draws: states that differ in the loop alone would be as many as there are loops.
SharedExecution::States SharedExecution::runTasks(hip::TasksOp op, const SharedState &state) {
  hip::GroupOp group = op.getGroup();
  SharedState begin = state;
  bool meets = group.getQueue() && !op.getTickets();
  if (meets && group.hasOneLoop())
    broadcast(group, begin);
  States seen, work{begin};
  while (!work.empty()) {
    SharedState entry = work.take();
    entry.contents.clear();
    entry.used.clear();
    entry.end = {};
    if (!seen.insert(entry))
      continue;
    for (SharedState after : runBlock(op.getBody().front(), {entry})) {
      after.contents.clear();
      after.used.clear();
      after.end = {};
      after.numbers = state.numbers;
      if (meets)
        broadcast(group, after);
      work.insert(after);
    }
  }
  return seen;
}

void SharedExecution::evaluate(Operation *op, SharedState &state) {
  if (auto copy = dyn_cast<hip::CopyOp>(op))
    return state.setNumber(copy.getResult(), state.numberOf(copy.getValue()));
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return compareStep(compare, state);
  if (op->getNumResults() != 1 || op->getNumOperands() != 2)
    return;
  std::optional<int64_t> a = state.numberOf(op->getOperand(0)), b = state.numberOf(op->getOperand(1));
  if (!a || !b || !op->getResult(0).getType().isIntOrIndex() || !fits(*a, IndexType::get(op->getContext())) ||
      !fits(*b, IndexType::get(op->getContext())))
    return;
  std::optional<int64_t> result;
  if (isa<arith::AddIOp>(op))
    result = *a + *b;
  else if (isa<arith::SubIOp>(op))
    result = *a - *b;
  else if (isa<arith::MulIOp>(op))
    result = *a * *b;
  else if (isa<arith::XOrIOp>(op))
    result = *a ^ *b;
  else if (isa<arith::RemUIOp, arith::RemSIOp>(op) && *a >= 0 && *b > 0)
    result = *a % *b;
  // What wraps is not followed.
  if (result && !fits(*result, op->getResult(0).getType()))
    result = std::nullopt;
  state.setNumber(op->getResult(0), result);
}

bool SharedExecution::fitsLds(Operation *op, int64_t first, int64_t end) {
  int64_t limit = kernel.getSharedBytes();
  if (!avoidsWords(op, first, end))
    return false;
  if (first >= 0 && end <= limit)
    return true;
  failed = true;
  if (reported.insert(op).second)
    op->emitOpError() << "lies at bytes " << first << " to " << end << " of LDS, expected inside 0 to " << limit;
  return false;
}

int64_t SharedExecution::bytesOf(hip::SharedType type) {
  return llvm::product_of(type.getShape()) * elementBytes(type.getElement());
}

/// An offset that is not known may be anywhere in LDS.
std::vector<SharedAccess> SharedExecution::accesses(Operation *op, Value value, const SharedState &state) {
  auto shared = value.getDefiningOp<hip::SharedOp>();
  if (!shared) {
    op->emitOpError() << "addresses LDS through a value that is no 'hip.shared'";
    failed = true;
    return {};
  }
  auto type = cast<hip::SharedType>(shared.getType());
  std::optional<int64_t> first = state.numberOf(shared.getOffset());
  if (!first) {
    avoidsWords(op, 0, int64_t(kernel.getSharedBytes()));
    return {{op, type.getAsOpaquePointer(), 0, int64_t(kernel.getSharedBytes())}};
  }
  fitsLds(op, *first, *first + bytesOf(type));
  return {{op, type.getAsOpaquePointer(), *first, *first + bytesOf(type)}};
}

void SharedExecution::store(SharedState &state, ArrayRef<SharedAccess> accesses) {
  for (const SharedAccess &access : accesses) {
    for (const SharedAccess &other : state.loads)
      if (access.overlaps(other))
        report(access.op, "overwrites LDS without a barrier after a load of it", other, "the load");
    for (const SharedAccess &other : state.stores)
      if (access.overlaps(other) && access.op != other.op)
        report(access.op, "overwrites LDS without a barrier after another store", other, "the other store");
    avoidPending(state, access, "overwrites LDS");
  }
  for (const SharedAccess &access : accesses) {
    std::erase_if(state.contents, [&](const SharedAccess &other) { return access.overlaps(other); });
    std::erase_if(state.used, [&](const SharedAccess &other) { return access.overlaps(other); });
    state.contents.insert(access);
    state.stores.insert(access);
    // Where there is no engine, nobody asks: it would only keep paths apart that have become alike.
    if (!slotWords.empty())
      state.unfenced.insert(access);
  }
}

void SharedExecution::load(SharedState &state, ArrayRef<SharedAccess> accesses) {
  for (const SharedAccess &access : accesses) {
    for (const SharedAccess &other : state.stores)
      if (access.overlaps(other))
        report(access.op, "reads LDS without a barrier after a store to it", other, "the store");
    avoidCopies(state, access, "reads LDS");
    bool &seen = loadSeesStore[access.op];
    for (const SharedAccess &content : state.contents) {
      seen |= content.isSameTile(access);
      if (!content.isSameTile(access) && content.overlaps(access))
        report(access.op, "reads LDS that another tile has overwritten", content, "the store of the other tile");
    }
    state.loads.insert(access);
  }
}

void SharedExecution::report(Operation *op, const Twine &what, const SharedAccess &other, StringRef note) {
  failed = true;
  if (!reported.insert(op).second)
    return;
  InFlightDiagnostic diagnostic = op->emitOpError() << what;
  diagnostic.attachNote(other.op->getLoc()) << note << " is here";
}

} // namespace tilec
