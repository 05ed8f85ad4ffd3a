// Bytes divided by rates, once for a unit and once for the machine.
#include "passes/machine/SplitCost.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace tilec {

/// Bytes of a partial sum.
static constexpr double kSumBytes = 4;

/// Bytes a clock of a machine that gives so many GB/s.
static double perClock(double gbPerSecond, const Target &target) {
  return gbPerSecond * 1e9 / (double(target.clockMhz) * 1e6);
}

/// What one task's loop takes of its unit.
static double loopClocks(const ProductShape &shape, const LoopCost &cost, const Target &target) {
  const double share = target.chipletCache.bytesPerClock / double(target.unitsPerChiplet);
  const double rate = target.vectorCache.bytesPerClock > 0 ? target.vectorCache.bytesPerClock : share;
  const double bytes = double((cost.tiles.rows * shape.leftSides + cost.tiles.columns * shape.rightSides) *
                              cost.tiles.depth * shape.bytes);
  const double latency = target.times.missedClocks / double(std::max<int64_t>(1, cost.slots - 1));
  const double step = std::max({cost.matrix, latency, rate > 0 ? bytes / rate : 0});
  return double(llvm::divideCeil(shape.depth, cost.tiles.depth * shape.parts)) * step;
}

/// What memory takes for operands that no cache has, and the result.
static double memoryClocks(const ProductShape &shape, const Target &target) {
  const double elements = double(shape.rows * shape.leftSides) * double(shape.depth) +
                          double(shape.columns * shape.rightSides) * double(shape.depth) +
                          double(shape.rows) * double(shape.columns);
  return elements * double(shape.bytes) / perClock(target.memoryGbPerSecond * target.reached.memory, target);
}

/// What a unit takes to move the sums of a tile to or from the caches, at its share of their rate.
static double tileClocks(const LoopCost &cost, const Target &target) {
  const double share = target.chipletCache.bytesPerClock / double(target.unitsPerChiplet);
  return share > 0 ? double(cost.tiles.rows * cost.tiles.columns) * kSumBytes / share : 0;
}

/// What it takes to add up the parts of so many elements.
static double sumClocks(double elements, int64_t numParts, const LoopCost &cost, const Target &target) {
  if (numParts == 1)
    return 0;
  const TargetTimes &times = target.times;
  const double published = (times.releaseMicroseconds + times.lookMicroseconds) * double(target.clockMhz);
  const double cached = perClock(target.lastCache.gbPerSecond * target.reached.caches, target);
  const double passed = elements * 2 * kSumBytes / cached;
  return published + double(numParts) * (tileClocks(cost, target) + passed);
}

/// The same of all tiles.
static double sumClocks(const ProductShape &shape, const LoopCost &cost, const Target &target) {
  return sumClocks(double(shape.rows) * double(shape.columns), shape.parts, cost, target);
}

std::pair<SharedTiles, double> cheapestLastRound(const ProductShape &shape, const LoopCost &cost,
                                                 const Target &target) {
  constexpr int64_t kMostParts = 8;
  const int64_t units = target.units(), steps = llvm::divideCeil(shape.depth, cost.tiles.depth);
  const int64_t tiles =
      llvm::divideCeil(shape.rows, cost.tiles.rows) * llvm::divideCeil(shape.columns, cost.tiles.columns);
  const int64_t rounds = tiles / units;
  std::pair<SharedTiles, double> best{{tiles, 1}, cost.clocks};
  if (rounds == 0 || tiles % units == 0)
    return best;
  const double round = cost.clocks / double(rounds + 1);
  for (int64_t whole = rounds; whole > std::max<int64_t>(0, rounds - 2); --whole)
    for (int64_t parts = 2; parts <= kMostParts && steps / parts >= 2 * cost.slots; ++parts) {
      const int64_t shared = tiles - whole * units;
      const double taken = double(llvm::divideCeil(shared * parts, units)) / double(parts);
      const double clocks = (double(whole) + taken) * round +
                            sumClocks(double(shared * cost.tiles.rows * cost.tiles.columns), parts, cost, target);
      if (clocks < best.second)
        best = {{whole * units, parts}, clocks};
    }
  return best;
}

double clocksOfOneRound(const ProductShape &shape, const LoopCost &cost, const Target &target) {
  return std::max(loopClocks(shape, cost, target), memoryClocks(shape, target)) + sumClocks(shape, cost, target);
}

double clocksWithMemory(const ProductShape &shape, const LoopCost &cost, const Target &target) {
  return std::max(cost.clocks, memoryClocks(shape, target) + sumClocks(shape, cost, target));
}

} // namespace tilec
