// What `waits` knows about a program in kernel form, and the emission of its signals and waits.
#pragma once

#include "passes/analysis/Footprint.h"

#include <map>

namespace tilec {

/// A tile loop of a kernel, with what it accesses.
struct Statement {
  tile::ForallOp forall;
  tile::RoleOp role;
  tile::KernelOp kernel;
  std::vector<Footprint> accesses;
};

/// Who learns that a task has completed.
enum class Audience {
  Self,     ///< this rank's other workgroups
  Target,   ///< the rank that the task's access addresses
  Everyone, ///< all ranks
};

/// The completion signals of one statement for one audience. The grid's indices are the producing rank (when `byRank`)
/// and the statement's tile coordinates, without the one that names the target.
struct Completion {
  tile::SignalsOp grid;
  Audience audience;
  mlir::Value target; ///< the rank operand of the access, for Audience::Target
  bool byRank = false;
  llvm::SmallVector<unsigned> kept; ///< positions of the statement's indices in the grid, in order
};

/// Emits the synchronisation of one program.
class Synchronizer {
public:
  Synchronizer(tile::ProgramOp program);

  int64_t world() const { return numRanks; }
  std::vector<Statement> &statements() { return all; }
  tile::ProgramOp getProgram() { return program; }
  mlir::Value rank() const { return rankValue; }

  /// The completion signals of a statement for who is affected by `access`; declared on first use.
  Completion &completionOf(Statement &statement, const Footprint &access, Audience audience);
  /// Emits all completion signals that were asked for, at the ends of the tasks. Call last: loops are rebuilt.
  void emitCompletions();

  /// A grid of one word for each rank, declared once for each name.
  tile::SignalsOp rankGrid(llvm::StringRef name);
  /// The role of a kernel that runs first or last; made on first use.
  tile::RoleOp edgeRole(tile::KernelOp kernel, tile::Turn turn);
  /// At the end of a block: raises word `rank` of a rank grid on every rank.
  void signalEveryone(mlir::Block *block, tile::SignalsOp grid);
  /// In the prologue of a role: waits for every rank's word; one wait for each role and grid.
  mlir::Value awaitEveryone(tile::RoleOp role, tile::SignalsOp grid, int64_t lag);
  /// A wait for all words of a rank grid.
  tile::WaitOp waitForRanks(mlir::OpBuilder &builder, tile::SignalsOp grid, int64_t lag);

  /// Adds a token to those an access comes after.
  static void protect(const Footprint &access, mlir::Value token);

private:
  tile::ProgramOp program;
  int64_t numRanks;
  mlir::Value rankValue;
  std::vector<Statement> all;
  std::vector<std::pair<mlir::Operation *, Completion>> completions;
  std::map<std::string, tile::SignalsOp> rankGrids;
  std::map<std::tuple<mlir::Operation *, mlir::Operation *, int64_t>, mlir::Value> prologueWaits;
};

/// The token of a store at the level of its task: a result of the loops and branches around it.
mlir::Value tokenAtTaskLevel(mlir::Operation *store, mlir::Block *task);

/// Emits the wait of `reader`'s tasks for those tasks of `writer` that touch the elements of `later`, before the
/// access; returns the token. `covers` is set when all tasks of the reader together wait for every rank.
mlir::Value awaitFootprint(Synchronizer &sync, Statement &reader, const Footprint &later, Statement &writer,
                           const Footprint &earlier, const Completion &completion, bool &covers);

} // namespace tilec
