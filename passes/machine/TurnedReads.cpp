// Which layouts turned reads make, and the swizzles of what direct copies fill.
// Belongs here: what TurnedReads.h declares. Does not: costs of accesses (BankConflicts).
#include "passes/machine/TurnedReads.h"

#include "llvm/ADT/STLExtras.h"
#include <tuple>

using namespace llvm;

namespace tilec {

/// Elements of a row that one lane names, of two bytes each.
static constexpr int64_t kTogether = 4;

bool turnsReads(const SharedMemory &memory, int64_t elementBytes) {
  return memory.copiesDirectly() && elementBytes == memory.turnedElementBytes;
}

std::optional<LinearLayout> turnedReads(const LinearLayout &layout) {
  using Point = LinearLayout::Point;
  std::vector<Point> registers = layout.bases(LinearLayout::kRegister), lanes = layout.bases(LinearLayout::kLane),
                     waves = layout.bases(LinearLayout::kWave);
  if (layout.numOutputs() != 2 || registers.size() < 2 || lanes.size() < 4)
    return std::nullopt;
  auto isApart = [&](const Point &basis) { return basis[1] % kTogether == 0; };
  if (lanes[0] != Point{0, 1} || lanes[1] != Point{0, 2} || !all_of(registers, isApart) || !all_of(waves, isApart) ||
      !all_of(ArrayRef(lanes).drop_front(2), isApart))
    return std::nullopt;
  // Neighbours become elements of a lane, and the first two bits of registers bits of lanes.
  std::vector<Point> named(lanes);
  std::copy(lanes.begin() + 2, lanes.begin() + 4, named.begin());
  std::copy(registers.begin(), registers.begin() + 2, named.begin() + 2);
  std::copy(lanes.begin(), lanes.begin() + 2, registers.begin());
  return LinearLayout::tile(registers, named, waves, layout.shape());
}

SharedChoice chooseDirectSwizzle(ArrayRef<int64_t> shape, int64_t elementBytes, ArrayRef<LinearLayout> readers,
                                 const SharedMemory &memory) {
  auto evaluate = [&](const Swizzle &swizzle) {
    SharedChoice choice{swizzle, {}, {}};
    for (const LinearLayout &layout : readers) {
      SharedCost cost = sharedCost(layout, swizzle, elementBytes, memory, /*write=*/false);
      choice.reads.accesses += cost.accesses;
      choice.reads.cycles += cost.cycles;
      choice.reads.conflicts += cost.conflicts;
    }
    return choice;
  };
  auto rank = [](const SharedChoice &choice) {
    return std::tuple(choice.reads.cycles, choice.reads.accesses, choice.swizzle.phases);
  };
  SharedChoice best = evaluate({1, 1, 1});
  int64_t columns = shape.back(), rows = 1;
  for (int64_t size : shape.drop_back())
    rows *= size;
  for (int64_t vector = std::max<int64_t>(1, kDirectBytes / elementBytes); vector < columns; vector *= 2)
    for (int64_t phases = 2; vector * phases <= columns; phases *= 2)
      for (int64_t perPhase = 1; perPhase < rows; perPhase *= 2)
        if (SharedChoice choice = evaluate({vector, perPhase, phases}); rank(choice) < rank(best))
          best = choice;
  return best;
}

} // namespace tilec
