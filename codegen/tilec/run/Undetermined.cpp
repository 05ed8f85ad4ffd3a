// Oracles beside the oracle, whose scratch begins with other content.
#include "codegen/tilec/run/Undetermined.h"
#include "codegen/tilec/run/Judgement.h"
#include "dialect/Identifiers.h"
#include "passes/interpreter/Inputs.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::interpreter;

/// One float or integer of two buffers; the same NaN or none.
static bool differs(const Buffer &a, const Buffer &b, int64_t i) {
  if (!a.format.isFloat)
    return a.whole[i] != b.whole[i];
  return a.real[i] != b.real[i] && !(std::isnan(a.real[i]) && std::isnan(b.real[i]));
}

namespace {
/// A constant that a program compares something with.
struct Compared {
  double real = 0;
  int64_t whole = 0;
};
} // namespace

/// The number of all elements of a value, if a constant.
static std::optional<Compared> constantIn(Value value) {
  if (auto splat = value.getDefiningOp<SplatOp>(); splat && splat.getOperand())
    return constantIn(splat.getOperand());
  if (auto broadcast = value.getDefiningOp<BroadcastOp>())
    return constantIn(broadcast.getOperand());
  Attribute literal;
  if (auto splat = value.getDefiningOp<SplatOp>())
    literal = splat.getLiteralAttr();
  else if (!matchPattern(value, m_Constant(&literal)))
    return std::nullopt;
  if (auto elements = dyn_cast<SplatElementsAttr>(literal))
    literal = elements.getSplatValue<Attribute>();
  if (auto number = dyn_cast<IntegerAttr>(literal); number && number.getValue().getSignificantBits() <= 64)
    return Compared{static_cast<double>(number.getValue().getSExtValue()), number.getValue().getSExtValue()};
  auto number = dyn_cast<FloatAttr>(literal);
  if (!number || !number.getValue().isFinite())
    return std::nullopt;
  APFloat real = number.getValue();
  bool isInexact = false;
  real.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &isInexact);
  // Of a float only elements of floats are made.
  return Compared{real.convertToDouble(), 0};
}

/// What x is where an operation of x and a constant gives `result`: `x + 1` gives 5 where x is 4. Nothing for others,
/// and where no x does.
static std::optional<std::pair<Value, Compared>> invert(Operation *op, Compared result) {
  if (!op)
    return std::nullopt;
  if (isa<arith::NegFOp>(op))
    return std::pair(op->getOperand(0), Compared{-result.real, 0});
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp,
          arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp>(op)) {
    bool toWhole = isa<arith::SIToFPOp, arith::UIToFPOp>(op);
    bool toReal = isa<arith::FPToSIOp, arith::FPToUIOp>(op);
    if (toWhole && std::abs(result.real) < 0x1p63)
      result.whole = static_cast<int64_t>(result.real);
    if (toReal)
      result.real = static_cast<double>(result.whole);
    return std::pair(op->getOperand(0), result);
  }
  if (op->getNumOperands() != 2)
    return std::nullopt;
  std::optional<Compared> left = constantIn(op->getOperand(0)), right = constantIn(op->getOperand(1));
  if (left.has_value() == right.has_value())
    return std::nullopt;
  Value unknown = op->getOperand(left ? 1 : 0);
  Compared known = left ? *left : *right;
  auto wrapped = [](uint64_t whole) { return static_cast<int64_t>(whole); };
  const uint64_t a = result.whole, b = known.whole;
  if (isa<arith::AddIOp, arith::AddFOp>(op))
    return std::pair(unknown, Compared{result.real - known.real, wrapped(a - b)});
  if (isa<arith::SubIOp, arith::SubFOp>(op))
    return std::pair(unknown, left ? Compared{known.real - result.real, wrapped(b - a)}
                                   : Compared{result.real + known.real, wrapped(a + b)});
  if (isa<arith::XOrIOp>(op))
    return std::pair(unknown, Compared{0, wrapped(a ^ b)});
  if (isa<arith::MulFOp>(op) && known.real != 0)
    return std::pair(unknown, Compared{result.real / known.real, 0});
  if (isa<arith::DivFOp>(op) && right)
    return std::pair(unknown, Compared{result.real * known.real, 0});
  if (isa<arith::MulIOp>(op) && known.whole != 0 && known.whole != -1 && result.whole % known.whole == 0)
    return std::pair(unknown, Compared{0, result.whole / known.whole});
  return std::nullopt;
}

/// 0, and constants in comparisons and extrema, the first few, with what the other side is made of where it meets them.
/// Fragments stand beside the program.
static std::vector<Compared> comparedWith(ProgramOp program) {
  constexpr size_t most = 17;
  std::vector<Compared> result(1);
  auto add = [&](Compared number) {
    auto isIt = [&](const Compared &known) { return known.real == number.real && known.whole == number.whole; };
    if (result.size() < most && llvm::none_of(result, isIt))
      result.push_back(number);
  };
  program->getParentOp()->walk([&](Operation *op) {
    if (!isa<arith::CmpIOp, arith::CmpFOp, arith::MaxSIOp, arith::MaxUIOp, arith::MaximumFOp, arith::MaxNumFOp,
             arith::MinSIOp, arith::MinUIOp, arith::MinimumFOp, arith::MinNumFOp>(op))
      return;
    for (unsigned side : {0, 1}) {
      std::optional<Compared> number = constantIn(op->getOperand(side));
      if (!number)
        continue;
      add(*number);
      auto met = invert(op->getOperand(1 - side).getDefiningOp(), *number);
      for (; met; met = invert(met->first.getDefiningOp(), met->second))
        add(met->second);
    }
  });
  return result;
}

/// Numbers that only the element tells apart, positive or negative. Those that are far reach to the ends of the type;
/// integers of 64 bits a quarter of the way, so that sums with an index are none that wrap.
static void fillSigned(Buffer &buffer, int64_t rank, int sign, bool isFar) {
  fillUniform(buffer, /*seed=*/1, /*launch=*/0, rank, /*argument=*/0);
  const int64_t most = (int64_t(1) << (std::min(buffer.format.bits, 63u) - 1)) - 1;
  for (double &value : buffer.real)
    value = buffer.format.round(sign *
                                (isFar ? buffer.format.largest * (1 - std::abs(value) / 2) : 1 + 31 * std::abs(value)));
  for (int64_t &value : buffer.whole)
    value = buffer.format.wrap(sign * (isFar ? most - std::abs(value) : 1 + std::abs(value)));
}

/// What an alloc begins with, one after the other. With both signs, near 0 and far from it, comparisons with what is
/// read turn out otherwise in one oracle than in another, and products do; 0 is what fresh memory holds, and what is
/// looked for, as are the program's own numbers. Integers stay as uncertain as they were.
static std::vector<Interpreter::Fill> fillsFor(ProgramOp program) {
  std::vector<Interpreter::Fill> fills;
  auto add = [&](auto fill) {
    fills.push_back([fill](Buffer &buffer, int64_t rank) {
      std::vector<double> error = buffer.error;
      fill(buffer, rank);
      buffer.error = std::move(error);
    });
  };
  for (bool isFar : {false, true})
    for (int sign : {1, -1})
      add([=](Buffer &buffer, int64_t rank) { fillSigned(buffer, rank, sign, isFar); });
  for (const Compared &number : comparedWith(program))
    add([=](Buffer &buffer, int64_t) {
      for (double &value : buffer.real)
        value = buffer.format.round(number.real);
      for (int64_t &value : buffer.whole)
        value = buffer.format.wrap(number.whole);
    });
  return fills;
}

/// Notes what one launch left otherwise than in the oracle's.
static void noteDifferences(Interpreter &other, PreparedLaunch &launch, const Unwritten &from) {
  if (launch.undetermined.empty())
    launch.undetermined.assign(launch.after.size(), std::vector<Undetermined>(other.getNumArguments()));
  for (auto [rank, arguments] : llvm::enumerate(launch.after))
    for (auto [argument, buffer] : llvm::enumerate(arguments)) {
      Undetermined &found = launch.undetermined[rank][argument];
      for (int64_t i = 0, n = buffer.size(); i < n; ++i) {
        if (!differs(buffer, other.argument(rank, argument), i))
          continue;
        if (found.elements.empty()) {
          found.elements.resize(n);
          found.from = from;
        }
        found.elements[i] = true;
      }
    }
}

/// All launches again: what a persistent alloc carries on from one of them is undetermined in the next.
static LogicalResult compareWith(Interpreter &other, std::vector<PreparedLaunch> &launches, const Unwritten &first) {
  Unwritten from = first;
  for (PreparedLaunch &launch : launches) {
    if (failed(other.begin(launch.extents)))
      return failure();
    for (auto [rank, arguments] : llvm::enumerate(launch.before))
      for (auto [argument, bytes] : llvm::enumerate(arguments))
        other.argument(rank, argument).fromBytes(bytes);
    if (failed(other.run()))
      return failure();
    auto own = llvm::find_if(launch.unwritten,
                             [&](const Unwritten &read) { return read.alloc == first.alloc && !read.passedOver; });
    if (own != launch.unwritten.end())
      from = *own;
    noteDifferences(other, launch, from);
  }
  return success();
}

LogicalResult tilec::findUndetermined(const Interpreter &oracle, std::vector<PreparedLaunch> &launches) {
  // Without an order of tasks the results mean nothing.
  if (llvm::any_of(launches, [](const PreparedLaunch &launch) { return launch.stuck.has_value(); }))
    return success();
  llvm::MapVector<Operation *, Unwritten> read;
  for (const PreparedLaunch &launch : launches)
    for (Unwritten one : launch.unwritten)
      if (!one.passedOver)
        read.insert({one.alloc.getOperation(), one});
  if (read.empty())
    return success();
  const std::vector<Interpreter::Fill> fills = fillsFor(oracle.getProgram());
  for (const auto &[alloc, first] : read)
    for (const Interpreter::Fill &fill : fills)
      if (failed(compareWith(*oracle.withNumbersIn(first.alloc, fill), launches, first)))
        return failure();
  return success();
}

static std::string nameOf(Location location) {
  auto name = dyn_cast<NameLoc>(location);
  return name ? "%" + name.getName().str() : "its buffer";
}

/// `%b[0, 3]` on its rank, and how many more there are.
static void report(ProgramOp program, const PreparedLaunch &launch, size_t rank, unsigned argument, size_t number) {
  const Undetermined &found = launch.undetermined[rank][argument];
  AllocOp alloc = found.from.alloc;
  auto first = std::distance(found.elements.begin(), llvm::find(found.elements, true));
  InFlightDiagnostic warning = mlir::emitWarning(alloc.getLoc())
                               << "undetermined: nobody writes " << nameOf(alloc.getLoc()) << "[";
  llvm::interleaveComma(found.from.element, warning);
  warning << "] of rank " << found.from.rank << " before it is read in launch " << number << "; elements of %"
          << argumentName(program.getArguments()[argument]) << " on rank " << rank
          << " that depend on what is not written: " << llvm::count(found.elements, true) << ", the first "
          << coordinates(launch.after[rank][argument], first);
}

bool tilec::reportUndetermined(ProgramOp program, ArrayRef<PreparedLaunch> launches) {
  llvm::SmallPtrSet<Operation *, 4> reported;
  for (auto [number, launch] : llvm::enumerate(launches))
    for (auto [rank, arguments] : llvm::enumerate(launch.undetermined))
      for (auto [argument, found] : llvm::enumerate(arguments)) {
        AllocOp alloc = found.from.alloc;
        if (!found.elements.empty() && reported.insert(alloc).second)
          report(program, launch, rank, argument, number);
      }
  return !reported.empty();
}

std::string tilec::excuseUnwritten(ArrayRef<PreparedLaunch> launches, int64_t rank, StringRef scratch) {
  bool isRead = false, isPassedOver = false, reachesResults = false;
  for (const PreparedLaunch &launch : launches) {
    if (launch.stuck)
      return "";
    reachesResults |= !launch.undetermined.empty() && llvm::any_of(launch.undetermined, [](const auto &ofRank) {
      return llvm::any_of(ofRank, [](const Undetermined &found) { return !found.elements.empty(); });
    });
    for (const Unwritten &read : launch.unwritten) {
      auto name = dyn_cast<NameLoc>(AllocOp(read.alloc).getLoc());
      if (read.rank == rank && name && legalName(name.getName()) == scratch)
        (read.passedOver ? isPassedOver : isRead) = true;
    }
  }
  if (!isRead && isPassedOver)
    return "a product takes whole tiles of it: rows behind those in use reach no result";
  if (!isRead)
    return "";
  return std::string("the program itself reads what nobody wrote of it: ") +
         (reachesResults ? "results that depend on that are undetermined" : "no result depends on that");
}
