// Two kernels of one launch, of a kernel whose roles run apart.
// Belongs here: which roles go where, and how many workgroups must be resident then. Does not: how the two are started
// (lower/LowerLauncher, tilec/beside.h).
#pragma once

#include "dialect/Tile.h"

namespace tilec {

/// Makes of each kernel that is `apart` one for its roles with workgroups of their own, which runs beside it, and one
/// behind both for what is done last.
void splitApart(tile::ProgramOp program);

/// Workgroups of a kernel that runs beside another one.
int64_t workgroupsBeside(tile::KernelOp beside);

/// Says of a kernel that runs beside another one, and of that one, how many workgroups of both must be resident.
void requireBeside(tile::KernelOp beside);

} // namespace tilec
