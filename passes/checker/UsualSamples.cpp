// Latin squares of sizes, and how much work a launch is.
#include "passes/checker/UsualSamples.h"
#include "passes/analysis/IndexForm.h"
#include "passes/checker/TurningPoints.h"

#include "llvm/Support/MathExtras.h"

#include <random>

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;
using Sample = UsualSamples::Sample;

namespace {

/// Of a launch on all ranks: each takes about a microsecond.
constexpr uint64_t kFewAccesses = 32768;
/// Tiles of a tile loop that goes by elements; shifts of a few elements stay inside of several.
constexpr int64_t kLeastTile = 4, kGreatestTile = 64;

/// The numbers of tasks of a tile loop in each dimension, or of iterations of a loop, where extents alone tell.
SmallVector<AffineExpr> boundsOf(Operation *op, int64_t world) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    AffineExpr upper = IndexForm::of(loop.getUpperBound()).constant;
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    return {step && *step > 1 ? upper.ceilDiv(*step) : upper};
  }
  auto tasks = dyn_cast<tile::ForallOp>(op);
  if (!tasks)
    return {};
  if (tasks.getBounds())
    return overExtents(*tasks.getBounds(), tasks.getExtents(), world).value_or(SmallVector<AffineExpr>());
  SmallVector<AffineExpr> bounds;
  for (auto [size, tile] : llvm::zip(shapeOf(tasks.getBuffer()), *tasks.getTiles()))
    if (auto number = dyn_cast<IntegerAttr>(tile); number && size)
      bounds.push_back(size.ceilDiv(number.getInt()));
  return bounds;
}

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
      for (AffineExpr bound : boundsOf(&op, world))
        if (auto number = dyn_cast<AffineConstantExpr>(bound.replaceSymbols(numbers)))
          inside = llvm::SaturatingMultiply<uint64_t>(inside, std::max<int64_t>(number.getValue(), 1));
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          pending.push_back({&inner, inside});
    }
  }
  return accesses;
}

/// Calls `visit(symbol, divisor)` for the extents of an expression: by what it divides them, 1 where it does not.
void forEachDivisor(AffineExpr expression, int64_t divisor, llvm::function_ref<void(unsigned, int64_t)> visit) {
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return visit(symbol.getPosition(), divisor);
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary)
    return;
  bool divides = binary.getKind() == AffineExprKind::CeilDiv || binary.getKind() == AffineExprKind::FloorDiv;
  auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
  int64_t inside =
      divides && by && by.getValue() > 0 ? llvm::SaturatingMultiply<uint64_t>(divisor, by.getValue()) : divisor;
  forEachDivisor(binary.getLHS(), inside, visit);
  forEachDivisor(binary.getRHS(), divisor, visit);
}

/// [extent]: the least side of a tile that a loop steps over it by.
SmallVector<int64_t> finestTiles(tile::ProgramOp program) {
  SmallVector<int64_t> finest(program.getNumExtents(), kGreatestTile);
  program.walk([&](Operation *op) {
    for (AffineExpr bound : boundsOf(op, program.getWorld().value_or(1)))
      forEachDivisor(bound, 1, [&](unsigned extent, int64_t side) {
        if (extent < finest.size())
          finest[extent] = std::clamp(side, kLeastTile, finest[extent]);
      });
  });
  return finest;
}

} // namespace

UsualSamples::UsualSamples(tile::ProgramOp program) : program(program), values(program.getNumExtents()) {
  isLarge =
      llvm::any_of(combine(), [&](const Sample &sample) { return countAccesses(program, sample) > kFewAccesses; });
  if (!isLarge)
    return;
  for (auto [value, tile] : llvm::zip(values, finestTiles(program)))
    value.each = {3 * tile + std::max<int64_t>(tile / 8, 1), 5 * tile / 8, 2 * tile, 1};
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

SmallVector<Sample> UsualSamples::choose() const {
  SmallVector<Sample> samples = combine();
  addTurningPoints(program, values, samples);
  return samples;
}

Sample UsualSamples::shortest() const {
  return Sample(llvm::map_range(values, [](const UsualValues &value) { return value.shortest(); }));
}
