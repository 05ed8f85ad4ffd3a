// The HIP text of one program: kernels, statements, loops, comments. Changes nothing and decides nothing: `prepare`
// has.
#pragma once

#include "dialect/Hip.h"

#include <string>

namespace tilec {

struct HipPrinterOptions {
  std::string source;     ///< name of the program's file, for the first line
  std::string target;     ///< the same
  bool locations = false; ///< `// file:line` at the end of each statement
  std::string facts;      ///< the hash that the manifest has of what both rely on (Manifest.h)
};

/// Prints a program after `prepare`. Fails, with a diagnostic, on an operation that HIP cannot say.
mlir::FailureOr<std::string> printHip(tile::ProgramOp program, const HipPrinterOptions &options);

} // namespace tilec
