// Whether two tasks of one tile loop can touch the same element, for all extents at once: what samples cannot show
// where an index changes its kind at a constant, such as `%i remui 7` or `minui %i, 100` of a task's number.
#pragma once

#include "passes/checker/ZeroExtents.h"

namespace tilec::checker {

struct TaskConflicts {
  /// A store, another access that meets it, and the least extents, one after the other, with which it does.
  struct Meeting {
    mlir::Operation *store, *other;
    llvm::SmallVector<int64_t> extents;
    llvm::SmallVector<int64_t> numbers; ///< that a launch gives, as far as they count there
    bool isOfData; ///< a launch with these extents may have other data, or other numbers, with which they do not meet
  };
  llvm::SmallVector<Meeting> meetings;
  /// A store and another access of which nothing is known: an index is not affine.
  llvm::SmallVector<std::pair<mlir::Operation *, mlir::Operation *>> unknown;
};

/// Looks at each store of a tile loop and each access of the loop to the same buffer. For all extents of 0 or more, but
/// those of which all of a set of `nonzero` are 0.
TaskConflicts findTaskConflicts(tile::ProgramOp program, llvm::ArrayRef<NonzeroExtents> nonzero);

} // namespace tilec::checker
