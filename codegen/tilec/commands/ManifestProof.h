// The proof of a manifest, repeated from the kernel form that it holds: no source, no stage before `verify`.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

namespace tilec {

/// Runs the stages from `verify` on over the kernel form, prints text and manifest once more, and compares every entry
/// of the manifest with what follows, and the text beside it, where there is one, with its hash. What does not follow
/// from a kernel form is listed in docs/verify.md. Prints one line; errors name the file and the entry.
llvm::LogicalResult repeatProof(llvm::StringRef path);

} // namespace tilec
