// How finely and how coarsely a program goes over each extent: what tells how long an extent must be in a sample.
#pragma once

#include "dialect/Tile.h"

namespace tilec::checker {

struct TileSides {
  /// Of the smallest tile that a loop steps over the extent by; 1 where it goes by elements.
  int64_t finest = 1;
  /// Of the greatest: a divisor, a tile that is loaded or stored, a number by which an index along the extent is moved
  /// or with which it is compared.
  int64_t greatest = 1;
  /// Of the extent, that it has at least wherever it occurs: 128 where buffers and loops go over `128 * %K` alone.
  int64_t multiple = 1;
};

/// [extent]
llvm::SmallVector<TileSides> tileSides(tile::ProgramOp program);

/// The numbers of tasks of a tile loop in each dimension, or of iterations of a loop, as expressions over the extents;
/// none where they are no such expressions, or the operation is no loop.
llvm::SmallVector<mlir::AffineExpr> loopBounds(mlir::Operation *op, int64_t world);

} // namespace tilec::checker
