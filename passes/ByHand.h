// The mark of a program whose waits and signals its author wrote.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tilec {

/// A unit attribute of the program, set by whoever reads its text: what is only sampled holds for it up to the greatest
/// samples. What a text says of itself does not count.
inline constexpr llvm::StringLiteral kByHandAttr = "tile.by_hand";

} // namespace tilec
