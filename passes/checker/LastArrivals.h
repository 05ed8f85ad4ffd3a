// What the branch of an arrival uses of its task: whichever task comes last does the same.
#pragma once

#include "passes/checker/RoleProgram.h"

namespace tilec::checker {

/// The branch that asks an arrival of a task whether it is the last. Reports and fails where it is not the end of the
/// task, or something else asks.
mlir::FailureOr<mlir::scf::IfOp> branchOfLast(mlir::Operation *arrive, mlir::Value last);

/// Numbers of the task that its branch for the last uses, also by way of views and of tiles made of numbers. Reports
/// and fails where it uses a tile or a token of the task.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> numbersOfLast(mlir::Operation *arrive, mlir::scf::IfOp branch);

/// Reports and fails where how many arrive, or at which word, is data, or where the task has read what its branch for
/// the last uses (`numbersOfLast`): of data a trace draws one number, and others may come.
mlir::LogicalResult checkArrivalNumbers(mlir::Operation *arrive, mlir::Value count, mlir::ValueRange word,
                                        mlir::ValueRange used);

/// Words at which tasks count themselves hold no epochs: nothing else signals or waits there.
mlir::LogicalResult checkGridsOfArrivals(const ProgramCode &program);

} // namespace tilec::checker
