// Relations between the extents of buffers that a collective needs, where the text decides them.
#pragma once

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Value.h"

namespace tilec::tile {
class ProgramOp;

/// One dimension of a buffer over the symbols (W, extents of the program...): null where it is not known, as behind
/// views and parameters.
mlir::AffineExpr getExtent(mlir::Value buffer, unsigned dim);

/// True when `a` and `b` depend on the same extents and differ for every world and all extents that were tried
/// (positive, equal and distinct ones; the program's world where it has one): no launch can make them agree. Null never
/// contradicts.
bool contradict(ProgramOp program, mlir::AffineExpr a, mlir::AffineExpr b);

/// Prints an expression with W and the numbers of extents: `W * extent 0`.
std::string describeExtent(ProgramOp program, mlir::AffineExpr expr);

} // namespace tilec::tile
