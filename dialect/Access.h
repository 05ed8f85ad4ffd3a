// What the verifiers of all accesses to a tile of a buffer ask.
#pragma once

#include "dialect/Tile.h"

namespace tilec::tile {

/// Sizes per buffer dimension: 1 where the tile has no dimension.
llvm::SmallVector<int64_t> footprintOf(mlir::Value buffer, mlir::ShapedType tile);

/// Buffer, tile, number of indices and rank of an access.
mlir::LogicalResult verifyAccess(mlir::Operation *op, mlir::MemRefType buffer, mlir::ShapedType tile,
                                 mlir::OperandRange indices, mlir::Value rank);

/// What a load gives for elements outside of the view; null: zero.
mlir::LogicalResult verifyOtherwise(mlir::Operation *op, mlir::MemRefType buffer, mlir::Value otherwise);

} // namespace tilec::tile
