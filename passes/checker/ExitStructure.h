// What kernels and launches of the exit dialect must look like before their scalars mean anything.
// Belongs here: entry, groups, queues, what a launch passes; numbers of tasks against the roles' claims.
// Does not: accesses and signals (ExitProgram).
#pragma once

#include "dialect/Hip.h"
#include "passes/checker/TaskTrace.h"

namespace tilec::checker {

/// The worker number behind a group, as a condition `worker < end` has it.
struct WorkerEnd {
  bool afterPool = false; ///< the pool is before it: as many workgroups as the launch has more
  int64_t own = 0;        ///< workgroups of groups that have some of their own, up to here
  int64_t spared = 0;     ///< what the pool leaves to all groups of the kernel
};
/// Of `n`, of `max(workgroups - n, 1)`, and of their sums; none of anything else.
std::optional<WorkerEnd> workerEnd(mlir::Value end);

/// Each kernel is launched once, with its threads, its LDS and, in their order, the launcher's arguments.
mlir::LogicalResult checkLauncher(tile::ProgramOp program);

/// What the launcher says of peers and of the reach of signals, which the host relies on, covers what the kernels do.
mlir::LogicalResult checkClaims(const ProgramCode &program, hip::LauncherOp launcher);

/// The kernel enters the launch before all else; groups of turn `first` come before those of turn `each`, which have
/// the workgroups that they claim and a queue of their own; nothing is done behind the group of turn `last`. Tiles are
/// made for the kernel's threads, in waves of `waveLanes`.
mlir::LogicalResult checkStructure(hip::KernelOp kernel, bool isLast, int64_t waveLanes);

/// On every rank the loops of a role have as many tasks together as the role says of itself.
void checkTaskCounts(const Trace &trace, llvm::ArrayRef<int64_t> extents, Findings &findings);

} // namespace tilec::checker
