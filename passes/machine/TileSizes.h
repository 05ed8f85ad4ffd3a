// The sizes of a matrix product's tiles, by the cost of one product on a target.
// Belongs here: what a tile needs and costs. Does not: IR, the wave grid of a tile (MatrixInstruction, Partition).
#pragma once

#include "passes/machine/Target.h"

namespace tilec {

/// A product rows x depth times depth x columns, with several right-hand sides that share the left one.
struct ProductShape {
  int64_t rows = 0, columns = 0, depth = 0;
  int64_t rightSides = 1;
  int64_t bytes = 2;     ///< of an operand's element
  std::string element;   ///< as target files spell it: bf16
  bool fast = false;     ///< matrix instructions may keep fewer bits of their sums
  bool promoted = false; ///< they may within a step
  int64_t parts = 1;     ///< of the depth, each a task's
  bool mapped = false;   ///< a copy engine can read both operands, whose rows lie along the depth
};

struct TileSizes {
  int64_t rows = 0, columns = 0, depth = 0;
};

/// The sizes one may choose from, each a power of two.
struct TileChoices {
  llvm::SmallVector<int64_t> rows, columns, depth;
};

/// Whether the sums of a step and those of all steps lie in registers of their own: instructions that keep fewer bits
/// than the product may lose add up the former.
bool holdsSumsTwice(const ProductShape &shape, int64_t depth, const Target &target);

/// Waves of a workgroup whose tile has so many sums: the fewest, from 256 threads on, that hold them in their
/// registers.
int64_t productWaves(int64_t sums, const Target &target);

/// Clocks of the whole product with these tiles: rounds of tiles over the compute units; a step over the depth of a
/// tile takes what the slowest of matrix units, LDS, caches and the latency of its copies takes, the latter shared by
/// the workgroups that a unit holds. 0 when the tile does not fit: two slots of operands in the target's LDS; sums,
/// operands of two steps and a step on its way in the registers of its waves.
double productClocks(const ProductShape &shape, const TileSizes &tiles, const Target &target);

/// Whether a copy engine fills slots with the operands of such tiles, which matrix units read there.
bool isStreamed(const ProductShape &shape, const TileSizes &tiles, const Target &target);

/// The choice with the fewest clocks; the larger tile of equals. When none fits, the smallest choices.
TileSizes chooseTileSizes(const ProductShape &shape, const TileChoices &choices, const Target &target);

} // namespace tilec
