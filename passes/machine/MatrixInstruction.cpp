// Operand and accumulator layouts of MFMA, mma and wgmma, their tiling over a workgroup, and the choice between
// tilings. Belongs here: what MatrixInstruction.h declares. Does not: bank conflicts of the reads (BankConflicts).
#include "passes/machine/MatrixInstruction.h"

#include "passes/machine/ElementType.h"
#include "passes/machine/TileBox.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <tuple>

using namespace llvm;

namespace tilec {

namespace {

using Bases = std::vector<LinearLayout::Point>;

/// Appends the powers of two from `first` below `limit`, in coordinate `dim` of two.
void appendBits(Bases &bases, unsigned dim, int64_t first, int64_t limit) {
  for (int64_t bit = first; bit < limit; bit *= 2)
    bases.push_back(dim == 0 ? LinearLayout::Point{bit, 0} : LinearLayout::Point{0, bit});
}

/// Lanes of a wave of the machines that have a family's instructions. No numbers of a target: the layouts below hold
/// for no others.
constexpr int64_t kMfmaLanes = 64, kMmaLanes = 32;

/// AMD's MFMA. The hardware is called with A and B exchanged, which computes the transposed product:
/// a lane then holds consecutive columns of one row, as stores want them.
/// Layouts: AMD matrix instruction calculator, the GFX9 rule with G = lanes / m lane groups and e = k / G elements a
/// lane.
class Mfma final : public MatrixInstruction {
public:
  explicit Mfma(const MatrixInstructionInfo &info) : MatrixInstruction(info) {}

  static std::string check(const MatrixInstructionInfo &info) {
    if (info.m != info.n || (info.m != 16 && info.m != 32))
      return "mfma must be 16x16 or 32x32";
    if (info.k < kMfmaLanes / info.m)
      return "mfma has fewer elements of k than lane groups";
    int64_t bytes = tilec::elementBytes(info.accumulator);
    if (bytes != 4 && (bytes != 8 || info.m != 16))
      return "mfma accumulators must have four bytes, or eight of a 16x16 one";
    return "";
  }

  int64_t lanes() const override { return kMfmaLanes; }
  int64_t waves() const override { return 1; }
  int64_t maxPack(int64_t bytes) const override { return std::max<int64_t>(1, bytes / (perLane() * elementBytes())); }
  LinearLayout operandA(int64_t pack) const override { return operand(pack); }
  LinearLayout operandB(int64_t pack) const override { return operand(pack); }

  /// 32x32: row = lane % 32, column = r % 4 + 4 * (lane / 32) + 8 * (r / 4); 16x16: row = lane % 16, column =
  /// 4 * (lane / 16) + r, of f64 lane / 16 + 4 * r.
  LinearLayout accumulator() const override {
    int64_t groups = kMfmaLanes / info().m;
    Bases registers, laneBases;
    if (tilec::elementBytes(info().accumulator) == 8) {
      appendBits(laneBases, 0, 1, info().m);
      appendBits(laneBases, 1, 1, groups);
      appendBits(registers, 1, groups, info().n);
      return LinearLayout::tile(registers, laneBases, {}, {info().m, info().n});
    }
    appendBits(registers, 1, 1, 4);
    appendBits(laneBases, 0, 1, info().m);
    appendBits(laneBases, 1, 4, 4 * groups);
    appendBits(registers, 1, 4 * groups, info().n);
    return LinearLayout::tile(registers, laneBases, {}, {info().m, info().n});
  }

private:
  int64_t perLane() const { return info().k * info().m / kMfmaLanes; }

  /// row = lane % m, k = run * (lane / m) + e % run + run * G * (e / run), where a run is what a lane holds without a
  /// gap: all of its elements, or 16 bytes of the 32 of the wide 8-bit instructions.
  LinearLayout operand(int64_t pack) const {
    int64_t groups = kMfmaLanes / info().m, run = perLane() * pack;
    if (perLane() * elementBytes() > 16)
      run = 16 / elementBytes();
    Bases registers, laneBases;
    appendBits(registers, 1, 1, run);
    appendBits(laneBases, 0, 1, info().m);
    appendBits(laneBases, 1, run, run * groups);
    appendBits(registers, 1, run * groups, info().k * pack);
    return LinearLayout::tile(registers, laneBases, {}, {info().m, info().k * pack});
  }
};

/// NVIDIA's mma.sync of one warp: the operands come from registers, as those of MFMA do.
/// Layouts: PTX ISA, matrix fragments for mma.m16n8k4 to k32. A lane holds runs of four bytes of k, in the order in
/// which ldmatrix delivers them: longer runs would be fewer reads, but each operand of A would be put together by
/// moves.
class Mma final : public MatrixInstruction {
public:
  explicit Mma(const MatrixInstructionInfo &info) : MatrixInstruction(info) {}

  static std::string check(const MatrixInstructionInfo &info) {
    if (info.m != 16 || info.n != 8)
      return "mma must be 16 rows by 8 columns";
    if (info.k * tilec::elementBytes(info.operands.front()) != 32)
      return "mma must take 32 bytes of k";
    return "";
  }

  int64_t lanes() const override { return kMmaLanes; }
  int64_t waves() const override { return 1; }
  int64_t maxPack(int64_t) const override { return 1; }

  /// row = lane / 4 + 8 * (r / run % 2), k = run * (lane % 4) + r % run + 4 * run * (r / (2 * run)).
  LinearLayout operandA(int64_t) const override { return operand(info().m); }
  /// column = lane / 4, k = run * (lane % 4) + r % run + 4 * run * (r / run).
  LinearLayout operandB(int64_t) const override { return operand(info().n); }

  /// row = lane / 4 + 8 * (r / 2), column = 2 * (lane % 4) + r % 2.
  LinearLayout accumulator() const override {
    Bases registers, laneBases;
    appendBits(registers, 1, 1, 2);
    appendBits(registers, 0, 8, info().m);
    appendBits(laneBases, 1, 2, info().n);
    appendBits(laneBases, 0, 1, 8);
    return LinearLayout::tile(registers, laneBases, {}, {info().m, info().n});
  }

private:
  LinearLayout operand(int64_t rows) const {
    int64_t run = std::max<int64_t>(1, 4 / elementBytes());
    Bases registers, laneBases;
    appendBits(registers, 1, 1, run);
    appendBits(registers, 0, 8, rows);
    appendBits(registers, 1, 4 * run, info().k);
    appendBits(laneBases, 1, run, 4 * run);
    appendBits(laneBases, 0, 1, 8);
    return LinearLayout::tile(registers, laneBases, {}, {rows, info().k});
  }
};

/// NVIDIA's wgmma: four waves of 32 lanes issue it, A and B come from shared memory.
/// Layouts: PTX ISA, wgmma.mma_async register fragments of m64nNk16 (and k8, k32).
class Wgmma final : public MatrixInstruction {
public:
  explicit Wgmma(const MatrixInstructionInfo &info) : MatrixInstruction(info) {}

  static std::string check(const MatrixInstructionInfo &info) {
    if (info.m != kGroupRows || info.n < 8 || info.n > 256 || info.n % 8)
      return "wgmma must be 64 rows by 8 to 256 columns, a multiple of 8";
    if (info.k * tilec::elementBytes(info.operands.front()) != kGroupDepthBytes)
      return "wgmma must take 32 bytes of k";
    if (tilec::elementBytes(info.accumulator) != 4)
      return "wgmma accumulators must have four bytes";
    return "";
  }

  int64_t lanes() const override { return kMmaLanes; }
  int64_t waves() const override { return kGroupWaves; }
  int64_t maxPack(int64_t) const override { return 1; }

  /// Shared by the whole group: no register of any thread holds an element, every thread stands for all.
  LinearLayout operandA(int64_t pack) const override { return fromShared(info().m, info().k * pack); }
  LinearLayout operandB(int64_t pack) const override { return fromShared(info().n, info().k * pack); }

  /// row = 16 * wave + 8 * (r / 2 % 2) + lane / 4, column = 8 * (r / 4) + 2 * (lane % 4) + r % 2.
  LinearLayout accumulator() const override {
    Bases registers, laneBases, waveBases;
    appendBits(registers, 1, 1, 2);
    appendBits(laneBases, 1, 2, 8);
    appendBits(laneBases, 0, 1, 8);
    appendBits(registers, 0, 8, 16);
    appendBits(registers, 1, 8, info().n);
    appendBits(waveBases, 0, 16, kGroupRows);
    return LinearLayout::tile(registers, laneBases, waveBases, boxOf({info().m, info().n}));
  }

private:
  static LinearLayout fromShared(int64_t rows, int64_t columns) {
    Bases registers;
    appendBits(registers, 1, 1, columns);
    appendBits(registers, 0, 1, rows);
    return LinearLayout::tile(registers, Bases(5, {0, 0}), Bases(2, {0, 0}), boxOf({rows, columns}));
  }
};

/// What no instruction could do, or an empty string.
std::string checkProblem(const MatrixProblem &problem) {
  for (auto [name, number] :
       {std::pair("rows", problem.m), std::pair("k", problem.k), std::pair("waves", problem.waves)})
    if (number <= 0 || !isPowerOf2_64(number))
      return (Twine(name) + " must be a power of two, got " + Twine(number)).str();
  if (problem.n <= 0 || !hasBox({problem.n}))
    return (Twine("columns must be a power of two or a multiple of 8, got ") + Twine(problem.n)).str();
  return "";
}

std::optional<MatrixTiling> fail(std::string *why, const Twine &text) {
  if (why)
    *why = text.str();
  return std::nullopt;
}

} // namespace

// --- Instructions ----------------------------------------------------------------------------------------------------

std::optional<MatrixFamily> matrixFamily(StringRef name) {
  return StringSwitch<std::optional<MatrixFamily>>(name)
      .Case("mfma", MatrixFamily::Mfma)
      .Case("mma", MatrixFamily::Mma)
      .Case("wgmma", MatrixFamily::Wgmma)
      .Default(std::nullopt);
}

MatrixInstruction::~MatrixInstruction() = default;

int64_t MatrixInstruction::elementBytes() const { return tilec::elementBytes(row.operands.front()); }

std::unique_ptr<MatrixInstruction> MatrixInstruction::create(const MatrixInstructionInfo &info, std::string *why) {
  std::string problem;
  if (info.operands.empty() || any_of(info.operands, [&](const std::string &type) {
        return tilec::elementBytes(type) == 0 ||
               tilec::elementBytes(type) != tilec::elementBytes(info.operands.front());
      }))
    problem = "operand types must be known and of one size";
  else if (!isPowerOf2_64(info.m) || !isPowerOf2_64(info.k) ||
           (info.family != MatrixFamily::Wgmma && !isPowerOf2_64(info.n)))
    problem = "m, n and k must be powers of two";
  else
    problem = info.family == MatrixFamily::Mfma  ? Mfma::check(info)
              : info.family == MatrixFamily::Mma ? Mma::check(info)
                                                 : Wgmma::check(info);
  if (!problem.empty()) {
    if (why)
      *why = problem;
    return nullptr;
  }
  switch (info.family) {
  case MatrixFamily::Mfma:
    return std::make_unique<Mfma>(info);
  case MatrixFamily::Mma:
    return std::make_unique<Mma>(info);
  case MatrixFamily::Wgmma:
    return std::make_unique<Wgmma>(info);
  }
  return nullptr;
}

// --- Tiling ----------------------------------------------------------------------------------------------------------

namespace {

/// How often something that has so many columns is repeated along those of a tile: by registers, then by waves, which
/// stay within a whole run of the columns, then by the registers that go on behind it.
struct ColumnRepeats {
  ColumnRepeats(int64_t columns, int64_t own, int64_t waves) {
    int64_t run = std::max(wholeRun(columns), boxOf({own}).front());
    within = run / (boxOf({own}).front() * waves);
    behind = boxOf({columns}).front() / run;
  }
  int64_t within, behind;
};

} // namespace

/// Why so many waves beside each other, each with instructions of `own` columns, cannot share a tile's; else empty.
static std::string checkColumns(StringRef name, int64_t columns, int64_t own, int64_t waves) {
  int64_t unit = own * waves;
  if (columns % unit != 0)
    return (name + ": columns of the tile must be a multiple of " + Twine(unit) + ", got " + Twine(columns)).str();
  if (columns != own && wholeRun(columns) % unit != 0)
    return (name + ": waves and instructions of " + Twine(unit) + " columns must go into the " +
            Twine(wholeRun(columns)) + " that " + Twine(columns) + " is a multiple of")
        .str();
  return "";
}

std::optional<MatrixTiling> tileInstruction(std::shared_ptr<const MatrixInstruction> instruction,
                                            const MatrixProblem &problem, int64_t wavesM, int64_t wavesN,
                                            std::string *why) {
  const MatrixInstructionInfo &info = instruction->info();
  if (std::string bad = checkProblem(problem); !bad.empty())
    return fail(why, bad);
  if (wavesM <= 0 || wavesN <= 0 || !isPowerOf2_64(wavesM) || !isPowerOf2_64(wavesN))
    return fail(why, "the grid of waves must be powers of two, got " + Twine(wavesM) + "x" + Twine(wavesN));
  int64_t grid = wavesM * wavesN * instruction->waves();
  if (problem.waves % grid != 0)
    return fail(why,
                Twine(info.name) + ": " + Twine(problem.waves) + " waves are no multiple of a grid of " + Twine(grid));
  for (auto [name, extent, unit] : {std::tuple("rows", problem.m, wavesM * info.m), std::tuple("k", problem.k, info.k)})
    if (extent % unit != 0)
      return fail(why, Twine(info.name) + ": " + name + " of the tile must be a multiple of " + Twine(unit) + ", got " +
                           Twine(extent));
  if (std::string bad = checkColumns(info.name, problem.n, info.n, wavesN); !bad.empty())
    return fail(why, bad);

  MatrixTiling tiling;
  tiling.wavesM = wavesM;
  tiling.wavesN = wavesN;
  tiling.spareWaves = problem.waves / grid;
  tiling.pack = std::min(instruction->maxPack(problem.vectorBytes), problem.k / info.k);
  const char *reg = LinearLayout::kRegister.data(), *wave = LinearLayout::kWave.data();
  auto repeat = [](int64_t count, StringRef input, StringRef output) {
    return LinearLayout::identity(Log2_64(count), input, output);
  };
  auto copies = [&](int64_t count) { return LinearLayout::zero(Log2_64(count), wave, "dim0"); };
  int64_t blocksM = problem.m / (wavesM * info.m), blocksN = problem.n / (wavesN * info.n);
  int64_t blocksK = problem.k / (info.k * tiling.pack);
  ColumnRepeats columns(problem.n, info.n, wavesN);
  tiling.a = instruction->operandA(tiling.pack)
                 .product(repeat(blocksK, reg, "dim1"))
                 .product(repeat(blocksM, reg, "dim0"))
                 .product(copies(wavesN))
                 .product(repeat(wavesM, wave, "dim0"))
                 .product(copies(tiling.spareWaves));
  tiling.b = instruction->operandB(tiling.pack)
                 .product(repeat(blocksK, reg, "dim1"))
                 .product(repeat(columns.within, reg, "dim0"))
                 .product(repeat(wavesN, wave, "dim0"))
                 .product(repeat(columns.behind, reg, "dim0"))
                 .product(copies(wavesM * tiling.spareWaves));
  tiling.accumulator = instruction->accumulator()
                           .product(repeat(columns.within, reg, "dim1"))
                           .product(repeat(blocksM, reg, "dim0"))
                           .product(repeat(wavesN, wave, "dim1"))
                           .product(repeat(wavesM, wave, "dim0"))
                           .product(repeat(columns.behind, reg, "dim1"))
                           .product(copies(tiling.spareWaves));
  tiling.b = withRunsLast(tiling.b, {problem.n, problem.k});
  tiling.accumulator = withRunsLast(tiling.accumulator, {problem.m, problem.n});
  tiling.instructions = blocksM * blocksN * (problem.k / info.k) * wavesM * wavesN * tiling.spareWaves;
  tiling.matrixCycles = tiling.instructions * info.cycles;
  tiling.sharedReadBytes =
      (problem.m * wavesN + problem.n * wavesM) * problem.k * instruction->elementBytes() * tiling.spareWaves;
  tiling.instruction = std::move(instruction);
  return tiling;
}

std::vector<MatrixTiling> tilingsOf(ArrayRef<MatrixInstructionInfo> table, const MatrixProblem &problem,
                                    std::string *why) {
  std::vector<MatrixTiling> tilings;
  std::string reason;
  for (const MatrixInstructionInfo &info : table) {
    if (!problem.isFor(info))
      continue;
    std::string refused;
    std::shared_ptr<const MatrixInstruction> instruction = MatrixInstruction::create(info, &refused);
    if (instruction && instruction->readsShared())
      continue;
    for (int64_t grid = 1; instruction && grid * instruction->waves() <= problem.waves; grid *= 2)
      for (int64_t wavesM = 1; wavesM <= grid; wavesM *= 2)
        if (std::optional<MatrixTiling> tiling = tileInstruction(instruction, problem, wavesM, grid / wavesM, &refused))
          tilings.push_back(std::move(*tiling));
    if (reason.empty())
      reason = refused;
  }
  if (why)
    *why = reason;
  return tilings;
}

std::optional<MatrixTiling> chooseTiling(ArrayRef<MatrixInstructionInfo> table, const MatrixProblem &problem,
                                         std::string *why) {
  std::string reason = checkProblem(problem);
  if (!reason.empty())
    return fail(why, reason);
  auto cost = [](const MatrixTiling &tiling) {
    int64_t width = tiling.a.vectorWidth() + tiling.b.vectorWidth();
    // The last two settle ties, so that the choice does not depend on the order of the loops.
    return std::tuple(tiling.matrixCycles, tiling.sharedReadBytes, -width, tiling.instructions,
                      std::abs(tiling.wavesM - tiling.wavesN), tiling.wavesN);
  };
  std::optional<MatrixTiling> best;
  for (MatrixTiling &tiling : tilingsOf(table, problem, &reason))
    if (!best || cost(tiling) < cost(*best))
      best = std::move(tiling);
  if (best)
    return best;
  if (reason.empty())
    reason = "no matrix instruction multiplies " + problem.operand + " into " + problem.accumulator;
  return fail(why, reason);
}

// --- Both ways -------------------------------------------------------------------------------------------------------

/// The instruction of a wave, repeated as the sums of `shared` are: rows of waves that issue together, its columns,
/// then the blocks and the grid of the workgroup.
static MatrixTiling repeatAs(std::shared_ptr<const MatrixInstruction> instruction, const MatrixTiling &shared,
                             const MatrixProblem &problem) {
  const MatrixInstructionInfo &info = instruction->info(), &wide = shared.instruction->info();
  const char *reg = LinearLayout::kRegister.data(), *wave = LinearLayout::kWave.data();
  auto repeat = [](int64_t count, StringRef input, StringRef output) {
    return LinearLayout::identity(Log2_64(count), input, output);
  };
  auto copies = [&](int64_t count) { return LinearLayout::zero(Log2_64(count), wave, "dim0"); };
  int64_t together = wide.m / info.m, blocksK = problem.k / info.k;
  int64_t blocksM = problem.m / (shared.wavesM * wide.m);
  // The columns of one of its instructions, then those that it has as the other has them.
  ColumnRepeats columns(problem.n, wide.n, shared.wavesN);
  int64_t within = boxOf({wide.n}).front() / info.n * columns.within;
  MatrixTiling tiling = shared;
  tiling.pack = 1;
  tiling.a = instruction->operandA(1)
                 .product(repeat(blocksK, reg, "dim1"))
                 .product(repeat(together, wave, "dim0"))
                 .product(repeat(blocksM, reg, "dim0"))
                 .product(copies(shared.wavesN))
                 .product(repeat(shared.wavesM, wave, "dim0"));
  tiling.b = instruction->operandB(1)
                 .product(repeat(blocksK, reg, "dim1"))
                 .product(copies(together))
                 .product(repeat(within, reg, "dim0"))
                 .product(repeat(shared.wavesN, wave, "dim0"))
                 .product(repeat(columns.behind, reg, "dim0"))
                 .product(copies(shared.wavesM));
  tiling.accumulator = instruction->accumulator()
                           .product(repeat(within, reg, "dim1"))
                           .product(repeat(together, wave, "dim0"))
                           .product(repeat(blocksM, reg, "dim0"))
                           .product(repeat(shared.wavesN, wave, "dim1"))
                           .product(repeat(shared.wavesM, wave, "dim0"))
                           .product(repeat(columns.behind, reg, "dim1"));
  tiling.b = withRunsLast(tiling.b, {problem.n, problem.k});
  tiling.accumulator = withRunsLast(tiling.accumulator, {problem.m, problem.n});
  tiling.instruction = std::move(instruction);
  return tiling;
}

/// Products that may be added up with fewer bits before f32 adds their sum; and the most columns of an instruction that
/// does so: two of 128 are as fast as one of 256, and a lane has half as many sums twice.
static constexpr int64_t kPromotedTerms = 128, kPromotedColumns = 128;

std::optional<StreamTiling> chooseStreamTiling(ArrayRef<MatrixInstructionInfo> table, const MatrixProblem &problem) {
  if (!checkProblem(problem).empty())
    return std::nullopt;
  std::shared_ptr<const MatrixInstruction> registers;
  std::optional<MatrixTiling> best;
  MatrixProblem inSteps = problem;
  inSteps.fast |= problem.promoted && problem.k <= kPromotedTerms;
  for (const MatrixInstructionInfo &info : table) {
    if (!(info.readsShared() ? inSteps : problem).isFor(info))
      continue;
    std::shared_ptr<const MatrixInstruction> instruction = MatrixInstruction::create(info);
    if (!instruction)
      continue;
    if (!instruction->readsShared()) {
      registers = instruction;
      continue;
    }
    // The next one would begin within a panel, and few columns are not worth one.
    if (problem.across && info.n % kAcrossColumns != 0 && (info.n != problem.n || info.n < kAcrossColumns))
      continue;
    bool promotes = info.fast && !problem.fast;
    if (promotes && info.n > kPromotedColumns)
      continue;
    int64_t groups = problem.waves / instruction->waves();
    int64_t rows = std::min(groups, problem.m / info.m);
    if (rows == 0 || problem.waves % instruction->waves() || (best && best->instruction->info().n > info.n))
      continue;
    if (std::optional<MatrixTiling> tiling = tileInstruction(instruction, problem, rows, groups / rows))
      best = std::move(tiling);
  }
  if (!best || !registers)
    return std::nullopt;
  MatrixTiling both = repeatAs(registers, *best, problem);
  if (both.accumulator != best->accumulator)
    return std::nullopt;
  const MatrixInstructionInfo &info = best->instruction->info();
  return StreamTiling{info.name, info.n, best->matrixCycles, info.fast && !problem.fast, std::move(both)};
}

} // namespace tilec
