// The proof of a manifest, repeated from the kernel form that it holds: no source, no stage before `verify`.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

namespace tilec {

/// Checks that the hash of the kernel form, and that of the text beside the manifest where there is one, are the ones
/// in the manifest, verifies the kernel form, and compares world, samples and progress classes with what the
/// manifest claims. Prints one line; errors name the file.
llvm::LogicalResult repeatProof(llvm::StringRef path);

} // namespace tilec
