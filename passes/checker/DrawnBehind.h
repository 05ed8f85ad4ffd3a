// What samples draw, and what depends on it: numbers of the launch, and data.
#pragma once

#include "dialect/Tile.h"

namespace tilec::checker {

/// Of what samples draw, that on which the indices of these operations depend, or whether and how often they are
/// executed: `%n` of a number of the launch, `data` of what is read from memory. Each once.
llvm::SmallVector<std::string> drawnBehind(llvm::ArrayRef<mlir::Operation *> ops);

/// All indices of a program that are numbers of the launch.
llvm::SmallVector<mlir::Operation *> clampedNumbers(tile::ProgramOp program);

} // namespace tilec::checker
