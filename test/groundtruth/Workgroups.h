// Every way in which a limited number of resident workgroups can arrive, draw tickets and wait, operations in the order
// of the text. Decides whether a launch can hang.
#pragma once

#include "Description.h"

namespace truth {

enum class Outcome { Ends, Hangs, Unknown };

/// Explores launches of `workgroups` workgroups per kernel and rank of which `resident[kernel]` run at once.
Outcome exploreWorkgroups(const Program &program, int workgroups, const std::vector<int> &resident, size_t limit);

} // namespace truth
