// Rounds in which workgroups do the tasks of parts that come one after the other.
// Belongs here: how many workgroups end a part together. Does not: what parts are (send, predict).
#pragma once

#include "passes/machine/Target.h"

#include <optional>

namespace tilec {

/// As many workgroups as do the tasks of each of so many parts in whole rounds, where that takes no more rounds than
/// all units do; none where all units are best, or nothing does. Whoever is ahead of the others would multiply for its
/// own rank early, and stand still until the last piece of the others has come, with another task behind that (1024 x
/// 8192 x 14336 on two H200: 4 of 132 units did, 206 us in place of 165). This is about kernels of which a unit holds
/// one workgroup, and whose roles have none of their own.
std::optional<int64_t> wholeRounds(int64_t part, int64_t parts, const Target &target);

} // namespace tilec
