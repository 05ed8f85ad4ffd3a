// Deals the index bits of a tile to registers, lanes and waves for coalesced access.
// Belongs here: what BlockedLayout.h declares. Does not: cost decisions between layouts.
#include "passes/machine/BlockedLayout.h"

#include "passes/machine/TileBox.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;

namespace tilec {

namespace {

using Bases = std::vector<LinearLayout::Point>;

/// The index bits of a tile, dealt out from the lowest of each dimension.
class Bits {
public:
  explicit Bits(ArrayRef<int64_t> shape) : shape(shape), next(shape.size(), 1) {}

  /// Moves up to `count` bits of dimension `dim` to `bases`, of those within whole runs of the side; returns how many
  /// of `count` are left.
  int64_t take(unsigned dim, int64_t count, Bases &bases) { return takeBelow(wholeRun(shape[dim]), dim, count, bases); }
  /// All that are left, those that step by whole runs of a side last.
  void takeRest(Bases &bases) {
    for (unsigned dim = shape.size(); dim-- > 0;)
      take(dim, 62, bases);
    for (unsigned dim = shape.size(); dim-- > 0;)
      takeBelow(shape[dim], dim, 62, bases);
  }

private:
  int64_t takeBelow(int64_t limit, unsigned dim, int64_t count, Bases &bases) {
    for (; count > 0 && next[dim] < limit; --count, next[dim] *= 2) {
      bases.emplace_back(shape.size(), 0);
      bases.back()[dim] = next[dim];
    }
    return count;
  }

  ArrayRef<int64_t> shape;
  SmallVector<int64_t, 4> next;
};

} // namespace

/// Removes the step of `size` along `dim` from what is left, if it is there.
static bool takeStep(Bases &left, unsigned dim, int64_t size, Bases &taken) {
  LinearLayout::Point step(2, 0);
  step[dim] = size;
  auto it = llvm::find(left, step);
  if (it == left.end())
    return false;
  left.erase(it);
  taken.push_back(step);
  return true;
}

/// A line of memory.
static constexpr int64_t kRunBytes = 128;

/// With so many elements of a row in consecutive registers, and runs of so many in lanes beside each other.
static std::optional<LinearLayout> dealtWithinWaves(const LinearLayout &from, ArrayRef<int64_t> tile,
                                                    int64_t elementBytes, int64_t vector, int64_t run) {
  Bases left = from.bases(LinearLayout::kRegister), registers, lanes, waves = from.bases(LinearLayout::kWave);
  llvm::append_range(left, from.bases(LinearLayout::kLane));
  size_t laneBits = from.inputBits(LinearLayout::kLane);
  for (int64_t column = 1; column < run; column *= 2)
    if (!takeStep(left, 1, column, column < vector ? registers : lanes))
      return std::nullopt;
  // Of a narrow run lanes beside each other have every other row: with swizzles of 16 bytes two rows that follow each
  // other would share the banks of 32.
  if (run * elementBytes < kRunBytes)
    for (int64_t row : {2, 4})
      if (row < from.shape()[0] && lanes.size() < laneBits)
        takeStep(left, 0, row, lanes);
  for (int64_t row = 1; row < from.shape()[0] && lanes.size() < laneBits; row *= 2)
    takeStep(left, 0, row, lanes);
  if (lanes.size() != laneBits)
    return std::nullopt;
  llvm::append_range(registers, left);
  LinearLayout layout = withRunsLast(LinearLayout::tile(registers, lanes, waves, from.shape()), tile);
  return isLayoutOf(layout, tile) ? std::optional(layout) : std::nullopt;
}

/// Columns beside each other that a wave has of a row.
static int64_t runWithinWaves(const LinearLayout &layout) {
  Bases held = layout.bases(LinearLayout::kRegister), run;
  llvm::append_range(held, layout.bases(LinearLayout::kLane));
  int64_t column = 1;
  while (takeStep(held, 1, column, run))
    column *= 2;
  return column;
}

/// Whether registers of a thread follow each other down a column first: it holds a tile that was transposed.
static bool runsDown(const LinearLayout &layout) {
  const Bases &registers = layout.bases(LinearLayout::kRegister);
  return !registers.empty() && registers.front() == LinearLayout::Point{1, 0};
}

std::optional<LinearLayout> blockedWithinWaves(const LinearLayout &from, ArrayRef<int64_t> tile, int64_t elementBytes) {
  // Memory takes sectors of 32 bytes, of which a shorter run would write a part.
  constexpr int64_t kVectorBytes = 16, kLeastVectorBytes = 4, kLeastRunBytes = 32;
  if (tile.size() != 2 || !from.isBijective())
    return std::nullopt;
  int64_t wanted = std::min(kRunBytes / elementBytes, wholeRun(tile[1])), run = std::min(wanted, runWithinWaves(from));
  if (run < wanted && (!runsDown(from) || run * elementBytes < kLeastRunBytes))
    return std::nullopt;
  // Rows whose number is a multiple of few leave no more of them to lanes: with narrower vectors lanes have columns.
  for (int64_t bytes = kVectorBytes; bytes >= std::max(elementBytes, kLeastVectorBytes); bytes /= 2)
    if (std::optional<LinearLayout> layout = dealtWithinWaves(from, tile, elementBytes, bytes / elementBytes, run))
      return layout;
  return std::nullopt;
}

LinearLayout blockedLayout(ArrayRef<int64_t> shape, Threads threads, int64_t elementBytes, int64_t maxVectorBytes,
                           int64_t rowRun) {
  assert(!shape.empty() && hasBox(shape) && "a tile without layouts");
  assert(isPowerOf2_64(threads.waves) && isPowerOf2_64(threads.lanes) && isPowerOf2_64(elementBytes));
  int64_t elements = 1;
  for (int64_t size : shape)
    elements *= size;
  int64_t perThread = std::max<int64_t>(1, elements / (threads.waves * threads.lanes));
  int64_t vector = std::max(perThread, std::max<int64_t>(1, 4 / elementBytes));
  vector = std::min(vector, std::max<int64_t>(1, maxVectorBytes / elementBytes));

  // A run that would leave less than four bytes of the vector is none.
  int64_t run = shape.size() == 2 ? std::min(rowRun, shape[0]) : 1;
  if (perThread / run * elementBytes < 4)
    run = 1;
  vector = run > 1 ? std::min(vector, perThread / run) : vector;

  unsigned last = shape.size() - 1;
  Bits bits(shape);
  Bases registers, lanes, waves;
  bits.take(last, Log2_64(vector), registers);
  if (run > 1)
    bits.take(0, Log2_64(run), registers);
  int64_t left = Log2_64(threads.lanes);
  for (unsigned dim = shape.size(); dim-- > 0;)
    left = bits.take(dim, left, lanes);
  lanes.insert(lanes.end(), left, LinearLayout::Point(shape.size(), 0));
  left = Log2_64(threads.waves);
  for (unsigned dim = last; dim-- > 0;)
    left = bits.take(dim, left, waves);
  left = bits.take(last, left, waves);
  waves.insert(waves.end(), left, LinearLayout::Point(shape.size(), 0));
  bits.takeRest(registers);
  return LinearLayout::tile(registers, lanes, waves, boxOf(shape));
}

} // namespace tilec
