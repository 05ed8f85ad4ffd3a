// Which roles one wave of each workgroup can do while the others multiply.
// Belongs here: what such a role looks like. Does not: whether that is faster (CostModel), how it is done (schedule).
#pragma once

#include "dialect/Tile.h"
#include "passes/machine/Target.h"

namespace tilec {

/// Whether the second wave of the producer can do a role that has few workgroups of its own, in every workgroup: its
/// tasks move parts of rows to other ranks as they are, in pieces that are neither too short for the links nor so long
/// that a workgroup's share comes late; the kernel multiplies besides, in tasks that signal nobody.
bool canBeSentBeside(tile::RoleOp role, const Target &target);

/// Whether a wave of the producer has such a role.
bool hasSender(tile::KernelOp kernel);

} // namespace tilec
