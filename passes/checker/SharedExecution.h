// Abstract execution of a printed kernel's accesses to LDS, for `check`.
// Belongs here: states of LDS and the walk over all paths. Does not: anything that passes before `check` use.
#pragma once

#include "passes/checker/HeldRegisters.h"

#include <map>
#include <set>

namespace tilec {

/// One LDS access: bytes [first, end), seen as `type`.
struct SharedAccess {
  mlir::Operation *op = nullptr;
  const void *type = nullptr;
  int64_t first = 0, end = 0;
  /// InFlight: as long as nobody waits for it; a barrier does. Complete: for the wave that issued it, not yet for those
  /// that it meets. MetOnce: where halves of the waves are one meeting apart, one of them may not have come to it.
  enum class Reached { InFlight, Complete, MetOnce } reached = Reached::InFlight;
  auto key() const { return std::tuple(op, type, first, end, reached); }
  bool operator<(const SharedAccess &other) const { return key() < other.key(); }
  bool overlaps(const SharedAccess &other) const { return first < other.end && other.first < end; }
  bool isSameTile(const SharedAccess &other) const {
    return type == other.type && first == other.first && end == other.end;
  }
};

/// A copy to LDS that passes no register, as so many accesses of each wave.
struct SharedCopy {
  SharedAccess access;
  int64_t accesses = 0;
  bool operator<(const SharedCopy &other) const {
    return std::tie(access, accesses) < std::tie(other.access, other.accesses);
  }
};

/// A copy of the engine, on its way to a slot of which `full` says when it is there. Where several loops fill the slot
/// in turn, each of them may be the one; `by` is that of this copy.
struct SharedFill {
  SharedAccess access;
  mlir::Operation *full = nullptr;
  int64_t slot = 0;
  mlir::Operation *by = nullptr;
  auto key() const { return std::tie(access, full, slot, by); }
  bool operator<(const SharedFill &other) const { return key() < other.key(); }
};

/// A product that is not awaited: the slots that it reads, and the registers that it writes.
struct PendingProduct {
  std::vector<SharedAccess> reads;
  mlir::Operation *sums = nullptr;
  bool operator<(const PendingProduct &other) const {
    return std::tie(reads, sums) < std::tie(other.reads, other.sums);
  }
};

/// Where the last steps through rings ended: the number of the step behind them is a value of the text, its slot is
/// followed. Steps that begin there go on with these slots.
struct StepsEnd {
  void *step = nullptr;
  int64_t slot = 0;
  bool operator<(const StepsEnd &other) const { return std::tie(step, slot) < std::tie(other.step, other.slot); }
};

/// What is known at one point of one path.
struct SharedState {
  std::set<SharedAccess> loads, stores; ///< since the last barrier
  std::vector<SharedCopy> copies;       ///< not awaited, the oldest first; they land at any time
  std::set<SharedFill> fills;           ///< not awaited; they land at any time
  std::vector<PendingProduct> products; ///< not awaited, oldest first
  std::set<SharedAccess> unfenced;      ///< stores of threads, of which engines know nothing yet
  std::set<SharedAccess> contents;      ///< stores whose bytes nobody has overwritten
  std::set<SharedAccess> used;          ///< loads from slots of rings that nobody has filled since
  std::map<void *, int64_t> numbers;    ///< index values that are known, by their opaque pointers
  StepsEnd end;
  HeldTiles held;
  bool apart = false; ///< the second half of the waves is one meeting behind the first

  std::optional<int64_t> numberOf(mlir::Value value) const;
  void setNumber(mlir::Value value, std::optional<int64_t> number);
  void forget(mlir::Block *body);
  /// All but `loads`, `stores` and `unfenced`.
  auto facts() const { return std::tie(copies, fills, products, contents, used, numbers, end, held, apart); }
  bool operator<(const SharedState &other) const {
    auto key = [](const SharedState &state) {
      return std::tuple_cat(state.facts(), std::tie(state.loads, state.stores, state.unfenced));
    };
    return key(*this) < key(other);
  }
};

/// States of several paths to one point. Paths that differ only in what was loaded and stored since threads met are one
/// state with all of these accesses: each of them is compared, and forgotten, by itself, so the state reports what one
/// of the paths does, and nothing else.
class SharedStates {
public:
  SharedStates() = default;
  SharedStates(std::initializer_list<SharedState> list) {
    for (const SharedState &state : list)
      insert(state);
  }

  /// Whether the state, or an access of it, is new.
  bool insert(SharedState state);
  void merge(SharedStates &&other) {
    while (!other.empty())
      insert(other.take());
  }
  /// Removes one.
  SharedState take() { return std::move(states.extract(states.begin()).value()); }

  bool empty() const { return states.empty(); }
  size_t size() const { return states.size(); }
  auto begin() const { return states.begin(); }
  auto end() const { return states.end(); }
  bool operator==(const SharedStates &other) const {
    return llvm::equal(states, other.states,
                       [](const SharedState &a, const SharedState &b) { return !(a < b) && !(b < a); });
  }

private:
  struct HasOtherFacts {
    bool operator()(const SharedState &a, const SharedState &b) const { return a.facts() < b.facts(); }
  };
  std::set<SharedState, HasOtherFacts> states;
};

/// Executes a kernel over all paths: both sides of a branch that is not known, every number of iterations of a loop
/// until no new state appears, any number of tasks one after the other. Besides `hip.barrier` the calls that hold one
/// count: `wait` and `signal` unless by wave, `last`, the drawing of a ticket, a reduction over waves. The accesses of
/// activities happen in the order of the text, where `in_order` or `places` has them. A copy is complete for its wave
/// behind an `await_copies` that leaves at most as many accesses as copies behind it have, and for others when they
/// have met behind that; `meet` orders nothing but what is complete. Reports, once for each operation: a load that no
/// barrier separates from a store of the same bytes; a store that none separates from a load or store of the same
/// bytes; an access to bytes that a copy may still fill; a load of bytes that another tile has overwritten; a load of
/// what no path has stored; bytes outside of the kernel's LDS. Of rings also: a slot that some path has not filled, one
/// that the same operation reads again before it is filled again, steps that do not begin where the steps before them
/// ended, at a multiple of the slots, and what HeldRegisters says.
///
/// In steps whose halves alternate, a wave of the second half is one meeting behind those of the first: what one has
/// done comes before what another does behind two meetings, not behind one.
///
/// What a copy engine fills is there behind the `await_full` of its slot, for all waves; a slot that is awaited without
/// having been filled is an error. Products read their slots until an `await_products` that leaves fewer than were
/// issued since, and barriers do not complete them. What threads have stored is known to the engine behind a
/// `fence_async` and a meeting.
///
/// A producer fills each slot again as soon as its consumers have released it, for this task or a later one: from the
/// start of the kernel on, a slot that is not between its `await_full` and its `release_step` is being filled. Each
/// wave releases for itself: its reads of the slot are complete. What is left at the end of a task is as it was at its
/// start.
class SharedExecution {
public:
  explicit SharedExecution(hip::KernelOp kernel) : kernel(kernel) {}
  mlir::LogicalResult run();

private:
  using States = SharedStates;
  States runBlock(mlir::Block &block, States states);
  States runOp(mlir::Operation *op, const SharedState &state);
  void step(mlir::Operation *op, SharedState &state);
  States runIf(mlir::scf::IfOp op, const SharedState &state);
  static States runSelect(mlir::arith::SelectOp op, const SharedState &state);
  States runFor(mlir::scf::ForOp op, const SharedState &state);
  States runGroup(hip::GroupOp op, const SharedState &state);
  States runTasks(hip::TasksOp op, const SharedState &state);
  States runReduce(hip::ReduceOp op, const SharedState &state);
  States runScan(hip::ScanOp op, const SharedState &state);
  SharedState goThrough(mlir::Operation *op, mlir::Value shared, const SharedState &state);
  States runSteps(hip::StepsOp op, const SharedState &state);
  static States together(States states);
  bool canAllAlternate(hip::StepsOp steps);
  void beginSteps(hip::StepsOp op, const SharedState &state);
  void runActivities(mlir::Operation *op, SharedState &state);
  void perform(mlir::Operation *op, mlir::Value activity, SharedState &state);
  // StreamExecution.cpp
  bool runStreamOp(mlir::Operation *op, SharedState &state);
  States runStream(hip::StreamOp op, const SharedState &state);
  States runRegion(mlir::Region &region, int64_t step, int64_t slots, const States &states);
  void fill(hip::FillOp op, SharedState &state);
  void awaitFull(hip::AwaitFullOp op, SharedState &state);
  void multiply(hip::MultiplyAsyncOp op, SharedState &state);
  void complete(const PendingProduct &product, SharedState &state);
  void awaitProducts(hip::AwaitProductsOp op, SharedState &state);
  static hip::SlotOp filledBy(mlir::Value activity);
  void put(hip::FillOp op, int64_t slot, SharedState &state);
  bool isWords(mlir::Operation *words, mlir::Operation *op, int64_t begin, int64_t bytes, int64_t first, int64_t end);
  void avoidCopies(const SharedState &state, const SharedAccess &access, const llvm::Twine &what);
  void avoidPending(const SharedState &state, const SharedAccess &access, const llvm::Twine &what);
  /// Whether waves turn tiles there, in bytes of LDS that they keep: at once, or when what is deferred is stored.
  static bool isTurn(mlir::Operation *op);
  void turnAmong(SharedAccess turned, SharedState &state);
  static hip::SharedType scratchOf(mlir::Operation *turn);
  /// Of all its copies.
  static int64_t scratchBytesOf(mlir::Operation *turn);
  static std::optional<int64_t> placeOf(mlir::Operation *turn);
  bool avoidsWords(mlir::Operation *op, int64_t first, int64_t end);
  /// Behind the slots of LDS that pieces pass through.
  static int64_t endOf(hip::RelayOp relay);
  // RoleExecution.cpp
  void beginFills(SharedState &state);
  States runSides(hip::IfProducesOp op, const SharedState &state);
  States runConsume(hip::ConsumeOp op, const SharedState &state);
  bool runRoleOp(mlir::Operation *op, SharedState &state);
  void release(hip::ReleaseStepOp op, SharedState &state);
  std::optional<int64_t> releasedSlot(hip::ReleaseStepOp op, const SharedState &state, bool &isNone);
  void turn(mlir::Operation *op, SharedState &state);

  void copy(SharedState &state, llvm::ArrayRef<SharedAccess> accesses);
  std::vector<SharedAccess> slotAccess(mlir::Operation *op, hip::SlotOp slot, const SharedState &state);
  static int64_t bytesOf(hip::SharedType type);
  bool fitsLds(mlir::Operation *op, int64_t first, int64_t end);
  void evaluate(mlir::Operation *op, SharedState &state);
  std::vector<SharedAccess> accesses(mlir::Operation *op, mlir::Value shared, const SharedState &state);
  void store(SharedState &state, llvm::ArrayRef<SharedAccess> accesses);
  void load(SharedState &state, llvm::ArrayRef<SharedAccess> accesses);
  void broadcast(mlir::Operation *by, SharedState &state);
  void useSlot(SharedState &state, llvm::ArrayRef<SharedAccess> accesses);
  void report(mlir::Operation *op, const llvm::Twine &what, const SharedAccess &other, llvm::StringRef note);

  hip::KernelOp kernel;
  llvm::SmallVector<mlir::Operation *> turns;     ///< in the kernel
  llvm::SmallVector<mlir::Operation *> slotWords; ///< that say what is full or empty in the kernel
  HeldRegisters registers;
  std::map<mlir::Operation *, bool> loadSeesStore;
  /// Of each loop, by the state before it: the states after it. Loops around it come to it in the same state again.
  std::map<mlir::Operation *, std::map<SharedState, States>> loops;
  std::set<mlir::Operation *> reported;
  /// Of the uses that are executed: the number of their step, as the text has it, and as it is.
  std::pair<mlir::Value, int64_t> current = {};
  void compareStep(mlir::arith::CmpIOp op, SharedState &state);
  bool failed = false;
};

} // namespace tilec
