// Loops whose reads are those of one panel: the K-loop of a product over scratch, for example, which waits in one of
// many iterations. From the first two iterations of a stretch and the last two follows what those between them do.
// Belongs here: which loops those are, and whether an iteration reads where the others say. Does not: recording.
#pragma once

#include "passes/checker/OpenReads.h"

#include <functional>

namespace tilec::checker {

/// Sets `panel` in the loops of a program most of whose iterations do nothing but read, at places that are affine in
/// the index, under waits that are the same for all of them. A check that holds in the first and in the last iteration
/// of a stretch then holds in all.
void findPanelLoops(ProgramCode &program);

/// Both kinds of loops that need not be executed iteration by iteration: those and idle ones.
void classifyLoops(ProgramCode &program);

/// What the iterations of a stretch read: each beside the one before, or all the same. What lies between two of them is
/// then read by those between, for places are affine and no tile is cut.
class PanelReads {
public:
  using Footprint = std::function<bool(const AccessSite &site, llvm::SmallVectorImpl<int64_t> &box)>;

  /// `slots` are those that the program's code sets. `footprint`: by the values that they have when it is asked.
  PanelReads(const ProgramCode &program, const Panel &panel, llvm::ArrayRef<int64_t> slots, OpenReads &reads,
             uint32_t thread, Footprint footprint)
      : program(program), panel(panel), slots(slots), reads(reads), thread(thread), footprint(std::move(footprint)) {}

  /// Behind the first iteration. False where it is none of the stretch, or where more happens than what is recorded of
  /// reads: threads of a workgroup do not meet in each iteration, or a task reads what it has stored.
  bool begin(const std::vector<bool> &written);
  /// Behind the second: whether its reads have joined those of the first.
  bool goOn();
  /// Behind the second: how many iterations the stretch has, of so many that are left from its first one.
  int64_t length(int64_t left) const;
  /// Whether iteration `number` reads where it should.
  bool isAt(int64_t number) const;
  /// So many further iterations have read.
  void extend(int64_t iterations);

private:
  struct Read {
    uint32_t site = 0, access = 0;
    OpenReads::Box first;
    size_t along = 0; ///< the place in the box of the dimension in which they lie side by side; 0: in none
  };
  bool isQuiet() const;
  bool isAt(const Read &read, int64_t number) const;
  int64_t lengthBefore(const Guard &guard, int64_t before, int64_t left) const;

  const ProgramCode &program;
  const Panel &panel;
  llvm::ArrayRef<int64_t> slots;
  OpenReads &reads;
  uint32_t thread;
  Footprint footprint;
  llvm::SmallVector<Read, 4> all;
  llvm::SmallVector<int64_t, 1> numbers; ///< of the guards, in the first iteration
};

} // namespace tilec::checker
