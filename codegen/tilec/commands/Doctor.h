// `tilec doctor`: what this machine lacks for ranks on its GPUs.
#pragma once

namespace tilec {

/// Builds the runtime for the GPUs and has its runner try them out; both say what they miss. The exit status.
int examineMachine();

} // namespace tilec
