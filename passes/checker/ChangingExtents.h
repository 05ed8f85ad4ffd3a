// Launches whose extents differ from those of the launches before: what one sample of the extents, proven alone, cannot
// show. Conflicts and waits between launches; what happens inside of one is the business of the other checks.
#pragma once

#include "passes/checker/TaskTrace.h"

namespace tilec::checker {

/// Runs as many launches of `before` as a buffer has copies at most, then as many of `after`, and all of them again,
/// and reports waits for words that launches with the other extents do not raise, and accesses to scratch that nothing
/// orders. Where the extents lay out a buffer anew, any two accesses to it may meet. `beforeText` and `afterText` say
/// in reports which extents a launch has.
void checkChangingExtents(const Trace &before, const Trace &after, const std::string &beforeText,
                          const std::string &afterText, Findings &findings);

/// The same for one launch of `empty` between as many of `full` as a buffer has copies at most, over and over: whether
/// launches that exchange little or nothing leave those around them in order. True when nothing was found.
bool canInterpose(const Trace &full, const Trace &empty);

} // namespace tilec::checker
