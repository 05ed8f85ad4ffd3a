// Products of matrices, and of matrices side by side: which dimensions are which.
#pragma once

#include "dialect/Tile.h"

namespace tilec::tile {

/// Dimensions before the rows and columns, which number the products.
inline unsigned leadingDims(MatmulOp op) {
  return static_cast<unsigned>(llvm::cast<mlir::MemRefType>(op.getDestination().getType()).getRank() - 2);
}

/// Another statement of a product's program, or the loop or kernel that it stands in; null where it is the only one.
inline mlir::Operation *statementBeside(MatmulOp op) {
  if (!llvm::isa<ProgramOp>(op->getParentOp()))
    return op->getParentOp();
  for (mlir::Operation &other : *op->getBlock())
    if (&other != op && (llvm::isa<CollectiveOpInterface>(other) || other.getNumRegions() > 0))
      return &other;
  return nullptr;
}

/// Of the arguments of an epilogue, the element offsets of its tile in the destination, and the tiles behind them.
inline unsigned epilogueOffsets(MatmulOp op) { return leadingDims(op) + 2; }
inline mlir::Block::BlockArgListType epilogueTiles(MatmulOp op) {
  return op.getEpilogue().getArguments().drop_front(epilogueOffsets(op));
}

} // namespace tilec::tile
