// How much of what a loop reads one wait covers. Spelling alone: what it means for a loop is decided in WaitLoops.cpp.
#pragma once

#include "dialect/Tile.h"

#include <string>

namespace tilec {

/// Spelled `tile`, `group-<n>`, `shard` or `task`, from fine to coarse. A wait stands where the loop first needs what
/// it covers, with the loads it protects.
struct Granularity {
  enum class Kind {
    Task,  ///< one wait before the loop, for all of its iterations
    Shard, ///< one for the iterations that read what one rank has produced
    Group, ///< one for the iterations that read `tiles` tiles of the producer
  } kind = Kind::Task;
  int64_t tiles = 1;

  /// Parses a spelling; an empty one is `task`. Reports at `loc` and fails on anything else.
  static llvm::FailureOr<Granularity> parse(mlir::Location loc, llvm::StringRef spelling);
  std::string spell() const;
};

} // namespace tilec
