// Asks of each sum, difference and product whether an int holds it: first its bounds by themselves, then the place
// where it stands with the loops and branches around it. What is not shown so is left to the launcher, as its bounds.
#include "passes/checker/NarrowIndices.h"
#include "dialect/Conditions.h"
#include "dialect/Limits.h"
#include "passes/checker/ExtentQuery.h"
#include "passes/checker/IndexRange.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

static constexpr int64_t kLeast = std::numeric_limits<int32_t>::min(), kGreatest = std::numeric_limits<int32_t>::max();

namespace {

class Narrowness {
public:
  Narrowness(tile::ProgramOp program, ArrayRef<NonzeroExtents> nonzero, ArrayRef<SmallVector<int64_t, 4>> samples)
      : program(program), samples(samples), query(program, nonzero), ranges(program) {}

  NarrowIndices run() {
    query.askWhetherNever();
    noteSizes();
    program.walk([&](Operation *op) {
      if (auto extent = dyn_cast<tile::ExtentOp>(op))
        proveExpression(extent);
      else if (auto loop = dyn_cast<scf::ForOp>(op))
        proveStep(loop);
      else if (auto access = dyn_cast<tile::AccessOpInterface>(op))
        proveAccess(access);
      else if (mayLeave(op))
        prove(op, ranges.of(op->getResult(0)), [&](IndexCase &at) { return at.valueOf(op->getResult(0)); });
    });
    found.least = withoutImplied(least.getArrayRef(), false);
    found.greatest = withoutImplied(greatest.getArrayRef(), true);
    return std::move(found);
  }

private:
  using Claim = llvm::function_ref<Linear(IndexCase &)>;

  /// Operations that make an index of what is none, or of other indices one that may be larger than they are.
  static bool mayLeave(Operation *op) {
    if (op->getNumResults() != 1 || !op->getResult(0).getType().isIndex())
      return false;
    return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp, arith::IndexCastOp, arith::IndexCastUIOp>(
        op);
  }

  void proveExpression(tile::ExtentOp extent) {
    ranges.ofExpression(extent.getSizes().getResult(0), extent.getExtents(), [&](const IndexRanges::Known &range) {
      prove(extent, range, [&](IndexCase &at) { return at.valueOf(extent.getResult()); }, /*isResult=*/false);
    });
  }

  void proveStep(scf::ForOp loop) {
    APInt step;
    if (!loop.getInductionVar().getType().isIndex() ||
        (matchPattern(loop.getStep(), m_ConstantInt(&step)) && step == 1))
      return;
    prove(loop, ranges.behind(loop),
          [&](IndexCase &at) { return at.valueOf(loop.getUpperBound()) + at.valueOf(loop.getStep()) - Linear(1); });
  }

  /// The first element of a tile: its coordinate times its side. Of a coordinate without bounds whoever makes it says
  /// so.
  void proveAccess(tile::AccessOpInterface access) {
    if (access.hasElementOffsets())
      return;
    for (auto [dim, side] : llvm::enumerate(access.getFootprintShape())) {
      if (access.isEach(dim) || side == 1)
        continue;
      Value index = access.getAccessIndices()[dim];
      IndexRanges::Known range = ranges.of(index);
      if (!range)
        continue;
      for (IndexRange::Ends *ends : {&range->low, &range->high})
        for (AffineExpr &end : *ends)
          end = end * side;
      prove(access, range, [&, side = side](IndexCase &at) { return at.valueOf(index) * side; });
    }
  }

  /// `isResult`: the claim is about the number that the range is of, not about what is made of it.
  void prove(Operation *op, const IndexRanges::Known &range, Claim value, bool isResult = true) {
    if (range && llvm::all_of(range->low, [&](AffineExpr end) { return holds(op, end, false); }) &&
        llvm::all_of(range->high, [&](AffineExpr end) { return holds(op, end, true); }))
      return;
    auto leaves = [&](IndexCase &at) {
      const Linear number = value(at);
      return Breaches{beyond(number), below(number)};
    };
    if (isResult && isProven(op, true, leaves))
      return;
    if (!range || !meetSamples(*range)) {
      found.unknown.push_back(op);
      return;
    }
    for (AffineExpr end : range->low)
      if (!holds(op, end, false))
        least.insert(simplified(end));
    for (AffineExpr end : range->high)
      if (!holds(op, end, true))
        greatest.insert(simplified(end));
  }

  AffineExpr simplified(AffineExpr end) { return simplifyAffineExpr(end, 0, 1 + program.getNumExtents()); }

  /// Those that do not follow from another one.
  SmallVector<AffineExpr> withoutImplied(ArrayRef<AffineExpr> ends, bool isHigh) {
    SmallVector<AffineExpr> kept;
    auto implies = [&](AffineExpr other, AffineExpr end) {
      return isNonNegative(simplified(isHigh ? other - end : end - other));
    };
    for (AffineExpr end : ends) {
      if (llvm::any_of(kept, [&](AffineExpr other) { return implies(other, end); }))
        continue;
      llvm::erase_if(kept, [&](AffineExpr other) { return implies(end, other); });
      kept.push_back(end);
    }
    return kept;
  }

  bool meetSamples(const IndexRange &range) {
    const int64_t world = program.getWorld().value_or(1);
    return llvm::all_of(samples, [&](const SmallVector<int64_t, 4> &sample) {
      auto fits = [&](AffineExpr end, bool isHigh) {
        std::optional<int64_t> value = tile::valueOf(end, world, sample);
        return value && (isHigh ? *value <= kGreatest : *value >= kLeast);
      };
      return llvm::all_of(range.low, [&](AffineExpr end) { return fits(end, false); }) &&
             llvm::all_of(range.high, [&](AffineExpr end) { return fits(end, true); });
    });
  }

  /// Whether an int holds the end of a range in all launches. Where no task computes it, it may lie on the other side.
  bool holds(Operation *op, AffineExpr end, bool isHigh) {
    if (auto values = valuesOf(end); values && (isHigh ? values->second <= kGreatest : values->first >= kLeast))
      return true;
    auto [known, isNew] = held[isHigh].try_emplace(end, false);
    if (isNew && !isa<AffineConstantExpr>(end))
      known->second = isProven(op, false, [&](IndexCase &at) {
        const Linear value = valueIn(at, end);
        return Breaches{isHigh ? beyond(value) : below(value)};
      });
    return held[isHigh].lookup(end);
  }

  static Breach beyond(const Linear &value) { return {value - Linear(kGreatest) - Linear(1)}; }
  static Breach below(const Linear &value) { return {Linear(kLeast) - Linear(1) - value}; }

  bool isProven(Operation *op, bool inContext, ExtentQuery::Claim breaches) {
    auto leaves = [&](IndexCase &at) {
      assumeLaunched(at);
      return breaches(at);
    };
    for (auto products : {IndexCase::Products::ByCase, IndexCase::Products::Formal})
      if (query.ask(op, leaves, inContext, products) == ExtentQuery::Answer::Never)
        return true;
    return false;
  }

  Linear valueIn(IndexCase &at, AffineExpr expression) {
    auto map = AffineMap::get(0, 1 + program.getNumExtents(), expression, program.getContext());
    return at.expressions(map, program.getExtents()).front();
  }

  /// What the launcher asks of sizes of arguments and numbers of tasks: an int holds them, and what they are made of.
  void noteSizes() {
    auto note = [&](AffineMap map, ValueRange operands) {
      for (AffineExpr size : map.getResults())
        (void)ranges.ofExpression(size, operands, [&](const IndexRanges::Known &part) {
          if (part && part->low == part->high && part->high.size() == 1 && !isa<AffineConstantExpr>(part->high.front()))
            sizes.insert(part->high.front());
        });
    };
    for (Attribute shape : program.getShapes())
      note(cast<AffineMapAttr>(shape).getValue(), program.getExtents());
    program.walk([&](tile::RoleOp role) {
      SmallVector<tile::ForallOp> loops(role.getBody().getOps<tile::ForallOp>());
      // Of a role with a loop over a view, whose size is computed, the launcher knows no number of tasks.
      if (!llvm::all_of(loops, [](tile::ForallOp tasks) { return tasks.getBounds().has_value(); }))
        return;
      for (tile::ForallOp tasks : loops)
        note(*tasks.getBounds(), tasks.getExtents());
    });
  }

  void assumeLaunched(IndexCase &at) {
    for (BlockArgument extent : program.getExtents())
      at.assumeNonNegative(Linear(tile::kLargestExtent) - at.valueOf(extent));
    for (AffineExpr size : sizes)
      at.assumeNonNegative(Linear(kGreatest) - valueIn(at, size));
  }

  tile::ProgramOp program;
  ArrayRef<SmallVector<int64_t, 4>> samples;
  ExtentQuery query;
  IndexRanges ranges;
  llvm::SmallSetVector<AffineExpr, 8> sizes, least, greatest;
  llvm::DenseMap<AffineExpr, bool> held[2]; ///< as low ends, and as high ones
  NarrowIndices found;
};

} // namespace

NarrowIndices tilec::checker::findNarrowIndices(tile::ProgramOp program, ArrayRef<NonzeroExtents> nonzero,
                                                ArrayRef<SmallVector<int64_t, 4>> samples) {
  return Narrowness(program, nonzero, samples).run();
}
