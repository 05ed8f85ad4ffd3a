// What the files of `lower` share: the state of one kernel on its way from the kernel form to the exit dialect. One
// file per family of operations (LowerKernel, LowerMemory, LowerSignals, LowerCompute, LowerElementwise); the pass
// itself is Lower.cpp.
#pragma once

#include "dialect/Hip.h"
#include "passes/analysis/StreamedProduct.h"
#include "passes/analysis/Workspace.h"

#include "mlir/IR/IRMapping.h"

#include <list>

namespace tilec {

/// A buffer or a view of one: where its elements lie in the buffer it comes from.
struct MemoryView {
  mlir::Value root;                       ///< an argument of the program, or the result of a `tile.alloc`
  mlir::Value shift;                      ///< elements from its start, of dimensions that the view lacks; null: 0
  llvm::SmallVector<mlir::Value> offsets; ///< elements, one per dimension of the view; null: 0
  llvm::SmallVector<mlir::Value> extents; ///< elements
  llvm::SmallVector<mlir::Value> strides; ///< elements, index or i64
};

/// What an operation does with a buffer of the program.
struct BufferUse {
  mlir::Operation *by;
  mlir::Value root;
  bool reads, writes;
  bool isRemote;  ///< with another rank's copy
  bool isOrdered; ///< behind something that it names
};

/// Of all accesses of a program, those by a copy engine from memory to memory too.
void forEachUse(tile::ProgramOp program, llvm::function_ref<void(const BufferUse &)> visit);

/// How a kernel uses one buffer.
struct MemoryUse {
  bool read = false, written = false;
  bool remote = false;  ///< this kernel addresses other ranks' copies
  bool foreign = false; ///< some kernel of the program writes other ranks' copies
  bool live = false;    ///< others write it while the kernel runs
};

/// How every buffer of a program is used by one kernel.
llvm::MapVector<mlir::Value, MemoryUse> analyzeMemory(tile::ProgramOp program, tile::KernelOp kernel);

/// The buffer a view comes from.
mlir::Value rootOf(mlir::Value buffer);

/// Fails where a tile that is moved has no layout yet.
mlir::LogicalResult requireLayout(mlir::Operation *op, mlir::Type type);

/// Whether a value is evidently not negative: made of arguments, which are extents, ranks and such.
bool isCount(mlir::Value value);

/// An expression over `symbols` as arithmetic, at the builder's place, of type index or (`wide`) i64. Quotients round
/// down, or up, also below zero.
mlir::Value expandExpression(mlir::OpBuilder &builder, mlir::Location loc, mlir::AffineExpr expression,
                             mlir::ValueRange symbols, bool wide = false);

/// `loc` with a name that the text will use.
mlir::Location named(mlir::Location loc, const llvm::Twine &name);
mlir::Location unnamed(mlir::Location loc);
/// The name in a location; empty without one.
llvm::StringRef nameOf(mlir::Location loc);

/// A buffer as a copy engine knows it, and the kernel's argument that says so.
struct MappedBuffer {
  MappedMatrix matrix; ///< of scratch that has copies, all of them
  hip::SharedType tile;
  mlir::Value argument;
};

/// Makes the launcher of these kernels and engines behind the program's other operations. It says what peers do with
/// arguments, as the kernel form shows. `maps` are those of all kernels, in the order of their arguments.
void createLauncher(tile::ProgramOp program, const Workspace &workspace, llvm::ArrayRef<mlir::Operation *> kernels,
                    llvm::ArrayRef<MappedBuffer> maps);

/// A buffer of the program as a whole. `extents` and `maxima` are those of the program, at the builder's place.
MemoryView wholeBuffer(tile::ProgramOp program, mlir::OpBuilder &builder, mlir::Location loc, mlir::Value buffer,
                       mlir::ValueRange extents, mlir::ValueRange maxima);

/// The number of tasks of a role over the program's extents; null when it is no expression over them.
mlir::AffineExpr tasksOf(tile::ProgramOp program, tile::RoleOp role);

/// Whether a value of this block is defined at the builder's place.
bool isVisible(mlir::Value value, mlir::OpBuilder &builder);

/// Fuses chains of elementwise operations of a kernel into one loop each.
void fuseElementwise(hip::KernelOp kernel);

class KernelLowering {
public:
  KernelLowering(tile::ProgramOp program, const Workspace &workspace, int64_t waveLanes, tile::KernelOp source);

  /// What its copies need of the launcher.
  llvm::ArrayRef<MappedBuffer> mapped() const { return maps; }

  /// Of a kernel of the copy engine: makes the `hip.engine` before the source.
  mlir::FailureOr<hip::EngineOp> runEngine();

  /// Writes, in what is done once per launch, the word that the copy engine behind this kernel signals with.
  void beginCopies() { beginsCopies = true; }

  /// The kernel is one of two that are a launch together: of its workgroups so many come before this kernel's, and the
  /// queues before `firstQueue` are the other's.
  void standBeside(int64_t workgroups, int64_t firstQueue) {
    workersBefore = workgroups;
    queuesBefore = firstQueue;
  }

  /// Makes the `hip.kernel` before the source. `advance`: it is the program's last kernel. The kernels before have
  /// `firstMap` maps.
  mlir::FailureOr<hip::KernelOp> run(bool advance, size_t firstMap);

private:
  // LowerKernel.cpp
  /// `isCounted`: workgroups neither meet as they enter nor leave one after the other.
  void createKernel(bool isCounted, bool advance);
  mlir::LogicalResult lowerGroups();
  void enterLate();
  void meetInPairs();
  hip::GroupOp createGroup(tile::Turn turn);
  mlir::Value endBehind(mlir::Value before, tile::RoleOp role, int64_t own);
  mlir::LogicalResult lowerGroup(llvm::ArrayRef<tile::RoleOp> roles, int64_t number, mlir::Value end);
  mlir::LogicalResult lowerRole(tile::RoleOp source);
  mlir::LogicalResult lowerForall(tile::ForallOp forall);
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> gridOf(tile::ForallOp forall);
  mlir::Value rankOfKernel();
  void numberTasks(hip::KernelOp kernel);
  void countByTickets(hip::KernelOp kernel);
  mlir::LogicalResult lowerLast(bool advance);
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lowerOp(mlir::Operation *op);
  mlir::LogicalResult lowerLoop(mlir::scf::ForOp loop);
  mlir::LogicalResult lowerYield(mlir::scf::YieldOp yield);
  mlir::LogicalResult lowerBranch(mlir::scf::IfOp branch);
  void keepNames(mlir::Operation *op);
  void dropUnusedArguments(size_t firstMap);

  // LowerOrder.cpp
  /// Where the part of a dimension begins that is this rank's, or so many ranks ahead.
  mlir::Value partOfRank(mlir::Value extent, int64_t ahead);
  mlir::AffineMapAttr sizesOf(tile::ForallOp forall, llvm::ArrayRef<int64_t> dims);
  llvm::SmallVector<mlir::Value> permutedCoordinates(tile::ForallOp forall, mlir::Value task, mlir::ValueRange grid,
                                                     llvm::ArrayRef<int64_t> dims);
  mlir::LogicalResult lowerOrder(tile::ForallOp forall, mlir::Value task, mlir::Value tasks, mlir::ValueRange grid);
  llvm::SmallVector<mlir::Value> coordinatesOf(tile::ForallOp forall, mlir::Value task, mlir::ValueRange grid,
                                               mlir::Attribute plane);

  // LowerMemory.cpp
  mlir::LogicalResult lowerMemory(mlir::Operation *op);
  mlir::LogicalResult lowerLoad(tile::LoadOp load);
  mlir::LogicalResult lowerGather(tile::GatherOp gather);
  mlir::LogicalResult lowerScatter(tile::ScatterOp scatter);
  mlir::LogicalResult lowerPosted(mlir::Operation *op);
  mlir::LogicalResult lowerPost(tile::PostOp post);
  mlir::LogicalResult lowerReceive(tile::ReceiveOp receive);
  mlir::LogicalResult lowerReceiveAll(tile::ReceiveAllOp receive);
  mlir::LogicalResult lowerRead(tile::ReadOp read);
  mlir::Location locationOfTile(mlir::Value buffer);
  mlir::FailureOr<mlir::Value> accessView(tile::AccessOpInterface access);
  mlir::FailureOr<mlir::Value> bufferView(mlir::Value buffer, mlir::Value to);
  llvm::SmallVector<mlir::Value> startOf(tile::AccessOpInterface access);
  mlir::FailureOr<MemoryView> viewOf(mlir::Value buffer);
  mlir::FailureOr<MemoryView> subview(mlir::memref::SubViewOp op, const MemoryView &source);
  mlir::Value shiftBy(mlir::Value shift, mlir::Value index, mlir::Value stride);
  mlir::Value pointerOf(mlir::Value root);
  mlir::FailureOr<mlir::Value> sharedTile(mlir::Operation *op, mlir::Value buffer, mlir::Value copy,
                                          bool ofFirst = false);

  // LowerRing.cpp
  /// Where the tiles of the fetches of one loop come from, and the registers they go to.
  struct Feed {
    tile::FetchOp fetch; ///< the first of them
    mlir::Value feed, registers;
  };
  static bool isRing(mlir::Value buffer);
  mlir::Type activity();
  mlir::FailureOr<mlir::Value> ringOf(mlir::Value buffer);
  mlir::FailureOr<mlir::Value> addressesOf(mlir::Value buffer, mlir::RankedTensorType tile, bool transposed,
                                           const llvm::Twine &name);
  mlir::Value slotOf(mlir::Value ring, mlir::Value number);
  mlir::FailureOr<Feed *> feedOf(tile::FetchOp fetch);
  mlir::FailureOr<mlir::Value> directFeedOf(tile::CopyAsyncOp copy);
  llvm::SmallVector<mlir::Value> feedStart(mlir::OperandRange indices, llvm::ArrayRef<int64_t> tile, bool byRows);
  mlir::Value inBytes(mlir::Value steps, int64_t bytes);
  mlir::Value movedBy(mlir::Value view, mlir::OperandRange indices, llvm::ArrayRef<int64_t> tile, mlir::Type element,
                      bool byRows);
  mlir::FailureOr<mlir::Value> fetching(tile::FetchOp fetch);
  mlir::FailureOr<mlir::Value> copying(tile::CopyAsyncOp copy, mlir::Value feed);
  tile::CopyAsyncOp otherHalf(tile::CopyAsyncOp copy);
  mlir::FailureOr<mlir::Value> copyingDirectly(tile::CopyAsyncOp copy);
  mlir::FailureOr<mlir::Value> depositing(tile::SharedStoreOp store);
  mlir::FailureOr<mlir::Value> reading(tile::SharedLoadOp load, mlir::Value to, const llvm::Twine &name);
  mlir::Value multiplying(tile::DotOp dot);
  mlir::Value heldAt(mlir::Value pair, mlir::Value slot, int64_t slots);
  void inOrder(mlir::Value activity);
  void joinRefills(llvm::SmallVectorImpl<mlir::Value> &activities);
  mlir::LogicalResult lowerRing(mlir::Operation *op);
  mlir::LogicalResult lowerRegular(tile::RegularOp regular);
  mlir::LogicalResult lowerSlotRead(tile::SharedLoadOp load);
  mlir::LogicalResult addressBefore(tile::StepsOp op);
  mlir::LogicalResult lowerStep(tile::StepsOp op, llvm::ArrayRef<mlir::Value> carried);
  mlir::LogicalResult lowerNext(tile::NextOp next, llvm::ArrayRef<mlir::Value> carried);
  mlir::LogicalResult lowerSteps(tile::StepsOp op);
  mlir::Value registersOf(mlir::Value tile);
  void takeFrom(mlir::Value registers, mlir::Value result);
  /// What a loop around steps carries for them, before the loop and behind it.
  mlir::LogicalResult holdForSteps(mlir::scf::ForOp loop);
  void takeFromSteps(mlir::scf::ForOp loop);
  bool isCarried(mlir::BlockArgument argument);
  mlir::Value registersToRead(tile::SharedLoadOp load, tile::StepsOp steps, llvm::ArrayRef<mlir::Value> carried);
  mlir::FailureOr<mlir::Value> accessInPlaces(mlir::Operation *op, tile::StepsOp steps,
                                              llvm::ArrayRef<mlir::Value> carried);
  mlir::LogicalResult lowerPlacesOfValues(tile::PlacesOp op, tile::StepsOp steps, llvm::ArrayRef<mlir::Value> carried);
  mlir::LogicalResult lowerPlaces(tile::PlacesOp op, tile::StepsOp steps, llvm::ArrayRef<mlir::Value> carried);

  // LowerRoles.cpp
  /// Begins what waves do by their role, where the kernel has a producer and it has not begun.
  void beginRoles();
  mlir::Value ticketWords();
  /// Leaves both sides of it in the task, until the roles are split.
  mlir::LogicalResult lowerTell(tile::TellOp op);
  mlir::Value lowerHasNext();
  mlir::LogicalResult lowerArrive(tile::ArriveOp op, mlir::Value grid);
  mlir::LogicalResult lowerProduced(tile::StreamOp op, mlir::Value count, llvm::ArrayRef<mlir::Value> feeds);
  /// Leaves in the tasks what both sides need, and gives each side its part of the rest.
  mlir::LogicalResult splitRoles(hip::TasksOp tasks);

  // LowerEngine.cpp
  mlir::LogicalResult lowerEngineTasks(tile::ForallOp forall);
  mlir::LogicalResult lowerTake(tile::TakeCountedOp op);
  mlir::LogicalResult lowerMove(tile::MoveOp op);

  // LowerDeferred.cpp
  mlir::LogicalResult declareDeferred(tile::ForallOp forall);
  void storeLeft(hip::TasksOp tasks);
  mlir::FailureOr<mlir::Value> storeMapOf(mlir::Operation *op, mlir::Value buffer, mlir::Value tile,
                                          mlir::Value scratch);
  mlir::LogicalResult lowerStoreAsync(mlir::Operation *op);
  mlir::LogicalResult lowerDeferredOp(mlir::Operation *op);

  // LowerStream.cpp
  mlir::Value mapOf(const MappedMatrix &matrix, hip::SharedType tile);
  mlir::Value numberOf(const MappedMatrix &matrix);
  mlir::FailureOr<mlir::Value> mappedFeedOf(tile::CopyAsyncOp copy);
  mlir::LogicalResult lowerFull(tile::FullOp op);
  mlir::LogicalResult lowerEmpty(tile::EmptyOp op);
  mlir::FailureOr<mlir::Value> copyingRun(tile::CopyAsyncOp copy);
  mlir::LogicalResult lowerFills(tile::StreamOp op, llvm::ArrayRef<mlir::Value> feeds, bool alone, bool byWave);
  void bindBody(mlir::Region &from, mlir::Region &to);
  void leaveUses(tile::StreamOp op, llvm::ArrayRef<mlir::Value> carried);
  mlir::LogicalResult lowerUses(tile::StreamOp op, llvm::ArrayRef<mlir::Value> carried);
  mlir::LogicalResult lowerStream(tile::StreamOp op);
  mlir::Value sumsOf(tile::DotAsyncOp op, bool begins);
  mlir::LogicalResult lowerDotAsync(tile::DotAsyncOp op);
  mlir::LogicalResult lowerAwaitProducts(tile::AwaitProductsOp op);
  mlir::LogicalResult lowerUndefined(mlir::Operation *op);
  mlir::LogicalResult lowerRelayOp(mlir::Operation *op);
  mlir::LogicalResult lowerRelay(tile::RelayOp op);
  mlir::LogicalResult lowerStreamOp(mlir::Operation *op);

  // LowerSignals.cpp
  /// Signals that follow each other, also in loops, publish the same stores: where `first` begins several, one release
  /// is made for them all. Returns the last operation that has one of them; null where `first` begins none or one.
  mlir::Operation *publishFor(mlir::Operation &first);
  mlir::LogicalResult lowerSignals(mlir::Operation *op);
  mlir::FailureOr<mlir::Operation *> lowerWait(tile::WaitOp wait, mlir::Value grid);
  /// At the start of tasks that count by chiplet: says that one of them begins.
  mlir::LogicalResult joinTallies(mlir::Block &tasks);
  mlir::IntegerAttr consumersOf(mlir::Operation *op, tile::Participants participants);
  mlir::FailureOr<mlir::Value> gridOf(mlir::Operation *op, mlir::Value signals);
  void sinkGrids();

  // LowerCompute.cpp
  mlir::LogicalResult lowerCompute(mlir::Operation *op);
  mlir::LogicalResult lowerTable(mlir::arith::ConstantOp op);
  mlir::LogicalResult lowerDot(tile::DotOp dot);
  mlir::LogicalResult lowerReduce(tile::ReduceOp reduce);
  mlir::LogicalResult lowerScan(tile::ScanOp scan);
  /// The LDS of an operation that may have some; null where it has none.
  mlir::FailureOr<mlir::Value> scratchFor(mlir::Operation *op);
  mlir::LogicalResult lowerRename(mlir::Operation *op);
  mlir::LogicalResult lowerRelabel(mlir::Operation *op);
  mlir::LogicalResult lowerPart(mlir::Operation *op);

  // LowerElementwise.cpp
  mlir::LogicalResult lowerElementwise(mlir::Operation *op);

  /// The value inside the kernel; what the program computes is computed again at the kernel's entry. Null after a
  /// diagnostic.
  mlir::Value valueOf(mlir::Value value);
  mlir::Value scalarOf(mlir::Value value);
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> valuesOf(mlir::ValueRange values);
  /// Computes a scalar at `at`: the kernel's entry for what the program's body computes, else the place at hand.
  mlir::LogicalResult lowerScalar(mlir::Operation *op, mlir::OpBuilder &at);
  mlir::Value constant(int64_t value) { return mlir::arith::ConstantIndexOp::create(builder, loc, value); }
  mlir::Value multiply(mlir::Value a, int64_t b);

  tile::ProgramOp program;
  const Workspace &workspace;
  int64_t waveLanes;
  tile::KernelOp source;
  hip::KernelOp kernel;
  llvm::MapVector<mlir::Value, MemoryUse> memory;
  mlir::OpBuilder builder; ///< where the operation at hand is lowered to
  mlir::OpBuilder entry;   ///< before the first role
  mlir::Location loc;      ///< of the operation at hand
  mlir::IRMapping mapping;
  llvm::DenseMap<mlir::Value, mlir::Value> pointers, grids;
  llvm::DenseMap<mlir::Value, mlir::Value> copyNumbers; ///< of allocs: which of their copies is this launch's
  llvm::DenseMap<mlir::Value, mlir::Value> rings;       ///< by buffer
  llvm::DenseMap<std::pair<mlir::Value, mlir::Type>, mlir::Value> ringAddresses[2]; ///< of tiles and of transposes
  llvm::SmallVector<MappedBuffer> maps;
  std::list<Feed> feeds;
  llvm::SmallVector<std::pair<tile::CopyAsyncOp, mlir::Value>> directFeeds;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> scaled; ///< least numbers of steps in bytes
  bool inTurn = false;                                  ///< whether slots of the stream that is lowered are values
  llvm::DenseMap<mlir::Value, mlir::Value> held, pairs; ///< registers that hold a value, and of two in turn the first
  llvm::SmallVector<mlir::Value> extents, maxima;       ///< arguments of the kernel
  mlir::Value context, scratch, launch, rank, tickets, telling;
  mlir::BlockArgument isMapped; ///< the kernel's argument that says whether all its maps are there
  mlir::Value waveRole;         ///< what a wave is, behind beginRoles; null where all do the same
  mlir::Value deferred;         ///< registers for what the tasks at hand leave to the next ones; null without
  bool hasAsyncStores = false;  ///< of the tasks at hand
  bool beginsCopies = false;
  std::optional<int64_t>
      workersBefore; ///< workgroups of the launch that come before the kernel's, where it is one of two
  int64_t queuesBefore = 0;
  int64_t consumers = 0;                ///< waves that a producer fills slots for; 0 without one
  mlir::Value taken;                    ///< of the group at hand: the tasks of its earlier loops
  mlir::Operation *published = nullptr; ///< the last operation whose signals a release at hand covers
};

} // namespace tilec
