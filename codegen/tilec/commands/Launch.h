// `tilec launch`: the ranks of an application as processes of this machine.
#pragma once

#include "codegen/tilec/Options.h"

namespace tilec {

/// Starts `options.ranks` processes with TILEC_RANK, TILEC_WORLD and TILEC_JOB set (tilec_world_join reads them), and
/// waits for all of them. When one fails, the others have two seconds to notice it; then they are told to end, and
/// after two more killed. Returns the exit status of the first that failed, 128 + signal, or 0.
int launch(const Options &options);

} // namespace tilec
