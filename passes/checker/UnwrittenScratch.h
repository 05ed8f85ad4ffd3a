// Reads of scratch that no store of the same launch has written: an accumulation buffer that nobody zeroes, a tile that
// nobody sends. Orders nothing: whether the store comes before the read is the business of Races.h.
#pragma once

#include "passes/checker/Cells.h"

namespace tilec::checker {

/// Reports reads and atomic updates of elements of an alloc that is not `persistent` and that no plain store writes.
/// The trace is that of every launch, so that what is not written in it is never written.
void checkScratch(const Trace &trace, const Cells &cells, Findings &findings);

} // namespace tilec::checker
