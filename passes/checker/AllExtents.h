// Indices against grids and buffers for all extents at once, where both are affine: by integer programming in MLIR's
// Presburger library, in the coordinates of tile loops, from the kernel form alone. Samples prove the rest.
#pragma once

#include "passes/checker/ZeroExtents.h"

namespace tilec::checker {

/// What was asked of an operation: its indices within their grid, its rank within the world, its views within their
/// buffers, the operands of unsigned arithmetic not negative.
struct BoundsProof {
  /// One that is broken, and the least extents, one after the other, with which it is.
  struct Violation {
    mlir::Operation *op;
    llvm::SmallVector<int64_t> extents;
  };
  unsigned proven = 0;
  llvm::SmallVector<mlir::Operation *> sampled; ///< those that were neither proven nor found broken
  llvm::SmallVector<Violation> violations;
};

/// For all extents of 0 or more, but those of which all of a set of `nonzero` are 0: the runtime refuses these.
BoundsProof proveBounds(tile::ProgramOp program, llvm::ArrayRef<NonzeroExtents> nonzero);

} // namespace tilec::checker
