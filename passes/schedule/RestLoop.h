// A loop behind the rings that run its steps ahead: it keeps the steps that they leave.
// Belongs here: how a loop and what runs before it share the steps. Does not: what runs before it.
#pragma once

#include "passes/schedule/Ring.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilec::schedule {

/// Makes the part of the loop that rings run, for so many whole steps, which are at least one; returns what the loop
/// carries behind them.
using RunRing = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &builder, mlir::Value whole)>;

/// The steps whose tiles lie in the buffers with all their columns, or rows, go to `run`, in a branch before the loop
/// for when there are any; the loop runs the rest, and all steps where the buffers are not regular.
/// `beside`: what fetches load at steps without a ring. `first`: tiles along the depth before that of step 0, or null.
void leaveRest(mlir::scf::ForOp loop, mlir::Location loc, llvm::MutableArrayRef<RingOperand> operands,
               llvm::MutableArrayRef<SteppedLoad> beside, mlir::Value first, RunRing run);

} // namespace tilec::schedule
