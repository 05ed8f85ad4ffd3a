// The layout of tiles that only come from or go to memory: coalesced, in wide vectors.
// Belongs here: blocked layouts. Does not: operand layouts of matrix instructions (MatrixInstruction).
#ifndef TILEC_PASSES_MACHINE_BLOCKEDLAYOUT_H
#define TILEC_PASSES_MACHINE_BLOCKEDLAYOUT_H

#include "passes/machine/LinearLayout.h"

namespace tilec {

/// The threads of a workgroup (or of one role of it). Both numbers are powers of two; the lanes of a wave are
/// the target's.
struct Threads {
  int64_t waves;
  int64_t lanes;
};

/// A coalesced tile layout: a vector of at most `maxVectorBytes` along the last dimension in consecutive registers,
/// lanes along the last dimension and then along the rows, waves along the rows that remain (then along the last
/// dimension), and what is left in further registers, last dimension first. Vectors narrow down to four bytes, never
/// further, before threads are left without an element of their own; threads beyond the tile hold copies (zero bases).
/// `rowRun` > 1 gives each thread so many consecutive rows of its vector (of a tile of two dimensions that has enough
/// elements): what a transposing store to LDS moves at once; the vector then is what that leaves.
///
/// `elementBytes` and `maxVectorBytes` are powers of two, and `hasBox(shape)`: the layout is that of the box. Along a
/// side that is no power of two threads stay within what it is a multiple of.
LinearLayout blockedLayout(llvm::ArrayRef<int64_t> shape, Threads threads, int64_t elementBytes,
                           int64_t maxVectorBytes = 16, int64_t rowRun = 1);

/// The same for a tile of two dimensions whose waves keep what they hold in `from`: a vector of 16 bytes along a row in
/// consecutive registers (8 or 4 where lanes would step beyond the rows that they may), lanes along 128 bytes of it
/// (fewer where the tile's columns are no multiple of them, or down to 32 of a tile that was transposed, whose waves
/// hold no more of a row) and then along rows, what is left in further registers. Nothing where the waves hold no such
/// runs, or share elements.
std::optional<LinearLayout> blockedWithinWaves(const LinearLayout &from, llvm::ArrayRef<int64_t> tile,
                                               int64_t elementBytes);

} // namespace tilec

#endif // TILEC_PASSES_MACHINE_BLOCKEDLAYOUT_H
