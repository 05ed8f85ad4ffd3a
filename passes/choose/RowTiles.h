// Tile parameters of programs that multiply nothing: softmax, norms, copies.
// Belongs here: which choices of the author's are taken. Does not: what a task costs (analysis/TaskCost), the tiles of
// products (machine/LoopCost), whether LDS holds them (FitTiles).
#pragma once

#include "passes/Pipeline.h"

#include "dialect/Tile.h"

namespace tilec {

/// Gives the parameters that nobody fixed the choices with which the program's tile loops cost least on the target, as
/// defaults; of choices that cost the same within a hundredth, the larger ones. A program with a product is left alone.
void chooseRowTiles(tile::ProgramOp program, const PipelineOptions &options);

} // namespace tilec
