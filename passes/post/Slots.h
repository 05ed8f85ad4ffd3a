// Scratch of one slot for each rank, through which tasks exchange partial sums.
// Belongs here: what its two uses have in common, sums that their owner makes and sums that each rank makes. Does not:
// which programs have such scratch.
#pragma once

#include "passes/machine/Target.h"
#include "passes/post/TokenFlow.h"

namespace tilec {

/// A buffer that is written by one store and read by one load, of whole slots, and the signals that tell of the store.
class Slots {
public:
  Slots(tile::AllocOp alloc, const Target &target) : alloc(alloc), target(target) {}

protected:
  bool matchBuffer(int64_t copies);
  bool matchSlot(mlir::OperandRange named);
  bool matchWaits();
  bool orderOnlyTiles();
  /// Whether `rank` is each other rank once in a loop, from the next one on: (this rank + i) mod W for i from 1 on.
  bool isEachOther(mlir::Value rank, mlir::scf::ForOp loop);
  bool isSmall(tile::ForallOp tasks);
  bool fitRegisters();
  /// The place of an access in the buffer, in tiles; empty where it is none of its dimensions' own.
  llvm::SmallVector<mlir::OpFoldResult> coordinates(tile::AccessOpInterface access);
  mlir::RankedTensorType tile() { return store.getValue().getType(); }
  int64_t world() { return *alloc->getParentOfType<tile::ProgramOp>().getWorld(); }
  /// `coordinates` as values before an operation.
  llvm::SmallVector<mlir::Value> placeOf(tile::LoadOp load, mlir::Operation *before);

  tile::AllocOp alloc;
  const Target &target;
  tile::StoreOp store;
  tile::LoadOp load;
  tile::SignalOp signal;
  TokenFlow waited;

private:
  bool matchAccess(mlir::Operation *op);
};

bool areEqual(llvm::ArrayRef<mlir::OpFoldResult> a, llvm::ArrayRef<mlir::OpFoldResult> b);

/// Sums that their owner makes: a task of another rank's part stores it there, one of this rank's takes those of all
/// others. True where the slots were such, and tiles that are their own arrival flags are moved through them now.
bool postToOwner(tile::AllocOp alloc, const Target &target);

/// Sums that each rank makes: a task stores its part on all other ranks, and takes theirs.
bool postToAll(tile::AllocOp alloc, const Target &target);

} // namespace tilec
