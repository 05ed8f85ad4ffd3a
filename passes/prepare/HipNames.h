// Names for values of the exit dialect, unique in their scope. Which values have one is decided by `prepare`.
#pragma once

#include "dialect/Hip.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace tilec {

/// The author's name for a value or, without one, a word for what the operation computes.
std::string suggestName(mlir::Operation *op);

/// Names in nested C++ scopes: no name hides another.
class ScopedNames {
public:
  void push() { scopes.emplace_back(); }
  void pop();
  /// A name like `wanted` that no open scope has, added to the innermost one.
  std::string add(llvm::StringRef wanted);

private:
  struct Taken {
    std::string name, wanted;
    int number; ///< behind the name that was wanted; 1 where it is that name
  };
  llvm::StringSet<> active;
  llvm::StringMap<int> next; ///< by the name that was wanted: all numbers below it are taken
  llvm::SmallVector<llvm::SmallVector<Taken>> scopes;
};

} // namespace tilec
