// Emits the bytecode of scalars and control flow, which the kernel form and the exit dialect have in common.
// Belongs here: slots, expressions, loops, branches, declarations. Does not: accesses, signals, roles.
#pragma once

#include "passes/checker/RoleProgram.h"

namespace tilec::checker {

class ScalarCompiler {
public:
  virtual ~ScalarCompiler() = default;

protected:
  explicit ScalarCompiler(tile::ProgramOp op) { program.op = op; }

  /// An operation of a block; everything that is no scalar and no control flow.
  virtual mlir::LogicalResult compileOp(mlir::Operation *op) = 0;

  /// Slots of the rank, the extents and the buffers that are arguments. Fails where the world is not known.
  mlir::LogicalResult compileHeader();
  /// A buffer or a grid that the program declares; nothing for anything else.
  mlir::LogicalResult compileDeclaration(mlir::Operation *op);

  uint32_t newSlot() { return numSlots++; }
  uint32_t emit(Code op, uint32_t left = 0, uint32_t right = 0, int64_t value = 0);
  /// The instruction just emitted computes a scalar of `op` of this type, which must fit where `checked`.
  void setType(mlir::Type type, bool checked, mlir::Operation *op);
  uint32_t constant(int64_t value) { return emit(Code::Constant, 0, 0, value); }
  /// `narrow`: an operation whose text computes it in an int, which must hold what is made on the way.
  /// `of`: the one that has the expression, if what it divides by must not be negative.
  uint32_t expression(mlir::AffineExpr expr, llvm::ArrayRef<uint32_t> symbols, mlir::Operation *narrow = nullptr,
                      mlir::Operation *of = nullptr);
  /// The results of an expression list: symbol 0 is the world, then the operands.
  mlir::FailureOr<Slots> expressions(mlir::Operation *op, mlir::AffineMap map, mlir::ValueRange operands,
                                     mlir::Operation *narrow = nullptr);
  /// The slot of a value; reports where `op` needs it and it depends on data.
  mlir::FailureOr<uint32_t> slot(mlir::Operation *op, mlir::Value value, llvm::StringRef what);
  mlir::FailureOr<Slots> slotList(mlir::Operation *op, mlir::ValueRange values, llvm::StringRef what);

  /// A pure scalar operation. A result that depends on data gets no slot; whoever needs it reports.
  void compileScalar(mlir::Operation *op);
  mlir::LogicalResult compileExtent(tile::ExtentOp extent);
  mlir::LogicalResult compileBlock(mlir::Block &block);
  mlir::LogicalResult compileFor(mlir::scf::ForOp loop);
  /// A loop of `op` that counts from 0; `body` gets the slot of the number, which is that of `index` too.
  mlir::LogicalResult compileCounted(mlir::Operation *op, mlir::Value index, uint32_t first, uint32_t count,
                                     llvm::function_ref<mlir::LogicalResult(uint32_t)> body);
  /// The same where the text has no value for the number of a pass, which has this type.
  mlir::LogicalResult compileTimes(mlir::Operation *op, mlir::Type type, uint32_t first, uint32_t count,
                                   llvm::function_ref<mlir::LogicalResult(uint32_t)> body);
  /// What is done where a slot is not 0.
  mlir::LogicalResult compileWhen(uint32_t condition, llvm::function_ref<mlir::LogicalResult()> body);
  mlir::LogicalResult compileIf(mlir::scf::IfOp branch);
  /// A task that counts itself at a word of a grid, declared as `grid`. `site` says what it publishes, and the token of
  /// the last one.
  mlir::LogicalResult compileArrival(SyncSite site, mlir::Value grid, mlir::ValueRange indices, mlir::Value count,
                                     mlir::Value last);
  /// Tells numbers that a launch gives, or that are made of them, apart.
  int64_t numberOf(mlir::Value given) {
    auto [known, isNew] = givenNumbers.try_emplace(given, program.givenNumbers.size());
    if (isNew)
      program.givenNumbers.push_back(given);
    return known->second;
  }

  /// The place of an operation in `scalarOps`: an error names it.
  int64_t scalarOp(mlir::Operation *op);

  ProgramCode program;
  CodeList *code = nullptr;
  uint32_t numSlots = 0;
  llvm::DenseMap<mlir::Value, uint32_t> slots, views, grids;
  llvm::DenseMap<mlir::Value, int64_t> givenNumbers;

private:
  static bool tracked(mlir::Type type);
  void addRoot(mlir::Value value, Slots sizes, bool argument, int64_t copies);
  uint32_t compare(mlir::arith::CmpIPredicate predicate, uint32_t left, uint32_t right);
  void compileConstant(mlir::Operation *op, const llvm::APInt &number);
  uint32_t compileCast(mlir::Operation *op, uint32_t operand);
  uint32_t asSigned(uint32_t operand, mlir::Type type);
  uint32_t asUnsigned(mlir::Operation *op, uint32_t operand, mlir::Type type);
  void assign(llvm::ArrayRef<uint32_t> targets, mlir::ValueRange values);
  /// Every tracked value that a loop carries or a branch yields must be known on all paths.
  mlir::LogicalResult requireKnown(mlir::Operation *op, mlir::ValueRange values);
};

} // namespace tilec::checker
