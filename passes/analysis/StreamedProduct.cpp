// Asks what the copy engine and the matrix units can take. Changes nothing.
#include "passes/analysis/StreamedProduct.h"

#include "passes/analysis/LayoutConversion.h"
#include "passes/machine/LoopCost.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

static std::string typeName(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

MatrixProblem tilec::problemOf(DotOp dot, int64_t waves) {
  auto lhs = dot.getLhs().getType(), sums = dot.getType();
  MatrixProblem problem{sums.getDimSize(0),
                        sums.getDimSize(1),
                        lhs.getDimSize(1),
                        typeName(lhs.getElementType()),
                        typeName(sums.getElementType()),
                        waves};
  problem.fast = dot.accumulation() == Accumulation::Fast;
  problem.promoted = dot.accumulation() == Accumulation::Promoted;
  return problem;
}

/// Rows of one copy.
static constexpr int64_t kMostRows = 256;

bool tilec::isMapped(LoadOp load, const Target &target) {
  auto buffer = dyn_cast<BlockArgument>(load.getBuffer());
  RankedTensorType tile = load.getType();
  return buffer && isa<ProgramOp>(buffer.getOwner()->getParentOp()) && !load.getFrom() && load.getAfter().empty() &&
         !load.getAt() && !load.getOtherwise() && tile.getRank() == 2 &&
         cast<MemRefType>(buffer.getType()).getRank() == 2 && tile.getDimSize(0) <= kMostRows &&
         tile.getDimSize(1) * bytesOf(tile.getElementType()) == target.lds.mappedRowBytes;
}

bool tilec::isMappedByRows(LoadOp load, const Target &target) {
  auto buffer = dyn_cast<BlockArgument>(load.getBuffer());
  RankedTensorType tile = load.getType();
  if (target.lds.mappedRowBytes == 0 || !buffer || !isa<ProgramOp>(buffer.getOwner()->getParentOp()))
    return false;
  auto type = cast<MemRefType>(buffer.getType());
  // Rows and matrices of a buffer without strides of its own are as far apart as the engine wants them.
  int64_t row = tile.getRank() == 2 ? tile.getDimSize(1) * bytesOf(tile.getElementType()) : 0;
  return !load.getFrom() && load.getAfter().empty() && !load.getAt() && !load.getOtherwise() &&
         (type.getRank() == 2 || type.getRank() == 3) && type.getLayout().isIdentity() && row > 0 &&
         row % target.lds.mappedRowBytes == 0 && tile.getDimSize(0) <= kMostRows &&
         type.getShape().back() == tile.getDimSize(1);
}

bool tilec::isStreamed(DotOp dot, const Target &target) {
  auto loop = dyn_cast<scf::ForOp>(dot->getParentOp());
  auto isFed = [&](Value operand) {
    auto load = operand.getDefiningOp<LoadOp>();
    return load && load->getBlock() == dot->getBlock() && isMapped(load, target) &&
           load.getIndices()[1] == loop.getInductionVar() && loop.isDefinedOutsideOfLoop(load.getIndices()[0]);
  };
  return loop && dot.getTranspose() && isFed(dot.getLhs()) && isFed(dot.getRhs());
}

bool tilec::isPromoted(DotOp dot, const Target &target) {
  ProductShape shape;
  auto lhs = dot.getLhs().getType();
  shape.bytes = bytesOf(lhs.getElementType());
  shape.element = typeName(lhs.getElementType());
  shape.promoted = dot.accumulation() == Accumulation::Promoted;
  shape.mapped = isStreamed(dot, target);
  return holdsSumsTwice(shape, lhs.getDimSize(1), target);
}
