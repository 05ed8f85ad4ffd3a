// Which tiles the products of a ring multiply, for `check`.
// Belongs here: a run of the kernel's numbers and of the tiles that rings and registers hold. Does not: waits,
// meetings.
#pragma once

#include "dialect/Hip.h"

#include <map>
#include <optional>

namespace tilec {

/// Runs a kernel for small extents, one task of each loop, as one thread would: numbers are known, and of each slot and
/// each tile of registers the step whose tile it holds. Every product of a ring has to multiply the tiles of the step
/// behind those that its sum has, or of its own step where its sum begins there, both operands those of the same step;
/// what else a step takes of what has been fetched has to be of this step; and the loop that adds the rest has to begin
/// where the ring ends. A number that is not known is not followed: a branch on one is taken both ways, a loop is run
/// once. Shares no code with the passes that place activities.
class RingProducts {
public:
  explicit RingProducts(hip::KernelOp kernel) : kernel(kernel) {}
  mlir::LogicalResult run();

private:
  using Numbers = llvm::DenseMap<mlir::Value, int64_t>;
  using Place = std::pair<mlir::Operation *, int64_t>; ///< a ring and a slot, or a `hip.hold` and a tile

  bool isOver() const;
  void runWith(int64_t extent);
  void runBlock(mlir::Block &block);
  void runOp(mlir::Operation *op);
  void runFor(mlir::scf::ForOp loop);
  void runIf(mlir::scf::IfOp branch);
  void runSteps(hip::StepsOp steps);
  void runNested(mlir::Operation *op);
  void checkTaken(hip::TakeOp take);
  void perform(mlir::Value activity);
  void fill(mlir::Value place, mlir::Value feed, mlir::Value moved);
  std::optional<int64_t> stepBytesOf(mlir::Value feed) const;
  void multiply(hip::MultiplyingOp product);
  void evaluate(mlir::Operation *op);
  void bind(mlir::ValueRange to, mlir::ValueRange from);
  void set(mlir::Value value, std::optional<int64_t> number);
  std::optional<int64_t> numberOf(mlir::Value value) const;
  std::optional<Place> placeOf(mlir::Value value) const;
  std::optional<int64_t> stepIn(mlir::Value place) const;
  void move(mlir::Value to, mlir::Value from);
  mlir::InFlightDiagnostic report(mlir::Operation *op);

  hip::KernelOp kernel;
  int64_t extent = 0;             ///< what the extents are in this run
  int64_t iterations = 0;         ///< of the task
  std::optional<int64_t> current; ///< step in which it is
  Numbers numbers;
  std::map<Place, int64_t> tiles;            ///< the step whose tile lies there
  std::map<mlir::Operation *, int64_t> sums; ///< of a `hip.hold`: steps that its sum has
  Numbers taken;                             ///< of a tile: steps that its sum has
  bool failed = false;
};

} // namespace tilec
