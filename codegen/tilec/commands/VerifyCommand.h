// `tilec verify`: the checker alone, on a program or on the kernel form that a manifest holds; and which
// synchronisation the checker does not need.
#pragma once

#include "codegen/tilec/Options.h"

namespace tilec {

/// The stages through `verify`; with `--minimal` each wait, signal and published token is then removed in turn, and
/// those without which the program is still accepted are remarks; with `--manifest` the proof of a manifest is repeated
/// from its kernel form. 0, or 1 when something is rejected.
int verify(const Options &options);

} // namespace tilec
