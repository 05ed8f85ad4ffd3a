// What the two sides of a kernel with a producer do for each other, compared.
// Belongs here: that each fill has its use. Does not: LDS itself (SharedExecution).
#pragma once

#include "dialect/Hip.h"

namespace tilec::checker {

/// Whether it changes nothing that others see: no memory, or only records of the run.
bool isFree(mlir::Operation *op);
/// The one fill of a producer's step; null where it has none, or several.
hip::FillOp fillOf(hip::ProduceOp op);
/// Who consumes what it fills: the uses that come as late among those of the task as it comes among what producers do;
/// null where nobody does.
hip::ConsumeOp consumeOf(hip::ProduceOp op);
/// Who fills what these uses await; null where nobody does.
hip::ProduceOp produceOf(hip::ConsumeOp op);
/// Whether, where slots are filled, a fence stands between what was waited for and the copies that read it.
mlir::LogicalResult checkFences(mlir::Block &fills);
/// Who awaits these words, in the order of the text: those of one task, one after the other. Empty where somebody else
/// does.
llvm::SmallVector<hip::ProduceOp> producersOf(mlir::Value empty);

/// Whether a branch around an operation says that a number is more than 0.
bool isMoreThanNone(mlir::Value number, mlir::Operation *op);

/// Producers do nothing but fill slots that were released, and what `checkByProducer` allows; that they have waited for
/// what they copy ExitProgram sees to. Consumers await as many steps, in the same order, whatever path they take, and
/// all of them release a slot. Nothing in which all waves of the workgroup meet stands on either side.
mlir::LogicalResult checkRoles(hip::ByRoleOp op);

} // namespace tilec::checker
