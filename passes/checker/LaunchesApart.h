// What the launches of one sample know of their peers by what happens in them, and nothing else: whether it keeps
// launches apart that touch the same scratch, whatever extents the launches before had.
#pragma once

#include "passes/checker/Execution.h"

#include "llvm/ADT/BitVector.h"

namespace tilec::checker {

/// Of one sample.
class LaunchesApart {
public:
  explicit LaunchesApart(const Trace &trace);

  /// Notes which peers have begun the launch before an access. Called for each access of an execution of launches that
  /// all have the extents of the trace. The first of them counts: it knows nothing of any launch before.
  void visit(const Execution &execution, const Trace &trace, uint32_t launch, uint32_t thread, uint32_t access);

  /// Notes what ranks know at the end of the launch.
  void finish(const Execution &execution);

  /// True when no sequence of launches of the two samples can leave a wait for ever, or accesses to scratch in two
  /// launches unordered, that launches of each alone do not. False where that is not known.
  static bool areKept(const LaunchesApart &one, const LaunchesApart &other);

private:
  /// Those of one rank to one owner's copy of a buffer.
  struct Accesses {
    bool any = false;
    llvm::BitVector begun; ///< peers that have begun the launch before each of them
  };
  /// By its grid and its place there, which another sample has as well when the grid is as large.
  struct Word {
    uint32_t rank, grid, place;
  };

  void noteWords(const Trace &trace);
  Word wordOf(uint32_t word) const;
  uint32_t numWords(uint32_t grid) const;
  bool findsWords(const LaunchesApart &other) const;
  bool comesLater(const LaunchesApart &earlier, uint32_t root, uint32_t owner, uint32_t rank) const;
  const Accesses &accesses(uint32_t root, uint32_t owner, uint32_t rank) const {
    return table[(size_t(root) * ranks + owner) * ranks + rank];
  }

  const ProgramCode *program;
  std::vector<llvm::SmallVector<int64_t, 4>> gridSizes;
  uint32_t ranks, wordsPerRank;
  std::vector<Accesses> table;     ///< [root][owner][rank]
  std::vector<bool> reads, writes; ///< [root]
  std::vector<Word> earlierWords;  ///< those that waits with a lag wait for
  llvm::BitVector raised;          ///< [word]
  bool hasSharedWords = false;     ///< several ranks raise one word: a late signal may lower it
  bool allBegin = false;           ///< the launch ends on each rank after all peers have begun it
};

} // namespace tilec::checker
