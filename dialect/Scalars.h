// Numbers among the arguments of a program: their types, and what may be done with them.
#pragma once

#include "dialect/Tile.h"

namespace tilec::tile {

/// Whether a number of this type may be an argument.
bool isScalarArgument(mlir::Type type);

/// A launch may give any number, so that what depends on one must not say where memory is accessed, how often, or
/// whether: that is for `tile.clamp`.
llvm::LogicalResult verifyScalars(ProgramOp program);

} // namespace tilec::tile
