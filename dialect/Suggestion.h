// What somebody may have meant who misspelt a name.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace tilec {

/// The name of `known` that is closest to `word` by edit distance, empty where none is close: a third of the word's
/// letters may differ, and a letter in the wrong case counts as no difference.
llvm::StringRef closestName(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> known);

/// The end of a message about an unknown name: `; did you mean 'x'?`, or nothing where no name is close.
std::string didYouMean(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> known);

/// `a, b or c`.
std::string listNames(llvm::ArrayRef<llvm::StringRef> names);

} // namespace tilec
