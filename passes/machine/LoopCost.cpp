// Clocks of a loop, from what its text will do: counts of accesses and instructions, divided by rates. Knows nothing of
// programs.
#include "passes/machine/LoopCost.h"
#include "dialect/Limits.h"
#include "passes/machine/TurnedReads.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tilec {

/// Registers of a lane for addresses, counters and what is on its way between memory and its place. Of our text, whose
/// addresses are sums of a view's and an offset of 32 bits on every machine.
static constexpr int64_t kOtherRegisters = 40;
/// The same where copies pass no register: 256x256x32 of bf16 on gfx950 has 254 in all, 224 of them sums and operands.
static constexpr int64_t kOtherBesideCopies = 32;
/// Bytes of LDS that a chosen tile leaves to what the task may keep there besides: words of reductions.
static constexpr int64_t kOtherLds = 128;
/// Elements of a tile that one group multiplies though a collective sends it.
static constexpr int64_t kLightSums = 2048;

/// What a pair shares has two halves of whole swizzles.
static constexpr int64_t kPairedColumns = 16;

static double ceilDiv(double a, double b) { return std::ceil(a / b); }

llvm::StringRef nameOf(LoopBound bound) {
  static constexpr llvm::StringLiteral names[] = {"matrix units", "LDS", "copies", "issue", "latency"};
  return names[static_cast<unsigned>(bound)];
}

int64_t productWaves(int64_t sums, const Target &target) {
  int64_t waves = std::max<int64_t>(1, kUsualThreads / target.waveLanes);
  while (waves * 2 * target.waveLanes <= tile::kMostThreads && !holdSums(waves, sums, target))
    waves *= 2;
  return waves;
}

bool holdSums(int64_t waves, int64_t sums, const Target &target) {
  // Half of what two waves on a SIMD leave to each of them: operands and addresses fit beside it.
  return sums <= waves * target.waveLanes * target.registersPerLane / 4;
}

/// Of so many, in whole steps.
static int64_t registersOf(int64_t share, const Target &target) {
  return std::min(share, target.mostRegisters) / target.registerStep * target.registerStep;
}

int64_t registerShare(int64_t waves, const Target &target) {
  int64_t pool = target.registersPerLane * target.simdsPerUnit;
  return registersOf(pool / waves, target);
}

int64_t registersBesideProducer(int64_t waves, int64_t given, const Target &target) {
  int64_t sharing = waves + target.producer.waves;
  int64_t left = registerShare(sharing, target) * sharing - given * target.producer.waves;
  int64_t own = registersOf(left / waves, target);
  return own < registerShare(waves, target) * 9 / 10 ? 0 : own;
}

namespace {

static int64_t wavesOf(const LoopGiven &given, int64_t sums, const Target &target) {
  if (given.waves)
    return given.waves;
  return std::max(productWaves(sums, target), given.alternates ? 2 * target.simdsPerUnit : 1);
}

/// A workgroup that runs one tile: two rows of waves, the others side by side.
class TileWorkgroup {
public:
  TileWorkgroup(const ProductShape &shape, const TileSizes &tiles, const Target &target, LoopGiven given)
      : shape(shape), target(target), rows(tiles.rows * shape.leftSides), columns(tiles.columns * shape.rightSides),
        depth(tiles.depth), stepBytes(tiles.depth * shape.bytes), waves(wavesOf(given, rows * columns, target)),
        lanes(target.waveLanes), wavesAreGiven(given.waves != 0), alternates(given.alternates) {
    int64_t deep = (given.slots ? given.slots : 2 * kRingSlots) * slotBytes();
    int64_t mapped = deep + kOtherLds + kSwizzleSlack;
    if (shape.mapped && stepBytes == target.lds.mappedRowBytes && mapped <= target.lds.bytes)
      chooseStream(tiles);
    bool areLaid = !isAcross() || (turnsReads(target.lds, shape.bytes) && turnsRows());
    direct = target.lds.copiesDirectly() && areLaid && (!given.slots || given.slots >= 2 * kRingSlots) &&
             deep + kOtherLds <= target.lds.bytes;
    slots = direct ? 2 * kRingSlots : kRingSlots;
    if (stream)
      slots = std::min(target.producer.slots, (target.lds.bytes - kOtherLds - kSwizzleSlack) / slotBytes());
    if (given.slots)
      slots = given.slots;
    tilesDown = llvm::divideCeil(shape.rows, tiles.rows);
    tasks = double(shape.matrices) * double(tilesDown) * ceilDiv(double(shape.columns), double(tiles.columns));
  }

  LoopCost cost(const TileSizes &tiles) const {
    LoopCost cost;
    cost.tiles = tiles;
    cost.waves = waves;
    cost.slots = slots;
    cost.ldsBytes = slots * slotBytes();
    cost.registers = registers();
    cost.resident = resident();
    const MatrixInstructionInfo *info = instruction();
    cost.instruction = stream ? stream->instruction : info ? info->name : "";
    if (cost.resident < 1)
      return cost;
    double multiplied = double(rows * columns * depth);
    cost.matrix = multiplied * clocksPerProduct(info);
    cost.lds = sharedBytes() / double(target.lds.banks * target.lds.bankBytes);
    // One half after the other reads and meets, and nothing of that stands beside its own products.
    if (alternates)
      cost.lds += 2 * (target.times.stepClocks + target.times.exchangeClocks);
    cost.copies = copyClocks();
    cost.issue = issueClocks(info);
    // While a workgroup waits for its copies the others that the unit holds go on, as far as there are tasks for them.
    double beside = std::min(double(cost.resident), tasksOfUnit());
    cost.latency = target.times.loadClocks / (beside * double(stepsAhead()));
    std::pair<double, LoopBound> parts[] = {{cost.matrix, LoopBound::Matrix},
                                            {cost.lds, LoopBound::Lds},
                                            {cost.copies, LoopBound::Copies},
                                            {cost.issue, LoopBound::Issue},
                                            {cost.latency, LoopBound::Latency}};
    double longest = -1;
    for (auto [clocks, bound] : parts)
      if (clocks > longest) {
        longest = clocks;
        cost.bound = bound;
      }
    cost.step = longest + (alternates ? 0 : target.times.stepClocks / beside);
    double stalled = target.times.stalled * (cost.matrix + cost.lds + cost.copies);
    cost.clocks = productClocks(cost.step + stalled);
    return cost;
  }

private:
  /// The instructions that read slots. Where those of a group of waves cover the rows of a tile that takes a whole side
  /// of the product, and few of it, one group does it all: the product waits for memory. Further groups fill no slots,
  /// which a producer does; each has some of the columns, reads all rows again, and waits for each slot too (an H200, 1
  /// to 64 rows: two groups lost 1 to 2 %).
  void chooseStream(const TileSizes &tiles) {
    auto tilingFor = [&](int64_t waves) {
      MatrixProblem problem{tiles.rows, tiles.columns, tiles.depth, shape.element, "f32", waves};
      problem.fast = shape.fast;
      problem.promoted = shape.promoted;
      problem.across = shape.across;
      return chooseStreamTiling(target.matrix, problem);
    };
    stream = tilingFor(waves);
    // What a collective sends goes through all waves, but for few elements: 1 to 32 rows on four H200 lost up to 2 %.
    bool isLight = shape.own || rows * columns <= kLightSums;
    // Without a tiling for all groups their columns are too few for an instruction each.
    int64_t beside = stream ? stream->registers.wavesN : waves / kGroupWaves;
    if ((stream && stream->registers.wavesM != 1) || beside <= 1 || wavesAreGiven || !isLight || !target.producer.waves)
      return;
    int64_t group = waves / beside;
    bool isSide = shape.rows <= rows || (shape.columns <= tiles.columns && tiles.columns <= rows);
    std::optional<StreamTiling> alone = tilingFor(group);
    if (!isSide || !alone || !holdSums(group, rows * columns, target))
      return;
    stream = alone;
    waves = group;
  }

  int64_t waveRows() const { return std::min<int64_t>(2, waves); }
  int64_t waveColumns() const { return waves / waveRows(); }
  /// Of a right operand that lies K x N slots have whole panels.
  int64_t slotColumns() const {
    bool inPanels = shape.across && shape.mapped;
    return inPanels ? shape.rightSides * llvm::alignTo(columns / shape.rightSides, kAcrossColumns) : columns;
  }
  int64_t slotBytes() const { return (rows + slotColumns()) * stepBytes; }
  int64_t sums() const { return rows * columns / (waves * lanes); }
  /// Those of one instruction, which threads add to the others; 0 where matrix units go on adding to all.
  int64_t promotedSums() const {
    return stream && stream->promoted ? stream->columns * kGroupRows / (kGroupWaves * lanes) : 0;
  }

  /// 32-bit registers of a lane: sums, operands of this step and the next, a step on its way from memory. Halves that
  /// alternate read no step ahead.
  int64_t registers() const {
    int64_t operands = (rows / waveRows() + columns / waveColumns()) * stepBytes / 4 / lanes;
    int64_t onTheWay = direct ? 0 : slotBytes() / 4 / (waves * lanes);
    return sums() + promotedSums() + (stream ? 0 : (alternates ? 1 : 2) * operands + onTheWay) +
           (direct ? kOtherBesideCopies : kOtherRegisters);
  }

  /// Bytes that a step reads from LDS and writes to it. Rows that are turned on their way there are written in runs of
  /// eight bytes, at half the rate.
  double sharedBytes() const {
    // Groups of waves read their rows and the columns that one of their instructions has.
    if (stream) {
      double grouped = double(kGroupRows * stream->columns),
             read = double(rows * columns) / grouped * double(kGroupRows + stream->columns);
      return (read + double(rows + columns)) * double(stepBytes);
    }
    auto written = [&](bool across) { return across && !direct ? 2 : 1; };
    return double(rows * (waveColumns() + written(shape.leftAcross)) + columns * (waveRows() + written(shape.across))) *
           double(stepBytes);
  }

  /// Times that copies ask for their bytes: twice where rows begin within a sector of the cache.
  double timesAsked(int64_t pitch) const {
    int64_t sector = target.chipletCache.sectorBytes;
    return (stream || direct) && sector > 0 && pitch % sector != 0 ? 2 : 1;
  }
  /// The same of tiles of so many elements of a row, which begin behind each other, some of them within a sector.
  double timesAskedAcross(int64_t pitch, int64_t width) const {
    int64_t sector = target.chipletCache.sectorBytes;
    if (timesAsked(pitch) > 1 || timesAsked(width * shape.bytes) == 1)
      return timesAsked(pitch);
    return 2 - double(std::gcd(width * shape.bytes, sector)) / double(sector);
  }
  double timesAskedLeft() const {
    return shape.leftAcross ? timesAskedAcross(shape.leftPitch, rows / shape.leftSides) : timesAsked(shape.leftPitch);
  }
  double timesAskedRight() const {
    return shape.across ? timesAskedAcross(shape.rightPitch, columns / shape.rightSides) : timesAsked(shape.rightPitch);
  }

  /// Whether workgroups go two by two, a tile below the other, each of which brings half of the right operand's rows to
  /// both: what passes/schedule/Pairs.cpp does where these are asked for twice.
  bool copiesInPairs() const {
    return shape.pairs && stream && target.producer.together >= 2 && !isAcross() && shape.matrices * shape.parts == 1 &&
           shape.leftSides * shape.rightSides == 1 && timesAsked(shape.rightPitch) > 1 && tilesDown % 2 == 0 &&
           columns % kPairedColumns == 0;
  }

  /// Clocks of the way from the chiplet's cache: its rate has a part for each unit. What is asked for twice passes it
  /// twice, and there the units that have tasks share it alone.
  double copyClocks() const {
    double rate = target.chipletCache.bytesPerClock, units = double(target.unitsPerChiplet);
    if (rate <= 0)
      return 0;
    double right = double(columns) * timesAskedRight() / (copiesInPairs() ? 2 : 1);
    double asked = (double(rows) * timesAskedLeft() + right) * double(stepBytes);
    double asking = std::min(units, ceilDiv(tasks * double(shape.parts), double(target.chiplets)));
    return std::max(double(slotBytes()) * units, asked * asking) / rate;
  }

  /// Steps for which a copy is on its way: through registers one, past them those of two slots less, by an engine those
  /// of one less.
  int64_t stepsAhead() const { return std::max<int64_t>(1, stream ? slots - 1 : direct ? slots - 2 : 1); }

  /// A unit takes tasks in turns of as many as it holds; the last turn may be shorter.
  double tasksOfUnit() const { return ceilDiv(tasks * double(shape.parts), double(target.units())); }

  /// The clocks of all steps of all tiles, and of adding up the parts of a depth that is split.
  double productClocks(double step) const {
    double clocks = tasksOfUnit() * ceilDiv(double(shape.depth), double(depth * shape.parts)) * step;
    if (shape.parts == 1)
      return clocks;
    // Who adds the parts up has to see them, and reads their sums from the cache, one after the other.
    double published = (target.times.releaseMicroseconds + target.times.lookMicroseconds) * double(target.clockMhz);
    double perClock = target.chipletCache.bytesPerClock / double(target.unitsPerChiplet);
    double read = target.times.loadClocks + (perClock > 0 ? double(rows * columns * 4) / perClock : 0);
    return clocks + published + ceilDiv(tasks, double(target.units())) * double(shape.parts) * read;
  }

  bool isAcross() const { return shape.across || shape.leftAcross; }

  /// Whether a thread has rows of an operand that lies K x M or K x N to turn on their way to LDS, for runs of four
  /// bytes from two vectors at least: else it is stored element by element, and no loop runs its copies ahead.
  bool turnsRows() const {
    int64_t vectors = std::max<int64_t>(2, 4 / std::max<int64_t>(1, shape.bytes));
    int64_t least = vectors * waves * lanes * int64_t(tile::kAccessBytes);
    return stream ||
           ((!shape.across || columns * stepBytes >= least) && (!shape.leftAcross || rows * stepBytes >= least));
  }

  /// Whether waves can share out the slots, where no engine fills any.
  bool fillsSlots() const {
    auto isPower = [](int64_t side) { return llvm::isPowerOf2_64(static_cast<uint64_t>(side)); };
    return target.producer.waves ||
           (isPower(rows / shape.leftSides) && isPower(columns / shape.rightSides) && isPower(depth));
  }

  /// Whether waves that only fill slots have registers beside those that multiply: without them the loop is another,
  /// which nothing here describes. Waves that were given have what is left.
  bool leavesProducer() const {
    return !stream || !target.producer.waves || wavesAreGiven ||
           registersBesideProducer(waves, target.producer.registers, target) > 0;
  }

  int64_t resident() const {
    if (!leavesProducer() || !turnsRows() || !fillsSlots())
      return 0;
    int64_t wavesPerSimd = llvm::divideCeil(waves, target.simdsPerUnit);
    int64_t byRegisters = target.registersPerLane / (registers() * wavesPerSimd);
    int64_t bytes = slots * slotBytes();
    if (bytes + kOtherLds > target.lds.bytes)
      return 0;
    int64_t byLds = bytes ? target.lds.bytes / bytes : byRegisters;
    return std::min({byRegisters, byLds, target.maxWavesPerSimd / wavesPerSimd});
  }

  /// The fastest instruction for the operands, which read them from LDS or from registers, of a depth that divides the
  /// tile's; of those that are as fast the one that multiplies most. Null where the vector units multiply.
  const MatrixInstructionInfo *instruction() const {
    const MatrixInstructionInfo *best = nullptr;
    auto products = [](const MatrixInstructionInfo &info) { return info.m * info.n * info.k; };
    for (const MatrixInstructionInfo &info : target.matrix) {
      bool fromLds = stream.has_value();
      if (!llvm::is_contained(info.operands, shape.element) || info.readsShared() != fromLds ||
          (info.fast && !shape.fast && !(fromLds && shape.promoted)) || depth % info.k != 0)
        continue;
      int64_t mine = products(info) * (best ? best->cycles : 0), others = best ? products(*best) * info.cycles : -1;
      if (mine > others || (mine == others && products(info) > products(*best)))
        best = &info;
    }
    return best;
  }

  /// Clocks of the matrix units of one compute unit for one multiplication and addition.
  double clocksPerProduct(const MatrixInstructionInfo *info) const {
    double rate = info ? double(info->m * info->n * info->k) / double(info->cycles) : 0;
    // Without a matrix instruction a lane multiplies once as often as its SIMD issues.
    return 1 / (std::max(rate, double(target.waveLanes) / target.times.issueClocks) *
                double(std::min(target.simdsPerUnit, waves)));
  }

  /// Instructions of the waves of a SIMD, one after the other.
  double issueClocks(const MatrixInstructionInfo *info) const {
    double perWave = double(rows * columns * depth) / double(waves);
    double products = info ? perWave / double(info->m * info->n * info->k) : perWave / double(lanes);
    double added = promotedSums() ? double(sums()) : 0;
    return issued(products + added + target.instructions.stepAccess * accesses() + target.instructions.step);
  }

  /// Accesses of a wave in a step: reads of LDS, and copies, which are two each where they go through registers. Rows
  /// that lanes turn as they read them come in eight bytes each.
  double accesses() const {
    if (stream)
      return 0;
    double turned =
        direct ? double((shape.across ? columns * waveRows() : 0) + (shape.leftAcross ? rows * waveColumns() : 0)) *
                     double(stepBytes)
               : 0;
    double read = sharedBytes() - double(slotBytes()) + turned, moved = double(slotBytes()) * (direct ? 1 : 2);
    return (read + moved) / double(waves * lanes * tile::kAccessBytes);
  }

  /// Clocks of a SIMD whose waves issue so many instructions each.
  double issued(double instructions) const {
    return instructions * target.times.issueClocks * ceilDiv(double(waves), double(target.simdsPerUnit));
  }

  const ProductShape &shape;
  const Target &target;
  int64_t rows, columns, depth, stepBytes, waves, lanes, slots;
  bool wavesAreGiven; ///< not chosen by the sums
  bool alternates;    ///< halves of the waves
  bool direct;        ///< copies to LDS pass no register
  int64_t tilesDown = 1;
  double tasks = 0;
  std::optional<StreamTiling> stream; ///< operands stay in LDS, where a copy engine puts them

  friend bool tilec::isStreamed(const ProductShape &, const TileSizes &, const Target &);
};

} // namespace

ProductShape ProductShape::swapped() const {
  ProductShape other = *this;
  std::swap(other.rows, other.columns);
  std::swap(other.leftSides, other.rightSides);
  std::swap(other.leftPitch, other.rightPitch);
  std::swap(other.across, other.leftAcross);
  return other;
}

LoopCost loopCost(const ProductShape &shape, const TileSizes &tiles, const Target &target, LoopGiven given) {
  return TileWorkgroup(shape, tiles, target, given).cost(tiles);
}

std::vector<LoopCost> loopCosts(const ProductShape &shape, const TileChoices &choices, const Target &target,
                                LoopGiven given) {
  std::vector<LoopCost> costs;
  for (int64_t rows : choices.rows)
    for (int64_t columns : choices.columns)
      for (int64_t depth : choices.depth)
        if (LoopCost cost = loopCost(shape, {rows, columns, depth}, target, given); cost.clocks > 0)
          costs.push_back(cost);
  auto elements = [](const TileSizes &tiles) { return tiles.rows * tiles.columns * tiles.depth; };
  // Tiles of 64 x 128 read the weights of 128 rows twice, and took 63.1 us where those of 128 x 64 took 55.8 (8192 x
  // 7168, reduced over four H200).
  auto readsAgain = [&](const TileSizes &tiles) {
    return shape.columns > shape.rows ? tiles.rows < shape.rows : tiles.columns < shape.columns;
  };
  auto rank = [&](const LoopCost &cost) {
    return std::tuple(cost.clocks, -elements(cost.tiles), readsAgain(cost.tiles));
  };
  llvm::stable_sort(costs, [&](const LoopCost &a, const LoopCost &b) { return rank(a) < rank(b); });
  return costs;
}

TileSizes cheapestTile(const ProductShape &shape, const TileChoices &choices, const Target &target, LoopGiven given) {
  std::vector<LoopCost> costs = loopCosts(shape, choices, target, given);
  if (!costs.empty())
    return costs.front().tiles;
  return {*llvm::min_element(choices.rows), *llvm::min_element(choices.columns), *llvm::min_element(choices.depth)};
}

bool isStreamed(const ProductShape &shape, const TileSizes &tiles, const Target &target) {
  return TileWorkgroup(shape, tiles, target, {}).stream.has_value();
}

} // namespace tilec
