// Conflicting accesses that nothing orders: between tasks, ranks and launches, and with the application at the edges of
// a launch. Knows nothing of how the execution is scheduled.
#pragma once

#include "passes/checker/Cells.h"
#include "passes/checker/Execution.h"

namespace tilec::checker {

class Races {
public:
  Races(const Trace &trace, const Cells &cells, const Execution &execution, Findings &findings);

  /// Checks an access against the earlier ones to its cells. Called in an order that happens-before allows.
  void visit(uint32_t launch, uint32_t thread, uint32_t access);

  /// Checks, once the execution is over, that a rank's launch completes after its peers' accesses to its arguments.
  void checkCompletion();

  uint64_t numCells() const;

private:
  struct Entry {
    Event event;
    uint32_t farCover = Access::never; ///< the cover that counts for other ranks
    uint32_t launch = 0, thread = 0, access = 0;
    uint32_t site = 0; ///< of the access, which is far away
    bool isFrom(const Entry &other) const { return event.thread == other.event.thread; }
  };
  /// There are many more cells than accesses, so that these are named by numbers. 0: there is none.
  struct Cell {
    uint32_t write = 0;        ///< among `entries`
    uint32_t since : 31 = 0;   ///< reads and commuting accesses since the last write, newest first; among `lists`
    uint32_t commuted : 1 = 0; ///< some of these write
  };
  struct Link {
    uint32_t entry = 0, next = 0;
  };
  /// Whether the access that is visited comes after an event. Neighbouring cells ask about the same.
  struct Answer {
    Event event;
    bool isKnown = false, isValid = false;
  };
  struct Exit {
    uint32_t launch, thread, access;
  };
  using Clock = HappensBefore::Clock;

  const AccessSite &site(const Entry &entry) const { return trace.program->accesses[entry.site]; }
  /// An earlier access as this one's rank may come to know it.
  Event seenFrom(uint32_t rank, const Entry &earlier) const;
  bool isOrdered(const Entry &earlier, uint32_t cell);
  bool isKnown(const Event &event);
  bool orderedInTask(const Entry &earlier, uint32_t cell) const;
  void checkCell(uint32_t cell, Cell &state);
  void checkWritten(uint32_t cell, const Cell &state);
  void coverEarlier(Cell &state);
  uint32_t covered(uint32_t earlier);
  uint32_t numberOfNow();
  void record(Cell &state);
  bool isApart(const Entry &earlier) const;
  bool isRepeated(const Cell &state) const;
  void checkEntry(uint32_t root);
  void report(const Entry &earlier, uint32_t cell);
  void explain(mlir::InFlightDiagnostic &diagnostic, const Entry &earlier) const;

  const Trace &trace;
  const Cells &cells;
  const Execution &execution;
  Findings &findings;
  std::vector<std::vector<Cell>> state; ///< [root]: rank, copy, cell
  std::vector<bool> isUndefined;        ///< [root]: at the start of a launch
  std::vector<Entry> entries{1};        ///< of accesses, as cells know them
  std::vector<Link> lists{1};
  std::vector<Exit> exits;
  Entry now;
  uint32_t nowNumber = 0;                    ///< of `now` among the entries; 0: it has none yet
  std::pair<uint32_t, uint32_t> lastCovered; ///< by `now`: an entry, and the one that took its place
  llvm::SmallVector<Clock, 4> known;
  Answer latest;
};

} // namespace tilec::checker
