// Which layout each tile value of a kernel gets.
// Belongs here: the relations between the layouts of values, and the choice. Does not: rewriting (Layout).
#pragma once

#include "dialect/Tile.h"
#include "passes/machine/Target.h"
#include "passes/machine/VectorProduct.h"

#include "llvm/ADT/IntEqClasses.h"

namespace tilec {

/// How one dot is computed.
struct DotTiling {
  std::string instruction; ///< of the target's matrix instructions; empty: on the vector units
  LinearLayout a;          ///< (M, K)
  LinearLayout b;          ///< (N, K)
  LinearLayout accumulator;

  /// A for a tile stored as (K, M), B for one stored as (K, N).
  LinearLayout aTransposed() const { return a.transpose({1, 0}); }
  LinearLayout bTransposed() const { return b.transpose({1, 0}); }
};

/// Layouts for all tiles of one kernel. Values that one operation ties together (operands and results of `arith` and
/// `math`, what a loop carries, what `scf.if` yields) share a class and get one layout:
///  1. a class with the accumulator of a `tile.dot` gets that of the chosen matrix instruction, or of a product on the
///     vector units where none multiplies such tiles, first dot first; where a dot multiplies what is made of another's
///     sums, both are tiled so that these stay in their registers, if that takes no matrix instruction more;
///  2. reductions give their result the slice of the operand's layout, broadcasts take the slice of their result's,
///     transposes and reshapes pass layouts both ways;
///  3. what is only loaded to be an operand whose k runs down the rows (k x m, k x n) is blocked so that threads hold
///     runs along k: LDS then holds the transpose, stored and read in runs;
///  4. of the classes that are left, the largest tile first (then the order of the text) gets a blocked layout whose
///     vectors suit the widest element that is loaded into it or stored from it; then 2. again.
/// Where two wishes meet, `tile.convert` stands between.
class LayoutSolver {
public:
  LayoutSolver(tile::KernelOp kernel, const Target &target) : kernel(kernel), target(target) {}

  /// Reports what has no layout: extents that are no power of two.
  mlir::LogicalResult solve();

  /// The layout of a tile value of the kernel.
  const LinearLayout &layout(mlir::Value value) const { return *layouts[classOf(value)]; }
  /// How a dot is tiled; its `accumulator` may differ from the layout of the value's class.
  const DotTiling &tiling(tile::DotOp dot) const { return tilings.find(dot)->second; }
  /// The layout for a tile that only meets memory.
  LinearLayout blocked(mlir::RankedTensorType type, int64_t elementBytes) const;

  /// The layout of a reduction's result when its operand has this one.
  static LinearLayout reduced(const LinearLayout &operand, unsigned dim);
  /// The layout a broadcast's operand must have for its result to have this one.
  static LinearLayout broadcastOperand(tile::BroadcastOp op, const LinearLayout &result);
  /// The layout that indices must have for each thread to hold those of its elements of a tile with this one; `dim` is
  /// the dimension of the tile that they name.
  static LinearLayout indexLayout(const LinearLayout &tile, unsigned dim);
  /// The tile that an access with indices moves, and the dimension of it that they name.
  static std::pair<mlir::Value, unsigned> movedByIndices(tile::AccessOpInterface access);

private:
  mlir::LogicalResult collect();
  mlir::LogicalResult add(mlir::Value value);
  void join(mlir::Value a, mlir::Value b);
  void joinOperation(mlir::Operation *op);
  void anchorDots();
  void anchorTransposed();
  void propagate();
  void propagateThrough(mlir::Operation *op, bool &changed);
  bool offer(mlir::Value value, const LinearLayout &layout);
  bool known(mlir::Value value) const { return layouts[classOf(value)].has_value(); }
  unsigned classOf(mlir::Value value) const { return classes[numbers.find(value)->second]; }
  DotTiling tile(tile::DotOp dot) const;
  tile::DotOp chainedTo(tile::DotOp dot) const;
  std::optional<MatrixTiling> tilingAlong(tile::DotOp dot, const MatrixProblem &problem) const;
  std::optional<MatrixTiling> tilingWith(const MatrixProblem &problem, const LinearLayout &accumulator) const;

  mutable tile::KernelOp kernel; ///< handles of operations are not const-correct
  const Target &target;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  std::vector<mlir::Value> values;
  llvm::IntEqClasses classes;
  std::vector<std::optional<LinearLayout>> layouts;
  llvm::DenseMap<mlir::Operation *, DotTiling> tilings;
  mutable std::vector<tile::DotOp> dots; ///< in the order of the text
  /// Transposes, reshapes, reductions, broadcasts.
  std::vector<mlir::Operation *> relations;
};

} // namespace tilec
