// Tiles that tasks store into slots of the ranks that own them, kept at home and sent on by the copy engine.
// Belongs here: one such store, its slots and its signal. Does not: what the engine is (tilec/engine.h).
#pragma once

#include "dialect/Tile.h"

namespace tilec {

class HomeParts {
public:
  /// The store of a task to the rank that its first index names, unless that is its own, into the slots that this rank
  /// has there; with one signal for each tile. None where anything else uses slots or signals.
  static std::optional<HomeParts> match(tile::StoreOp store);

  /// Tasks store at home and count; the engine sends a piece of many tiles when all that it is made of have counted,
  /// and signals once for it.
  void rewrite();

  /// How many tasks there are for each rank; nothing where that is known at launch alone.
  std::optional<int64_t> tasksOfPart() const;

private:
  explicit HomeParts(tile::StoreOp store) : store(store) {}

  bool matchPlace();
  bool matchGuard();
  bool matchSignal();
  bool matchTile();
  bool matchUsers();
  bool matchEngine();
  std::string nameOfEngine();
  void choosePieces();
  llvm::StringRef nameOf(unsigned index);
  mlir::Value tilesIn(mlir::OpBuilder &builder, unsigned dim);
  mlir::Value partOf(mlir::OpBuilder &builder, tile::AllocOp buffer, mlir::Value index);
  mlir::Value pieceOf(mlir::OpBuilder &builder, mlir::Value tile, unsigned dim);
  mlir::Value tasksOf(mlir::OpBuilder &builder, mlir::ValueRange piece);
  void storeAtHome(tile::AllocOp home, tile::SignalsOp counts);
  void awaitPieces(tile::SignalsOp arrived);
  void makeEngine(tile::AllocOp home, tile::SignalsOp counts, tile::SignalsOp arrived);
  void sendPiece(mlir::OpBuilder &builder, mlir::ValueRange task, tile::AllocOp home, tile::SignalsOp counts,
                 tile::SignalsOp arrived);

  tile::StoreOp store;
  tile::ForallOp tasks;
  tile::AllocOp slots;
  tile::SignalOp signal;
  tile::SignalsOp grid;
  tile::KernelOp engine; ///< of other stores in front of the kernel; null where there are none yet
  mlir::Value rank;
  llvm::SmallVector<mlir::AffineExpr> tiles; ///< how many there are in a part, in each dimension
  llvm::SmallVector<int64_t> piece;          ///< tiles of one in each dimension
};

} // namespace tilec
