// How launches are kept apart: for `explain`. Reads the program after `waits`; decides nothing.
#pragma once

#include "dialect/Tile.h"

namespace tilec {

struct Target;

/// Prints, for each buffer that peers address, the edge that was chosen (entry and exit, credit, or implied and by
/// what), its messages per rank and launch, the bytes of its copies and the predicted time on the critical path.
/// `extents`: values of the program's extents in the order of the header.
void printEdges(tile::ProgramOp program, llvm::ArrayRef<int64_t> extents, const Target &target);

/// The author's name for a value, or `?`.
llvm::StringRef nameOf(mlir::Value value);

} // namespace tilec
