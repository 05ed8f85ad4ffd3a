// The oracle: runs the bulk-synchronous meaning of a program on all ranks, in double precision, with an error bound
// beside every element. Shares no code with the passes. Making inputs and comparing outputs lives in Inputs and
// Comparison.
#pragma once

#include "dialect/Tile.h"
#include "passes/interpreter/Memory.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <functional>

namespace tilec::interpreter {

/// What a launch leaves open in a program.
struct InterpreterOptions {
  int64_t world = 0;                   ///< ranks; 0: the program's `world`
  llvm::StringMap<int64_t> parameters; ///< others take their first choice; they do not change the meaning
  /// Executes scalars, loops, signals and waits alone: `getCounts` is right, buffers have no content.
  bool countsOnly = false;
  /// Matrix instructions may keep fewer bits of their inner sums where a product lets them (Accumulation), as those of
  /// some GPUs do. The emulator's keep all.
  bool shortSums = true;
  /// With `countsOnly`, on a program whose tiles have static shapes: `run` fails without a word when all ranks together
  /// take more work than this. 0: no limit.
  double mostWork = 0;
};

/// Operations of the kernel form that one rank executed in the last `run`.
struct Counts {
  int64_t signals = 0, waits = 0;
};

/// A wait of the kernel form that nothing satisfies, however roles and tasks take turns.
struct Stuck {
  mlir::Operation *wait = nullptr;
  int64_t rank = 0;
};

class Agents;

/// What an implementation left in an alloc of one rank, as large as `like`; nothing where that cannot be told.
using Left = llvm::function_ref<std::optional<Buffer>(tile::AllocOp alloc, int64_t rank, const Buffer &like)>;

/// How an alloc of one rank compares with what an implementation left there: the element with the largest error, or the
/// first that exceeds its bound.
struct Followed {
  tile::AllocOp alloc;
  int64_t rank = 0, element = 0;
  double error = 0, bound = 0;
  bool agrees = true; ///< the oracle went on with the implementation's elements
};

/// An element of scratch that a launch read on a rank before anybody wrote it in that launch.
struct Unwritten {
  tile::AllocOp alloc;
  int64_t rank = 0;
  Shape element; ///< its coordinates
  /// None that it needed: a product takes whole tiles, and of those behind its rows in use it makes no result.
  bool passedOver = false;
};

/// How a program uses an argument.
enum class Usage { Input, Output, Both };

/// Meaning: every rank executes every statement, with a barrier over all ranks between two statements. A kernel without
/// signals and waits is one statement for each role, in the order of the text. In one that synchronises by hand roles
/// and tasks take turns as their waits allow (Agents.h), and nothing else orders ranks.
///
/// Float tiles of f32 are not rounded between operations; narrower ones are, and every store rounds to the buffer's
/// element type. Every element carries a bound on how far an implementation in f32 may be from it (forward error
/// analysis: Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., chapters 2 and 3): exact where all is
/// exact.
class Interpreter {
public:
  /// Fails with a diagnostic when the world is unknown or contradicts the program, or when a parameter is none of it.
  /// The program must outlive the interpreter.
  static llvm::FailureOr<std::unique_ptr<Interpreter>> create(tile::ProgramOp program,
                                                              const InterpreterOptions &options);

  tile::ProgramOp getProgram() const { return program; }
  int64_t getWorld() const { return world; }
  /// Static: written and never read, read and never written, or both.
  Usage getUsage(unsigned argument) const;

  /// Starts a launch: `extents` holds one value per named extent. Arguments of all ranks get their sizes and are
  /// poisoned; allocs are poisoned but for persistent ones, which begin as zero and keep what launches stored.
  llvm::LogicalResult begin(llvm::ArrayRef<int64_t> extents);
  /// Whether a launch with these extents could begin: their number and values, and what the arguments of all ranks need
  /// against the memory of this machine. Allocates nothing.
  llvm::LogicalResult check(llvm::ArrayRef<int64_t> extents);
  unsigned getNumArguments() const;
  /// Argument `argument` of a rank, between `begin` and the next `begin`.
  Buffer &argument(int64_t rank, unsigned argument) { return memory[rank][argument]; }
  /// An alloc of a rank, after `run`.
  const Buffer &scratch(int64_t rank, tile::AllocOp alloc) const { return memory[rank][allocSlots.lookup(alloc)]; }
  /// How many elements those have that the integers of an argument name, in the launch that has begun; none where they
  /// name none.
  std::optional<int64_t> getIndexCount(unsigned argument);
  /// Executes the program once. Fails with diagnostics at the op at fault: unknown op, rank or view out of range,
  /// extents that contradict, a branch that depends on rounding.
  /// With `left` the oracle follows an implementation (Following.cpp): behind the last statement that writes an alloc
  /// it goes on with what the implementation has there, if no element is further from its own than the bound says.
  llvm::LogicalResult run(Left left = {});
  /// Whether following would change the bounds: the last `run` stored elements with errors into an alloc.
  bool hasInexactScratch() const { return inexactScratch; }
  /// The allocs that the last `run` could compare, in the order in which their last writers stand in the program.
  llvm::ArrayRef<Followed> getFollowed() const { return followed; }
  /// Of each alloc and rank the first element that the last `run` read and nobody had written. Persistent ones have
  /// none.
  std::vector<Unwritten> getUnwritten() const;
  /// Gives a rank's buffer the values it begins with.
  using Fill = std::function<void(Buffer &, int64_t rank)>;
  /// An oracle of the same launches, before the first, in which one alloc begins with such numbers instead of NaN. What
  /// comes out otherwise than here depends on elements that nobody wrote.
  std::unique_ptr<Interpreter> withNumbersIn(tile::AllocOp alloc, Fill fill) const;
  /// What a rank executed in the last `run`, every task of every role once.
  Counts getCounts(int64_t rank) const { return frames[rank].counts; }
  /// Elements that the last `run` would have computed or moved, and the operations around them: about a nanosecond's
  /// worth times ten each, on the emulator and in the oracle. With `countsOnly` alone.
  double getWork() const { return work; }
  /// The first wait that nothing satisfied in the last `run`: it fell through, so that the outcome is not what the text
  /// means.
  const std::optional<Stuck> &getStuck() const { return stuck; }

  /// What one rank knows while it executes.
  struct Frame {
    int64_t rank = 0;
    llvm::DenseMap<mlir::Value, SharedElements> values;
    llvm::DenseMap<mlir::Value, View> views;
    Counts counts;
  };

  /// Signals of the kernel form.
  struct Grid {
    Shape sizes;
    std::vector<std::vector<int64_t>> raised; ///< [rank][word] in this launch; how often, where it is counted
  };

private:
  friend class Agents;

  Interpreter(tile::ProgramOp program, int64_t world) : program(program), world(world) {}

  // Interpreter.cpp
  llvm::LogicalResult allocate(tile::AllocOp op, Frame &frame);
  llvm::LogicalResult keep(tile::AllocOp op, llvm::ArrayRef<int64_t> shape, unsigned slot, Frame &frame);
  llvm::LogicalResult executeStatement(mlir::Operation &op);
  llvm::LogicalResult executeSteps(mlir::scf::ForOp loop);
  llvm::LogicalResult executeOnRank(mlir::Operation &op, Frame &frame);
  llvm::LogicalResult runTogether(llvm::SmallVectorImpl<mlir::Operation *> &statements);
  llvm::LogicalResult executeKernel(tile::KernelOp op);
  llvm::LogicalResult executeForall(tile::ForallOp op, Frame &frame);
  llvm::LogicalResult resize(Buffer &buffer, mlir::Operation *op, mlir::Type type, llvm::ArrayRef<int64_t> shape);
  void settle();

  llvm::FailureOr<Shape> shapeOf(mlir::Attribute map, llvm::ArrayRef<int64_t> extents);

  // Following.cpp
  void follow(mlir::Operation &statement, Left left);

  // Expressions.cpp
  llvm::FailureOr<int64_t> evaluate(mlir::AffineExpr expr, llvm::ArrayRef<int64_t> dims,
                                    llvm::ArrayRef<int64_t> symbols, mlir::Operation *op);
  llvm::FailureOr<Shape> evaluateList(mlir::AffineMap map, mlir::ValueRange operands, mlir::ArrayAttr params,
                                      Frame &frame, mlir::Operation *op);
  llvm::FailureOr<Shape> tileShape(mlir::ArrayAttr shape, mlir::Operation *op);
  llvm::FailureOr<int64_t> parameter(mlir::Attribute reference, mlir::Operation *op);

  // Tasks.cpp
  llvm::LogicalResult executeBlock(mlir::Block &block, Frame &frame);
  llvm::LogicalResult execute(mlir::Operation &op, Frame &frame);
  llvm::LogicalResult executeTile(mlir::Operation &op, Frame &frame);
  llvm::LogicalResult executeAccess(tile::AccessOpInterface op, Frame &frame);
  llvm::FailureOr<int64_t> accessedRank(tile::AccessOpInterface op, Frame &frame);
  llvm::FailureOr<Shape> firstElement(tile::AccessOpInterface op, llvm::ArrayRef<int64_t> shape, Frame &frame);
  llvm::LogicalResult executeFor(mlir::scf::ForOp op, Frame &frame);
  llvm::LogicalResult executeIf(mlir::scf::IfOp op, Frame &frame);
  llvm::LogicalResult executeArrive(tile::ArriveOp op, Frame &frame);
  llvm::LogicalResult executeDot(tile::DotOp op, Frame &frame);
  llvm::LogicalResult executeSplat(tile::SplatOp op, Frame &frame);
  llvm::LogicalResult executeBroadcast(tile::BroadcastOp op, Frame &frame);
  llvm::LogicalResult executeReshape(tile::ReshapeOp op, Frame &frame);
  llvm::LogicalResult executeArgReduce(tile::ArgReduceOp op, Frame &frame);
  llvm::LogicalResult executeIota(tile::IotaOp op, Frame &frame);
  llvm::LogicalResult executeElementwise(mlir::Operation &op, Frame &frame);
  llvm::FailureOr<int64_t> index(mlir::Value value, Frame &frame, mlir::Operation *op);
  bool isLeftOut(mlir::Operation &op);
  SharedElements tile(mlir::Value value, const Frame &frame);
  void set(mlir::Value value, Elements elements, Frame &frame) {
    frame.values[value] = std::make_shared<const Elements>(std::move(elements));
  }

  // Irregular.cpp
  llvm::FailureOr<llvm::SmallVector<int64_t>> namedElements(tile::AccessOpInterface op, Frame &frame);
  llvm::LogicalResult executeGather(tile::GatherOp op, Frame &frame);
  llvm::LogicalResult executeScatter(tile::ScatterOp op, Frame &frame);
  /// The number at a place of a buffer, from 0 to `most`.
  llvm::FailureOr<int64_t> readNumber(mlir::Operation *op, mlir::Value of, llvm::ArrayRef<int64_t> place, int64_t most,
                                      Frame &frame);
  llvm::LogicalResult executeRead(tile::ReadOp op, Frame &frame);
  llvm::LogicalResult executeClamp(tile::ClampOp op, Frame &frame);

  // Views.cpp
  llvm::LogicalResult executeView(mlir::Operation &op, Frame &frame);
  llvm::LogicalResult executeSubview(mlir::memref::SubViewOp op, Frame &frame);
  View view(mlir::Value value, const Frame &frame);

  // Collectives.cpp
  llvm::LogicalResult executeCollective(mlir::Operation &op);
  llvm::LogicalResult allGather(tile::AllGatherOp op);
  llvm::LogicalResult reduceScatter(tile::ReduceScatterOp op);
  llvm::LogicalResult allReduce(tile::AllReduceOp op);
  llvm::LogicalResult allToAll(tile::AllToAllOp op);
  llvm::LogicalResult shift(tile::ShiftOp op);
  llvm::FailureOr<llvm::SmallVector<Elements>> loadAll(mlir::Value source, mlir::Operation *op);
  Elements combineOverRanks(mlir::ArrayRef<Elements> parts, mlir::Value destination, tile::Reduction kind);
  void storeBlock(mlir::Value destination, int64_t rank, llvm::ArrayRef<int64_t> first, const Elements &block);
  llvm::LogicalResult checkSizes(mlir::Value destination, llvm::ArrayRef<int64_t> expected, mlir::Operation *op);

  // Matmul.cpp
  llvm::LogicalResult executeMatmul(tile::MatmulOp op, Frame &frame);
  llvm::FailureOr<int64_t> rowsInUse(tile::MatmulOp op, llvm::ArrayRef<int64_t> number, int64_t most, Frame &frame);
  llvm::LogicalResult executeProduct(tile::MatmulOp op, llvm::ArrayRef<int64_t> number, Frame &frame);
  llvm::LogicalResult executeEpilogue(tile::MatmulOp op, llvm::ArrayRef<Elements> products,
                                      llvm::ArrayRef<int64_t> number, const View &destination, Frame &frame);
  llvm::FailureOr<Shape> epilogueTile(tile::MatmulOp op);
  template <class Product>
  tile::Accumulation accumulation(Product op) const {
    return shortSums ? op.accumulation() : tile::Accumulation::Exact;
  }

  tile::ProgramOp program;
  int64_t world;
  bool countsOnly = false, inexactScratch = false, shortSums = true;
  /// As withNumbersIn says.
  mlir::Operation *allocOfNumbers = nullptr;
  Fill fillOfNumbers;
  double mostWork = 0, work = 0;
  llvm::SmallVector<int64_t> extents;
  llvm::DenseMap<mlir::StringAttr, int64_t> parameters;
  /// [rank][slot]: the arguments, then allocs in the order of the text.
  std::vector<std::vector<Buffer>> memory;
  std::vector<Frame> frames;
  llvm::DenseMap<mlir::Operation *, unsigned> allocSlots;
  llvm::DenseMap<mlir::Value, Grid> grids;
  /// Of the words of arrivals, by grid, rank and index: how many tasks have come in this launch.
  std::map<std::tuple<const void *, int64_t, std::vector<int64_t>>, int64_t> arrived;
  Agents *agents = nullptr; ///< while kernels run that synchronise by hand
  std::optional<Stuck> stuck;
  std::vector<Followed> followed;
  /// What each scatter of a statement has written so far in a buffer: no element may be written twice.
  llvm::DenseMap<std::pair<mlir::Operation *, const Buffer *>, std::vector<bool>> scattered;
};

/// The most elements of one buffer that the oracle takes; larger ones are a diagnostic.
inline constexpr int64_t maxElements = int64_t(1) << 31;

} // namespace tilec::interpreter
