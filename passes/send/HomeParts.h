// Tiles that tasks store into slots of the ranks that own them.
// Belongs here: one such store, its slots and its signal.
#pragma once

#include "passes/send/SentTiles.h"

namespace tilec {

class HomeParts : SentTiles {
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
  using SentTiles::SentTiles;

  bool matchPlace();
  bool matchGuard();
  bool matchSignal();
  bool matchTile();
  bool matchUsers();
  mlir::Value partOf(mlir::OpBuilder &builder, tile::AllocOp buffer, mlir::Value index);
  void storeAtHome(tile::AllocOp home, tile::SignalsOp counts);
  void awaitPieces(tile::SignalsOp arrived);
  void makeEngine(tile::AllocOp home, tile::SignalsOp counts, tile::SignalsOp arrived);
  void sendPiece(mlir::OpBuilder &builder, mlir::ValueRange task, tile::AllocOp home, tile::SignalsOp counts,
                 tile::SignalsOp arrived);

  tile::AllocOp slots;
  tile::SignalOp signal;
  tile::SignalsOp grid;
};

} // namespace tilec
