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

/// What it takes to add the parts up.
static double sumClocks(const ProductShape &shape, const LoopCost &cost, const Target &target) {
  if (shape.parts == 1)
    return 0;
  const TargetTimes &times = target.times;
  const double published = (times.releaseMicroseconds + times.lookMicroseconds) * double(target.clockMhz);
  const double parts = double(shape.parts), share = target.chipletCache.bytesPerClock / double(target.unitsPerChiplet);
  const double ofTile = share > 0 ? double(cost.tiles.rows * cost.tiles.columns) * kSumBytes / share : 0;
  const double cached = perClock(target.lastCache.gbPerSecond * target.reached.caches, target);
  const double passed = double(shape.rows) * double(shape.columns) * 2 * kSumBytes / cached;
  return published + parts * (ofTile + passed);
}

double clocksOfOneRound(const ProductShape &shape, const LoopCost &cost, const Target &target) {
  return std::max(loopClocks(shape, cost, target), memoryClocks(shape, target)) + sumClocks(shape, cost, target);
}

double clocksWithMemory(const ProductShape &shape, const LoopCost &cost, const Target &target) {
  return std::max(cost.clocks, memoryClocks(shape, target) + sumClocks(shape, cost, target));
}

} // namespace tilec
