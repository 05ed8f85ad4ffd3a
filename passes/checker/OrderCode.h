// Emits the bytecode of the orders of the exit dialect: which tile a task is.
// Belongs here: permutations of tasks and their coordinates. Does not: how tasks are drawn.
#pragma once

#include "passes/checker/ScalarCode.h"

namespace tilec::checker {

class OrderCompiler : public ScalarCompiler {
protected:
  using ScalarCompiler::ScalarCompiler;

  uint32_t binary(Code op, uint32_t left, uint32_t right) { return emit(op, left, right); }
  static bool isOrder(mlir::Operation *op);
  mlir::LogicalResult compileOrder(mlir::Operation *op);

private:
  mlir::LogicalResult compileGrid(mlir::Operation *op, llvm::ArrayRef<uint32_t> extents);
  uint32_t remapXcd(uint32_t task, uint32_t count, uint32_t xcds);
  uint32_t chunked(uint32_t task, uint32_t count, uint32_t xcds, uint32_t chunk);
  Slots delinearize(uint32_t task, llvm::ArrayRef<uint32_t> extents);
  Slots grouped(uint32_t task, llvm::ArrayRef<uint32_t> extents, uint32_t height);

  uint32_t triangle(uint32_t side);
  Slots diagonal(uint32_t task, llvm::ArrayRef<uint32_t> extents);

  llvm::DenseMap<mlir::Value, Slots> coordinates;
};

} // namespace tilec::checker
