// Tiles that tasks store to all ranks, as parts of what every rank has whole in the end.
// Belongs here: one such store. Does not: tiles that others wait for one by one.
#pragma once

#include "passes/send/SentTiles.h"

namespace tilec {

class GatheredTiles : SentTiles {
public:
  /// The store of a task to each rank in turn, at the task's own coordinates, of which ranks hear at the end of the
  /// kernel alone. Tasks may be those of this rank's part of a sum alone. None where a task waits with its peers.
  static std::optional<GatheredTiles> match(tile::StoreOp store);

  /// Tasks store at home and count; the engine sends a piece to all others when all that it is made of have counted.
  /// It signals once for all pieces that lie beside each other, and ranks wait for that before they leave.
  void rewrite();

  /// Ranks need not tell each other that they are done in a kernel which accesses the memory of others by the engine
  /// alone, and for such tiles alone: each has waited for what comes to it. Slots of sums are free for a later launch
  /// when their owner has told so. Call when all stores of the kernel have been rewritten.
  static void dropDone(tile::KernelOp kernel);

private:
  using SentTiles::SentTiles;

  bool matchTasks();
  mlir::Value placeIn(mlir::OpBuilder &builder);
  void storeAtHome(tile::SignalsOp counts);
  void sendRow(mlir::OpBuilder &builder, mlir::Value row, tile::SignalsOp counts, tile::SignalsOp arrived);
  mlir::Value sendPiece(mlir::OpBuilder &builder, mlir::ValueRange at, tile::SignalsOp counts, mlir::Value sent);
  void signalOthers(mlir::OpBuilder &builder, mlir::Value row, tile::SignalsOp arrived, mlir::Value sent);
  tile::RoleOp lastRole();
  void awaitOthers(tile::SignalsOp arrived);

  int64_t world;
  mlir::scf::ForOp ranks; ///< the loop in which the tile goes to each
};

} // namespace tilec
