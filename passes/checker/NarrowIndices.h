// Whether 32 bits, in which the text computes indices, hold them at all extents; else at which they do, as expressions
// that a launch can evaluate. What views and sizes of buffers make of indices is the launcher's.
#pragma once

#include "passes/checker/ZeroExtents.h"

namespace tilec::checker {

struct NarrowIndices {
  /// Over the symbols (W, extents), with W as a number. A launch is right where each of `least` is no less than the
  /// least int, and each of `greatest` no greater than the greatest.
  llvm::SmallVector<mlir::AffineExpr> least, greatest;
  /// Of these no such expression is known that the samples meet.
  llvm::SmallVector<mlir::Operation *> unknown;
};

/// The kernel form as it stands. `samples` are extents that were executed: a bound that one of them breaks is none.
NarrowIndices findNarrowIndices(tile::ProgramOp program, llvm::ArrayRef<NonzeroExtents> nonzero,
                                llvm::ArrayRef<llvm::SmallVector<int64_t, 4>> samples);

} // namespace tilec::checker
