// The extents that `verify` launches a program with when nobody names any. Choosing them changes nothing.
#pragma once

#include "dialect/Tile.h"

#include <array>

namespace tilec::checker {

struct ConstantReach;

/// What an extent is in samples.
struct UsualValues {
  /// Three tiles and a part of one, less than a tile, two whole tiles, a single row: of tiles of 64.
  std::array<int64_t, 4> each{200, 40, 128, 1};
  /// In one sample, while the others are small: of the greatest tile over it.
  int64_t greatest = 200;
  /// Of the extent, that loops and buffers have (TileSides.h). Values count the extent itself.
  int64_t multiple = 1;
  /// What the extent would be without. Where a program has limits, launches up to there are accepted.
  int64_t undivided = 200;

  int64_t shortest() const { return each[1]; } ///< in which there is work nevertheless
  /// The least extent with so many elements along it.
  int64_t extentOf(int64_t length) const { return length > 0 ? (length - 1) / multiple + 1 : 0; }
  bool anyOf(llvm::function_ref<bool(int64_t)> is) const { return is(greatest) || llvm::any_of(each, is); }
};

/// Why a launch beyond the samples may show what none of them does.
struct Unseen {
  llvm::StringRef why;
  mlir::Operation *at = nullptr; ///< what it comes from, where that is one operation
};

class UsualSamples {
public:
  using Sample = llvm::SmallVector<int64_t, 4>;

  /// By hand: whoever wrote the waits and signals is held to the greatest samples, so these stay as long as they are.
  UsualSamples(tile::ProgramOp program, bool isByHand);

  /// Four samples in which each extent takes each of its values once, and two seeded ones. Where a launch of one of
  /// them has more than 8192 accesses, tiles are as small as those of the finest tile loop over an extent, and one
  /// extent after the other has its greatest value. Turning points come on top; `unseen` says why
  /// some are left out. By hand: so does the sample in which all extents are as great as in any.
  llvm::SmallVector<Sample> choose(std::optional<Unseen> &unseen) const;

  /// Each extent as small as it is with work to do.
  Sample shortest() const;

  /// Whether a launch has so few accesses that it may be a sample.
  bool isSmall(llvm::ArrayRef<int64_t> extents) const;

  /// Whether a launch has so few accesses that it is checked though nobody names it. `isLimited`: launches beyond the
  /// samples are refused.
  bool isAffordable(llvm::ArrayRef<int64_t> extents, bool isLimited) const;
  static uint64_t mostAccesses(bool isLimited);

private:
  llvm::SmallVector<Sample> combine() const;
  void addAlone(llvm::SmallVectorImpl<Sample> &samples) const;
  void addUndivided(uint64_t mostAccesses, llvm::SmallVectorImpl<Sample> &samples) const;
  void addPairs(llvm::ArrayRef<ConstantReach> reaches, llvm::SmallVectorImpl<Sample> &samples) const;
  /// The first for which such a launch has more than 32768 accesses, null where there is none.
  const ConstantReach *addBehindConstants(llvm::ArrayRef<ConstantReach> reaches,
                                          llvm::SmallVectorImpl<Sample> &samples) const;
  /// False where such a launch has more than 32768 accesses.
  bool addWholeSteps(unsigned extent, const ConstantReach &reach, llvm::SmallVectorImpl<Sample> &samples) const;

  tile::ProgramOp program;
  llvm::SmallVector<UsualValues> values;  ///< [extent]
  llvm::DenseSet<mlir::Operation *> idle; ///< loops whose accesses cost nothing
  bool isByHand = false, isLarge = false;
};

/// An order that its author wrote as a map is a bijection of the tasks that were enumerated. Of as many as a larger
/// launch has, nothing is known.
tile::ForallOp sampledOrder(tile::ProgramOp program);

} // namespace tilec::checker
