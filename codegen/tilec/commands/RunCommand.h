// `tilec run`: compiles a program into a folder of its own and runs the text on the emulator.
#pragma once

#include "codegen/tilec/Options.h"

namespace tilec {

/// 0 when every rank agrees with the oracle, 1 otherwise and after an error of the user's.
int run(const Options &options);

} // namespace tilec
