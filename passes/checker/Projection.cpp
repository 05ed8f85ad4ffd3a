// One variable after the other, first the one that leaves the fewest constraints.
#include "passes/checker/Projection.h"

#include "mlir/Analysis/Presburger/Simplex.h"
#include "mlir/Analysis/Presburger/Utils.h"

using namespace mlir;
using namespace tilec;
using llvm::DynamicAPInt;
using presburger::IntegerPolyhedron;

namespace {

/// Constraints that one step may leave. With more, what comes behind takes longer than the variable would.
constexpr unsigned kMostConstraints = 16;

struct Shadow : IntegerPolyhedron {
  Shadow(const IntegerPolyhedron &set) : IntegerPolyhedron(set) {}
  using IntegerPolyhedron::fourierMotzkinEliminate;
};

unsigned constraintsWithout(const IntegerPolyhedron &set, unsigned variable) {
  unsigned lower = 0, upper = 0, others = 0;
  for (unsigned row = 0; row < set.getNumInequalities(); ++row) {
    DynamicAPInt coefficient = set.atIneq(row, variable);
    ++(coefficient > 0 ? lower : coefficient < 0 ? upper : others);
  }
  return others + lower * upper;
}

/// True when every solution of `set` solves the constraint.
bool implies(const IntegerPolyhedron &set, ArrayRef<DynamicAPInt> constraint) {
  SmallVector<DynamicAPInt> contrary = presburger::getComplementIneq(constraint);
  IntegerPolyhedron broken(set);
  broken.addInequality(contrary);
  return presburger::Simplex(broken).isEmpty();
}

/// The constraint that each integer solution of the others must solve to have an integer between a lower and an upper
/// bound of the variable: a * x + l >= 0 and b * x <= u leave a * u + b * l >= (a - 1) * (b - 1). The variable is left
/// out of it. (The library's dark shadow adds what has to be subtracted.)
SmallVector<DynamicAPInt> darkShadow(ArrayRef<DynamicAPInt> lower, ArrayRef<DynamicAPInt> upper, unsigned variable) {
  DynamicAPInt a = lower[variable], b = -upper[variable];
  SmallVector<DynamicAPInt> sum;
  for (auto [column, l, u] : llvm::enumerate(lower, upper))
    if (column != variable)
      sum.push_back(a * u + b * l);
  sum.back() -= (a - 1) * (b - 1);
  return sum;
}

/// The set without a variable, where that is exact.
std::optional<IntegerPolyhedron> without(const IntegerPolyhedron &set, unsigned variable) {
  Shadow shadow(set);
  shadow.fourierMotzkinEliminate(variable);
  for (unsigned lower = 0; lower < set.getNumInequalities(); ++lower)
    for (unsigned upper = 0; upper < set.getNumInequalities(); ++upper)
      if (set.atIneq(lower, variable) > 1 && set.atIneq(upper, variable) < -1 &&
          !implies(shadow, darkShadow(set.getInequality(lower), set.getInequality(upper), variable)))
        return std::nullopt;
  return IntegerPolyhedron(shadow);
}

} // namespace

void checker::eliminateExactly(IntegerPolyhedron &set, unsigned first) {
  assert(set.getNumEqualities() == 0 && "of an equality by Gauss, which loses what it divides by");
  const unsigned few = set.getNumInequalities();
  llvm::SmallDenseSet<unsigned> kept; // tried in vain since a variable last went
  while (true) {
    std::optional<unsigned> next;
    for (unsigned variable = first; variable < set.getNumVars(); ++variable)
      if (!kept.contains(variable) && (!next || constraintsWithout(set, variable) < constraintsWithout(set, *next)))
        next = variable;
    if (!next || constraintsWithout(set, *next) > set.getNumInequalities() + kMostConstraints)
      return;
    if (std::optional<IntegerPolyhedron> rest = without(set, *next)) {
      set = *rest;
      // A step that leaves no more than there were needs no simplex.
      if (set.getNumInequalities() > few)
        set.removeRedundantConstraints();
      kept.clear();
    } else {
      kept.insert(*next);
    }
  }
}
