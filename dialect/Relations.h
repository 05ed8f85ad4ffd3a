// Relations between the extents of buffers that a collective needs, where the text decides them.
#pragma once

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace tilec::tile {
class ProgramOp;

/// One dimension of a buffer over the symbols (W, extents of the program...): null where it is not known, as behind
/// views and parameters.
mlir::AffineExpr getExtent(mlir::Value buffer, unsigned dim);

/// True when `a` and `b` depend on the same extents and differ for every world and all extents that were tried
/// (positive, equal and distinct ones; the program's world where it has one): no launch can make them agree. Null never
/// contradicts.
bool contradict(ProgramOp program, mlir::AffineExpr a, mlir::AffineExpr b);

/// Extents above 0, in the order of the header, for which `a` and `b` differ in the program's world: the first of those
/// tried. None when there is none, when the world is not known, when they depend on different extents, and for null.
std::optional<llvm::SmallVector<int64_t>> findUnlikeExtents(ProgramOp program, mlir::AffineExpr a, mlir::AffineExpr b);

/// An error where the dimensions of a collective's buffers, functions of the same extents, do not fit each other for
/// all of them. For programs whose world is known; the verifier asks for less.
llvm::LogicalResult verifyExtentsAgree(mlir::Operation *collective);

/// Prints an expression with W and the numbers of extents: `W * extent 0`.
std::string describeExtent(ProgramOp program, mlir::AffineExpr expr);

} // namespace tilec::tile
