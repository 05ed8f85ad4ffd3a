// Emits where the addresses and views of the exit dialect lie in the program's buffers.
// Belongs here: which index of a buffer an offset is, what a kernel gets of a launch. Does not: which buffer it is
// (ExitMemory), what accesses it.
#pragma once

#include "passes/checker/ExitMemory.h"
#include "passes/checker/OrderCode.h"

namespace tilec::checker {

class ExitViews : public OrderCompiler {
protected:
  ExitViews(tile::ProgramOp op, ExitMemory memory) : OrderCompiler(op), memory(std::move(memory)) {}

  /// Gives slots to the numbers that a launch passes to a kernel, or a function of the copy engine, of this body.
  void bindArguments(hip::LauncherOp launcher, mlir::ValueRange passed, mlir::Block &body);
  /// The view of an access as one of the checker's, of the whole buffer, and the slot of the rank that it lies on.
  mlir::FailureOr<uint32_t> viewOf(mlir::Operation *op, mlir::Value value, int32_t &rank);

  static mlir::ValueRange stridesOf(mlir::Value view);
  mlir::LogicalResult compileRegular(hip::RegularOp op);
  /// Whether a copy engine can move what one view holds to another.
  mlir::LogicalResult compileMovesInBulk(hip::MovesInBulkOp op);

  ExitMemory memory;

private:
  struct Address {
    mlir::Value root;
    int32_t rank = -1;
    std::optional<uint32_t> shift;
  };

  uint32_t areMapped(hip::MappedOp mapped);
  mlir::FailureOr<Address> addressOf(mlir::Operation *op, mlir::Value pointer);
  void addDimensions(View &view, mlir::Value root, llvm::ArrayRef<ExitMemory::Dimension> dims,
                     llvm::ArrayRef<uint32_t> strides, llvm::ArrayRef<uint32_t> offsets, std::optional<uint32_t> shift);
  Slots divideInOrder(uint32_t shift, llvm::ArrayRef<uint32_t> steps);
  Slots divideByLargest(const View &view, uint32_t shift, llvm::ArrayRef<unsigned> dims,
                        llvm::ArrayRef<uint32_t> steps);
  uint32_t stepOf(mlir::Value root, uint32_t view, unsigned d);
};

} // namespace tilec::checker
