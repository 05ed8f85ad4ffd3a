// Tries which indices of the one are those of the other.
#include "passes/waits/WritesOver.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace {

/// An index that goes from 0 up to a bound.
struct Index {
  Value value;
  AffineExpr bound;
};

class TaskMatch {
public:
  TaskMatch(const Footprint &first, const Footprint &second) : first(first), second(second) {}

  /// Whether there is an index of `from`, another one for each of `into`, that goes as far, such that both touch the
  /// same.
  bool find(ArrayRef<Index> from, ArrayRef<Index> into) {
    if (into.empty())
      return touchesSame();
    for (const Index &index : from) {
      bool isTaken = llvm::any_of(same, [&](auto pair) { return pair.first == index.value; });
      if (isTaken || index.bound != into.front().bound)
        continue;
      same.push_back({index.value, into.front().value});
      if (find(from, into.drop_front()))
        return true;
      same.pop_back();
    }
    return false;
  }

private:
  bool touchesSame() const {
    return (!second.rank || areEqual(IndexForm::of(first.rank), IndexForm::of(second.rank))) &&
           areEqual(first.first, second.first) && areEqual(first.clipFirst, second.clipFirst) &&
           areEqual(first.clipSize, second.clipSize);
  }

  bool areEqual(IndexForm touched, const IndexForm &written) const {
    for (auto [index, other] : same)
      touched = touched.substitute(index, IndexForm::of(other));
    return touched == written;
  }
  bool areEqual(ArrayRef<IndexForm> touched, ArrayRef<IndexForm> written) const {
    return llvm::all_of(llvm::zip_equal(touched, written),
                        [&](auto pair) { return areEqual(std::get<0>(pair), std::get<1>(pair)); });
  }

  const Footprint &first, &second;
  SmallVector<std::pair<Value, Value>> same; ///< index of the earlier, of the later one
};

} // namespace

/// Indices of the tasks, none where a bound is not known; and of the loops around an access, as over the ranks that it
/// reads from.
static SmallVector<Index> indicesAround(ForallOp tasks, Operation *access, int64_t world) {
  SmallVector<Index> indices;
  std::optional<SmallVector<AffineExpr>> bounds = overExtents(*tasks.getBounds(), tasks.getExtents(), world);
  if (!bounds)
    return indices;
  for (auto [index, bound] : llvm::zip(tasks.getIndices(), *bounds))
    indices.push_back({index, bound});
  for (auto loop = access->getParentOfType<scf::ForOp>(); loop && tasks->isAncestor(loop);
       loop = loop->getParentOfType<scf::ForOp>()) {
    IndexForm end = IndexForm::of(loop.getUpperBound());
    if (isZeroInteger(loop.getLowerBound()) && isOneInteger(loop.getStep()) && end.isConstant())
      indices.push_back({loop.getInductionVar(), end.constant});
  }
  return indices;
}

/// Whether the place of an access is another one on each rank.
static bool dependsOn(const Footprint &access, Value rank) {
  auto isOne = [&](const IndexForm &form) { return !(form.without(rank) == form); };
  return llvm::any_of(access.first, isOne) || llvm::any_of(access.clipFirst, isOne) ||
         llvm::any_of(access.clipSize, isOne);
}

bool tilec::writesOver(const Statement &earlier, const Footprint &first, const Statement &later,
                       const Footprint &second, Value rank, int64_t world) {
  ForallOp from = earlier.forall, into = later.forall;
  bool isPlain = second.writes && !second.commutation && second.op->getParentOp() == into && first.exact &&
                 second.exact && !first.whole && !second.whole && (first.rank || !second.rank);
  if (!isPlain || earlier.steps || later.steps || first.size != second.size)
    return false;
  SmallVector<Index> touching = indicesAround(from, first.op, world), writing = indicesAround(into, second.op, world);
  if (first.rank && !second.rank) {
    // The one is a task of another rank than the other: this rank's number is not the same in both.
    if (dependsOn(second, rank))
      return false;
    // What each rank touches of the others, a rank may write of its own: of each rank in turn.
    touching.push_back({rank, getAffineConstantExpr(world, rank.getContext())});
  }
  return writing.size() == into.getIndices().size() && TaskMatch(first, second).find(touching, writing);
}
