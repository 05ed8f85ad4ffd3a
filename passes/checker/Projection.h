// Variables of linear constraints that can be left out without a change of the set that the others span.
#pragma once

#include "mlir/Analysis/Presburger/IntegerRelation.h"

namespace tilec::checker {

/// Eliminates those of the variables from number `first` on that have an integer value for each integer solution of the
/// constraints that Fourier-Motzkin leaves: where coefficients are 1, or the dark shadow is the real one (W. Pugh, The
/// Omega test, 1991). `i` goes from 16 * i <= x < 16 * i + 16, and stays in 16 * i <= x < 16 * i + 12.
void eliminateExactly(mlir::presburger::IntegerPolyhedron &set, unsigned first);

} // namespace tilec::checker
