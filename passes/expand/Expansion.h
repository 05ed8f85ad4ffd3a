// What the expansions of collectives and matmul share: the pattern, the world and builders of tile loops.
#pragma once

#include "passes/analysis/IndexForm.h"

namespace tilec {

/// How the grid of a product is cut for the ranks: so many rows (dimension 0) or columns (1) of the result for each.
struct Shard {
  mlir::AffineExpr size; ///< null where it is not cut
  unsigned dim = 0;

  explicit operator bool() const { return static_cast<bool>(size); }
};

class Expansion {
public:
  Expansion(tile::ProgramOp program, tile::PatternAttr pattern);

  int64_t world() const { return numRanks; }
  tile::PatternAttr getPattern() const { return pattern; }
  /// This rank's number: one value for the whole program.
  mlir::Value rank() const { return rankValue; }
  /// The rank operand of an access: null in a world of one, where there is nobody else.
  mlir::Value peer(mlir::Value rank) const { return numRanks == 1 ? mlir::Value() : rank; }

  /// One rank's shard, when the pattern needs the grid of this matmul aligned to shards.
  Shard shardOf(tile::MatmulOp op) const { return shards.lookup(op); }

  /// The same of the product that makes a buffer.
  Shard shardOf(mlir::Value product) const { return scattered.lookup(product); }

  /// A tile loop with these bounds, each bound simplified; its indices get the names, which reach the generated text.
  tile::ForallOp forall(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<mlir::AffineExpr> bounds,
                        llvm::ArrayRef<llvm::StringRef> names = {});
  mlir::Value load(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value buffer, mlir::ValueRange indices,
                   llvm::ArrayRef<int64_t> tile, mlir::Value from = {});
  void store(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Value buffer,
             mlir::ValueRange indices, mlir::Value to = {});
  mlir::Value zero(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<int64_t> tile, mlir::Type element);
  /// The tile with another element type.
  mlir::Value cast(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tile, mlir::Type element);
  /// An expression as a subview operand: a constant where it is one.
  mlir::OpFoldResult fold(mlir::OpBuilder &builder, mlir::Location loc, mlir::AffineExpr expr);
  /// A unit-stride view of a buffer.
  mlir::Value view(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value buffer,
                   llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<mlir::OpFoldResult> sizes);
  /// Block `index` of a buffer along a dimension, `size` elements long.
  mlir::Value block(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value buffer, unsigned dim, mlir::Value index,
                    mlir::AffineExpr size);

  /// A view as another rank makes it: what depends on this rank's number is computed anew from `peer`, here. The buffer
  /// itself where nothing does.
  mlir::Value onRank(mlir::OpBuilder &builder, mlir::Value buffer, mlir::Value peer);
  /// Whether ranks make a view in different places.
  bool dependsOnRank(mlir::Value buffer);

private:
  tile::ProgramOp program;
  tile::PatternAttr pattern;
  int64_t numRanks;
  mlir::Value rankValue;
  llvm::DenseMap<mlir::Operation *, Shard> shards;
  llvm::DenseMap<mlir::Value, Shard> scattered;
};

/// Expands one product; reports and fails where its last tiles cannot be split.
llvm::LogicalResult expandMatmul(Expansion &expansion, tile::MatmulOp op);

/// Expands a reduction that says where its element is; in any block.
void expandArgReduce(tile::ArgReduceOp op);

/// Expands one collective; reports and fails when the buffers do not allow the pattern.
llvm::LogicalResult expandCollective(Expansion &expansion, tile::CollectiveOpInterface op);

} // namespace tilec
