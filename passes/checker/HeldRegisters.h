// What lies in the registers of `hip.hold` at one point of one path, for `check`.
// Belongs here: which activity fills and which takes a tile of registers. Does not: LDS, memory.
#pragma once

#include "dialect/Hip.h"

#include <map>
#include <optional>
#include <set>

namespace tilec {

/// A tile that nobody has filled has no entry; into one that is pending a product may still write.
enum class HeldTile { Filled, Taken, Pending };
using HeldTiles = std::map<std::pair<mlir::Operation *, int64_t>, HeldTile>;

/// Follows the registers that activities fill and take. Reports, once for each operation: a tile that is taken before
/// anything filled it; one that is filled again before anything took what was there; one that products of a
/// `hip.places` use while an access of it fills the same; one that is taken while an asynchronous product may still
/// write it; a tile whose number is not known or beyond the declared.
class HeldRegisters {
public:
  using NumberOf = llvm::function_ref<std::optional<int64_t>(mlir::Value)>;

  void declare(hip::HoldOp hold, HeldTiles &tiles) const;
  void perform(mlir::Operation *activity, NumberOf numberOf, HeldTiles &tiles);
  void perform(hip::PlacesOp places, NumberOf numberOf, HeldTiles &tiles);
  /// An asynchronous product adds to a tile, or begins one, which is complete behind `complete`.
  void multiply(hip::MultiplyAsyncOp op, NumberOf numberOf, HeldTiles &tiles);
  void complete(mlir::Operation *op, mlir::ValueRange sums, NumberOf numberOf, HeldTiles &tiles);
  void take(mlir::Operation *op, mlir::Value held, NumberOf numberOf, HeldTiles &tiles);
  void put(mlir::Operation *op, mlir::Value held, NumberOf numberOf, HeldTiles &tiles);
  /// What a block declares means nothing behind it.
  static void leave(mlir::Block &block, HeldTiles &tiles);
  bool hasFailed() const { return failed; }

private:
  using Key = std::optional<HeldTiles::key_type>;
  Key keyOf(mlir::Operation *op, mlir::Value held, NumberOf numberOf);
  mlir::InFlightDiagnostic report(mlir::Operation *op);

  std::set<mlir::Operation *> reported;
  bool failed = false;
};

} // namespace tilec
