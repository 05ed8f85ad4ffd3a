// `tilec explain`: candidates, predictions and choices.
#pragma once

#include "codegen/tilec/Options.h"

namespace tilec {

/// Prints, for every program, the patterns tried with their predicted times, and for the one compiled its roles,
/// signals, edges and orders. 0, or 1 after an error of the user's.
int explain(const Options &options);

} // namespace tilec
