// What `tile` computes on tiles: products, reductions and rearrangements. No memory, no control flow.
#pragma once

#include "dialect/Tile.h"
#include "passes/interpreter/Elements.h"
#include "passes/interpreter/Memory.h"

namespace tilec::interpreter {

/// c[i][j] += sum over k of a[i][k] * b[k][j] in double; all dense and row-major.
void multiply(const double *a, const double *b, double *c, int64_t rows, int64_t columns, int64_t depth);

/// acc + lhs * rhs; `transposed`: rhs is N x K. Shapes agree. `accumulator` is the format of acc, which may be null
/// (zero).
///
/// Bound for floats, with n = K + 1 terms (K without acc), added in any order:
///     gamma(n) m + 2u |lhs| |rhs| + what errors of the operands do, and none where m is beyond f32.
/// Here m bounds every partial sum: some of the terms are no more than those of one sign, (|acc| + |lhs| |rhs| +
/// |result|) / 2. gamma from unit roundoff 2u, because matrix units may chop instead of round (Blanchard, Higham,
/// Lopez, Mary, Pranesh, "Mixed precision block fused multiply-add", SIAM J. Sci. Comput. 42(3), 2020, section 3). The
/// sums of products of magnitudes are bounded by Cauchy-Schwarz, |lhs| |rhs| <= ||lhs_i|| ||rhs_j||, which costs no
/// second product.
/// Sums of a matrix instruction may keep fewer bits, as `accumulation` says: with w = 2^-13, `promoted` adds
///     (gamma(min(K, 128)) + w) |lhs| |rhs|, gamma from w,
/// and `fast` gamma(K + 1) m + w |lhs| |rhs|, gamma from w.
Elements dot(const Elements &lhs, const Elements &rhs, const Elements *acc, bool transposed, const Format &accumulator,
             tile::Accumulation accumulation = tile::Accumulation::Exact);

/// Combines along one dimension. The sum of n floats, in any order: gamma(n - 1) times the sum of magnitudes. The
/// product: gamma(n - 1) times the product of magnitudes. No bound where a partial sum or product may overflow.
Elements reduce(const Elements &operand, int64_t dim, Combination kind);

/// Of each element those before it, combined with it or, where `isExclusive`, without: as `reduce` of so many.
Elements scan(const Elements &operand, int64_t dim, Combination kind, bool isExclusive);

/// The places along one dimension of the greatest (or least) elements: the first of equal ones, or of NaNs. The error
/// is how far away another may lie that rounding may let win.
Elements placeOfExtremum(const Elements &operand, int64_t dim, bool maximum, const Format &places);

/// Sum of tiles of one shape, in order, as f32 adds: gamma(n - 1) times the sum of magnitudes bounds any order, if
/// that does not overflow. Rounds to `format`.
Elements sum(llvm::ArrayRef<Elements> terms, const Format &format);

/// The same of any kind.
Elements combine(llvm::ArrayRef<Elements> terms, const Format &format, Combination kind);

/// What the dialect calls it.
Combination combinationOf(tile::Reduction kind);

Elements broadcast(const Elements &operand, llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> shape);
Elements transpose(const Elements &operand, llvm::ArrayRef<int64_t> permutation);

} // namespace tilec::interpreter
