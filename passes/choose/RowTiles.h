// Tile parameters of programs of rows: softmax, norms, copies, attention.
// Belongs here: which choices of the author's are taken. Does not: what a task costs (analysis/TaskCost,
// analysis/RowLoopCost), the tiles of products (machine/LoopCost), whether LDS holds them (FitTiles).
#pragma once

#include "passes/Pipeline.h"

#include "dialect/Tile.h"

namespace tilec {

/// Gives the parameters that nobody fixed the choices with which the program's tile loops cost least on the target, as
/// defaults; of choices that cost the same within a hundredth, the larger ones. Parameters of products (`tile.matmul`)
/// and of numbers of workgroups have choices of their own. Of programs whose one tile loop multiplies, only those are
/// taken where it has several products in each step and no copy engine fills slots.
void chooseRowTiles(tile::ProgramOp program, const PipelineOptions &options);

} // namespace tilec
