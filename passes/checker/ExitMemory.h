// Which buffer or grid of the program an address of the exit dialect belongs to.
// Belongs here: pointers, offsets in the workspace and the signal area. Does not: what is done with them.
#pragma once

#include "dialect/Hip.h"
#include "passes/analysis/Workspace.h"

#include <map>

namespace tilec::checker {

/// Finds declarations by the numbers that address expressions have for unlike extents: expressions are recomputed by
/// every pass, and equal ones need not look alike.
class ExitMemory {
public:
  static mlir::FailureOr<ExitMemory> of(tile::ProgramOp program);

  /// Says what the arguments of a kernel are, by what the launcher passes.
  void bind(hip::LauncherOp launcher, mlir::ValueRange passed, mlir::Block &body);

  /// What the launcher told the copy engine in this argument of a kernel; null where it is no map.
  hip::TensorMapOp mappedBy(mlir::BlockArgument argument) const { return mapped.lookup(argument); }
  /// Whether a kernel's view is the memory that a map describes, or number `matrix` of the row of matrices that it
  /// describes.
  bool isSame(mlir::Value view, hip::TensorMapOp map, mlir::Value matrix) const;

  /// The argument or alloc that a pointer without `remote` and `advance` is; null, with a diagnostic, when it is none.
  mlir::Value rootOf(mlir::Value pointer) const;
  /// The program's buffer that an argument of a kernel is; null when it is none.
  mlir::Value argumentOf(mlir::Value argument) const { return buffers.lookup(argument); }
  /// Whether an argument of a kernel is the memory that all allocs lie in.
  bool isWorkspace(mlir::Value argument) const {
    auto it = buffers.find(argument);
    return it != buffers.end() && !it->second;
  }
  /// The declaration of a grid; null, with a diagnostic, when its place or shape is none of the program's.
  tile::SignalsOp gridOf(hip::SignalsOp grid) const;
  /// The number of an extent that an argument of a kernel or its largest value is.
  std::optional<unsigned> extentOf(mlir::Value argument) const;
  /// A dimension of a root that one of a view steps along, over elements if `skips`.
  struct Dimension {
    unsigned number;
    bool skips;
  };
  /// The dimensions of the root that the dimensions of a view step along; fewer than the view has when they do not fit.
  llvm::SmallVector<Dimension, 4> dimensionsOf(mlir::Value root, mlir::ValueRange strides,
                                               mlir::ValueRange extents) const;
  /// Whether a root has strides of its own: others are row-major without gaps.
  bool isStrided(mlir::Value root) const;

private:
  static constexpr unsigned kTrials = 2;
  /// Wide enough for the bytes of what has eight extents.
  using Number = __int128;
  using Numbers = std::array<Number, kTrials>;
  explicit ExitMemory(tile::ProgramOp program, Workspace workspace);
  using Known = llvm::DenseMap<mlir::Value, std::optional<Numbers>>;
  std::optional<Numbers> evaluate(mlir::Value value) const;
  std::optional<Numbers> evaluate(mlir::Value value, const Known &known) const; ///< whose operands are in `known`
  /// For the extents of a launch, or for the greatest, which scratch and grids are laid out for.
  Numbers evaluate(mlir::AffineExpr expression, bool greatest = false) const;
  static Number evaluate(mlir::AffineExpr expression, llvm::ArrayRef<int64_t> symbols);
  static std::optional<Number> combine(mlir::Operation *op, Number a, Number b);
  void findPlaces();
  bool beginsAt(hip::TensorMapOp map, mlir::Value root) const;
  bool isSame(mlir::ValueRange a, mlir::ValueRange b) const; ///< as numbers
  bool isRowOfCopies(hip::TensorMapOp map, mlir::Value root, mlir::Value matrix) const;
  bool isRowOfParts(hip::TensorMapOp map, mlir::Value root, hip::ViewAtOp view, mlir::Value matrix) const;
  llvm::SmallVector<mlir::AffineExpr> shapeOf(mlir::Value root) const;
  llvm::SmallVector<Numbers> stridesOf(mlir::Value root) const;

  mutable tile::ProgramOp program;
  Workspace workspace;
  std::map<Numbers, llvm::SmallVector<unsigned, 1>> bufferAt, gridAt; ///< of the workspace, by their offsets
  llvm::SmallVector<llvm::SmallVector<int64_t>> trials;               ///< values of the extents, then of the greatest
  llvm::DenseMap<mlir::Value, mlir::Value> buffers; ///< of arguments of kernels; scratch is the null value
  llvm::DenseMap<mlir::Value, unsigned> extents;
  llvm::DenseMap<mlir::Value, hip::TensorMapOp> mapped; ///< by arguments of kernels
};

} // namespace tilec::checker
