// Tasks whose waves have nothing to meet for.
// Belongs here: whether a kernel deals such tasks out by number. Does not: kernels with a producer (schedule/Producer).
#pragma once

#include "dialect/Tile.h"
#include "passes/machine/Target.h"

namespace tilec {

/// Whether the tasks of a staged kernel are to be dealt out by the numbers of workgroups: its only loop over tasks
/// reduces, each reduction stays within a wave, no wave meets another, and nobody waits or signals. The draw of a
/// ticket would be the only place where waves meet, twice for each task (layer norm on an H200: .87 of a copy's rate
/// with tickets, .96 without). Kernels whose waves meet anyway, or only move tiles, were 1 to 6 % faster with tickets,
/// which go to whoever is done first. Only on targets where that was measured.
bool areRowsDealt(tile::KernelOp kernel, const Target &target);

} // namespace tilec
