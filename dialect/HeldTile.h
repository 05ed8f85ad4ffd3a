// How a workgroup holds a tile, computed as the device headers compute it (`tilec::Layout`).
// Belongs here: what verifiers ask of one layout. Does not: which layout a tile gets (passes/layout/LayoutSolver.h).
#pragma once

#include "dialect/Tile.h"

namespace tilec::hip {

/// A tile in registers. A point of it has 16 bits for each coordinate, so that points add by XOR, as `tilec::Point`.
struct HeldTile {
  /// The type has a layout that `verifyHeld` accepts.
  explicit HeldTile(mlir::RankedTensorType type);

  unsigned rank;
  llvm::SmallVector<int64_t, 4> shape;
  llvm::SmallVector<uint64_t, 8> registers, threads; ///< bases; those of threads are lanes first, then waves
  unsigned laneBits;
  uint64_t redundant = 0; ///< bits (registers first) whose basis depends on those before it: replicas
  unsigned imageBits = 0; ///< dimension of the image: the tile's box is covered when it has 2^imageBits elements

  static int64_t coordinate(uint64_t point, unsigned dim) { return point >> (16 * dim) & 0xffff; }
  /// The point without some of its coordinates, the others moved down.
  uint64_t drop(uint64_t point, llvm::ArrayRef<int64_t> dims) const;
  /// Those that hold elements of the tile: of a side that is no power of two, the last ones lie beyond it.
  unsigned numRegisters() const;
  /// The part of the coordinates that a register contributes.
  uint64_t ofRegister(unsigned index) const;
  /// The register that contributes `point`, of those whose number has no bit of `without`; -1 where none does.
  int registerAt(uint64_t point, unsigned without = 0) const;
  /// Zero for a bit that this workgroup has not.
  uint64_t threadBasis(unsigned bit) const { return bit < threads.size() ? threads[bit] : 0; }
};

/// The registers of an operand of a product in the order (row, k), where `row` is the dimension that is not summed.
struct OperandOrder {
  OperandOrder(const HeldTile &tile, unsigned row);

  /// Distinct values of k that registers of one row hold.
  unsigned steps() const { return places.size() / rows; }
  int64_t k(unsigned step) const { return places[step].second; }
  bool hasRow(int64_t wanted) const;

private:
  llvm::SmallVector<std::pair<int64_t, int64_t>> places; ///< (row, k) of each register, sorted
  unsigned rows;
};

/// Reports a tile without a layout, or with one that the device headers refuse.
mlir::LogicalResult verifyHeld(mlir::Operation *op, mlir::RankedTensorType type);

/// The dimension along which parts of a tile of two dimensions follow each other through LDS, of which each fills a
/// buffer of shape `part`: columns where it holds all of the tile. Nothing where the tile is not so many of these, or
/// LDS has no such buffer.
std::optional<unsigned> dimOfParts(llvm::ArrayRef<int64_t> tile, llvm::ArrayRef<int64_t> part);

/// Why a tile cannot pass from one layout to the other within its waves, a part after the other: as
/// `tilec::rearrange` has it. Empty where it can. `part` has a `dimOfParts`.
llvm::StringRef whyNotRearranged(mlir::RankedTensorType from, mlir::RankedTensorType to, llvm::ArrayRef<int64_t> part);

/// Rows that a wave has of a part of a tile in LDS, whose placement there is `swizzle`, for the copy engine to store:
/// its own ones, behind those of the wave before. 0 where waves hold no such rows, or where the engine does not know
/// the placement.
int64_t rowsOfWave(mlir::RankedTensorType held, llvm::ArrayRef<int64_t> part, tile::SharedAttr swizzle);
/// These rows, as a tile in LDS; null without.
SharedType boxOfWave(mlir::RankedTensorType held, SharedType part);

/// Whether an access of `vector` elements moves registers 0 .. vector - 1, then the next ones, along the last
/// dimension.
bool movesRuns(const HeldTile &tile, int64_t vector);
/// The same along a dimension.
bool movesRuns(const HeldTile &tile, int64_t vector, unsigned dim);
/// Whether no two bases set the same bit, so that the places of register and thread add up to that of the element.
bool isInDisjointBits(const HeldTile &tile);

} // namespace tilec::hip
