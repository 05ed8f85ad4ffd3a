// `tilec trace`: a timeline of what launches recorded.
#pragma once

#include "codegen/tilec/Options.h"

namespace tilec {

/// The exit status.
int trace(const Options &options);

} // namespace tilec
