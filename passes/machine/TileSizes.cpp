// Enumerates tile sizes and weighs them. Knows nothing of programs.
#include "passes/machine/TileSizes.h"
#include "tilec/constants.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

namespace tilec {

// Threads of a workgroup, the registers a lane may hold of all accumulators (the other half of a lane's vector
// registers is for operands and addresses).
static constexpr int64_t kThreads = 256, kAccumulators = 64;

static double ceilDiv(double a, double b) { return std::ceil(a / b); }

/// Clocks of the matrix units of one compute unit for one multiplication and addition.
static double clocksPerProduct(const ProductShape &shape, const Target &target) {
  double best = 0;
  for (const MatrixInstructionInfo &info : target.matrix)
    if (llvm::is_contained(info.operands, shape.element))
      best = std::max(best, double(info.m * info.n * info.k) / double(info.cycles));
  // Without a matrix instruction a lane multiplies once a clock; a SIMD issues a wave in four.
  return 1 / (std::max(best, double(target.waveLanes) / 4) * double(target.simdsPerUnit));
}

static bool fits(const ProductShape &shape, const TileSizes &tiles, const Target &target) {
  int64_t accumulators = tiles.rows * tiles.columns * shape.rightSides / kThreads;
  int64_t staged = 2 * (tiles.rows + shape.rightSides * tiles.columns) * tiles.depth * shape.bytes;
  return accumulators <= kAccumulators &&
         staged + int64_t(llvm::alignTo(reserved_lds, kSharedAlignment)) <= target.lds.bytes;
}

double productClocks(const ProductShape &shape, const TileSizes &tiles, const Target &target) {
  if (!fits(shape, tiles, target))
    return 0;
  double rows = double(tiles.rows), columns = double(tiles.columns * shape.rightSides);
  double bytes = double(tiles.depth * shape.bytes);
  double matrix = rows * columns * double(tiles.depth) * clocksPerProduct(shape, target);
  // Four waves, two by two: every operand is read by two of them.
  double shared = 3 * (rows + columns) * bytes / double(target.lds.banks * target.lds.bankBytes);
  double cache = target.chipletCache.bytesPerClock > 0
                     ? (rows + columns) * bytes * double(target.unitsPerChiplet) / target.chipletCache.bytesPerClock
                     : 0;
  const TargetTimes &times = target.times;
  // One iteration of prefetch has to cover the latency of its loads.
  double pass = std::max({matrix, shared, cache, times.loadClocks}) + times.barrierClocks +
                times.stalled * (matrix + shared + cache);
  double tasks = ceilDiv(double(shape.rows), rows) * ceilDiv(double(shape.columns), double(tiles.columns));
  return ceilDiv(tasks, double(target.units())) * ceilDiv(double(shape.depth), double(tiles.depth)) * pass;
}

TileSizes chooseTileSizes(const ProductShape &shape, const TileChoices &choices, const Target &target) {
  TileSizes best{*llvm::min_element(choices.rows), *llvm::min_element(choices.columns),
                 *llvm::min_element(choices.depth)};
  double fewest = 0;
  for (int64_t rows : choices.rows)
    for (int64_t columns : choices.columns)
      for (int64_t depth : choices.depth) {
        TileSizes tiles{rows, columns, depth};
        double clocks = productClocks(shape, tiles, target);
        bool larger = rows * columns * depth > best.rows * best.columns * best.depth;
        if (clocks > 0 && (fewest == 0 || clocks < fewest || (clocks == fewest && larger))) {
          best = tiles;
          fewest = clocks;
        }
      }
  return best;
}

} // namespace tilec
