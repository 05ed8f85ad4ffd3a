// Matrix instructions: which thread holds which element of their operands, and how one is tiled over a workgroup.
// Belongs here: layouts of operands and accumulators (MFMA, mma and wgmma). Does not: the tables of instructions
// (Target).
#ifndef TILEC_PASSES_MACHINE_MATRIXINSTRUCTION_H
#define TILEC_PASSES_MACHINE_MATRIXINSTRUCTION_H

#include "passes/machine/LinearLayout.h"
#include <memory>

namespace tilec {

/// How the registers of an instruction are laid out.
enum class MatrixFamily : uint8_t { Mfma, Mma, Wgmma };
/// By its name in target files; nothing when there is none.
std::optional<MatrixFamily> matrixFamily(llvm::StringRef name);

/// One row of a target's table: D (m x n) += A (m x k) * B (k x n).
struct MatrixInstructionInfo {
  std::string name; ///< as in the device headers: Mfma32x32x8
  MatrixFamily family;
  int64_t m = 0, n = 0, k = 0;       ///< elements
  std::vector<std::string> operands; ///< element types of A and B (the same for both), MLIR names
  std::string accumulator;           ///< element type of C and D
  int64_t cycles = 0;                ///< clocks that one instruction occupies the matrix unit of one SIMD
  bool fast = false;                 ///< its inner sums keep fewer bits than the accumulator has

  /// Whether A and B are read by the instruction from shared memory, by descriptor.
  bool readsShared() const { return family == MatrixFamily::Wgmma; }
};

/// A matrix instruction as the layout pass sees it. B is described as n x k (its own rows are contiguous along k, as
/// A's are): for a tile stored k x n, transpose the layout.
class MatrixInstruction {
public:
  /// Null, and why, when the row names no known family or a shape that the family has not.
  static std::unique_ptr<MatrixInstruction> create(const MatrixInstructionInfo &info, std::string *why = nullptr);
  virtual ~MatrixInstruction();

  const MatrixInstructionInfo &info() const { return row; }
  int64_t elementBytes() const;

  /// Lanes of a wave of this machine.
  virtual int64_t lanes() const = 0;
  /// Waves that issue one instruction together (1 for MFMA and mma, 4 for wgmma): the low bits of the wave index.
  virtual int64_t waves() const = 0;
  /// Then `operandA` and `operandB` say nothing about registers and conflicts are the instruction's own affair.
  bool readsShared() const { return row.readsShared(); }
  /// Largest p for `operandA(p)`: consecutive instructions of which one thread can take the k elements in one access
  /// of at most `bytes`.
  virtual int64_t maxPack(int64_t bytes) const = 0;

  /// A as (row, k), m x (pack * k). With pack > 1 the k elements of `pack` instructions are exchanged between them so
  /// that a thread holds pack times as many consecutive ones (a wider LDS read); the sum over k is the same because B
  /// is exchanged in the same way. Of the k of one row that a thread holds, in rising order, the first e are of the
  /// first instruction, the next e of the second.
  virtual LinearLayout operandA(int64_t pack) const = 0;
  /// B as (column, k), n x (pack * k).
  virtual LinearLayout operandB(int64_t pack) const = 0;
  /// C and D as (row, column), m x n.
  virtual LinearLayout accumulator() const = 0;

protected:
  explicit MatrixInstruction(const MatrixInstructionInfo &info) : row(info) {}

private:
  MatrixInstructionInfo row;
};

/// An instruction repeated over the tile of a workgroup: waves in a grid of wavesM x wavesN, each with a contiguous
/// block of the result; inside, instructions along the columns first, then along the rows.
struct MatrixTiling {
  std::shared_ptr<const MatrixInstruction> instruction;
  int64_t wavesM = 1, wavesN = 1; ///< in units of instruction->waves()
  int64_t spareWaves = 1;         ///< copies of the whole grid that compute the same (a tile too small for its waves)
  int64_t pack = 1;               ///< see MatrixInstruction::operandA
  LinearLayout a;                 ///< (M, K); waves of the same row of the grid hold the same elements
  LinearLayout b;                 ///< (N, K)
  LinearLayout accumulator;       ///< (M, N)
  int64_t instructions = 0;       ///< executed by the workgroup, copies included
  int64_t matrixCycles = 0;       ///< instructions * cycles, to be divided by the SIMDs that work at once
  int64_t sharedReadBytes = 0;    ///< read from shared memory by all waves for one M x N x K step

  /// B for a tile stored as (K, N).
  LinearLayout bTransposed() const { return b.transpose({1, 0}); }
};

/// Bytes of elements that instructions take from rows of B which lie along the columns of the product (wgmma: PTX ISA,
/// matrix descriptors, MN-major).
constexpr int64_t kTurnedBytes = 2;

/// What is multiplied: an M x K tile by a K x N tile, on this many waves. All powers of two, but for n, which
/// may be another multiple of 8.
struct MatrixProblem {
  int64_t m, n, k;
  std::string operand;     ///< element type of A and B
  std::string accumulator; ///< element type of the result
  int64_t waves;
  int64_t vectorBytes = 16; ///< widest access to shared memory; 0 forbids packing
  bool fast = false;        ///< instructions may be those that keep fewer bits of their inner sums
  bool promoted = false;    ///< they may where they add up a step, whose sums others add to those of the steps before

  bool across = false; ///< B lies K x N in LDS, if it is read there

  bool isFor(const MatrixInstructionInfo &info) const {
    return llvm::is_contained(info.operands, operand) && info.accumulator == accumulator && (fast || !info.fast);
  }
};

/// Tiles one instruction. Nothing, and why, when the tile is no multiple of what the waves cover.
std::optional<MatrixTiling> tileInstruction(std::shared_ptr<const MatrixInstruction> instruction,
                                            const MatrixProblem &problem, int64_t wavesM, int64_t wavesN,
                                            std::string *why = nullptr);

/// All tilings by the instructions of a table that multiply such operands, from registers. `why` is what the first
/// instruction refuses.
std::vector<MatrixTiling> tilingsOf(llvm::ArrayRef<MatrixInstructionInfo> table, const MatrixProblem &problem,
                                    std::string *why = nullptr);

/// The instruction and the wave grid that need the fewest matrix cycles, then the fewest bytes from shared memory, then
/// the widest reads, then the fewest instructions, of those that take their operands from registers. Nothing, and why,
/// when no instruction fits.
std::optional<MatrixTiling> chooseTiling(llvm::ArrayRef<MatrixInstructionInfo> table, const MatrixProblem &problem,
                                         std::string *why = nullptr);

/// Waves that issue a product together where it reads LDS, its rows, and bytes of the depth: what wgmma is, not what
/// one machine with it has. Its layouts hold for no others, and rows of a target file that say others are refused.
inline constexpr int64_t kGroupWaves = 4, kGroupRows = 64, kGroupDepthBytes = 32;

/// Columns of B that lie beside each other where its rows lie along them, in panels of swizzled rows of 128 bytes, for
/// elements of two bytes (PTX ISA, matrix descriptors, MN-major). An instruction of wgmma begins with a panel, and may
/// end within one.
inline constexpr int64_t kAcrossColumns = 64;

/// A product that is computed in two ways with sums in the same registers: by an instruction that reads its operands
/// from shared memory, and by one that takes them from registers.
struct StreamTiling {
  std::string instruction; ///< that reads shared memory
  int64_t columns;         ///< of one of its
  int64_t matrixCycles;    ///< of all of its, to be divided by the SIMDs
  bool promoted;           ///< it keeps fewer bits of its sums than it may: threads add those of a step to others
  MatrixTiling registers;  ///< by the other one; its `accumulator` is that of both
};

/// Groups of waves stand above each other as far as the rows reach, with the widest instruction that fits. Nothing when
/// no two instructions of the table do.
std::optional<StreamTiling> chooseStreamTiling(llvm::ArrayRef<MatrixInstructionInfo> table,
                                               const MatrixProblem &problem);

} // namespace tilec

#endif // TILEC_PASSES_MACHINE_MATRIXINSTRUCTION_H
