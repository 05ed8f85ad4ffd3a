// Tiles that tasks store to other ranks, kept at home and sent on by the copy engine, many in a piece.
// Belongs here: what pieces are, and the role of the engine that sends them. Does not: which tiles (HomeParts,
// GatheredTiles), what the engine is (tilec/engine.h).
#pragma once

#include "dialect/Tile.h"

namespace tilec {

class SentTiles {
protected:
  /// Requests to an engine that a count which it takes is (`tilec/engine.h`).
  static constexpr int64_t kRequestsOfTake = 6;

  explicit SentTiles(tile::StoreOp store) : store(store) {}

  /// Nothing is beside the kernel yet, or an engine that waits for tasks of it: others copy while nothing of the launch
  /// has happened, so that what they copy to their own rank would come too late behind a wait.
  bool matchEngine();

  /// Tiles that tasks make one after the other: in windows of rows where they are grouped, several of them where one
  /// has few columns, else row by row. So many columns of them as the granularity says, where it is a group; else about
  /// as many bytes as are sent well, or more: an engine takes only so many requests in a launch, of which a piece is
  /// some (`requests`).
  void choosePieces(int64_t bytes, int64_t requests);

  /// What the program calls a dimension of the tiles.
  llvm::StringRef nameOf(unsigned dim);
  mlir::Location named(llvm::StringRef name) const;
  /// How many tiles there are in a dimension.
  mlir::Value tilesIn(mlir::OpBuilder &builder, unsigned dim);
  /// How many pieces there are in each dimension.
  llvm::SmallVector<mlir::AffineExpr> pieces() const;
  /// The pieces that tiles are in, by their coordinates.
  llvm::SmallVector<mlir::Value> piecesOf(mlir::OpBuilder &builder, mlir::ValueRange coordinates);
  /// How many tasks make a piece: those at the end of a dimension have what is left there.
  mlir::Value tasksOf(mlir::OpBuilder &builder, mlir::ValueRange piece);

  /// A grid of counts, one for each word of `sizes`.
  tile::SignalsOp declareCounts(llvm::ArrayRef<mlir::AffineExpr> sizes);
  /// A loop over tasks of the engine, in a new role beside the kernel; its body is empty, and its indices have no
  /// names.
  tile::ForallOp makeTasks(llvm::ArrayRef<mlir::AffineExpr> sizes);
  /// What tasks of the engine compute twice, once.
  void cleanEngine();

  tile::StoreOp store;
  tile::ForallOp tasks;
  tile::KernelOp engine; ///< of other stores in front of the kernel; null where there are none yet
  mlir::Value rank;
  llvm::SmallVector<mlir::AffineExpr> tiles; ///< how many there are, in each dimension; the last indices of tasks
  llvm::SmallVector<int64_t> piece;          ///< tiles of one in each dimension

private:
  std::string nameOfEngine();
  void choosePiece(int64_t bytes);
  bool isTakenByEngine(int64_t requests) const;
};

} // namespace tilec
