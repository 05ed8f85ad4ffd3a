// Which waits, signals and published tokens of a kernel form the checker does not need. One at a time: two that can
// replace each other are both reported, and removing both may be wrong.
#pragma once

#include "dialect/Tile.h"

#include "llvm/Support/raw_ostream.h"

namespace tilec {

/// Verifies `program`, which `verify` has accepted, once more without each of them. Emits a remark at each one that is
/// redundant and prints one line: `@name: minimal: 2 waits, ...` or `@name: 1 of 2 waits, ... redundant`.
void reportRedundant(tile::ProgramOp program, llvm::raw_ostream &stream);

} // namespace tilec
