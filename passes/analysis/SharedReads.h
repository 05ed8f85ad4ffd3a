// What the inner loops of tasks read, by the dimensions of the grid it depends on. Changes nothing.
// Belongs here: which tasks read the same tiles. Does not: in which order they run.
#ifndef TILEC_PASSES_ANALYSIS_SHAREDREADS_H
#define TILEC_PASSES_ANALYSIS_SHAREDREADS_H

#include "dialect/Tile.h"

#include "llvm/ADT/SmallBitVector.h"

namespace tilec {

/// The loads in the loops of a task: keys and values in attention, operands in a product.
struct SharedReads {
  /// For each dimension of the grid, whether some of these loads read elsewhere where its index is another.
  llvm::SmallBitVector dims;
  /// For each dimension, whether a load does not depend on it: tasks along it read the same there.
  llvm::SmallBitVector shared;
  /// Whether some loop is longer in some tasks than in others, as under a causal mask.
  bool isUneven = false;
  /// Where the loads depend on the second-last dimension by a quotient alone (heads of queries that share keys): the
  /// divisor, else 1.
  int64_t group = 1;

  static SharedReads of(tile::ForallOp forall);

  /// Whether tasks along some dimensions read the same in all of these loads, and along others do not.
  bool areByHead() const { return dims.any() && !dims.all(); }
  /// The dimensions on which the loads depend, then the others: consecutive tasks read the same.
  llvm::SmallVector<int64_t> headFirst() const;
};

} // namespace tilec

#endif // TILEC_PASSES_ANALYSIS_SHAREDREADS_H
