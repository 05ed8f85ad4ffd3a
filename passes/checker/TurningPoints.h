// Extents at which a quotient or remainder of the program becomes 0, or stops being it: a loop has no pass, or a first
// one. Choosing them changes nothing.
#pragma once

#include "dialect/Tile.h"

namespace tilec::checker {

/// A value of the extent at this position.
struct TurningPoint {
  unsigned extent = 0;
  int64_t value = 0;
  bool operator==(const TurningPoint &other) const { return extent == other.extent && value == other.value; }
};

/// For each quotient and remainder of one extent (by a constant, as in `%K mod 9`): where all of `values` leave it 0,
/// the least extent, up to 65536, at which it is not; where none makes it 0, the least that does. At most `most`.
llvm::SmallVector<TurningPoint> findTurningPoints(tile::ProgramOp program, llvm::ArrayRef<int64_t> values, size_t most);

} // namespace tilec::checker
