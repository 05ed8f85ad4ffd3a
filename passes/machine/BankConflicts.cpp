// Counts bank cycles of LDS accesses and searches the swizzles of a tile.
// Belongs here: what BankConflicts.h declares. Does not: the numbers of a machine (codegen/targets).
#include "passes/machine/BankConflicts.h"
#include "dialect/Limits.h"

#include "passes/machine/TileBox.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <numeric>
#include <tuple>

using namespace llvm;

namespace tilec {

static int64_t rowsOf(ArrayRef<int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end() - 1, int64_t(1), std::multiplies<int64_t>());
}

std::string checkSwizzle(const Swizzle &swizzle, ArrayRef<int64_t> shape) {
  for (int64_t number : {swizzle.vector, swizzle.perPhase, swizzle.phases, swizzle.fold ? swizzle.fold : 1})
    if (number <= 0 || !isPowerOf2_64(number))
      return (Twine("swizzle numbers must be powers of two, got ") + Twine(number)).str();
  if (shape.empty())
    return "a tile in lds must have a dimension";
  if (swizzle.vector > shape.back() / swizzle.phases)
    return (Twine("swizzle spans ") + Twine(swizzle.vector * swizzle.phases) + " columns, expected at most " +
            Twine(shape.back()))
        .str();
  return "";
}

LinearLayout sharedOffsets(ArrayRef<int64_t> shape, const Swizzle &swizzle) {
  assert(checkSwizzle(swizzle, shape).empty() && "malformed swizzle");
  int64_t columns = shape.back(), elements = rowsOf(shape) * columns;
  std::vector<LinearLayout::Input> inputs;
  int64_t rowStep = rowsOf(shape);
  for (auto [dim, size] : enumerate(shape)) {
    LinearLayout::Input input{"dim" + std::to_string(dim), {}};
    bool last = dim + 1 == shape.size();
    rowStep = last ? rowStep : rowStep / size;
    for (int64_t bit = 1; bit < size; bit *= 2) {
      int64_t row = bit * rowStep, folded = swizzle.fold ? row ^ row / swizzle.fold : row;
      input.bases.push_back(
          {last ? bit : row * columns ^ (folded / swizzle.perPhase % swizzle.phases) * swizzle.vector});
    }
    inputs.push_back(std::move(input));
  }
  return LinearLayout::get(inputs, {{LinearLayout::kOffset.str(), elements}});
}

SharedAccessRule SharedMemory::rule(int64_t accessBytes, bool write) const {
  for (const SharedAccessRule &rule : write ? writes : reads)
    if (rule.bytes == accessBytes)
      return rule;
  SharedAccessRule rule{accessBytes, banks, {}};
  unsigned together = std::clamp<int64_t>(banks * bankBytes / std::max(accessBytes, bankBytes), 1, lanes);
  for (unsigned first = 0; first < lanes; first += together) {
    rule.phases.emplace_back(together);
    std::iota(rule.phases.back().begin(), rule.phases.back().end(), first);
  }
  return rule;
}

/// Elements of one access, given the offsets of (register, lane, wave): as many steps of 1, 2, 4, ... as some register
/// bit makes alone, with no other bit of the place touching them.
static int64_t vectorElements(const LinearLayout &offsets, int64_t limit) {
  SmallVector<int64_t> registers, all;
  for (unsigned input = 0; input < offsets.numInputs(); ++input)
    for (const LinearLayout::Point &basis : offsets.bases(offsets.inputName(input))) {
      all.push_back(basis[0]);
      if (offsets.inputName(input) == LinearLayout::kRegister)
        registers.push_back(basis[0]);
    }
  int64_t step = 1;
  while (step < limit && is_contained(registers, step) &&
         count_if(all, [&](int64_t basis) { return basis & step; }) == 1)
    step *= 2;
  return step;
}

int64_t sharedAccessBytes(const LinearLayout &layout, const Swizzle &swizzle, int64_t elementBytes) {
  LinearLayout offsets = layout.compose(sharedOffsets(layout.shape(), swizzle));
  return vectorElements(offsets, std::max<int64_t>(1, tile::kAccessBytes / elementBytes)) * elementBytes;
}

/// Cycles of one phase: the most words any bank must deliver. `addresses` are the first bytes of the lanes.
static int64_t phaseCycles(ArrayRef<int64_t> addresses, const SharedAccessRule &rule, int64_t bankBytes) {
  DenseSet<int64_t> words;
  SmallVector<int64_t, 64> load(rule.banks, 0);
  for (int64_t address : addresses)
    for (int64_t word = address / bankBytes; word * bankBytes < address + rule.bytes; ++word)
      if (words.insert(word).second)
        ++load[word % rule.banks];
  return *max_element(load);
}

SharedCost sharedCost(const LinearLayout &layout, const Swizzle &swizzle, int64_t elementBytes,
                      const SharedMemory &memory, bool write) {
  LinearLayout offsets = layout.compose(sharedOffsets(layout.shape(), swizzle));
  int64_t bytes = vectorElements(offsets, std::max<int64_t>(1, tile::kAccessBytes / elementBytes)) * elementBytes;
  SharedAccessRule rule = memory.rule(bytes, write);
  uint64_t copies = write ? layout.replicationMask(LinearLayout::kLane) : 0;
  SharedCost cost;
  for (ArrayRef<unsigned> phase : rule.phases) {
    SmallVector<int64_t, 64> addresses;
    for (unsigned lane : phase)
      if (lane < layout.inputSize(LinearLayout::kLane) && (lane & copies) == 0)
        addresses.push_back(offsets.at(0, lane)[0] * elementBytes);
    int64_t cycles = addresses.empty() ? 0 : phaseCycles(addresses, rule, memory.bankBytes);
    cost.cycles += cycles;
    cost.conflicts += std::max<int64_t>(0, cycles - 1);
  }
  int64_t registers = layout.inputSize(LinearLayout::kRegister) * elementBytes / bytes;
  int64_t waves = layout.inputSize(LinearLayout::kWave);
  if (write) {
    registers >>= popcount(layout.replicationMask(LinearLayout::kRegister));
    waves >>= popcount(layout.replicationMask(LinearLayout::kWave));
  }
  cost.accesses = registers * waves;
  cost.cycles *= cost.accesses;
  cost.conflicts *= cost.accesses;
  return cost;
}

SharedChoice chooseSwizzle(ArrayRef<int64_t> tile, int64_t elementBytes, ArrayRef<LinearLayout> writers,
                           ArrayRef<LinearLayout> readers, const SharedMemory &memory) {
  SmallVector<int64_t, 4> shape = boxOf(tile);
  auto evaluate = [&](const Swizzle &swizzle) {
    SharedChoice choice{swizzle, {}, {}};
    auto add = [&](SharedCost &sum, const LinearLayout &layout, bool write) {
      SharedCost cost = sharedCost(layout, swizzle, elementBytes, memory, write);
      sum.accesses += cost.accesses;
      sum.cycles += cost.cycles;
      sum.conflicts += cost.conflicts;
    };
    for (const LinearLayout &layout : readers)
      add(choice.reads, layout, /*write=*/false);
    for (const LinearLayout &layout : writers)
      add(choice.writes, layout, /*write=*/true);
    return choice;
  };
  // Phase tables are measured by few and for few machines. Between equals, prefer what would also be good if the lanes
  // of a phase were consecutive.
  SharedMemory consecutive = memory;
  consecutive.reads.clear();
  consecutive.writes.clear();
  auto rank = [&](const SharedChoice &choice) {
    int64_t otherwise = 0;
    for (const LinearLayout &layout : readers)
      otherwise += sharedCost(layout, choice.swizzle, elementBytes, consecutive, /*write=*/false).cycles;
    return std::tuple(choice.reads.cycles, choice.writes.cycles, choice.reads.accesses + choice.writes.accesses,
                      otherwise, choice.swizzle.phases, -choice.swizzle.vector, choice.swizzle.perPhase);
  };
  SharedChoice best = evaluate({1, 1, 1});
  int64_t rows = rowsOf(shape), columns = shape.back();
  int64_t widest = std::max<int64_t>(1, tile::kAccessBytes / elementBytes);
  for (int64_t vector = 1; vector <= widest; vector *= 2)
    for (int64_t phases = 2; vector * phases <= columns; phases *= 2)
      for (int64_t perPhase = 1; perPhase < rows; perPhase *= 2) {
        SharedChoice choice = evaluate({vector, perPhase, phases});
        if (rank(choice) < rank(best))
          best = choice;
      }
  // Writers and readers of a transpose step through its rows in different ways, neighbours and rows far apart: folded
  // where that is worth an access or a cycle.
  auto worth = [](const SharedChoice &choice) {
    return std::tuple(choice.reads.cycles, choice.writes.cycles, choice.reads.accesses + choice.writes.accesses);
  };
  for (int64_t vector = 1; vector <= widest; vector *= 2)
    for (int64_t phases = 2; vector * phases <= columns; phases *= 2)
      for (int64_t fold = 2; fold < rows; fold *= 2) {
        SharedChoice choice = evaluate({vector, 1, phases, fold});
        if (worth(choice) < worth(best))
          best = choice;
      }
  return best;
}

} // namespace tilec
