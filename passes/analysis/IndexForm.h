// Index values as linear forms: what footprints are made of. Recognises structure; changes no IR.
#pragma once

#include "dialect/Tile.h"

#include <functional>

namespace tilec {

/// constant + sum of coefficient * variable. Coefficients and the constant are expressions over the extents of the
/// program (symbol i is extent i); variables are values that are no such expression: indices of tile loops, induction
/// variables, the rank, results of operations that are not linear.
struct IndexForm {
  llvm::SmallVector<std::pair<mlir::Value, mlir::AffineExpr>> terms;
  mlir::AffineExpr constant;

  static IndexForm of(mlir::Value value);
  static IndexForm of(mlir::OpFoldResult value, mlir::MLIRContext *context);
  static IndexForm of(mlir::AffineExpr constant) { return {{}, constant}; }
  static IndexForm of(int64_t constant, mlir::MLIRContext *context);

  /// A form that is at least the value: of a minimum, the operand that is a constant.
  static IndexForm above(mlir::Value value);

  IndexForm operator+(const IndexForm &other) const;
  IndexForm operator-(const IndexForm &other) const;
  IndexForm operator*(mlir::AffineExpr factor) const;
  bool operator==(const IndexForm &other) const;

  /// Coefficient of a variable; null when it does not occur.
  mlir::AffineExpr coefficient(mlir::Value variable) const;
  /// The form without a variable.
  IndexForm without(mlir::Value variable) const;
  /// The form with a variable replaced by another form.
  IndexForm substitute(mlir::Value variable, const IndexForm &by) const;
  bool isConstant() const { return terms.empty(); }

  /// Emits the value; extents become one `tile.extent` of the whole constant part.
  mlir::Value materialize(mlir::OpBuilder &builder, mlir::Location loc) const;
};

/// Over the extents, what a loop of step 1 passes at most: up to its end, or to one of those of which that is the
/// least (`%begin to min(%begin + %share, %all)`). Nothing where each depends on more than the extents.
std::optional<mlir::AffineExpr> mostTrips(mlir::scf::ForOp loop);

/// Forms of values, each made once. An integer that was converted to 32 bits or more is taken for what it was converted
/// from: exact as long as all values fit their types. One of fewer bits is where `isExact` says so. No operation may be
/// changed meanwhile.
class FormsThroughCasts {
public:
  using IsExact = std::function<bool(mlir::Value)>;

  explicit FormsThroughCasts(IsExact isExact = [](mlir::Value) { return false; }) : isExact(std::move(isExact)) {}
  const IndexForm &of(mlir::Value value);

private:
  IsExact isExact;
  llvm::DenseMap<mlir::Value, IndexForm> known;
};

/// True when an expression over extents has nothing negative in it. Of a form: when its variables are known not to be
/// negative either, as indices and ranks are, and what minima, quotients and choices make of such.
bool isNonNegative(mlir::AffineExpr expr);
bool isNonNegative(const IndexForm &form);

/// Emits an expression over the extents of the enclosing program.
mlir::Value materializeExtent(mlir::OpBuilder &builder, mlir::Location loc, mlir::AffineExpr expr);

/// The attributes and operands of an op that holds an expression list (`sizes` or `bounds`): symbol 0 is W, then
/// operands. Only the extents that occur become operands.
std::pair<mlir::AffineMap, llvm::SmallVector<mlir::Value>> extentOperands(mlir::Block *programBody,
                                                                          llvm::ArrayRef<mlir::AffineExpr> exprs);

/// An expression list of an op (symbol 0 is W, then `operands`) as expressions over the extents of the program. Fails
/// (empty) when an operand is no such expression.
std::optional<llvm::SmallVector<mlir::AffineExpr>> overExtents(mlir::AffineMap map, mlir::ValueRange operands,
                                                               int64_t world);

/// Sizes of a buffer, view or alloc as expressions over the extents; null where a size is not one.
llvm::SmallVector<mlir::AffineExpr> shapeOf(mlir::Value buffer);

/// The tile.program around an op or value.
tile::ProgramOp programOf(mlir::Value value);

} // namespace tilec
