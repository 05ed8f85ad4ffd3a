// Whether a launch can read elements of scratch that no store of an earlier statement, or of an earlier iteration,
// writes, for all extents at once: what samples do not show where two extents would have to stand in a relation that
// none of them has.
#pragma once

#include "passes/checker/ZeroExtents.h"

namespace tilec::checker {

struct UnwrittenElements {
  struct Read {
    mlir::Operation *op;
    llvm::SmallVector<int64_t> extents; ///< with which it reads one
  };
  std::vector<Read> reads; ///< one for each buffer at most
  /// Reads of which nothing is known: an index is not affine, or there are too many cases.
  llvm::SmallVector<mlir::Operation *> unknown;
};

/// For all extents of 0 or more, but those of which all of a set of `nonzero` are 0. Says nothing of buffers that are
/// persistent.
UnwrittenElements findUnwrittenElements(tile::ProgramOp program, llvm::ArrayRef<NonzeroExtents> nonzero);

} // namespace tilec::checker
