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

/// Rows of a tile of a gather whose tasks move `columns` elements of each row, so many of them that every workgroup has
/// two for each rank: what is sent to the first arrives before what is sent to the second has left. At most `rows`, and
/// that where `region`, what a rank sends to each of the others, is not known or a wave of each workgroup would not
/// send it.
int64_t rowsSentBeside(llvm::ArrayRef<mlir::AffineExpr> region, mlir::Type element, int64_t rows, int64_t columns,
                       const Target &target);

/// Whether a wave of the producer has such a role.
bool hasSender(tile::KernelOp kernel);

} // namespace tilec
