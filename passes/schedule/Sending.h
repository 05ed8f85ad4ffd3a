// Tiles that tasks store to all ranks, sent by a wave of the producer.
// Belongs here: which stores, and what they become. Does not: how pieces pass through LDS (tilec/relay.h).
#pragma once

#include "dialect/Tile.h"
#include "passes/machine/Target.h"

namespace tilec::schedule {

/// Whether tasks of a kernel store their tile to every rank in turn.
bool storesToAll(tile::KernelOp kernel, const Target &target);

/// Where tasks of a kernel store their tile to every rank in turn, has them store it at home, and the producer's second
/// wave send it on from there while they go on. Needs a copy engine, a producer with a wave to spare and some LDS, and,
/// when it runs, views that the engine can move: else tasks store to all ranks as before. Returns how many stores have
/// changed.
unsigned sendByProducer(tile::KernelOp kernel, const Target &target);

} // namespace tilec::schedule
