// Where the LDS buffers of a kernel lie.
// Belongs here: live ranges and offsets. Does not: changing the IR (Allocate), which buffers have copies (Pipelining).
#pragma once

#include "dialect/Tile.h"

namespace tilec {

/// Offsets of LDS buffers: buffers of different tasks, or live at different times of one task, may share bytes; `stage`
/// keeps a barrier between their accesses.
struct SharedPlan {
  llvm::DenseMap<mlir::Operation *, int64_t> offsets; ///< bytes from the start of dynamic LDS
  int64_t bytes = 0;                                  ///< of the whole kernel; 0 when it has no buffers
};

/// Bytes of all copies of a buffer.
int64_t sharedBytes(mlir::MemRefType type);

/// Plans a kernel, largest buffers first, each at the lowest offset that no buffer live at the same time covers.
/// `multiplied` holds buffers that are to have more copies than their type says, and how many times more.
SharedPlan
planShared(tile::KernelOp kernel,
           const llvm::DenseMap<mlir::Operation *, int64_t> &multiplied = llvm::DenseMap<mlir::Operation *, int64_t>());

} // namespace tilec
