// What tasks tell others, left to a wave of the producer.
// Belongs here: which signals. Does not: how consumers hand on (tilec/roles.h).
#pragma once

#include "dialect/Tile.h"

namespace tilec::schedule {

/// Puts the signals that each task of a kernel raises into `tile.tell`, where its producer has a wave to spare: whoever
/// did the task goes on while that wave publishes. Returns how many there are.
unsigned tellByProducer(tile::KernelOp kernel);

/// Hands on once what is told at one place of a task.
void joinTold(tile::ForallOp tasks);

} // namespace tilec::schedule
