// Whether two tasks multiply the same.
// Belongs here: equality of operations over indices that stand for each other. Does not: what becomes of such tasks
// (`merge`).
#pragma once

#include "dialect/Tile.h"

namespace tilec {

/// Compares what two tasks compute, by what stands for what.
class SameProduct {
public:
  /// `mine` of the one is `its` of the other.
  void assume(mlir::Value mine, mlir::Value its) { same[mine] = its; }
  bool areEqual(mlir::Operation *mine, mlir::Operation *its);
  bool areEqual(mlir::Value mine, mlir::Value its);

private:
  llvm::DenseMap<mlir::Value, mlir::Value> same;
};

/// The loop of a block that multiplies; null: there is none.
mlir::scf::ForOp productIn(mlir::Block &block);

/// Whether the tasks of `later` multiply what those of `before` with the same indices do, and there are as many.
bool multiplyAlike(tile::ForallOp before, tile::ForallOp later);

} // namespace tilec
