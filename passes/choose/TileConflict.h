// Sizes of tiles that do not fit each other once parameters have values.
#pragma once

#include "dialect/Tile.h"

namespace tilec {

/// The shapes of tiles as the text has them, with parameters where `tile-specialize` writes numbers.
using WrittenShapes = llvm::DenseMap<mlir::Operation *, mlir::ArrayAttr>;

/// Reports an op whose tiles must have one size in a dimension and do not, with the two places that say the sizes and
/// the parameters they took them from. Types of operands are static already.
mlir::LogicalResult verifyTilesFit(mlir::Operation *op, const WrittenShapes &written);

} // namespace tilec
