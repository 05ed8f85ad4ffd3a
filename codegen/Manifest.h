// The manifest of one program: what the runtime checks and sizes before a launch (docs/manifest.schema.json).
#pragma once

#include "dialect/Hip.h"

#include <string>

namespace tilec {

/// Facts of a compilation that the program does not hold.
struct ManifestFacts {
  std::string target;
  std::string sourceName; ///< the program's file, as the text names it
  bool locations = false; ///< the text names places of the source
  std::string source;     ///< text of the program, for its hash
  std::string text;       ///< the HIP text, for its hash
  std::string kernelForm; ///< the program after `verify`; empty when it was not verified
};

/// JSON of a program after `lower`. Fails, with a diagnostic, where a size is no expression over extents.
mlir::FailureOr<std::string> writeManifest(tile::ProgramOp program, const ManifestFacts &facts);

/// The hash of what a text and a manifest have to agree on: world, target, extents and their conditions, parameters,
/// arguments, scratch, signals and what is launched. Fails as `writeManifest` does.
mlir::FailureOr<std::string> hashOfFacts(tile::ProgramOp program, llvm::StringRef target);

/// The hash that a manifest has of a text.
std::string hashOfText(llvm::StringRef text);

/// The C header of one program: its launch function, and what its arguments and extents are.
mlir::FailureOr<std::string> writeHeader(tile::ProgramOp program, llvm::StringRef source);

} // namespace tilec
