// Conditions on extents, and the search for extents that satisfy them.
#include "dialect/Conditions.h"
#include "dialect/Limits.h"
#include "dialect/Relations.h"
#include "dialect/Strides.h"
#include "dialect/Tile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec::tile;

/// Adds the terms of a sum to one of two sums, so that neither subtracts.
static void split(AffineExpr expression, AffineExpr &added, AffineExpr &subtracted) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (binary && binary.getKind() == AffineExprKind::Add) {
    split(binary.getLHS(), added, subtracted);
    split(binary.getRHS(), added, subtracted);
    return;
  }
  bool product = binary && binary.getKind() == AffineExprKind::Mul;
  auto factor = dyn_cast<AffineConstantExpr>(product ? binary.getRHS() : expression);
  bool negative = factor && factor.getValue() < 0;
  AffineExpr &sum = negative ? subtracted : added;
  sum = sum + (negative ? expression * -1 : expression);
}

Condition Condition::of(AffineExpr constraint, bool isEquality) {
  AffineExpr zero = getAffineConstantExpr(0, constraint.getContext()), added = zero, subtracted = zero;
  split(constraint, added, subtracted);
  if (!isEquality)
    return {subtracted, added, false};
  // A number stands on the right.
  return isa<AffineConstantExpr>(added) ? Condition{subtracted, added, true} : Condition{added, subtracted, true};
}

AffineExpr Condition::constraint() const { return isEquality ? left - right : right - left; }

SmallVector<Condition> tilec::tile::conditionsOf(ProgramOp program) {
  SmallVector<Condition> conditions;
  if (std::optional<IntegerSet> set = program.getConditions())
    for (auto [constraint, isEquality] : llvm::zip(set->getConstraints(), set->getEqFlags()))
      conditions.push_back(Condition::of(constraint, isEquality));
  return conditions;
}

IntegerSet tilec::tile::setOf(ArrayRef<Condition> conditions, unsigned symbols) {
  SmallVector<AffineExpr> constraints;
  SmallVector<bool> equalities;
  for (const Condition &condition : conditions) {
    constraints.push_back(condition.constraint());
    equalities.push_back(condition.isEquality);
  }
  return conditions.empty() ? IntegerSet() : IntegerSet::get(0, symbols, constraints, equalities);
}

std::string tilec::tile::describe(ProgramOp program, const Condition &condition) {
  return describeExtent(program, condition.left) + (condition.isEquality ? " == " : " <= ") +
         describeExtent(program, condition.right);
}

std::optional<int64_t> tilec::tile::valueOf(AffineExpr expression, int64_t world, ArrayRef<int64_t> extents) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return constant.getValue();
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression)) {
    unsigned position = symbol.getPosition();
    return position == 0 ? world : position <= extents.size() ? std::optional(extents[position - 1]) : std::nullopt;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  std::optional<int64_t> left = binary ? valueOf(binary.getLHS(), world, extents) : std::nullopt,
                         right = left ? valueOf(binary.getRHS(), world, extents) : std::nullopt;
  if (!right)
    return std::nullopt;
  int64_t result = 0;
  switch (expression.getKind()) {
  case AffineExprKind::Add:
    return __builtin_add_overflow(*left, *right, &result) ? std::nullopt : std::optional(result);
  case AffineExprKind::Mul:
    return __builtin_mul_overflow(*left, *right, &result) ? std::nullopt : std::optional(result);
  default:
    if (*right <= 0)
      return std::nullopt;
    return expression.getKind() == AffineExprKind::Mod        ? llvm::mod(*left, *right)
           : expression.getKind() == AffineExprKind::FloorDiv ? llvm::divideFloorSigned(*left, *right)
                                                              : llvm::divideCeilSigned(*left, *right);
  }
}

static bool holds(const Condition &condition, int64_t world, ArrayRef<int64_t> extents) {
  std::optional<int64_t> left = valueOf(condition.left, world, extents),
                         right = valueOf(condition.right, world, extents);
  return left && right && (condition.isEquality ? *left == *right : *left <= *right);
}

bool tilec::tile::satisfies(ProgramOp program, int64_t world, ArrayRef<int64_t> extents) {
  return llvm::all_of(conditionsOf(program), [&](const Condition &it) { return holds(it, world, extents); });
}

bool tilec::tile::isLaunchable(ProgramOp program, int64_t world, ArrayRef<int64_t> extents) {
  return satisfies(program, world, extents) && lieApart(program, world, extents);
}

InFlightDiagnostic tilec::tile::emitBroken(ProgramOp program, const Condition &condition, int64_t world,
                                           ArrayRef<int64_t> extents) {
  InFlightDiagnostic diagnostic = mlir::emitError(program.getLoc())
                                  << "extents break the condition '" << describe(program, condition) << "': got ";
  AffineExpr constraint = condition.constraint();
  const char *separator = "";
  for (auto [i, value] : llvm::enumerate(extents))
    if (constraint.isFunctionOfSymbol(1 + i)) {
      diagnostic << separator << describeExtent(program, getAffineSymbolExpr(1 + i, program.getContext())) << " = "
                 << value;
      separator = ", ";
    }
  if (constraint.isFunctionOfSymbol(0))
    diagnostic << separator << "W = " << world;
  return diagnostic;
}

InFlightDiagnostic tilec::tile::emitNotFound(ProgramOp program, int64_t world, ArrayRef<int64_t> extents) {
  SmallVector<std::string> broken;
  for (const Condition &condition : conditionsOf(program)) {
    if (holds(condition, world, extents))
      continue;
    auto asksOf = [&](unsigned extent) { return condition.constraint().isFunctionOfSymbol(1 + extent); };
    if (llvm::none_of(llvm::seq<unsigned>(0, extents.size()), asksOf))
      return emitBroken(program, condition, world, extents);
    broken.push_back("'" + describe(program, condition) + "'");
  }
  InFlightDiagnostic diagnostic = mlir::emitError(program.getLoc())
                                  << "no extents to try the program with were found that meet "
                                  << llvm::join(broken, " and ");
  std::string names;
  for (BlockArgument extent : program.getExtents())
    if (auto name = dyn_cast<NameLoc>(extent.getLoc()))
      names += (names.empty() ? "" : ",") + name.getName().str() + "=..";
  diagnostic << "; name some with --extent " << names;
  return diagnostic;
}

LogicalResult tilec::tile::verifyLaunchable(ProgramOp program, int64_t world, ArrayRef<int64_t> extents) {
  for (const Condition &condition : conditionsOf(program))
    if (!holds(condition, world, extents))
      return emitBroken(program, condition, world, extents);
  return verifyApart(program, world, extents);
}

namespace {

/// Moves extents until the conditions hold.
class Repair {
public:
  Repair(ProgramOp program, int64_t world, MutableArrayRef<int64_t> extents, function_ref<bool(unsigned)> given)
      : program(program), world(world), extents(extents), given(given), conditions(conditionsOf(program)) {}

  void run() {
    // What one condition needs may break another; few rounds settle what can be settled.
    for (size_t round = 0; round < 4 * conditions.size(); ++round) {
      auto *broken = llvm::find_if_not(conditions, [&](const Condition &it) { return holds(it, world, extents); });
      if (broken == conditions.end())
        return;
      // A launch without elements is no example of others: only what nothing else satisfies becomes 0.
      bool mended = mend(*broken, /*alone=*/true, /*least=*/1) || mend(*broken, /*alone=*/false, /*least=*/1) ||
                    mend(*broken, /*alone=*/false, /*least=*/0);
      if (!mended)
        return tryTogether();
    }
    if (countBroken() > 0)
      tryTogether();
  }

private:
  /// Small values of two extents at once, where no one alone meets the conditions.
  void tryTogether() {
    constexpr int64_t greatest = 128;
    SmallVector<unsigned> open;
    for (unsigned i = 0; i < extents.size(); ++i)
      if (!given(i) &&
          llvm::any_of(conditions, [&](const Condition &it) { return it.constraint().isFunctionOfSymbol(1 + i); }))
        open.push_back(i);
    if (open.size() != 2)
      return;
    const SmallVector<int64_t> old(extents);
    for (int64_t least : {1, 0})
      for (extents[open[0]] = least; extents[open[0]] <= greatest; ++extents[open[0]])
        for (extents[open[1]] = least; extents[open[1]] <= greatest; ++extents[open[1]])
          if (countBroken() == 0 && lieApart(program, world, extents))
            return;
    llvm::copy(old, extents.begin());
  }

  size_t countBroken() {
    return llvm::count_if(conditions, [&](const Condition &it) { return !holds(it, world, extents); });
  }

  /// Makes a condition hold; with `alone`, only by what breaks no other.
  bool mend(const Condition &condition, bool alone, int64_t leastValue) {
    fewer = alone;
    least = leastValue;
    before = countBroken();
    apart = lieApart(program, world, extents);
    AffineExpr constraint = condition.constraint();
    SmallVector<unsigned> open;
    for (unsigned i = 0; i < extents.size(); ++i)
      if (!given(i) && constraint.isFunctionOfSymbol(1 + i))
        open.push_back(i);
    for (unsigned i : open)
      if (std::optional<int64_t> value = solve(constraint, i); value && accept(condition, i, *value))
        return true;
    for (unsigned i : open)
      if (std::optional<int64_t> value = bisect(constraint, i); value && accept(condition, i, *value))
        return true;
    // Beyond it a program would take long to run.
    constexpr int64_t farthest = 8192;
    for (int64_t distance = 1; distance <= farthest; ++distance)
      for (unsigned i : open)
        if (accept(condition, i, extents[i] + distance) || accept(condition, i, extents[i] - distance))
          return true;
    return false;
  }

  /// The value of an extent for which a constraint would be 0 if it were linear in it.
  std::optional<int64_t> solve(AffineExpr constraint, unsigned extent) {
    SmallVector<int64_t> next(extents);
    ++next[extent];
    std::optional<int64_t> here = valueOf(constraint, world, extents), there = valueOf(constraint, world, next);
    if (!here || !there || *here == *there)
      return std::nullopt;
    return extents[extent] - *here / (*there - *here);
  }

  /// The least value of an extent at which a constraint that grows or falls with it has passed 0.
  std::optional<int64_t> bisect(AffineExpr constraint, unsigned extent) {
    SmallVector<int64_t> tried(extents);
    auto signAt = [&](int64_t value) -> std::optional<bool> {
      tried[extent] = value;
      std::optional<int64_t> result = valueOf(constraint, world, tried);
      return result ? std::optional(*result >= 0) : std::nullopt;
    };
    int64_t low = 0, high = kLargestExtent;
    std::optional<bool> below = signAt(low), above = signAt(high);
    if (!below || !above || *below == *above)
      return std::nullopt;
    while (high - low > 1) {
      const int64_t middle = low + (high - low) / 2;
      std::optional<bool> here = signAt(middle);
      if (!here)
        return std::nullopt;
      (*here == *below ? low : high) = middle;
    }
    return *above ? high : low;
  }

  bool accept(const Condition &condition, unsigned extent, int64_t value) {
    int64_t old = extents[extent];
    if (value < std::min(old, least) || value > kLargestExtent)
      return false;
    extents[extent] = value;
    if (holds(condition, world, extents) && (!fewer || countBroken() < before) &&
        (!apart || lieApart(program, world, extents)))
      return true;
    extents[extent] = old;
    return false;
  }

  ProgramOp program;
  int64_t world;
  MutableArrayRef<int64_t> extents;
  function_ref<bool(unsigned)> given;
  SmallVector<Condition> conditions;
  size_t before = 0;
  int64_t least = 0;
  bool fewer = false, apart = false;
};

} // namespace

void tilec::tile::makeLaunchable(ProgramOp program, int64_t world, MutableArrayRef<int64_t> extents,
                                 function_ref<bool(unsigned)> given, int64_t unlike) {
  separateElements(program, world, extents, given, unlike);
  Repair(program, world, extents, given).run();
}

/// True where a condition says that `divisor` divides `number`, or a sum of which it is a term.
static bool divides(ArrayRef<Condition> conditions, AffineExpr divisor, AffineExpr number) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(number);
  if (binary && binary.getKind() == AffineExprKind::Add)
    return divides(conditions, divisor, binary.getLHS()) && divides(conditions, divisor, binary.getRHS());
  if (binary && binary.getKind() == AffineExprKind::Mul &&
      (binary.getLHS() == divisor || binary.getRHS() == divisor || divides(conditions, divisor, binary.getLHS())))
    return true;
  auto constant = dyn_cast<AffineConstantExpr>(divisor);
  if (constant && constant.getValue() > 0 && number.isMultipleOf(constant.getValue()))
    return true;
  return llvm::any_of(conditions, [&](const Condition &condition) {
    auto remainder = dyn_cast<AffineBinaryOpExpr>(condition.left);
    auto zero = dyn_cast<AffineConstantExpr>(condition.right);
    if (!condition.isEquality || !zero || zero.getValue() != 0 || !remainder ||
        remainder.getKind() != AffineExprKind::Mod || remainder.getLHS() != number)
      return false;
    auto modulus = dyn_cast<AffineConstantExpr>(remainder.getRHS());
    return remainder.getRHS() == divisor ||
           (modulus && constant && constant.getValue() > 0 && modulus.getValue() % constant.getValue() == 0);
  });
}

AffineExpr tilec::tile::simplifyUnder(ArrayRef<Condition> conditions, AffineExpr expression) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary || conditions.empty())
    return expression;
  AffineExpr left = simplifyUnder(conditions, binary.getLHS()), right = simplifyUnder(conditions, binary.getRHS());
  auto quotient = dyn_cast<AffineBinaryOpExpr>(left);
  switch (expression.getKind()) {
  case AffineExprKind::Add:
    return left + right;
  case AffineExprKind::Mul:
    if (quotient && quotient.getKind() == AffineExprKind::FloorDiv && quotient.getRHS() == right &&
        divides(conditions, right, quotient.getLHS()))
      return quotient.getLHS();
    return left * right;
  case AffineExprKind::Mod:
    return divides(conditions, right, left) ? getAffineConstantExpr(0, expression.getContext()) : left % right;
  case AffineExprKind::CeilDiv:
    return divides(conditions, right, left) ? left.floorDiv(right) : left.ceilDiv(right);
  default:
    return left.floorDiv(right);
  }
}
