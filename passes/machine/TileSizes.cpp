// Enumerates tile sizes and weighs them. Knows nothing of programs.
#include "passes/machine/TileSizes.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

namespace tilec {

/// Slots of a ring of operands in LDS (`schedule`), twice as many where copies pass no register and there is room; at
/// most so many where a copy engine fills them.
static constexpr int64_t kSlots = 2, kMostSlots = 8;
/// Bytes that slots lose which begin where a swizzle does.
static constexpr int64_t kMappedSlack = 2048;
/// Registers of a lane for addresses, counters and what is on its way between memory and its place.
static constexpr int64_t kOtherRegisters = 40;
/// Bytes of LDS that a chosen tile leaves to what the task may keep there besides: words of reductions.
static constexpr int64_t kOtherLds = 128;
/// 32-bit registers of sums that a lane may hold before a tile is spread over more waves: half of what two waves on a
/// SIMD leave to each of them, so that operands and addresses fit beside it.
static constexpr int64_t kSumRegisters = 128;
static constexpr int64_t kFewestThreads = 256, kMaxThreads = 1024;
/// Steps are deeper only where a copy engine fills rows of LDS: else more of their places have addresses of their own
/// (eight-bit floats on gfx950: 63 instead of 57 other instructions, 10 of them address arithmetic).
static constexpr int64_t kDeepestStep = 64;

static double ceilDiv(double a, double b) { return std::ceil(a / b); }

/// Clocks of the matrix units of one compute unit for one multiplication and addition, by instructions that read their
/// operands from LDS or (else) from registers.
static double clocksPerProduct(const ProductShape &shape, const Target &target, bool fromLds) {
  double best = 0;
  for (const MatrixInstructionInfo &info : target.matrix)
    if (llvm::is_contained(info.operands, shape.element) && info.readsShared() == fromLds &&
        (!info.fast || shape.fast || (fromLds && shape.promoted)))
      best = std::max(best, double(info.m * info.n * info.k) / double(info.cycles));
  // Without a matrix instruction a lane multiplies once a clock; a SIMD issues a wave in four.
  return 1 / (std::max(best, double(target.waveLanes) / 4) * double(target.simdsPerUnit));
}

bool holdsSumsTwice(const ProductShape &shape, int64_t depth, const Target &target) {
  auto isShort = [&](const MatrixInstructionInfo &info) {
    return info.fast && info.readsShared() && llvm::is_contained(info.operands, shape.element);
  };
  return shape.promoted && shape.mapped && depth * shape.bytes == target.lds.mappedRowBytes &&
         llvm::any_of(target.matrix, isShort);
}

int64_t productWaves(int64_t sums, const Target &target) {
  int64_t waves = std::max<int64_t>(1, kFewestThreads / target.waveLanes);
  while (waves * 2 * target.waveLanes <= kMaxThreads && sums > waves * target.waveLanes * kSumRegisters)
    waves *= 2;
  return waves;
}

namespace {

/// A workgroup that runs one tile: two rows of waves, the others side by side.
struct TileWorkgroup {
  TileWorkgroup(const ProductShape &shape, const TileSizes &tiles, const Target &target)
      : rows(tiles.rows), columns(tiles.columns * shape.rightSides), stepBytes(tiles.depth * shape.bytes),
        copiesOfSums(holdsSumsTwice(shape, tiles.depth, target) ? 2 : 1),
        waves(productWaves(rows * columns * copiesOfSums, target)), lanes(target.waveLanes) {
    int64_t deep = 2 * kSlots * (rows + columns) * stepBytes;
    MatrixProblem problem{rows, tiles.columns, tiles.depth, shape.element, "f32", waves};
    problem.fast = shape.fast;
    problem.promoted = shape.promoted;
    int64_t mapped = deep + kOtherLds + kMappedSlack;
    if (shape.mapped && stepBytes == target.lds.mappedRowBytes && mapped <= target.lds.bytes)
      stream = chooseStreamTiling(target.matrix, problem);
    direct = target.lds.copiesDirectly() && deep + kOtherLds <= target.lds.bytes;
    slots = direct ? 2 * kSlots : kSlots;
    if (stream)
      slots = std::min(kMostSlots, (target.lds.bytes - kOtherLds - kMappedSlack) / ((rows + columns) * stepBytes));
  }

  int64_t waveRows() const { return 2; }
  int64_t waveColumns() const { return waves / 2; }
  int64_t lds() const { return slots * (rows + columns) * stepBytes; }
  /// 32-bit registers of a lane: sums, operands of this step and the next, a step on its way from memory.
  int64_t registers() const {
    int64_t operands = (rows / waveRows() + columns / waveColumns()) * stepBytes / 4 / lanes;
    int64_t onTheWay = direct ? 0 : (rows + columns) * stepBytes / 4 / (waves * lanes);
    return sums() + (stream ? 0 : 2 * operands + onTheWay) + kOtherRegisters;
  }
  int64_t sums() const { return rows * columns * copiesOfSums / (waves * lanes); }
  /// Bytes that a step reads from LDS and writes to it.
  double sharedBytes() const {
    // Groups of waves read 64 rows and the columns that one of their instructions has.
    if (stream) {
      double grouped = double(64 * stream->columns),
             read = double(rows * columns) / grouped * double(64 + stream->columns);
      return (read + double(rows + columns)) * double(stepBytes);
    }
    return double(rows * (waveColumns() + 1) + columns * (waveRows() + 1)) * double(stepBytes);
  }
  /// Workgroups that a compute unit holds at once; 0 where not even one has room.
  int64_t resident(const Target &target) const {
    int64_t wavesPerSimd = llvm::divideCeil(waves, target.simdsPerUnit);
    int64_t byRegisters = target.registersPerLane / (registers() * wavesPerSimd);
    if (lds() + kOtherLds > target.lds.bytes)
      return 0;
    int64_t byLds = lds() ? target.lds.bytes / lds() : byRegisters;
    return std::min({byRegisters, byLds, target.maxWavesPerSimd / wavesPerSimd});
  }

  int64_t rows, columns, stepBytes, copiesOfSums, waves, lanes, slots;
  bool direct;                        ///< copies to LDS pass no register
  std::optional<StreamTiling> stream; ///< operands stay in LDS, where a copy engine puts them
};

} // namespace

double productClocks(const ProductShape &shape, const TileSizes &tiles, const Target &target) {
  TileWorkgroup workgroup(shape, tiles, target);
  int64_t resident = workgroup.resident(target);
  if (resident < 1)
    return 0;
  double rows = double(workgroup.rows), columns = double(workgroup.columns);
  double matrix = rows * columns * double(tiles.depth) * clocksPerProduct(shape, target, workgroup.stream.has_value());
  double shared = workgroup.sharedBytes() / double(target.lds.banks * target.lds.bankBytes);
  double cache = target.chipletCache.bytesPerClock > 0
                     ? (rows + columns) * double(workgroup.stepBytes) * double(target.unitsPerChiplet) /
                           target.chipletCache.bytesPerClock
                     : 0;
  const TargetTimes &times = target.times;
  // Copies are fetched a step ahead, or all steps but one that slots are for, and other workgroups compute while one
  // waits.
  double ahead = double(resident) * (workgroup.stream ? double(workgroup.slots - 1) : 1);
  double pass = std::max({matrix, shared, cache, times.loadClocks / ahead}) + times.barrierClocks +
                times.stalled * (matrix + shared + cache);
  double tasks =
      ceilDiv(double(shape.rows), double(tiles.rows)) * ceilDiv(double(shape.columns), double(tiles.columns));
  // A unit takes tasks in turns of as many as it holds; the last turn may be shorter.
  double perUnit = ceilDiv(tasks * double(shape.parts), double(target.units()));
  double clocks = perUnit * ceilDiv(double(shape.depth), double(tiles.depth * shape.parts)) * pass;
  if (shape.parts == 1)
    return clocks;
  // Who adds the parts up waits for them, and reads their sums from the cache.
  double published = (times.releaseMicroseconds + times.lookMicroseconds) * target.clockMhz;
  double read = target.chipletCache.bytesPerClock > 0
                    ? rows * columns * 4 * double(shape.parts) * double(target.unitsPerChiplet) /
                          target.chipletCache.bytesPerClock
                    : 0;
  return clocks + published + ceilDiv(tasks, double(target.units())) * (times.loadClocks + read);
}

bool isStreamed(const ProductShape &shape, const TileSizes &tiles, const Target &target) {
  return TileWorkgroup(shape, tiles, target).stream.has_value();
}

TileSizes chooseTileSizes(const ProductShape &shape, const TileChoices &choices, const Target &target) {
  TileSizes best{*llvm::min_element(choices.rows), *llvm::min_element(choices.columns),
                 *llvm::min_element(choices.depth)};
  double fewest = 0;
  for (int64_t rows : choices.rows)
    for (int64_t columns : choices.columns)
      for (int64_t depth : choices.depth) {
        if (depth > kDeepestStep && !(shape.mapped && target.lds.mappedRowBytes))
          continue;
        TileSizes tiles{rows, columns, depth};
        double clocks = productClocks(shape, tiles, target);
        bool larger = rows * columns * depth > best.rows * best.columns * best.depth;
        if (clocks > 0 && (fewest == 0 || clocks < fewest || (clocks == fewest && larger))) {
          best = tiles;
          fewest = clocks;
        }
      }
  return best;
}

} // namespace tilec
