// Dimensions that must agree for all extents of a launch. What the text alone decides, the verifiers of the ops say.
#include "dialect/Products.h"
#include "dialect/Relations.h"
#include "dialect/Tile.h"

using namespace mlir;
using namespace tilec::tile;

/// As its author wrote it: a share of the ranks, whose number stands in the place of W by now.
static AffineExpr asShare(AffineExpr size, int64_t world) {
  auto quotient = dyn_cast<AffineBinaryOpExpr>(size);
  auto divisor = quotient ? dyn_cast<AffineConstantExpr>(quotient.getRHS()) : AffineConstantExpr();
  bool isShare = divisor && quotient.getKind() == AffineExprKind::FloorDiv && divisor.getValue() == world;
  return isShare ? quotient.getLHS().floorDiv(getAffineSymbolExpr(0, size.getContext())) : size;
}

/// What makes W parts of this size the whole: the condition that a header may state.
static std::string conditionOfParts(ProgramOp program, AffineExpr whole, AffineExpr part) {
  auto share = dyn_cast<AffineBinaryOpExpr>(part);
  if (share && share.getKind() == AffineExprKind::FloorDiv && share.getLHS() == whole)
    return describeExtent(program, whole) + " mod W == 0";
  return describeExtent(program, whole) +
         " == " + describeExtent(program, getAffineSymbolExpr(0, part.getContext()) * part);
}

/// Says for which values of the extents that an expression depends on.
static void nameExtents(InFlightDiagnostic &diagnostic, ProgramOp program, AffineExpr extent,
                        ArrayRef<int64_t> extents) {
  diagnostic << ", which is another number";
  const char *separator = " for ";
  for (auto [i, value] : llvm::enumerate(extents))
    if (extent.isFunctionOfSymbol(1 + i)) {
      diagnostic << separator << describeExtent(program, getAffineSymbolExpr(1 + i, program.getContext())) << "="
                 << value;
      separator = ", ";
    }
}

/// Dimension `dim` of `buffer` must be `expected`, a dimension of `other`, for all extents.
static LogicalResult verifySame(Operation *op, Value buffer, unsigned dim, AffineExpr expected, Value other) {
  auto program = op->getParentOfType<ProgramOp>();
  AffineExpr extent = getExtent(buffer, dim);
  auto unlike = findUnlikeExtents(program, extent, expected);
  if (!unlike)
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError();
  diagnostic << "dimension " << dim << " has size " << describeExtent(program, extent) << ", expected "
             << describeExtent(program, expected);
  nameExtents(diagnostic, program, extent + expected, *unlike);
  diagnostic.attachNote(buffer.getLoc()) << "the buffer is declared here";
  Diagnostic &note = diagnostic.attachNote(other.getLoc())
                     << "its size must agree with this buffer's: write both alike, or state a condition, as 'where "
                     << describeExtent(program, extent) << " == " << describeExtent(program, expected) << "'";
  if (*program.getWorld() > 1)
    note << ", where W is " << *program.getWorld() << " here";
  return diagnostic;
}

/// Dimension `dim` of `buffer` must be W times `part` for all extents.
static LogicalResult verifyAlways(Operation *op, Value buffer, unsigned dim, AffineExpr part) {
  auto program = op->getParentOfType<ProgramOp>();
  AffineExpr extent = getExtent(buffer, dim), world = getAffineSymbolExpr(0, op->getContext());
  AffineExpr expected = world * part;
  auto unlike = findUnlikeExtents(program, extent, expected);
  if (!unlike)
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError();
  part = asShare(part, *program.getWorld());
  diagnostic << "dimension " << dim << " has size " << describeExtent(program, extent) << ", expected "
             << describeExtent(program, world * part);
  nameExtents(diagnostic, program, extent, *unlike);
  diagnostic.attachNote(buffer.getLoc()) << "the buffer is declared here; what each rank has can be an extent, and the "
                                            "whole W times it, or a condition may say so: 'where "
                                         << conditionOfParts(program, extent, part) << "'";
  return diagnostic;
}

/// All dimensions but that of the parts, and that one, too, where both ends have a part for each rank.
static LogicalResult verifyOthers(CollectiveOpInterface collective) {
  Value source = collective.getSource(), destination = collective.getDestination();
  std::optional<uint64_t> parts = collective.getPartsDim();
  const bool areBoth = collective.hasPartsInSource() && collective.hasPartsInDestination();
  for (int64_t dim = 0; dim < cast<MemRefType>(source.getType()).getRank(); ++dim)
    if ((areBoth || parts != static_cast<uint64_t>(dim)) &&
        failed(verifySame(collective, destination, dim, getExtent(source, dim), source)))
      return failure();
  return success();
}

LogicalResult tilec::tile::verifyExtentsAgree(CollectiveOpInterface collective) {
  // Whole: the buffer with a part for each rank along `dim`.
  auto verifyParts = [&](Value whole, Value part, unsigned dim) {
    AffineExpr size = getExtent(part, dim);
    return size ? verifyAlways(collective, whole, dim, size) : success();
  };
  if (failed(verifyOthers(collective)))
    return failure();
  std::optional<uint64_t> dim = collective.getPartsDim();
  if (!dim)
    return success();
  Value source = collective.getSource(), destination = collective.getDestination();
  if (!collective.hasPartsInSource())
    return verifyParts(destination, source, *dim);
  if (!collective.hasPartsInDestination())
    return verifyParts(source, destination, *dim);
  auto ranks = static_cast<uint64_t>(*collective->getParentOfType<ProgramOp>().getWorld());
  AffineExpr size = getExtent(source, *dim);
  return size ? verifyAlways(collective, source, *dim, size.floorDiv(ranks)) : success();
}

LogicalResult tilec::tile::verifyExtentsAgree(MatmulOp op) {
  unsigned leading = leadingDims(op);
  Value lhs = op.getLhs(), result = op.getDestination();
  for (unsigned dim = 0; dim <= leading; ++dim)
    if (failed(verifySame(op, result, dim, getExtent(lhs, dim < leading ? dim : op.rowDim()), lhs)))
      return failure();
  for (auto [rhs, transposed] : llvm::zip(op.getRhs(), op.getTransposed())) {
    auto first = static_cast<unsigned>(cast<MemRefType>(rhs.getType()).getRank() - 2);
    unsigned depth = first + (transposed ? 1 : 0), columns = first + (transposed ? 0 : 1);
    if (failed(verifySame(op, rhs, depth, getExtent(lhs, op.depthDim()), lhs)) ||
        failed(verifySame(op, result, leading + 1, getExtent(rhs, columns), rhs)))
      return failure();
    for (unsigned dim = 0; dim < first; ++dim)
      if (failed(verifySame(op, result, dim, getExtent(rhs, dim), rhs)))
        return failure();
  }
  for (unsigned dim = 0; op.getRows() && dim < leading; ++dim)
    if (failed(verifySame(op, result, dim, getExtent(op.getRows(), dim), op.getRows())))
      return failure();
  return success();
}
