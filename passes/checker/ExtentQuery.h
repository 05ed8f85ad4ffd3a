// Whether some extents, ranks, tasks and iterations solve linear constraints, and the least such extents: by integer
// programming in MLIR's Presburger library. What is asked comes from AllExtents and Outcomes.
#pragma once

#include "dialect/Conditions.h"
#include "passes/checker/IndexCase.h"
#include "passes/checker/ZeroExtents.h"

namespace tilec::checker {

/// Each of these is at least 0.
using Breach = llvm::SmallVector<Linear, 2>;
using Breaches = llvm::SmallVector<Breach>;

class ExtentQuery {
public:
  /// Over all extents of 0 or more, but those of which all of a set of `nonzero` are 0: the runtime refuses these.
  ExtentQuery(tile::ProgramOp program, llvm::ArrayRef<NonzeroExtents> nonzero);

  enum class Answer { Never, Sometimes, Unknown };
  using Claim = llvm::function_ref<Breaches(IndexCase &)>;

  /// Whether one of the breaches of a case has a solution. `inContext`: within the tasks, iterations and branches in
  /// which `op` stands; without, a solution proves nothing and the answer is `Unknown`.
  Answer ask(mlir::Operation *op, Claim claim, bool inContext,
             IndexCase::Products products = IndexCase::Products::ByCase);

  /// From here on `Never` is answered where no fractions are a solution either, and `Unknown` else: no extents are
  /// searched for.
  void askWhetherNever() { isRational = true; }

  /// After `Sometimes`: the least extents, one after the other, of a solution.
  llvm::ArrayRef<int64_t> extents() const { return found; }
  /// And what a value is in that solution.
  int64_t valueOf(const Linear &value) const;

  /// In this case no set of `nonzero` is 0.
  void limitExtents(IndexCase &at, Choices &choices);
  /// Makes one extent after the other, which are the first variables, as small as the rest allows, starting from a
  /// solution.
  llvm::SmallVector<int64_t> least(mlir::presburger::IntegerPolyhedron set, llvm::ArrayRef<llvm::DynamicAPInt> point);

private:
  Answer solve(const IndexCase &at, const Breach &breach);

  tile::ProgramOp program;
  llvm::ArrayRef<NonzeroExtents> nonzero;
  llvm::SmallVector<tile::Condition> conditions; ///< of the header, where they are affine: a launch keeps them
  bool allPositive = false, inContext = false, isRational = false;
  unsigned queries = 0;
  llvm::SmallVector<int64_t> found, solution; ///< the extents, and all variables
};

} // namespace tilec::checker
