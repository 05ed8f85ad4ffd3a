// Which elements of a view the tasks of a statement touch together.
#include "passes/waits/ViewWalk.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// How far an index of a tile loop runs, from 0 on; null when that is no expression over the extents.
static AffineExpr boundOf(const Statement &statement, BlockArgument index, int64_t world) {
  ForallOp forall = statement.forall;
  auto bounds = overExtents(*forall.getBounds(), forall.getExtents(), world);
  return bounds ? (*bounds)[index.getArgNumber()] : AffineExpr();
}

/// The argument that is an index of the statement's tile loop; null for any other value.
static BlockArgument indexOf(const Statement &statement, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner()->getParentOp() == statement.forall ? argument : BlockArgument();
}

/// How many values from 0 on an index of the statement's tile loop, or of a loop in its tasks, takes one by one; null
/// when that is not known or depends on the task.
static AffineExpr passesOf(const Statement &statement, Value variable, int64_t world) {
  if (BlockArgument index = indexOf(statement, variable))
    return boundOf(statement, index, world);
  auto argument = dyn_cast<BlockArgument>(variable);
  auto loop = dyn_cast_or_null<scf::ForOp>(argument ? argument.getOwner()->getParentOp() : nullptr);
  if (!loop || argument != loop.getInductionVar() || getConstantIntValue(loop.getLowerBound()) != 0 ||
      getConstantIntValue(loop.getStep()) != 1)
    return {};
  IndexForm bound = IndexForm::of(loop.getUpperBound());
  return bound.isConstant() ? bound.constant : AffineExpr();
}

bool tilec::walksView(const Statement &statement, const Footprint &access, unsigned d, int64_t world) {
  if (!access.clipSize[d].isConstant())
    return false;
  auto simplify = [](AffineExpr expr) { return simplifyAffineExpr(expr, 0, 64); };
  IndexForm low = access.first[d] - access.clipFirst[d];
  MLIRContext *context = low.constant.getContext();
  AffineExpr reached = getAffineConstantExpr(access.size[d], context);
  // Innermost walks first: what they reach is the step of the next.
  while (!low.terms.empty()) {
    auto walk = llvm::find_if(low.terms, [&](const auto &term) { return simplify(term.second) == reached; });
    if (walk == low.terms.end())
      return false;
    AffineExpr passes = passesOf(statement, walk->first, world);
    if (!passes)
      return false;
    reached = simplify(reached * passes);
    low = low.without(walk->first);
  }
  AffineExpr extent = access.clipSize[d].constant;
  AffineExpr rounded = simplify(extent.ceilDiv(access.size[d]) * access.size[d]);
  return low == IndexForm::of(0, context) && (reached == rounded || reached == simplify(extent));
}

/// True when each task of `reader` touches what the task of `writer` with the same indices touches. Further indices of
/// the reader do not matter.
static bool touchesAsOneTask(const Statement &writer, const Footprint &first, const Statement &reader,
                             const Footprint &second, int64_t world) {
  auto equal = [](const IndexForm &x, const IndexForm &y) { return x == y; };
  if (first.size != second.size)
    return false;
  SmallVector<IndexForm> moved(first.first.begin(), first.first.end());
  ForallOp forall = writer.forall;
  for (BlockArgument index : forall.getIndices()) {
    AffineExpr bound = boundOf(writer, index, world);
    std::optional<IndexForm> same;
    for (auto [form, other] : llvm::zip(first.first, second.first))
      for (auto [variable, factor] : other.terms)
        if (BlockArgument candidate = indexOf(reader, variable);
            bound && candidate && factor == form.coefficient(index) && boundOf(reader, candidate, world) == bound)
          same = IndexForm::of(variable);
    if (!same)
      return false;
    for (IndexForm &form : moved)
      form = form.substitute(index, *same);
  }
  return llvm::all_of_zip(moved, second.first, equal);
}

bool tilec::findsATask(const Statement &writer, const Footprint &first, const Statement &reader,
                       const Footprint &second, int64_t world) {
  auto equal = [](const IndexForm &x, const IndexForm &y) { return x == y; };
  if (!llvm::all_of_zip(first.clipFirst, second.clipFirst, equal) ||
      !llvm::all_of_zip(first.clipSize, second.clipSize, equal))
    return false;
  auto walks = [&](size_t d) { return walksView(writer, first, d, world); };
  return touchesAsOneTask(writer, first, reader, second, world) || llvm::all_of(llvm::seq(first.size.size()), walks);
}
