// What holds for every element of a tile whatever was rounded: a range, and a lower bound on the greatest element of
// each line. Errors that would leave the range are cut to it.
#pragma once

#include "passes/interpreter/Elements.h"

#include "mlir/IR/Operation.h"

namespace tilec::interpreter {

/// The range of the result of a float operation, from those of its operands. Wide enough for the rounding of any
/// implementation.
Limits limitsOf(mlir::Operation *op, llvm::ArrayRef<SharedElements> operands, const Format &format);

/// Limits of the sums of `terms` elements along `dim` of a tile.
Limits limitsOfSum(const Elements &operand, int64_t dim, int64_t terms);

/// No element of an implementation leaves the tile's range, so that no error reaches beyond it.
void cutErrors(Elements &tile);

/// Finds the value of an SSA value; null when it has none.
using Lookup = llvm::function_ref<const Elements *(mlir::Value)>;

/// `x - max(x, ...)`, element by element, where the subtrahend of a subtraction is found to be a maximum that covers
/// the minuend: a maximum of two tiles, or one along a dimension that was broadcast again, or both. It is min(0, x -
/// the greatest of the others), so that the errors of x in the two places cancel where x certainly wins. Nothing where
/// the operation is no such difference.
std::optional<Elements> differenceFromMaximum(mlir::Operation *op, Lookup valueOf);

/// How far the minuend of such a difference may be from the element that entered the maximum: where it is a product, a
/// compiler may fuse it with the subtraction, which then sees it unrounded.
double unroundedBy(mlir::Value value, const Elements &elements, int64_t i, Lookup valueOf);

/// Finds the value of an SSA value and shares it.
using SharedLookup = llvm::function_ref<SharedElements(mlir::Value)>;

/// Keeps `logSum` of the result of an operation: begins it at a rescaled sum, takes it through a maximum with less and
/// the logarithm, and bounds the sum of that and the maximum by it.
void followLogSum(mlir::Operation *op, SharedLookup valueOf, Elements &result);

/// A lower bound on `sum * exp(before - m) + exp(other - m)`, where m = max(before, other): one of the two factors is
/// 1, so that the result is at least the sum or 1, whichever is less. `exp(other - m)` may be the sum along a line
/// whose maximum is `other`. This is how sums of an online softmax are rescaled. -inf where the operation is no such
/// sum.
double leastRescaledSum(mlir::Operation *op, Lookup valueOf);

} // namespace tilec::interpreter
