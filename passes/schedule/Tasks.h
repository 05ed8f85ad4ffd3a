// What is known when compiling of how the tasks of a kernel share its buffers.
// Belongs here: how many tasks there are, who else reads what one reads. Does not: how workgroups get them (Producer).
#pragma once

#include "dialect/Tile.h"
#include "passes/machine/Target.h"

namespace tilec::schedule {

/// Tasks along each index of a loop over them; nothing for an index whose extent is known at launch alone.
llvm::SmallVector<std::optional<int64_t>> tasksAlong(tile::ForallOp tasks);

/// All tasks of a loop; nothing where that is known at launch alone.
std::optional<int64_t> numTasks(tile::ForallOp tasks);

/// All tasks of a kernel.
std::optional<int64_t> numTasks(tile::KernelOp kernel);

/// Whether there are tasks for one workgroup of each compute unit at most: none of them has a next task.
bool hasOneTaskEach(tile::KernelOp kernel, const Target &target);

/// Whether each row of its buffer that a load in the tasks reads is one task's, and nobody else in the program reads
/// the buffer: caches then keep it for nobody. `rows`: the load takes the rows that this loop of the task counts.
bool isReadOnce(tile::LoadOp load, tile::ForallOp tasks, mlir::scf::ForOp rows = {});

} // namespace tilec::schedule
