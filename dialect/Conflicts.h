// Conflicts between the tasks of one statement that the text alone decides. What depends on sizes belongs to `verify`.
#pragma once

#include "llvm/Support/LogicalResult.h"

namespace tilec::tile {
class ForallOp;

/// Reports two tasks of `statement`, on one rank or on two, that touch one tile of a buffer, at least one of them with
/// a `tile.store`: stores whose place does not depend on an index of the statement, or, when they go to another rank,
/// on this rank; and loads of a tile that another task of the statement stores. Silent where the text leaves it open.
llvm::LogicalResult verifyConflicts(ForallOp statement);

} // namespace tilec::tile
