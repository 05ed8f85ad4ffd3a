// Waits of tasks that a producer makes before them.
// Belongs here: which waits can be made elsewhere, and making them again. Does not: who needs them (StreamLoop,
// SumStream).
#pragma once

#include "dialect/Tile.h"

#include "mlir/IR/IRMapping.h"

namespace tilec::schedule {

/// Whether a token is that of waits, or of loops and branches of them, which can be made elsewhere.
bool onlyWaits(mlir::Value token);

/// The same waits, made again.
mlir::Value waitAgain(mlir::OpBuilder &builder, mlir::Value token);

/// What tasks wait for before a stream, for the first step of a producer, which runs ahead of them. Fills come after
/// what the tokens are mapped to.
void waitOnFirstStep(mlir::OpBuilder &builder, mlir::Location where, tile::StreamOp stream,
                     mlir::ArrayRef<mlir::Value> tokens, mlir::IRMapping &mapping);

/// Erases what made these tokens, where nobody has a use for them.
void eraseUnused(mlir::ArrayRef<mlir::Value> tokens);

} // namespace tilec::schedule
