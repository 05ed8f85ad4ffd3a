// A loop that takes further rows of buffers through LDS at each step and computes with them, as one whose copies run
// ahead: attention, whose two products have a softmax between them.
// Belongs here: what such a loop is, and what it becomes. Does not: loops that only multiply (RingLoop), how many slots
// there are (Schedule).
#pragma once

#include "passes/schedule/Ring.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilec::schedule {

/// Barrier, stores of what was loaded, barrier, then anything that computes on registers and reads LDS.
class RowLoop {
public:
  explicit RowLoop(mlir::scf::ForOp loop) : loop(loop), where(unnamed(loop.getLoc())) {}

  bool match();
  /// The buffers that get so many slots.
  llvm::DenseMap<mlir::Operation *, int64_t> copies(int64_t slots);
  void rewrite(int64_t slots);

private:
  bool isInvariant(mlir::Value value) { return !value || loop.isDefinedOutsideOfLoop(value); }
  bool matchStore(tile::SharedStoreOp store);
  bool matchRead(tile::SharedLoadOp read);
  bool isComputed(mlir::Operation *op);
  bool matchBody();

  RingOperand *operandOf(mlir::Value buffer);
  mlir::Value index(mlir::OpBuilder &builder, int64_t value);
  llvm::SmallVector<mlir::Value> runRing(mlir::OpBuilder &builder, mlir::Value whole);
  void step(mlir::OpBuilder &builder, tile::StepsOp steps, mlir::Value last);
  llvm::SmallVector<mlir::Value> clone(mlir::OpBuilder &builder, tile::StepsOp steps);

  mlir::scf::ForOp loop;
  mlir::Location where; ///< what is made here does not have the name of the loop
  int64_t slots = 0;
  llvm::SmallVector<RingOperand> operands;
};

} // namespace tilec::schedule
