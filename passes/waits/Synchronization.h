// What `waits` knows about a program in kernel form, and the emission of its signals and waits.
#pragma once

#include "passes/analysis/RankLoop.h"
#include "passes/machine/Target.h"
#include "passes/waits/Steps.h"

#include <map>

namespace tilec {

/// A tile loop of a kernel, with what it accesses.
struct Statement {
  tile::ForallOp forall;
  tile::RoleOp role;
  tile::KernelOp kernel;
  std::vector<Footprint> accesses;
  mlir::Value steps; ///< how many, where a loop repeats it: then a step is its first index

  mlir::Value step() const { return tile::ForallOp(forall).getIndices().front(); }
  bool isInLoopWith(const Statement &other) const { return steps && steps == other.steps; }
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
  /// Tasks write to other ranks alone: those that have this rank for their target do nothing, and tell nobody.
  bool amongOthers = false;
};

/// One wait covers so many iterations of a reader's loop; `passes` is an expression over the extents, at least 1.
struct PassGroup {
  mlir::scf::ForOp loop;
  mlir::AffineExpr passes;
  int64_t step; ///< of the loop
  bool isEveryPass() const { return passes == mlir::getAffineConstantExpr(1, passes.getContext()); }
};

/// A grid of signals whose sizes are expressions over the program's extents.
tile::SignalsOp declareGrid(tile::ProgramOp program, llvm::StringRef name, llvm::ArrayRef<mlir::AffineExpr> sizes,
                            mlir::Location loc);

/// Emits the synchronisation of one program.
class Synchronizer {
public:
  Synchronizer(tile::ProgramOp program, const StepCounts &steps);

  int64_t world() const { return numRanks; }
  std::vector<Statement> &statements() { return all; }
  tile::ProgramOp getProgram() { return program; }
  mlir::Value rank() const { return rankValue; }
  /// This rank's number and a constant, modulo the world.
  mlir::Value neighbour(int64_t shift);

  /// The completion signals of a statement for who is affected by `access`; declared on first use.
  Completion &completionOf(Statement &statement, const Footprint &access, Audience audience);
  /// Emits all completion signals that were asked for, at the ends of the tasks. Call last: loops are rebuilt.
  void emitCompletions();

  /// A grid with one signal for each rank, declared once for each name.
  tile::SignalsOp rankGrid(llvm::StringRef name);
  /// The one by which ranks tell each other that at the edges of a launch.
  tile::SignalsOp rankGrid(tile::Handshake handshake);
  /// The role of a kernel that runs first or last; made on first use.
  tile::RoleOp edgeRole(tile::KernelOp kernel, tile::Turn turn);
  /// At the end of a block: raises signal `rank` of a rank grid on every rank.
  void signalEveryone(mlir::Block *block, tile::SignalsOp grid);
  /// In the prologue of a role: waits for the signal of every rank; one wait for each role and grid.
  mlir::Value awaitEveryone(tile::RoleOp role, tile::SignalsOp grid, int64_t lag);
  /// A wait for all signals of a rank grid.
  tile::WaitOp waitForRanks(mlir::OpBuilder &builder, tile::SignalsOp grid, int64_t lag);

  /// Emits, in a loop, the branch that every first iteration of a group takes: its result is the token, to be yielded
  /// by the caller on that side and carried from iteration to iteration on the other.
  mlir::scf::IfOp guardWait(mlir::OpBuilder &builder, mlir::Location loc, const PassGroup &group);
  /// Takes back the last result of `guardWait`.
  void dropGuard(mlir::scf::IfOp guard);
  /// Lets the loops carry the tokens of their guards. Call last, after `emitCompletions`: loops are rebuilt.
  void carryTokens();

  /// Adds a token to those an access comes after.
  static void protect(const Footprint &access, mlir::Value token);

private:
  mlir::Value startsGroup(mlir::OpBuilder &builder, mlir::Location loc, const PassGroup &group);

  tile::ProgramOp program;
  int64_t numRanks;
  mlir::Value rankValue;
  std::map<int64_t, mlir::Value> neighbours;
  std::vector<Statement> all;
  std::vector<std::pair<mlir::Operation *, Completion>> completions;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned, 2>> completionsOf; ///< places among them, by owner
  std::map<std::string, tile::SignalsOp> rankGrids;
  std::vector<mlir::scf::IfOp> guards;
  std::map<std::tuple<mlir::Operation *, mlir::Operation *, int64_t>, mlir::Value> prologueWaits;
};

/// The token of a store at the level of its task: a result of the loops and branches around it.
mlir::Value tokenAtTaskLevel(mlir::Operation *store, mlir::Block *task);

/// A loop over all ranks of a reader's task, each iteration of which reads a part of one rank's view alone along
/// dimension `dim`: iteration r of rank r's, at `r * stride + rest` with the same rest in all of them.
struct SourceLoop {
  mlir::scf::ForOp loop;
  unsigned dim;
};

/// That loop around the access `later`, of views that `earlier` writes, one for each `rank`.
std::optional<SourceLoop> sourceLoop(Statement &reader, const Footprint &later, const Footprint &earlier,
                                     const Synchronizer &sync);

/// The iterations that one wait of `later` covers, when it stands in a loop of the reader's task.
std::optional<PassGroup> groupPasses(tile::GranularityAttr granularity, Statement &reader, const Footprint &later,
                                     Statement &writer, const Footprint &earlier, const Synchronizer &sync);

/// Lets the tasks of copies move as many tiles as the waits of their readers' loops cover, where the granularity is a
/// group. Returns how many statements changed; what is known of them is stale then.
unsigned coarsenCopies(Synchronizer &sync, tile::GranularityAttr granularity, const Target &target);

/// Lets tasks of copy engines move all of a row of tiles. Returns how many statements changed.
unsigned coarsenEngineCopies(tile::ProgramOp program);

/// A launch ends when what the copy engines of other ranks copy to arguments of this one, or to what it keeps, has
/// come: the `last` roles wait for it.
/// Call before the signals are emitted.
void awaitEngines(Synchronizer &sync);

/// Moves what copy engines would wait for to the first workgroups of their kernels, for which the engines wait; or,
/// with the roles that begin these kernels, into kernels before. Call last. Reports and fails where a task of an engine
/// would have to wait.
llvm::LogicalResult splitGates(Synchronizer &sync);

/// The first operation of a loop's body that accesses memory, or the end of the body: waits of all loads are
/// placed together.
mlir::Operation *firstAccessIn(mlir::scf::ForOp loop);

/// True when what the waits in [first, end) wait for depends on `variable`.
bool waitDependsOn(mlir::Value variable, mlir::Operation *first, mlir::Operation *end);

/// Moves the numbers in [block.begin(), end) that are the same in every iteration before the loop.
void hoistInvariants(mlir::scf::ForOp loop, mlir::Block &block, mlir::Operation *end);

/// From which ranks the waits of a statement for another have a signal.
struct Hearing {
  enum class From {
    Some,     ///< by the indices, and perhaps no rank
    Together, ///< all tasks taken together, from every rank
    Each,     ///< every wait, from every rank, unless it is empty
  } from = From::Some;
  /// Dimensions in which a task may read outside its view: its wait is then empty.
  llvm::SmallVector<unsigned> beside;
};

/// Emits the wait of `reader`'s tasks for those tasks of `writer` that touch the elements of `later`, before the
/// access or in a loop around it, by the granularity; returns the token and says from which ranks it has signals. Of
/// statements in one loop `distance` says which steps are meant.
mlir::Value awaitFootprint(Synchronizer &sync, Statement &reader, const Footprint &later, Statement &writer,
                           const Footprint &earlier, const Completion &completion, tile::GranularityAttr granularity,
                           std::optional<StepDistance> distance, Hearing &hearing);

/// The token of a wait, or of one of the known ones of the same task before it that waits for the same signals; then
/// the new one is erased.
mlir::Value unlessRepeated(mlir::Value token, llvm::ArrayRef<mlir::Value> known);

} // namespace tilec
