// Numbers of tasks, computed for some tasks of a grid.
// Belongs here: means over tasks, for what is predicted. Does not: what has to hold for each of them (the checkers).
#pragma once

#include "dialect/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilec {

/// A few tasks of a grid of so many in each dimension, spread over it evenly.
class TaskSample {
public:
  TaskSample(tile::ForallOp tasks, llvm::ArrayRef<int64_t> grid);

  /// Passes of a loop of these tasks in the mean; nothing where they depend on more than the numbers of tasks.
  std::optional<double> passes(mlir::scf::ForOp loop) const;
  /// The share of these tasks that pass all branches around an operation; of a branch that depends on more than the
  /// numbers of tasks, all.
  double shareOf(mlir::Operation *op) const;

private:
  using Numbers = llvm::DenseMap<mlir::Value, mlir::Attribute>;

  tile::ForallOp tasks;
  llvm::SmallVector<Numbers> sample; ///< the indices of each task
};

} // namespace tilec
