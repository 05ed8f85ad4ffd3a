// How small and how great an index gets in any task of a launch: expressions over (W, extents), with W as a number.
// Reads arithmetic alone; which launches a program takes is not asked here.
#pragma once

#include "dialect/Tile.h"

namespace tilec::checker {

/// Where a value exists, it is no less than the least of `low` and no greater than the greatest of `high`.
struct IndexRange {
  using Ends = llvm::SmallVector<mlir::AffineExpr, 2>;
  Ends low, high;

  bool isNonNegative() const;
  /// Of one number for all launches.
  std::optional<int64_t> number() const;
};

/// For all extents of 0 or more, as far as its form shows.
bool isNonNegative(mlir::AffineExpr expression);
/// The least and the greatest value with extents that an int holds. Nothing where 64 bits may not hold it.
std::optional<std::pair<int64_t, int64_t>> valuesOf(mlir::AffineExpr expression);

class IndexRanges {
public:
  using Known = std::optional<IndexRange>;
  /// Of each sum, difference and product that an expression is computed by.
  using Visit = llvm::function_ref<void(const Known &)>;

  explicit IndexRanges(tile::ProgramOp program) : program(program) {}

  /// Nothing where no bound is known.
  Known of(mlir::Value value);
  /// An expression whose symbol 0 is the world, the others operands.
  Known ofExpression(mlir::AffineExpr expression, mlir::ValueRange operands, Visit visit);
  Known ofExpression(mlir::AffineExpr expression, mlir::ValueRange operands) {
    return ofExpression(expression, operands, [](const Known &) {});
  }
  /// Whether an integer, and each that it is made of, has the bits for what arithmetic on indices makes: whatever the
  /// extents are, none of them wraps.
  bool isExact(mlir::Value value);
  /// What the index of a loop becomes at its end.
  Known behind(mlir::scf::ForOp loop);

private:
  Known point(int64_t value);
  Known between(int64_t low, int64_t high);
  Known compute(mlir::Value value);
  Known computeOp(mlir::Operation *op);
  Known computeBinary(mlir::Operation *op, const Known &left, const Known &right);
  Known ofStructure(mlir::OpResult value);
  Known ofArgument(mlir::BlockArgument argument);
  Known ofTask(tile::ForallOp tasks, unsigned dim);
  Known ofCarried(mlir::scf::ForOp loop, unsigned number);
  Known ofSize(mlir::Value buffer, unsigned dim);
  Known ofCast(mlir::Operation *op);
  Known fitted(Known range, mlir::Type type);
  Known anyOf(mlir::Type type);
  bool hasBits(mlir::Value value);

  tile::ProgramOp program;
  llvm::DenseMap<mlir::Value, Known> ranges;
  llvm::DenseMap<mlir::Value, bool> exact;
};

} // namespace tilec::checker
