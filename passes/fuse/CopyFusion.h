// Fusion of copies into the statements around them. Decides by footprints; adds no synchronisation.
#pragma once

#include "passes/analysis/Footprint.h"

namespace tilec {

/// A statement that only moves tiles: one load, one store of its value, perhaps both in a branch, nothing else with
/// effects.
struct Copy {
  tile::ForallOp forall;
  tile::LoadOp load;
  tile::StoreOp store;
  Footprint from, into;
  bool guarded; ///< some tasks may move nothing

  static std::optional<Copy> match(tile::ForallOp forall);
};

/// Whether a statement only moves tiles: a copy, or tasks between ranks that store what they load or gather as it is.
bool movesTiles(tile::ForallOp forall);

/// Makes the producer of the copied scratch store to the copy's destination, straight from registers, and erases the
/// copy. True when it did.
bool sinkCopy(Copy copy);

/// Makes the consumers of the copy's destination, a scratch, load from its source, and erases the copy. True when it
/// did.
bool forwardCopy(Copy copy);

} // namespace tilec
