// Latin squares of sizes, and how much work a launch is.
#include "passes/checker/UsualSamples.h"
#include "passes/checker/ConstantReach.h"
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
/// Of one that is as long as the constants of the program ask for, which few programs need.
constexpr uint64_t kManyAccesses = 4 * kFewAccesses;
/// Constants that the part of a tile in the usual samples has room for.
constexpr int64_t kNear = 8;
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

/// Constants along one extent move, cut off and leave out tasks of one loop after the other, so what happens behind all
/// of them is seen where an extent is longer than their sum, whether the others are or not. With whole tiles
/// and with a part of one.
bool UsualSamples::addBehindConstants(SmallVectorImpl<Sample> &samples) const {
  SmallVector<ConstantReach> reaches = constantReach(program);
  Sample usual, wholeTiles;
  for (auto [i, reach] : llvm::enumerate(reaches)) {
    int64_t longest = values[i].greatest;
    for (const Sample &sample : samples)
      longest = std::max(longest, sample[i]);
    const bool isSeen = reach.distance <= kNear || reach.length() <= longest;
    usual.push_back(isSeen ? values[i].greatest : reach.length() | 1);
    wholeTiles.push_back(isSeen ? 0 : llvm::alignTo(reach.length(), reach.wholeTiles));
  }
  bool isComplete = true;
  for (auto [i, length] : llvm::enumerate(wholeTiles)) {
    if (length == 0)
      continue;
    Sample alone = shortest(), together = usual;
    alone[i] = length;
    if (countAccesses(program, together) > kManyAccesses)
      (together = shortest())[i] = usual[i];
    isComplete &= countAccesses(program, together) <= kManyAccesses;
    for (const Sample &sample : {alone, together})
      if (isComplete && !llvm::is_contained(samples, sample))
        samples.push_back(sample);
  }
  return isComplete;
}

SmallVector<Sample> UsualSamples::choose(bool &isComplete) const {
  SmallVector<Sample> samples = combine();
  isComplete = addTurningPoints(program, values, samples);
  if (isByHand)
    addGreatest(samples);
  else
    isComplete &= addBehindConstants(samples);
  return samples;
}

bool UsualSamples::isSmall(ArrayRef<int64_t> extents) const { return countAccesses(program, extents) <= kFewAccesses; }

Sample UsualSamples::shortest() const {
  return Sample(llvm::map_range(values, [](const UsualValues &value) { return value.shortest(); }));
}
