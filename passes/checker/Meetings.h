// Whether the threads of a workgroup meet between two accesses of one task to the same elements of global memory.
// Belongs here: accesses by threads of one workgroup. Does not: tasks, workgroups and ranks among each other (Races).
#pragma once

#include "passes/checker/Findings.h"
#include "passes/checker/RoleProgram.h"

#include <map>
#include <unordered_map>

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
    bool operator==(const Touched &other) const {
      return site == other.site && box == other.box && clipped == other.clipped;
    }
  };
  /// Boxes in grids of cells, a grid for each size of boxes up to powers of two: a box lies in few cells of its grid,
  /// and what meets a box is found in the cells that it covers. Filled when asked; few boxes are looked through
  /// instead.
  class Boxes {
  public:
    void add(Touched touched) { all.push_back(std::move(touched)); }
    void forEachNear(llvm::ArrayRef<int64_t> box, llvm::function_ref<void(const Touched &)> visit);

  private:
    struct Grid {
      std::unordered_map<uint64_t, llvm::SmallVector<uint32_t, 2>> cells; ///< by a hash of their coordinates
      std::vector<uint32_t> members;
    };
    void place(uint32_t number);

    std::vector<Touched> all;
    uint32_t numPlaced = 0;
    std::map<llvm::SmallVector<int64_t, 4>, Grid> grids; ///< by the logarithms of sizes of cells
  };
  /// What was touched of one buffer on one rank since the threads last met.
  struct Buffer {
    Boxes reads, writes;
  };
  using Buffers = std::map<std::pair<int64_t, int64_t>, Buffer>; ///< by root and owner

  bool isByOneThread(const Touched &a, const Touched &b) const;
  void compare(Boxes &earlier, const Touched &now);
  void report(const Touched &earlier, const Touched &now);

  const ProgramCode &program;
  Findings &findings;
  std::function<std::string()> describe;
  Buffers pending;
};

} // namespace tilec::checker
