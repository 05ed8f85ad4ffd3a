// Tiles with a side that is no power of two: the box of powers of two that they lie in, whose layout is theirs.
// Belongs here: which shapes have such layouts, and the order of registers that they need. Does not: which layout a
// tile gets (BlockedLayout, MatrixInstruction).
#ifndef TILEC_PASSES_MACHINE_TILEBOX_H
#define TILEC_PASSES_MACHINE_TILEBOX_H

#include "passes/machine/LinearLayout.h"

namespace tilec {

/// The largest power of two that a side is a multiple of: 32 of 224. Lanes and waves step within so many elements.
int64_t wholeRun(int64_t side);

/// Each side rounded up to a power of two. A layout of the tile is one of its box, whose last registers lie beyond the
/// tile in every thread: these do not exist. 128 x 224 has the registers of 128 x 256 but for the last eighth.
llvm::SmallVector<int64_t, 4> boxOf(llvm::ArrayRef<int64_t> shape);

/// Whether tiles of this shape have layouts: sides are powers of two, but for one, a multiple of 8, of a tile of one or
/// two dimensions.
bool hasBox(llvm::ArrayRef<int64_t> shape);

/// A layout of the box with the registers that step by whole runs of the tile's sides behind all others, so that those
/// beyond the tile are the last ones. The same where all sides are powers of two.
LinearLayout withRunsLast(const LinearLayout &layout, llvm::ArrayRef<int64_t> shape);

/// Whether the registers beyond the tile are the last ones, the same in all threads.
bool isLayoutOf(const LinearLayout &layout, llvm::ArrayRef<int64_t> shape);

/// Registers that a thread has of a tile with this layout.
int64_t registersOf(const LinearLayout &layout, llvm::ArrayRef<int64_t> shape);

} // namespace tilec

#endif // TILEC_PASSES_MACHINE_TILEBOX_H
