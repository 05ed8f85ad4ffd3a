// Products that take an operand as it lies in registers, such as the sums of an earlier product.
// Belongs here: the layouts that follow from that operand's. Does not: tilings that are free to choose them
// (MatrixInstruction).
#pragma once

#include "passes/machine/MatrixInstruction.h"

namespace tilec {

/// Tiles one instruction whose left operand (M x K) is in registers already, in layout `a`: no element of it moves. The
/// right operand deals out k as `a` does; rows of the sums lie as those of `a`. Waves that hold the same rows share the
/// columns. Nothing where rows of `a` do not lie as the instruction wants them.
std::optional<MatrixTiling> tileAlongOperand(std::shared_ptr<const MatrixInstruction> instruction,
                                             const MatrixProblem &problem, const LinearLayout &a);

/// The cheapest of those of a table.
std::optional<MatrixTiling> chooseAlongOperand(llvm::ArrayRef<MatrixInstructionInfo> table,
                                               const MatrixProblem &problem, const LinearLayout &a);

/// Tilings of a product and of one that multiplies what is made of its sums, such that each thread keeps its elements
/// in between: of those that take no more matrix cycles than the cheapest tilings of both, the one that reads the
/// fewest bytes. Nothing where there is none.
std::optional<MatrixTiling> chooseChained(llvm::ArrayRef<MatrixInstructionInfo> table, const MatrixProblem &problem,
                                          const MatrixProblem &next);

} // namespace tilec
