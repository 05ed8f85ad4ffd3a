// A loop that takes further rows of buffers through LDS at each step and computes with them, as one whose copies run
// ahead: attention, whose two products have a softmax between them.
// Belongs here: what such a loop is, and what it becomes. Does not: loops that only multiply (RingLoop), how many slots
// there are (Schedule).
#pragma once

#include "passes/schedule/Ring.h"
#include "passes/schedule/StepBody.h"

#include "passes/machine/Target.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace tilec::schedule {

/// Barrier, stores of what was loaded, barrier, then anything that computes on registers and reads LDS.
class RowLoop {
public:
  explicit RowLoop(mlir::scf::ForOp loop) : loop(loop), where(unnamed(loop.getLoc())) {}

  bool match();
  /// Whether steps count from 0, as waves that fill slots want them.
  bool beginsAtZero();
  /// The buffers that get so many slots.
  llvm::DenseMap<mlir::Operation *, int64_t> copies(int64_t slots);
  /// Lays slots out for copies past the registers, by so many waves. Returns whether there are
  /// such copies, for which a wave issues at most `most` accesses in a step.
  bool layDown(const SharedMemory &memory, int64_t waves, int64_t most);
  /// `copied`: past the registers.
  void rewrite(int64_t slots, bool copied, int64_t waves, const Target &target);

  // RowStream.cpp
  /// Whether a copy engine can fill the slots, and matrix units read them there, with left operands from registers.
  bool isStreamed(const Target &target);
  /// The producer that the kernel may have for it; null where it may have none.
  tile::ProducerAttr producer(const Target &target);
  /// LDS of the kernel when a producer fills so many slots: they are beside what the loop of the rest stores.
  int64_t producedBytes(int64_t slots, const Target &target);
  void rewriteStreamed(int64_t slots, const Target &target);

private:
  bool isInvariant(mlir::Value value) { return !value || loop.isDefinedOutsideOfLoop(value); }
  bool matchStore(tile::SharedStoreOp store);
  bool matchRead(tile::SharedLoadOp read);
  bool matchBody();

  RingOperand *operandOf(mlir::Value buffer);
  mlir::Value index(mlir::OpBuilder &builder, int64_t value);
  llvm::SmallVector<mlir::Value> runRing(mlir::OpBuilder &builder, mlir::Value whole);
  llvm::SmallVector<mlir::Value> runCopies(mlir::OpBuilder &builder, mlir::Value whole);
  void copyAll(mlir::OpBuilder &builder, mlir::Value step, mlir::Value slot);
  tile::StepsOp createSteps(mlir::OpBuilder &builder, mlir::Value whole, mlir::ValueRange inits,
                            llvm::ArrayRef<mlir::Location> places);
  llvm::SmallVector<mlir::Location> placesOf(mlir::ValueRange inits);
  void step(mlir::OpBuilder &builder, tile::StepsOp steps, mlir::Value last);
  llvm::SmallVector<mlir::Value> clone(mlir::OpBuilder &builder, tile::StepsOp steps, MakeAccesses copies = nullptr);
  llvm::SmallVector<mlir::Value> multiply(mlir::OpBuilder &builder, tile::DotOp product, mlir::IRMapping &mapping,
                                          MakeAccesses accesses);

  // RowAhead.cpp
  bool matchAhead(const Target &target, int64_t waves);
  bool addEarly(mlir::Value value, llvm::ArrayRef<unsigned> own, llvm::SmallPtrSetImpl<mlir::Operation *> &early);
  llvm::SmallVector<unsigned> ownOf(const llvm::SmallPtrSetImpl<mlir::Operation *> &first);
  void findHanded();
  int64_t registersAhead();
  bool isEarly(RingOperand &operand);
  llvm::SmallVector<mlir::Value> runAhead(mlir::OpBuilder &builder, mlir::Value whole);
  llvm::SmallVector<mlir::Value> fillFirst(mlir::OpBuilder &builder, mlir::Value last);
  mlir::Value laterStep(mlir::OpBuilder &builder, bool early, mlir::Value step, mlir::Value last);
  mlir::Value refill(mlir::OpBuilder &builder, RingOperand &operand, mlir::Value later, mlir::Value slot,
                     mlir::Value fetched);
  void stepAhead(mlir::OpBuilder &builder, tile::StepsOp steps, mlir::Value last);
  llvm::SmallVector<mlir::Value> begin(mlir::OpBuilder &builder, mlir::Value slot, mlir::IRMapping &mapping,
                                       MakeAccesses accesses);
  llvm::SmallVector<mlir::Value> goOn(mlir::OpBuilder &builder, mlir::IRMapping &mapping);
  llvm::SmallVector<mlir::Value> finish(mlir::OpBuilder &builder, mlir::Value slot, mlir::IRMapping &mapping);

  std::string streamInstruction(tile::DotOp product, const Target &target) const;
  void declareMappedRing(RingOperand &operand, bool kept, const Target &target);
  bool hasOwnRows();
  tile::StreamOp createStream(mlir::OpBuilder &builder, mlir::Value steps, mlir::ValueRange inits,
                              mlir::ValueRange like);
  void fillSlot(tile::StreamOp stream, mlir::Value full, mlir::Value steps);
  mlir::Value issue(mlir::OpBuilder &builder, tile::DotOp product, mlir::Value slot, mlir::IRMapping &mapping);
  void useSlot(mlir::OpBuilder &builder, tile::StreamOp stream);
  mlir::Value numberOf(mlir::OpBuilder &builder, mlir::Value step);
  mlir::Value countOf(mlir::OpBuilder &builder, mlir::Value steps);
  void leaveSlot(mlir::OpBuilder &builder, tile::StreamOp stream);
  llvm::SmallVector<mlir::Value> stream(mlir::OpBuilder &builder, mlir::Value steps, mlir::Value count);

  // RowOverlap.cpp
  bool matchOverlap();
  void useInTurn(mlir::OpBuilder &builder, tile::StreamOp stream, mlir::Value steps);
  void firstStep(mlir::OpBuilder &builder, tile::StreamOp stream);
  void innerStep(mlir::OpBuilder &builder, tile::StreamOp stream);
  void lastStep(mlir::OpBuilder &builder, tile::StreamOp stream);
  mlir::IRMapping mapStep(mlir::OpBuilder &builder, tile::StreamOp stream);
  void computeUntilSums(mlir::OpBuilder &builder, mlir::IRMapping &mapping);
  void yieldStep(mlir::OpBuilder &builder, mlir::Value sums, mlir::IRMapping &mapping);

  /// Of the loop that is matched: what fills LDS for a step, in whose place slots are filled.
  static bool isFilling(mlir::Operation &op) {
    return llvm::isa<tile::BarrierOp, tile::LoadOp, tile::SharedStoreOp>(op);
  }

  bool isProduced() { return loop->getParentOfType<tile::KernelOp>().getProducerAttr() != nullptr; }

  mlir::scf::ForOp loop;
  mlir::Location where; ///< what is made here does not have the name of the loop
  int64_t slots = 0;
  bool copied = false; ///< past the registers
  llvm::SmallVector<RingOperand> operands;
  llvm::DenseMap<mlir::Operation *, std::string> instructions; ///< that read slots, of products

  /// Of a step whose sums are those of its last product, which nothing else of it uses: the operations on the sums
  /// before that product. Then it may run while the next step computes.
  struct Overlap {
    tile::DotOp scores, sums;
    unsigned position; ///< of the sums among what the loop carries
    llvm::SmallPtrSet<mlir::Operation *, 8> late;
  };
  std::optional<Overlap> overlap;

  /// Of a step whose first product may run beside the rest of the step before.
  struct Ahead {
    tile::DotOp first;
    llvm::SmallPtrSet<mlir::Operation *, 16> early;   ///< it, what it reads, and what makes `own`
    llvm::SmallPtrSet<mlir::Operation *, 16> follows; ///< of these what is made of it or of `own`
    llvm::SmallVector<unsigned> own; ///< positions of what the loop carries that follows from the first product alone
    llvm::SmallVector<mlir::Value> handed; ///< what others use of them
  };
  std::optional<Ahead> ahead;
};

} // namespace tilec::schedule
