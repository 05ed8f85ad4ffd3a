// Tiles whose words show that they have come: each is posted once and received once in a launch, as one run of words.
// Belongs here: what a `hip.post` and a `hip.receive` ask of each other. Does not: what orders them, which is that of a
// signal that knows of nothing but the tile (ExitEvents, Execution).
#pragma once

#include "passes/checker/Findings.h"
#include "passes/checker/TaskTrace.h"

namespace tilec::checker {

/// Nothing else touches the scratch that tiles are posted to, nor the grids that name them; it is persistent, so that
/// it begins as zeros and what is left there is found again; a task raises no signal before it posts. `chiplets`: of a
/// GPU of several, kernels leave what they stored in the cache of each, where a tile that has come says nothing of it.
mlir::LogicalResult checkPosts(const ProgramCode &program, int64_t chiplets);

/// For each signal that names a tile: as many posts as receives, one at most, by the same layout at the same place of
/// the rank that receives. What is left over would be taken for the tile of the next launch.
void checkPosts(const Trace &trace, Findings &findings);

} // namespace tilec::checker
