// Tiles in LDS that copies past the registers fill, and reads by which lanes turn their rows.
// Belongs here: what such reads can make of a tile, and how it should lie for them. Does not: whether a loop uses them.
#ifndef TILEC_PASSES_MACHINE_TURNEDREADS_H
#define TILEC_PASSES_MACHINE_TURNEDREADS_H

#include "passes/machine/BankConflicts.h"

namespace tilec {

/// Whether 16 lanes of the machine turn four rows of 16 elements of so many bytes as they read them, and copies past
/// the registers fill the tiles.
bool turnsReads(const SharedMemory &memory, int64_t elementBytes);

/// What lanes name so that, once 16 of them have turned four rows of 16 elements, each holds what `layout` says:
/// neighbours of a row for rows apart. Nothing where such reads do not make that layout. `tilec::TurnPlan` is the same.
std::optional<LinearLayout> turnedReads(const LinearLayout &layout);

/// The swizzle with the fewest read cycles, then the fewest phases, of those that leave `kDirectBytes` together.
/// `readers`: what lanes name.
SharedChoice chooseDirectSwizzle(llvm::ArrayRef<int64_t> shape, int64_t elementBytes,
                                 llvm::ArrayRef<LinearLayout> readers, const SharedMemory &memory);

} // namespace tilec

#endif // TILEC_PASSES_MACHINE_TURNEDREADS_H
