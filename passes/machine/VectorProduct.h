// Products of tiles on the vector units, for what no matrix instruction of the target multiplies.
// Belongs here: which thread owns which sums, and what it needs of the operands. Does not: matrix instructions.
#ifndef TILEC_PASSES_MACHINE_VECTORPRODUCT_H
#define TILEC_PASSES_MACHINE_VECTORPRODUCT_H

#include "passes/machine/BlockedLayout.h"

namespace tilec {

/// Each thread owns some sums and holds, of A and B, the rows and columns of its sums for every k: neighbours hold the
/// same operands, which they read from LDS, where equal addresses are broadcast.
struct VectorProduct {
  LinearLayout a;           ///< (M, K)
  LinearLayout b;           ///< (N, K)
  LinearLayout accumulator; ///< (M, N)

  /// B for a tile stored as (K, N).
  LinearLayout bTransposed() const { return b.transpose({1, 0}); }

  /// An M x N tile of sums over k: blocks of sums as square as they get in the registers, then in the lanes, then in
  /// the waves, so that a thread needs few operands; threads beyond the tile repeat others. All powers of two.
  static VectorProduct choose(int64_t m, int64_t n, int64_t k, Threads threads);
  /// The same for sums that lie in a given layout; nothing when one of its bases runs along both dimensions.
  static std::optional<VectorProduct> withAccumulator(const LinearLayout &accumulator, int64_t k);
};

} // namespace tilec

#endif // TILEC_PASSES_MACHINE_VECTORPRODUCT_H
