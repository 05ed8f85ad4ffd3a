// What the launches of all ranks recorded, as one timeline in the trace event format that Perfetto reads.
#pragma once

#include "llvm/Support/LogicalResult.h"

#include <string>
#include <vector>

namespace tilec {

/// Reads a file of tilec_trace_save for each rank, writes the timeline and prints how long roles worked and waited.
/// Errors are said on standard error.
llvm::LogicalResult writeTimeline(const std::vector<std::string> &ranks, const std::string &output);

} // namespace tilec
