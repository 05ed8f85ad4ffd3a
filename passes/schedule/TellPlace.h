// Where a task hands on what a wave of the producer tells others, and what that wave needs to know there.
// Belongs here: the `tile.tell` with its guards and numbers. Does not: what is told (Telling, Sending).
#pragma once

#include "dialect/Tile.h"
#include "passes/schedule/Remade.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilec::schedule {

/// Waves of a producer that fill slots; those behind them have nothing to do.
constexpr int64_t kFillingWaves = 1;

/// Whether the producer of a kernel has a wave that could tell others.
bool hasTeller(tile::KernelOp kernel);

/// A place behind an operation of a task, as every task comes by: where the operation stands in branches it is behind
/// the outermost, and what is told is guarded as the operation is.
class TellPlace {
public:
  /// None where the task does more behind the operation in its branch, or the operation stands in a loop or in what the
  /// last of several tasks does.
  static std::optional<TellPlace> behind(mlir::Operation *op);

  /// Whether a value is there, or can be made there. Tokens of a branch cannot: behind a `tile.tell` everything counts
  /// as stored.
  bool reaches(mlir::Value value) const { return remade.reaches(value); }
  /// Makes the `tile.tell`, once. Returns a builder in it, behind its guards.
  mlir::OpBuilder begin(mlir::Location loc);
  /// The value for what stands there.
  mlir::Value bring(mlir::OpBuilder &builder, mlir::Value value) { return remade.bring(builder, value); }

private:
  struct Guard {
    mlir::Value condition;
    bool otherwise; ///< it is told where the condition does not hold
  };

  explicit TellPlace(mlir::Operation *outer) : outer(outer), remade(outer) {}

  mlir::Operation *outer;          ///< what the task itself has of the operation
  llvm::SmallVector<Guard> guards; ///< the innermost first
  Remade remade;
};

} // namespace tilec::schedule
