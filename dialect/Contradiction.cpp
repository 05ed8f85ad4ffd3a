// Conditions of a header that no extents meet.
#include "dialect/Conditions.h"
#include "dialect/Tile.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"

using namespace mlir;
using namespace tilec::tile;

/// Whether some extents of 0 or more, and a number of ranks, meet all of these.
static bool canHold(ProgramOp program, ArrayRef<Condition> conditions) {
  MLIRContext *context = program.getContext();
  const unsigned symbols = 1 + program.getNumExtents();
  AffineExpr ranks = getAffineSymbolExpr(0, context);
  SmallVector<AffineExpr> constraints{ranks - static_cast<int64_t>(program.getWorld().value_or(1))};
  SmallVector<bool> equalities{program.getWorld().has_value()};
  auto add = [&](AffineExpr constraint, bool isEquality) {
    constraints.push_back(constraint);
    equalities.push_back(isEquality);
  };
  for (unsigned i = 1; i < symbols; ++i)
    add(getAffineSymbolExpr(i, context), false);
  for (const Condition &condition : conditions)
    add(condition.constraint(), condition.isEquality);
  IntegerSet set = IntegerSet::get(0, symbols, constraints, equalities);
  return FlatLinearValueConstraints(set).findIntegerSample().has_value();
}

LogicalResult tilec::tile::verifySatisfiable(ProgramOp program) {
  // Of others, as those with a quotient by an extent, nothing is known.
  SmallVector<Condition> needed = llvm::filter_to_vector(
      conditionsOf(program), [](const Condition &condition) { return condition.constraint().isPureAffine(); });
  if (needed.empty() || canHold(program, needed))
    return success();
  // Those that contradict each other: without any of them the others can hold.
  for (size_t i = 0; i < needed.size();) {
    SmallVector<Condition> others(needed);
    others.erase(others.begin() + i);
    if (canHold(program, others))
      ++i;
    else
      needed = others;
  }
  SmallVector<std::string> texts =
      llvm::map_to_vector(needed, [&](const Condition &condition) { return "'" + describe(program, condition) + "'"; });
  InFlightDiagnostic diagnostic = program.emitOpError()
                                  << "takes no launch: no extents meet " << llvm::join(texts, " and ");
  if (program.getWorld())
    diagnostic << " with W = " << *program.getWorld();
  return diagnostic;
}
