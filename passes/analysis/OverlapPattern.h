// The overlap pattern: how communication and computation share kernels, and who moves remote data.
#pragma once

#include "dialect/Tile.h"

#include <string>

namespace tilec {

/// Spelled `<kind>[-<remote>][-<shots>][-credits]`, as in `specialized-push` or `sequential-pull-two-shot`.
struct OverlapPattern {
  enum class Kind { Bulk, Sequential, Specialized } kind = Kind::Sequential;
  enum class Remote {
    Any,    ///< whichever the buffers allow, push first: stores reach twice the aggregate bandwidth of loads
    Pull,   ///< the consumer loads from the peer, where it needs the data
    Push,   ///< the owner stores to the peers
    Staged, ///< a copy task loads from the peer into local memory, where consumers read
  } remote = Remote::Any;
  enum class Shots { One, Two } shots = Shots::One;
  /// Scratch that peers write has one copy, and a credit frees it before each launch's first write; else two copies.
  bool credits = false;

  /// Parses a spelling; an empty one is the default. Reports at `loc` and fails on anything else.
  static llvm::FailureOr<OverlapPattern> parse(mlir::Location loc, llvm::StringRef spelling);
  std::string spell() const;
};

} // namespace tilec
