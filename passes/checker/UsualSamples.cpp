// Latin squares of sizes, and how much work a launch is.
#include "passes/checker/UsualSamples.h"
#include "passes/analysis/IndexForm.h"
#include "passes/checker/ConstantReach.h"
#include "passes/checker/TileSides.h"
#include "passes/checker/TouchedElements.h"
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
/// Multiples of a step of which one is none of the others.
constexpr int64_t kLengthsTried = 16;
/// Of one that turning points ask for.
constexpr uint64_t kMostAccesses = 16 * kFewAccesses;
/// Of one that every other launch with as great an extent has too: half a second of processor, or less. Twice as many
/// where launches beyond the samples are refused.
constexpr uint64_t kMostOfAll = 4 * kMostAccesses, kMostOfLimited = 2 * kMostOfAll;
/// Constants that the part of a tile in the usual samples has room for.
constexpr int64_t kNear = 8;
/// Of the sides that samples are made for. The least is what a loop over elements counts as.
constexpr int64_t kLeastTile = 4, kGreatestTile = 64;

/// Three tiles and a part of one.
int64_t severalOf(int64_t side) { return 3 * side + std::max<int64_t>(side / 8, 1); }

/// How often a loop that ends at a number of its task, or of a loop around it, runs at most; null where that is not
/// known.
AffineExpr mostIterations(scf::ForOp loop, int64_t world) {
  IndexForm end = IndexForm::above(loop.getUpperBound());
  AffineExpr most = end.constant;
  for (auto [variable, factor] : end.terms) {
    auto index = dyn_cast<BlockArgument>(variable);
    SmallVector<AffineExpr> bounds =
        index ? loopBounds(index.getOwner()->getParentOp(), world) : SmallVector<AffineExpr>();
    if (!index || index.getArgNumber() >= bounds.size() || !tilec::isNonNegative(factor))
      return {};
    most = most + factor * (bounds[index.getArgNumber()] - 1);
  }
  return most;
}

/// Loops that read this rank's copies of arguments that nobody writes, and do nothing else that a trace records
/// (IdleLoops.h), as those over the depth of a product: they cost nothing, however long they are.
llvm::DenseSet<Operation *> idleLoops(tile::ProgramOp program) {
  llvm::DenseSet<Value> written;
  program.walk([&](tile::AccessOpInterface access) {
    if (access.writesBuffer())
      written.insert(rootOf(access.getAccessedBuffer()));
  });
  auto isSilent = [&](Operation *op) {
    auto access = dyn_cast<tile::AccessOpInterface>(op);
    return access ? isa<BlockArgument>(rootOf(access.getAccessedBuffer())) && !access.getAccessRank() &&
                        !written.contains(rootOf(access.getAccessedBuffer()))
                  : !isa<tile::WaitOp, tile::SignalOp, tile::TakeCountedOp>(op);
  };
  llvm::DenseSet<Operation *> idle;
  program.walk([&](scf::ForOp loop) {
    bool does = loop.walk([&](Operation *op) { return isSilent(op) ? WalkResult::advance() : WalkResult::interrupt(); })
                    .wasInterrupted();
    if (!does)
      idle.insert(loop);
  });
  return idle;
}

/// How many accesses a launch has at most on all ranks. Loops whose bounds are not known count once, as do those of
/// `once`.
uint64_t countAccesses(tile::ProgramOp program, ArrayRef<int64_t> extents,
                       const llvm::DenseSet<Operation *> &once = {}) {
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
      SmallVector<AffineExpr> bounds = once.contains(&op) ? SmallVector<AffineExpr>() : loopBounds(&op, world);
      if (auto loop = dyn_cast<scf::ForOp>(op); loop && bounds.empty() && !once.contains(&op))
        if (AffineExpr most = mostIterations(loop, world))
          bounds.push_back(most);
      for (AffineExpr bound : bounds)
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
    : program(program), values(program.getNumExtents()), idle(idleLoops(program)), isByHand(isByHand) {
  isLarge = llvm::any_of(combine(), [&](const Sample &sample) { return !isSmall(sample); });
  if (!isLarge)
    return;
  for (auto [value, sides] : llvm::zip(values, tileSides(program))) {
    int64_t small = std::clamp(sides.finest, kLeastTile, kGreatestTile),
            great = std::clamp(sides.greatest, kLeastTile, kGreatestTile);
    value.multiple = sides.multiple;
    value.each = {value.extentOf(severalOf(small)), value.extentOf(5 * small / 8), value.extentOf(2 * small), 1};
    value.undivided = severalOf(great);
    if (!isByHand)
      value.greatest = value.extentOf(value.undivided);
  }
  // Several of the greatest tiles along an extent that numbers tasks of many ranks may be more than all other samples.
  const SmallVector<Sample> combined = combine();
  for (auto [value, sample] : llvm::zip_first(values, combined))
    if (!isByHand && value.multiple == 1 && countAccesses(program, sample, idle) > kMostAccesses)
      value.greatest = std::min(value.greatest, value.each.front());
}

uint64_t UsualSamples::mostAccesses(bool isLimited) { return isLimited ? kMostOfLimited : kMostOfAll; }

bool UsualSamples::isAffordable(ArrayRef<int64_t> extents, bool isLimited) const {
  return countAccesses(program, extents, idle) <= mostAccesses(isLimited);
}

/// Where usual samples are too large because an extent is but a factor of what loops go over: each extent as great as
/// it may be while the others are 1.
void UsualSamples::addAlone(SmallVectorImpl<Sample> &samples) const {
  auto isKept = [&](const Sample &sample) { return isAffordable(sample, /*isLimited=*/false); };
  if (llvm::all_of(samples, isKept))
    return;
  for (auto [i, value] : llvm::enumerate(values)) {
    SmallVector<int64_t> lengths(value.each.begin(), value.each.end());
    for (int64_t length = value.greatest; length > 1; length /= 2)
      lengths.push_back(length);
    llvm::sort(lengths, std::greater<>());
    Sample alone(values.size(), 1);
    auto *length = llvm::find_if(lengths, [&, i = i](int64_t most) {
      alone[i] = most;
      return most == 1 || isKept(alone);
    });
    if (*length > 1 && !llvm::is_contained(samples, alone))
      samples.push_back(alone);
  }
  if (llvm::none_of(samples, isKept))
    samples.push_back(Sample(values.size(), 1));
}

/// Extents that are divided are as great as others in a sample each, or half of that and so on, as accesses allow.
void UsualSamples::addUndivided(uint64_t mostAccesses, SmallVectorImpl<Sample> &samples) const {
  for (auto [i, value] : llvm::enumerate(values)) {
    Sample alone = shortest();
    for (int64_t length = value.undivided; value.multiple > 1 && length > value.greatest; length /= 2) {
      alone[i] = length;
      if (countAccesses(program, alone, idle) > mostAccesses)
        continue;
      samples.push_back(alone);
      break;
    }
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

/// Where one extent is read along another, what is read beyond the other's end depends on where both end: at a tile,
/// in a tile, before or behind each other. So each two such extents take each two values together.
void UsualSamples::addPairs(ArrayRef<ConstantReach> reaches, SmallVectorImpl<Sample> &samples) const {
  for (unsigned i = 0; i < values.size(); ++i)
    for (unsigned j = i + 1; j < values.size(); ++j)
      for (unsigned pair = 0; reaches[i].group == reaches[j].group && pair < 16; ++pair) {
        const int64_t left = values[i].each[pair / 4], right = values[j].each[pair % 4];
        if (llvm::any_of(samples, [&](const Sample &sample) { return sample[i] == left && sample[j] == right; }))
          continue;
        Sample &sample = samples.emplace_back(shortest());
        sample[i] = left;
        sample[j] = right;
      }
}

/// Lengths that end with a tile of one loop and in the middle of those of others: what is a little longer than the
/// extent is then seen by some of them alone. Without constants nothing is.
bool UsualSamples::addWholeSteps(unsigned extent, const ConstantReach &reach, SmallVectorImpl<Sample> &samples) const {
  bool isComplete = true;
  const int64_t multiple = values[extent].multiple;
  for (int64_t step : reach.distance > 0 ? reach.steps : std::set<int64_t>()) {
    auto endsThere = [&](int64_t length) {
      return length >= 2 * step && length % step == 0 &&
             llvm::all_of(reach.steps, [&](int64_t other) { return step % other == 0 || length % other != 0; });
    };
    if (llvm::any_of(samples, [&](const Sample &sample) { return endsThere(multiple * sample[extent]); }))
      continue;
    int64_t length = 3 * step;
    auto isOne = [&] { return length % multiple == 0 && endsThere(length); };
    while (!isOne() && length < kLengthsTried * step)
      length += step;
    Sample alone = shortest();
    alone[extent] = length / multiple;
    if (!isOne())
      continue; // a multiple of what another loop steps by, whose lengths show it
    if (countAccesses(program, alone, idle) > kManyAccesses)
      isComplete = false;
    else
      samples.push_back(alone);
  }
  return isComplete;
}

/// Constants along one extent move, cut off and leave out tasks of one loop after the other, so what happens behind all
/// of them is seen where an extent is longer than their sum, whether the others are or not. With whole tiles
/// and with a part of one.
const ConstantReach *UsualSamples::addBehindConstants(ArrayRef<ConstantReach> reaches,
                                                      SmallVectorImpl<Sample> &samples) const {
  Sample usual, wholeTiles;
  for (auto [i, reach] : llvm::enumerate(reaches)) {
    int64_t longest = values[i].greatest;
    for (const Sample &sample : samples)
      longest = std::max(longest, sample[i]);
    const bool isSeen = reach.distance <= kNear || values[i].extentOf(reach.length()) <= longest;
    usual.push_back(isSeen ? values[i].greatest : values[i].extentOf(reach.length() | 1));
    wholeTiles.push_back(isSeen ? 0 : values[i].extentOf(llvm::alignTo(reach.length(), reach.wholeTiles)));
  }
  const ConstantReach *missed = nullptr;
  for (auto [i, length] : llvm::enumerate(wholeTiles)) {
    if (length == 0)
      continue;
    Sample alone = shortest(), together = usual;
    alone[i] = length;
    if (countAccesses(program, together, idle) > kFewAccesses)
      (together = shortest())[i] = usual[i];
    if (!missed && countAccesses(program, together, idle) > kManyAccesses)
      missed = &reaches[i];
    for (const Sample &sample : {alone, together})
      if (!missed && !llvm::is_contained(samples, sample))
        samples.push_back(sample);
  }
  for (auto [i, reach] : llvm::enumerate(reaches))
    if (!addWholeSteps(i, reach, samples) && !missed)
      missed = &reach;
  return missed;
}

SmallVector<Sample> UsualSamples::choose(std::optional<Unseen> &unseen) const {
  SmallVector<Sample> samples = combine();
  if (!isByHand)
    addAlone(samples);
  const size_t numUsual = samples.size();
  SmallVector<Operation *> causes;
  unseen = addTurningPoints(program, values, samples, causes);
  auto isTooLarge = [&](const Sample &sample) { return countAccesses(program, sample, idle) > kMostAccesses; };
  for (auto [sample, cause] : llvm::zip_equal(llvm::drop_begin(samples, numUsual), causes))
    if (!unseen && isTooLarge(sample))
      unseen =
          Unseen{"a launch that shows every result of this condition or quotient has more than 131072 accesses", cause};
  samples.erase(std::remove_if(samples.begin() + numUsual, samples.end(), isTooLarge), samples.end());
  if (isByHand) {
    addGreatest(samples);
    return samples;
  }
  SmallVector<ConstantReach> reaches = constantReach(program);
  if (const ConstantReach *missed = addBehindConstants(reaches, samples); missed && !unseen)
    unseen = Unseen{"a launch three tiles longer than the constants of its indices reach has more than 32768 accesses",
                    missed->cause};
  addPairs(reaches, samples);
  addUndivided(unseen ? kMostOfLimited : kMostAccesses, samples);
  return samples;
}

bool UsualSamples::isSmall(ArrayRef<int64_t> extents) const { return countAccesses(program, extents) <= kFewAccesses; }

Sample UsualSamples::shortest() const {
  Sample sample(llvm::map_range(values, [](const UsualValues &value) { return value.shortest(); }));
  return countAccesses(program, sample, idle) <= kMostAccesses ? sample : Sample(values.size(), 1);
}

tile::ForallOp tilec::checker::sampledOrder(tile::ProgramOp program) {
  tile::ForallOp found;
  program->walk([&](tile::ForallOp forall) {
    auto isWritten = [](Attribute step) { return isa<tile::MappedAttr>(step); };
    auto isKnown = [](AffineExpr size) { return isa<AffineConstantExpr>(size); };
    ArrayAttr order = forall.getOrderAttr();
    if (!order || !llvm::any_of(order, isWritten) || llvm::all_of(forall.getBounds()->getResults(), isKnown))
      return WalkResult::advance();
    found = forall;
    return WalkResult::interrupt();
  });
  return found;
}
