// Tiles in LDS: where an element lies, what an access costs in bank cycles, and the swizzle that costs least.
// Belongs here: shared layouts and their costs. Does not: how much LDS a kernel has or where a tile starts.
#ifndef TILEC_PASSES_MACHINE_BANKCONFLICTS_H
#define TILEC_PASSES_MACHINE_BANKCONFLICTS_H

#include "passes/machine/LinearLayout.h"

namespace tilec {

/// `Swizzle<vector, per_phase, phases>` of docs/text-contract.md: element (row, col) of a tile with `cols` columns lies
/// at row * cols + ((col / vector) ^ ((row / perPhase) % phases)) * vector + col % vector (in elements). All three are
/// powers of two, vector * phases <= cols. {1, 1, 1} is plain row-major. With `fold`, also a power of two, the row is
/// XORed with row / fold before.
struct Swizzle {
  int64_t vector = 1;
  int64_t perPhase = 1;
  int64_t phases = 1;
  int64_t fold = 0;
  bool operator==(const Swizzle &other) const = default;
};

/// What is wrong with a swizzle of a tile of this shape, or an empty string.
std::string checkSwizzle(const Swizzle &swizzle, llvm::ArrayRef<int64_t> shape);

/// The linear map from tile coordinates (dim0, ...) to the element offset in LDS. The row of a tile of more than two
/// dimensions is the row-major index of all but the last; a tile of one dimension is one row.
LinearLayout sharedOffsets(llvm::ArrayRef<int64_t> shape, const Swizzle &swizzle);

/// How LDS serves one kind of access: the lanes of a wave are served in phases, and in one phase each bank delivers one
/// word. Lanes that want the same word share it.
struct SharedAccessRule {
  int64_t bytes = 0; ///< of one lane: 4, 8, 16
  int64_t banks = 0;
  std::vector<std::vector<unsigned>> phases; ///< the lanes of each phase; each lane of a wave once
};

/// Bytes of a lane that one copy moves from memory to LDS past the registers, where copies of a ring do that.
constexpr int64_t kDirectBytes = 16;

/// The LDS of a compute unit (shared memory of an SM).
struct SharedMemory {
  int64_t bytes = 0;     ///< capacity
  int64_t banks = 32;    ///< for access kinds without a rule
  int64_t bankBytes = 4; ///< width of a bank
  int64_t lanes = 0;     ///< of a wave, as the target has them
  /// Bytes a lane of the widest copy from memory to LDS that passes no register and is awaited by a count; 0 without.
  int64_t directBytes = 0;
  /// Bytes of a row of the tiles that a copy engine puts into LDS, its 16-byte pieces swizzled over 8 rows; 0: there is
  /// no such engine.
  int64_t mappedRowBytes = 0;
  /// Bytes of an element of the tiles whose rows lanes turn as they read them (TurnedReads.h); 0: they turn none.
  int64_t turnedElementBytes = 0;
  bool copiesDirectly() const { return directBytes >= kDirectBytes; }
  std::vector<SharedAccessRule> reads, writes;

  /// The rule for accesses of `bytes` a lane (1 to 16). Without one in the table: all banks, consecutive lanes, as
  /// many in a phase as the banks can serve at once.
  SharedAccessRule rule(int64_t bytes, bool write) const;
};

/// What all accesses to one tile cost, by all waves together.
struct SharedCost {
  int64_t accesses = 0;  ///< wave-wide instructions
  int64_t cycles = 0;    ///< cycles of the banks
  int64_t conflicts = 0; ///< cycles beyond one a phase
};

/// Bytes a lane moves in one access between LDS and a tile of this layout: consecutive in LDS, in any registers,
/// aligned to its size. The same rule as the device headers'. For a tile read or written through its transpose, give
/// the transposed layout here and below.
int64_t sharedAccessBytes(const LinearLayout &layout, const Swizzle &swizzle, int64_t elementBytes);

/// The cost of moving a whole tile. Replicated elements are read by every holder and written by one. Exact: the offset
/// of (register, lane, wave) is offset(lane) ^ offset(register, wave), and an exclusive or with a constant permutes the
/// banks, so one access stands for all.
SharedCost sharedCost(const LinearLayout &layout, const Swizzle &swizzle, int64_t elementBytes,
                      const SharedMemory &memory, bool write);

/// A swizzle and what it costs.
struct SharedChoice {
  Swizzle swizzle;
  SharedCost reads, writes; ///< summed over the layouts
};

/// The swizzle with the fewest read cycles, then write cycles, then accesses, then the one that suits phases of
/// consecutive lanes too, then the plainest; found by trying them all. `writers` and `readers` are tile layouts over
/// `shape`.
SharedChoice chooseSwizzle(llvm::ArrayRef<int64_t> shape, int64_t elementBytes, llvm::ArrayRef<LinearLayout> writers,
                           llvm::ArrayRef<LinearLayout> readers, const SharedMemory &memory);

} // namespace tilec

#endif // TILEC_PASSES_MACHINE_BANKCONFLICTS_H
