// What a trace takes numbers for that are data. No IR.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <limits>

namespace tilec::checker {

/// How many launches with the same extents show a program that asks for numbers, each of which gives others; further
/// ones give all ranks a constant that the program compares with.
constexpr int64_t kDraws = 3;

/// What stands in an element, the same for all who read it: mostly more than anybody asks for.
inline int64_t drawnNumber(llvm::ArrayRef<int64_t> place, int64_t draw, llvm::ArrayRef<int64_t> constants) {
  if (draw >= kDraws)
    return constants[draw - kDraws];
  uint64_t state = draw;
  for (int64_t part : place)
    state = (state ^ static_cast<uint64_t>(part)) * 0x9e3779b97f4a7c15u >> 7;
  return state % 4 < 2 ? std::numeric_limits<int32_t>::max() : state % 4 == 2 ? 0 : int64_t(state >> 8) % 64;
}

/// What a launch gives a rank as one of its numbers: more than anybody asks for, nothing, or some. Of three draws each
/// rank is given all three.
inline int64_t givenNumber(int64_t number, int64_t rank, int64_t draw, llvm::ArrayRef<int64_t> constants) {
  if (draw >= kDraws)
    return constants[draw - kDraws];
  switch ((rank + number + draw) % kDraws) {
  case 0:
    return std::numeric_limits<int32_t>::max();
  case 1:
    return 0;
  default:
    return 1 + rank;
  }
}

} // namespace tilec::checker
