// What a task of a product does: the loop over the depth, and what becomes of its sums.
// Belongs here: the task of one tile, or of a part of its depth. Does not: which tasks there are (ExpandMatmul,
// SplitMatmul).
#pragma once

#include "passes/expand/Expansion.h"

namespace tilec {

/// Operands of a task: all of them, or what is the task's part of a split depth.
struct Operands {
  mlir::Value lhs;
  llvm::SmallVector<mlir::Value> rhs;
  mlir::Value steps;      ///< tiles along the depth of a part; null where it is all of it
  mlir::Value first = {}; ///< tiles of the depth before those; null where there are none
};

/// A tile of a matmul's grid: of all of the result, or of every rank's shard by itself, so that no tile crosses shards.
struct Place {
  Shard shard;
  mlir::Value base; ///< first row or column of the shard of this task; null without shards
  mlir::Value rowTile, colTile;
  llvm::SmallVector<mlir::Value> matrix = {}; ///< which of the products, of several side by side

  mlir::Value baseOf(unsigned dim) const { return shard.dim == dim ? base : mlir::Value(); }
};

/// The element type of a product's sums.
mlir::Type sumTypeOf(tile::MatmulOp op);

/// Tiles of so many elements along a depth.
mlir::Value tilesAlong(mlir::OpBuilder &builder, mlir::Location loc, mlir::AffineExpr depth, int64_t step);

/// The loop over the contracted dimension; one accumulator for each right-hand side, of the transposed tile where
/// operands are swapped.
llvm::SmallVector<mlir::Value> multiplyTile(Expansion &expansion, mlir::OpBuilder &builder, tile::MatmulOp op,
                                            const Operands &operands, const Place &place,
                                            llvm::ArrayRef<int64_t> tiles);

/// The author's epilogue on the accumulators, or a cast.
mlir::Value finishTile(Expansion &expansion, mlir::OpBuilder &builder, tile::MatmulOp op, mlir::ValueRange sums,
                       const Place &place, llvm::ArrayRef<int64_t> tiles);

/// The end of a tile whose depth several tasks had: adds up their sums, finishes and stores. Each buffer in `from` has
/// the parts of one right-hand side's sums, along its first dimension; `at` is the tile in the others. One part after
/// the other, and as few columns at a time as the registers of sums should be, where the epilogue allows it. `after`: a
/// token that the loads come after, or null.
void mergeParts(Expansion &expansion, mlir::OpBuilder &builder, tile::MatmulOp op, llvm::ArrayRef<mlir::Value> from,
                mlir::ValueRange at, const Place &place, llvm::ArrayRef<int64_t> tiles, mlir::Value after = {});

/// A product whose tiles are shared by tasks, `op.getSplit()` of each: of all tiles, or of those behind the first
/// `op.getBehind()`. Reports and fails where the tiles that are shared are not known, or others wait for them.
llvm::LogicalResult expandSplit(Expansion &expansion, tile::MatmulOp op, llvm::ArrayRef<int64_t> tiles);

} // namespace tilec
