// A loop over K that loads operands through LDS and multiplies them, as one whose copies run ahead.
// Belongs here: what such a loop is, and what it becomes. Does not: how many slots there are (Schedule).
#pragma once

#include "passes/schedule/Ring.h"
#include "passes/schedule/StepBody.h"

#include "passes/machine/Target.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace tilec::schedule {

/// Waits for groups of steps, loads, barrier, stores, barrier, loads from LDS, products: matched in RingMatch.cpp,
/// rewritten in RingLoop.cpp, what waits in RingGroups.cpp; as a stream in StreamLoop.cpp, whose steps may also compute
/// with their products (StreamCompute.cpp), under those of the next one (StreamOverlap.cpp), beside a loop of thin
/// parts (ThinRest.cpp).
class RingLoop {
public:
  explicit RingLoop(mlir::scf::ForOp loop) : loop(loop), where(unnamed(loop.getLoc())) {}

  bool match();
  /// The buffers that get so many slots.
  llvm::DenseMap<mlir::Operation *, int64_t> copies(int64_t slots);
  /// Whether copies can go past the registers, by so many waves. Operands whose rows lanes turn as they read them are
  /// laid down for that, until `pickUp`.
  bool layDown(const SharedMemory &memory, int64_t waves);
  void pickUp();
  /// Lays operands as the copy engine brings them.
  void layForEngine(const Target &target);
  /// Registers of a lane for a step that computes: what it carries, its largest product, operands, and what is on its
  /// way through registers.
  int64_t computingRegisters(bool copied);
  /// Clocks of the matrix units of a unit for a step that computes, which so many waves share.
  double matrixClocks(int64_t waves, const Target &target);
  /// Accesses that a wave issues for the copies of a step.
  int64_t copiesPerStep(const SharedMemory &memory, int64_t waves);
  /// `copied`: past the registers. `alternates`: half of the waves compute while the others
  /// read and copy (AlternatingSteps.cpp).
  void rewrite(int64_t slots, bool copied, bool alternates = false);

  /// Whether waves can share out the slots: sides of tiles are powers of two, steps that do more than multiply compute,
  /// and read what they carry.
  bool isFilledByWaves();

  /// Whether a step does more than multiply and add up.
  bool computes() const { return !computed.empty(); }

  // StreamLoop.cpp
  /// Whether a copy engine can fill the slots, and matrix units read them there.
  bool isStreamed(const Target &target);
  /// Those who may do so for it; null where there are none.
  tile::ProducerAttr producer(const Target &target);
  /// Steps of the loop; nothing where that is known at launch alone.
  std::optional<int64_t> numSteps() { return mlir::getConstantIntValue(loop.getUpperBound()); }
  /// Clocks of the matrix units for a step.
  int64_t stepClocks(const Target &target);
  /// Whether an operand is one that no other task reads: memory is what the loop waits for.
  bool readsOnce();
  /// Bytes of LDS of the loop for views that the engine cannot read, whose steps are as thin as an instruction.
  int64_t restBytes();
  /// Whether the bytes of the slots are nobody else's.
  void keepSlots(bool kept);
  void rewriteStreamed(int64_t slots, const Target &target);

private:
  bool isInvariant(mlir::Value value) { return !value || loop.isDefinedOutsideOfLoop(value); }
  bool matchBody();
  bool matchFetch(tile::SharedStoreOp store);
  bool matchRead(tile::SharedLoadOp read);
  bool matchWait(mlir::scf::IfOp guard);
  bool multipliesFromLds();
  bool matchSums();
  bool matchComputed();
  llvm::FailureOr<std::optional<unsigned>> positionOf(tile::DotOp product);
  bool writesInPlace(tile::DotOp product);

  RingOperand &operandOf(tile::SharedLoadOp read);
  mlir::Value tileOf(mlir::OpBuilder &builder, mlir::Value step);
  llvm::SmallVector<mlir::Value> fetchAll(mlir::OpBuilder &builder, mlir::Value tile);
  llvm::SmallVector<mlir::Value> readAll(mlir::OpBuilder &builder, mlir::Value slot);
  void depositAll(mlir::OpBuilder &builder, mlir::ValueRange fetched, mlir::Value slot);
  void copyAll(mlir::OpBuilder &builder, mlir::Value tile, mlir::Value slot);
  llvm::SmallVector<mlir::Value> runRing(mlir::OpBuilder &builder, mlir::Value whole);
  mlir::Value multiply(mlir::OpBuilder &builder, tile::DotOp product, mlir::IRMapping &mapping);
  llvm::SmallVector<mlir::Value> runSteps(mlir::OpBuilder &builder, mlir::Value from, mlir::Value count,
                                          mlir::Value last, mlir::ValueRange inits);
  void places(mlir::OpBuilder &builder, tile::StepsOp steps, mlir::Value last);
  void alternate(mlir::OpBuilder &builder, tile::StepsOp steps, mlir::Value last);
  mlir::Value tileAhead(mlir::OpBuilder &builder, tile::StepsOp steps, mlir::Value last);
  llvm::SmallVector<mlir::Value> multiplyAll(mlir::OpBuilder &builder, mlir::IRMapping &mapping);
  /// Those that are full when the steps begin.
  int64_t numFilled() const { return alternates ? slots - 1 : slots; }
  llvm::SmallVector<mlir::Value> fillSlots(mlir::OpBuilder &builder, mlir::Value last);

  int64_t ahead() const { return numFilled() + (copied ? 0 : 1); }
  mlir::Value countGroups(mlir::OpBuilder &builder, mlir::Value whole);
  mlir::Value waitFirst(mlir::OpBuilder &builder, mlir::Value groups);
  void waitFor(mlir::OpBuilder &builder, mlir::Value group);
  void cloneWaits(mlir::OpBuilder &builder, mlir::IRMapping &mapping);
  mlir::Value endOf(mlir::OpBuilder &builder, mlir::Value following);
  llvm::SmallVector<mlir::Value> runGroups(mlir::OpBuilder &builder, mlir::Value whole, mlir::Value last,
                                           mlir::ValueRange inits, mlir::Value groups, mlir::Value first);
  llvm::SmallVector<mlir::Value> tokens();
  void setTokens(mlir::ValueRange tokens);

  /// The loop that was there, in thin steps from a step on.
  void replaceByThin(mlir::Value from, mlir::ValueRange inits, const Target &target);
  /// The same of a loop that computes: whole steps, each product in thin parts.
  void computeThin(mlir::Value from, mlir::ValueRange inits, const Target &target);
  void giveWayTo(mlir::scf::ForOp rest);
  bool isPromoted(const Target &target);
  mlir::Value issue(mlir::OpBuilder &builder, tile::DotOp product, mlir::Value slot, mlir::Value acc,
                    const Target &target, bool replaces = false);
  mlir::Value mappedSteps(mlir::OpBuilder &builder);
  llvm::SmallVector<mlir::Value> sumsOf(mlir::ValueRange carried);
  void fillSlot(mlir::OpBuilder &builder, tile::StreamOp stream, mlir::Value full);
  bool isProduced() { return loop->getParentOfType<tile::KernelOp>().getProducerAttr() != nullptr; }
  llvm::SmallVector<mlir::Value> tokensBefore();
  void waitInRest(mlir::ValueRange tokens);
  tile::StreamOp stream(mlir::OpBuilder &builder, mlir::Value steps, int64_t slots, const Target &target);
  void useSlot(mlir::OpBuilder &builder, tile::StreamOp stream, mlir::Value full, const Target &target);
  void leaveSlot(mlir::OpBuilder &builder, tile::StreamOp stream, mlir::Value step);
  template <class Words>
  Words declareWords(mlir::OpBuilder &builder, llvm::StringRef name, int64_t slots);

  // RingCompute.cpp
  void takeStepped();
  llvm::SmallVector<mlir::Value> loadAhead(mlir::OpBuilder &builder, mlir::Value step);
  size_t firstUse(tile::SharedLoadOp read);
  llvm::SmallVector<mlir::Value> readFor(mlir::OpBuilder &builder, size_t product, mlir::Value slot);
  mlir::ValueRange mapReads(size_t product, mlir::ValueRange tiles, mlir::IRMapping &mapping);
  llvm::SmallVector<mlir::Value> multiplyLast(mlir::OpBuilder &builder, tile::StepsOp steps, mlir::IRMapping &mapping,
                                              mlir::Value last, mlir::ValueRange fetched);
  void multiplyBefore(mlir::OpBuilder &builder, size_t number, mlir::Value slot, mlir::IRMapping &mapping);
  void computeStep(mlir::OpBuilder &builder, tile::StepsOp steps, mlir::Value last);
  llvm::SmallVector<mlir::Value> runComputing(mlir::OpBuilder &builder, mlir::Value whole);

  // StreamCompute.cpp
  void findEarly();
  llvm::SmallVector<mlir::Value> loadEarly(mlir::OpBuilder &builder, mlir::Value step);
  bool beginsAnew(tile::DotOp product);
  bool haveOwnRegisters(const Target &target);
  using Beside = std::pair<mlir::Value, mlir::Location>; ///< what a step carries, and where it comes from
  llvm::SmallVector<Beside> beginComputing(mlir::OpBuilder &builder, const Target &target);
  mlir::Value beginProduct(mlir::OpBuilder &builder, tile::DotOp product, tile::StreamOp stream,
                           mlir::IRMapping &mapping, llvm::ArrayRef<mlir::Value> beside, const Target &target);
  mlir::Value multiplySlot(mlir::OpBuilder &builder, size_t number, tile::StreamOp stream, mlir::IRMapping &mapping,
                           llvm::SmallVectorImpl<mlir::Value> &begun, llvm::MutableArrayRef<mlir::Value> beside,
                           const Target &target);
  void computeStep(mlir::OpBuilder &builder, tile::StreamOp stream, mlir::Value full, const Target &target);

  // StreamOverlap.cpp
  bool isMadeOf(mlir::Value value, llvm::DenseSet<mlir::Operation *> &made,
                llvm::SmallSetVector<mlir::Operation *, 4> &used);
  bool matchOverlap();
  llvm::SmallVector<mlir::Value> useProduct(mlir::OpBuilder &builder, size_t number, mlir::Value sums,
                                            mlir::IRMapping mapping);
  mlir::IRMapping mapStep(mlir::Value step, mlir::ValueRange carried);
  void overlapStep(mlir::OpBuilder &builder, tile::StreamOp stream, mlir::Value full, const Target &target);
  llvm::SmallVector<mlir::Value> finishOverlap(mlir::OpBuilder &builder, tile::StreamOp stream, mlir::Value steps);

  mlir::Value stepBefore(mlir::OpBuilder &builder, mlir::Value step);
  mlir::Value index(mlir::OpBuilder &builder, int64_t value);

  mlir::scf::ForOp loop;
  mlir::Location where; ///< what is made here does not have the name of the loop
  int64_t slots = 0;
  bool copied = false; ///< past the registers
  bool alternates = false;
  llvm::SmallVector<RingOperand> operands;
  mlir::Value first; ///< tiles along the depth before that of step 0; null where there are none
  llvm::SmallVector<tile::SharedLoadOp> reads; ///< of all operands, in the order of the text
  llvm::SmallVector<tile::DotOp> products;
  llvm::SmallVector<unsigned> sums;              ///< positions of the tiles among what the loop carries
  llvm::SmallVector<mlir::Operation *> computed; ///< what a step does with its products, and loads for that
  llvm::SmallVector<mlir::Operation *> early; ///< of these loads those that are made a step ahead, with their numbers
  llvm::SmallVector<SteppedLoad> stepped;     ///< others of them, which fetches make
  llvm::DenseMap<mlir::Operation *, size_t> registers; ///< of products: where steps carry those that they write
  bool beginTogether = false;                          ///< the products of a step, before the first of them is awaited
  /// What a step does with a product: which sums it makes, by what operations.
  struct ProductUse {
    llvm::SmallVector<size_t> positions;
    llvm::DenseSet<mlir::Operation *> made;
  };
  bool overlaps = false;              ///< steps compute under the products of the next one
  llvm::SmallVector<ProductUse> uses; ///< of each product then

  mlir::Value period;                                  ///< steps that a wait is for
  llvm::MapVector<mlir::Value, mlir::scf::IfOp> waits; ///< by their tokens
  llvm::MapVector<mlir::Value, mlir::Value> waited;    ///< the token, at the place of the builder, for each of those
};

} // namespace tilec::schedule
