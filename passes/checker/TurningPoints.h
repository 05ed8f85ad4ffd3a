// Samples of the extents that the usual values leave out: three tiles of each divisor, a loop that has no iteration or
// its first, both outcomes of a comparison. Choosing them changes nothing.
#pragma once

#include "passes/checker/UsualSamples.h"

namespace tilec::checker {

/// Adds samples to those of the usual `values` of each extent. For each quotient of one extent by a constant (`%M
/// ceildiv 256`): one in which it is 3 or more, several extents together where that has few tasks. The same for as many
/// tasks of a tile loop as a constant in their indices reaches (`%i + 50`, `%i < 50`, as numbers of 32 bits too), up to
/// 2048. For each quotient, remainder (`%K mod 9`), loop's end and comparison of one extent whose outcome (0 or below,
/// or not) is the same for all of these: the least extent at which it is the other. Up to an extent of 65536, and at
/// most four of the second kind. Of each sample that is added, `causes` gets the operation that asks for it. Returns
/// the first reason why that does not show everything, if there is one.
std::optional<Unseen> addTurningPoints(tile::ProgramOp program, llvm::ArrayRef<UsualValues> values,
                                       llvm::SmallVectorImpl<llvm::SmallVector<int64_t, 4>> &samples,
                                       llvm::SmallVectorImpl<mlir::Operation *> &causes);

} // namespace tilec::checker
