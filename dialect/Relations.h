// Relations between the extents of buffers that a collective needs, where the text decides them.
#pragma once

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace tilec::tile {
class CollectiveOpInterface;
class MatmulOp;
class ProgramOp;

/// One dimension of a buffer or view over the symbols (W, extents of the program...): null where it is not known, as
/// where it depends on a parameter.
mlir::AffineExpr getExtent(mlir::Value buffer, unsigned dim);

/// A scalar over the symbols and this rank, which is dimension 0; null where it is no such expression.
mlir::AffineExpr getScalar(mlir::OpFoldResult value, mlir::MLIRContext *context);

/// True when two sizes that must agree do not, as far as the text says: they differ for all extents that were tried and
/// that satisfy the conditions (positive, equal and distinct ones, in every world or that of the program); or they name
/// different extents, which no condition makes equal. Null never contradicts.
bool contradict(ProgramOp program, mlir::AffineExpr a, mlir::AffineExpr b);

/// True when two expressions over the symbols and this rank have one value on every rank, for all extents tried. False
/// for null.
bool alwaysEqual(ProgramOp program, mlir::AffineExpr a, mlir::AffineExpr b);

/// First element and number of elements in one dimension, over the symbols and this rank.
struct Interval {
  mlir::AffineExpr first, size;
};
/// True when two boxes, an interval for each dimension, share elements on some rank, for all extents tried. False where
/// one is not known.
bool alwaysMeet(ProgramOp program, llvm::ArrayRef<Interval> a, llvm::ArrayRef<Interval> b);

/// Whether an expression depends on an extent that the other does not depend on.
bool nameOtherExtents(ProgramOp program, mlir::AffineExpr a, mlir::AffineExpr b);

/// Extents above 0, in the order of the header, that satisfy the conditions and for which `a` and `b` differ in the
/// program's world: the first of those tried. None when there is none, when the world is not known, when they depend on
/// different extents, and for null.
std::optional<llvm::SmallVector<int64_t>> findUnlikeExtents(ProgramOp program, mlir::AffineExpr a, mlir::AffineExpr b);

/// An error where dimensions of a collective's or a product's buffers, functions of the same extents, do not fit each
/// other for all of them. For programs whose world is known; the verifier asks for less.
llvm::LogicalResult verifyExtentsAgree(CollectiveOpInterface collective);
llvm::LogicalResult verifyExtentsAgree(MatmulOp product);

/// Prints an expression with W and the numbers of extents: `W * extent 0`.
std::string describeExtent(ProgramOp program, mlir::AffineExpr expr);

} // namespace tilec::tile
