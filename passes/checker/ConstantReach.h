// How long an extent must be before every constant of a program plays its part, alone and beside the others. Choosing
// samples by it changes nothing.
#pragma once

#include "passes/checker/UsualSamples.h"

#include <set>

namespace tilec::checker {

/// What the constants along one extent add up to.
struct ConstantReach {
  /// Elements of the extent behind which no constant moves, cuts off or leaves out anything: the sum of what indices
  /// are moved by, of what they are compared with or divided by, of the lengths of loops and buffers that are numbers.
  /// Loops and dimensions of buffers belong together where an index takes one along the other.
  int64_t distance = 0;
  /// Of the tiles along it, and a number of elements that holds a whole number of each, if that is not too large.
  int64_t greatestTile = 1, wholeTiles = 1;

  /// By which loops step over the extent: each once.
  std::set<int64_t> steps;

  /// Where the constant stands that adds most to the distance; null where there is none.
  mlir::Operation *cause = nullptr;

  /// Extents that lie along each other have the same.
  unsigned group = 0;

  /// The least length with three tiles behind all constants, the last one cut off.
  int64_t length() const { return distance + 2 * greatestTile + 1; }
};

/// [extent]
llvm::SmallVector<ConstantReach> constantReach(tile::ProgramOp program);

} // namespace tilec::checker
