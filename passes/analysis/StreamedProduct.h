// Products that matrix units can take from LDS where a copy engine puts their operands: which, and how their sums lie.
// Belongs here: what `layout` and `schedule` must agree on. Does not: IR that is made of it.
#pragma once

#include "dialect/Tile.h"
#include "passes/machine/Target.h"

namespace tilec {

MatrixProblem problemOf(tile::DotOp dot, int64_t waves);

/// Whether a tile can be copied by the engine: of a matrix that is an argument of the program, in rows as the target's
/// engine spreads them over the banks.
bool isMapped(tile::LoadOp load, const Target &target);

/// The same for a loop that takes further rows of it, all columns at once; it may be one of a row of matrices.
bool isMappedByRows(tile::LoadOp load, const Target &target);

/// Whether both operands can be, and the product's loop feeds them: then its sums are to lie as `chooseStreamTiling`
/// says.
bool isStreamed(tile::DotOp dot, const Target &target);

/// Whether it is streamed by instructions whose sums of a step are added to others, which lie in registers too.
bool isPromoted(tile::DotOp dot, const Target &target);

} // namespace tilec
