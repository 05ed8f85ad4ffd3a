// Fragments take the places of their calls when a file is read: no command and no pass sees either.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace tilec {

/// Reads the files that `module` uses, and those that they use, and adds their fragments to it. `path` and `text` are
/// of the file that it comes from. Gives the text of all of them as one file that uses no other.
mlir::FailureOr<std::string> readUsedFiles(mlir::ModuleOp module, llvm::StringRef path, llvm::StringRef text);

/// Puts the operations of fragments in the place of calls and erases the fragments. An operation's place is that in its
/// fragment, called from that of the call; names of values are those of the fragment.
llvm::LogicalResult inlineFragments(mlir::ModuleOp module);

} // namespace tilec
