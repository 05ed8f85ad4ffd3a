// Powers of two around a tile, and what of their registers it has.
// Belongs here: what TileBox.h declares. Does not: algebra on layouts (LinearLayout).
#include "passes/machine/TileBox.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;

namespace tilec {

/// Columns of the narrowest matrix instruction.
static constexpr int64_t kLeastRun = 8;

int64_t wholeRun(int64_t side) { return side & -side; }

SmallVector<int64_t, 4> boxOf(ArrayRef<int64_t> shape) {
  SmallVector<int64_t, 4> box;
  for (int64_t side : shape)
    box.push_back(static_cast<int64_t>(PowerOf2Ceil(static_cast<uint64_t>(side))));
  return box;
}

bool hasBox(ArrayRef<int64_t> shape) {
  auto isOther = [](int64_t side) { return !isPowerOf2_64(static_cast<uint64_t>(side)); };
  if (any_of(shape, [&](int64_t side) { return side <= 0 || (isOther(side) && side % kLeastRun != 0); }))
    return false;
  return none_of(shape, isOther) || (count_if(shape, isOther) == 1 && shape.size() <= 2);
}

/// Whether a basis steps by whole runs of a side that is no power of two.
static bool stepsByRuns(const LinearLayout::Point &basis, ArrayRef<int64_t> shape) {
  for (auto [coordinate, side] : zip(basis, shape))
    if (!isPowerOf2_64(static_cast<uint64_t>(side)) && coordinate >= wholeRun(side))
      return true;
  return false;
}

LinearLayout withRunsLast(const LinearLayout &layout, ArrayRef<int64_t> shape) {
  std::vector<LinearLayout::Point> registers = layout.bases(LinearLayout::kRegister);
  auto isWithin = [&](const LinearLayout::Point &basis) { return !stepsByRuns(basis, shape); };
  std::stable_partition(registers.begin(), registers.end(), isWithin);
  return LinearLayout::tile(registers, layout.bases(LinearLayout::kLane), layout.bases(LinearLayout::kWave),
                            layout.shape());
}

bool isLayoutOf(const LinearLayout &layout, ArrayRef<int64_t> shape) {
  if (layout.shape() != boxOf(shape))
    return false;
  for (StringRef threads : {LinearLayout::kLane, LinearLayout::kWave})
    for (const LinearLayout::Point &basis : layout.bases(threads))
      if (stepsByRuns(basis, shape))
        return false;
  // The last registers step by one run, by two, by four.
  for (auto [dim, side] : enumerate(shape)) {
    if (isPowerOf2_64(static_cast<uint64_t>(side)))
      continue;
    std::vector<LinearLayout::Point> registers = layout.bases(LinearLayout::kRegister);
    for (int64_t step = layout.outputSize(dim) / 2; step >= wholeRun(side); step /= 2) {
      LinearLayout::Point wanted(shape.size(), 0);
      wanted[dim] = step;
      if (registers.empty() || registers.back() != wanted)
        return false;
      registers.pop_back();
    }
    if (any_of(registers, [&](const LinearLayout::Point &basis) { return stepsByRuns(basis, shape); }))
      return false;
  }
  return true;
}

int64_t registersOf(const LinearLayout &layout, ArrayRef<int64_t> shape) {
  int64_t registers = layout.inputSize(LinearLayout::kRegister);
  for (auto [side, box] : zip(shape, boxOf(shape)))
    registers = registers / (box / wholeRun(side)) * (side / wholeRun(side));
  return registers;
}

} // namespace tilec
