// What samples draw, and what depends on it: numbers of the launch, and data.
#pragma once

#include "dialect/Tile.h"

namespace tilec::checker {

/// Of what samples draw, that on which something depends.
struct DrawnBehind {
  llvm::SmallVector<int64_t> arguments; ///< numbers of the launch, as positions among the arguments of the program
  bool data = false;                    ///< numbers that are read from memory

  bool empty() const { return arguments.empty() && !data; }
};

/// On what the indices of these operations depend, or whether and how often they are executed.
DrawnBehind findDrawnBehind(llvm::ArrayRef<mlir::Operation *> ops);

/// As messages call them: `%n`, and `data` last.
llvm::SmallVector<std::string> namesOf(tile::ProgramOp program, const DrawnBehind &drawn);

/// All indices of a program that are numbers of the launch.
llvm::SmallVector<mlir::Operation *> clampedNumbers(tile::ProgramOp program);

} // namespace tilec::checker
