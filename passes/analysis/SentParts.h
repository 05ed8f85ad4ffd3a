// What the pattern `sequential-copy-engine` is about: tiles that tasks leave at home for the copy engine.
// Belongs here: who asks for it, and for what. Does not: what becomes of the tasks (`send`).
#pragma once

#include "dialect/Tile.h"

namespace tilec {

/// About so much goes in one piece, or more where an engine would be asked for too much: at 290 GB/s between two H200,
/// and what is sent last does not come much later than it is made.
constexpr int64_t kBytesOfSentPiece = 8 << 20;

/// And of what goes to all others, one after the other.
constexpr int64_t kBytesOfGatheredPiece = 4 << 20;

/// Whether a program's pattern leaves to the copy engine what its tasks store to other ranks.
bool sendsByEngine(tile::ProgramOp program);

/// Whether a value can be computed outside of tasks: from extents, arguments and this rank's number.
bool isOfAllTasks(mlir::Value value, tile::ForallOp tasks);

/// Whether tasks, or those of this rank's part of a sum alone, store their tiles to the same place of each rank in
/// turn, to a buffer that nothing else of the program accesses: nobody waits for one of them.
bool isGathered(tile::StoreOp store);

/// Reports a program of that pattern in which there is nothing of the kind; failure.
llvm::LogicalResult reportNothingSent(tile::ProgramOp program);

} // namespace tilec
