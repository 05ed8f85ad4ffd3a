// What roles of the copy engine do, as what the engine can be asked for.
#pragma once

#include "dialect/Tile.h"

namespace tilec {

/// Loads and stores of such roles become moves: no thread has their tiles. The roles become a kernel of their own,
/// before the one that they run beside. Reports and fails where a task does something else.
llvm::LogicalResult splitEngines(tile::ProgramOp program);

} // namespace tilec
