// Whether tasks of a tile loop wait for those above them and to their left. Changes nothing.
// Belongs here: which tasks of their own loop tasks wait for. Does not: in which order they run.
#ifndef TILEC_PASSES_ANALYSIS_WAVEFRONT_H
#define TILEC_PASSES_ANALYSIS_WAVEFRONT_H

#include "dialect/Tile.h"

namespace tilec {

/// What the tasks (.., m, n) of a tile loop of two or more dimensions wait for within their kernel.
struct Wavefront {
  /// Of this loop and of later ones, only for tasks (.., m - a, n - b) with a, b >= 0 and not both 0: these come
  /// earlier by anti-diagonals.
  bool fits = false;
  bool above = false, left = false; ///< for some with b = 0, for some with a = 0

  static Wavefront of(tile::ForallOp forall);

  bool isWhole() const { return fits && above && left; }
};

} // namespace tilec

#endif // TILEC_PASSES_ANALYSIS_WAVEFRONT_H
