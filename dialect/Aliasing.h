// Whether the ends of a collective share memory, as the text says it: by views of one buffer.
#pragma once

#include "llvm/Support/LogicalResult.h"

namespace tilec::tile {
class CollectiveOpInterface;

/// True when an end lies in the other as the collective's in-place form wants it: this rank's part of an end with
/// parts, or the whole of it.
bool isInPlace(CollectiveOpInterface collective);

/// Reports ends that overlap in any other way, for all extents that were tried. What depends on the extents, or on what
/// the text does not say, is left to `verify`.
llvm::LogicalResult verifyAliasing(CollectiveOpInterface collective);

} // namespace tilec::tile
