// Integer programs over one case after the other.
#include "passes/checker/ExtentQuery.h"
#include "dialect/Limits.h"

#include "mlir/Analysis/Presburger/Simplex.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;
using presburger::IntegerPolyhedron;

/// Where an index has more cases, or a case more variables, nothing is proven.
static constexpr unsigned kMostCases = 2048;
static constexpr unsigned kMostVariables = 32;
/// Simplex runs for one program.
static constexpr unsigned kMostQueries = 20000;
/// An extent is an int of the text.

ExtentQuery::ExtentQuery(tile::ProgramOp program, ArrayRef<NonzeroExtents> nonzero)
    : program(program), nonzero(nonzero) {
  unsigned combinations = 1;
  for (const NonzeroExtents &set : nonzero)
    combinations = llvm::SaturatingMultiply<unsigned>(combinations, set.size());
  allPositive = combinations > 16;
  AffineExpr world = getAffineConstantExpr(program.getWorld().value_or(1), program.getContext());
  for (const tile::Condition &condition : tile::conditionsOf(program)) {
    auto ofWorld = [&](AffineExpr side) { return side.replace(getAffineSymbolExpr(0, program.getContext()), world); };
    AffineExpr left = ofWorld(condition.left), right = ofWorld(condition.right);
    if (left.isPureAffine() && right.isPureAffine())
      conditions.push_back({left, right, condition.isEquality});
  }
}

ExtentQuery::Answer ExtentQuery::ask(Operation *op, Claim claim, bool context, IndexCase::Products products) {
  inContext = context;
  Choices choices;
  Answer answer = Answer::Never;
  unsigned cases = 0;
  do {
    if (++cases > kMostCases)
      return Answer::Unknown;
    IndexCase at(program, choices, products);
    limitExtents(at, choices);
    if (inContext)
      at.assumeReached(op);
    Breaches breaches = claim(at);
    if (at.numVariables() > kMostVariables)
      return Answer::Unknown;
    for (const Breach &breach : breaches) {
      Answer next = solve(at, breach);
      if (next == Answer::Sometimes)
        return next;
      if (next == Answer::Unknown)
        answer = next;
    }
    if (answer == Answer::Unknown && (!inContext || isRational))
      return answer;
  } while (choices.next());
  return answer;
}

void ExtentQuery::limitExtents(IndexCase &at, Choices &choices) {
  for (const tile::Condition &condition : conditions) {
    auto map = AffineMap::get(0, 1 + program.getNumExtents(), {condition.left, condition.right}, program.getContext());
    SmallVector<Linear> sides = at.expressions(map, program.getExtents());
    at.assumeNonNegative(sides[1] - sides[0]);
    if (condition.isEquality)
      at.assumeNonNegative(sides[0] - sides[1]);
  }
  if (allPositive)
    for (BlockArgument extent : program.getExtents())
      at.assumeNonNegative(at.valueOf(extent) - Linear(1));
  for (const NonzeroExtents &set : nonzero)
    if (!allPositive)
      at.assumeNonNegative(at.valueOf(program.getExtents()[set[choices.choose(set.size())]]) - Linear(1));
}

static void add(IntegerPolyhedron &set, const Linear &value) {
  SmallVector<int64_t, 8> row(value.coefficients);
  row.resize(set.getNumVars(), 0);
  row.push_back(value.constant);
  set.addInequality(row);
}

ExtentQuery::Answer ExtentQuery::solve(const IndexCase &at, const Breach &breach) {
  if (llvm::any_of(breach, [&](const Linear &value) { return at.isNonNegative(Linear(-1) - value); }))
    return Answer::Never;
  if (++queries > kMostQueries)
    return Answer::Unknown;
  IntegerPolyhedron set = at.constraints();
  for (const Linear &value : breach)
    add(set, value);
  if (presburger::Simplex(set).isEmpty())
    return Answer::Never;
  if (!inContext || isRational)
    return Answer::Unknown;
  for (unsigned i = 0; i < program.getNumExtents(); ++i)
    add(set, Linear(tile::kLargestExtent) - Linear::variable(i));
  // Without a solution among the integers there is none, however inexact the case.
  std::optional<SmallVector<llvm::DynamicAPInt, 8>> point = set.findIntegerSample();
  if (!point)
    return Answer::Never;
  if (!at.isExact())
    return Answer::Unknown;
  found = least(std::move(set), *point);
  return Answer::Sometimes;
}

SmallVector<int64_t> ExtentQuery::least(IntegerPolyhedron set, ArrayRef<llvm::DynamicAPInt> point) {
  SmallVector<llvm::DynamicAPInt, 8> best(point);
  SmallVector<int64_t> extents;
  for (unsigned i = 0; i < program.getNumExtents(); ++i) {
    int64_t low = 0, high = llvm::int64fromDynamicAPInt(best[i]);
    // Mostly small, however large the first solution is: in growing steps from below.
    for (int64_t step = 0; low < high; step = 2 * step + 1) {
      int64_t middle = low + std::min(step, (high - low) / 2);
      IntegerPolyhedron half(set);
      add(half, Linear(middle) - Linear::variable(i));
      if (auto smaller = half.findIntegerSample()) {
        best = *smaller;
        high = llvm::int64fromDynamicAPInt(best[i]);
      } else {
        low = middle + 1;
      }
    }
    extents.push_back(low);
    add(set, Linear(low) - Linear::variable(i));
  }
  solution =
      llvm::map_to_vector(best, [](const llvm::DynamicAPInt &value) { return llvm::int64fromDynamicAPInt(value); });
  return extents;
}

int64_t ExtentQuery::valueOf(const Linear &value) const {
  int64_t result = value.constant;
  for (auto [factor, variable] : llvm::zip(value.coefficients, solution))
    result += factor * variable;
  return result;
}
