// Which copies between ranks the copy engine can make, and in what pieces. Part of `expand`.
#pragma once

#include "passes/expand/Expansion.h"

namespace tilec {

/// Whether the copy engine can make the copies of a collective, from `source` to other ranks' `destination`: of
/// rows or matrices. It waits for nothing in a launch, so nothing before in the program writes the one or touches the
/// other.
bool canCopyByEngine(mlir::Operation *op, mlir::Value source, mlir::Value destination);

/// The tiles of such copies, which go to so many other ranks. A task moves whole rows of tiles (`waits` sees to that);
/// a signal tells of each task.
llvm::SmallVector<int64_t> engineTile(llvm::ArrayRef<mlir::AffineExpr> region, mlir::Type element, int64_t peers);

/// Makes a statement the copy engine's.
void giveToEngine(tile::ForallOp forall);

} // namespace tilec
