// Compiles what the exit dialect does with memory and signals to events of a trace: accesses, signals and waits.
// Belongs here: what each knows of those before it in its task. Does not: where views lie (ExitViews), in which order
// tasks run (ExitProgram).
#pragma once

#include "passes/checker/ExitViews.h"

namespace tilec::checker {

class ExitEvents : public ExitViews {
protected:
  using ExitViews::ExitViews;

  /// An access to the tile at `start`, behind all waits of the task so far; `kind` as in AccessSite.
  mlir::LogicalResult compileAccess(mlir::Operation *op, mlir::Value viewed, mlir::ValueRange start,
                                    mlir::RankedTensorType tile, bool reads, bool writes, uint32_t kind = 0);
  mlir::LogicalResult compileAccess(mlir::Operation *op, mlir::Value viewed, llvm::ArrayRef<uint32_t> indices,
                                    mlir::RankedTensorType tile, bool reads, bool writes, uint32_t kind);
  /// A signal, or a flag behind a publish: between the two nothing is stored, as the verifier of the flag sees to.
  template <class Op>
  mlir::LogicalResult compileSignal(Op op) {
    return compileRaise(op, op.getSignals(), op.getIndex(), op.getTo(), op.getScope());
  }
  /// The copy engine's, behind all that it has stored.
  mlir::LogicalResult compileMark(hip::MarkOp op) {
    return compileRaise(op, op.getSignals(), op.getIndex(), op.getTo(), tile::Scope::System);
  }
  /// A signal of this rank for its engine: who takes the word waits for all who count there.
  mlir::LogicalResult compileCount(hip::CountOp op);
  mlir::LogicalResult compileTake(hip::TakeCountedOp op);
  /// Whether an access is to another rank, as a branch around it sees to: whoever reads there waits for this rank.
  bool isElsewhere(const AccessSite &site) const;
  /// All of a run is inside, and begins where the engine can: it asks for neither.
  mlir::LogicalResult compileRun(hip::CopyingRunOp op);
  mlir::LogicalResult compileWait(hip::WaitOp op);
  mlir::LogicalResult compileTally(hip::TallyOp op);
  mlir::LogicalResult compileWaitTally(hip::WaitTallyOp op);
  /// A store and a signal that knows of it alone.
  mlir::LogicalResult compilePost(hip::PostOp op);
  /// A wait for that signal, and behind it a load, and zeros in place of what was loaded.
  mlir::LogicalResult compileReceive(hip::ReceiveOp op);
  /// The same for each other rank.
  template <class Op>
  mlir::LogicalResult compileReceiveAll(Op op) {
    return compileReceiveAll(op, op.getRank(), op.getWorld(), op.getSignals(), op.getIndex(), op.getView(),
                             op.getStart(), hip::tileOf(op.getType()));
  }

  void set(uint32_t target, int64_t number) { code->push_back({Code::Constant, target, 0, 0, number}); }

  uint32_t waited = 0, stored = 0; ///< slots of all waits, and of all stores, of a task so far

private:
  mlir::LogicalResult compileReceiveAll(mlir::Operation *op, mlir::Value rank, int64_t world, mlir::Value signals,
                                        mlir::ValueRange index, mlir::Value view, mlir::ValueRange start,
                                        mlir::RankedTensorType tile);
  mlir::LogicalResult compileTaken(mlir::Operation *op, uint32_t source, mlir::Value signals, mlir::ValueRange index,
                                   mlir::Value view, mlir::ValueRange start, mlir::RankedTensorType tile);
  mlir::LogicalResult compileRaise(mlir::Operation *op, mlir::Value signals, mlir::ValueRange index, mlir::Value to,
                                   tile::Scope scope);
  mlir::LogicalResult compileSync(SyncSite site, mlir::Value signals, mlir::ValueRange indices, tile::Scope scope);
  mlir::LogicalResult compileSync(SyncSite site, mlir::Value signals, llvm::ArrayRef<uint32_t> indices,
                                  tile::Scope scope);
};

} // namespace tilec::checker
