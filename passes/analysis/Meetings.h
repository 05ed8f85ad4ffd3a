// Whether the threads of a workgroup meet between two accesses of one task to the same elements of global memory.
// Belongs here: accesses by threads of one workgroup. Does not: tasks, workgroups and ranks among each other (Races).
#pragma once

#include "passes/analysis/Findings.h"
#include "passes/analysis/RoleProgram.h"

#include <map>

namespace tilec::checker {

/// Follows one workgroup through the exit dialect, where a tile is a layout over threads and an op moves it by all of
/// them at once. The order of the text holds for one thread alone: two accesses to one element, one of them a store,
/// need a barrier between them unless the same thread makes both.
class Meetings {
public:
  /// `describe` names the task that runs.
  Meetings(const ProgramCode &program, Findings &findings, std::function<std::string()> describe)
      : program(program), findings(findings), describe(std::move(describe)) {}

  /// All threads of the workgroup come to the same place; also between two tasks, and a task and the once-per-workgroup
  /// part of its role, which signals alone order.
  void meet() { pending.clear(); }
  /// `box`: root, then (first, count, stride) per dimension of it; `starts`: of the tile in its view, before clipping.
  void access(uint32_t site, int64_t owner, llvm::ArrayRef<int64_t> box, llvm::ArrayRef<int64_t> starts);

private:
  struct Touched {
    uint32_t site;
    llvm::SmallVector<int64_t, 13> box;
    llvm::SmallVector<int64_t, 4> clipped; ///< elements of the tile below the view, per dimension
  };
  /// What was touched of one buffer on one rank since the threads last met.
  struct Buffer {
    std::vector<Touched> reads, writes;
    llvm::SmallVector<int64_t, 8> hull; ///< (first, end) per dimension of all that is in the lists
  };
  using Buffers = std::map<std::pair<int64_t, int64_t>, Buffer>; ///< by root and owner

  bool isByOneThread(const Touched &a, const Touched &b) const;
  void compare(const std::vector<Touched> &earlier, const Touched &now);
  void report(const Touched &earlier, const Touched &now);

  const ProgramCode &program;
  Findings &findings;
  std::function<std::string()> describe;
  Buffers pending;
};

} // namespace tilec::checker
