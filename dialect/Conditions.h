// Which extents a launch may have: the conditions of a program's header, and extents that satisfy them.
// Belongs here: stating, evaluating and satisfying conditions. Does not: what follows from them for one op.
#pragma once

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IntegerSet.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/LogicalResult.h"

#include <optional>
#include <string>

namespace tilec::tile {
class ProgramOp;

/// `left == right` or `left <= right`, over the symbols (W, extents of the program...), without subtractions.
struct Condition {
  mlir::AffineExpr left, right;
  bool isEquality = true;

  /// The condition that a constraint of an integer set states.
  static Condition of(mlir::AffineExpr constraint, bool isEquality);
  /// At least 0 where the condition holds; 0 where it is an equality.
  mlir::AffineExpr constraint() const;
};

llvm::SmallVector<Condition> conditionsOf(ProgramOp program);
/// The set of `symbols` symbols in which all of the conditions hold; null for none.
mlir::IntegerSet setOf(llvm::ArrayRef<Condition> conditions, unsigned symbols);
/// As the author would write it: `%M mod W == 0`.
std::string describe(ProgramOp program, const Condition &condition);

/// The value of an expression over (W, extents); nothing where it has none in 64 bits, as a division by 0.
std::optional<int64_t> valueOf(mlir::AffineExpr expression, int64_t world, llvm::ArrayRef<int64_t> extents);
/// Whether a launch with these extents keeps all conditions.
bool satisfies(ProgramOp program, int64_t world, llvm::ArrayRef<int64_t> extents);
/// Whether a launch may have these extents: the conditions hold, and elements of arguments lie apart. Reports the first
/// that does not.
llvm::LogicalResult verifyLaunchable(ProgramOp program, int64_t world, llvm::ArrayRef<int64_t> extents);
/// An error where no extents meet the conditions: it names those that contradict each other.
llvm::LogicalResult verifySatisfiable(ProgramOp program);
/// The same as `verifyLaunchable` without a report.
bool isLaunchable(ProgramOp program, int64_t world, llvm::ArrayRef<int64_t> extents);
/// Reports a condition that these extents break.
mlir::InFlightDiagnostic emitBroken(ProgramOp program, const Condition &condition, int64_t world,
                                    llvm::ArrayRef<int64_t> extents);

/// Reports a condition that none of the extents meets which were looked at.
mlir::InFlightDiagnostic emitNotFound(ProgramOp program, int64_t world, llvm::ArrayRef<int64_t> extents);

/// Changes extents that are not `given` such that a launch may have them, where it can: as `separateElements` does, and
/// by as little as the conditions ask for.
void makeLaunchable(ProgramOp program, int64_t world, llvm::MutableArrayRef<int64_t> extents,
                    llvm::function_ref<bool(unsigned)> given, int64_t unlike = 0);

/// An expression over (W, extents) that the conditions make simpler: of a number that W divides, quotients have no
/// remainder.
mlir::AffineExpr simplifyUnder(llvm::ArrayRef<Condition> conditions, mlir::AffineExpr expression);

} // namespace tilec::tile
