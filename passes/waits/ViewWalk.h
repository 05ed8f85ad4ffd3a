// Which elements of a view the tasks of a statement touch together.
#pragma once

#include "passes/waits/Synchronization.h"

namespace tilec {

/// True when the indices of a statement's tile loop, and of loops in its tasks, walk the view of an access along
/// dimension `d` from end to end.
bool walksView(const Statement &statement, const Footprint &access, unsigned d, int64_t world);

/// True when each task of `reader` touches elements that some task of `writer` touches, all of them, unless it lies
/// beside its view: a wait for the tasks that touch them waits for one at least.
bool findsATask(const Statement &writer, const Footprint &first, const Statement &reader, const Footprint &second,
                int64_t world);

} // namespace tilec
