// Legal C++ identifiers. Which values have one is decided by `prepare`.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace tilec {

/// `text` as an identifier: other characters become '_', keywords and names that start with a digit or contain "__"
/// change.
std::string legalName(llvm::StringRef text);

} // namespace tilec
