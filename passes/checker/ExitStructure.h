// What kernels and launches of the exit dialect must look like before their scalars mean anything.
// Belongs here: entry, groups, queues, the last workgroup, what a launch passes; numbers of tasks against the roles'.
// Does not: accesses and signals (ExitProgram).
#pragma once

#include "dialect/Hip.h"
#include "passes/checker/TaskTrace.h"

namespace tilec::checker {

/// Of a wave of the AMD targets.
constexpr int64_t kWaveLanes = 64;

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

/// The kernel enters the launch before all else; `first` roles come before groups, groups after each other, each with
/// a queue of its own; the last workgroup leaves, at the end of its branch; nothing is done behind it.
mlir::LogicalResult checkStructure(hip::KernelOp kernel, bool isLast);

/// On every rank the loops of a role have as many tasks together as the kernel says of the role.
void checkTaskCounts(const Trace &trace, llvm::ArrayRef<int64_t> extents, Findings &findings);

/// The name of the role in a comment `name` or `name: ...`.
llvm::StringRef roleName(mlir::Operation *op, llvm::StringRef otherwise);

} // namespace tilec::checker
