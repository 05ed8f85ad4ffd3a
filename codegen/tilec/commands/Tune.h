// `tilec tune`: the model's best candidates of a program, timed on a device; the fastest goes into a file that
// compiling reads (Tuned.h).
#pragma once

#include "codegen/tilec/Options.h"

namespace tilec {

/// Times the candidates on the GPU of this machine, or writes them into a kit for another one, or reads the times that
/// a kit has. 0, or 1 after an error.
int tune(const Options &options);

} // namespace tilec
