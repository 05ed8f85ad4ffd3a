// Where the scratch buffers of a program lie in its workspace, and its signal grids in the signal area. Sizes are
// expressions over extents; nothing here builds IR.
#pragma once

#include "dialect/Tile.h"

namespace tilec {

/// Symbol i of an expression is extent i of the program. What must keep its place from launch to launch (offsets,
/// distances of copies, shapes of signal grids) is evaluated on the largest values that the extents may have.
struct ScratchBuffer {
  tile::AllocOp alloc;
  llvm::SmallVector<mlir::AffineExpr> shape; ///< elements
  mlir::AffineExpr offset;                   ///< bytes from the start of the workspace, a multiple of 256
  mlir::AffineExpr copyBytes;                ///< from one copy to the next, a multiple of 256
  bool padded;                               ///< copyBytes is more than the elements take
};

struct SignalGrid {
  tile::SignalsOp signals;
  llvm::SmallVector<mlir::AffineExpr> shape; ///< signals
  llvm::SmallVector<mlir::AffineExpr> words; ///< as many, but those of chiplets where tasks count by chiplet
  mlir::AffineExpr offset;                   ///< bytes from the start of the signal area; a word takes 128
};

struct Workspace {
  llvm::SmallVector<ScratchBuffer> buffers;
  llvm::SmallVector<SignalGrid> grids;

  /// Where an alloc lies.
  const ScratchBuffer *find(mlir::Value alloc) const {
    return llvm::find_if(buffers, [&](const ScratchBuffer &b) { return b.alloc == alloc.getDefiningOp(); });
  }

  /// Fails, with a diagnostic, where a size is no expression over extents.
  static mlir::FailureOr<Workspace> of(tile::ProgramOp program);
};

/// The expression over the program's extents that `value` holds; null when it is none.
mlir::AffineExpr extentExpression(tile::ProgramOp program, mlir::Value value);

/// Results of an expression list (symbol 0: the world, then `operands`) over the program's extents; empty when an
/// operand is no expression over them.
llvm::SmallVector<mlir::AffineExpr> extentExpressions(tile::ProgramOp program, mlir::AffineMap sizes,
                                                      mlir::ValueRange operands);

/// The shape of argument `index` of the program's buffers over its extents.
llvm::SmallVector<mlir::AffineExpr> argumentShape(tile::ProgramOp program, unsigned index);

/// The strides of argument `index` over its extents; empty where it is contiguous.
llvm::SmallVector<mlir::AffineExpr> argumentStrides(tile::ProgramOp program, unsigned index);

/// Bytes of one element.
int64_t elementBytes(mlir::Type element);

} // namespace tilec
