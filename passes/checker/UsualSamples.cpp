// Latin squares of sizes, and how much work a launch is.
#include "passes/checker/UsualSamples.h"
#include "passes/checker/TileSides.h"
#include "passes/checker/TurningPoints.h"

#include "llvm/Support/MathExtras.h"

#include <random>

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;
using Sample = UsualSamples::Sample;

namespace {

/// Of a launch on all ranks. In each of some samples, each of some launches takes about two microseconds for one.
constexpr uint64_t kFewAccesses = 8192;
/// Of the sides that samples are made for. The least is what a loop over elements counts as.
constexpr int64_t kLeastTile = 4, kGreatestTile = 64;

/// Three tiles and a part of one.
int64_t severalOf(int64_t side) { return 3 * side + std::max<int64_t>(side / 8, 1); }

/// How many accesses a launch has on all ranks. Loops whose bounds are no functions of the extents count once.
uint64_t countAccesses(tile::ProgramOp program, ArrayRef<int64_t> extents) {
  const int64_t world = program.getWorld().value_or(1);
  SmallVector<AffineExpr> numbers;
  for (int64_t extent : extents)
    numbers.push_back(getAffineConstantExpr(extent, program.getContext()));
  uint64_t accesses = 0;
  SmallVector<std::pair<Block *, uint64_t>> pending{{&program.getBody().front(), world}};
  while (!pending.empty()) {
    auto [block, times] = pending.pop_back_val();
    for (Operation &op : *block) {
      if (isa<tile::AccessOpInterface>(op))
        accesses = llvm::SaturatingAdd<uint64_t>(accesses, times);
      if (op.getNumRegions() == 0)
        continue;
      uint64_t inside = times;
      for (AffineExpr bound : loopBounds(&op, world))
        if (auto number = dyn_cast<AffineConstantExpr>(bound.replaceSymbols(numbers)))
          inside = llvm::SaturatingMultiply<uint64_t>(inside, std::max<int64_t>(number.getValue(), 1));
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          pending.push_back({&inner, inside});
    }
  }
  return accesses;
}

} // namespace

UsualSamples::UsualSamples(tile::ProgramOp program, bool isByHand)
    : program(program), values(program.getNumExtents()), isByHand(isByHand) {
  isLarge = llvm::any_of(combine(), [&](const Sample &sample) { return !isSmall(sample); });
  if (!isLarge)
    return;
  for (auto [value, sides] : llvm::zip(values, tileSides(program))) {
    int64_t small = std::clamp(sides.finest, kLeastTile, kGreatestTile),
            great = std::clamp(sides.greatest, kLeastTile, kGreatestTile);
    value.each = {severalOf(small), 5 * small / 8, 2 * small, 1};
    if (!isByHand)
      value.greatest = severalOf(great);
  }
}

/// A Latin square lets each extent take each value; two seeded combinations break its symmetry.
SmallVector<Sample> UsualSamples::combine() const {
  SmallVector<Sample> samples;
  const unsigned count = values.size();
  for (unsigned row = 0; row < (isLarge ? std::max(count, 4u) : 4); ++row) {
    Sample &sample = samples.emplace_back();
    for (auto [i, value] : llvm::enumerate(values))
      sample.push_back(isLarge && i == row ? value.greatest : value.each[(row + i) % 4]);
  }
  std::mt19937 random(count);
  for (unsigned row = 0; row < 2 && count > 1; ++row) {
    Sample &sample = samples.emplace_back();
    for (const UsualValues &value : values)
      sample.push_back(value.each[random() % 4]);
  }
  return samples;
}

/// All extents as great as each is in some sample: launches up to there are accepted.
static void addGreatest(SmallVectorImpl<Sample> &samples) {
  Sample greatest = samples.front();
  for (const Sample &sample : samples)
    for (auto [most, value] : llvm::zip(greatest, sample))
      most = std::max(most, value);
  if (!llvm::is_contained(samples, greatest))
    samples.push_back(greatest);
}

SmallVector<Sample> UsualSamples::choose(bool &isComplete) const {
  SmallVector<Sample> samples = combine();
  isComplete = addTurningPoints(program, values, samples);
  if (isByHand)
    addGreatest(samples);
  return samples;
}

bool UsualSamples::isSmall(ArrayRef<int64_t> extents) const { return countAccesses(program, extents) <= kFewAccesses; }

Sample UsualSamples::shortest() const {
  return Sample(llvm::map_range(values, [](const UsualValues &value) { return value.shortest(); }));
}
