// Tile parameters that say how many workgroups of its own a statement has, beside what the others do.
// Belongs here: which choices of the author's are taken. Does not: what a program takes with them (analysis/CostModel),
// tiles (RowTiles, LoopChoice).
#pragma once

#include "dialect/Tile.h"
#include "passes/Pipeline.h"

namespace tilec {

/// Gives the parameters in `on @P workgroups` that nobody fixed the choices with which the program is predicted to take
/// least, as defaults: one parameter after the other, twice where there are several, the least of choices that take as
/// long. They stay open, and so the greatest, where nothing is predicted: the target does not say what a workgroup
/// brings, or each statement is best a kernel of its own.
void chooseOwnWorkgroups(tile::ProgramOp program, const PipelineOptions &options);

} // namespace tilec
