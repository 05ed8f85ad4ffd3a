// The scalar part of a program in kernel form as bytecode over 64-bit slots: what decides which tiles are touched,
// waited for and signalled. Tile values do not exist here. Compilation only; TaskTrace.h runs it.
// A slot holds an i1 as 0 or 1, a narrower integer than 64 bits sign-extended.
#pragma once

#include "dialect/Tile.h"

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <vector>

namespace tilec::checker {

enum class Code : uint8_t {
  Constant,
  Copy,
  Add,
  Sub,
  Mul,
  DivSigned,
  RemSigned,
  FloorDiv,
  CeilDiv,
  FloorMod,
  Max,
  Min,
  And,
  Or,
  Xor,
  ShiftLeft,
  ShiftRight,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Mask,
  Negate,
  Narrow,
  Select,
  Jump,
  JumpUnless,
  LoopGuard,
  Loop,
  UnsignedGuard,
  SizeGuard,
  Join,
  Access,
  Sync,
  Meet,
  Number,
  Given,
  Arrive
};

/// `target = left op right`. Mask: `left` with the bits of `value` alone. Negate, Narrow: of `left`. Jump: to `value`;
/// one that goes back is the end of loop `left`.
/// JumpUnless: when `left` is 0. Select: `value` is the condition's slot. LoopGuard: `left` must be positive. Loop:
/// `value` is the loop that begins.
/// UnsignedGuard: `left` must not be negative. SizeGuard: `left` must be `right`. Access, Sync: `value` is the site.
/// Number: of that access, from 0 to `left`. Given: number `value` of those that a launch gives, from 0 to `left`.
/// Meet: all threads of the workgroup come here. Arrive: `value` is the arrival; `target` is whether it is the last.
/// Tokens live in slots as well.
struct Instruction {
  Instruction(Code code, uint32_t target = 0, uint32_t left = 0, uint32_t right = 0, int64_t value = 0)
      : code(code), target(target), left(left), right(right), value(value) {}

  Code code;
  uint8_t bits = 64;    ///< of the result of an operation with two operands, or of Narrow
  bool checked = false; ///< a result that needs more is an error, else it wraps
  uint32_t target, left, right;
  int64_t value; ///< of guards but LoopGuard, of divisions and where `checked`: the place in `scalarOps`
};
/// Of a division that the program does not write: of its extents, or in an order of its tasks.
constexpr int64_t kNoOperation = -1;
using CodeList = std::vector<Instruction>;
using Slots = llvm::SmallVector<uint32_t, 4>;

/// An `scf.for`: the instructions from behind its `Code::Loop` to the jump back.
struct Loop {
  size_t begin = 0, end = 0, increment = 0;
  uint32_t index = 0, lower = 0, upper = 0, step = 0;
  llvm::SmallVector<uint32_t, 2> carried;
  bool idle = false;  ///< see IdleLoops.h
  int32_t panel = -1; ///< among the program's; -1: it is none
};

/// What few iterations of a loop do otherwise. Rest: those with `number rem divisor == bound`, on which it branches.
/// Order: those from which on `number < bound` is otherwise, by which a minimum or maximum chooses. Exact: those in
/// which `divisor` leaves a rest of `number`.
struct Guard {
  enum Kind : uint8_t { Rest, Order, Exact };
  Kind kind = Rest;
  uint32_t number = 0, bound = 0, divisor = 0;
};

/// What most iterations of a loop do, where none of their guards turns: see PanelLoops.h.
struct Panel {
  llvm::SmallVector<size_t> scalars; ///< instructions of the loop that only set slots, or check them
  Slots sites;                       ///< reads
  llvm::SmallVector<Guard, 1> guards;
  bool meets = false;       ///< the threads of the workgroup meet
  bool needsRanges = false; ///< some check may fail between two iterations in which it does not
};

/// A buffer (`parent` none) or a `memref.subview` of one; all members but `dropped` are slots, per dimension.
struct View {
  static constexpr uint32_t none = ~0u;
  uint32_t parent = none;
  uint32_t root = 0;
  Slots sizes;            ///< of the view, after dropping dimensions
  Slots offsets, strides; ///< per dimension of the parent
  Slots extents;          ///< per dimension of the parent
  llvm::SmallVector<bool, 4> dropped;
};

/// An argument or an alloc: one on every rank, with `copies` copies.
struct Root {
  mlir::Value value;
  uint32_t view = 0;
  bool argument = false;
  int64_t copies = 1;
};

/// Handles of ops are mutable since MLIR's accessors are not const.
struct Grid {
  mutable tile::SignalsOp op;
  Slots sizes;
};

struct AccessSite {
  mlir::Operation *op = nullptr;
  uint32_t view = 0;
  Slots indices, after;
  llvm::SmallVector<int64_t, 4> shape; ///< per dimension of the view
  bool elementOffsets = false, reads = false, writes = false;
  static constexpr uint32_t columnsWhole = 1, rowsWhole = 2, allWhole = ~0u;
  uint32_t whole = 0;   ///< bit d: dimension d, from the last on, is not clipped: all of it must lie in the view
  bool isApart = false; ///< its tasks of one launch are taken to touch different elements: which, is data
  bool isTold = false;  ///< by a wave that was handed what its task has stored so far
  uint32_t kind = 0;    ///< two accesses of one kind other than 0 commute
  int32_t rank = -1;    ///< slot of the owner; -1: this rank
  int32_t token = -1;
  mlir::Type tile; ///< in the exit dialect, with its layout, when each element has one thread
};

struct SyncSite {
  mlir::Operation *op = nullptr;
  bool signal = false, system = false; ///< `system`: the scope reaches other GPUs
  bool counted = false;                ///< of an arrival: who waits for the word waits for all that raise it
  bool posted = false; ///< names a tile whose words show that they have come: it makes nothing else known
  uint32_t grid = 0;
  Slots indices, counts, publishes;
  uint32_t lag = 0, to = 0;
  int32_t token = -1;
  int32_t takes = -1; ///< slot of how many signals the copy engine takes from the word; -1: it is another wait
};

/// A task counts itself at a word, and goes on if it is the last. To the checker that is a signal of the task, and
/// behind the last of them a thread of its own, which begins with a wait for all: nobody knows whose workgroup has it.
struct ArrivalSite {
  mlir::Operation *op = nullptr;
  uint32_t signal = 0, wait = 0; ///< sites
  uint32_t count = 0;            ///< slot of how many arrive
  Slots alike;                   ///< of what the last one uses, the same in all that arrive at the word
};

/// `forall` is null in a role without tasks, and in one whose tasks the exit dialect takes: then they are numbered in
/// the order of tickets, and `indices` has one slot.
struct RoleCode {
  std::string name;
  tile::Turn turn = tile::Turn::Each;
  mutable tile::RoleOp op; ///< null in the exit dialect
  uint32_t group = 0;      ///< among the groups of the kernel; meaningless for `first` and `last` roles
  bool engine = false;     ///< the copy engine does it: `last` roles do not come behind it, the next kernel does
  CodeList prologue;       ///< also computes `bounds`
  mutable tile::ForallOp forall;
  bool hasSteps = false; ///< the first index is the iteration of a loop around the statement
  Slots bounds, indices;
  CodeList body;
};

struct KernelCode {
  mutable tile::KernelOp op; ///< null in the exit dialect
  std::vector<RoleCode> roles;
  llvm::SmallVector<int64_t> workgroups; ///< per group in the order of arrival; 0 for the pool
};

struct ProgramCode {
  mutable tile::ProgramOp op;
  int64_t world = 1;
  bool hasThreads = false; ///< accesses are by the threads of a workgroup, which meet where the code says
  uint32_t numSlots = 0, rank = 0;
  Slots extents;
  CodeList prelude;
  std::vector<Root> roots;
  std::vector<View> views;
  std::vector<Grid> grids;
  std::vector<AccessSite> accesses;
  std::vector<SyncSite> syncs;
  std::vector<ArrivalSite> arrivals;
  std::vector<Loop> loops;
  std::vector<Panel> panels;
  std::vector<mlir::Operation *> scalarOps; ///< that an error may name
  std::vector<mlir::Value> givenNumbers;    ///< that a launch gives, or that are made of them
  std::vector<int64_t> comparedWith;        ///< constants in comparisons, which such numbers may equal
  bool readsNumbers = false;                ///< a loop, branch or place depends on data
  std::vector<KernelCode> kernels;
};

/// Compiles a specialised program whose statements all stand in kernels. Reports and fails on anything else, and where
/// an index, bound or condition that decides footprints depends on data.
mlir::FailureOr<ProgramCode> compileProgram(tile::ProgramOp program);

} // namespace tilec::checker
