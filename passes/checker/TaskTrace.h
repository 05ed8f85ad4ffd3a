// What every task of every role on every rank does in one launch: its accesses, signals and waits. The same in each
// launch, since no scalar of the kernel form depends on the launch. Nothing here orders anything.
#pragma once

#include "passes/checker/Findings.h"
#include "passes/checker/Interner.h"
#include "passes/checker/RoleProgram.h"

#include <map>

namespace tilec::checker {

/// One instance of a role's once-per-workgroup part, of a task, or of a `first` or `last` role.
struct Thread {
  enum Kind : uint8_t { First, Prologue, Task, Last };
  static constexpr uint32_t none = ~0u;
  Kind kind = Task;
  bool isOfLast = false; ///< what the last of several tasks does behind them; `task` is one of these
  bool engine = false;   ///< the copy engine does it
  bool alone = true;     ///< on its rank and in its launch no other workgroup runs the same part
  uint16_t rank = 0, kernel = 0, role = 0;
  uint32_t task = 0;      ///< row-major number in the grid of the role
  uint32_t before = none; ///< the thread that its workgroup has finished before
  uint32_t firstAccess = 0, endAccess = 0, firstSync = 0, endSync = 0;
  uint32_t signals = 0; ///< how many signals it raises
};

struct Access {
  static constexpr uint32_t never = ~0u;
  uint32_t site = 0, box = 0, tokens = 0;
  uint32_t position = 0; ///< synchronisations of the thread before it
  uint32_t cover =
      never; ///< number (from 1) of the signal of its thread that publishes it, or that follows it when it reads
  uint32_t owner = 0; ///< rank whose copy is accessed
};

struct Sync {
  uint32_t site = 0;
  uint32_t object = 0; ///< a signal's word (global), a wait's box
  uint32_t number = 0; ///< a signal's number in its thread from 1; for a wait the signals before it
  bool signal = false, counted = false;
};

/// The words that a wait waits for, and how far back.
struct WaitBox {
  uint32_t lag = 0, begin = 0, end = 0; ///< range of `Trace::boxWords`
};

struct RoleThreads {
  uint16_t role = 0;
  llvm::SmallVector<uint32_t, 2> prologues; ///< two stand for any number of workgroups
  uint32_t beginTask = 0, endTask = 0;      ///< in the order of tickets
  uint32_t ofLast = 0;                      ///< how many of them are what the last of several tasks does
  uint32_t numTasks() const { return endTask - beginTask - ofLast; }
};

struct KernelThreads {
  std::vector<uint32_t> firsts, lasts;
  std::vector<std::vector<RoleThreads>> groups;
  uint32_t bodyThreads = 0;   ///< all but those of `last` roles and of copy engines
  uint32_t engineThreads = 0; ///< of copy engines
};

struct Trace {
  const ProgramCode *program = nullptr;
  std::vector<Thread> threads;
  /// Without those that nothing can conflict with: this rank's reads of an argument that no access writes.
  std::vector<Access> accesses;
  uint64_t numAccesses = 0; ///< with them, and each counted that `accesses` has as part of another
  std::string excess;       ///< what there is more of than is traced; the trace then says nothing
  bool partial() const { return !excess.empty(); }
  std::vector<Sync> syncs;
  std::vector<std::vector<KernelThreads>> kernels; ///< [rank][kernel]
  std::vector<llvm::SmallVector<int64_t, 4>> rootSizes, gridSizes;
  std::vector<std::vector<llvm::SmallVector<int64_t, 4>>> roleSizes; ///< [kernel][role]: the grid of tasks
  Interner boxes;     ///< root, then (first, count, stride) per dimension
  Interner tokenSets; ///< sorted numbers of syncs; those with `prologueToken` belong to the thread before
  std::vector<WaitBox> waits;
  std::vector<uint32_t> boxWords;
  uint32_t wordsPerRank = 0;
  std::vector<std::string> partTexts;           ///< of several launches in a row: the extents of each
  std::map<uint32_t, std::string> missingWords; ///< words within a rank that no launch has, by their coordinates

  static constexpr int64_t prologueToken = int64_t(1) << 40;

  uint32_t numRanks() const { return kernels.size(); }
  uint32_t numKernels() const { return kernels.empty() ? 0 : kernels.front().size(); }
  /// Which of several launches in a row a thread belongs to (LaunchSequence).
  uint32_t partOf(const Thread &thread) const { return thread.kernel / program->kernels.size(); }
  /// The first signal of a thread, from number `cover` on, that releases to other ranks; `never` without one.
  uint32_t systemCover(uint32_t thread, uint32_t cover) const;
  mlir::Operation *opOf(const Access &access) const { return program->accesses[access.site].op; }
  mlir::Operation *opOf(const Sync &sync) const { return program->syncs[sync.site].op; }
  /// `task (0, 2) of role @send on rank 1`.
  std::string describe(const Thread &thread) const;
  /// Of a loop around the statement of a task; 0 of one without.
  int64_t stepOf(const Thread &thread) const;
  /// `[0, 2] of rank 1`: a word within its grid.
  std::string describeWord(uint32_t word) const;
};

/// Runs the program's scalar code on every rank with the given extents. What is wrong already (an index outside its
/// grid, a rank outside the world, a view outside its buffer) goes to `findings`, and the event is left out. Fails
/// where no trace can be had at all. Stops at `budget` accesses or a million tasks. `draw` says which numbers the
/// launch gives and finds (DrawnNumbers.h).
mlir::FailureOr<Trace> traceProgram(const ProgramCode &program, llvm::ArrayRef<int64_t> extents, Findings &findings,
                                    uint64_t budget = ~uint64_t(0), int64_t draw = 0);

} // namespace tilec::checker
