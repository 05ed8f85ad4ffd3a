// Follows the tiles of rings from memory to the products, with numbers.
#include "passes/checker/RingProducts.h"
#include "passes/checker/FetchedColumns.h"

#include <set>

using namespace mlir;
using namespace tilec;
using tilec::checker::goesByRows;

/// Iterations of all loops of a task that are run; what is behind them is not followed. A loop around a ring has it run
/// as often as itself.
static constexpr int64_t kMostIterations = 1 << 12;

static int64_t bytesOf(Type element) { return std::max<int64_t>(8, element.getIntOrFloatBitWidth()) / 8; }

/// Bytes along the rows of the tile that a feed brings: those of one step.
static int64_t stepBytes(Type feed) {
  if (auto direct = dyn_cast<hip::DirectFeedType>(feed))
    return direct.getTile().getShape().back() * bytesOf(direct.getTile().getElement());
  RankedTensorType tile = cast<hip::FeedType>(feed).getTile();
  return tile.getShape().back() * bytesOf(tile.getElementType());
}

/// Columns, or rows, of a step.
static int64_t depthOf(Operation *feed) {
  Type type = feed->getResult(0).getType();
  auto direct = dyn_cast<hip::DirectFeedType>(type);
  ArrayRef<int64_t> shape = direct ? direct.getTile().getShape() : cast<hip::FeedType>(type).getTile().getShape();
  return goesByRows(feed) ? shape.front() : shape.back();
}

/// Extents of as many whole steps as the slots take turns with twice and one more, each also with a rest.
LogicalResult RingProducts::run() {
  std::set<int64_t> extents;
  kernel.walk([&](hip::StepsOp steps) {
    kernel.walk([&](Operation *op) {
      if (!isa<hip::FeedOp, hip::DirectFeedOp>(op))
        return;
      int64_t depth = depthOf(op);
      for (int64_t count = 1, end = 2 * int64_t(steps.getSlots()) + 1; count <= end; ++count)
        extents.insert({count * depth, count * depth + depth / 2});
    });
  });
  for (int64_t extent : extents) {
    runWith(extent);
    if (failed)
      return failure();
  }
  return success();
}

void RingProducts::runWith(int64_t extent) {
  numbers.clear();
  tiles.clear();
  sums.clear();
  taken.clear();
  this->extent = extent;
  iterations = 0;
  current.reset();
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (argument.getType().isIndex())
      set(argument, extent);
    else if (argument.getType().isInteger(1))
      set(argument, 1);
  runBlock(kernel.getBody().front());
}

bool RingProducts::isOver() const { return failed || iterations >= kMostIterations; }

InFlightDiagnostic RingProducts::report(Operation *op) {
  failed = true;
  return op->emitOpError();
}

void RingProducts::runBlock(Block &block) {
  for (Operation &op : block) {
    if (isOver())
      return;
    runOp(&op);
  }
}

void RingProducts::runOp(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return runFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return runIf(branch);
  if (auto steps = dyn_cast<hip::StepsOp>(op))
    return runSteps(steps);
  if (isa<hip::GroupOp, hip::RoleOp, hip::TasksOp>(op))
    return runNested(op);
  if (isa<hip::InOrderOp, hip::PlacesOp>(op)) {
    for (Value activity : op->getOperands())
      perform(activity);
  } else if (auto hold = dyn_cast<hip::HoldOp>(op)) {
    // What a stream adds up is no ring's: its slots are StreamExecution's.
    if (llvm::none_of(hold->getUsers(), llvm::IsaPred<hip::MultiplyAsyncOp>))
      sums[op] = current.value_or(0);
    else
      sums.erase(op);
    for (int64_t tile = 0; tile < int64_t(hold.getType().getCount()); ++tile)
      tiles.erase({op, tile});
  } else if (auto take = dyn_cast<hip::TakeOp>(op)) {
    checkTaken(take);
    auto found = sums.find(take.getHeld().getDefiningOp());
    taken.erase(take.getResult());
    if (found != sums.end())
      taken[take.getResult()] = found->second;
  } else if (auto put = dyn_cast<hip::PutOp>(op)) {
    // What steps compute is of all of them up to this one.
    Operation *held = put.getHeld().getDefiningOp();
    if (current)
      sums[held] = *current + 1;
    else
      sums.erase(held);
  } else {
    evaluate(op);
  }
}

/// What a step computes with is of this step, where it has been fetched for one.
void RingProducts::checkTaken(hip::TakeOp take) {
  std::optional<int64_t> fetched = stepIn(take.getHeld());
  if (!failed && current && fetched && *fetched != *current)
    report(take) << "takes the tile of step " << *fetched << ", expected that of step " << *current
                 << ", with extents of " << extent;
}

/// The numbers that a group, a role and a task have are those of the first.
void RingProducts::runNested(Operation *op) {
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      for (BlockArgument argument : block.getArguments())
        set(argument, argument.getType().isIndex() ? std::optional<int64_t>(0) : std::nullopt);
      runBlock(block);
    }
  if (isa<hip::TasksOp>(op))
    iterations = 0;
}

/// Whether a value is what the branch of a ring leaves to the loop that adds the rest.
static bool isOfRing(Value value) {
  while (auto copy = value.getDefiningOp<hip::CopyOp>())
    value = copy.getValue();
  auto branch = value.getDefiningOp<scf::IfOp>();
  return branch && !branch.getThenRegion().getOps<hip::StepsOp>().empty();
}

/// A loop behind a ring adds the rest: it begins with the first step that the ring has left.
void RingProducts::runFor(scf::ForOp loop) {
  std::optional<int64_t> lower = numberOf(loop.getLowerBound()), upper = numberOf(loop.getUpperBound()),
                         step = numberOf(loop.getStep());
  for (Value init : loop.getInitArgs()) {
    auto found = taken.find(init);
    if (found != taken.end() && isOfRing(init) && lower && *lower != found->second) {
      report(loop) << "adds the rest of a ring's sum from step " << *lower << " on, expected from step "
                   << found->second << " on, with extents of " << extent;
      return;
    }
  }
  bind(loop.getRegionIterArgs(), loop.getInitArgs());
  bool known = lower && upper && step && *step > 0;
  int64_t count = known ? std::max<int64_t>(0, (*upper - *lower + *step - 1) / *step) : 1;
  for (int64_t i = 0; i < count && !isOver(); ++i, ++iterations) {
    set(loop.getInductionVar(), known ? std::optional(*lower + i * *step) : std::nullopt);
    runBlock(*loop.getBody());
    bind(loop.getRegionIterArgs(), loop.getYieldedValues());
  }
  bind(loop.getResults(), loop.getRegionIterArgs());
}

void RingProducts::runIf(scf::IfOp branch) {
  std::optional<int64_t> condition = numberOf(branch.getCondition());
  for (Region *region : {&branch.getElseRegion(), &branch.getThenRegion()}) {
    bool isThen = region == &branch.getThenRegion();
    if (region->empty() || (condition && (*condition != 0) != isThen))
      continue;
    runBlock(region->front());
    bind(branch.getResults(), region->front().getTerminator()->getOperands());
    // Where its ring has no step, the rest is all of a loop, and adds to what others have left.
    if (!isThen)
      for (Value result : branch.getResults())
        if (isOfRing(result))
          taken.erase(result);
  }
}

/// Steps go on with the slot of their number, wherever they begin.
void RingProducts::runSteps(hip::StepsOp steps) {
  std::optional<int64_t> first = steps.getFrom() ? numberOf(steps.getFrom()) : 0, count = numberOf(steps.getCount());
  for (int64_t at = first.value_or(0); first && count && at < *count && !isOver(); ++at, ++iterations) {
    current = at;
    set(steps.getSlot(), at % int64_t(steps.getSlots()));
    set(steps.getStep(), at);
    runBlock(steps.getBody().front());
  }
  current.reset();
}

//===-- activities
//-------------------------------------------------------------------------------------------------===//

std::optional<RingProducts::Place> RingProducts::placeOf(Value value) const {
  if (auto hold = value.getDefiningOp<hip::HoldOp>())
    return Place(hold, 0);
  Value whole, number;
  if (auto slot = value.getDefiningOp<hip::SlotOp>()) {
    whole = slot.getRing();
    number = slot.getNumber();
  } else if (auto at = value.getDefiningOp<hip::HeldAtOp>()) {
    whole = at.getHeld();
    number = at.getNumber();
  }
  std::optional<int64_t> which = number ? numberOf(number) : std::nullopt;
  return which && whole.getDefiningOp() ? std::optional(Place(whole.getDefiningOp(), *which)) : std::nullopt;
}

std::optional<int64_t> RingProducts::stepIn(Value place) const {
  std::optional<Place> where = placeOf(place);
  auto found = where ? tiles.find(*where) : tiles.end();
  return found == tiles.end() ? std::nullopt : std::optional(found->second);
}

void RingProducts::fill(Value place, Value feed, Value moved) {
  std::optional<Place> where = placeOf(place);
  if (!where)
    return;
  tiles.erase(*where);
  std::optional<int64_t> number = numberOf(moved), bytes = stepBytesOf(feed);
  if (number && bytes && *bytes > 0 && *number % *bytes == 0)
    tiles[*where] = *number / *bytes;
}

/// Bytes that a step moves a feed by: along the rows of the view, or down them, where its stride is known.
std::optional<int64_t> RingProducts::stepBytesOf(Value feed) const {
  Operation *op = feed.getDefiningOp();
  if (!op || !goesByRows(op))
    return stepBytes(feed.getType());
  auto view = op->getOperand(0).getDefiningOp<hip::ViewOp>();
  auto at = op->getOperand(0).getDefiningOp<hip::ViewAtOp>();
  if (!view && !at)
    return std::nullopt;
  std::optional<int64_t> stride = numberOf(at ? at.getStrides().front() : view.getStrides().front());
  auto direct = dyn_cast<hip::DirectFeedType>(feed.getType());
  int64_t element =
      bytesOf(direct ? direct.getTile().getElement() : cast<hip::FeedType>(feed.getType()).getTile().getElementType());
  return stride ? std::optional(*stride * depthOf(op) * element) : std::nullopt;
}

void RingProducts::move(Value to, Value from) {
  std::optional<Place> where = placeOf(to);
  std::optional<int64_t> step = stepIn(from);
  if (where)
    tiles.erase(*where);
  if (where && step)
    tiles[*where] = *step;
}

/// Products are listed first and accesses in their order; no product uses what an access beside it fills.
void RingProducts::perform(Value activity) {
  llvm::TypeSwitch<Operation *>(activity.getDefiningOp())
      .Case([&](hip::InTurnOp op) {
        for (Value inner : op.getActivities())
          perform(inner);
      })
      .Case([&](hip::ByHalvesOp op) {
        perform(op.getFirst());
        perform(op.getSecond());
      })
      .Case([&](hip::FetchingOp op) { fill(op.getTo(), op.getFeed(), op.getMoved()); })
      .Case([&](hip::CopyingOp op) { fill(op.getSlot(), op.getFeed(), op.getMoved()); })
      .Case([&](hip::DepositingOp op) { move(op.getSlot(), op.getFrom()); })
      .Case([&](hip::RefillingOp op) {
        move(op.getSlot(), op.getRegisters());
        fill(op.getRegisters(), op.getFeed(), op.getMoved());
      })
      .Case([&](hip::ReadingOp op) { move(op.getTo(), op.getSlot()); })
      .Case([&](hip::MultiplyingOp op) { multiply(op); })
      .Default([](Operation *) {});
}

void RingProducts::multiply(hip::MultiplyingOp product) {
  std::optional<int64_t> a = stepIn(product.getA()), b = stepIn(product.getB());
  Operation *sum = product.getAcc().getDefiningOp();
  if (failed || !sum || (!a && !b))
    return;
  int64_t expected = sums[sum]++;
  if (a && b && *a != *b)
    report(product) << "multiplies the tile of step " << *a << " with that of step " << *b << ", with extents of "
                    << extent;
  else if (int64_t step = a ? *a : *b; step != expected)
    report(product) << "multiplies the tiles of step " << step << ", expected those of step " << expected
                    << ", with extents of " << extent;
}

//===-- numbers
//----------------------------------------------------------------------------------------------------===//

static std::optional<int64_t> constantOf(Value value) {
  std::optional<int64_t> constant = getConstantIntValue(value);
  return constant && value.getType().isInteger(1) ? *constant & 1 : constant;
}

std::optional<int64_t> RingProducts::numberOf(Value value) const {
  if (auto found = numbers.find(value); found != numbers.end())
    return found->second;
  return constantOf(value);
}

void RingProducts::set(Value value, std::optional<int64_t> number) {
  if (number)
    numbers[value] = *number;
  else
    numbers.erase(value);
}

/// Gives values the numbers, and what is known of the sums, of others.
void RingProducts::bind(ValueRange to, ValueRange from) {
  SmallVector<std::pair<std::optional<int64_t>, std::optional<int64_t>>> known;
  for (Value value : from) {
    auto sum = taken.find(value);
    known.push_back({numberOf(value), sum == taken.end() ? std::nullopt : std::optional(sum->second)});
  }
  for (auto [value, what] : llvm::zip(to, known)) {
    set(value, what.first);
    taken.erase(value);
    if (what.second)
      taken[value] = *what.second;
  }
}

static std::optional<int64_t> compute(Operation *op, ArrayRef<int64_t> in) {
  auto divides = [&] { return in[1] > 0 && in[0] >= 0; };
  return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case([&](arith::AddIOp) { return in[0] + in[1]; })
      .Case([&](arith::SubIOp) { return in[0] - in[1]; })
      .Case([&](arith::MulIOp) { return in[0] * in[1]; })
      .Case([&](arith::AndIOp) { return in[0] & in[1]; })
      .Case([&](arith::OrIOp) { return in[0] | in[1]; })
      .Case([&](arith::XOrIOp) { return in[0] ^ in[1]; })
      .Case([&](arith::MinSIOp) { return std::min(in[0], in[1]); })
      .Case([&](arith::MaxSIOp) { return std::max(in[0], in[1]); })
      .Case([&](arith::SelectOp) { return in[0] ? in[1] : in[2]; })
      .Case<arith::IndexCastOp, arith::ExtSIOp>([&](auto) { return in[0]; })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(
          [&](auto) { return divides() ? std::optional(in[0] / in[1]) : std::nullopt; })
      .Case<arith::RemSIOp, arith::RemUIOp>(
          [&](auto) { return divides() ? std::optional(in[0] % in[1]) : std::nullopt; })
      .Case([&](arith::CeilDivSIOp) { return divides() ? std::optional((in[0] + in[1] - 1) / in[1]) : std::nullopt; })
      .Case([&](arith::CmpIOp compare) {
        return int64_t(arith::applyCmpPredicate(compare.getPredicate(), APInt(64, uint64_t(in[0]), true),
                                                APInt(64, uint64_t(in[1]), true)));
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// Views are taken for regular: only then a ring is used. What is not computed from extents and constants is not known.
void RingProducts::evaluate(Operation *op) {
  if (auto copy = dyn_cast<hip::CopyOp>(op))
    return bind(copy->getResults(), copy.getValue());
  if (isa<hip::RegularOp>(op))
    return set(op->getResult(0), 1);
  if (op->getNumResults() != 1 || !op->getResult(0).getType().isIntOrIndex())
    return;
  // Met again and again, and looked up faster than it is read off its attribute.
  if (isa<arith::ConstantOp>(op))
    return numbers.contains(op->getResult(0)) ? void() : set(op->getResult(0), constantOf(op->getResult(0)));
  SmallVector<int64_t> in;
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> number = operand.getType().isIntOrIndex() ? numberOf(operand) : std::nullopt;
    if (!number)
      return set(op->getResult(0), std::nullopt);
    in.push_back(*number);
  }
  set(op->getResult(0), compute(op, in));
}
