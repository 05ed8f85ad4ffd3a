// Tile parameters whose tiles do not fit the target's LDS.
// Belongs here: which smaller choices of the author's are taken. Does not: the choice between those that fit
// (machine/LoopCost), how many bytes a kernel needs (SharedPlan).
#pragma once

#include "passes/Pipeline.h"

#include "dialect/Tile.h"

namespace tilec {

/// Gives every `tile.matmul` without tiles the parameters @BM, @BN and @BK, as `specialize` does.
void declareTiles(tile::ProgramOp program);

/// Where the tiles of a program do not fit the target's LDS, gives parameters that nobody fixed the next smaller of
/// their choices as default, with a remark, until they fit or nothing smaller is left. Parameters of the options stay.
void fitTiles(tile::ProgramOp program, const PipelineOptions &options);

} // namespace tilec
