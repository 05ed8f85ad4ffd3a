// Whether a launch can read elements of scratch that no store of an earlier statement, or of an earlier iteration,
// writes, for all extents at once: what samples do not show where two extents would have to stand in a relation that
// none of them has.
#pragma once

#include "passes/checker/ZeroExtents.h"

namespace tilec::checker {

struct UnwrittenElements {
  mlir::Operation *read;
  llvm::SmallVector<int64_t> extents; ///< with which it reads one
};

/// One for each buffer at most. For all extents of 0 or more, but those of which all of a set of `nonzero` are 0. Says
/// nothing of buffers that are persistent, and of accesses that are not affine.
std::vector<UnwrittenElements> findUnwrittenElements(tile::ProgramOp program, llvm::ArrayRef<NonzeroExtents> nonzero);

} // namespace tilec::checker
