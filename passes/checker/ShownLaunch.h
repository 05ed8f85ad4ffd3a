// What the least launch with some extents shows at an operation, and what is said where it cannot be looked at.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tilec::checker {

enum class Shown { Meeting, Unwritten };

inline llvm::StringRef tooLarge(Shown shown) {
  return shown == Shown::Meeting
             ? "the smallest launch in which another access touches the same element is too large for a sample"
             : "the smallest launch in which nobody writes what is read here is too large for a sample";
}

inline llvm::StringRef excluded(Shown shown) {
  return shown == Shown::Meeting
             ? "conditions of the header exclude the smallest launch in which another access touches the same element"
             : "conditions of the header exclude the smallest launch in which nobody writes what is read here";
}

} // namespace tilec::checker
