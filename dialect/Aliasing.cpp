// Views of one buffer, compared by evaluation.
#include "dialect/Aliasing.h"
#include "dialect/Relations.h"
#include "dialect/Tile.h"

using namespace mlir;
using namespace tilec::tile;

namespace {

/// The elements of a view in its buffer. Expressions are over the symbols and this rank; null where they are not known.
struct Box {
  Value root;
  SmallVector<AffineExpr> offsets, sizes; ///< for each dimension of the root
  SmallVector<unsigned> dims;             ///< the dimension of the root for each of the view

  static Box of(Value buffer);
  SmallVector<Interval> intervals() const {
    SmallVector<Interval> result;
    for (auto [first, size] : llvm::zip(offsets, sizes))
      result.push_back({first, size});
    return result;
  }
};

} // namespace

static AffineExpr plus(AffineExpr a, AffineExpr b) { return a && b ? a + b : AffineExpr(); }

Box Box::of(Value buffer) {
  SmallVector<memref::SubViewOp> chain;
  while (auto view = buffer.getDefiningOp<memref::SubViewOp>()) {
    chain.push_back(view);
    buffer = view.getSource();
  }
  Box box{buffer, {}, {}, {}};
  for (unsigned i = 0, rank = cast<MemRefType>(buffer.getType()).getRank(); i < rank; ++i) {
    box.offsets.push_back(getAffineConstantExpr(0, buffer.getContext()));
    box.sizes.push_back(getExtent(buffer, i));
    box.dims.push_back(i);
  }
  for (memref::SubViewOp view : llvm::reverse(chain)) {
    llvm::SmallBitVector dropped = view.getDroppedDims();
    auto offsets = view.getMixedOffsets(), sizes = view.getMixedSizes(), strides = view.getMixedStrides();
    SmallVector<unsigned> kept;
    for (auto [i, dim] : llvm::enumerate(box.dims)) {
      bool dense = getConstantIntValue(strides[i]) == 1;
      box.offsets[dim] = dense ? plus(box.offsets[dim], getScalar(offsets[i], view.getContext())) : AffineExpr();
      box.sizes[dim] = dense ? getScalar(sizes[i], view.getContext()) : AffineExpr();
      if (!dropped.test(i))
        kept.push_back(dim);
    }
    box.dims = kept;
  }
  return box;
}

/// True when the box of `part` is block `rank` of that of `whole` along a dimension of theirs, or all of it without.
static bool liesIn(ProgramOp program, const Box &part, const Box &whole, std::optional<uint64_t> dim) {
  if (part.root != whole.root || part.dims != whole.dims)
    return false;
  AffineExpr rank = getAffineDimExpr(0, program.getContext());
  for (unsigned i = 0; i < part.offsets.size(); ++i) {
    bool split = dim && part.dims[*dim] == i;
    AffineExpr first = whole.offsets[i];
    if (split)
      first = first && part.sizes[i] ? first + rank * part.sizes[i] : AffineExpr();
    if (!alwaysEqual(program, part.offsets[i], first) ||
        (!split && !alwaysEqual(program, part.sizes[i], whole.sizes[i])))
      return false;
  }
  return true;
}

bool tilec::tile::isInPlace(CollectiveOpInterface collective) {
  if (!collective.worksInPlace())
    return false;
  if (collective.getSource() == collective.getDestination())
    return collective.hasPartsInSource() == collective.hasPartsInDestination();
  auto program = collective->getParentOfType<ProgramOp>();
  Box source = Box::of(collective.getSource()), destination = Box::of(collective.getDestination());
  if (collective.hasPartsInSource() == collective.hasPartsInDestination())
    return liesIn(program, source, destination, std::nullopt);
  return collective.hasPartsInSource() ? liesIn(program, destination, source, collective.getPartsDim())
                                       : liesIn(program, source, destination, collective.getPartsDim());
}

LogicalResult tilec::tile::verifyAliasing(CollectiveOpInterface collective) {
  auto program = collective->getParentOfType<ProgramOp>();
  Value source = collective.getSource(), destination = collective.getDestination();
  Box from = Box::of(source), into = Box::of(destination);
  if (from.root != into.root || isInPlace(collective))
    return success();
  if (!alwaysMeet(program, from.intervals(), into.intervals()))
    return success();
  InFlightDiagnostic diagnostic = collective->emitOpError()
                                  << "source and destination overlap, expected buffers that are apart";
  bool parts = collective.hasPartsInSource() != collective.hasPartsInDestination();
  if (collective.worksInPlace() && !parts)
    diagnostic << ", or one buffer";
  if (collective.worksInPlace() && parts) {
    bool gathers = collective.hasPartsInDestination();
    Value part = gathers ? source : destination;
    uint64_t dim = *collective.getPartsDim();
    AffineExpr size = getExtent(part, dim);
    diagnostic << ", or a " << (gathers ? "source" : "destination") << " that is this rank's part of the "
               << (gathers ? "destination" : "source") << ": a view at rank * "
               << (size ? describeExtent(program, size) : "its size") << " in dimension " << dim;
  }
  diagnostic.attachNote(source.getLoc()) << "the source is declared here";
  diagnostic.attachNote(destination.getLoc()) << "the destination is declared here";
  return diagnostic;
}
