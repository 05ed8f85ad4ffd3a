// A buffer in LDS that becomes a ring, and the operations that fill and read its slots.
// Belongs here: one operand. Does not: loops, and what stands where in them.
#pragma once

#include "dialect/Tile.h"
#include "passes/machine/BankConflicts.h"

namespace tilec::schedule {

mlir::Location named(llvm::StringRef name, mlir::Location loc);
/// The place alone: what is made there does not have the name of what was.
mlir::Location unnamed(mlir::Location loc);

/// What one buffer in LDS is filled from, a tile of some columns (or rows) at each step, and who reads it. Where each
/// step of a product takes other rows, and the buffer holds the transpose, the ring is one of transposed tiles: all
/// that works on it is as for an operand that lies transposed in memory, but for the fetch.
struct RingOperand {
  tile::LoadOp load;
  tile::SharedStoreOp store;
  llvm::SmallVector<tile::SharedLoadOp> reads;
  llvm::SmallVector<mlir::Value> after; ///< tokens that what is copied next comes after
  mlir::Value ring = {};                ///< the buffer with slots
  bool byRows = false;                  ///< a step takes further rows, as they lie
  mlir::MemRefType laid = {}; ///< a slot whose rows lie as in memory, for copies past the registers; else null
  mlir::Value matrix = {};    ///< of a buffer with more dimensions the two that tiles have; else null

  /// Whether fetches transpose: a step takes further rows, which are columns of the tile in the ring.
  bool isAcross() { return !byRows && store.getTransposed(); }
  /// Of the last two indices of the load that of the step, and the other one.
  unsigned stepDim() { return byRows || isAcross() ? 0 : 1; }
  /// How a tile in registers lies in the ring, of the type that it has without one.
  mlir::RankedTensorType inRing(mlir::RankedTensorType tile);

  mlir::MemRefType slotType() { return laid ? laid : llvm::cast<mlir::MemRefType>(store.getBuffer().getType()); }

  /// Elements of one access to memory.
  int64_t vector();

  /// Columns, or rows, of a step.
  int64_t depth() { return load.getType().getDimSize(stepDim()); }
  mlir::Value buffer() { return matrix ? matrix : load.getBuffer(); }
  /// The coordinates of a tile along the depth.
  llvm::SmallVector<mlir::Value> indicesAt(mlir::Value tile);
  /// Makes `matrix`.
  void declareMatrix(mlir::OpBuilder &builder);

  /// Whether copies can go past the registers, by so many waves.
  bool isDirect(const SharedMemory &memory, int64_t waves);
  /// Gives rows that steps take the slot that such copies fill, if there is one that all reads can read.
  bool layDown(const SharedMemory &memory, int64_t waves);
  /// Accesses that a wave issues for one such copy.
  int64_t copyAccesses(const SharedMemory &memory, int64_t waves);
  /// Makes the ring beside the buffer, which stays.
  void declareRing(int64_t slots);

  /// Into registers.
  mlir::Value fetch(mlir::OpBuilder &builder, mlir::Value tile);
  /// From registers to a slot.
  void deposit(mlir::OpBuilder &builder, mlir::Value fetched, mlir::Value slot);
  /// Past the registers.
  void copy(mlir::OpBuilder &builder, mlir::Value tile, mlir::Value slot);
  /// As one of `reads` does.
  mlir::Value read(mlir::OpBuilder &builder, tile::SharedLoadOp like, mlir::Value slot);
};

/// A load of a loop that takes further rows, or columns, of a matrix at each step, into registers alone: scales.
/// Fetches can make it, which share what they compute before the loop.
struct SteppedLoad {
  tile::LoadOp load;
  bool byRows;                   ///< else columns
  mlir::RankedTensorType matrix; ///< the tile, with the dimensions that it leaves out

  /// Of a load whose indices are known before the loop but for the step.
  static std::optional<SteppedLoad> of(tile::LoadOp load, mlir::Value step);

  int64_t depth() { return matrix.getDimSize(byRows ? 0 : 1); }
  /// The tile of a step as a matrix, and back.
  mlir::Value fetch(mlir::OpBuilder &builder, mlir::Value step);
  mlir::Value shape(mlir::OpBuilder &builder, mlir::Value fetched);
  /// Whether its rows begin where an access may.
  mlir::Value regular(mlir::OpBuilder &builder, mlir::Location loc);
  /// Steps whose tiles lie in the buffer.
  mlir::Value steps(mlir::OpBuilder &builder, mlir::Location loc);

private:
  llvm::SmallVector<mlir::Value> indicesAt(mlir::Value step);
};

/// Whether rows of all of them begin where an access may.
mlir::Value regularOf(mlir::OpBuilder &builder, mlir::Location loc, llvm::MutableArrayRef<RingOperand> operands);

/// Steps whose tiles have all their columns, or rows, in the buffers, at most `steps`; 0 where the buffers are not
/// regular. `first`: tiles along the depth before that of step 0, or null.
mlir::Value wholeSteps(mlir::OpBuilder &builder, mlir::Location loc, llvm::MutableArrayRef<RingOperand> operands,
                       llvm::MutableArrayRef<SteppedLoad> beside, mlir::Value first, mlir::Value steps);

/// A step that is known when compiling, or the last one where there is no such step: of it alone is it known that it
/// may be fetched.
mlir::Value noLater(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value step, mlir::Value last);

} // namespace tilec::schedule
