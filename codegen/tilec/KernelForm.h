// The kernel form as text that gives back the same program, names included. Which programs are kept is Compile's.
#pragma once

#include "dialect/Tile.h"

#include "llvm/Support/SourceMgr.h"

namespace tilec {

/// The text of a program that `verify` has accepted, with its target. MLIR makes names unique by changing them; here
/// what is added to a name ends in a dot and a number, which `parseKernelForm` takes off again, so that later stages
/// name what they print as they did for the program itself.
std::string printKernelForm(tile::ProgramOp program, llvm::StringRef target);

/// The module of such a text, the main buffer of `sources`; null, with diagnostics, when it is none.
mlir::OwningOpRef<mlir::ModuleOp> parseKernelForm(const llvm::SourceMgr &sources, mlir::MLIRContext *context);

} // namespace tilec
