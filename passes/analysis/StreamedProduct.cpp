// Asks what the copy engine and the matrix units can take. Changes nothing.
#include "passes/analysis/StreamedProduct.h"

#include "passes/analysis/LayoutConversion.h"

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
  problem.fast = dot.getAccumulate() == Accumulation::Fast;
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

bool tilec::isStreamed(DotOp dot, const Target &target) {
  auto loop = dyn_cast<scf::ForOp>(dot->getParentOp());
  auto isFed = [&](Value operand) {
    auto load = operand.getDefiningOp<LoadOp>();
    return load && load->getBlock() == dot->getBlock() && isMapped(load, target) &&
           load.getIndices()[1] == loop.getInductionVar() && loop.isDefinedOutsideOfLoop(load.getIndices()[0]);
  };
  return loop && dot.getTranspose() && isFed(dot.getLhs()) && isFed(dot.getRhs());
}
