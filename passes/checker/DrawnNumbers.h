// What a trace takes numbers for that are data. No IR.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <limits>

namespace tilec::checker {

/// What stands in an element, the same for all who read it: mostly more than anybody asks for.
inline int64_t drawnNumber(llvm::ArrayRef<int64_t> place) {
  uint64_t state = 0;
  for (int64_t part : place)
    state = (state ^ static_cast<uint64_t>(part)) * 0x9e3779b97f4a7c15u >> 7;
  return state % 4 < 2 ? std::numeric_limits<int32_t>::max() : state % 4 == 2 ? 0 : int64_t(state >> 8) % 64;
}

/// What a launch gives a rank as one of its numbers: the first rank more than anybody asks for, others nothing, or
/// some.
inline int64_t givenNumber(int64_t number, int64_t rank) {
  switch ((rank + number) % 3) {
  case 0:
    return std::numeric_limits<int32_t>::max();
  case 1:
    return 0;
  default:
    return 1 + rank;
  }
}

} // namespace tilec::checker
