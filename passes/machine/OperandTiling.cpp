// The layouts of a product follow those of its left operand, bit by bit.
#include "passes/machine/OperandTiling.h"

#include "llvm/Support/MathExtras.h"
#include <tuple>

using namespace llvm;

namespace tilec {

namespace {

using Point = LinearLayout::Point;
using Bases = std::vector<Point>;

/// What the registers of an operand step through.
struct Registers {
  Bases rows, depths;
};

/// Nothing where one register bit steps through rows and k at once, or through neither.
std::optional<Registers> split(const Bases &bases) {
  Registers result;
  for (const Point &basis : bases) {
    if ((basis[0] != 0) == (basis[1] != 0))
      return std::nullopt;
    (basis[0] ? result.rows : result.depths).push_back(basis);
  }
  return result;
}

/// The rows that waves have; waves that have the same share the columns, as far as these go.
struct Waves {
  Bases ofB, ofSums;
  int64_t columns = 1, spare = 1;
};

std::optional<Waves> deal(const Bases &bases, int64_t columnsOfAll, int64_t columnsOfOne) {
  Waves waves;
  for (const Point &basis : bases) {
    if (basis[1])
      return std::nullopt;
    int64_t column = 0;
    if (!basis[0] && columnsOfOne * waves.columns * 2 <= columnsOfAll) {
      waves.columns *= 2;
      column = columnsOfAll / waves.columns;
    } else if (!basis[0]) {
      waves.spare *= 2;
    }
    waves.ofB.push_back({column, 0});
    waves.ofSums.push_back({basis[0], column});
  }
  return waves;
}

bool contains(const Bases &bases, const Point &point) {
  return llvm::any_of(bases, [&](const Point &basis) { return basis == point; });
}

/// The part of an operand's register bases that is of rows.
Bases rowsOf(const LinearLayout &operand) {
  Bases rows;
  for (const Point &basis : operand.bases(LinearLayout::kRegister))
    if (basis[0])
      rows.push_back({basis[0], 0});
  return rows;
}

/// Whether the lanes' rows and the rows within an instruction are those of the instruction, and k goes into whole ones.
bool fits(const MatrixInstruction &instruction, const LinearLayout &a, const Registers &registers) {
  LinearLayout wanted = instruction.operandA(1);
  Bases lanes = a.bases(LinearLayout::kLane), wantedLanes = wanted.bases(LinearLayout::kLane);
  if (lanes.size() != wantedLanes.size())
    return false;
  for (auto [lane, want] : zip(lanes, wantedLanes))
    if (lane[0] != want[0] || (lane[1] != 0) != (want[1] != 0) || (lane[0] && lane[1]))
      return false;
  Bases rows = rowsOf(wanted);
  size_t depthBits = wanted.bases(LinearLayout::kRegister).size() - rows.size();
  return registers.depths.size() >= depthBits &&
         all_of(rows, [&](const Point &row) { return contains(registers.rows, row); });
}

void append(Bases &to, const Bases &from) { to.insert(to.end(), from.begin(), from.end()); }

/// The powers of two from `first` below `limit` as columns.
Bases columnBits(unsigned dim, int64_t first, int64_t limit) {
  Bases bits;
  for (int64_t bit = first; bit < limit; bit *= 2)
    bits.push_back(dim == 0 ? Point{bit, 0} : Point{0, bit});
  return bits;
}

LinearLayout operandB(const MatrixInstruction &instruction, const LinearLayout &a, const Registers &registers,
                      const Waves &waves, const MatrixProblem &problem) {
  LinearLayout wanted = instruction.operandB(1);
  Bases of = registers.depths, lanes;
  append(of, rowsOf(wanted));
  append(of, columnBits(0, instruction.info().n, problem.n / waves.columns));
  for (auto [lane, want] : zip(a.bases(LinearLayout::kLane), wanted.bases(LinearLayout::kLane)))
    lanes.push_back({want[0], lane[1]});
  return LinearLayout::tile(of, lanes, waves.ofB, {problem.n, problem.k});
}

LinearLayout sums(const MatrixInstruction &instruction, const Registers &registers, const Waves &waves,
                  const MatrixProblem &problem) {
  LinearLayout one = instruction.accumulator();
  Bases of = one.bases(LinearLayout::kRegister), inner = of;
  append(of, columnBits(1, instruction.info().n, problem.n / waves.columns));
  for (const Point &row : registers.rows)
    if (!contains(inner, row))
      of.push_back(row);
  return LinearLayout::tile(of, one.bases(LinearLayout::kLane), waves.ofSums, {problem.m, problem.n});
}

} // namespace

std::optional<MatrixTiling> tileAlongOperand(std::shared_ptr<const MatrixInstruction> instruction,
                                             const MatrixProblem &problem, const LinearLayout &a) {
  const MatrixInstructionInfo &info = instruction->info();
  if (instruction->readsShared() || !isPowerOf2_64(problem.n) || problem.m % info.m || problem.n % info.n ||
      problem.k % info.k || a.shape() != SmallVector<int64_t, 4>{problem.m, problem.k} ||
      a.inputSize(LinearLayout::kWave) != problem.waves || a.replicationMask(LinearLayout::kRegister))
    return std::nullopt;
  std::optional<Registers> registers = split(a.bases(LinearLayout::kRegister));
  std::optional<Waves> waves = deal(a.bases(LinearLayout::kWave), problem.n, info.n);
  if (!registers || !waves || !fits(*instruction, a, *registers))
    return std::nullopt;
  MatrixTiling tiling;
  tiling.a = a;
  tiling.b = operandB(*instruction, a, *registers, *waves, problem);
  tiling.accumulator = sums(*instruction, *registers, *waves, problem);
  tiling.wavesN = waves->columns;
  tiling.spareWaves = waves->spare;
  tiling.wavesM = problem.waves / (waves->columns * waves->spare);
  tiling.instructions = problem.m / info.m * (problem.n / info.n) * (problem.k / info.k) * waves->spare;
  tiling.matrixCycles = tiling.instructions * info.cycles;
  tiling.sharedReadBytes = problem.n * tiling.wavesM * problem.k * instruction->elementBytes() * waves->spare;
  tiling.instruction = std::move(instruction);
  return tiling;
}

std::optional<MatrixTiling> chooseAlongOperand(ArrayRef<MatrixInstructionInfo> table, const MatrixProblem &problem,
                                               const LinearLayout &a) {
  std::optional<MatrixTiling> best;
  for (const MatrixInstructionInfo &info : table) {
    if (!problem.isFor(info))
      continue;
    std::shared_ptr<const MatrixInstruction> instruction = MatrixInstruction::create(info);
    std::optional<MatrixTiling> tiling =
        instruction ? tileAlongOperand(instruction, problem, a) : std::optional<MatrixTiling>();
    if (tiling && (!best || tiling->matrixCycles < best->matrixCycles))
      best = std::move(tiling);
  }
  return best;
}

std::optional<MatrixTiling> chooseChained(ArrayRef<MatrixInstructionInfo> table, const MatrixProblem &problem,
                                          const MatrixProblem &next) {
  std::optional<MatrixTiling> free = chooseTiling(table, problem), freeNext = chooseTiling(table, next);
  if (!free || !freeNext)
    return std::nullopt;
  std::optional<MatrixTiling> best;
  std::tuple<int64_t, int64_t, int64_t> least(free->matrixCycles + freeNext->matrixCycles,
                                              std::numeric_limits<int64_t>::max(), 0);
  for (MatrixTiling &tiling : tilingsOf(table, problem)) {
    std::optional<MatrixTiling> along = chooseAlongOperand(table, next, tiling.accumulator);
    if (!along)
      continue;
    std::tuple cost(tiling.matrixCycles + along->matrixCycles, tiling.sharedReadBytes + along->sharedReadBytes,
                    tiling.instructions + along->instructions);
    if (cost < least) {
      least = cost;
      best = std::move(tiling);
    }
  }
  return best;
}

} // namespace tilec
