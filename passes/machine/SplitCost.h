// What a product takes whose tasks have a compute unit each: where tiles are few, and the depth may be split.
// Belongs here: clocks of one round of tasks that a copy engine may feed. Does not: the choice (choose/LoopChoice).
#pragma once

#include "passes/machine/LoopCost.h"

#include <utility>

namespace tilec {

/// Tiles of a product that are one task's each, and parts of those behind them.
struct SharedTiles {
  int64_t whole = 0, parts = 1;
};

/// Those with which a product takes fewest clocks that has more tiles than the target has units, and what it takes
/// then: rounds of whole tiles, those of the parts, storing these and adding them up. No shared tiles where no way is
/// faster. A part has `cost.slots` steps twice at least.
std::pair<SharedTiles, double> cheapestLastRound(const ProductShape &shape, const LoopCost &cost, const Target &target);

/// Clocks of a product of no more tasks, tiles times parts of the depth, than the target has units, each on one of
/// them; `cost` is that of its loop. The loop takes what a unit by itself can ask of the caches, or the latency of
/// copies that no cache has, and all of them together what memory gives: every byte of the operands once. Parts are
/// then published, and added up one after the other by the last task of each tile, while all of them pass the caches
/// twice. Within 5 % (root mean square, with the launch) of 109 texts for 20 products on an H100: docs/figures.md, "Few
/// tiles of a long depth".
double clocksOfOneRound(const ProductShape &shape, const LoopCost &cost, const Target &target);

/// The same of a loop that no copy engine feeds, on a machine that has one: `cost` itself, which holds what adding the
/// parts up takes, and no less than memory and that take.
double clocksWithMemory(const ProductShape &shape, const LoopCost &cost, const Target &target);

} // namespace tilec
